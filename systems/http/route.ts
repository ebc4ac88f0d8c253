import { z } from 'zod';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The names in braces: `/brands/{brand}/likes/{username}` has `brand` and `username`. */
export type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never;

/** The schemas of the parts of a path, by name. A part without a schema is any text. */
export type PathSchemas<Path extends string> = { readonly [Name in PathNames<Path>]?: z.ZodType };

type ValueOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : string;

/** A request, parsed and checked. */
export interface Call<Path extends string, Query, Body, Schemas extends PathSchemas<Path> = object> {
  readonly path: {
    readonly [Name in PathNames<Path>]: Name extends keyof Schemas ? ValueOf<Schemas[Name]> : string;
  };
  readonly query: Query;
  readonly body: Body;
  /** The request's `Idempotency-Key`, of an operation that takes one. */
  readonly key: string | undefined;
  /** Its address and headers. The body has been read. */
  readonly request: Pick<Request, 'url' | 'headers'>;
}

/** The answer of a route: one of its declared statuses, and a value that becomes JSON. */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly description: string;
  /** Absent for an answer without a body. */
  readonly schema?: z.ZodType;
  /** Headers by name, in OpenAPI's format. */
  readonly headers?: Readonly<Record<string, object>>;
}

interface RouteFacts {
  readonly method: Method;
  /** Name of the operation in the description, and of the function in clients made from it. */
  readonly operationId: string;
  readonly summary: string;
  /** Details beyond the summary. */
  readonly description?: string;
  /** Its group: a heading of the description. */
  readonly tag?: string;
  /** The name of the security scheme that applies to callers. */
  readonly security?: string;
  /**
   * Whether it takes an `Idempotency-Key`: a request that is repeated with the same key has the result of the first one. For what a
   * repeated request would otherwise do twice.
   */
  readonly takesKey?: true;
  /** Ids of the access patterns that it uses: `EC-06`. */
  readonly serves?: readonly string[];
  /** By status. Refusals that follow from what it takes ({@link usualRefusalsOf}) and 5xx need not be included. */
  readonly answers: { readonly [status: number]: Answer };
}

/** One operation of an HTTP application: its description and its handler. */
export interface Route extends RouteFacts {
  readonly path: string;
  readonly pathSchemas: Readonly<Record<string, z.ZodType>>;
  readonly query: z.ZodObject;
  readonly body: z.ZodType | undefined;
  readonly handle: (call: Call<string, unknown, unknown>) => Promise<Reply>;
}

interface RouteDefinition<
  Path extends string,
  Query extends z.ZodObject,
  Body extends z.ZodType | undefined,
  Schemas extends PathSchemas<Path>,
> extends RouteFacts {
  readonly path: Path;
  readonly pathSchemas?: Schemas;
  /** All values arrive as text: `z.coerce` and `z.stringbool` convert them to numbers and booleans. */
  readonly query?: Query;
  readonly body?: Body;
  readonly handle: (
    call: Call<Path, z.output<Query>, Body extends z.ZodType ? z.output<Body> : undefined, Schemas>,
  ) => Promise<Reply>;
}

/** No parameters: any that are sent are ignored. */
type NoQuery = z.ZodObject<{ readonly [name: string]: never }>;

/** Declares an operation; `handle` gets its path, query and body with the declared types. */
export function route<
  const Path extends string,
  Query extends z.ZodObject = NoQuery,
  Body extends z.ZodType | undefined = undefined,
  Schemas extends PathSchemas<Path> = object,
>(definition: RouteDefinition<Path, Query, Body, Schemas>): Route {
  const { query = z.object({}), body, pathSchemas = {}, handle, ...facts } = definition;
  // The router calls `handle` with the values that these schemas have parsed.
  return { ...facts, pathSchemas, query, body, handle: handle as Route['handle'] };
}

/**
 * The refusals that follow from what an operation takes, by status: input of a wrong form, a caller who is not signed in, a body that is
 * too long. Its description lists them beside its own.
 */
export function usualRefusalsOf(route: Pick<Route, 'path' | 'query' | 'body' | 'takesKey' | 'security'>): {
  readonly [status: number]: Answer;
} {
  const { path, query, body, takesKey = false, security } = route;
  const takesInput = path.includes('{') || Object.keys(query.shape).length > 0 || body !== undefined || takesKey;
  return {
    ...(takesInput && { 400: { description: 'Input that does not have the right form' } }),
    ...(security !== undefined && { 401: { description: 'The caller is not known' } }),
    ...(body !== undefined && { 413: { description: 'The body is too long' } }),
  };
}
