import { ValidationException } from '../values/service-error.ts';

/** @throws {ValidationException} if the legacy parameter AttributesToGet names an attribute twice. */
export function checkAttributesToGet(attributesToGet: readonly string[] | undefined): void {
  const seen = new Set<string>();
  for (const name of attributesToGet ?? []) {
    if (seen.has(name)) {
      throw new ValidationException(
        `One or more parameter values were invalid: Duplicate value in attribute name: ${name}`,
      );
    }
    seen.add(name);
  }
}
