import { attributeNameProblem } from '../values/check-attribute-value.ts';
import { ValidationException } from '../values/service-error.ts';

/** @throws {ValidationException} if the legacy parameter AttributesToGet has an invalid name, or an attribute twice. */
export function checkAttributesToGet(attributesToGet: readonly string[] | undefined): void {
  const seen = new Set<string>();
  for (const name of attributesToGet ?? []) {
    const problem = attributeNameProblem(name);
    if (problem !== undefined) throw new ValidationException(problem);
    if (seen.has(name)) {
      throw new ValidationException(
        `One or more parameter values were invalid: Duplicate value in attribute name: ${name}`,
      );
    }
    seen.add(name);
  }
}
