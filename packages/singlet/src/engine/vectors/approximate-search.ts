import type { CatalogServices } from '../catalog/catalog-services.ts';
import { checkFence } from '../catalog/catalog.ts';
import { Nearest } from './nearest.ts';
import type { CurrentGraph } from './vector-graphs.ts';
import { type FoundEntries, type FoundEntry, type VectorQuery, VectorQueryReader } from './vector-query.ts';

/** Candidates that a graph is asked for at least: of more candidates more are the right ones. */
const candidateCountMin = 128;

/** Candidates per result. */
const candidatesPerResult = 4;

/** With filters, candidates that are looked at before all entries are compared instead. */
const candidateCountMax = 4096;

/**
 * Asks a graph for candidates, adds what has changed meanwhile, and ranks them by what the store holds: their entries, as they are now, are read, held against
 * the filters and compared exactly. So nothing is answered that has been deleted or changed since, and scores are exact; what
 * is approximate is only which entries were looked at.
 *
 * When filters leave too few, it asks for four times as many candidates, and again.
 *
 * @returns undefined when too few pass the filters among as many candidates as it looks at: then an exact search is cheaper.
 * @throws {StaleTableError} when the table has changed since it was resolved.
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
