import { type OpenApiDescription, openApiOf } from '../../http/open-api.ts';
import { httpRoutes } from './http-routes.ts';
import type { Route } from './route.ts';
import { answers, bodies } from './schemas.ts';

/** The service as OpenAPI 3.1, from its routes and the schemas that check its requests. */
export function openApi(routes: readonly Route[]): OpenApiDescription {
  return openApiOf({
    title: 'A GitHub-like site',
    version: '1.0.0',
    description: 'Repositories, issues, pull requests, comments, reactions, stars, forks and organizations.',
    routes: httpRoutes(routes, undefined),
    components: { ...answers, ...bodies },
    refusal: { description: 'It was refused', mediaType: 'application/json', schema: answers.Problem },
    securitySchemes: {
      user: { type: 'apiKey', in: 'header', name: 'X-User', description: 'The name of the user who acts.' },
    },
  });
}
