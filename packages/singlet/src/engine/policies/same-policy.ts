import { parsePolicy } from './parse-policy.ts';
import { printPolicy } from './print-policy.ts';

/**
 * Whether two policies mean the same, whatever their spelling. A policy without a version equals one with the version
 * that this implies.
 *
 * @throws {ValidationException} if one of them is not a policy.
 */
export function samePolicy(one: string, other: string): boolean {
  return one === other || printPolicy(parsePolicy(one)) === printPolicy(parsePolicy(other));
}
