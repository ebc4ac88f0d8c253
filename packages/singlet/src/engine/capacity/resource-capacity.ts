import type { Limits } from '../../values/limits.ts';
import type { HeatRecord } from './heat-record.ts';
import type { KeyInsights } from './key-insights.ts';
import type { Partition } from './partition.ts';
import { PartitionMap, type PlacedPartition } from './partition-map.ts';
import type { ConsumptionNote, SharedConsumption } from './shared-consumption.ts';
import { ThroughputMeter } from './throughput-meter.ts';
import type { ThrottlingRecord } from './throttling-record.ts';
import type { ThroughputKind, ThroughputLimit, ThroughputSettings } from './throughput-settings.ts';

export interface ResourceOptions {
  readonly limits: Limits;
  readonly throttles: boolean;
  /** Whether requests above the throughput are refused. Otherwise they are only recorded. */
  readonly refuses: boolean;
  /** When the table was created: unused throughput is saved from then on. */
  readonly createdAtMs: number;
  /** Whether an item collection stays in one partition, as it does where there is a local index. */
  readonly wholeCollections: boolean;
}

const spaceBytes = 4;

/** About one key in this many is remembered, to choose where to split partitions. */
const sampleInterval = 16;

/**
 * The throughput and consumption of a table or a global index, as a whole and by partition. A model, in the memory of this
 * process: it is created again, from throughput and size, when the process starts.
 */
export class ResourceCapacity {
  readonly reads: ThroughputMeter;
  readonly writes: ThroughputMeter;
  readonly partitions: PartitionMap;
  readonly throttles: boolean;
  readonly refuses: boolean;
  /** The consumption to report to other processes, if there are any. */
  shared: SharedConsumption | undefined;
  /** The requests that were refused, or would have been; undefined as long as there are none. */
  throttling: ThrottlingRecord | undefined;
  /** The keys that are most accessed, if they are counted. */
  insights: KeyInsights | undefined;
  /** Consumption by hash and time, once it has been requested. */
  heat: HeatRecord | undefined;
  readonly #limits: Limits;
  readonly #wholeCollections: boolean;
  #settings: ThroughputSettings;
  #untilSample: number = sampleInterval;
  #sampleState = 1;

  constructor(settings: ThroughputSettings, options: ResourceOptions, nowMs: number) {
    const { limits, throttles, createdAtMs } = options;
    const meter = (unitsPerSecond: number): ThroughputMeter =>
      new ThroughputMeter(
        { unitsPerSecond, burstSeconds: settings.burstSeconds, sinceMs: createdAtMs, throttles },
        nowMs,
      );
    this.#settings = settings;
    this.#limits = limits;
    this.#wholeCollections = options.wholeCollections;
    this.throttles = throttles;
    this.refuses = options.refuses;
    this.reads = meter(settings.reads.unitsPerSecond);
    this.writes = meter(settings.writes.unitsPerSecond);
    this.partitions = new PartitionMap(settings.partitionCount, { limits, throttles }, nowMs);
  }

  get settings(): ThroughputSettings {
    return this.#settings;
  }

  /** Applies a throughput that changed at that time. The number of partitions may grow but never shrinks. */
  configure(settings: ThroughputSettings, nowMs: number): void {
    this.#settings = settings;
    this.reads.configure(settings.reads.unitsPerSecond, settings.burstSeconds, nowMs);
    this.writes.configure(settings.writes.unitsPerSecond, settings.burstSeconds, nowMs);
    this.partitions.growTo(settings.partitionCount, nowMs);
  }

  consumeRead(key: Uint8Array, units: number, reservedUnits: number, nowMs: number): void {
    const bucketUnits = this.reads.consume(units, reservedUnits, nowMs);
    const partition = this.partitions.find(key);
    partition.reads.consume(units, reservedUnits, nowMs);
    this.shared?.consumed('Read', { partition, key }, units, bucketUnits);
    this.#afterUse(partition, key, nowMs);
  }

  consumeWrite(key: Uint8Array, units: number, reservedUnits: number, bytesDelta: number, nowMs: number): void {
    const bucketUnits = this.writes.consume(units, reservedUnits, nowMs);
    const partition = this.partitions.find(key);
    partition.writes.consume(units, reservedUnits, nowMs);
    this.shared?.consumed('Write', { partition, key }, units, bucketUnits);
    this.#afterUse(partition, key, nowMs);
    if (bytesDelta !== 0) this.changeSize(key, bytesDelta, nowMs);
  }

  /** Distributes a page read from a range of keys over the partitions that it touched, by the hashes of each. */
  consumeRange(from: Uint8Array, to: Uint8Array, units: number, reservedUnits: number, nowMs: number): void {
    const touched = this.partitions.length === 1 ? [] : this.partitions.covering(from, to);
    if (touched.length <= 1) {
      this.consumeRead(from, units, reservedUnits, nowMs);
      return;
    }
    const bucketUnits = this.reads.consume(units, reservedUnits, nowMs);
    const widths = touched.map((placed) => overlap(placed, from, to));
    const total = widths.reduce((sum, width) => sum + width, 0);
    touched.forEach(({ partition }, n) => {
      const share = total === 0 ? 1 / touched.length : (widths[n] as number) / total; // one width each
      partition.reads.consume(units * share, n === 0 ? reservedUnits : 0, nowMs);
      const key = n === 0 ? from : Buffer.concat([from.subarray(0, spaceBytes), partition.from]);
      this.shared?.consumed('Read', { partition, key }, units * share, bucketUnits * share);
      this.#afterUse(partition, n === 0 ? from : undefined, nowMs);
    });
  }

  /** Adds the consumption of another process. */
  consumeElsewhere({ uses }: Pick<ConsumptionNote, 'uses'>, nowMs: number): void {
    for (const { kind, key: text, units, bucketUnits } of uses) {
      const key = Buffer.from(text, 'base64');
      const partition = this.partitions.find(key);
      const [whole, part] = kind === 'Read' ? [this.reads, partition.reads] : [this.writes, partition.writes];
      whole.consumeElsewhere(units, bucketUnits, nowMs);
      part.consumeElsewhere(units, bucketUnits, nowMs);
      this.#afterUse(partition, key, nowMs);
    }
  }

  changeSize(key: Uint8Array, bytesDelta: number, nowMs: number): void {
    const partition = this.partitions.find(key);
    partition.bytes = Math.max(0, partition.bytes + bytesDelta);
    this.#splitTooLarge(partition, nowMs);
  }

  /** Sets the total size, and splits partitions that have become too large. */
  resize(sizeBytes: number, nowMs: number): void {
    const known = this.partitions.placed().reduce((sum, { partition }) => sum + partition.bytes, 0);
    this.partitions.addEvenly(sizeBytes - known);
    for (const { partition } of this.partitions.placed()) this.#splitTooLarge(partition, nowMs);
  }

  /**
   * The limits that a request on this key exceeds now. If there are none, the request may continue and units are reserved for it. Where
   * nothing is refused, a request over a limit continues as well and does not use the buckets.
   */
  refusal(kind: ThroughputKind, key: Uint8Array, leastUnits: number, nowMs: number): readonly ThroughputLimit[] {
    const partition = this.partitions.find(key);
    const [whole, part, rate] =
      kind === 'Read'
        ? [this.reads, partition.reads, this.#settings.reads]
        : [this.writes, partition.writes, this.#settings.writes];
    const met: ThroughputLimit[] = [];
    if (whole.isExhausted(nowMs)) met.push(rate.limit);
    if (part.isExhausted(nowMs)) met.push('KeyRangeThroughputExceeded');
    if (met.length === 0) {
      whole.reserve(leastUnits, nowMs);
      part.reserve(leastUnits, nowMs);
      return met;
    }
    whole.throttledCount += 1;
    if (met.includes('KeyRangeThroughputExceeded')) part.throttledCount += 1;
    if (!this.refuses) {
      whole.leaveOut(nowMs);
      part.leaveOut(nowMs);
    }
    return met;
  }

  #afterUse(partition: Partition, key: Uint8Array | undefined, nowMs: number): void {
    this.#untilSample -= 1;
    if (this.#untilSample <= 0 && key !== undefined) this.#sample(partition, key);
    const heatSeconds = this.#limits.partitionHeatSeconds;
    if (partition.reads.hotSeconds >= heatSeconds || partition.writes.hotSeconds >= heatSeconds) {
      // A partition of a single item cannot be split, and stays as hot as before.
      if (this.partitions.split(partition, this.#wholeCollections, nowMs).length === 0) partition.coolDown();
    }
  }

  #splitTooLarge(partition: Partition, nowMs: number): void {
    if (partition.bytes <= this.#limits.partitionBytesMax) return;
    for (const part of this.partitions.split(partition, this.#wholeCollections, nowMs))
      this.#splitTooLarge(part, nowMs);
  }

  #sample(partition: Partition, key: Uint8Array): void {
    partition.sample(key.subarray(spaceBytes));
    this.#untilSample = this.#nextInterval();
  }

  /** A varying interval, so that requests in a regular sequence are all sampled, but the same in each run. */
  #nextInterval(): number {
    this.#sampleState = (Math.imul(this.#sampleState, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return sampleInterval / 2 + ((this.#sampleState >>> 16) % sampleInterval);
  }
}

/** The number of hashes that a partition shares with a range of store keys. */
function overlap({ partition, to: end }: PlacedPartition, from: Uint8Array, to: Uint8Array): number {
  const hashAt = (key: Uint8Array): number => Buffer.from(key.buffer, key.byteOffset, key.length).readUIntBE(4, 6);
  const isSameSpace = Buffer.compare(from.subarray(0, 4), to.subarray(0, 4)) === 0;
  const lower = Math.max(partition.from.readUIntBE(0, 6), hashAt(from));
  const upper = Math.min(end === undefined ? 2 ** 48 : end.readUIntBE(0, 6), isSameSpace ? hashAt(to) : 2 ** 48);
  return Math.max(0, upper - lower);
}
