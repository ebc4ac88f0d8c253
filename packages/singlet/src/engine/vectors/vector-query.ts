import type { AttributeValue } from '../../values/attribute-value.ts';
import { attributeValuesEqual } from '../../values/compare.ts';
import { encodeKeySequence } from '../../values/key-bytes.ts';
import type { StoredItem } from '../layout/stored-item.ts';
import { type KeyRange, prefixRange } from '../items/key-range.ts';
import { partitionHash } from '../layout/partition-hash.ts';
import { spaceStart, storeKey } from '../layout/spaces.ts';
import type { Table, VectorIndex } from '../catalog/table.ts';
import { type Distance, distanceFrom } from './vector-distance.ts';
import type { Found } from './nearest.ts';
import { VectorEntryReader } from '../followers/vectors/vector-entry.ts';

/** A validated search of a vector index. */
export interface VectorQuery {
  readonly table: Table;
  readonly index: VectorIndex;
  readonly vector: Float32Array;
  readonly distance: Distance;
  readonly topK: number;
  readonly scope: VectorScope;
  /** The conditions on an item, besides being in the scope. */
  readonly filters: readonly InlineFilter[];
}

/** The part of an index that one search covers: all of it, or the entries of one value of the HASH attribute. */
export interface VectorScope {
  /** Unique to the scope. */
  readonly name: string;
  readonly range: KeyRange;
}

export interface InlineFilter {
  readonly attributeName: string;
  readonly value: AttributeValue;
}

/** A search result for one item. */
export interface FoundEntry {
  readonly item: StoredItem;
  /** A copy in memory of its own. */
  readonly vector: Float32Array;
}

export function vectorQueryOf(
  parts: Pick<VectorQuery, 'table' | 'index' | 'vector' | 'topK' | 'filters'>,
  partition: AttributeValue | undefined,
): VectorQuery {
  const { index, vector } = parts;
  return {
    ...parts,
    distance: distanceFrom(vector, index.vector.distanceFunction),
    scope: scopeOf(index, partition),
  };
}

function scopeOf({ space }: VectorIndex, partition: AttributeValue | undefined): VectorScope {
  if (partition === undefined) {
    return { name: String(space), range: { from: spaceStart(space), to: spaceStart(space + 1) } };
  }
  const prefix = storeKey(space, partitionHash(encodeKeySequence([partition])));
  return { name: prefix.toString('hex'), range: prefixRange(prefix) };
}

/** Reads an entry for a query: its distance, and its content if it passes the filters. */
export class VectorQueryReader {
  readonly #query: VectorQuery;
  readonly #entries: VectorEntryReader;

  constructor(query: VectorQuery) {
    this.#query = query;
    this.#entries = new VectorEntryReader(query.index);
  }

  distanceOf(key: Uint8Array, value: Uint8Array): number {
    return this.#query.distance.to(this.#entries.vectorOf(key, value));
  }

  /** A copy of the entry in memory of its own; undefined if it does not pass. */
  keep(key: Uint8Array, value: Uint8Array): FoundEntry | undefined {
    const item = this.#entries.itemOf(key, value);
    const passes = this.#query.filters.every(({ attributeName, value: wanted }) => {
      const present = item.getAttribute(attributeName);
      return present !== undefined && attributeValuesEqual(present, wanted);
    });
    return passes ? { item, vector: this.#entries.vectorOf(key, value).slice() } : undefined;
  }
}

export type FoundEntries = readonly Found<FoundEntry>[];
