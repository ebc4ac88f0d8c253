/** Something outside this program did not take a batch. The message says what, and the log shows no stack. */
export class DeliveryError extends Error {
  override readonly name: string = 'DeliveryError';
}

/**
 * `fetch`, for requests that deliver a batch.
 *
 * @throws {DeliveryError} if there is no answer.
 */
export async function post(url: string, init: Omit<RequestInit, 'method' | 'redirect'>): Promise<Response> {
  try {
    return await fetch(url, { ...init, method: 'POST', redirect: 'manual' });
  } catch (error) {
    throw new DeliveryError(`${new URL(url).host} does not answer: ${reasonOf(error)}`, { cause: error });
  }
}

/** The message of `fetch` is always that it failed; its cause says why. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ');
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}
