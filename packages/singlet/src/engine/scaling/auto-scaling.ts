import { DynamoError, LimitExceededException, ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import { uuidOf } from '../layout/uuid.ts';
import type { EngineServices } from '../services.ts';
import { type ScalableReference, scalableResourceOf } from './scalable-resource.ts';
import { alarmName } from './scaling-decision.ts';
import {
  type ActivityRecord,
  changeScalingRecord,
  listScalingRecords,
  newScalingRecord,
  type PolicyRecord,
  type ScalingRecord,
  type SuspendedState,
  type TargetTracking,
} from './scaling-record.ts';

/*
 * The part of the API of Application Auto Scaling that tables and global indexes need: targets, target tracking policies, activities.
 * `scaler.ts` applies what is stored here.
 */

export interface RegisterScalableTargetRequest extends ScalableReference {
  readonly minCapacity?: number | undefined;
  readonly maxCapacity?: number | undefined;
  readonly roleARN?: string | undefined;
  readonly suspendedState?: SuspendedState | undefined;
}

export interface PutScalingPolicyRequest extends ScalableReference {
  readonly policyName: string;
  readonly policyType?: string | undefined;
  readonly targetTrackingScalingPolicyConfiguration?: TargetTracking | undefined;
}

export interface DeleteScalingPolicyRequest extends ScalableReference {
  readonly policyName: string;
}

/** What the list actions of the API have in common. */
interface ListRequest {
  readonly maxResults?: number | undefined;
  readonly nextToken?: string | undefined;
}

export interface DescribeScalableTargetsRequest extends ListRequest {
  readonly resourceIds?: readonly string[] | undefined;
  readonly scalableDimension?: string | undefined;
}

export interface DescribeScalingPoliciesRequest extends ListRequest {
  readonly policyNames?: readonly string[] | undefined;
  readonly resourceId?: string | undefined;
  readonly scalableDimension?: string | undefined;
}

export interface DescribeScalingActivitiesRequest extends ListRequest {
  readonly resourceId?: string | undefined;
  readonly scalableDimension?: string | undefined;
}

/** A target, a policy or an activity, with the target that it belongs to. */
export interface OfTarget<Part> {
  readonly target: ScalingRecord;
  readonly part: Part;
}

export interface Page<Element> {
  readonly elements: readonly Element[];
  readonly nextToken: string | undefined;
}

/** Quotas of the service, "Quotas for Application Auto Scaling". */
const targetsMax = 5000;
const policiesMax = 50;
const pageMax = 50;

const namespace = 'dynamodb';

/** The actions on scalable targets and their policies. */
export class AutoScaling {
  readonly #services: EngineServices;

  constructor(services: EngineServices) {
    this.#services = services;
  }

  /**
   * Registers a scalable target, or changes the given settings of one.
   *
   * @returns the ARN of the target.
   * @throws {ValidationException} if there is no such table or index, if it has no throughput to scale, or if the bounds are invalid.
   */
  async registerScalableTarget(request: RegisterScalableTargetRequest, context: RequestContext): Promise<string> {
    const { store, environment } = this.#services;
    await this.#checkResource(request, context);
    const known = await listScalingRecords(store, context);
    const isNew = !known.some((record) => isSame(record, request));
    if (isNew && known.length >= targetsMax) {
      throw new LimitExceededException(`Maximum number of scalable targets exceeded: ${targetsMax}`);
    }
    const id = environment.random.bytes(17);
    return changeScalingRecord(store, context, request, (before) => {
      const { minCapacity = before?.minCapacity, maxCapacity = before?.maxCapacity } = request;
      if (minCapacity === undefined || maxCapacity === undefined) {
        throw new ValidationException('MinCapacity and MaxCapacity must be specified to register a scalable target');
      }
      if (minCapacity > maxCapacity) {
        throw new ValidationException('Maximum capacity cannot be less than minimum capacity');
      }
      const record = {
        ...(before ??
          newScalingRecord(context, {
            resourceId: request.resourceId,
            scalableDimension: request.scalableDimension,
            id: Buffer.from(id).toString('hex'),
            minCapacity,
            maxCapacity,
            roleArn: serviceRole(context),
            suspendedState: {},
            createdAtMs: environment.clock.nowMs(),
          })),
        minCapacity,
        maxCapacity,
        ...(request.roleARN !== undefined && { roleArn: request.roleARN }),
        ...(request.suspendedState !== undefined && {
          suspendedState: { ...before?.suspendedState, ...request.suspendedState },
        }),
      };
      return { record, answer: targetArn(record) };
    });
  }

  /** Removes a target with its policies. @throws {DynamoError} `ObjectNotFoundException` if there is none. */
  async deregisterScalableTarget(request: ScalableReference, context: RequestContext): Promise<void> {
    await changeScalingRecord(this.#services.store, context, request, (record) => {
      if (record === undefined) throw noTarget(request);
      return { record: undefined, answer: undefined };
    });
  }

  /**
   * Creates a policy of a target, or replaces the one of that name.
   *
   * @throws {ValidationException} for a kind of policy that tables do not support.
   * @throws {DynamoError} `ObjectNotFoundException` if the target is not registered.
   */
  async putScalingPolicy(request: PutScalingPolicyRequest, context: RequestContext): Promise<OfTarget<PolicyRecord>> {
    const { store, environment } = this.#services;
    const targetTracking = checkedTracking(request);
    const id = uuidOf(environment.random.bytes(16));
    return changeScalingRecord(store, context, request, (target) => {
      if (target === undefined) throw noTarget(request);
      const { policyName } = request;
      const before = target.policies.find((each) => each.policyName === policyName);
      if (before === undefined && target.policies.length >= policiesMax) {
        throw new LimitExceededException(`Maximum number of scaling policies exceeded: ${policiesMax}`);
      }
      const part = { id, createdAtMs: environment.clock.nowMs(), ...before, policyName, targetTracking };
      const policies = [...target.policies.filter((each) => each !== before), part];
      const record = { ...target, policies: policies.toSorted((a, b) => (a.policyName < b.policyName ? -1 : 1)) };
      return { record, answer: { target: record, part } };
    });
  }

  /** @throws {DynamoError} `ObjectNotFoundException` if there is no such policy. */
  async deleteScalingPolicy(request: DeleteScalingPolicyRequest, context: RequestContext): Promise<void> {
    await changeScalingRecord(this.#services.store, context, request, (record) => {
      const policies = record?.policies.filter(({ policyName }) => policyName !== request.policyName) ?? [];
      if (record === undefined || policies.length === record.policies.length) throw noPolicy(request);
      return { record: { ...record, policies }, answer: undefined };
    });
  }

  async describeScalableTargets(
    request: DescribeScalableTargetsRequest,
    context: RequestContext,
  ): Promise<Page<ScalingRecord>> {
    const { resourceIds, scalableDimension } = request;
    const records = await listScalingRecords(this.#services.store, context);
    const found = records.filter(
      (record) =>
        (resourceIds === undefined || resourceIds.length === 0 || resourceIds.includes(record.resourceId)) &&
        (scalableDimension === undefined || scalableDimension === record.scalableDimension),
    );
    return pageOf(found, request);
  }

  async describeScalingPolicies(
    request: DescribeScalingPoliciesRequest,
    context: RequestContext,
  ): Promise<Page<OfTarget<PolicyRecord>>> {
    const { policyNames } = request;
    const targets = await this.#targetsOf(request, context);
    const found = targets.flatMap((target) =>
      target.policies
        .filter(
          ({ policyName }) => policyNames === undefined || policyNames.length === 0 || policyNames.includes(policyName),
        )
        .map((part) => ({ target, part })),
    );
    return pageOf(found, request);
  }

  /** The newest first. */
  async describeScalingActivities(
    request: DescribeScalingActivitiesRequest,
    context: RequestContext,
  ): Promise<Page<OfTarget<ActivityRecord>>> {
    const targets = await this.#targetsOf(request, context);
    const found = targets.flatMap((target) => target.activities.map((part) => ({ target, part })));
    return pageOf(
      found.toSorted((a, b) => b.part.atMs - a.part.atMs),
      request,
    );
  }

  async #targetsOf(
    { resourceId, scalableDimension }: DescribeScalingActivitiesRequest,
    context: RequestContext,
  ): Promise<readonly ScalingRecord[]> {
    const records = await listScalingRecords(this.#services.store, context);
    return records.filter(
      (record) =>
        (resourceId === undefined || resourceId === record.resourceId) &&
        (scalableDimension === undefined || scalableDimension === record.scalableDimension),
    );
  }

  async #checkResource(request: ScalableReference, context: RequestContext): Promise<void> {
    const { tableName, indexName } = scalableResourceOf(request);
    const table = await this.#services.catalog.load(context, tableName);
    if (table === undefined) throw new ValidationException(`DynamoDB table does not exist: ${request.resourceId}`);
    if (table.record.billingMode !== 'PROVISIONED') {
      throw new ValidationException(
        `DynamoDB table is in PAY_PER_REQUEST billing mode, which has no throughput to scale: ${request.resourceId}`,
      );
    }
    if (indexName !== undefined && !table.globalIndexes.some((index) => index.indexName === indexName)) {
      throw new ValidationException(`DynamoDB index does not exist: ${request.resourceId}`);
    }
  }
}

/** ARN of a target: https://docs.aws.amazon.com/autoscaling/application/APIReference/API_ScalableTarget.html */
export function targetArn({ region, accountId, id }: ScalingRecord): string {
  return `arn:aws:application-autoscaling:${region}:${accountId}:scalable-target/${id}`;
}

export function policyArn({ target, part }: OfTarget<PolicyRecord>): string {
  const { region, accountId, resourceId } = target;
  return `arn:aws:autoscaling:${region}:${accountId}:scalingPolicy:${part.id}:resource/${namespace}/${resourceId}:policyName/${part.policyName}`;
}

/** The alarms that a policy has in the service: names only, because there is no CloudWatch here. */
export function alarmsOf({
  target,
  part,
}: OfTarget<PolicyRecord>): readonly { readonly alarmName: string; readonly alarmARN: string }[] {
  return (['AlarmHigh', 'AlarmLow'] as const).map((alarm) => {
    const name = alarmName(target, part, alarm);
    return { alarmName: name, alarmARN: `arn:aws:cloudwatch:${target.region}:${target.accountId}:alarm:${name}` };
  });
}

/** @throws {ValidationException} */
function checkedTracking(request: PutScalingPolicyRequest): TargetTracking {
  const { policyType = 'StepScaling', targetTrackingScalingPolicyConfiguration: tracking } = request;
  const { kind } = scalableResourceOf(request);
  if (policyType !== 'TargetTrackingScaling') {
    throw new ValidationException(`${policyType} policies are not supported for DynamoDB: use TargetTrackingScaling`);
  }
  if (tracking === undefined) {
    throw new ValidationException(
      'TargetTrackingScalingPolicyConfiguration must be specified for TargetTrackingScaling',
    );
  }
  const { targetValue, predefinedMetricSpecification } = tracking;
  if (predefinedMetricSpecification.predefinedMetricType !== `DynamoDB${kind}CapacityUtilization`) {
    throw new ValidationException(
      `${predefinedMetricSpecification.predefinedMetricType} cannot be used with the scalable dimension ${request.scalableDimension}`,
    );
  }
  // Developer Guide, "Managing throughput capacity automatically": the target utilization is between 20 and 90 percent.
  if (!(targetValue >= 20 && targetValue <= 90)) {
    throw new ValidationException(`Target value must be between 20 and 90 for DynamoDB, and is ${targetValue}`);
  }
  return tracking;
}

function isSame(a: ScalableReference, b: ScalableReference): boolean {
  return a.resourceId === b.resourceId && a.scalableDimension === b.scalableDimension;
}

function noTarget({ resourceId, scalableDimension }: ScalableReference): DynamoError {
  return new DynamoError(
    'ObjectNotFoundException',
    `No scalable target registered for service namespace: ${namespace}, resource ID: ${resourceId}, scalable dimension: ${scalableDimension}`,
  );
}

function noPolicy({ resourceId, scalableDimension, policyName }: DeleteScalingPolicyRequest): DynamoError {
  return new DynamoError(
    'ObjectNotFoundException',
    `No scaling policy found for service namespace: ${namespace}, resource ID: ${resourceId}, scalable dimension: ${scalableDimension}, policy name: ${policyName}`,
  );
}

function serviceRole({ accountId }: RequestContext): string {
  return `arn:aws:iam::${accountId}:role/aws-service-role/dynamodb.application-autoscaling.amazonaws.com/AWSServiceRoleForApplicationAutoScaling_DynamoDBTable`;
}

/** The token is the index in the list at which the next page begins. */
function pageOf<Element>(all: readonly Element[], { maxResults = pageMax, nextToken }: ListRequest): Page<Element> {
  const from = nextToken === undefined ? 0 : Number(nextToken);
  if (!Number.isSafeInteger(from) || from < 0) {
    throw new DynamoError('InvalidNextTokenException', 'The next token is not one that was answered');
  }
  const to = from + Math.min(maxResults, pageMax);
  return { elements: all.slice(from, to), nextToken: to < all.length ? String(to) : undefined };
}
