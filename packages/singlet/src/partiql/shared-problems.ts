import { ValidationException } from '../values/service-error.ts';

/**
 * Runs a check of the expressions, whose messages begin with the request parameter at fault. Statements have no such
 * parameters, and the service reports the message without it.
 */
export function unprefixed<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof ValidationException)) throw error;
    throw new ValidationException(error.message.replace(/^Invalid [A-Za-z]+Expression: /, ''));
  }
}
