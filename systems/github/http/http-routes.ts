import { z } from 'zod';
import { type Answer as HttpAnswer, type Reply, type Route as HttpRoute, route } from '../../http/route.ts';
import { SESSION } from '../../http/sign-in.ts';
import type { PageRequest, Status } from '../connection.ts';
import type { GitHub } from '../github.ts';
import type { Once } from './once.ts';
import type { Answer, Call, Refusal, Route } from './route.ts';
import { answers, bodies, pageParameters, type ParameterName, parameters, stateParameter } from './schemas.ts';

/** The signed-in user of a request. @throws {HttpError} 401 */
export type Requires = (request: Pick<Request, 'headers'>) => Promise<string>;

/** The site's operations as routes of the HTTP kit. */
export function httpRoutes(
  routes: readonly Route[],
  site: GitHub,
  { once, required }: { readonly once: Once; readonly required: Requires },
): readonly HttpRoute[] {
  return routes.map((each) => httpRoute(each, { site, once, required }));
}

const queries = {
  page: z.object(pageParameters),
  state: z.object({ state: stateParameter }),
  none: z.object({}),
  both: z.object({ state: stateParameter, ...pageParameters }),
};

type Query = Partial<z.output<typeof queries.both>>;

function httpRoute(
  declared: Route,
  { site, once, required }: { readonly site: GitHub; readonly once: Once; readonly required: Requires },
): HttpRoute {
  const {
    method,
    path,
    id,
    summary,
    description,
    patterns,
    takes,
    acts = false,
    takesKey = false,
    paged = false,
    byState = false,
    refuses = [],
  } = declared;
  return route({
    method,
    path,
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    tag: tagOf(path),
    serves: patterns,
    ...(acts && { security: SESSION }),
    ...(takesKey && { takesKey }),
    pathSchemas: pathSchemasOf(path),
    query: queries[paged && byState ? 'both' : paged ? 'page' : byState ? 'state' : 'none'],
    ...(takes !== undefined && { body: bodies[takes] }),
    answers: {
      ...Object.fromEntries(declared.gives.map((given) => [given.status, answerOf(given, paged)])),
      ...Object.fromEntries(refuses.map((status) => [status, { description: REFUSALS[status] }])),
    },
    handle: async ({ path: values, query, body, key, request }) => {
      const { state, ...page } = query as Query;
      const call = {
        site,
        once,
        key,
        // The kit has checked them against the schemas above, and the body against the route's own.
        parameters: values as Call['parameters'],
        body,
        page: pageOf(page),
        status: statusOf(state),
        username: acts ? await required(request) : '',
      };
      return replyOf(await declared.handle(call), request.url);
    },
  });
}

const REFUSALS: Readonly<Record<Refusal, string>> = {
  403: 'It belongs to others',
  404: 'There is no such thing',
  409: 'The name is taken, or there are as many as there can be',
};

function tagOf(path: string): string {
  const named =
    /issues|pulls/.exec(path)?.[0] ?? (path.includes('/repo') || path.includes('starred') ? 'repos' : 'accounts');
  return `${named.charAt(0).toUpperCase()}${named.slice(1)}`;
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

function replyOf({ status, body, cursor }: Answer, url: string): Reply {
  if (cursor === undefined) return { status, body };
  const next = new URL(url);
  next.searchParams.set('cursor', cursor);
  return { status, body, headers: { link: `<${next.href}>; rel="next"` } };
}
