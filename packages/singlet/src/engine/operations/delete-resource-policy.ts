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
  /** The revision of the deleted policy, or of its deletion if it was deleted before; absent if there never was a policy. */
  readonly revisionId?: string;
}

/**
 * Deletes the policy of a table or stream. If it has none, nothing changes.
 *
 * @throws {ValidationException} if the ARN is not that of a table or stream.
 * @throws {DynamoError} `PolicyNotFoundException` if the request expects another revision; `ThrottlingException` within 15 seconds of
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
