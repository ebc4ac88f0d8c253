import type { UntagResourceRequest } from '../../engine/index.ts';
import { lengthAtLeast, lengthAtMost } from '../shapes/constraint.ts';
import { listOfStrings, required, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';
import { resourceArnParameter } from './resource-arn.ts';

/** @see DynamoDB API Reference, UntagResource */
export const untagResource: Operation = defineOperation('UntagResource', {
  input: structure<UntagResourceRequest>('UntagResourceInput', {
    resourceArn: resourceArnParameter,
    tagKeys: required(listOfStrings([lengthAtMost(128), lengthAtLeast(1)])),
  }),
});
