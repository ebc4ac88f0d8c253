import { noteAnswer } from './connection.ts';
import { type CallOptions, ConnectionError, jsonOf, ServiceError } from './client.ts';

// The server's information about itself, below `/_singlet/`. Endpoints other than Singlet have nothing there.

interface InspectOptions extends CallOptions {
  /** With a body it is a POST, unless specified otherwise. */
  readonly body?: object | undefined;
  readonly method?: 'PUT';
}

/** The endpoint has nothing there: it is another database, or an older version of this one. */
export class NotToldError extends Error {
  override readonly name = 'NotToldError';
}

/**
 * Requests information from the server about itself.
 *
 * @param path - below `/_singlet/`, with its names encoded: `models/shop`.
 * @throws {NotToldError} if there is no such path.
 * @throws {ServiceError} if the server rejects the request. @throws {ConnectionError} if there is no answer.
 */
export async function inspect<Answer>(
  path: string,
  { body, method: given, signal, onExchange }: InspectOptions = {},
): Promise<Answer> {
  const method = given ?? (body === undefined ? 'GET' : 'POST');
  const startedMs = performance.now();
  const note = (error?: string): void =>
    onExchange?.({
      operation: `${method} /_singlet/${path}`,
      input: body ?? {},
      durationMs: performance.now() - startedMs,
      readUnits: 0,
      writeUnits: 0,
      streamUnits: 0,
      itemsRead: 0,
      itemsReturned: 0,
      error,
    });
  try {
    const answer = await ask(`/_singlet/${path}`, {
      method,
      ...(body && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', 'x-singlet-studio': '1' },
      }),
      ...(signal && { signal }),
    });
    note();
    return answer as Answer; // the shape that docs/inspect.md describes
  } catch (error) {
    if (signal?.aborted !== true) note(error instanceof Error ? error.name : String(error));
    throw error;
  }
}

async function ask(path: string, request: RequestInit): Promise<object> {
  let response: Response;
  try {
    response = await fetch(path, request);
  } catch (error) {
    if (request.signal?.aborted === true) throw error;
    noteAnswer(false);
    throw new ConnectionError('The server does not answer.', { cause: error });
  }
  noteAnswer(true);
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  if (!isJson) throw new NotToldError('This endpoint is not a Singlet server, so this view has nothing to show.');
  const answer = await jsonOf(response);
  if (response.ok) return answer;
  const { error, message = '' } = answer as { error?: string; message?: string };
  if (error === undefined || error === 'UnknownOperationException')
    throw new NotToldError('This endpoint is not a Singlet server, so this view has nothing to show.');
  throw new ServiceError(error, message);
}
