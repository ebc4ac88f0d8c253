import { noteAnswer, noteRefusal } from './connection.ts';
import { type CallOptions, ConnectionError, errorName, jsonOf, ServiceError } from './client.ts';
import { signedFetch } from './signed-fetch.ts';

// The server's information about itself, below `/_singlet/`. Endpoints other than Singlet have nothing there.

interface InspectOptions extends CallOptions {
  /** With a body it is a POST, unless specified otherwise. */
  readonly body?: object | undefined;
  readonly method?: 'PUT';
}

/** What endpoints other than Singlet do not do, by the first part of the path. */
const missing: Readonly<Record<string, string>> = {
  info: 'reports no region, store or version',
  explain: 'explains no requests',
  preview: 'previews no statements',
  heat: 'reports no heat',
  requests: 'has no log of requests. The strip below each view counts those of the page',
};

/** The endpoint has nothing there: it is another database, or an older version of this one. */
export class NotToldError extends Error {
  override readonly name = 'NotToldError';

  /** @param path - below `/_singlet/`, with or without that. */
  constructor(path: string) {
    const [, topic = ''] = /^(?:\/_singlet\/)?(\w[\w-]*)/.exec(path) ?? [];
    super(`This endpoint is not a Singlet server, and ${missing[topic] ?? 'has nothing to show here'}.`);
  }
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
    response = await signedFetch(path, request);
  } catch (error) {
    if (request.signal?.aborted === true) throw error;
    noteAnswer(false);
    throw new ConnectionError('The server does not answer.', { cause: error });
  }
  noteAnswer(true);
  // What is refused before the path is looked at is answered in the protocol of the API.
  const isJson = /^application\/(?:x-amz-)?json/.test(response.headers.get('content-type') ?? '');
  if (!isJson) throw new NotToldError(path);
  const answer = await jsonOf(response);
  if (response.ok) return answer;
  const { error = errorName(answer), message = '' } = answer as { error?: string; message?: string };
  if (error === undefined || error === 'UnknownOperationException') throw new NotToldError(path);
  noteRefusal(error);
  throw new ServiceError(error, message);
}
