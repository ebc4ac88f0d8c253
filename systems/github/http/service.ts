import { z } from 'zod';
import type { PageRequest, Status } from '../connection.ts';
import type { GitHub } from '../github.ts';
import { openApi } from './openapi.ts';
import { HttpProblem, invalid, problemOf } from './problem.ts';
import type { Answer, Call, Route } from './route.ts';
import { Router } from './router.ts';
import { routes } from './routes.ts';
import { bodies, type ParameterName, pageParameters, parameters, stateParameter } from './schemas.ts';

/** The header that says who acts. A site in earnest would have it from whoever checked a token. */
export const ACTOR_HEADER = 'x-user';
/** As long as a body of the API needs to be. */
export const BODY_BYTES_MAX = 256 * 1024;

const page = z.object(pageParameters);
const byState = z.object({ state: stateParameter });

export interface ServiceOptions {
  readonly site: GitHub;
  /** The page for people, as HTML. */
  readonly page: string;
  /** Is told of errors that are nobody's fault but ours. */
  readonly onError: (error: unknown) => void;
}

/** Answers requests: the API, its description under `/openapi.json`, and a page for people under `/`. */
export function createService({ site, page: html, onError }: ServiceOptions): (request: Request) => Promise<Response> {
  const router = new Router(routes);
  const description = openApi(routes);
  return async (request) => {
    const url = new URL(request.url);
    if (request.method === 'GET' && url.pathname === '/') {
      return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } });
    }
    if (request.method === 'GET' && url.pathname === '/openapi.json') {
      return json(200, description);
    }
    try {
      const match = router.find(request.method, url.pathname);
      if ('methods' in match) {
        return noRoute(match.methods);
      }
      const { route, texts } = match;
      return answerOf(await route.handle(await callOf(site, route, texts, request, url)), url);
    } catch (error) {
      const problem = problemOf(error);
      if (problem === undefined) {
        onError(error);
        return json(500, { code: 'internal', message: 'Something went wrong here' });
      }
      const { status, code, message, details } = problem;
      return json(status, { code, message, ...(details !== undefined && { errors: details }) });
    }
  };
}

function noRoute(methods: readonly string[]): Response {
  if (methods.length === 0) {
    return json(404, { code: 'no-route', message: 'There is nothing under this path' });
  }
  const response = json(405, { code: 'method-not-allowed', message: `This path takes ${methods.join(', ')}` });
  response.headers.set('allow', methods.join(', '));
  return response;
}

async function callOf(
  site: GitHub,
  route: Route,
  texts: Readonly<Record<string, string>>,
  request: Request,
  url: URL,
): Promise<Call> {
  const query = Object.fromEntries(url.searchParams);
  const values = Object.entries(texts).map(([name, text]) => [name, parameterOf(name as ParameterName, text)] as const);
  return {
    site,
    // Every name in the paths of the routes has a schema: a test sees to it.
    parameters: Object.fromEntries(values) as Call['parameters'],
    body: (route.takes === undefined ? undefined : await bodyOf(route.takes, request)) as Call['body'],
    page: route.paged === true ? pageOf(query) : {},
    status: route.byState === true ? statusOf(query) : undefined,
    username: () => {
      const name = request.headers.get(ACTOR_HEADER);
      if (name === null) {
        throw new HttpProblem(401, 'nobody', `Say who you are in the header ${ACTOR_HEADER}`);
      }
      return checked(parameters.username, name, ACTOR_HEADER);
    },
  };
}

function parameterOf(name: ParameterName, text: string): unknown {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text);
  } catch {
    throw new HttpProblem(400, 'bad-path', `${JSON.stringify(text)} is not encoded as a part of a path`);
  }
  return checked(parameters[name], decoded, name);
}

async function bodyOf(name: keyof typeof bodies, request: Request): Promise<unknown> {
  const text = await request.text();
  if (Buffer.byteLength(text) > BODY_BYTES_MAX) {
    throw new HttpProblem(413, 'too-large', `A body has ${BODY_BYTES_MAX} bytes at most`);
  }
  let value: unknown;
  try {
    value = text === '' ? {} : JSON.parse(text);
  } catch {
    throw new HttpProblem(400, 'not-json', 'The body is not JSON');
  }
  return checked(bodies[name], value, 'body');
}

function pageOf(query: unknown): PageRequest {
  const { per_page: limit, cursor } = checked(page, query, 'query');
  return { ...(cursor !== undefined && { cursor }), ...(limit !== undefined && { limit }) };
}

function statusOf(query: unknown): Status | undefined {
  const { state } = checked(byState, query, 'query');
  return state === 'all' ? undefined : state === 'open' ? 'Open' : 'Closed';
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, where: string): z.output<Schema> {
  const { success, data, error } = schema.safeParse(value);
  if (!success) {
    throw invalid(where, error);
  }
  return data;
}

function answerOf({ status, body, cursor }: Answer, url: URL): Response {
  const response = body === undefined ? new Response(null, { status }) : json(status, body);
  if (cursor !== undefined) {
    const next = new URL(url);
    next.searchParams.set('cursor', cursor);
    response.headers.set('link', `<${next.href}>; rel="next"`);
  }
  return response;
}

function json(status: number, body: unknown): Response {
  return Response.json(body, { status });
}
