import type { StoreWrite } from '../../storage/store.ts';
import { textHash } from '../layout/partition-hash.ts';
import { spacePurgeWrite } from '../tables/purge.ts';
import type { SpaceCounter } from '../catalog/space-counter.ts';
import type { TableRecord } from '../catalog/table-record.ts';
import { compareVersions } from '../catalog/item-version.ts';
import { otherMembers } from '../catalog/open-replication.ts';
import { copyKey, leaseKey } from './replication-keys.ts';
import { listedReplica, unlistedReplica } from './replicated-tables.ts';
import type { MemberRecord, ReplicationRecord } from '../catalog/replication-record.ts';

/** The definition of a global table that all its replicas share and send to each other. */
export type ReplicaDefinition = Pick<ReplicationRecord, 'groupId' | 'members' | 'settings' | 'settingsVersion'>;

export function definitionOf({ groupId, members, settings, settingsVersion }: ReplicaDefinition): ReplicaDefinition {
  return { groupId, members, settings, settingsVersion };
}

/** Equal for two replicas with the same definition. The order of the members may differ between replicas. */
export function digestOf({ members, settings, settingsVersion }: ReplicaDefinition): string {
  const sorted = members.toSorted((a, b) => (a.regionName < b.regionName ? -1 : 1));
  return Buffer.from(textHash('replicas', JSON.stringify([sorted, settings, settingsVersion]))).toString('hex');
}

/** Merges two definitions of a global table: the later version of each replica, and of the settings, wins. */
export function mergedDefinition(known: ReplicaDefinition, told: ReplicaDefinition): ReplicaDefinition {
  const members = known.members.map((member) => {
    const other = told.members.find(({ regionName }) => regionName === member.regionName);
    return other !== undefined && compareVersions(other.version, member.version) > 0 ? other : member;
  });
  const names = new Set(members.map(({ regionName }) => regionName));
  const isNewer = compareVersions(told.settingsVersion, known.settingsVersion) > 0;
  return {
    groupId: known.groupId,
    members: [...members, ...told.members.filter(({ regionName }) => !names.has(regionName))],
    settings: isNewer ? told.settings : known.settings,
    settingsVersion: isNewer ? told.settingsVersion : known.settingsVersion,
  };
}

/** The definition with one replica's entry replaced. */
export function withMember(definition: ReplicaDefinition, member: MemberRecord): ReplicaDefinition {
  const isKnown = definition.members.some(({ regionName }) => regionName === member.regionName);
  return {
    ...definition,
    members: isKnown
      ? definition.members.map((other) => (other.regionName === member.regionName ? member : other))
      : [...definition.members, member],
  };
}

export interface ReplicationChange {
  readonly record: TableRecord;
  readonly writes: readonly StoreWrite[];
  /** The space that identifies a recorded purge, which the caller must start; undefined for none. */
  readonly purge: number | undefined;
}

/**
 * A table's record under another definition of its global table. New regions get a space for their pending items;
 * the spaces of removed regions are purged. If no other replica is left, the table is a table in one region again.
 */
export function changeReplication(
  record: TableRecord,
  definition: ReplicaDefinition,
  spaces: SpaceCounter,
): ReplicationChange {
  const { replication: before, ...rest } = record;
  const others = otherMembers({ ...emptyReplication, ...definition }, record.region);
  const self = definition.members.find(({ regionName }) => regionName === record.region);
  // A replica that leaves removes itself.
  if (others.length === 0 && self?.state === 'active') {
    if (before === undefined) return { record, writes: [], purge: undefined };
    const freed = [before.versionSpace, before.tombstoneSpace, ...before.peers.map(({ owedSpace }) => owedSpace)];
    return { record: rest, ...purged(record, freed, endOfReplication(record)) };
  }
  const freed = (before?.peers ?? []).filter(
    (peer) => !others.some(({ regionName }) => regionName === peer.regionName),
  );
  const next: ReplicationRecord = {
    ...definition,
    peers: others.map(
      ({ regionName }) =>
        before?.peers.find((peer) => peer.regionName === regionName) ?? { regionName, owedSpace: spaces.next() },
    ),
    versionSpace: before?.versionSpace ?? spaces.next(),
    tombstoneSpace: before?.tombstoneSpace ?? spaces.next(),
    ...(before?.awaitsItemsSince !== undefined && { awaitsItemsSince: before.awaitsItemsSince }),
  };
  const listed = before === undefined ? [listedReplica(record)] : [];
  const freedSpaces = freed.map(({ owedSpace }) => owedSpace);
  return { record: { ...rest, replication: next }, ...purged(record, freedSpaces, listed) };
}

/** Removes a replica's entries outside its own spaces. */
export function endOfReplication({ itemSpace, replication }: TableRecord): readonly StoreWrite[] {
  const regionNames = replication?.peers.map(({ regionName }) => regionName) ?? [];
  const keys = [leaseKey(itemSpace), ...regionNames.map((regionName) => copyKey(itemSpace, regionName))];
  return [unlistedReplica({ itemSpace }), ...keys.map((key) => ({ key, value: undefined }))];
}

const emptyReplication = { peers: [], versionSpace: 0, tombstoneSpace: 0 };

function purged(
  record: TableRecord,
  freed: readonly number[],
  writes: readonly StoreWrite[],
): Pick<ReplicationChange, 'writes' | 'purge'> {
  const [first] = freed;
  return first === undefined
    ? { writes, purge: undefined }
    : { writes: [...writes, spacePurgeWrite(record, first, { others: freed.slice(1) })], purge: first };
}
