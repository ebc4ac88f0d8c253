import type * as Sdk from '@aws-sdk/client-dynamodb';
import type { DesiredTable } from '../../templates/desired-table.ts';

/*
 * The differences between a table as defined by a file and its present state. Order is ignored where the service does not preserve it: of
 * indexes, of projected attributes, of tags.
 */

/** Why a table has to be recreated instead of updated. Empty if it can be updated. */
export function replacementReasons({ create }: DesiredTable, description: Sdk.TableDescription): readonly string[] {
  const reasons: string[] = [];
  if (!areSame(create.KeySchema, description.KeySchema)) {
    reasons.push(`the key is ${keyText(description.KeySchema)} and would be ${keyText(create.KeySchema)}`);
  }
  const locals = description.LocalSecondaryIndexes ?? [];
  const names = new Set(
    [description.KeySchema ?? [], ...locals.map(({ KeySchema = [] }) => KeySchema)].flatMap((schema) =>
      schema.map(({ AttributeName }) => AttributeName),
    ),
  );
  for (const { AttributeName, AttributeType } of create.AttributeDefinitions ?? []) {
    const present = description.AttributeDefinitions?.find((attribute) => attribute.AttributeName === AttributeName);
    if (present !== undefined && names.has(AttributeName) && present.AttributeType !== AttributeType) {
      reasons.push(
        `attribute ${AttributeName} is of type ${present.AttributeType} and would be of type ${AttributeType}`,
      );
    }
  }
  if (!areSame(localIndexes(create.LocalSecondaryIndexes), localIndexes(description.LocalSecondaryIndexes))) {
    reasons.push('local indexes are created with the table and cannot be changed');
  }
  return reasons;
}

/** The indexes to remove and to create. One whose key or projection changes is in both lists. */
export function indexDifferences(
  { create }: DesiredTable,
  description: Sdk.TableDescription,
): {
  readonly removed: readonly string[];
  readonly made: readonly Sdk.GlobalSecondaryIndex[];
  readonly kept: readonly {
    readonly wanted: Sdk.GlobalSecondaryIndex;
    readonly present: Sdk.GlobalSecondaryIndexDescription;
  }[];
} {
  const wanted = create.GlobalSecondaryIndexes ?? [];
  const present = (description.GlobalSecondaryIndexes ?? []).filter(({ IndexStatus }) => IndexStatus !== 'DELETING');
  const presentOf = ({ IndexName }: Sdk.GlobalSecondaryIndex): Sdk.GlobalSecondaryIndexDescription | undefined =>
    present.find((index) => index.IndexName === IndexName);
  const isKept = (index: Sdk.GlobalSecondaryIndex): boolean => {
    const found = presentOf(index);
    return (
      found !== undefined &&
      areSame(indexForm(index), indexForm(found)) &&
      areSame(keyTypes(index, create.AttributeDefinitions), keyTypes(found, description.AttributeDefinitions))
    );
  };
  return {
    removed: present.flatMap((index) => {
      const match = wanted.find(({ IndexName }) => IndexName === index.IndexName);
      return match !== undefined && isKept(match) ? [] : [index.IndexName ?? ''];
    }),
    made: wanted.filter((index) => !isKept(index)),
    kept: wanted.filter(isKept).flatMap((index) => {
      const found = presentOf(index);
      return found === undefined ? [] : [{ wanted: index, present: found }];
    }),
  };
}

export function tagDifferences(
  wanted: readonly Sdk.Tag[],
  present: readonly Sdk.Tag[],
): { readonly set: readonly Sdk.Tag[]; readonly removed: readonly string[] } {
  const values = new Map(present.map(({ Key, Value }) => [Key, Value]));
  const keys = new Set(wanted.map(({ Key }) => Key));
  return {
    set: wanted.filter(({ Key, Value }) => values.get(Key) !== Value),
    // The service's own tags cannot be removed.
    removed: present.flatMap(({ Key = '' }) => (keys.has(Key) || Key.startsWith('aws:') ? [] : [Key])),
  };
}

/** Whether two maximums are the same; absent and -1 both mean no maximum. */
export function isSameOnDemand(wanted: Sdk.OnDemandThroughput = {}, present: Sdk.OnDemandThroughput = {}): boolean {
  const form = ({ MaxReadRequestUnits: reads = -1, MaxWriteRequestUnits: writes = -1 }: Sdk.OnDemandThroughput) => [
    reads,
    writes,
  ];
  return areSame(form(wanted), form(present));
}

export function isSameThroughput(
  wanted: Sdk.ProvisionedThroughput | undefined,
  present: Sdk.ProvisionedThroughput | Sdk.ProvisionedThroughputDescription | undefined,
): boolean {
  return (
    wanted === undefined ||
    (wanted.ReadCapacityUnits === present?.ReadCapacityUnits &&
      wanted.WriteCapacityUnits === present?.WriteCapacityUnits)
  );
}

/** Warm throughput can only increase, so a table with more than the file requests is accepted. */
export function isWarmEnough(
  wanted: Sdk.WarmThroughput = {},
  present: Sdk.TableWarmThroughputDescription | Sdk.GlobalSecondaryIndexWarmThroughputDescription = {},
): boolean {
  return (
    (wanted.ReadUnitsPerSecond ?? 0) <= (present.ReadUnitsPerSecond ?? 0) &&
    (wanted.WriteUnitsPerSecond ?? 0) <= (present.WriteUnitsPerSecond ?? 0)
  );
}

/**
 * Whether a table is encrypted as defined. Keys named by aliases cannot be compared, so a table encrypted with any customer managed key is
 * assumed to have the right one.
 */
export function isSameEncryption(
  wanted: Sdk.SSESpecification | undefined,
  present: Sdk.SSEDescription | undefined,
): boolean {
  const isOn = present?.Status === 'ENABLED' || present?.Status === 'UPDATING' || present?.Status === 'ENABLING';
  if ((wanted?.Enabled ?? false) !== isOn) return false;
  const key = wanted?.KMSMasterKeyId;
  if (key === undefined || key.includes('alias/')) return true;
  return present?.KMSMasterKeyArn === key || present?.KMSMasterKeyArn?.endsWith(`key/${key}`) === true;
}

export function areSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

/** Sorts the members of objects by name, and removes absent ones. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}

function indexForm({ KeySchema, Projection }: Sdk.LocalSecondaryIndex | Sdk.LocalSecondaryIndexDescription): unknown {
  return {
    KeySchema,
    ProjectionType: Projection?.ProjectionType,
    NonKeyAttributes: [...(Projection?.NonKeyAttributes ?? [])].toSorted(),
  };
}

/** A change of an attribute's type requires another index, and so does a key attribute that is no longer defined. */
function keyTypes(
  { KeySchema = [] }: Sdk.GlobalSecondaryIndex | Sdk.GlobalSecondaryIndexDescription,
  definitions: readonly Sdk.AttributeDefinition[] = [],
): unknown {
  return KeySchema.map((key) => {
    return definitions.find(({ AttributeName }) => AttributeName === key.AttributeName)?.AttributeType ?? null;
  });
}

function localIndexes(
  indexes: readonly (Sdk.LocalSecondaryIndex | Sdk.LocalSecondaryIndexDescription)[] = [],
): unknown {
  return indexes
    .map((index) => ({ name: index.IndexName ?? '', form: indexForm(index) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

export function keyText(schema: readonly Sdk.KeySchemaElement[] = []): string {
  return schema.map(({ AttributeName, KeyType }) => `${AttributeName} ${KeyType}`).join(', ');
}
