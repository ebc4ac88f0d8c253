/** An operation as the OpenAPI description of an application has it. */
export interface DescribedOperation {
  readonly operationId: string;
  readonly method: string;
  /** With the prefix, and with parameters in braces. */
  readonly path: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: 'path' | 'query' | 'header';
    readonly schema: DescribedShape;
    readonly example?: unknown;
  }[];
  /** Absent for an operation without a body. */
  readonly body?: { readonly schema: DescribedShape; readonly example?: unknown };
}

/** The part of JSON Schema that the tests look at. */
export interface DescribedShape {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, DescribedShape>>;
  readonly required?: readonly string[];
}

/** The operations that an application describes. */
export async function operationsOf(url: string): Promise<readonly DescribedOperation[]> {
  const response = await fetch(`${url}/openapi.json`);
  const { paths } = (await response.json()) as { readonly paths: Paths };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters = [], requestBody }]) => ({
      operationId,
      method: method.toUpperCase(),
      path,
      parameters,
      ...(requestBody && { body: requestBody.content['application/json'] }),
    })),
  );
}

/** A path with its parameters. */
export function filled(path: string, values: Readonly<Record<string, unknown>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
}

type Paths = Readonly<
  Record<
    string,
    Readonly<
      Record<
        string,
        {
          readonly operationId: string;
          readonly parameters?: DescribedOperation['parameters'];
          readonly requestBody?: {
            readonly content: { readonly 'application/json': NonNullable<DescribedOperation['body']> };
          };
        }
      >
    >
  >
>;
