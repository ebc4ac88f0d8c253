import { MalformedValueException, ValidationException } from '../../values/service-error.ts';

/**
 * Runs checks whose errors the service prefixes with the words with which it also counts violated constraints: the checks of
 * PutItem, UpdateItem and DeleteItem that need no table, and some of Query. Of the errors about values, only those about malformed ones
 * lack this prefix.
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
