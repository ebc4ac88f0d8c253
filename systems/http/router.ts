import { z } from 'zod';
import { HttpError } from './http-error.ts';
import type { Reply, Route } from './route.ts';

/** Answers requests; knows nothing of sockets. */
export type Handler = (request: Request) => Promise<Response>;

export interface RouterOptions {
  readonly routes: readonly Route[];
  /** What stands before every path: `/api`. */
  readonly prefix?: string;
  /** Whether a caller satisfies a security scheme; throws an {@link HttpError} where not. */
  readonly authorize?: (scheme: string, request: Request) => void;
  /** Errors of the application as answers; undefined for those that it does not know. */
  readonly errorOf?: (error: unknown) => HttpError | undefined;
  /** Gets errors that nobody knows; callers are told nothing of them. */
  readonly onFault?: (error: unknown) => void;
  /** Also checks every answer by its declared schema, as tests do. */
  readonly checksAnswers?: boolean;
}

/** A body of a request may have so many bytes. */
export const BODY_BYTES_MAX = 262_144;

/** An answer that its route has not declared: a fault of the application. */
export class UndeclaredAnswerError extends Error {
  override readonly name = 'UndeclaredAnswerError';
}

/** Sends requests to routes. What no route answers is 404, or 405 where another method would do. */
export function router(options: RouterOptions): Handler {
  const { routes, prefix = '', onFault = () => undefined } = options;
  const known = routes.map((each) => ({ route: each, segments: segmentsOf(prefix + each.path) }));
  return async (request) => {
    try {
      const segments = segmentsOf(new URL(request.url).pathname);
      const here = known.filter((each) => matches(each.segments, segments));
      const chosen = here.find(({ route }) => route.method === request.method);
      if (chosen === undefined) throw notHere(here.map(({ route }) => route.method));
      return await run(chosen.route, pathOf(chosen.segments, segments), request, options);
    } catch (error) {
      const known = error instanceof HttpError ? error : options.errorOf?.(error);
      if (known === undefined) onFault(error);
      return problem(known ?? new HttpError(500, 'fault', 'Something went wrong on the server.'));
    }
  };
}

async function run(
  route: Route,
  path: Readonly<Record<string, string>>,
  request: Request,
  { authorize, checksAnswers = false }: RouterOptions,
): Promise<Response> {
  if (route.security !== undefined) authorize?.(route.security, request);
  const query = checked('query', route.query, Object.fromEntries(new URL(request.url).searchParams));
  const body = route.body === undefined ? undefined : checked('body', route.body, await jsonOf(request));
  const reply = await route.handle({ path, query, body });
  if (checksAnswers) checkAnswer(route, reply);
  return reply.body === undefined
    ? new Response(null, { status: reply.status })
    : Response.json(reply.body, { status: reply.status });
}

function checked(where: string, schema: z.ZodType, value: unknown): unknown {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  throw new HttpError(400, 'invalid', `${where}: ${z.prettifyError(error)}`);
}

async function jsonOf(request: Request): Promise<unknown> {
  const text = await textOf(request);
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, 'not-json', 'The body is not JSON.');
  }
}

/** Reads no more than a body may have, whatever the caller says of its length. */
async function textOf({ body }: Request): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // A body of fetch is a stream of bytes; the types leave that open.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > BODY_BYTES_MAX) throw new HttpError(413, 'too-large', `A body has at most ${BODY_BYTES_MAX} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function checkAnswer({ operationId, answers }: Route, { status, body }: Reply): void {
  const answer = answers[status];
  if (answer === undefined) throw new UndeclaredAnswerError(`${operationId} does not declare ${status}`);
  const error = answer.schema?.safeParse(JSON.parse(JSON.stringify(body))).error;
  if (error !== undefined) throw new UndeclaredAnswerError(`${operationId} ${status}: ${z.prettifyError(error)}`);
  if ((answer.schema === undefined) !== (body === undefined)) {
    throw new UndeclaredAnswerError(`${operationId} ${status}: a body, or none, against what is declared`);
  }
}

function notHere(methods: readonly string[]): HttpError {
  if (methods.length === 0) return new HttpError(404, 'no-such-path', 'There is nothing under this path.');
  return new HttpError(405, 'no-such-method', `This path takes ${methods.join(', ')}.`, { allow: methods.join(', ') });
}

/** As RFC 9457 has it, with a code for programs. */
function problem({ status, code, message, headers }: HttpError): Response {
  return Response.json(
    { type: 'about:blank', status, code, detail: message },
    { status, headers: { ...headers, 'content-type': 'application/problem+json' } },
  );
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/').slice(1);
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((each, index) => each === segments[index] || (each.startsWith('{') && segments[index] !== ''))
  );
}

function pathOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pattern.flatMap((each, index) =>
      each.startsWith('{') ? [[each.slice(1, -1), decoded(segments[index] ?? '')]] : [],
    ),
  );
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new HttpError(400, 'invalid', 'The path is not percent-encoded UTF-8.');
  }
}
