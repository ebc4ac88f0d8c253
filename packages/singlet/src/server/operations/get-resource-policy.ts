import type { GetResourcePolicyRequest, GetResourcePolicyResult } from '../../engine/index.ts';
import { result, string, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';
import { policyResourceArnParameter } from './policy-members.ts';

/** @see DynamoDB API Reference, GetResourcePolicy */
export const getResourcePolicy: Operation = defineOperation('GetResourcePolicy', {
  input: structure<GetResourcePolicyRequest>('GetResourcePolicyInput', { resourceArn: policyResourceArnParameter }),
  output: result<GetResourcePolicyResult>({ policy: string(), revisionId: string() }),
});
