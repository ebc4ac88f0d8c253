import { z } from 'zod';
import type { Route } from './route.ts';
import { answers, bodies, pageParameters, type ParameterName, parameters, stateParameter } from './schemas.ts';

type Json = { readonly [key: string]: unknown };

/** The service as OpenAPI 3.1, from its routes and the schemas that its requests are checked by. */
export function openApi(routes: readonly Route[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    (paths[route.path] ??= {})[route.method.toLowerCase()] = operationOf(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'A GitHub-like site',
      version: '1.0.0',
      description: 'Repositories, issues, pull requests, comments, reactions, stars, forks and organizations.',
    },
    paths,
    components: {
      schemas: Object.fromEntries(
        [...Object.entries(answers), ...Object.entries(bodies)].map(([name, schema]) => [name, jsonSchema(schema)]),
      ),
      securitySchemes: {
        user: { type: 'apiKey', in: 'header', name: 'X-User', description: 'The name of the user who acts.' },
      },
    },
  };
}

function operationOf(route: Route): Json {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as ParameterName);
  return {
    operationId: route.id,
    summary: route.summary,
    description: `Access pattern ${route.pattern}.`,
    parameters: [
      ...names.map((name) => ({ name, in: 'path', required: true, schema: jsonSchema(parameters[name]) })),
      ...(route.byState === true ? [queryParameter('state', stateParameter)] : []),
      ...(route.paged === true
        ? Object.entries(pageParameters).map(([name, schema]) => queryParameter(name, schema))
        : []),
    ],
    ...(route.takes !== undefined && { requestBody: { required: true, content: content({ $ref: ref(route.takes) }) } }),
    responses: {
      ...Object.fromEntries(route.gives.map((given) => [String(given.status), responseOf(route, given)])),
      default: { description: 'It was refused', content: content({ $ref: ref('Problem') }) },
    },
    ...(route.acts === true && { security: [{ user: [] }] }),
  };
}

function responseOf(route: Route, { of, many }: Route['gives'][number]): Json {
  const link = {
    description: 'Where the list goes on, with rel="next"; absent on the last page.',
    schema: { type: 'string' },
  };
  const item = of === undefined ? undefined : { $ref: ref(of) };
  return {
    description: item === undefined ? 'It was done' : many === true ? 'A list' : 'The one',
    ...(route.paged === true && { headers: { Link: link } }),
    ...(item !== undefined && { content: content(many === true ? { type: 'array', items: item } : item) }),
  };
}

function queryParameter(name: string, schema: z.ZodType): Json {
  return { name, in: 'query', required: false, schema: jsonSchema(schema) };
}

function content(schema: Json): Json {
  return { 'application/json': { schema } };
}

function ref(name: string): string {
  return `#/components/schemas/${name}`;
}

function jsonSchema(schema: z.ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest;
}
