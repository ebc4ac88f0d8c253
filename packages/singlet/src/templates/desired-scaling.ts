import type {
  PutScalingPolicyCommandInput,
  RegisterScalableTargetCommandInput,
} from '@aws-sdk/client-application-auto-scaling';
import type { Properties } from './properties.ts';
import { isObject, type TemplateObject } from './read-template.ts';
import { optional } from './table-parts.ts';

/** A scalable target of a table or index, or one of its policies, as defined by a file. */
export type DesiredScaling =
  | { readonly kind: 'target'; readonly logicalId: string; readonly input: RegisterScalableTargetCommandInput }
  | { readonly kind: 'policy'; readonly logicalId: string; readonly input: PutScalingPolicyCommandInput };

/** The CloudFormation types, and what they define. */
export const scalingTypes: Readonly<Record<string, DesiredScaling['kind']>> = {
  'AWS::ApplicationAutoScaling::ScalableTarget': 'target',
  'AWS::ApplicationAutoScaling::ScalingPolicy': 'policy',
};

/** Separates the parts of a reference to a scalable target. */
const separator = '|';

export function scalingTargetId(resourceId: string, scalableDimension: string): string {
  return [resourceId, scalableDimension, 'dynamodb'].join(separator);
}

/** @throws {TemplateError} */
export function readScaling(kind: DesiredScaling['kind'], logicalId: string, properties: Properties): DesiredScaling {
  return kind === 'target'
    ? { kind, logicalId, input: readTarget(properties) }
    : { kind, logicalId, input: readPolicy(logicalId, properties) };
}

function readTarget(properties: Properties): RegisterScalableTargetCommandInput {
  // Refused, because silently ignoring a schedule would be misleading.
  if (properties.has('ScheduledActions')) {
    throw properties.error('ScheduledActions', 'Tables are scaled only by their use: remove the schedule.');
  }
  return {
    ServiceNamespace: properties.needText('ServiceNamespace') as 'dynamodb',
    ResourceId: properties.needText('ResourceId'),
    ScalableDimension: properties.needText('ScalableDimension') as 'dynamodb:table:ReadCapacityUnits',
    MinCapacity: properties.needNumber('MinCapacity'),
    MaxCapacity: properties.needNumber('MaxCapacity'),
    ...optional('RoleARN', properties.text('RoleARN')),
    ...optional(
      'SuspendedState',
      properties.object('SuspendedState', (part) => ({
        ...optional('DynamicScalingInSuspended', part.boolean('DynamicScalingInSuspended')),
        ...optional('DynamicScalingOutSuspended', part.boolean('DynamicScalingOutSuspended')),
        ...optional('ScheduledScalingSuspended', part.boolean('ScheduledScalingSuspended')),
      })),
    ),
  };
}

function readPolicy(logicalId: string, properties: Properties): PutScalingPolicyCommandInput {
  const [resourceId, dimension, namespace] = properties.text('ScalingTargetId')?.split(separator) ?? [];
  const policyType = properties.text('PolicyType');
  if (policyType !== 'TargetTrackingScaling') {
    throw properties.error('PolicyType', 'Policies of tables must have the type TargetTrackingScaling.');
  }
  return {
    PolicyName: properties.text('PolicyName') ?? logicalId,
    PolicyType: policyType,
    ServiceNamespace: (properties.text('ServiceNamespace') ?? namespace ?? 'dynamodb') as 'dynamodb',
    ResourceId: properties.text('ResourceId') ?? resourceId ?? properties.needText('ResourceId'),
    ScalableDimension: (properties.text('ScalableDimension') ??
      dimension ??
      properties.needText('ScalableDimension')) as 'dynamodb:table:ReadCapacityUnits',
    TargetTrackingScalingPolicyConfiguration: properties.object('TargetTrackingScalingPolicyConfiguration', (part) => ({
      TargetValue: Number(part.needText('TargetValue')),
      ...optional('ScaleInCooldown', part.number('ScaleInCooldown')),
      ...optional('ScaleOutCooldown', part.number('ScaleOutCooldown')),
      ...optional('DisableScaleIn', part.boolean('DisableScaleIn')),
      PredefinedMetricSpecification: part.object('PredefinedMetricSpecification', (metric) => ({
        PredefinedMetricType: metric.needText('PredefinedMetricType') as 'DynamoDBReadCapacityUtilization',
        ...optional('ResourceLabel', metric.text('ResourceLabel')),
      })),
    })),
  };
}

/** Whether a resource of {@link scalingTypes} scales something other than tables. A computed namespace may be that of tables. */
export function scalesOthers(resource: TemplateObject, resources: TemplateObject): boolean {
  const namespace = namespaceOf(resource) ?? namespaceOf(targetOf(resource, resources));
  return typeof namespace === 'string' && namespace !== 'dynamodb';
}

function namespaceOf(resource: TemplateObject | undefined): unknown {
  return isObject(resource?.Properties) ? resource.Properties.ServiceNamespace : undefined;
}

function targetOf({ Properties: properties }: TemplateObject, resources: TemplateObject): TemplateObject | undefined {
  const id = isObject(properties) ? properties.ScalingTargetId : undefined;
  const name = isObject(id) ? id.Ref : undefined;
  const target = typeof name === 'string' && Object.hasOwn(resources, name) ? resources[name] : undefined;
  return isObject(target) ? target : undefined;
}
