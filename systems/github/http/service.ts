import { type Handler, router } from '../../http/router.ts';
import type { GitHub } from '../github.ts';
import { httpRoutes } from './http-routes.ts';
import { openApi } from './openapi.ts';
import { HttpProblem, invalid, problemOf, problemResponse } from './problem.ts';
import { routes } from './routes.ts';

export interface ServiceOptions {
  readonly site: GitHub;
  /** The page for people, as HTML. */
  readonly page: string;
  /** Receives unexpected errors. */
  readonly onError: (error: unknown) => void;
}

/** Answers requests: the API, its description under `/openapi.json`, and a page for people under `/`. */
export function createService({ site, page: html, onError }: ServiceOptions): Handler {
  const description = openApi(routes);
  const api = router({
    routes: httpRoutes(routes, site),
    errorOf: problemOf,
    onFault: onError,
    emptyBody: {},
    refusalResponse: problemResponse,
    refusals: {
      noSuchPath: () => new HttpProblem(404, 'no-route', 'There is nothing under this path'),
      noSuchMethod: (methods) =>
        new HttpProblem(405, 'method-not-allowed', `This path takes ${methods.join(', ')}`, undefined, {
          allow: methods.join(', '),
        }),
      badPath: (segment) =>
        new HttpProblem(400, 'bad-path', `${JSON.stringify(segment)} is not encoded as a part of a path`),
      invalid,
      halfCharacter: () => new HttpProblem(400, 'not-text', 'The body has half of a character'),
      notJson: () => new HttpProblem(400, 'not-json', 'The body is not JSON'),
      tooLarge: (bytesMax) => new HttpProblem(413, 'too-large', `A body has ${bytesMax} bytes at most`),
      fault: () => new HttpProblem(500, 'internal', 'Something went wrong here'),
    },
  });
  return async (request) => {
    const { pathname } = new URL(request.url);
    if (request.method === 'GET' && pathname === '/') {
      return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } });
    }
    if (request.method === 'GET' && pathname === '/openapi.json') return Response.json(description);
    return await api(request);
  };
}
