import { parsePolicy } from './parse-policy.ts';
import { printPolicy } from './print-policy.ts';

/**
 * Whether two policies say the same, however they are written. One that names no version is the same as one that names the
 * version which that means.
 *
 * @throws {ValidationException} when one of them is not a policy.
 */
export function samePolicy(one: string, other: string): boolean {
  return one === other || printPolicy(parsePolicy(one)) === printPolicy(parsePolicy(other));
}
