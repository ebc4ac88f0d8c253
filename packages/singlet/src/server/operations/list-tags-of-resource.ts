import type { ListTagsOfResourceRequest, ListTagsOfResourceResult } from '../../engine/index.ts';
import { result, string, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';
import { resourceArnParameter } from './resource-arn.ts';
import { tags } from './table-members.ts';

/** @see DynamoDB API Reference, ListTagsOfResource */
export const listTagsOfResource: Operation = defineOperation('ListTagsOfResource', {
  input: structure<ListTagsOfResourceRequest>('ListTagsOfResourceInput', {
    resourceArn: resourceArnParameter,
    nextToken: string(),
  }),
  output: result<ListTagsOfResourceResult>({ tags }),
});
