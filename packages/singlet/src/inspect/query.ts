import { ValidationException } from '../values/service-error.ts';

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
