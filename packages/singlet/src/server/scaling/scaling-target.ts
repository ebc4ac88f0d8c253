import { DynamoError } from '../../values/service-error.ts';

/** The actions of Application Auto Scaling that there are. */
const scalingActions = [
  'DeleteScalingPolicy',
  'DeregisterScalableTarget',
  'DescribeScalableTargets',
  'DescribeScalingActivities',
  'DescribeScalingPolicies',
  'PutScalingPolicy',
  'RegisterScalableTarget',
] as const;

/** One of them by its name. */
export type ScalingAction = (typeof scalingActions)[number];

const prefix = 'AnyScaleFrontendService.';

interface Targeted {
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** Whether a request is one of Application Auto Scaling, by the value of its `X-Amz-Target` header. */
export function isForScaling({ headers }: Targeted): boolean {
  return headers['x-amz-target']?.startsWith(prefix) === true;
}

/** @throws {DynamoError} `UnknownOperationException` for an action that is not here. */
export function scalingActionOf({ headers }: Targeted): ScalingAction {
  const name = headers['x-amz-target']?.slice(prefix.length);
  const action = scalingActions.find((each) => each === name);
  if (action === undefined) throw new DynamoError('UnknownOperationException', '');
  return action;
}
