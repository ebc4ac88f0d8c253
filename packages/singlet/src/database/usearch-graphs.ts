import type { Index as UsearchIndex } from 'usearch';
import type { CreateVectorGraph, VectorGraph } from '../engine/index.ts';

/*
 * Approximate vector indexes by USearch: hierarchical navigable small worlds, from a native library that comes with its npm
 * package. It is loaded when the first graph is built, and where there is no binary for the platform searches stay exact.
 *
 * Its `remove` is not used: of 2.25.3, after a few hundred vectors had gone in and out, it left vectors where they were, and then
 * did not return.
 */

/** Links of a node, and candidates looked at while it is linked and while the graph is asked. Chosen by measured recall. */
const graphSettings = { connectivity: 16, expansion_add: 128, expansion_search: 256 } as const;

/** Threads of one call. A call holds up the process either way, so the others are left to other work. */
const threads = 1;

/** @returns undefined where USearch has no binary. */
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
        // Half the memory of the full numbers, their whole range, and enough precision to find candidates.
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
