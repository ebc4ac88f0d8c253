import { StorageError } from '../../storage/storage-error.ts';
import type { Store } from '../../storage/store.ts';
import type { AttributeMap } from '../../values/attribute-value.ts';
import { writeCapacityUnits } from '../../values/capacity-units.ts';
import type { Limits } from '../../values/limits.ts';
import type { ConditionalCheckFailedException } from '../../values/service-error.ts';
import type { EngineEnvironment, RequestContext } from '../environment.ts';
import type { IndexChange } from '../followers/indexes/index-changes.ts';
import { type ContributorInsightsRecord, contributorInsightsStatus } from '../catalog/contributor-insights-record.ts';
import { HeatRecord } from './heat-record.ts';
import { KeyInsights } from './key-insights.ts';
import type { ItemKey } from '../catalog/item-key.ts';
import type { ItemWrite, ItemWriteOutcome } from '../followers/item-write.ts';
import type { RecentClock } from '../recent-clock.ts';
import { readSizes, type SpaceStatistics } from '../catalog/statistics.ts';
import type { KeySchema, SecondaryIndex, Table } from '../catalog/table.ts';
import type { GlobalIndexRecord, TableRecord } from '../catalog/table-record.ts';
import type { Weather } from '../weather/weather.ts';
import { ResourceCapacity } from './resource-capacity.ts';
import { type ConsumptionNote, SharedConsumption } from './shared-consumption.ts';
import { partitionKeyOf, ThrottlingRecord } from './throttling-record.ts';
import { throughputExceeded, type ThroughputRefusal } from './throughput-exceeded.ts';
import { indexThroughput, tableThroughput, type ThroughputSettings } from './throughput-settings.ts';

/**
 * Which tables refuse requests above their throughput: all, none, or those with these names. With `report`, no request is refused,
 * and the model records which would be.
 */
export type Throttle = boolean | 'report' | { readonly tables: readonly string[]; readonly report?: boolean };

/** The maximum number of tables and indexes in the model; the one added first is dropped first. */
const resourcesMax = 8192;

/** The maximum number of tables and indexes with a heat record; the one requested first is dropped first. */
const heatRecordsMax = 32;

/** The minimum cost of a request: reserved when it is admitted. */
const leastUnits = { Read: 0.5, Write: 1 } as const;

/** The dependencies of the model. */
type CapacityEnvironment = Omit<EngineEnvironment, 'clock'> & { readonly clock: RecentClock };

/** A table, or a global index, for which requests were throttled or would have been. */
export interface ThrottledResource {
  readonly tableName: string;
  readonly indexName: string | undefined;
  readonly refuses: boolean;
  readonly throttling: ThrottlingRecord;
}

interface Known {
  readonly capacity: ResourceCapacity;
  /** The record that its settings were taken from, and until when they hold. */
  record: TableRecord;
  untilMs: number;
}

/**
 * Records what tables and global indexes consume, as a whole and by partition, and refuses requests above their
 * throughput where that is enabled.
 *
 * Consumption is always recorded, so that capacity, partitions and heat can be shown. It is a model in the memory of this process.
 * Nothing of it is stored. Other processes on the same store keep their own models and may exchange consumption. Every request
 * passes through it, so it looks a resource up, adds a few numbers, and allocates no objects. Local indexes belong to their table,
 * as in the service.
 *
 * Decision 0013 says why.
 */
export class CapacityModel {
  readonly #store: Store;
  readonly #environment: CapacityEnvironment;
  readonly #limits: Limits;
  readonly #throttle: Throttle;
  readonly #weather: Weather | undefined;
  /** Since when other processes hold a part of the consumption; undefined when this is the only process. */
  readonly #sharedSinceMs: number | undefined;
  /** Resources whose consumption is still to be reported to the other processes. */
  #untold: SharedConsumption[] = [];
  /** Whether no request is ever refused. */
  readonly #admitsAll: boolean;
  /** By space. */
  readonly #known = new Map<number, Known>();
  /** Resources with a heat record, in the order in which it was first requested. */
  #heated: readonly ResourceCapacity[] = [];

  constructor(options: {
    readonly store: Store;
    readonly environment: CapacityEnvironment;
    readonly limits: Limits;
    readonly throttle?: Throttle | undefined;
    readonly weather?: Weather | undefined;
    /** Whether other processes serve the same data and receive what this one consumes ({@link takeConsumption}). */
    readonly isShared?: boolean | undefined;
  }) {
    this.#store = options.store;
    this.#environment = options.environment;
    this.#limits = options.limits;
    this.#throttle = options.throttle ?? false;
    this.#weather = options.weather;
    if (options.isShared === true) this.#sharedSinceMs = options.environment.clock.nowMs();
    this.#admitsAll = this.#throttle === false && this.#weather === undefined;
  }

  /** @throws {ThroughputExceededError} when the table is throttled and has no throughput left for a read of this item. */
  admitRead(table: Table, key: ItemKey): void {
    if (this.#admitsAll) return;
    const refusal = this.#refusal({ table, index: undefined, kind: 'Read' }, key.storeKey, key.attributes);
    if (refusal !== undefined) throw throughputExceeded([refusal]);
  }

  /** @throws {ThroughputExceededError} when there is no throughput left for a page that begins at this key. */
  admitPage(table: Table, index: SecondaryIndex | undefined, from: Uint8Array): void {
    if (this.#admitsAll) return;
    const global = index?.kind === 'global' ? index : undefined;
    const refusal = this.#refusal({ table, index: global, kind: 'Read' }, from, undefined);
    if (refusal !== undefined) throw throughputExceeded([refusal]);
  }

  /**
   * @throws {ThroughputExceededError} when the table has no throughput left for a write of this item. {@link admitIndexChanges}
   *   checks its indexes, once it is known which of them the write changes.
   */
  admitWrite({ table, key, userIdentity }: ItemWrite): void {
    // Writes by the service itself consume no capacity.
    if (this.#admitsAll || userIdentity !== undefined) return;
    const refusal = this.#refusal({ table, index: undefined, kind: 'Write' }, key.storeKey, key.attributes);
    if (refusal !== undefined) throw throughputExceeded([refusal]);
  }

  /**
   * The back-pressure of global indexes: called within the decision of a write, before anything is written. It runs again
   * when the decision runs again, and has no effect other than refusing.
   *
   * @throws {ThroughputExceededError} when an index that the write changes has no throughput left.
   */
  admitIndexChanges({ table, userIdentity }: ItemWrite, changes: readonly IndexChange[]): void {
    if (this.#admitsAll || userIdentity !== undefined) return;
    const refusals: ThroughputRefusal[] = [];
    for (const { index, charges } of changes) {
      if (index.kind !== 'global') continue;
      for (const { key, attributes } of charges) {
        const refusal = this.#refusal({ table, index, kind: 'Write' }, key, attributes);
        if (refusal !== undefined) refusals.push(refusal);
      }
    }
    const [first, ...others] = refusals;
    if (first !== undefined) throw throughputExceeded([first, ...others]);
  }

  /** Counts the read of one item. */
  consumeRead(table: Table, key: ItemKey, units: number): void {
    const nowMs = this.#environment.clock.recentMs;
    const capacity = this.#capacityOf(table, undefined, nowMs);
    capacity.consumeRead(key.storeKey, units, capacity.throttles ? leastUnits.Read : 0, nowMs);
    capacity.insights?.accessed('Read', key.attributes, units, nowMs);
    capacity.heat?.add('Read', key.storeKey, units, nowMs, key.attributes, true);
  }

  /**
   * Counts a page that was read.
   *
   * @param page.index - the index that was read; `units` are the total consumed, `from` and `to` the bounds of the page's keys.
   * @param page.collection - the first item of a page of one item collection, which gives the partition key.
   */
  consumePage(
    table: Table,
    page: {
      readonly index: SecondaryIndex | undefined;
      readonly from: Uint8Array;
      readonly to: Uint8Array;
      readonly units: number;
      readonly collection: AttributeMap | undefined;
    },
  ): void {
    const nowMs = this.#environment.clock.recentMs;
    const capacity = this.#capacityOf(table, page.index?.kind === 'global' ? page.index : undefined, nowMs);
    capacity.consumeRange(page.from, page.to, page.units, capacity.throttles ? leastUnits.Read : 0, nowMs);
    if (page.collection !== undefined) capacity.insights?.accessed('Read', page.collection, page.units, nowMs, false);
    if (capacity.heat === undefined) return;
    if (page.collection === undefined) capacity.heat.addRange(page.from, page.to, page.units, nowMs);
    else capacity.heat.add('Read', page.from, page.units, nowMs, page.collection, false);
  }

  /** The consumption of a table or index by hashes and time, recorded since the first request for it. */
  heatOf(table: Table, index: SecondaryIndex | undefined): HeatRecord {
    const nowMs = this.#environment.clock.nowMs();
    const global = index?.kind === 'global' ? index : undefined;
    const capacity = this.#capacityOf(table, global, nowMs);
    if (capacity.heat !== undefined) return capacity.heat;
    const heat = new HeatRecord((global ?? table).keySchema, { limits: this.#limits, nowMs });
    capacity.heat = heat;
    const [first, ...others] = [...this.#heated, capacity];
    const isFull = this.#heated.length >= heatRecordsMax;
    if (isFull && first !== undefined) first.heat = undefined;
    this.#heated = isFull ? others : [...this.#heated, capacity];
    return heat;
  }

  /** The most accessed keys of a table or index, if they are counted. A local index counts with its table. */
  insightsOf(table: Table, index: SecondaryIndex | undefined): KeyInsights | undefined {
    const global = index?.kind === 'global' ? index : undefined;
    return this.#capacityOf(table, global, this.#environment.clock.recentMs).insights;
  }

  /** Whether requests above the table's throughput are refused, or only reported. */
  throttlingOf({ tableName }: Table): 'off' | 'report' | 'on' {
    const throttle = this.#throttle;
    if (typeof throttle === 'boolean') return throttle ? 'on' : 'off';
    if (throttle === 'report') return 'report';
    if (!throttle.tables.includes(tableName)) return 'off';
    return throttle.report === true ? 'report' : 'on';
  }

  /** What was throttled, or would have been, for the tables and global indexes of an account in a region. */
  throttlingRecords({ accountId, region }: RequestContext): readonly ThrottledResource[] {
    return [...this.#known].flatMap(([space, { record, capacity }]) => {
      if (capacity.throttling === undefined || record.accountId !== accountId || record.region !== region) return [];
      const index = record.globalIndexes.find((candidate) => candidate.space === space);
      const { refuses, throttling } = capacity;
      return [{ tableName: record.tableName, indexName: index?.indexName, refuses, throttling }];
    });
  }

  /** The consumption of this process since the last call, for the other processes that serve the same data. */
  takeConsumption(): readonly ConsumptionNote[] {
    const notes = this.#untold.map((shared) => shared.take());
    this.#untold = [];
    return notes;
  }

  /** Adds the consumption of a table or index by another process. */
  consumeElsewhere(table: Table, note: ConsumptionNote): void {
    const index = table.globalIndexes.find(({ space }) => space === note.space);
    if (index === undefined && note.space !== table.record.itemSpace) return; // of an index that no longer exists
    const nowMs = this.#environment.clock.nowMs();
    const capacity = this.#capacityOf(table, index, nowMs);
    capacity.consumeElsewhere(note, nowMs);
    for (const refusal of note.refusals) this.#throttlingOf(capacity, table, index, nowMs).add(refusal, nowMs);
  }

  /** Counts a write and its effect on the indexes. Deletions by the service itself only reduce the table's size. */
  consumeWrite({ table, key, userIdentity }: ItemWrite, outcome: ItemWriteOutcome, transactional: boolean): void {
    const nowMs = this.#environment.clock.recentMs;
    const isFree = userIdentity !== undefined;
    const capacity = this.#capacityOf(table, undefined, nowMs);
    let units = outcome.tableCapacityUnits * (transactional ? 2 : 1);
    let bytesDelta = outcome.sizeBytesDelta;
    for (const change of outcome.indexChanges) {
      if (change.index.kind === 'local') {
        units += change.capacityUnits;
        bytesDelta += change.sizeBytesDelta;
      } else {
        this.#consumeIndexChange(table, change, isFree, nowMs);
      }
    }
    if (isFree) {
      capacity.changeSize(key.storeKey, bytesDelta, nowMs);
      return;
    }
    capacity.consumeWrite(key.storeKey, units, capacity.throttles ? leastUnits.Write : 0, bytesDelta, nowMs);
    capacity.insights?.accessed('Write', key.attributes, units, nowMs);
    capacity.heat?.add('Write', key.storeKey, units, nowMs, key.attributes, true);
  }

  /** A write that fails its condition costs what a write of the item would have cost. */
  consumeRefusedWrite({ table, key, userIdentity }: ItemWrite, error: ConditionalCheckFailedException): void {
    if (userIdentity !== undefined) return;
    const nowMs = this.#environment.clock.recentMs;
    const capacity = this.#capacityOf(table, undefined, nowMs);
    const units = writeCapacityUnits(error.sizeBytes, false);
    capacity.consumeWrite(key.storeKey, units, capacity.throttles ? leastUnits.Write : 0, 0, nowMs);
    capacity.insights?.accessed('Write', key.attributes, units, nowMs);
    capacity.heat?.add('Write', key.storeKey, units, nowMs, key.attributes, true);
  }

  /** Applies a table change made by this process. Changes by others are noticed with the next request. */
  tableChanged(table: Table): void {
    const nowMs = this.#environment.clock.nowMs();
    for (const index of [undefined, ...table.globalIndexes]) {
      if (this.#known.has(index?.space ?? table.record.itemSpace)) this.#capacityOf(table, index, nowMs);
    }
  }

  /** Average of the last sixty seconds. A global index has throughput of its own; a local one that of its table. */
  unitsPerSecond(table: Table, index: SecondaryIndex | undefined, kind: 'Read' | 'Write'): number {
    const nowMs = this.#environment.clock.nowMs();
    const { reads, writes } = this.#capacityOf(table, index?.kind === 'global' ? index : undefined, nowMs);
    return (kind === 'Read' ? reads : writes).unitsPerSecondAt(nowMs);
  }

  /** The model of a table or global index in its present state, with the stored sizes. For reports. */
  capacityOf(
    table: Table,
    index: SecondaryIndex | undefined,
    sizes: ReadonlyMap<number, SpaceStatistics>,
  ): ResourceCapacity {
    const nowMs = this.#environment.clock.nowMs();
    const capacity = this.#capacityOf(table, index, nowMs);
    capacity.resize(sizeBytesOf(table, index, sizes), nowMs);
    return capacity;
  }

  #consumeIndexChange(table: Table, change: IndexChange, isFree: boolean, nowMs: number): void {
    if (change.index.kind === 'vector') return; // metered differently, and in no partition of its own
    const capacity = this.#capacityOf(table, change.index, nowMs);
    for (const { key, attributes, capacityUnits, sizeBytesDelta } of change.charges) {
      if (isFree) {
        capacity.changeSize(key, sizeBytesDelta, nowMs);
      } else {
        const reservedUnits = capacity.throttles ? leastUnits.Write : 0;
        capacity.consumeWrite(key, capacityUnits, reservedUnits, sizeBytesDelta, nowMs);
        capacity.insights?.accessed('Write', attributes, capacityUnits, nowMs);
        capacity.heat?.add('Write', key, capacityUnits, nowMs, attributes, true);
      }
    }
  }

  #refusal(
    subject: Pick<ThroughputRefusal, 'table' | 'index' | 'kind'>,
    key: Uint8Array,
    attributes: AttributeMap | undefined,
  ): ThroughputRefusal | undefined {
    const nowMs = this.#environment.clock.nowMs();
    const capacity = this.#capacityOf(subject.table, subject.index, nowMs);
    // A decision may run several times, so the weather does not throttle its index changes.
    const isDecision = subject.kind === 'Write' && subject.index !== undefined;
    if (!isDecision && this.#weather?.throttles(subject.table.tableName) === true) {
      return { ...subject, isProvisioned: capacity.settings.isProvisioned, limits: ['KeyRangeThroughputExceeded'] };
    }
    if (!capacity.throttles) return undefined;
    const limits = capacity.refusal(subject.kind, key, leastUnits[subject.kind], nowMs);
    if (limits.length === 0) return undefined;
    if (attributes !== undefined) capacity.insights?.throttled(subject.kind, attributes, nowMs);
    capacity.heat?.refused(subject.kind, key, attributes, nowMs);
    this.#noteRefusal(capacity, { ...subject, limits }, attributes, nowMs);
    if (!capacity.refuses) return undefined;
    return { ...subject, isProvisioned: capacity.settings.isProvisioned, limits };
  }

  #noteRefusal(
    capacity: ResourceCapacity,
    { table, index, kind, limits }: Omit<ThroughputRefusal, 'isProvisioned'>,
    attributes: AttributeMap | undefined,
    nowMs: number,
  ): void {
    const key = attributes && partitionKeyOf(attributes, (index ?? table).keySchema);
    const record = this.#throttlingOf(capacity, table, index, nowMs);
    record.add({ kind, limits, key, count: 1 }, nowMs);
    capacity.shared?.refused({ kind, limits, key });
    if (capacity.refuses) return;
    const count = record.dueForLog(nowMs);
    if (count === undefined) return;
    this.#environment.log({
      level: 'warn',
      event: 'would-throttle',
      table: table.tableName,
      ...(index !== undefined && { index: index.indexName }),
      kind,
      limits,
      ...(key !== undefined && { partitionKey: JSON.stringify(key) }),
      count,
    });
  }

  #throttlingOf(
    capacity: ResourceCapacity,
    table: Table,
    index: SecondaryIndex | undefined,
    nowMs: number,
  ): ThrottlingRecord {
    const { keySchema } = index ?? table;
    return (capacity.throttling ??= new ThrottlingRecord(keySchema, { limits: this.#limits, nowMs }));
  }

  #capacityOf(table: Table, index: SecondaryIndex | undefined, nowMs: number): ResourceCapacity {
    const spaceId = index === undefined ? table.record.itemSpace : index.space;
    const known = this.#known.get(spaceId);
    if (known !== undefined && known.record === table.record && nowMs < known.untilMs) return known.capacity;
    return this.#refreshed(known, table, index, nowMs);
  }

  /** Called for a new resource, and when its settings have changed with its table's record or with time. */
  #refreshed(
    known: Known | undefined,
    table: Table,
    index: SecondaryIndex | undefined,
    nowMs: number,
  ): ResourceCapacity {
    const { record } = table;
    // An operation that uses an old record will start over.
    if (known !== undefined && record.version < known.record.version) return known.capacity;
    const subject = subjectOf(record, index);
    const settings =
      subject === undefined
        ? tableThroughput(record, nowMs, this.#limits)
        : indexThroughput(record, subject, nowMs, this.#limits);
    const capacity = known?.capacity ?? this.#newCapacity(table, index, settings, nowMs);
    // A transition that was running has ended by the clock, at its time.
    if (known !== undefined) capacity.configure(settings, Math.min(nowMs, known.untilMs));
    const { contributorInsights } = subject ?? record;
    capacity.insights = this.#insights(capacity.insights, (index ?? table).keySchema, contributorInsights, nowMs);
    const isChanging = contributorInsights !== undefined && nowMs < contributorInsights.untilMs;
    const untilMs = Math.min(settings.untilMs, isChanging ? contributorInsights.untilMs : Infinity);
    if (known === undefined) this.#remember(table, index, { capacity, record, untilMs });
    else Object.assign(known, { record, untilMs });
    return capacity;
  }

  /** The key counter from now on: none, or the present one unless the mode has changed. */
  #insights(
    present: KeyInsights | undefined,
    keySchema: KeySchema,
    record: ContributorInsightsRecord | undefined,
    nowMs: number,
  ): KeyInsights | undefined {
    if (record === undefined || contributorInsightsStatus(record, nowMs) !== 'ENABLED') return undefined;
    if (present?.mode === record.mode) return present;
    return new KeyInsights(keySchema, { mode: record.mode, limits: this.#limits, nowMs });
  }

  #newCapacity(
    table: Table,
    index: SecondaryIndex | undefined,
    settings: ThroughputSettings,
    nowMs: number,
  ): ResourceCapacity {
    const throttling = this.throttlingOf(table);
    const sharedSinceMs = this.#sharedSinceMs;
    const capacity = new ResourceCapacity(
      settings,
      {
        limits: this.#limits,
        throttles: throttling !== 'off',
        refuses: throttling === 'on',
        // Other processes may have spent what was saved before this process began.
        createdAtMs: Math.min(Math.max(table.record.createdAtMs, sharedSinceMs ?? 0), nowMs),
        wholeCollections: index === undefined && table.localIndexes.length > 0,
      },
      nowMs,
    );
    if (sharedSinceMs !== undefined) {
      const space = index?.space ?? table.record.itemSpace;
      capacity.shared = new SharedConsumption(table, space, (shared) => void this.#untold.push(shared));
    }
    return capacity;
  }

  #remember(table: Table, index: SecondaryIndex | undefined, known: Known): void {
    if (this.#known.size >= resourcesMax) {
      for (const oldest of this.#known.keys()) {
        this.#known.delete(oldest);
        break;
      }
    }
    this.#known.set(index === undefined ? table.record.itemSpace : index.space, known);
    this.#environment.tasks.spawn(`size of ${table.tableName}`, () => this.#measure(table, index, known.capacity));
  }

  /** Adds the size of the stored data to the partitions. */
  async #measure(table: Table, index: SecondaryIndex | undefined, capacity: ResourceCapacity): Promise<void> {
    try {
      const sizes = await readSizes(this.#store, table.record.itemSpace);
      capacity.resize(sizeBytesOf(table, index, sizes), this.#environment.clock.nowMs());
    } catch (error) {
      // The store may be closed by now, or fail: then the size is that of the writes since.
      if (!(error instanceof StorageError)) throw error;
      this.#environment.log({ level: 'debug', event: 'table-size-not-read', error });
    }
  }
}

/** The record of a global index; undefined for the table itself. */
function subjectOf({ globalIndexes }: TableRecord, index: SecondaryIndex | undefined): GlobalIndexRecord | undefined {
  return index === undefined ? undefined : globalIndexes.find((candidate) => candidate.space === index.space);
}

/** Local indexes are in the partitions of their table. */
function sizeBytesOf(
  table: Table,
  index: SecondaryIndex | undefined,
  sizes: ReadonlyMap<number, SpaceStatistics>,
): number {
  const spaces =
    index === undefined ? [table.record.itemSpace, ...table.localIndexes.map((local) => local.space)] : [index.space];
  return spaces.reduce((sum, spaceId) => sum + (sizes.get(spaceId)?.sizeBytes ?? 0), 0);
}
