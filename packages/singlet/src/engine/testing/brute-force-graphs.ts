import { distanceFrom } from '../vectors/vector-distance.ts';
import type { LoadVectorGraphs, VectorGraph, VectorGraphOptions } from '../vectors/vector-graph.ts';

/** A graph that compares everything: the behaviour that graphs must have, without any approximation. */
export class BruteForceGraph implements VectorGraph {
  readonly vectors = new Map<number, Float32Array>();
  readonly #options: VectorGraphOptions;
  /** How many searches it has answered. */
  searchCount = 0;

  constructor(options: VectorGraphOptions) {
    this.#options = options;
  }

  add(id: number, vector: Float32Array): void {
    if (this.vectors.has(id)) throw new Error(`id ${id} is used twice`);
    this.vectors.set(id, vector.slice());
  }

  search(vector: Float32Array, count: number): readonly number[] {
    this.searchCount += 1;
    const distance = distanceFrom(vector, this.#options.distanceFunction);
    const ranked = Array.from(this.vectors, ([id, other]) => ({ id, distance: distance.to(other) }));
    return ranked
      .toSorted((a, b) => a.distance - b.distance)
      .slice(0, count)
      .map(({ id }) => id);
  }
}

/** Makes such graphs, and keeps them for the test to inspect. */
export function bruteForceGraphs(): { readonly load: LoadVectorGraphs; readonly made: readonly BruteForceGraph[] } {
  const made: BruteForceGraph[] = [];
  const load: LoadVectorGraphs = () =>
    Promise.resolve((options) => {
      const graph = new BruteForceGraph(options);
      made.push(graph);
      return graph;
    });
  return { load, made };
}
