import { DynamoError, type ValidationException } from '../../values/service-error.ts';
import { invalidParameter } from '../catalog/parameter-errors.ts';

/** The errors of the actions on policies. */

export function invalidPolicy(detail: string): ValidationException {
  return invalidParameter(`Invalid policy document: ${detail}`);
}

export function policyNotFound(detail: string): DynamoError {
  return new DynamoError(
    'PolicyNotFoundException',
    `Resource-based policy not found for the provided ResourceArn: ${detail}`,
  );
}
