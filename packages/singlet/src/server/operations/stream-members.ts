import { lengthAtLeast, lengthAtMost } from '../shapes/constraint.ts';
import { required, type RequiredMember, type Shape, string } from '../shapes/shape.ts';

/** Parameters that the stream actions share. */

export const streamArn: Shape<string> = string(lengthAtLeast(37), lengthAtMost(1024));

export const streamArnParameter: RequiredMember<string> = required(streamArn);

export const shardIdParameter: Shape<string> = string(lengthAtLeast(28), lengthAtMost(65));

/** The table in the ARN of a stream, for logs. */
export function tableOfStreamArn(arn: string): string | undefined {
  return /:table\/([^/]+)\/stream\//.exec(arn)?.[1];
}
