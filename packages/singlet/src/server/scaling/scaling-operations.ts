import {
  actionTable,
  type ActivityRecord,
  alarmsOf,
  type AutoScaling,
  type DeleteScalingPolicyRequest,
  type DescribeScalableTargetsRequest,
  type DescribeScalingActivitiesRequest,
  type DescribeScalingPoliciesRequest,
  type Engine,
  policyArn,
  type PolicyRecord,
  type PutScalingPolicyRequest,
  type RegisterScalableTargetRequest,
  type RequestContext,
  scalableDimensions,
  type ScalableReference,
  scalableResourceOf,
  type ScalingRecord,
  type SuspendedState,
  targetArn,
  type TargetTracking,
  type Touch,
} from '../../engine/index.ts';
import type { Awaitable } from '../../values/awaitable.ts';
import { ValidationException } from '../../values/service-error.ts';
import type { DecodedCall } from '../operations/operation.ts';
import { lengthAtLeast, lengthAtMost, valueAtLeast, valueAtMost } from '../shapes/constraint.ts';
import { compileDecoder } from '../shapes/decoder.ts';
import {
  boolean,
  double,
  enumeration,
  integer,
  type InputMembers,
  list,
  required,
  type Shape,
  string,
  structure,
} from '../shapes/shape.ts';
import type { ScalingAction } from './scaling-target.ts';

/*
 * The wire form of Application Auto Scaling. It has no permissions of its own: changing the throughput of a table needs UpdateTable on
 * the table, reading it needs DescribeTable, and listing all needs ListTables.
 */

/** A request that has been decoded and may be run. */
export interface PreparedScaling {
  readonly permission: {
    readonly call: DecodedCall;
    readonly touches: () => Awaitable<readonly Touch[]>;
    readonly table: string | undefined;
  };
  /** @throws {DynamoError} */
  readonly run: (engine: Engine) => Promise<Buffer>;
}

/**
 * Decodes a request.
 *
 * @throws {SerializationException | ValidationException}
 */
export function prepareScaling(action: ScalingAction, json: unknown, context: RequestContext): PreparedScaling {
  return operations[action](json, context);
}

/** The members that all requests begin with. The service scales other namespaces, Singlet does not. */
interface InNamespace {
  readonly serviceNamespace: string;
}

interface OperationParts<Request> {
  readonly input: Shape<Request & InNamespace>;
  /** The id of the table or index; undefined for a list of all. */
  readonly resourceId: (request: Request) => string | undefined;
  readonly changes: boolean;
  readonly run: (scaling: AutoScaling, request: Request, context: RequestContext) => Promise<object>;
}

type ScalingOperation = (json: unknown, context: RequestContext) => PreparedScaling;

function scalingOperation<Request>(
  action: ScalingAction,
  { input, resourceId, changes, run }: OperationParts<Request>,
): ScalingOperation {
  const decode = compileDecoder(input);
  return (json, context) => {
    const request = decode(json, action, context);
    if (request.serviceNamespace !== 'dynamodb') {
      throw new ValidationException('Unsupported service namespace, resource type or scalable dimension');
    }
    return {
      permission: permissionFor(resourceId(request), changes),
      run: async (engine) =>
        Buffer.from(JSON.stringify(await run(await engine.autoScaling(), request, context)), 'utf8'),
    };
  };
}

function permissionFor(resourceId: string | undefined, changes: boolean): PreparedScaling['permission'] {
  if (resourceId === undefined) {
    return {
      call: { action: 'ListTables', request: {} },
      touches: () => actionTable.ListTables.touches({}, 'ListTables'),
      table: undefined,
    };
  }
  const { tableName } = scalableResourceOf({
    resourceId,
    scalableDimension: resourceId.includes('/index/')
      ? 'dynamodb:index:ReadCapacityUnits'
      : 'dynamodb:table:ReadCapacityUnits',
  });
  const action = changes ? 'UpdateTable' : 'DescribeTable';
  return {
    call: { action, request: { tableName } },
    touches: () => actionTable[action].touches({ tableName }, action),
    table: tableName,
  };
}

const serviceNamespace = required(string());
const resourceId = string(lengthAtLeast(1), lengthAtMost(1600));
const scalableDimension = enumeration(scalableDimensions);
const policyName = string(lengthAtLeast(1), lengthAtMost(256));
const reference: InputMembers<ScalableReference & InNamespace> = {
  serviceNamespace,
  resourceId: required(resourceId),
  scalableDimension: required(scalableDimension),
};
const page = { maxResults: integer(valueAtLeast(1), valueAtMost(50)), nextToken: string() };

const tracking: Shape<TargetTracking> = structure<TargetTracking>('TargetTrackingScalingPolicyConfiguration', {
  targetValue: required(double),
  predefinedMetricSpecification: required(
    structure<TargetTracking['predefinedMetricSpecification']>('PredefinedMetricSpecification', {
      predefinedMetricType: required(
        enumeration(['DynamoDBReadCapacityUtilization', 'DynamoDBWriteCapacityUtilization']),
      ),
      resourceLabel: string(),
    }),
  ),
  scaleOutCooldown: integer(valueAtLeast(0)),
  scaleInCooldown: integer(valueAtLeast(0)),
  disableScaleIn: boolean,
});

const suspendedState: Shape<SuspendedState> = structure<SuspendedState>('SuspendedState', {
  dynamicScalingInSuspended: boolean,
  dynamicScalingOutSuspended: boolean,
  scheduledScalingSuspended: boolean,
});

const operations: Readonly<Record<ScalingAction, ScalingOperation>> = {
  RegisterScalableTarget: scalingOperation<RegisterScalableTargetRequest>('RegisterScalableTarget', {
    input: structure<RegisterScalableTargetRequest & InNamespace>('RegisterScalableTargetRequest', {
      ...reference,
      minCapacity: integer(valueAtLeast(1)),
      maxCapacity: integer(valueAtLeast(1)),
      roleARN: string(),
      suspendedState,
    }),
    resourceId: (request) => request.resourceId,
    changes: true,
    run: async (scaling, request, context) => ({
      ScalableTargetARN: await scaling.registerScalableTarget(request, context),
    }),
  }),
  DeregisterScalableTarget: scalingOperation<ScalableReference>('DeregisterScalableTarget', {
    input: structure<ScalableReference & InNamespace>('DeregisterScalableTargetRequest', reference),
    resourceId: (request) => request.resourceId,
    changes: true,
    async run(scaling, request, context) {
      await scaling.deregisterScalableTarget(request, context);
      return {};
    },
  }),
  PutScalingPolicy: scalingOperation<PutScalingPolicyRequest>('PutScalingPolicy', {
    input: structure<PutScalingPolicyRequest & InNamespace>('PutScalingPolicyRequest', {
      ...reference,
      policyName: required(policyName),
      policyType: enumeration(['StepScaling', 'TargetTrackingScaling', 'PredictiveScaling']),
      targetTrackingScalingPolicyConfiguration: tracking,
    }),
    resourceId: (request) => request.resourceId,
    changes: true,
    async run(scaling, request, context) {
      const policy = await scaling.putScalingPolicy(request, context);
      return { PolicyARN: policyArn(policy), Alarms: wireAlarms(policy) };
    },
  }),
  DeleteScalingPolicy: scalingOperation<DeleteScalingPolicyRequest>('DeleteScalingPolicy', {
    input: structure<DeleteScalingPolicyRequest & InNamespace>('DeleteScalingPolicyRequest', {
      ...reference,
      policyName: required(policyName),
    }),
    resourceId: (request) => request.resourceId,
    changes: true,
    async run(scaling, request, context) {
      await scaling.deleteScalingPolicy(request, context);
      return {};
    },
  }),
  DescribeScalableTargets: scalingOperation<DescribeScalableTargetsRequest>('DescribeScalableTargets', {
    input: structure<DescribeScalableTargetsRequest & InNamespace>('DescribeScalableTargetsRequest', {
      serviceNamespace,
      resourceIds: list(resourceId),
      scalableDimension,
      ...page,
    }),
    resourceId: ({ resourceIds = [] }) => (resourceIds.length === 1 ? resourceIds[0] : undefined),
    changes: false,
    async run(scaling, request, context) {
      const { elements, nextToken } = await scaling.describeScalableTargets(request, context);
      return { ScalableTargets: elements.map(wireTarget), NextToken: nextToken };
    },
  }),
  DescribeScalingPolicies: scalingOperation<DescribeScalingPoliciesRequest>('DescribeScalingPolicies', {
    input: structure<DescribeScalingPoliciesRequest & InNamespace>('DescribeScalingPoliciesRequest', {
      serviceNamespace,
      policyNames: list(policyName),
      resourceId,
      scalableDimension,
      ...page,
    }),
    resourceId: (request) => request.resourceId,
    changes: false,
    async run(scaling, request, context) {
      const { elements, nextToken } = await scaling.describeScalingPolicies(request, context);
      return { ScalingPolicies: elements.map(wirePolicy), NextToken: nextToken };
    },
  }),
  DescribeScalingActivities: scalingOperation<DescribeScalingActivitiesRequest>('DescribeScalingActivities', {
    input: structure<DescribeScalingActivitiesRequest & InNamespace>('DescribeScalingActivitiesRequest', {
      serviceNamespace,
      resourceId,
      scalableDimension,
      ...page,
    }),
    resourceId: (request) => request.resourceId,
    changes: false,
    async run(scaling, request, context) {
      const { elements, nextToken } = await scaling.describeScalingActivities(request, context);
      return { ScalingActivities: elements.map(wireActivity), NextToken: nextToken };
    },
  }),
};

function wireReference({ resourceId: ResourceId, scalableDimension: ScalableDimension }: ScalableReference): object {
  return { ServiceNamespace: 'dynamodb', ResourceId, ScalableDimension };
}

function wireTarget(target: ScalingRecord): object {
  const { minCapacity, maxCapacity, roleArn, createdAtMs, suspendedState: state } = target;
  return {
    ...wireReference(target),
    MinCapacity: minCapacity,
    MaxCapacity: maxCapacity,
    RoleARN: roleArn,
    CreationTime: createdAtMs / 1000,
    SuspendedState: {
      DynamicScalingInSuspended: state.dynamicScalingInSuspended ?? false,
      DynamicScalingOutSuspended: state.dynamicScalingOutSuspended ?? false,
      ScheduledScalingSuspended: state.scheduledScalingSuspended ?? false,
    },
    ScalableTargetARN: targetArn(target),
  };
}

function wirePolicy(policy: { readonly target: ScalingRecord; readonly part: PolicyRecord }): object {
  const { target, part } = policy;
  const { targetValue, predefinedMetricSpecification, scaleOutCooldown, scaleInCooldown, disableScaleIn } =
    part.targetTracking;
  return {
    PolicyARN: policyArn(policy),
    PolicyName: part.policyName,
    ...wireReference(target),
    PolicyType: 'TargetTrackingScaling',
    TargetTrackingScalingPolicyConfiguration: {
      TargetValue: targetValue,
      PredefinedMetricSpecification: {
        PredefinedMetricType: predefinedMetricSpecification.predefinedMetricType,
        ResourceLabel: predefinedMetricSpecification.resourceLabel,
      },
      ScaleOutCooldown: scaleOutCooldown,
      ScaleInCooldown: scaleInCooldown,
      DisableScaleIn: disableScaleIn,
    },
    Alarms: wireAlarms(policy),
    CreationTime: part.createdAtMs / 1000,
  };
}

function wireAlarms(policy: { readonly target: ScalingRecord; readonly part: PolicyRecord }): readonly object[] {
  return alarmsOf(policy).map(({ alarmName, alarmARN }) => ({ AlarmName: alarmName, AlarmARN: alarmARN }));
}

function wireActivity({ target, part }: { readonly target: ScalingRecord; readonly part: ActivityRecord }): object {
  return {
    ActivityId: part.id,
    ...wireReference(target),
    Description: part.description,
    Cause: part.cause,
    StartTime: part.atMs / 1000,
    EndTime: part.atMs / 1000,
    StatusCode: part.statusCode,
    StatusMessage: part.statusMessage,
  };
}
