import type { AttributeMap, UncheckedAttributeMap } from '../values/attribute-value.ts';
import { checkAttributeMap } from '../values/check-attribute-value.ts';
import { ValidationException } from '../values/service-error.ts';
import { objectOf } from './members.ts';

/**
 * A number in the query; undefined if absent.
 *
 * @throws {ValidationException} if it is not a number.
 */
export function numberIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (/^-?\d{1,16}(\.\d{1,15})?$/.test(text)) return Number(text);
  throw new ValidationException(`?${name}= takes a number, not ${JSON.stringify(text.slice(0, 100))}.`);
}

/**
 * A key in the form of the API.
 *
 * @throws {ValidationException} if it is not one.
 */
export function keyIn(text: string): AttributeMap {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new ValidationException('?key= takes a key as the API has it, in JSON.');
  }
  return checkAttributeMap(objectOf(json, 'A key') as UncheckedAttributeMap); // checked here
}
