import type {
  AttributeDefinition,
  GlobalSecondaryIndex,
  KeySchemaElement,
  LocalSecondaryIndex,
  OnDemandThroughput,
  PointInTimeRecoverySpecification,
  Projection,
  ProvisionedThroughput,
  SSESpecification,
  StreamSpecification,
  Tag,
  TimeToLiveSpecification,
  WarmThroughput,
} from '@aws-sdk/client-dynamodb';
import type { DesiredInsights, DesiredKinesis } from './desired-table.ts';
import type { Properties } from './properties.ts';

/*
 * The parts of a table that templates and plain definitions spell alike. Enumerated values (key types, view types) are passed on unchecked; the
 * endpoint checks them.
 */

export function readAttributes(properties: Properties): AttributeDefinition[] | undefined {
  return properties.list('AttributeDefinitions', (part) => ({
    AttributeName: part.needText('AttributeName'),
    AttributeType: part.needText('AttributeType') as AttributeDefinition['AttributeType'],
  }));
}

export function readKeySchema(properties: Properties): KeySchemaElement[] {
  const schema = properties.list('KeySchema', (part) => ({
    AttributeName: part.needText('AttributeName'),
    KeyType: part.needText('KeyType') as KeySchemaElement['KeyType'],
  }));
  if (schema === undefined) throw properties.error('KeySchema', 'This is missing.');
  return schema;
}

export function readProjection(properties: Properties): Projection {
  const projection = properties.object('Projection', (part) => ({
    ...optional('ProjectionType', part.text('ProjectionType') as Projection['ProjectionType']),
    ...optional('NonKeyAttributes', part.texts('NonKeyAttributes')),
  }));
  if (projection === undefined) throw properties.error('Projection', 'This is missing.');
  return projection;
}

export function readThroughput(properties: Properties): ProvisionedThroughput | undefined {
  return properties.object('ProvisionedThroughput', (part) => ({
    ReadCapacityUnits: part.number('ReadCapacityUnits'),
    WriteCapacityUnits: part.number('WriteCapacityUnits'),
  }));
}

export function readOnDemand(properties: Properties): OnDemandThroughput | undefined {
  return properties.object('OnDemandThroughput', (part) => ({
    ...optional('MaxReadRequestUnits', part.number('MaxReadRequestUnits')),
    ...optional('MaxWriteRequestUnits', part.number('MaxWriteRequestUnits')),
  }));
}

export function readWarm(properties: Properties): WarmThroughput | undefined {
  return properties.object('WarmThroughput', (part) => ({
    ...optional('ReadUnitsPerSecond', part.number('ReadUnitsPerSecond')),
    ...optional('WriteUnitsPerSecond', part.number('WriteUnitsPerSecond')),
  }));
}

export function readLocalIndexes(properties: Properties): LocalSecondaryIndex[] | undefined {
  return properties.list('LocalSecondaryIndexes', (part) => ({
    IndexName: part.needText('IndexName'),
    KeySchema: readKeySchema(part),
    Projection: readProjection(part),
  }));
}

export function readGlobalIndex(part: Properties): GlobalSecondaryIndex & { readonly IndexName: string } {
  return {
    IndexName: part.needText('IndexName'),
    KeySchema: readKeySchema(part),
    Projection: readProjection(part),
    ...optional('ProvisionedThroughput', readThroughput(part)),
    ...optional('OnDemandThroughput', readOnDemand(part)),
    ...optional('WarmThroughput', readWarm(part)),
  };
}

/** Disabled unless it has a view type or is explicitly enabled. */
export function readStream(part: Properties): StreamSpecification {
  const viewType = part.text('StreamViewType') as StreamSpecification['StreamViewType'];
  const isEnabled = part.boolean('StreamEnabled') ?? true;
  return { StreamEnabled: isEnabled, ...(isEnabled && optional('StreamViewType', viewType)) };
}

/** @param enabled - the name of the member that enables it. */
export function readEncryption(
  properties: Properties,
  enabled: 'SSEEnabled' | 'Enabled',
): SSESpecification | undefined {
  return properties.object('SSESpecification', (part) => ({
    Enabled: part.boolean(enabled) ?? part.has('KMSMasterKeyId'),
    ...optional('SSEType', part.text('SSEType') as SSESpecification['SSEType']),
    ...optional('KMSMasterKeyId', part.text('KMSMasterKeyId')),
  }));
}

export function readTags(properties: Properties): Tag[] | undefined {
  return properties.list('Tags', (part) => ({ Key: part.needText('Key'), Value: part.text('Value') ?? '' }));
}

export function readTimeToLive(properties: Properties): TimeToLiveSpecification | undefined {
  return properties.object('TimeToLiveSpecification', (part) => ({
    Enabled: part.boolean('Enabled') ?? true,
    AttributeName: part.text('AttributeName'),
  }));
}

export function readRecovery(properties: Properties): PointInTimeRecoverySpecification | undefined {
  return properties.object('PointInTimeRecoverySpecification', (part) => ({
    PointInTimeRecoveryEnabled: part.boolean('PointInTimeRecoveryEnabled') ?? false,
    ...optional('RecoveryPeriodInDays', part.number('RecoveryPeriodInDays')),
  }));
}

export function readKinesis(properties: Properties): DesiredKinesis | undefined {
  return properties.object('KinesisStreamSpecification', (part) => ({
    StreamArn: part.needText('StreamArn'),
    precision: part.text('ApproximateCreationDateTimePrecision') as DesiredKinesis['precision'],
  }));
}

export function readInsights(properties: Properties): DesiredInsights | undefined {
  return properties.object('ContributorInsightsSpecification', (part) => ({
    isEnabled: part.boolean('Enabled') ?? false,
    mode: part.text('Mode'),
  }));
}

/** `ResourcePolicy: { PolicyDocument: … }`. */
export function readPolicy(properties: Properties): string | undefined {
  return properties.object('ResourcePolicy', (part) => part.policy('PolicyDocument'));
}

/** `{ [name]: value }`, or an empty object if there is no value. */
export function optional<Name extends string, T>(name: Name, value: T | undefined): { readonly [N in Name]?: T } {
  // An object with one member of the given name.
  return (value === undefined ? {} : { [name]: value }) as { readonly [N in Name]?: T };
}
