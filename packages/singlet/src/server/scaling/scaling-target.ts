import { DynamoError } from '../../values/service-error.ts';

/** The supported actions of Application Auto Scaling. */
const scalingActions = [
  'DeleteScalingPolicy',
  'DeregisterScalableTarget',
  'DescribeScalableTargets',
  'DescribeScalingActivities',
  'DescribeScalingPolicies',
  'PutScalingPolicy',
  'RegisterScalableTarget',
] as const;

/** The name of one of them. */
export type ScalingAction = (typeof scalingActions)[number];

const prefix = 'AnyScaleFrontendService.';

interface Targeted {
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** Whether a request belongs to Application Auto Scaling, by the value of its `X-Amz-Target` header. */
export function isForScaling({ headers }: Targeted): boolean {
  return headers['x-amz-target']?.startsWith(prefix) === true;
}

/** @throws {DynamoError} `UnknownOperationException` for an unsupported action. */
export function scalingActionOf({ headers }: Targeted): ScalingAction {
  const name = headers['x-amz-target']?.slice(prefix.length);
  const action = scalingActions.find((each) => each === name);
  if (action === undefined) throw new DynamoError('UnknownOperationException', '');
  return action;
}
