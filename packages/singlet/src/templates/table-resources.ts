import type { GlobalSecondaryIndex, SSESpecification } from '@aws-sdk/client-dynamodb';
import { type DesiredInsights, type DesiredTable, noSettings, type TableResource } from './desired-table.ts';
import { type DesiredScaling, readScaling, scalesOthers, scalingTargetId, scalingTypes } from './desired-scaling.ts';
import { readGlobalTable } from './global-table-resource.ts';
import { conditionHolds, resolveFunctions, type TemplateScope } from './intrinsics.ts';
import { notAppliedOf } from './not-applied.ts';
import { type Properties, readAll } from './properties.ts';
import { scalarText, type TemplateObject, type TemplateValue } from './read-template.ts';
import {
  optional,
  readAttributes,
  readEncryption,
  readGlobalIndex,
  readInsights,
  readKeySchema,
  readKinesis,
  readLocalIndexes,
  readOnDemand,
  readPolicy,
  readRecovery,
  readStream,
  readTags,
  readThroughput,
  readTimeToLive,
  readWarm,
} from './table-parts.ts';
import { TemplateError } from './template-error.ts';
import { type DeployContext, defaultName, objectOf, tableTypes, templateScope } from './template-scope.ts';

/** A template resource that does not define a table, or the part of a table that is not set up. */
export interface SkippedResource {
  readonly logicalId: string;
  readonly type: string;
  /** What the tables lack without it. Absent if it is unrelated to tables. */
  readonly notApplied?: string;
}

export interface TemplateTables {
  readonly tables: readonly DesiredTable[];
  readonly scalings: readonly DesiredScaling[];
  readonly skipped: readonly SkippedResource[];
}

/**
 * The tables of a CloudFormation template. Settings that it does not contain are disabled, or have the service's default.
 *
 * @throws {TemplateError}
 * @see AWS CloudFormation User Guide, AWS::DynamoDB::Table, AWS::DynamoDB::GlobalTable, AWS::Serverless::SimpleTable
 */
export function tablesOfTemplate(template: TemplateObject, context: DeployContext): TemplateTables {
  const tables: DesiredTable[] = [];
  const scalings: DesiredScaling[] = [];
  const skipped: SkippedResource[] = [];
  const resources = objectOf(template.Resources, ['Resources']);
  const scope: TemplateScope = templateScope(template, context, (logicalId, type, propertyOf) => {
    const path = ['Resources', logicalId];
    const textOf = (name: string): string => scalarText(resolveFunctions(propertyOf(name) ?? null, scope, path), path);
    if (scalingTypes[type] === 'target') return scalingTargetId(textOf('ResourceId'), textOf('ScalableDimension'));
    const property = propertyOf(type === 'AWS::Kinesis::Stream' ? 'Name' : 'TableName');
    return property === undefined
      ? defaultName(context, logicalId)
      : scalarText(resolveFunctions(property, scope, ['Resources', logicalId]), ['Resources', logicalId]);
  });
  for (const [logicalId, value] of Object.entries(resources)) {
    const path = ['Resources', logicalId];
    const resource = objectOf(value, path);
    const { Type: type, Condition: condition } = resource;
    if (typeof type !== 'string') throw new TemplateError([...path, 'Type'], 'This must be a string.');
    const isTable = tableTypes.some((known) => known === type);
    const scaling = scalesOthers(resource, resources) ? undefined : scalingTypes[type];
    // The condition of a resource that is skipped anyway may refer to unknown values.
    const notApplied = notAppliedOf(type, resource);
    const isWanted =
      typeof condition !== 'string' ||
      (!isTable && scaling === undefined && notApplied === undefined) ||
      conditionHolds(condition, scope, [...path, 'Condition']);
    if (!isWanted) continue;
    if (isTable) tables.push(tableOf(logicalId, type, resource, scope, context));
    if (scaling !== undefined) {
      const at = [...path, 'Properties'];
      const properties = resolveFunctions(resource.Properties ?? {}, scope, at);
      scalings.push(readAll(properties, at, (all) => readScaling(scaling, logicalId, all)));
      continue;
    }
    if (!isTable || notApplied !== undefined) skipped.push({ logicalId, type, ...optional('notApplied', notApplied) });
  }
  return { tables, scalings, skipped };
}

function tableOf(
  logicalId: string,
  type: string,
  resource: TemplateObject,
  scope: TemplateScope,
  context: DeployContext,
): DesiredTable {
  const path = ['Resources', logicalId, 'Properties'];
  const resolved = resolveFunctions(resource.Properties ?? {}, scope, path);
  const isRetained = [resource.DeletionPolicy, resource.UpdateReplacePolicy].some((policy) => policy === 'Retain');
  const own = { logicalId, isRetained };
  switch (type) {
    case 'AWS::DynamoDB::GlobalTable':
      return readAll(resolved, path, (properties) => readGlobalTable(properties, own, context));
    case 'AWS::Serverless::SimpleTable':
      return readAll(resolved, path, (properties) => readSimpleTable(properties, own, context));
    default:
      return readAll(resolved, path, (properties) => readTable(properties, own, context));
  }
}

/** A table in the properties of AWS::DynamoDB::Table. @throws {TemplateError} */
export function readTable(properties: Properties, resource: TableResource, context: DeployContext): DesiredTable {
  const indexInsights = new Map<string, DesiredInsights>();
  const indexes = properties.list('GlobalSecondaryIndexes', (part): GlobalSecondaryIndex => {
    const index = readGlobalIndex(part);
    const insights = readInsights(part);
    if (insights !== undefined) indexInsights.set(index.IndexName, insights);
    return index;
  });
  const stream = properties.object('StreamSpecification', (part) => ({
    specification: readStream(part),
    policy: readPolicy(part),
  }));
  const throughput = readThroughput(properties);
  const localIndexes = readLocalIndexes(properties);
  const importSource = readImportSource(properties);
  if (importSource !== undefined && localIndexes !== undefined && localIndexes.length > 0) {
    throw properties.error('ImportSourceSpecification', 'A table with local indexes cannot be created by an import.');
  }
  const billingMode = properties.text('BillingMode') ?? 'PROVISIONED';
  return {
    ...resource,
    create: {
      TableName: properties.text('TableName') ?? defaultName(context, resource.logicalId),
      ...optional('AttributeDefinitions', readAttributes(properties)),
      KeySchema: readKeySchema(properties),
      BillingMode: billingMode as 'PROVISIONED',
      ...optional('ProvisionedThroughput', throughput),
      ...optional('OnDemandThroughput', readOnDemand(properties)),
      ...optional('WarmThroughput', readWarm(properties)),
      ...optional('LocalSecondaryIndexes', localIndexes),
      ...optional('GlobalSecondaryIndexes', indexes),
      ...optional('StreamSpecification', stream?.specification),
      ...optional('SSESpecification', readEncryption(properties, 'SSEEnabled')),
      ...optional('TableClass', properties.text('TableClass') as 'STANDARD' | undefined),
      ...optional('DeletionProtectionEnabled', properties.boolean('DeletionProtectionEnabled')),
      ...optional('Tags', readTags(properties)),
      ...optional('ResourcePolicy', readPolicy(properties)),
    },
    more: {
      timeToLive: readTimeToLive(properties),
      pointInTimeRecovery: readRecovery(properties),
      kinesis: readKinesis(properties),
      insights: readInsights(properties),
      indexInsights,
      streamPolicy: stream?.policy,
      importSource,
    },
    replicas: undefined,
  };
}

type ImportSource = NonNullable<DesiredTable['more']>['importSource'];

function readImportSource(properties: Properties): ImportSource {
  return properties.object('ImportSourceSpecification', (part) => ({
    InputFormat: part.needText('InputFormat') as 'CSV',
    ...optional('InputCompressionType', part.text('InputCompressionType') as 'NONE' | undefined),
    ...optional('InputFormatOptions', part.raw('InputFormatOptions') as object | undefined),
    S3BucketSource: part.object('S3BucketSource', (source) => ({
      S3Bucket: source.needText('S3Bucket'),
      ...optional('S3BucketOwner', source.text('S3BucketOwner')),
      ...optional('S3KeyPrefix', source.text('S3KeyPrefix')),
    })),
  }));
}

/** The table of the Serverless Application Model: a partition key and little else. */
function readSimpleTable(properties: Properties, resource: TableResource, context: DeployContext): DesiredTable {
  const key = properties.object('PrimaryKey', (part) => ({ name: part.text('Name'), type: part.text('Type') }));
  const AttributeName = key?.name ?? 'id';
  const throughput = readThroughput(properties);
  const tags = properties.raw('Tags');
  const encryption: SSESpecification | undefined = readEncryption(properties, 'SSEEnabled');
  return {
    ...resource,
    create: {
      TableName: properties.text('TableName') ?? defaultName(context, resource.logicalId),
      AttributeDefinitions: [{ AttributeName, AttributeType: attributeTypes[key?.type ?? 'String'] ?? 'S' }],
      KeySchema: [{ AttributeName, KeyType: 'HASH' }],
      BillingMode: throughput === undefined ? 'PAY_PER_REQUEST' : 'PROVISIONED',
      ...optional('ProvisionedThroughput', throughput),
      ...optional('SSESpecification', encryption),
      ...optional('Tags', tags === undefined ? undefined : tagList(tags)),
    },
    more: { ...noSettings, pointInTimeRecovery: readRecovery(properties) },
    replicas: undefined,
  };
}

const attributeTypes: Readonly<Record<string, 'S' | 'N' | 'B'>> = { String: 'S', Number: 'N', Binary: 'B' };

function tagList(tags: TemplateValue): { readonly Key: string; readonly Value: string }[] {
  return Object.entries(objectOf(tags, ['Tags'])).map(([Key, value]) => ({
    Key,
    Value: scalarText(value, ['Tags', Key]),
  }));
}
