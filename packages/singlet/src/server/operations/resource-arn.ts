import { lengthAtLeast, lengthAtMost } from '../shapes/constraint.ts';
import { required, type RequiredMember, string } from '../shapes/shape.ts';

/** The ARN of a tagged table. The operation decides whether it is valid. */
export const resourceArnParameter: RequiredMember<string> = required(
  string(lengthAtLeast(1), lengthAtMost(1283)),
  'Invalid TableArn',
);
