import { z } from 'zod';
import type { Answer, Route } from './route.ts';

export interface OpenApiOptions {
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly routes: readonly Route[];
  readonly prefix?: string;
  /** Security schemes by name, as OpenAPI has them. */
  readonly securitySchemes?: Readonly<Record<string, object>>;
}

/** An OpenAPI 3.1 description, as JSON has it. */
export interface OpenApiDescription {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly components: object;
}

const problemSchema = z.object({ type: z.string(), status: z.int(), code: z.string(), detail: z.string() });

/** Describes routes: from what they are checked by, so that the two cannot differ. */
export function openApiOf({ routes, prefix = '', securitySchemes, ...info }: OpenApiOptions): OpenApiDescription {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = (paths[prefix + route.path] ??= {});
    path[route.method.toLowerCase()] = operationOf(route);
  }
  const schemas = { Problem: jsonSchema(problemSchema, 'output') };
  return {
    openapi: '3.1.0',
    info,
    paths,
    components: { schemas, ...(securitySchemes && { securitySchemes }) },
  };
}

function operationOf(route: Route): object {
  const { operationId, summary, tag, body, security, answers } = route;
  const parameters = [...pathParameters(route), ...queryParameters(route)];
  return {
    operationId,
    summary,
    tags: [tag],
    ...(security !== undefined && { security: [{ [security]: [] }] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: json(jsonSchema(body, 'input')) } }),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, responseOf(answer, status)])),
      default: { description: 'A refusal', content: problemContent },
    },
  };
}

const problemContent = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };

function responseOf({ description, schema }: Answer, status: string): object {
  if (Number(status) >= 400) return { description, content: problemContent };
  return { description, ...(schema && { content: json(jsonSchema(schema, 'output')) }) };
}

function pathParameters({ path }: Route): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters({ query }: Route): object[] {
  return Object.entries(query.shape).map(([name, schema]) => ({
    name,
    in: 'query',
    required: !schema.safeParse(undefined).success,
    schema: jsonSchema(schema, 'input'),
  }));
}

function json(schema: object): object {
  return { 'application/json': { schema } };
}

function jsonSchema(schema: z.core.$ZodType, io: 'input' | 'output'): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-2020-12', unrepresentable: 'any' });
  return rest;
}
