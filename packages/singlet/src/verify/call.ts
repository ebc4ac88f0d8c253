/** An endpoint's answer, as far as a check of isolation distinguishes answers. */
export type Answer =
  | { readonly kind: 'ok'; readonly body: Readonly<Record<string, unknown>> }
  /** Refused; it has had no effect. */
  | { readonly kind: 'refused'; readonly error: string; readonly body: Readonly<Record<string, unknown>> }
  /** No answer, or one that does not show whether the request took effect. */
  | { readonly kind: 'unknown'; readonly cause: string };

/** Sends one request, without retries, which would hide the effect of the first attempt. Never rejects. */
export type Call = (action: string, input: object) => Promise<Answer>;

/** An answer with status 5xx may come from a request that took effect; any other error means that it did not. */
export function answerOf(status: number, body: Readonly<Record<string, unknown>>): Answer {
  if (status === 200) return { kind: 'ok', body };
  const type = body['__type'];
  const error = typeof type === 'string' ? type.replace(/^.*#/, '') : `status ${status}`;
  return status >= 500 ? { kind: 'unknown', cause: error } : { kind: 'refused', error, body };
}

/**
 * Calls an endpoint over HTTP, without an SDK. The endpoint must not require a valid signature. While connections are refused (a server that is
 * being replaced) nothing has been sent, and the call waits.
 *
 * @param pause - waits before the next attempt to connect.
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
        // A server of this protocol answers in JSON; other answers are caught below.
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

/** An answer that takes longer than this counts as missing. */
const answerTimeoutMs = 10_000;

/** Attempts to connect before a call gives up. */
const connectionAttemptsMax = 400;

function isConnectionRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';
}

/** `fetch` only reports that it failed; the reason is in the cause. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
