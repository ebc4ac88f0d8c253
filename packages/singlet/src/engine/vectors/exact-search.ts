import { justAfter } from '../items/key-range.ts';
import type { CatalogServices } from '../catalog/catalog-services.ts';
import { checkFence } from '../catalog/catalog.ts';
import { Nearest } from './nearest.ts';
import { type FoundEntries, type FoundEntry, type VectorQuery, VectorQueryReader } from './vector-query.ts';

/** Bytes of entries compared in one step, before yielding to other requests. */
const stepBytes = 4 * 1024 * 1024;

/**
 * Compares every entry of the scope, step by step. Concurrent writes may be seen or not; an item is seen at most
 * once, because its entry has one key in a scope.
 *
 * @returns the number of entries, too.
 * @throws {StaleTableError} if the table has changed since it was resolved.
 */
export async function searchExactly(
  { store, environment }: CatalogServices,
  query: VectorQuery,
): Promise<{ readonly found: FoundEntries; readonly entryCount: number }> {
  await store.read([query.table.fenceKey], ([fence]) => checkFence(query.table, fence));
  const nearest = new Nearest<FoundEntry>(query.topK);
  const reader = new VectorQueryReader(query);
  let entryCount = 0;
  let { from } = query.scope.range;
  for (;;) {
    let bytes = 0;
    let last = from;
    const end = await store.range({ from, to: query.scope.range.to }, (key, value) => {
      entryCount += 1;
      nearest.offer(reader.distanceOf(key, value), key, () => reader.keep(key, value));
      bytes += value.length;
      if (bytes < stepBytes) return true;
      last = Buffer.from(key);
      return false;
    });
    if (end === 'end') return { found: nearest.found, entryCount };
    from = justAfter(last);
    await environment.tasks.pause(0);
  }
}
