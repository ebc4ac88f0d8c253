import type { CatalogServices } from '../catalog/catalog-services.ts';
import { checkFence } from '../catalog/catalog.ts';
import { Nearest } from './nearest.ts';
import type { CurrentGraph } from './vector-graphs.ts';
import { type FoundEntries, type FoundEntry, type VectorQuery, VectorQueryReader } from './vector-query.ts';

/** The minimum number of candidates requested from a graph: a larger number contains more of the right ones. */
const candidateCountMin = 128;

/** Candidates per result. */
const candidatesPerResult = 4;

/** With filters, the maximum number of candidates to check; beyond that, all entries are compared instead. */
const candidateCountMax = 4096;

/**
 * Requests candidates from a graph, adds the entries that have changed meanwhile, and ranks them by the store: their present entries are read,
 * filtered and compared exactly. So no deleted or changed entry is answered, and scores are exact. Only the choice of
 * entries to compare is approximate.
 *
 * If too few pass the filters, it repeatedly requests four times as many candidates.
 *
 * @returns undefined if too few pass the filters among the maximum number of candidates: then an exact search is cheaper.
 * @throws {StaleTableError} if the table has changed since it was resolved.
 */
export async function searchApproximately(
  { store }: CatalogServices,
  query: VectorQuery,
  { graph, changedKeys }: CurrentGraph,
): Promise<FoundEntries | undefined> {
  const reader = new VectorQueryReader(query);
  let wanted = Math.max(candidateCountMin, candidatesPerResult * query.topK);
  for (;;) {
    const keys = distinctKeys(graph.search(query.vector, wanted), changedKeys);
    const nearest = await store.read([query.table.fenceKey, ...keys], ([fence, ...values]) => {
      checkFence(query.table, fence);
      const closest = new Nearest<FoundEntry>(query.topK);
      values.forEach((value, at) => {
        const key = keys[at];
        if (value === undefined || key === undefined) return;
        closest.offer(reader.distanceOf(key, value), key, () => reader.keep(key, value));
      });
      return closest;
    });
    if (nearest.isFull) return nearest.found;
    wanted *= 4;
    if (wanted > candidateCountMax) return undefined;
  }
}

function distinctKeys(...keys: readonly (readonly Buffer[])[]): readonly Buffer[] {
  return [...new Map(keys.flat().map((key) => [key.toString('latin1'), key])).values()];
}
