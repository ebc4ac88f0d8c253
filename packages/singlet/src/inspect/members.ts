import { ValidationException } from '../values/service-error.ts';

/** Checks that a body is an object. @throws {ValidationException} */
export function objectOf(json: unknown, what = 'The body'): Readonly<Record<string, unknown>> {
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Record<string, unknown>; // checked
  throw new ValidationException(`${what} must be a JSON object.`);
}

/** Checks that a member is a string. @throws {ValidationException} */
export function textOf(object: Readonly<Record<string, unknown>>, name: string): string {
  const value = object[name];
  if (typeof value === 'string') return value;
  throw new ValidationException(`"${name}" must be a string.`);
}
