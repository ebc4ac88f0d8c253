import type { VectorDistanceFunction } from '../catalog/table-description.ts';

/**
 * An approximate index over vectors, in memory: finds most of the closest ones without comparing them all.
 *
 * Ids are whole numbers from 0 that the caller chooses and never uses twice. All calls are synchronous and must not be
 * re-entered. Vectors are not removed: the caller knows which ids are still valid, and makes a new graph when too many
 * are not. To drop a graph, release all references to it.
 */
export interface VectorGraph {
  /** The vector is copied, perhaps with less precision. */
  add(id: number, vector: Float32Array): void;
  /** Up to `count` ids, roughly the closest, roughly the closest first. */
  search(vector: Float32Array, count: number): readonly number[];
}

export interface VectorGraphOptions {
  readonly dimensions: number;
  readonly distanceFunction: VectorDistanceFunction;
}

export type CreateVectorGraph = (options: VectorGraphOptions) => VectorGraph;

/** Loads the graph library when the first graph is needed; undefined if there is none: then all searches are exact. */
export type LoadVectorGraphs = () => Promise<CreateVectorGraph | undefined>;
