import { HttpError } from '../../http/http-error.ts';

/** @throws {HttpError} 404 */
export function found<Value>(value: Value | undefined, noun: string): Value {
  if (value === undefined) {
    throw new HttpError(404, 'not-found', `There is no such ${noun}.`);
  }
  return value;
}
