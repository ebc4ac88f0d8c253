import type { PutResourcePolicyRequest, PutResourcePolicyResult } from '../../engine/index.ts';
import { boolean, required, result, string, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';
import { policyResourceArnParameter, policyRevisionId } from './policy-members.ts';

/** @see DynamoDB API Reference, PutResourcePolicy */
export const putResourcePolicy: Operation = defineOperation('PutResourcePolicy', {
  input: structure<PutResourcePolicyRequest>('PutResourcePolicyInput', {
    resourceArn: policyResourceArnParameter,
    policy: required(string()),
    expectedRevisionId: policyRevisionId,
    confirmRemoveSelfResourceAccess: boolean,
  }),
  output: result<PutResourcePolicyResult>({ revisionId: string() }),
});
