import type { StandardResult, StandardSchema } from './standard-schema.ts';

/** Of a schema that is asynchronous, or in which a function throws. */
export const noResult: StandardResult<unknown> = { issues: [{ message: 'its schema throws, or is asynchronous' }] };

/**
 * A schema's result for a value. If a function throws, zod runs the schema again asynchronously, and a rejection that is not handled would end
 * the process.
 */
export function validated(schema: StandardSchema, value: unknown): StandardResult<unknown> {
  try {
    const result = schema['~standard'].validate(value);
    if (!(result instanceof Promise)) return result;
    result.catch(() => undefined);
  } catch {
    // A value for which a schema throws is not taken.
  }
  return noResult;
}

/** What a schema yields of a value that it takes; undefined for a value that it refuses. */
export function yielded(schema: StandardSchema, value: unknown): unknown {
  const result = validated(schema, value);
  return result.issues === undefined ? result.value : undefined;
}

/** Whether a schema takes a value. */
export function accepts(schema: StandardSchema, value: unknown): boolean {
  return validated(schema, value).issues === undefined;
}
