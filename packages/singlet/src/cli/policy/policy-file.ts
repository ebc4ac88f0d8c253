import { readFileSync } from 'node:fs';
import { parsePolicy, type PolicyDocument, PolicyError, type PolicyKind } from '../../access/policy/policy-document.ts';
import { fileProblem } from '../file-problem.ts';
import { UsageError } from '../usage-error.ts';

/** @throws {UsageError} with the name of the file, if it cannot be read or is not a policy. */
export function readPolicyFile(file: string, kind: PolicyKind): PolicyDocument {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw fileProblem(file, cause);
  }
  try {
    return parsePolicy(text, kind);
  } catch (error) {
    if (error instanceof PolicyError) throw new UsageError(`${file}, ${error.message}`, { cause: error });
    throw error;
  }
}
