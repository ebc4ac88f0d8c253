import type { Limits } from '../../values/limits.ts';
import { ThroughputMeter } from './throughput-meter.ts';

/** How many of the last sampled keys a partition remembers: they determine where to split it. */
const sampledKeysMax = 64;

/** The initial values of a partition. */
export interface PartitionStart {
  /** First key, without the space: hash of the partition key, then sort key. */
  readonly from: Buffer;
  readonly bytes: number;
  readonly samples: readonly Buffer[];
  /** How many splits its data has been through. */
  readonly splitCount: number;
}

/** What all partitions of a table or index have in common. */
export interface PartitionOptions {
  readonly limits: Limits;
  /** Whether requests wait for the buckets. */
  readonly throttles: boolean;
}

/**
 * A contiguous run of keys of a table or index, up to the next partition. It serves a fixed number of units a second, regardless
 * of its table's throughput: adaptive capacity leaves no other limit on a partition's share.
 */
export class Partition {
  readonly from: Buffer;
  /** First four bytes of `from`, as a number. */
  readonly hashFrom: number;
  readonly splitCount: number;
  readonly reads: ThroughputMeter;
  readonly writes: ThroughputMeter;
  /** Estimated: the data present at the start is assumed to be spread evenly. */
  bytes: number;
  readonly #samples: Buffer[];
  #nextSample: number;

  constructor({ from, bytes, samples, splitCount }: PartitionStart, options: PartitionOptions, nowMs: number) {
    const { limits, throttles } = options;
    const meter = (unitsPerSecond: number): ThroughputMeter =>
      new ThroughputMeter({ unitsPerSecond, burstSeconds: 1, sinceMs: nowMs, throttles }, nowMs);
    this.from = from;
    this.hashFrom = from.readUInt32BE(0);
    this.splitCount = splitCount;
    this.reads = meter(limits.partitionReadCapacityUnitsMax);
    this.writes = meter(limits.partitionWriteCapacityUnitsMax);
    this.bytes = bytes;
    this.#samples = samples.slice(-sampledKeysMax);
    this.#nextSample = this.#samples.length % sampledKeysMax;
  }

  get samples(): readonly Buffer[] {
    return this.#samples;
  }

  /** Remembers a key (without the space) as a sample of the demand. */
  sample(key: Uint8Array): void {
    this.#samples[this.#nextSample] = Buffer.from(key);
    this.#nextSample = (this.#nextSample + 1) % sampledKeysMax;
  }

  /** After a split that was not possible: the heat is counted from zero again. */
  coolDown(): void {
    this.reads.hotSeconds = 0;
    this.writes.hotSeconds = 0;
  }
}
