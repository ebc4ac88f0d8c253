import { type PolicyDocument, PolicyError } from '../../access/policy/policy-document.ts';
import { readPolicy } from '../../access/policy/policy-reader.ts';
import type { ValidationException } from '../../values/service-error.ts';
import { invalidPolicy } from './policy-errors.ts';

/**
 * Parses a resource policy and checks its form.
 *
 * @returns the document; policies that mean the same give equal documents, whatever their spelling.
 * @throws {ValidationException} with the service's text for the error and, for errors of form, its place.
 */
export function parsePolicy(text: string): PolicyDocument {
  try {
    return readPolicy(text, 'resource');
  } catch (error) {
    throw error instanceof PolicyError ? serviceError(error) : error;
  }
}

function serviceError({ problem, position }: PolicyError): ValidationException {
  switch (problem.kind) {
    case 'invalid-json':
      return invalidPolicy('This policy contains invalid Json');
    case 'missing':
      return invalidPolicy(`Missing required field ${problem.member}`);
    case 'no-statements':
      return invalidPolicy('Could not parse the policy: Statement is empty!');
    case 'repeated-sid':
      return invalidPolicy('The Statement Ids in the policy are not unique');
    case 'unknown-operator':
      return invalidPolicy(`Invalid Condition type : ${problem.operator}.`);
    case 'misplaced':
    case 'not-allowed':
      return invalidPolicy(`Syntax error at position (${position.row},${position.column})`);
  }
}
