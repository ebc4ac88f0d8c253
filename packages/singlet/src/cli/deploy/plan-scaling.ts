import type * as Sdk from '@aws-sdk/client-application-auto-scaling';
import { DeployError } from './deploy-error.ts';
import type { DesiredScaling } from '../../templates/desired-scaling.ts';
import type { PlanStep, TablePlan } from './plan.ts';

/** What planning and applying scaling require. */
export interface ScalingSession {
  readonly sdk: typeof Sdk;
  readonly client: Sdk.ApplicationAutoScalingClient;
}

/**
 * Plans the changes required for an endpoint to have the targets and policies: targets first, because a policy needs one. Those that a file no
 * longer mentions are kept.
 *
 * @throws {DeployError} for a target that does not belong to a table.
 */
export async function planScalings(
  session: ScalingSession,
  desired: readonly DesiredScaling[],
): Promise<readonly TablePlan[]> {
  const plans: TablePlan[] = [];
  for (const kind of ['target', 'policy']) {
    for (const scaling of desired.filter((each) => each.kind === kind)) plans.push(await planOf(session, scaling));
  }
  return plans;
}

async function planOf(session: ScalingSession, scaling: DesiredScaling): Promise<TablePlan> {
  const { logicalId, input } = scaling;
  const [, tableName] = /^table\/([^/]+)/.exec(input.ResourceId ?? '') ?? [];
  if (tableName === undefined) {
    throw new DeployError(`${logicalId}: ${input.ResourceId} is not a table: the ResourceId must be table/NAME.`);
  }
  const step =
    scaling.kind === 'target' ? await targetStep(session, scaling.input) : await policyStep(session, scaling.input);
  return {
    logicalId,
    tableName,
    action: step === undefined ? 'nothing' : 'update',
    reasons: [],
    steps: step === undefined ? [] : [step],
    notes: [],
  };
}

async function targetStep(
  { sdk, client }: ScalingSession,
  input: Sdk.RegisterScalableTargetCommandInput,
): Promise<PlanStep | undefined> {
  const { ServiceNamespace, ResourceId, ScalableDimension, MinCapacity, MaxCapacity } = input;
  const ResourceIds = [ResourceId ?? ''];
  const describe = new sdk.DescribeScalableTargetsCommand({ ServiceNamespace, ResourceIds, ScalableDimension });
  const present = (await client.send(describe)).ScalableTargets?.[0];
  if (present !== undefined && isWithin(input, present)) return undefined;
  return {
    sign: present === undefined ? '+' : '~',
    text: `scalable target ${ScalableDimension}${ofIndex(ResourceId)}: ${MinCapacity} to ${MaxCapacity}`,
    run: () => client.send(new sdk.RegisterScalableTargetCommand(input)),
  };
}

async function policyStep(
  { sdk, client }: ScalingSession,
  input: Sdk.PutScalingPolicyCommandInput,
): Promise<PlanStep | undefined> {
  const { ServiceNamespace, ResourceId, ScalableDimension, PolicyName = '' } = input;
  const describe = new sdk.DescribeScalingPoliciesCommand({
    ServiceNamespace,
    ResourceId,
    ScalableDimension,
    PolicyNames: [PolicyName],
  });
  const present = (await client.send(describe)).ScalingPolicies?.[0];
  const tracking = input.TargetTrackingScalingPolicyConfiguration;
  // A policy is replaced as a whole, so members that the file omits are removed.
  const isSame = isWithin(tracking, present?.TargetTrackingScalingPolicyConfiguration, { both: true });
  if (present !== undefined && isSame) return undefined;
  return {
    sign: present === undefined ? '+' : '~',
    text: `scaling policy ${PolicyName} of ${ScalableDimension}${ofIndex(ResourceId)}: ${tracking?.TargetValue} %`,
    run: () => client.send(new sdk.PutScalingPolicyCommand(input)),
  };
}

function ofIndex(resourceId = ''): string {
  const [, indexName] = /\/index\/(.+)$/.exec(resourceId) ?? [];
  return indexName === undefined ? '' : ` of ${indexName}`;
}

/** Whether all desired members are present; with `both`, and no others. */
function isWithin(wanted: unknown, present: unknown, options: { readonly both?: boolean } = {}): boolean {
  if (typeof wanted !== 'object' || wanted === null) return wanted === present;
  if (typeof present !== 'object' || present === null) return false;
  const membersOf = (value: object): readonly (readonly [string, unknown])[] =>
    Object.entries(value).filter(([, member]) => member !== undefined);
  const there = new Map(membersOf(present));
  if (options.both === true && there.size !== membersOf(wanted).length) return false;
  return membersOf(wanted).every(([name, member]) => isWithin(member, there.get(name), options));
}
