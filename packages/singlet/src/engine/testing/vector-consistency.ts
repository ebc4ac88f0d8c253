import type { Store } from '../../storage/store.ts';
import type { StoredItem } from '../layout/stored-item.ts';
import { spaceStart } from '../layout/spaces.ts';
import type { VectorIndex } from '../catalog/table.ts';
import { VectorEntryReader } from '../followers/vectors/vector-entry.ts';
import { readJournal, readJournalHeads, journalBucketChanges } from '../followers/vectors/vector-journal.ts';

/** The entries of a vector index, by store key. */
export async function vectorEntriesOf(
  store: Store,
  index: VectorIndex,
): Promise<ReadonlyMap<string, { readonly item: StoredItem; readonly vector: Float32Array }>> {
  const reader = new VectorEntryReader(index);
  const entries = new Map<string, { readonly item: StoredItem; readonly vector: Float32Array }>();
  await store.range({ from: spaceStart(index.space), to: spaceStart(index.space + 1) }, (key, value) => {
    const vector = reader.vectorOf(key, value).slice();
    entries.set(Buffer.from(key).toString('latin1'), { item: reader.itemOf(key, value), vector });
    return true;
  });
  return entries;
}

/** Whether the journal of an index can be read from its oldest entry, with no change missing. */
export async function findJournalInconsistencies(store: Store, index: VectorIndex): Promise<readonly string[]> {
  const heads = await readJournalHeads(store, index);
  const since = heads.map((head) => Math.max(0, head - journalBucketChanges));
  const changed = await readJournal(store, index, since, heads);
  return changed === undefined ? [`the journal of ${index.indexName} lacks a change`] : [];
}
