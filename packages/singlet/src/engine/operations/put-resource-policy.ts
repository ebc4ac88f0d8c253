import type { RequestContext } from '../environment.ts';
import { changePolicy } from '../policies/change-policy.ts';
import { checkNoLockout, readResourcePolicy } from '../policies/check-resource-policy.ts';
import { policyResourceOf } from '../policies/policy-resource.ts';
import { policyContent, replacePolicy } from '../policies/resource-policy.ts';
import type { EngineServices } from '../services.ts';

export interface PutResourcePolicyRequest {
  readonly resourceArn: string;
  readonly policy: string;
  readonly expectedRevisionId?: string | undefined;
  readonly confirmRemoveSelfResourceAccess?: boolean | undefined;
}

export interface PutResourcePolicyResult {
  readonly revisionId: string;
}

/**
 * Attaches a policy to a table or a stream, replacing the present one. An equal policy changes nothing.
 *
 * @throws {ValidationException} if the ARN is not that of a table or stream, or the policy is invalid.
 * @throws {DynamoError} `AccessDeniedException` if the policy would prevent its author from changing it again and that is not
 *   confirmed; `PolicyNotFoundException` if the request expects another revision; `ThrottlingException` within 15 seconds of the last
 *   change.
 * @throws {ResourceNotFoundException} | {ResourceInUseException}
 * @see Amazon DynamoDB API Reference, PutResourcePolicy; conformance/resource-policy
 */
export async function putResourcePolicy(
  services: EngineServices,
  request: PutResourcePolicyRequest,
  context: RequestContext,
): Promise<PutResourcePolicyResult> {
  const resource = policyResourceOf(request.resourceArn, context);
  const document = readResourcePolicy(request.policy, resource, services.limits);
  if (request.confirmRemoveSelfResourceAccess !== true) checkNoLockout(document, resource, context);
  const content = policyContent(document);
  const { after } = await changePolicy(services, resource, request, context, (change) =>
    replacePolicy(content, change),
  );
  return { revisionId: after?.revisionId ?? '' };
}
