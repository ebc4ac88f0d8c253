import type {
  ReplicaDescription,
  ReplicaIndexDescription,
  TableDescription,
  WarmThroughput,
  WarmThroughputDescription,
} from '../catalog/table-description.ts';
import type { TableRecord } from '../catalog/table-record.ts';
import { otherMembers } from '../catalog/open-replication.ts';
import type { MemberRecord, SharedSettings } from '../catalog/replication-record.ts';

/**
 * The replicas in a table's description: the other regions, never its own.
 *
 * @param shown - the record that the replicas are read from: an answer to a change shows them as they were before.
 */
export function describeReplicas(
  { replication, region }: TableRecord,
  shown?: TableRecord,
): Pick<TableDescription, 'globalTableVersion' | 'replicas' | 'globalTableSettingsReplicationMode'> {
  if (replication === undefined) return {};
  const source = shown === undefined ? replication : shown.replication;
  return {
    globalTableVersion: '2019.11.21',
    replicas:
      source === undefined ? [] : otherMembers(source, region).map((member) => describeMember(member, source.settings)),
    globalTableSettingsReplicationMode: 'ENABLED_WITH_OVERRIDES',
  };
}

function describeMember(member: MemberRecord, settings: SharedSettings): ReplicaDescription {
  const { overrides, kmsMasterKeyId } = member;
  const tableClass = overrides.tableClass ?? settings.tableClass;
  const globalSecondaryIndexes = settings.globalIndexes.map(
    ({ indexName, warmThroughput }): ReplicaIndexDescription => ({
      indexName,
      ...describeOverrides(overrides.indexes?.[indexName]),
      ...describeWarm(warmThroughput),
    }),
  );
  return {
    regionName: member.regionName,
    replicaStatus: statusOf(member),
    ...(kmsMasterKeyId !== undefined && settings.encryption !== 'default' && { kmsMasterKeyId }),
    ...describeOverrides(overrides),
    ...describeWarm(settings.warmThroughput),
    ...(globalSecondaryIndexes.length > 0 && { globalSecondaryIndexes }),
    ...(tableClass !== undefined && { replicaTableClassSummary: { tableClass } }),
    globalTableSettingsReplicationMode: 'ENABLED_WITH_OVERRIDES',
  };
}

export function statusOf({ state }: MemberRecord): ReplicaDescription['replicaStatus'] {
  switch (state) {
    case 'creating':
      return 'CREATING';
    case 'active':
      return 'ACTIVE';
    case 'deleting':
    case 'gone':
      return 'DELETING';
  }
}

function describeOverrides(
  overrides: { readonly readCapacityUnits?: number; readonly maxReadRequestUnits?: number } = {},
): Pick<ReplicaDescription, 'provisionedThroughputOverride' | 'onDemandThroughputOverride'> {
  const { readCapacityUnits, maxReadRequestUnits } = overrides;
  return {
    ...(readCapacityUnits !== undefined && { provisionedThroughputOverride: { readCapacityUnits } }),
    ...(maxReadRequestUnits !== undefined && { onDemandThroughputOverride: { maxReadRequestUnits } }),
  };
}

function describeWarm(warmThroughput: WarmThroughput | undefined): {
  readonly warmThroughput?: WarmThroughputDescription;
} {
  return warmThroughput === undefined ? {} : { warmThroughput: { ...warmThroughput, status: 'ACTIVE' } };
}
