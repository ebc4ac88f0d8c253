import type { GlobalTableWitnessUpdate, ReplicaUpdate } from '../../engine/index.ts';
import { lengthAtLeast, lengthAtMost } from '../shapes/constraint.ts';
import { list, required, type RequiredMember, type Shape, string, structure } from '../shapes/shape.ts';
import { nameParameter } from './request-parameters.ts';
import { onDemandThroughputOverride, provisionedThroughputOverride, tableClass } from './table-members.ts';

/** The members of UpdateTable for the replicas of a table. */

type ReplicaSettings = NonNullable<ReplicaUpdate['create']>;
type ReplicaIndexSettings = NonNullable<ReplicaSettings['globalSecondaryIndexes']>[number];

const regionName: RequiredMember<string> = required(string());

const replicaIndex: Shape<ReplicaIndexSettings> = structure<ReplicaIndexSettings>('ReplicaGlobalSecondaryIndex', {
  indexName: required(nameParameter),
  provisionedThroughputOverride,
  onDemandThroughputOverride,
});

function replica(name: string): Shape<ReplicaSettings> {
  return structure<ReplicaSettings>(name, {
    regionName,
    kmsMasterKeyId: string(),
    provisionedThroughputOverride,
    onDemandThroughputOverride,
    globalSecondaryIndexes: list(replicaIndex, lengthAtLeast(1)),
    tableClassOverride: tableClass,
  });
}

export const replicaUpdates: Shape<readonly ReplicaUpdate[]> = list(
  structure<ReplicaUpdate>('ReplicationGroupUpdate', {
    create: replica('CreateReplicationGroupMemberAction'),
    update: replica('UpdateReplicationGroupMemberAction'),
    delete: structure<NonNullable<ReplicaUpdate['delete']>>('DeleteReplicationGroupMemberAction', { regionName }),
    disassociate: structure<NonNullable<ReplicaUpdate['disassociate']>>('DisassociateReplicationGroupMemberAction', {
      regionName: string(),
    }),
  }),
  lengthAtLeast(1),
);

export const globalTableWitnessUpdates: Shape<readonly GlobalTableWitnessUpdate[]> = list(
  structure<GlobalTableWitnessUpdate>('GlobalTableWitnessGroupUpdate', {
    create: structure<NonNullable<GlobalTableWitnessUpdate['create']>>('CreateGlobalTableWitnessGroupMemberAction', {
      regionName,
    }),
    delete: structure<NonNullable<GlobalTableWitnessUpdate['delete']>>('DeleteGlobalTableWitnessGroupMemberAction', {
      regionName,
    }),
  }),
  lengthAtLeast(1),
  lengthAtMost(1),
);
