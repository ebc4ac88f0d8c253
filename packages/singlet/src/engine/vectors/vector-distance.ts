import type { VectorDistanceFunction } from '../catalog/table-description.ts';

/** The distance between a vector and the search vector. */
export interface Distance {
  /** The value to rank by: the lower, the closer. */
  to(vector: Float32Array): number;
  /** The score in the answer for a distance: for DOT_PRODUCT higher is closer. */
  scoreOf(distance: number): number;
}

/**
 * Computed with doubles from 32-bit numbers, and answered as 32-bit numbers within their range, like the service:
 *
 *     COSINE       1 - a.b / |a||b|, from 0 to 2; 1 when one of the two is zero throughout
 *     EUCLIDEAN    |a - b|
 *     DOT_PRODUCT  a.b
 */
export function distanceFrom(query: Float32Array, distanceFunction: VectorDistanceFunction): Distance {
  switch (distanceFunction) {
    case 'COSINE': {
      const querySquare = dotProduct(query, query);
      return { to: (vector) => cosineDistance(query, querySquare, vector), scoreOf: asFloat };
    }
    case 'EUCLIDEAN':
      return { to: (vector) => euclideanDistance(query, vector), scoreOf: asFloat };
    case 'DOT_PRODUCT':
      // Subtracting from zero avoids -0.
      return { to: (vector) => -dotProduct(query, vector), scoreOf: (distance) => asFloat(0 - distance) };
  }
}

function cosineDistance(query: Float32Array, querySquare: number, vector: Float32Array): number {
  let dot = 0;
  let square = 0;
  for (let at = 0; at < query.length; at += 1) {
    const element = vector[at] as number; // both have the dimensions of the index
    dot += (query[at] as number) * element;
    square += element * element;
  }
  if (querySquare === 0 || square === 0) return 1;
  // One root of the product is exact for a vector and itself.
  return Math.min(2, Math.max(0, 1 - dot / Math.sqrt(querySquare * square)));
}

function euclideanDistance(query: Float32Array, vector: Float32Array): number {
  let square = 0;
  for (let at = 0; at < query.length; at += 1) {
    const difference = (query[at] as number) - (vector[at] as number);
    square += difference * difference;
  }
  return Math.sqrt(square);
}

function dotProduct(query: Float32Array, vector: Float32Array): number {
  let dot = 0;
  for (let at = 0; at < query.length; at += 1) dot += (query[at] as number) * (vector[at] as number);
  return dot;
}

const floatMax = 3.4028234663852886e38;

function asFloat(score: number): number {
  return Math.fround(Math.min(floatMax, Math.max(-floatMax, score)));
}
