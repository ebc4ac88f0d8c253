import { z } from 'zod';
import { type Answer as HttpAnswer, type Reply, type Route as HttpRoute, route } from '../../http/route.ts';
import type { PageRequest, Status } from '../connection.ts';
import type { GitHub } from '../github.ts';
import { HttpProblem, invalid } from './problem.ts';
import type { Answer, Call, Route } from './route.ts';
import { answers, bodies, pageParameters, type ParameterName, parameters, stateParameter } from './schemas.ts';

/** The header that names the acting user. In production, the code that checks a token would provide it. */
export const ACTOR_HEADER = 'x-user';

/** The site's operations as routes of the HTTP kit. @param site - undefined if they are only described. */
export function httpRoutes(routes: readonly Route[], site: GitHub | undefined): readonly HttpRoute[] {
  return routes.map((each) => httpRoute(each, site));
}

const queries = {
  page: z.object(pageParameters),
  state: z.object({ state: stateParameter }),
  none: z.object({}),
  both: z.object({ state: stateParameter, ...pageParameters }),
};

type Query = Partial<z.output<typeof queries.both>>;

function httpRoute(declared: Route, site: GitHub | undefined): HttpRoute {
  const { method, path, id, summary, pattern, takes, acts, paged = false, byState = false } = declared;
  return route({
    method,
    path,
    operationId: id,
    summary,
    description: `Access pattern ${pattern}.`,
    ...(acts === true && { security: 'user' }),
    pathSchemas: pathSchemasOf(path),
    query: queries[paged && byState ? 'both' : paged ? 'page' : byState ? 'state' : 'none'],
    ...(takes !== undefined && { body: bodies[takes] }),
    answers: Object.fromEntries(declared.gives.map((given) => [given.status, answerOf(given, paged)])),
    handle: async ({ path: values, query, body, request }) => {
      if (site === undefined) throw new TypeError(`${id} is described only`);
      const { state, ...page } = query as Query;
      const call = {
        site,
        // The kit has checked them against the schemas above, and the body against the route's own.
        parameters: values as Call['parameters'],
        body,
        page: pageOf(page),
        status: statusOf(state),
        username: () => usernameOf(request.headers),
      };
      return replyOf(await declared.handle(call), request.url);
    },
  });
}

function pathSchemasOf(path: string): Record<string, z.ZodType> {
  // Every name in the paths of the routes has a schema, which a test checks.
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as ParameterName);
  return Object.fromEntries(names.map((name) => [name, parameters[name]]));
}

const link = {
  description: 'Where the list continues, with rel="next"; absent on the last page.',
  schema: { type: 'string' },
};

function answerOf({ of, many }: Route['gives'][number], paged: boolean): HttpAnswer {
  const schema = of === undefined ? undefined : many === true ? z.array(answers[of]) : answers[of];
  return {
    description: of === undefined ? 'It was done' : many === true ? 'A list' : 'The one',
    ...(schema !== undefined && { schema }),
    ...(paged && { headers: { Link: link } }),
  };
}

function pageOf({ per_page: limit, cursor }: Query): PageRequest {
  return { ...(cursor !== undefined && { cursor }), ...(limit !== undefined && { limit }) };
}

function statusOf(state: Query['state']): Status | undefined {
  if (state === undefined || state === 'all') return undefined;
  return state === 'open' ? 'Open' : 'Closed';
}

function usernameOf(headers: Headers): string {
  const name = headers.get(ACTOR_HEADER);
  if (name === null) throw new HttpProblem(401, 'absent', `Say who you are in the header ${ACTOR_HEADER}`);
  const { data, error } = parameters.username.safeParse(name);
  if (error !== undefined) throw invalid(ACTOR_HEADER, error);
  return data;
}

function replyOf({ status, body, cursor }: Answer, url: string): Reply {
  if (cursor === undefined) return { status, body };
  const next = new URL(url);
  next.searchParams.set('cursor', cursor);
  return { status, body, headers: { link: `<${next.href}>; rel="next"` } };
}
