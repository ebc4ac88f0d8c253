import { MalformedValueException, ValidationException } from '../../values/service-error.ts';

/**
 * Runs checks in front of whose findings the service puts the words with which it also counts violated constraints: what
 * PutItem, UpdateItem and DeleteItem find without the table, and a few things of Query. Of values, only the malformed are
 * refused without these words.
 *
 * @throws {ValidationException}
 */
export function enveloped<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof ValidationException) || error instanceof MalformedValueException) throw error;
    throw new ValidationException(`1 validation error detected: ${error.message}`);
  }
}
