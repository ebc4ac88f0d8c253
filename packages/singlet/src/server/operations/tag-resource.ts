import type { TagResourceRequest } from '../../engine/index.ts';
import { required, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';
import { resourceArnParameter } from './resource-arn.ts';
import { tags } from './table-members.ts';

/** @see DynamoDB API Reference, TagResource */
export const tagResource: Operation = defineOperation('TagResource', {
  input: structure<TagResourceRequest>('TagResourceInput', {
    resourceArn: resourceArnParameter,
    tags: required(tags),
  }),
});
