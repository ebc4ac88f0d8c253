import { assert } from '../../values/assert.ts';
import { hashBytes } from '../layout/spaces.ts';
import { Partition, type PartitionOptions } from './partition.ts';
import { splitPoint } from './split-point.ts';

/** A partition's range: from `from` up to `to`, the beginning of the next. */
export interface PlacedPartition {
  readonly partition: Partition;
  /** Exclusive, without the space; undefined at the end. */
  readonly to: Buffer | undefined;
}

const spaceBytes = 4;

/**
 * The partitions of a table or index, in the order of their keys. Their ranges are disjoint and cover everything: one begins
 * at zero, each ends where the next begins, and the only change ever made to a partition is a split in two.
 */
export class PartitionMap {
  readonly #options: PartitionOptions;
  #partitions: Partition[];
  /** `hashFrom` of each, for binary search. */
  #hashes: number[];

  /** Partitions of equal width. */
  constructor(count: number, options: PartitionOptions, nowMs: number) {
    this.#options = options;
    const countMax = Math.min(Math.max(1, count), options.limits.partitionCountMax);
    this.#partitions = Array.from({ length: countMax }, (_, n) => {
      const from = Buffer.alloc(hashBytes);
      from.writeUInt32BE(Math.floor((n / countMax) * 2 ** 32), 0);
      return new Partition({ from, bytes: 0, samples: [], splitCount: 0 }, options, nowMs);
    });
    this.#hashes = this.#partitions.map(({ hashFrom }) => hashFrom);
  }

  get length(): number {
    return this.#partitions.length;
  }

  /** The partition of a store key, which begins with a space. */
  find(key: Uint8Array): Partition {
    return this.#partitions[this.#indexOf(key)] as Partition; // #indexOf returns a valid index
  }

  /** The partitions that a range of store keys touches, at least one. */
  covering(from: Uint8Array, to: Uint8Array): readonly PlacedPartition[] {
    const first = this.#indexOf(from);
    const placed = [this.#placed(first)];
    const isSameSpace = Buffer.compare(from.subarray(0, spaceBytes), to.subarray(0, spaceBytes)) === 0;
    for (let at = first + 1; at < this.#partitions.length; at += 1) {
      const next = this.#placed(at);
      if (isSameSpace && next.partition.from.compare(to, spaceBytes) >= 0) break;
      placed.push(next);
    }
    return placed;
  }

  /** All of them, in order. */
  placed(): readonly PlacedPartition[] {
    return this.#partitions.map((_, at) => this.#placed(at));
  }

  /**
   * Cuts a partition in two, each with throughput of its own from then on.
   *
   * @returns both parts; none when the partition cannot be split: it is a single item (or item collection), or the maximum
   *   number of partitions is reached.
   */
  split(partition: Partition, wholeCollections: boolean, nowMs: number): readonly Partition[] {
    const at = this.#partitions.indexOf(partition);
    assert(at >= 0, 'a partition that is split is one of the map');
    if (this.length >= this.#options.limits.partitionCountMax) return [];
    const point = splitPoint({ from: partition.from, to: this.#placed(at).to }, partition.samples, wholeCollections);
    if (point === undefined) return [];
    const splitCount = partition.splitCount + 1;
    const part = (from: Buffer, share: number, isIn: (key: Buffer) => boolean): Partition =>
      new Partition(
        { from, bytes: partition.bytes * share, samples: partition.samples.filter(isIn), splitCount },
        this.#options,
        nowMs,
      );
    const before = part(partition.from, point.shareBefore, (key) => key.compare(point.at) < 0);
    const after = part(point.at, 1 - point.shareBefore, (key) => key.compare(point.at) >= 0);
    this.#partitions.splice(at, 1, before, after);
    this.#hashes.splice(at, 1, before.hashFrom, after.hashFrom);
    return [before, after];
  }

  /** Splits the widest partitions until there are this many, after a rise of the throughput or of the data's size. */
  growTo(count: number, nowMs: number): void {
    while (this.length < Math.min(count, this.#options.limits.partitionCountMax)) {
      let widest = 0;
      for (let at = 1; at < this.length; at += 1) if (this.#width(at) > this.#width(widest)) widest = at;
      // Growth never divides an item collection: only heat and size do.
      if (this.split(this.#partitions[widest] as Partition, true, nowMs).length === 0) return;
    }
  }

  /** Distributes bytes evenly over all hashes. */
  addEvenly(bytes: number): void {
    this.#partitions.forEach((partition, at) => {
      partition.bytes = Math.max(0, partition.bytes + bytes * this.#width(at));
    });
  }

  /** The fraction of all hashes that a partition covers. */
  #width(at: number): number {
    const end = this.#hashes[at + 1] ?? 2 ** 32;
    return (end - (this.#hashes[at] as number)) / 2 ** 32; // an index of the map
  }

  #placed(at: number): PlacedPartition {
    return { partition: this.#partitions[at] as Partition, to: this.#partitions[at + 1]?.from };
  }

  /** The index of the last partition that begins at or before the key. */
  #indexOf(key: Uint8Array): number {
    const hashes = this.#hashes;
    if (hashes.length === 1) return 0;
    const hash =
      (((key[4] as number) << 24) | ((key[5] as number) << 16) | ((key[6] as number) << 8) | (key[7] as number)) >>> 0;
    let low = 0;
    let high = hashes.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((hashes[middle] as number) <= hash) low = middle;
      else high = middle - 1;
    }
    // Partitions that begin within the same hash, or nearly so, are distinguished by their whole keys.
    while (low > 0 && hashes[low] === hash && (this.#partitions[low] as Partition).from.compare(key, spaceBytes) > 0) {
      low -= 1;
    }
    return low;
  }
}
