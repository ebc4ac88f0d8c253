import { STATUS_CODES } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { BODY_BYTES_MAX, bodyText, hasLoneSurrogate } from './body-text.ts';
import type { Example, OnAnswer } from './examples.ts';
import { type OnFault, workOf } from './faults.ts';
import { HttpError } from './http-error.ts';
import { idempotencyKeyOf } from './idempotency.ts';
import { partsOf } from './path-parts.ts';
import { refusals } from './refusals.ts';
import { type Reply, type Route, usualRefusalsOf } from './route.ts';
import { RouteFinder } from './route-finder.ts';

/** Answers requests, without sockets. */
export type Handler = (request: Request) => Promise<Response>;

/** Answers requests, and says which operation they reach. */
type Router = (request: Request, onRoute?: (route: Route) => void) => Promise<Response>;

export interface RouterOptions {
  readonly routes: readonly Route[];
  /** The prefix of every path: `/api`. */
  readonly prefix?: string;
  /** Whether a caller satisfies a security scheme; throws an {@link HttpError} if not. */
  readonly authorize?: (scheme: string, request: Request) => void;
  /** Answers for errors of the application; undefined for unknown errors. */
  readonly errorOf?: (error: unknown) => HttpError | undefined;
  readonly onFault?: OnFault;
  /** Also checks every answer by its declared schema, as tests do. */
  readonly checksAnswers?: boolean;
  /** Receives what operations have answered, for tests. */
  readonly onAnswer?: OnAnswer | undefined;
}

/** An answer that its route has not declared: a fault of the application. */
export class UndeclaredAnswerError extends Error {
  override readonly name = 'UndeclaredAnswerError';
}

/** Dispatches requests to routes. Other requests get 404, or 405 if another method would match. */
export function router(options: RouterOptions): Router {
  const { routes, prefix = '', onFault = () => undefined } = options;
  const finder = new RouteFinder(routes, prefix);
  const run = new Runner(options);
  return async (request, onRoute) => {
    let reached: Route | undefined;
    try {
      const match = finder.find(request.method, new URL(request.url).pathname);
      if ('methods' in match) throw notHere(match.methods);
      reached = match.route;
      onRoute?.(match.route);
      return await run.call(match.route, match.texts, request);
    } catch (error) {
      const known = error instanceof HttpError ? error : options.errorOf?.(error);
      const undeclared = options.checksAnswers === true ? undeclaredRefusal(reached, known) : undefined;
      const fault = undeclared ?? (known === undefined ? error : undefined);
      if (fault !== undefined) onFault(fault, workOf(request));
      return problem(fault === undefined ? (known ?? refusals.fault()) : refusals.fault());
    }
  };
}

/** Parses requests with the schemas of their routes. */
class Runner {
  readonly #options: RouterOptions;

  constructor(options: RouterOptions) {
    this.#options = options;
  }

  async call(route: Route, texts: Readonly<Record<string, string>>, request: Request): Promise<Response> {
    const { authorize, checksAnswers = false } = this.#options;
    const path = this.#pathOf(route, texts);
    if (route.security !== undefined) authorize?.(route.security, request);
    const query = this.#checked('query', route.query, Object.fromEntries(new URL(request.url).searchParams));
    const body = route.body === undefined ? undefined : this.#checked('body', route.body, await this.#jsonOf(request));
    const key = route.takesKey === true ? idempotencyKeyOf(request) : undefined;
    const reply = await route.handle({ path, query, body, key, request });
    if (checksAnswers) checkAnswer(route, reply);
    this.#options.onAnswer?.(route.operationId, exampleOf({ path, body, request }, reply));
    const { status, headers } = reply;
    const init = { status, ...(headers !== undefined && { headers }) };
    return reply.body === undefined ? new Response(null, init) : Response.json(reply.body, init);
  }

  #pathOf({ pathSchemas }: Route, texts: Readonly<Record<string, string>>): Record<string, string> {
    const values = Object.entries(partsOf(texts)).map(([name, value]) => {
      const schema = pathSchemas[name];
      return [name, schema === undefined ? value : this.#checked(name, schema, value)] as const;
    });
    // The output of a schema has the type that `route` gives it. The runner only passes it on.
    return Object.fromEntries(values) as Record<string, string>;
  }

  #checked(where: string, schema: z.ZodType, value: unknown): unknown {
    const { data, error } = schema.safeParse(value, { reportInput: true });
    if (error === undefined) return data;
    throw refusals.invalid(where, error);
  }

  async #jsonOf(request: Request): Promise<unknown> {
    const text = await bodyText(request);
    if (text === undefined) throw refusals.tooLarge(BODY_BYTES_MAX);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw refusals.notJson();
    }
    if (hasLoneSurrogate(value)) throw refusals.halfCharacter();
    return value;
  }
}

function exampleOf(
  { path, body, request }: { readonly path: Example['path']; readonly body: unknown; readonly request: Request },
  { status, body: answer }: Reply,
): Example {
  return {
    path,
    query: Object.fromEntries(new URL(request.url).searchParams),
    ...(body !== undefined && { body }),
    status,
    ...(answer !== undefined && { answer: JSON.parse(JSON.stringify(answer)) as unknown }),
  };
}

function notHere(methods: readonly string[]): HttpError {
  return methods.length === 0 ? refusals.noSuchPath() : refusals.noSuchMethod(methods);
}

/** A refusal is declared like any answer, so that the description lists it. A fault or an overload (5xx) may end every operation. */
function undeclaredRefusal(
  route: Route | undefined,
  refusal: HttpError | undefined,
): UndeclaredAnswerError | undefined {
  if (route === undefined || refusal === undefined || refusal.status >= 500) return undefined;
  const { status, code } = refusal;
  if (status in route.answers || status in usualRefusalsOf(route)) return undefined;
  return new UndeclaredAnswerError(`${route.operationId} does not declare ${status}, ${code}`);
}

function checkAnswer({ operationId, answers }: Route, { status, body }: Reply): void {
  const answer = answers[status];
  if (answer === undefined) throw new UndeclaredAnswerError(`${operationId} does not declare ${status}`);
  const sent: unknown = body === undefined ? undefined : JSON.parse(JSON.stringify(body));
  const { data, error } = answer.schema?.safeParse(sent) ?? { data: sent };
  if (error !== undefined) throw new UndeclaredAnswerError(`${operationId} ${status}: ${z.prettifyError(error)}`);
  // A schema drops the members of an object that it does not name. The description says that there are none.
  if (!isDeepStrictEqual(data, sent)) {
    throw new UndeclaredAnswerError(`${operationId} ${status}: ${JSON.stringify(sent)} has more than is declared`);
  }
  if ((answer.schema === undefined) !== (body === undefined)) {
    throw new UndeclaredAnswerError(`${operationId} ${status}: a body, or none, against what is declared`);
  }
}

/** RFC 9457 format, with a code for programs, and the error of each field. The title of `about:blank` is that of the status. */
function problem({ status, code, message, headers, fields }: HttpError): Response {
  return Response.json(
    {
      type: 'about:blank',
      title: STATUS_CODES[status] ?? '',
      status,
      code,
      detail: message,
      ...(fields.length > 0 && { fields }),
    },
    { status, headers: { ...headers, 'content-type': 'application/problem+json' } },
  );
}
