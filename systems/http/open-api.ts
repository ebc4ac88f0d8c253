import { z } from 'zod';
import type { Answer, Route } from './route.ts';

export interface OpenApiOptions {
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly routes: readonly Route[];
  readonly prefix?: string;
  /** Security schemes by name, in OpenAPI's format. */
  readonly securitySchemes?: Readonly<Record<string, object>>;
  /** Schemas that are described once, under these names, and referenced. `Problem` by default. */
  readonly components?: Readonly<Record<string, z.ZodType>>;
  /** The description of refusals: RFC 9457 by default. */
  readonly refusal?: { readonly description: string; readonly mediaType: string; readonly schema: z.ZodType };
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
  status: z.int(),
  code: z.string(),
  detail: z.string(),
  fields: z.array(z.object({ field: z.string(), detail: z.string() })).optional(),
});

const problems: Required<OpenApiOptions>['refusal'] = {
  description: 'A refusal',
  mediaType: 'application/problem+json',
  schema: problemSchema,
};

/** Describes routes from the schemas that check them, so that the two cannot differ. */
export function openApiOf(options: OpenApiOptions): OpenApiDescription {
  const { routes, prefix = '', securitySchemes, components, refusal = problems, ...info } = options;
  const describer = new Describer(components ?? { Problem: problemSchema }, refusal);
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = (paths[prefix + route.path] ??= {});
    path[route.method.toLowerCase()] = describer.operationOf(route);
  }
  // A named schema may be of a request and of an answer. It is described as sent.
  const io = components === undefined ? 'output' : 'input';
  const schemas = Object.fromEntries(
    Object.entries(components ?? { Problem: problemSchema }).map(([name, schema]) => [name, jsonSchema(schema, io)]),
  );
  return {
    openapi: '3.1.0',
    info,
    paths,
    components: { schemas, ...(securitySchemes && { securitySchemes }) },
  };
}

class Describer {
  readonly #names: ReadonlyMap<z.core.$ZodType, string>;
  readonly #refusal: object;

  constructor(
    components: Readonly<Record<string, z.ZodType>>,
    { description, mediaType, schema }: Required<OpenApiOptions>['refusal'],
  ) {
    this.#names = new Map(Object.entries(components).map(([name, named]) => [named, name]));
    this.#refusal = { description, content: { [mediaType]: { schema: this.#schema(schema, 'output') } } };
  }

  operationOf(route: Route): object {
    const { operationId, summary, tag, body, security, answers } = route;
    const description = descriptionOf(route);
    const parameters = [...this.#pathParameters(route), ...this.#queryParameters(route)];
    return {
      operationId,
      summary,
      ...(description !== undefined && { description }),
      ...(tag !== undefined && { tags: [tag] }),
      ...(security !== undefined && { security: [{ [security]: [] }] }),
      ...(parameters.length > 0 && { parameters }),
      ...(body && { requestBody: { required: true, content: json(this.#schema(body, 'input')) } }),
      responses: {
        ...Object.fromEntries(
          Object.entries(answers).map(([status, answer]) => [status, this.#responseOf(answer, status)]),
        ),
        default: this.#refusal,
      },
    };
  }

  #responseOf({ description, schema, headers }: Answer, status: string): object {
    if (Number(status) >= 400) return { ...this.#refusal, description };
    return {
      description,
      ...(headers && { headers }),
      ...(schema && { content: json(this.#schema(schema, 'output')) }),
    };
  }

  #pathParameters({ path, pathSchemas }: Route): object[] {
    return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
      const schema = pathSchemas[name];
      return {
        name,
        in: 'path',
        required: true,
        schema: schema === undefined ? { type: 'string' } : this.#schema(schema, 'input'),
      };
    });
  }

  #queryParameters({ query }: Route): object[] {
    return Object.entries(query.shape).map(([name, schema]) => ({
      name,
      in: 'query',
      required: !schema.safeParse(undefined).success,
      schema: this.#schema(schema, 'input'),
    }));
  }

  /** A reference if the schema, or the element of its list, has a name. */
  #schema(schema: z.core.$ZodType, io: 'input' | 'output'): object {
    const name = this.#names.get(schema);
    if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
    const element = schema instanceof z.ZodArray ? this.#names.get(schema.element) : undefined;
    if (element !== undefined) return { type: 'array', items: { $ref: `#/components/schemas/${element}` } };
    return jsonSchema(schema, io);
  }
}

/** Details beyond the summary, and the access patterns that the operation uses. */
function descriptionOf({ description, serves = [] }: Route): string | undefined {
  if (serves.length === 0) return description;
  return [...(description === undefined ? [] : [description]), `Access patterns: ${serves.join(', ')}.`].join(' ');
}

function json(schema: object): object {
  return { 'application/json': { schema } };
}

function jsonSchema(schema: z.core.$ZodType, io: 'input' | 'output'): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-2020-12', unrepresentable: 'any' });
  return rest;
}
