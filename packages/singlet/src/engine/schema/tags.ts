import type { Limits } from '../../values/limits.ts';
import { ValidationException } from '../../values/service-error.ts';
import type { Tag } from '../catalog/table-description.ts';

/** Letters, digits and blanks of any script, and a few signs. */
const allowedCharacters = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;

/** Names with this prefix belong to the service. */
const reservedPrefix = 'aws:';

/** @throws {ValidationException} if a tag is invalid, is given twice, or there are too many. */
export function checkTags(tags: readonly Tag[], limits: Limits): void {
  checkTagKeys(
    tags.map((tag) => tag.key),
    limits,
  );
  for (const { value } of tags) {
    if (value.length > limits.tagValueLengthMax || !allowedCharacters.test(value)) {
      throw new ValidationException(`The Tag Value provided is invalid, Value: ${value}`);
    }
  }
}

/** @throws {ValidationException} */
export function checkTagKeys(keys: readonly string[], limits: Limits): void {
  const seen = new Set<string>();
  for (const key of keys) {
    if (key.length < 1 || key.length > limits.tagKeyLengthMax || !allowedCharacters.test(key)) {
      throw new ValidationException(`The Tag Key provided is invalid, Key: ${key}`);
    }
    if (key.startsWith(reservedPrefix)) {
      throw new ValidationException(`Tag Key cannot be prefixed with aws:, Key: ${key}`);
    }
    if (seen.has(key)) {
      throw new ValidationException(`Duplicate Tag Keys provided as input: Duplicate Tag Key found ${key}`);
    }
    seen.add(key);
  }
  if (keys.length > limits.tagCountMax) throw tooManyTags();
}

/**
 * The tags with others added; a tag with an existing key replaces its value, at the same position.
 *
 * @throws {ValidationException} if there are too many.
 */
export function mergeTags(present: readonly Tag[], added: readonly Tag[], limits: Limits): readonly Tag[] {
  const values = new Map(present.map(({ key, value }) => [key, value]));
  for (const { key, value } of added) values.set(key, value);
  if (values.size > limits.tagCountMax) throw tooManyTags();
  return Array.from(values, ([key, value]) => ({ key, value }));
}

function tooManyTags(): ValidationException {
  return new ValidationException('Number of Tags exceed the current limit for the provided ResourceArn');
}
