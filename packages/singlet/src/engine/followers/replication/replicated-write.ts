import type { StoreValue, StoreWrite } from '../../../storage/store.ts';
import type { ReplicatedFrom } from '../item-follower.ts';
import type { ItemKey } from '../../catalog/item-key.ts';
import { expiryEntry } from '../expiry/expiry-index.ts';
import { compareVersions, decodeMark, encodeMark, nextVersion } from '../../catalog/item-version.ts';
import type { OpenReplication } from '../../catalog/open-replication.ts';

/*
 * What an item write adds in a table that has replicas, in the item's own decision:
 *
 *     version space | hash | sort key of the item                          its version, kept after its deletion for a while
 *     tombstone space | bucket | seconds | hash, sort key of the item      for a deleted item: when it was deleted
 *     pending space of a region | hash | sort key of the item              the version that is pending for this region
 *
 * What is pending for a region is a set of items, not a list of changes: an item that changes ten times before the region can be
 * reached is sent once, as it is then. So the set is never larger than the table, however long a region is away.
 *
 * Decision 0017 says why.
 */

/** Not an error: the signal that an item has a later version here than the one that was sent. */
export class SupersededSignal extends Error {
  constructor() {
    super('a later write has won');
    this.name = 'SupersededSignal';
  }
}

/**
 * The writes that go with a change of an item.
 *
 * @param mark - what was read under the item's version key.
 * @param change - whether there was an item before the write, and is one after it.
 * @param from - undefined for a write that is made here.
 * @throws {SupersededSignal} when what was sent is not later than what is here.
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
  // Deleting what is not there is no write of anybody.
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
  // A replica that is being filled has nothing that the one that fills it does not pass on itself.
  if (from !== undefined && replication.record.awaitsItemsSince !== undefined) return writes;
  for (const { regionName, owedSpace } of replication.record.peers) {
    // Everything is passed on but to where it came from: a region that another one cannot reach is reached by a third. What a
    // region knows already changes nothing there, and goes no further.
    if (regionName === from?.sender || regionName === version.region) continue;
    writes.push({ key: replication.pendingKey(owedSpace, itemKey), value });
  }
  return writes;
}
