import { z } from 'zod';
import type { Example, Examples } from './examples.ts';
import { idempotencyKey } from './idempotency.ts';
import { type Answer, type Route, usualRefusalsOf } from './route.ts';

export interface OpenApiOptions {
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly routes: readonly Route[];
  readonly prefix?: string;
  /** Requests that were answered, by operation. */
  readonly examples?: Examples;
  /** Security schemes by name, in OpenAPI's format. */
  readonly securitySchemes?: Readonly<Record<string, object>>;
}

/** An OpenAPI 3.1 description, as JSON. */
export interface OpenApiDescription {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly components: object;
}

const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.string(),
  detail: z.string(),
  fields: z.array(z.object({ field: z.string(), detail: z.string() })).optional(),
});

/** A refusal, in the format of RFC 9457. */
const refusal = {
  description: 'A refusal',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

/** Describes routes from the schemas that check them, so that the two cannot differ. */
export function openApiOf(options: OpenApiOptions): OpenApiDescription {
  const { routes, prefix = '', securitySchemes, examples = {}, ...info } = options;
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = (paths[prefix + route.path] ??= {});
    path[route.method.toLowerCase()] = operationOf(route, examples[route.operationId]);
  }
  const schemas = { Problem: jsonSchema(problemSchema, 'output') };
  return {
    openapi: '3.1.0',
    info,
    paths,
    components: { schemas, ...(securitySchemes && { securitySchemes }) },
  };
}

function operationOf(route: Route, example: Example | undefined): object {
  const { operationId, summary, tag, body, security, serves = [], answers } = route;
  const description = descriptionOf(route);
  const parameters = [...pathParameters(route, example), ...queryParameters(route, example), ...keyParameter(route)];
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    ...(tag !== undefined && { tags: [tag] }),
    ...(serves.length > 0 && { 'x-access-patterns': serves }),
    ...(security !== undefined && { security: [{ [security]: [] }] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: json(jsonSchema(body, 'input'), example?.body) } }),
    responses: {
      ...Object.fromEntries(
        Object.entries({ ...usualRefusalsOf(route), ...answers }).map(([status, answer]) => [
          status,
          responseOf(answer, status, example),
        ]),
      ),
      default: refusal,
    },
  };
}

function responseOf({ description, schema, headers }: Answer, status: string, example: Example | undefined): object {
  if (Number(status) >= 400) return { ...refusal, description };
  const answer = example?.status === Number(status) ? example.answer : undefined;
  return {
    description,
    ...(headers && { headers }),
    ...(schema && { content: json(jsonSchema(schema, 'output'), answer) }),
  };
}

function pathParameters({ path, pathSchemas }: Route, example: Example | undefined): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const schema = pathSchemas[name];
    const shape = schema === undefined ? { type: 'string' } : jsonSchema(schema, 'input');
    return { name, in: 'path', required: true, schema: shape, ...exampleOf(example?.path[name]) };
  });
}

function queryParameters({ query }: Route, example: Example | undefined): object[] {
  return Object.entries(query.shape).map(([name, schema]) => ({
    name,
    in: 'query',
    required: !schema.safeParse(undefined).success,
    schema: jsonSchema(schema, 'input'),
    ...exampleOf(example?.query[name]),
  }));
}

function keyParameter({ takesKey }: Route): object[] {
  if (takesKey !== true) return [];
  const description =
    'Chosen by the caller, new for each request that is no repetition. One that is repeated with the same key, since its answer was lost, has the result of the first.';
  const schema = jsonSchema(idempotencyKey, 'input');
  return [{ name: 'Idempotency-Key', in: 'header', required: false, description, schema }];
}

/** Details beyond the summary, and the access patterns that the operation uses. */
function descriptionOf({ description, serves = [] }: Route): string | undefined {
  if (serves.length === 0) return description;
  return [...(description === undefined ? [] : [description]), `Access patterns: ${serves.join(', ')}.`].join(' ');
}

function json(schema: object, example: unknown): object {
  return { 'application/json': { schema, ...exampleOf(example) } };
}

function exampleOf(example: unknown): object {
  return example === undefined ? {} : { example };
}

function jsonSchema(schema: z.core.$ZodType, io: 'input' | 'output'): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-2020-12', unrepresentable: 'any' });
  return rest;
}
