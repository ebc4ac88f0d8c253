/** What an endpoint answered, as far as a check of isolation has to tell answers apart. */
export type Answer =
  | { readonly kind: 'ok'; readonly body: Readonly<Record<string, unknown>> }
  /** Refused: it has had no effect. */
  | { readonly kind: 'refused'; readonly error: string; readonly body: Readonly<Record<string, unknown>> }
  /** No answer, or one that leaves open whether the request took effect. */
  | { readonly kind: 'unknown'; readonly cause: string };

/** Sends one request, once: a retry would hide what the first attempt did. Never rejects. */
export type Call = (action: string, input: object) => Promise<Answer>;

/** An answer with status 5xx may come from a request that took effect; any other error says that it did not. */
export function answerOf(status: number, body: Readonly<Record<string, unknown>>): Answer {
  if (status === 200) return { kind: 'ok', body };
  const type = body['__type'];
  const error = typeof type === 'string' ? type.replace(/^.*#/, '') : `status ${status}`;
  return status >= 500 ? { kind: 'unknown', cause: error } : { kind: 'refused', error, body };
}

/**
 * Calls an endpoint over HTTP, without an SDK. The endpoint must not ask for a valid signature. While connections are refused
 * (a server that is being replaced) nothing has been sent, and the call waits.
 *
 * @param pause - waits a little before the next attempt to connect.
 */
export function httpCall(endpoint: string, region: string, pause: () => Promise<void>): Call {
  const authorization = `AWS4-HMAC-SHA256 Credential=verify/20260101/${region}/dynamodb/aws4_request, SignedHeaders=host, Signature=none`;
  const send = (action: string, input: object): Promise<Response> =>
    fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDB_20120810.${action}`,
        authorization,
      },
      body: JSON.stringify(input),
      signal: AbortSignal.timeout(answerTimeoutMs),
    });
  return async (action, input) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const response = await send(action, input);
        // A server of this protocol answers in JSON; anything else is caught below.
        return answerOf(response.status, (await response.json()) as Readonly<Record<string, unknown>>);
      } catch (error) {
        if (!isConnectionRefused(error) || attempt === connectionAttemptsMax) {
          return { kind: 'unknown', cause: messageOf(error) };
        }
        await pause();
      }
    }
  };
}

/** An answer that takes longer than this is taken for none. */
const answerTimeoutMs = 10_000;

/** Attempts to connect before a call gives up. */
const connectionAttemptsMax = 400;

function isConnectionRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';
}

/** `fetch` says only that it failed; its cause says why. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
