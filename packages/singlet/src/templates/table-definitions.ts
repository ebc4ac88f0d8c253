import type { GlobalSecondaryIndex } from '@aws-sdk/client-dynamodb';
import type { DesiredTable } from './desired-table.ts';
import { type Properties, readAll } from './properties.ts';
import type { TemplateObject, TemplateValue } from './read-template.ts';
import {
  optional,
  readAttributes,
  readEncryption,
  readGlobalIndex,
  readKeySchema,
  readLocalIndexes,
  readOnDemand,
  readStream,
  readTags,
  readThroughput,
  readWarm,
} from './table-parts.ts';
import { objectOf } from './template-scope.ts';

/**
 * The tables of a file that is not a template: one definition or a list of them. Each is the input of CreateTable, the AWS CLI's
 * `--generate-cli-skeleton` with values filled in, or the output of DescribeTable.
 *
 * @throws {TemplateError}
 */
export function tablesOfDefinitions(value: TemplateValue): readonly DesiredTable[] {
  const list: readonly TemplateValue[] = Array.isArray(value) ? value : [value];
  return list.map((element, at) => {
    const path = Array.isArray(value) ? [at] : [];
    const object = objectOf(element, path);
    const described = object.Table ?? object.TableDescription;
    const definition = described === undefined ? object : asDefinition(objectOf(described, [...path, 'Table']));
    return readAll(filledIn(definition), path, readDefinition);
  });
}

function readDefinition(properties: Properties): DesiredTable {
  const tableName = properties.needText('TableName');
  const throughput = readThroughput(properties);
  const billingMode = properties.text('BillingMode') ?? 'PROVISIONED';
  const isProvisioned = billingMode === 'PROVISIONED';
  return {
    logicalId: tableName,
    isRetained: false,
    create: {
      TableName: tableName,
      ...optional('AttributeDefinitions', readAttributes(properties)),
      KeySchema: readKeySchema(properties),
      BillingMode: billingMode as 'PROVISIONED',
      ...(isProvisioned && optional('ProvisionedThroughput', throughput)),
      ...optional('OnDemandThroughput', readOnDemand(properties)),
      ...optional('WarmThroughput', readWarm(properties)),
      ...optional('LocalSecondaryIndexes', readLocalIndexes(properties)),
      ...optional(
        'GlobalSecondaryIndexes',
        properties.list('GlobalSecondaryIndexes', (part): GlobalSecondaryIndex => {
          const { ProvisionedThroughput: units, ...index } = readGlobalIndex(part);
          return { ...index, ...(isProvisioned && optional('ProvisionedThroughput', units)) };
        }),
      ),
      ...optional('StreamSpecification', properties.object('StreamSpecification', readStream)),
      ...optional('SSESpecification', readEncryption(properties, 'Enabled')),
      ...optional('TableClass', properties.text('TableClass') as 'STANDARD' | undefined),
      ...optional('DeletionProtectionEnabled', properties.boolean('DeletionProtectionEnabled')),
      ...optional('Tags', readTags(properties)),
      ...optional('ResourcePolicy', properties.policy('ResourcePolicy')),
    },
    more: undefined,
    replicas: undefined,
  };
}

const describedMembers =
  'TableName AttributeDefinitions KeySchema OnDemandThroughput StreamSpecification DeletionProtectionEnabled'.split(
    ' ',
  );

/** The parts of a description that belong to a definition. What the service adds (times, counts, ARNs, states) is removed. */
function asDefinition(table: TemplateObject): TemplateObject {
  const nested = (name: string): TemplateObject => objectOf(table[name] ?? {}, ['Table', name]);
  const encryption = nested('SSEDescription');
  const indexes = (name: string, members: readonly string[]): TemplateValue[] | undefined => {
    const list = table[name];
    if (!Array.isArray(list)) return undefined;
    return list.map((index: TemplateValue, at) => {
      const kept = pick(objectOf(index, ['Table', name, at]), members);
      return { ...kept, ...optional('ProvisionedThroughput', unitsOf(kept.ProvisionedThroughput)) };
    });
  };
  return {
    ...pick(table, describedMembers),
    BillingMode: nested('BillingModeSummary').BillingMode ?? 'PROVISIONED',
    ...optional('ProvisionedThroughput', unitsOf(table.ProvisionedThroughput)),
    ...optional('LocalSecondaryIndexes', indexes('LocalSecondaryIndexes', ['IndexName', 'KeySchema', 'Projection'])),
    ...optional(
      'GlobalSecondaryIndexes',
      indexes('GlobalSecondaryIndexes', [
        'IndexName',
        'KeySchema',
        'Projection',
        'ProvisionedThroughput',
        'OnDemandThroughput',
      ]),
    ),
    ...optional('TableClass', nested('TableClassSummary').TableClass),
    ...(encryption.SSEType === 'KMS' && {
      SSESpecification: {
        Enabled: true,
        SSEType: 'KMS',
        ...optional('KMSMasterKeyId', encryption.KMSMasterKeyArn),
      },
    }),
  };
}

function unitsOf(throughput: TemplateValue | undefined): TemplateObject | undefined {
  if (throughput === undefined) return undefined;
  return pick(objectOf(throughput, ['ProvisionedThroughput']), ['ReadCapacityUnits', 'WriteCapacityUnits']);
}

function pick(object: TemplateObject, names: readonly string[]): TemplateObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));
}

/** Removes the placeholders of a skeleton: empty texts, zeros, and objects that contain nothing else. */
function filledIn(object: TemplateObject): TemplateObject {
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]): [string, TemplateValue][] => {
      const filled = filledValue(value);
      return filled === undefined ? [] : [[name, filled]];
    }),
  );
}

function filledValue(value: TemplateValue): TemplateValue | undefined {
  if (value === '' || value === 0 || value === null) return undefined;
  if (Array.isArray(value)) {
    const list = value.flatMap((element: TemplateValue) => filledValue(element) ?? []);
    return list.length === 0 ? undefined : list;
  }
  if (typeof value !== 'object') return value;
  const object = filledIn(value as TemplateObject);
  return Object.keys(object).length === 0 ? undefined : object;
}
