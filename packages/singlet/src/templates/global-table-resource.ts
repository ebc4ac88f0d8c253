import type {
  GlobalSecondaryIndex,
  OnDemandThroughput,
  ProvisionedThroughput,
  ReplicaGlobalSecondaryIndex,
} from '@aws-sdk/client-dynamodb';
import type { DesiredInsights, DesiredReplica, DesiredSettings, DesiredTable, TableResource } from './desired-table.ts';
import type { Properties } from './properties.ts';
import {
  optional,
  readAttributes,
  readInsights,
  readKeySchema,
  readKinesis,
  readLocalIndexes,
  readPolicy,
  readProjection,
  readRecovery,
  readStream,
  readTags,
  readTimeToLive,
  readWarm,
} from './table-parts.ts';
import { type DeployContext, defaultName } from './template-scope.ts';

/*
 * AWS::DynamoDB::GlobalTable distributes a table over its replicas: common settings are in the resource, and regional ones in each replica. The
 * table is created in the region of the deployment, which must have a replica. The others are added to it, and then get their regional settings
 * in their own regions.
 */

interface Replica {
  readonly region: string;
  readonly settings: Omit<DesiredSettings, 'timeToLive' | 'importSource'>;
  readonly tableClass: string | undefined;
  readonly kmsMasterKeyId: string | undefined;
  readonly protection: boolean | undefined;
  readonly tags: DesiredTable['create']['Tags'];
  readonly policy: string | undefined;
  readonly readUnits: number | undefined;
  readonly readUnitsMax: number | undefined;
  readonly indexes: ReadonlyMap<string, ReplicaIndex>;
}

interface ReplicaIndex {
  readonly insights: DesiredInsights | undefined;
  readonly readUnits: number | undefined;
  readonly readUnitsMax: number | undefined;
}

export function readGlobalTable(properties: Properties, resource: TableResource, context: DeployContext): DesiredTable {
  const replicas = properties.list('Replicas', readReplica) ?? [];
  const home = replicas.find(({ region }) => region === context.region);
  if (home === undefined) {
    throw properties.error('Replicas', `There is no replica in ${context.region}, the region of the deployment.`);
  }
  const billingMode = properties.text('BillingMode') ?? 'PROVISIONED';
  const isProvisioned = billingMode === 'PROVISIONED';
  const sse = properties.object('SSESpecification', (part) => ({
    isEnabled: part.boolean('SSEEnabled') ?? false,
    type: part.text('SSEType'),
  }));
  const stream = properties.object('StreamSpecification', readStream);
  const consistency = properties.text('MultiRegionConsistency');
  if (consistency !== undefined && consistency !== 'EVENTUAL') {
    throw properties.error('MultiRegionConsistency', 'Only EVENTUAL can be deployed.');
  }
  const units = readWriteSettings(properties, 'Write');
  const tableName = properties.text('TableName') ?? defaultName(context, resource.logicalId);
  const globalIndexes = properties.list('GlobalSecondaryIndexes', (part) => readIndex(part, isProvisioned, home));
  return {
    ...resource,
    create: {
      TableName: tableName,
      ...optional('AttributeDefinitions', readAttributes(properties)),
      KeySchema: readKeySchema(properties),
      BillingMode: billingMode as 'PROVISIONED',
      ...throughputOf(isProvisioned, { ...units, ...home }),
      ...optional('WarmThroughput', readWarm(properties)),
      ...optional('LocalSecondaryIndexes', readLocalIndexes(properties)),
      ...optional('GlobalSecondaryIndexes', globalIndexes),
      // Replication uses the stream, so the service enables it if there are several replicas.
      ...optional(
        'StreamSpecification',
        stream ??
          (replicas.length > 1 ? { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' as const } : undefined),
      ),
      ...optional(
        'SSESpecification',
        sse && {
          Enabled: sse.isEnabled,
          ...(sse.isEnabled && optional('SSEType', (sse.type ?? (home.kmsMasterKeyId && 'KMS')) as 'KMS' | undefined)),
          ...optional('KMSMasterKeyId', home.kmsMasterKeyId),
        },
      ),
      ...optional('TableClass', home.tableClass as 'STANDARD' | undefined),
      ...optional('DeletionProtectionEnabled', home.protection),
      ...optional('Tags', home.tags),
      ...optional('ResourcePolicy', home.policy),
    },
    more: { ...home.settings, timeToLive: readTimeToLive(properties), importSource: undefined },
    replicas: replicas
      .filter((replica) => replica !== home)
      .map((replica) => otherReplica(replica, { tableName, globalIndexes, isProvisioned })),
  };
}

interface SharedByReplicas {
  readonly tableName: string;
  readonly globalIndexes: readonly GlobalSecondaryIndex[] | undefined;
  readonly isProvisioned: boolean;
}

function otherReplica(replica: Replica, { tableName, globalIndexes, isProvisioned }: SharedByReplicas): DesiredReplica {
  const { region, settings, kmsMasterKeyId } = replica;
  const tableClass = replica.tableClass as 'STANDARD' | undefined;
  const indexes = [...replica.indexes].flatMap(([IndexName, index]): readonly ReplicaGlobalSecondaryIndex[] => {
    const reads = readsOfReplica(isProvisioned, index);
    return Object.keys(reads).length === 0 ? [] : [{ IndexName, ...reads }];
  });
  return {
    region,
    creation: {
      RegionName: region,
      ...optional('KMSMasterKeyId', kmsMasterKeyId),
      ...optional('TableClassOverride', tableClass),
      ...readsOfReplica(isProvisioned, replica),
      ...(indexes.length > 0 && { GlobalSecondaryIndexes: indexes }),
    },
    create: {
      TableName: tableName,
      ...optional('GlobalSecondaryIndexes', globalIndexes && [...globalIndexes]),
      ...optional('TableClass', tableClass),
      ...optional('DeletionProtectionEnabled', replica.protection),
      ...optional('Tags', replica.tags),
      ...optional('ResourcePolicy', replica.policy),
    },
    // The time to live is the same in all replicas, and is replicated.
    more: { ...settings, timeToLive: undefined, importSource: undefined },
  };
}

function readsOfReplica(
  isProvisioned: boolean,
  { readUnits, readUnitsMax }: Pick<ReplicaIndex, 'readUnits' | 'readUnitsMax'>,
): Pick<ReplicaGlobalSecondaryIndex, 'ProvisionedThroughputOverride' | 'OnDemandThroughputOverride'> {
  if (isProvisioned) {
    return optional(
      'ProvisionedThroughputOverride',
      readUnits === undefined ? undefined : { ReadCapacityUnits: readUnits },
    );
  }
  return optional(
    'OnDemandThroughputOverride',
    readUnitsMax === undefined ? undefined : { MaxReadRequestUnits: readUnitsMax },
  );
}

function readReplica(part: Properties): Replica {
  const indexes = new Map(
    part.list('GlobalSecondaryIndexes', (index): [string, ReplicaIndex] => [
      index.needText('IndexName'),
      { insights: readInsights(index), ...readReadSettings(index) },
    ]),
  );
  return {
    region: part.needText('Region'),
    settings: {
      pointInTimeRecovery: readRecovery(part),
      kinesis: readKinesis(part),
      insights: readInsights(part),
      indexInsights: new Map(
        [...indexes].flatMap(([name, { insights }]) => (insights === undefined ? [] : [[name, insights] as const])),
      ),
      streamPolicy: part.object('ReplicaStreamSpecification', readPolicy),
    },
    tableClass: part.text('TableClass'),
    kmsMasterKeyId: part.object('SSESpecification', (sse) => sse.text('KMSMasterKeyId')),
    protection: part.boolean('DeletionProtectionEnabled'),
    tags: readTags(part),
    policy: readPolicy(part),
    ...readReadSettings(part),
    indexes,
  };
}

function readIndex(part: Properties, isProvisioned: boolean, home: Replica): GlobalSecondaryIndex {
  const indexName = part.needText('IndexName');
  const atHome = home.indexes.get(indexName);
  return {
    IndexName: indexName,
    KeySchema: readKeySchema(part),
    Projection: readProjection(part),
    ...throughputOf(isProvisioned, {
      ...readWriteSettings(part, 'Write'),
      readUnits: atHome?.readUnits,
      readUnitsMax: atHome?.readUnitsMax,
    }),
    ...optional('WarmThroughput', readWarm(part)),
  };
}

function readReadSettings(part: Properties): Pick<ReplicaIndex, 'readUnits' | 'readUnitsMax'> {
  return {
    readUnits: part.object('ReadProvisionedThroughputSettings', (settings) => {
      const scaled = readScaledUnits(settings, 'ReadCapacityAutoScalingSettings');
      return settings.number('ReadCapacityUnits') ?? scaled;
    }),
    readUnitsMax: part.object('ReadOnDemandThroughputSettings', (settings) => settings.number('MaxReadRequestUnits')),
  };
}

function readWriteSettings(
  part: Properties,
  prefix: 'Write',
): { readonly writeUnits: number | undefined; readonly writeUnitsMax: number | undefined } {
  return {
    writeUnits: part.object(`${prefix}ProvisionedThroughputSettings`, (settings) =>
      readScaledUnits(settings, 'WriteCapacityAutoScalingSettings'),
    ),
    writeUnitsMax: part.object(`${prefix}OnDemandThroughputSettings`, (settings) =>
      settings.number('MaxWriteRequestUnits'),
    ),
  };
}

/** Scaling is not set up here: the initial units of the scaling settings are used throughout. */
function readScaledUnits(settings: Properties, name: string): number | undefined {
  return settings.object(name, (scaling) => {
    scaling.raw('TargetTrackingScalingPolicyConfiguration');
    scaling.raw('MaxCapacity');
    const least = scaling.number('MinCapacity');
    return scaling.number('SeedCapacity') ?? least;
  });
}

function throughputOf(
  isProvisioned: boolean,
  units: {
    readonly readUnits: number | undefined;
    readonly writeUnits: number | undefined;
    readonly readUnitsMax: number | undefined;
    readonly writeUnitsMax: number | undefined;
  },
): { readonly ProvisionedThroughput?: ProvisionedThroughput; readonly OnDemandThroughput?: OnDemandThroughput } {
  const { readUnits, writeUnits, readUnitsMax, writeUnitsMax } = units;
  if (isProvisioned) {
    // Absent units default to the minimum, where scaling would begin.
    return { ProvisionedThroughput: { ReadCapacityUnits: readUnits ?? 1, WriteCapacityUnits: writeUnits ?? 1 } };
  }
  if (readUnitsMax === undefined && writeUnitsMax === undefined) return {};
  return {
    OnDemandThroughput: {
      ...optional('MaxReadRequestUnits', readUnitsMax),
      ...optional('MaxWriteRequestUnits', writeUnitsMax),
    },
  };
}
