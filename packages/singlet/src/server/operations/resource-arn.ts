import { lengthAtLeast, lengthAtMost } from '../shapes/constraint.ts';
import { required, type RequiredMember, string } from '../shapes/shape.ts';

/** The ARN of a tagged table. Whether it is one, the operation decides. */
export const resourceArnParameter: RequiredMember<string> = required(
  string(lengthAtLeast(1), lengthAtMost(1283)),
  'Invalid TableArn',
);
