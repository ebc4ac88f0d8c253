import type { RequestContext } from '../environment.ts';
import { presentPolicy } from '../policies/change-policy.ts';
import { policyNotFound } from '../policies/policy-errors.ts';
import { policyResourceOf } from '../policies/policy-resource.ts';
import type { EngineServices } from '../services.ts';

export interface GetResourcePolicyRequest {
  readonly resourceArn: string;
}

export interface GetResourcePolicyResult {
  /** In canonical form. */
  readonly policy: string;
  readonly revisionId: string;
}

/**
 * Reads the policy of a table or stream.
 *
 * @throws {ValidationException} if the ARN is not that of a table or stream.
 * @throws {ResourceNotFoundException}
 * @throws {DynamoError} `PolicyNotFoundException` if it has none.
 * @see Amazon DynamoDB API Reference, GetResourcePolicy; conformance/resource-policy
 */
export async function getResourcePolicy(
  services: EngineServices,
  { resourceArn }: GetResourcePolicyRequest,
  context: RequestContext,
): Promise<GetResourcePolicyResult> {
  const present = await presentPolicy(services, policyResourceOf(resourceArn, context), context);
  if (present?.policy === undefined) throw policyNotFound(resourceArn);
  return { policy: present.policy, revisionId: present.revisionId };
}
