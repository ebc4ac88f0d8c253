import {
  LimitExceededException,
  ResourceInUseException,
  ResourceNotFoundException,
  ValidationException,
} from '../../values/service-error.ts';

/** The forms of the error texts of the table actions. */

export function invalidParameter(detail: string): ValidationException {
  return new ValidationException(`One or more parameter values were invalid: ${detail}`);
}

export function stillInUse(detail: string): ResourceInUseException {
  return new ResourceInUseException(`Attempt to change a resource which is still in use: ${detail}`);
}

export function subscriberLimitExceeded(detail: string): LimitExceededException {
  return new LimitExceededException(`Subscriber limit exceeded: ${detail}`);
}

export function tableNotFound(tableName: string): ResourceNotFoundException {
  return new ResourceNotFoundException(`Requested resource not found: Table: ${tableName} not found`);
}
