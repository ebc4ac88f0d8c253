import type { Index as UsearchIndex } from 'usearch';
import type { CreateVectorGraph, VectorGraph } from '../engine/index.ts';

/*
 * Approximate vector indexes by USearch: hierarchical navigable small worlds, from a native library in an npm package. It is loaded when the
 * first graph is built. If there is no binary for the platform, searches stay exact.
 *
 * Its `remove` is not used: in version 2.25.3, after a few hundred vectors had been added and removed, it left vectors in place, and then did
 * not return.
 */

/** Links per node, and candidates examined when a node is added and when the graph is searched. Chosen by measured recall. */
const graphSettings = { connectivity: 16, expansion_add: 128, expansion_search: 256 } as const;

/** Threads of one call. A call blocks the process either way, so the other threads are left to other work. */
const threads = 1;

/** @returns undefined if USearch has no binary for this platform. */
export async function loadUsearchGraphs(): Promise<CreateVectorGraph | undefined> {
  const { default: usearch } = await import('usearch').catch(() => ({ default: undefined }));
  if (usearch === undefined) return undefined;
  const { Index, MetricKind, ScalarKind } = usearch;
  const metrics = { COSINE: MetricKind.Cos, EUCLIDEAN: MetricKind.L2sq, DOT_PRODUCT: MetricKind.IP };
  return ({ dimensions, distanceFunction }) =>
    new UsearchGraph(
      new Index({
        ...graphSettings,
        dimensions,
        metric: metrics[distanceFunction],
        // Half the memory of full precision, the same range, and enough precision to find candidates.
        quantization: ScalarKind.BF16,
        multi: false,
      }),
    );
}

class UsearchGraph implements VectorGraph {
  readonly #index: UsearchIndex;

  constructor(index: UsearchIndex) {
    this.#index = index;
  }

  add(id: number, vector: Float32Array): void {
    this.#index.add(BigUint64Array.of(BigInt(id)), vector, threads);
  }

  search(vector: Float32Array, count: number): readonly number[] {
    const wanted = Math.min(count, this.#index.size());
    if (wanted === 0) return [];
    return Array.from(this.#index.search(vector, wanted, threads).keys, Number);
  }
}
