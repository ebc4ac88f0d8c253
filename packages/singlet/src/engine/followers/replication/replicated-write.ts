import type { StoreValue, StoreWrite } from '../../../storage/store.ts';
import type { ReplicatedFrom } from '../item-follower.ts';
import type { ItemKey } from '../../catalog/item-key.ts';
import { expiryEntry } from '../expiry/expiry-index.ts';
import { compareVersions, decodeMark, encodeMark, nextVersion } from '../../catalog/item-version.ts';
import type { OpenReplication } from '../../catalog/open-replication.ts';

/*
 * The writes that an item write adds in a table that has replicas, in the item's own decision:
 *
 *     version space | hash | sort key of the item                          its version, kept after its deletion for a while
 *     tombstone space | bucket | seconds | hash, sort key of the item      for a deleted item: when it was deleted
 *     pending space of a region | hash | sort key of the item              the version that is pending for this region
 *
 * The pending items of a region are a set, not a list of changes: an item that changes ten times before the region can be
 * reached is sent once, in its latest state. So the set is never larger than the table, however long a region is unreachable.
 *
 * Decision 0017 says why.
 */

/** Not a fault: signals that the item has a later version here than the one that was sent. */
export class SupersededSignal extends Error {
  constructor() {
    super('a later write has won');
    this.name = 'SupersededSignal';
  }
}

/**
 * The writes that accompany a change of an item.
 *
 * @param mark - the value under the item's version key.
 * @param change - whether an item existed before the write, and whether one exists after it.
 * @param from - undefined for a write that is made here.
 * @throws {SupersededSignal} when the version that was sent is not later than the one here.
 */
export function replicatedWrites(
  replication: OpenReplication,
  key: ItemKey,
  mark: StoreValue,
  change: { readonly wasThere: boolean; readonly isThere: boolean; readonly nowMs: number },
  from: ReplicatedFrom | undefined,
): readonly StoreWrite[] {
  const itemKey = key.storeKey;
  const before = mark && decodeMark(mark);
  if (from !== undefined && before !== undefined && compareVersions(from.version, before.version) <= 0) {
    throw new SupersededSignal();
  }
  // Deleting an item that does not exist is not a write.
  if (from === undefined && !change.wasThere && !change.isThere) return [];
  const version = from?.version ?? nextVersion(before?.version, change.nowMs, replication.region);
  const atSeconds = Math.floor(change.nowMs / 1000);
  const tombstones = { space: replication.record.tombstoneSpace };
  const writes: StoreWrite[] = [];
  if (before?.deleted !== undefined) {
    writes.push({ key: expiryEntry(tombstones, before.deleted.atSeconds, itemKey).key, value: undefined });
  }
  if (!change.isThere) writes.push(expiryEntry(tombstones, atSeconds, itemKey));
  const value = encodeMark(change.isThere ? { version } : { version, deleted: { atSeconds, key: key.attributes } });
  writes.push({ key: replication.versionKey(itemKey), value });
  // While a replica is being filled, the region that fills it also passes its items on, so this replica need not.
  if (from !== undefined && replication.record.awaitsItemsSince !== undefined) return writes;
  for (const { regionName, owedSpace } of replication.record.peers) {
    // Every change is passed on, except to its sender and its origin, so a region that one region cannot reach is reached through a
    // third. A version that a region already has changes nothing there, and is not passed on.
    if (regionName === from?.sender || regionName === version.region) continue;
    writes.push({ key: replication.pendingKey(owedSpace, itemKey), value });
  }
  return writes;
}
