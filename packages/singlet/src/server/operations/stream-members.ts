import { lengthAtLeast, lengthAtMost } from '../shapes/constraint.ts';
import { required, type RequiredMember, type Shape, string } from '../shapes/shape.ts';

/** Parameters that the stream actions share. */

export const streamArn: Shape<string> = string(lengthAtLeast(37), lengthAtMost(1024));

export const streamArnParameter: RequiredMember<string> = required(streamArn);

export const shardIdParameter: Shape<string> = string(lengthAtLeast(28), lengthAtMost(65));
