import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { InputError } from '@singlet/model';
import { HttpError } from '../../http/http-error.ts';
import { type OpenApiDescription, openApiOf } from '../../http/open-api.ts';
import type { Route } from '../../http/route.ts';
import { type Handler, router } from '../../http/router.ts';
import { inputRefusal } from '../../http/plain-words.ts';
import type { BigTimeDeals } from '../big-time-deals.ts';
import { type RefusalCode, RefusedError } from '../errors.ts';
import { EDITOR, editorRoutes } from './editor-routes.ts';
import { hunterRoutes, PREFIX } from './hunter-routes.ts';

export interface ApplicationOptions {
  readonly site: BigTimeDeals;
  /** The bearer token of editors. */
  readonly editorToken: string;
  readonly onFault?: (error: unknown) => void;
  readonly checksAnswers?: boolean;
}

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; img-src https: data:",
};

/** All operations. */
export function routesOf(site: BigTimeDeals): readonly Route[] {
  return [...hunterRoutes(site), ...editorRoutes(site)];
}

/** The description of the operations, for people and for client generators. */
export function descriptionOf(routes: readonly Route[]): OpenApiDescription {
  return openApiOf({
    title: 'Big Time Deals',
    version: '1.0.0',
    description:
      'Deals for hunters, and the tools of editors. Who a hunter is, the gateway in front of this application has found out: here it is a name in the path.',
    routes,
    prefix: PREFIX,
    securitySchemes: { [EDITOR]: { type: 'http', scheme: 'bearer', description: 'The token of an editor' } },
  });
}

/** The HTTP application: operations under `/api`, their description at `/openapi.json`, a page to browse them at `/`. */
export async function application({ site, editorToken, ...options }: ApplicationOptions): Promise<Handler> {
  const routes = routesOf(site);
  const description = descriptionOf(routes);
  const page = await readFile(new URL('page.html', import.meta.url));
  const api = router({
    ...options,
    routes,
    prefix: PREFIX,
    errorOf,
    authorize: (_, request) => {
      if (!isToken(request.headers.get('authorization') ?? '', editorToken)) {
        throw new HttpError(401, 'no-token', 'This takes the token of an editor.', { 'www-authenticate': 'Bearer' });
      }
    },
  });
  return async (request) => {
    const { pathname } = new URL(request.url);
    if (request.method === 'GET' && pathname === '/') return new Response(page, { headers: PAGE_HEADERS });
    if (request.method === 'GET' && pathname === '/openapi.json') return Response.json(description);
    return api(request);
  };
}

const STATUS_OF = { 'not-found': 404, 'already-exists': 409, 'already-done': 409 } as const;

const WORDS: Readonly<Record<RefusalCode, (entity: string) => string>> = {
  'not-found': (entity) => `There is no such ${entity.toLowerCase()}.`,
  'already-exists': (entity) => `There is a ${entity.toLowerCase()} of this name already.`,
  'already-done': () => 'You have done so already.',
};

function errorOf(error: unknown): HttpError | undefined {
  if (error instanceof RefusedError)
    return new HttpError(STATUS_OF[error.code], error.code, WORDS[error.code](error.entity));
  if (error instanceof InputError) return inputRefusal(error);
  return undefined;
}

/** Takes as long for a wrong token as for the right one. */
function isToken(authorization: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(authorization), digest(`Bearer ${token}`));
}
