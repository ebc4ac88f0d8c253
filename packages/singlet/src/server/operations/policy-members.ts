import { lengthAtLeast, lengthAtMost } from '../shapes/constraint.ts';
import { required, type RequiredMember, type Shape, string } from '../shapes/shape.ts';

/** Parameters that the actions on resource-based policies share. */

/** The ARN of a table or stream. The operation decides whether it is valid. */
export const policyResourceArnParameter: RequiredMember<string> = required(
  string(lengthAtLeast(1), lengthAtMost(1283)),
);

export const policyRevisionId: Shape<string> = string(lengthAtLeast(1), lengthAtMost(255));
