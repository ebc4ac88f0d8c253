import type { Store } from '../../storage/store.ts';
import { hashOf, restOf, spaceStart } from '../layout/spaces.ts';
import { compareVersions, decodeMark, type ItemMark } from '../catalog/item-version.ts';
import type { Table } from '../catalog/table.ts';
import { expiryEntry } from '../followers/expiry/expiry-index.ts';

/**
 * Checks that the versions of a table's items, the tombstones, and the items pending for other regions agree with the
 * items.
 *
 * @returns one sentence for each inconsistency; none if there is none.
 */
export async function findReplicationInconsistencies(store: Store, table: Table): Promise<readonly string[]> {
  const { replication } = table;
  if (replication === undefined) return [];
  const { versionSpace, tombstoneSpace, peers } = replication.record;
  const problems: string[] = [];
  const items = new Set((await entriesOf(store, table.record.itemSpace)).keys());
  const marks = await entriesOf(store, versionSpace);
  const tombstones = new Set<string>();
  for (const [place, value] of marks) {
    const mark = decodeMark(value);
    if (mark.deleted === undefined) {
      if (!items.has(place)) problems.push(`a version of no item: ${text(mark)}`);
      continue;
    }
    if (items.has(place)) problems.push(`an item that is there is said to be deleted: ${text(mark)}`);
    const entry = expiryEntry({ space: tombstoneSpace }, mark.deleted.atSeconds, itemKeyOf(place));
    tombstones.add(Buffer.from(entry.key).toString('latin1'));
  }
  const listed = new Set<string>();
  await store.range({ from: spaceStart(tombstoneSpace), to: spaceStart(tombstoneSpace + 1) }, (key) => {
    listed.add(Buffer.from(key).toString('latin1'));
    return true;
  });
  for (const key of listed) if (!tombstones.has(key)) problems.push('a tombstone of no deleted item');
  for (const key of tombstones) if (!listed.has(key)) problems.push('a deleted item without a tombstone');
  for (const { regionName, owedSpace } of peers) {
    for (const [place, value] of await entriesOf(store, owedSpace)) {
      const known = marks.get(place);
      const pending = decodeMark(value);
      if (known === undefined) problems.push(`pending for ${regionName} is what is not known: ${text(pending)}`);
      else if (compareVersions(pending.version, decodeMark(known).version) > 0) {
        problems.push(`pending for ${regionName} is a later version than there is: ${text(pending)}`);
      }
    }
  }
  return problems;
}

/** By hash and sort key. */
async function entriesOf(store: Store, spaceId: number): Promise<Map<string, Buffer>> {
  const entries = new Map<string, Buffer>();
  await store.range({ from: spaceStart(spaceId), to: spaceStart(spaceId + 1) }, (key, value) => {
    const copy = Buffer.from(key);
    entries.set(Buffer.concat([hashOf(copy), restOf(copy)]).toString('latin1'), Buffer.from(value));
    return true;
  });
  return entries;
}

/** A key in the form of an item's key: only hash and sort key are read. */
function itemKeyOf(place: string): Buffer {
  return Buffer.concat([Buffer.alloc(4), Buffer.from(place, 'latin1')]);
}

function text(mark: ItemMark): string {
  return JSON.stringify(mark);
}
