import type { RequestContext } from '../environment.ts';
import { changePolicy } from '../policies/change-policy.ts';
import { policyResourceOf } from '../policies/policy-resource.ts';
import { deletePolicy } from '../policies/resource-policy.ts';
import type { EngineServices } from '../services.ts';

export interface DeleteResourcePolicyRequest {
  readonly resourceArn: string;
  readonly expectedRevisionId?: string | undefined;
}

export interface DeleteResourcePolicyResult {
  /** Of the policy that was deleted; of its deletion when that was before; absent when there never was one. */
  readonly revisionId?: string;
}

/**
 * Removes the policy of a table or stream. Without one, nothing is done.
 *
 * @throws {ValidationException} when the ARN names neither.
 * @throws {DynamoError} `PolicyNotFoundException` when another revision is expected; `ThrottlingException` within 15 seconds of
 *   the last change.
 * @throws {ResourceNotFoundException} | {ResourceInUseException}
 * @see Amazon DynamoDB API Reference, DeleteResourcePolicy; conformance/resource-policy
 */
export async function deleteResourcePolicy(
  services: EngineServices,
  request: DeleteResourcePolicyRequest,
  context: RequestContext,
): Promise<DeleteResourcePolicyResult> {
  const resource = policyResourceOf(request.resourceArn, context);
  const { before } = await changePolicy(services, resource, request, context, deletePolicy);
  return before === undefined ? {} : { revisionId: before.revisionId };
}
