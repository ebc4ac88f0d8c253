import type { DeleteResourcePolicyRequest, DeleteResourcePolicyResult } from '../../engine/index.ts';
import { result, string, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';
import { policyResourceArnParameter, policyRevisionId } from './policy-members.ts';

/** @see DynamoDB API Reference, DeleteResourcePolicy */
export const deleteResourcePolicy: Operation = defineOperation('DeleteResourcePolicy', {
  input: structure<DeleteResourcePolicyRequest>('DeleteResourcePolicyInput', {
    resourceArn: policyResourceArnParameter,
    expectedRevisionId: policyRevisionId,
  }),
  output: result<DeleteResourcePolicyResult>({ revisionId: string() }),
});
