import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { StoredItem } from '../../run/attribute-value.ts';
import { createTable } from '../change-table.ts';
import { type CheckpointStore, tableCheckpoints } from '../checkpoints.ts';
import type { Migration } from '../migration.ts';
import { MigrationError } from '../migration-error.ts';
import type { Outcome } from '../move-item.ts';
import { scanPage } from '../scan-table.ts';
import { Traffic, type TrafficOptions } from '../traffic.ts';
import { bringOver, keyInSource } from './bring-over.ts';
import { type CopiedTables, copiedTables, type Direction, type SourceTable, type TableNames } from './copied-tables.ts';
import {
  type CopiedSegment,
  type FollowedShard,
  type FollowState,
  readFollowState,
  readRecord,
  writeFollowState,
  writeRecord,
} from './follow-state.ts';
import { KeyLanes } from './key-lanes.ts';
import { type ItemChange, iteratorAfter, openStream, readShard, shardsOf, streamTrimmed } from './source-stream.ts';

/** How to copy items and follow their changes. */
export interface FollowOptions extends Omit<TrafficOptions, 'tables'>, TableNames {
  /** Reads the streams of the tables. */
  readonly streams: DynamoDBStreamsClient;
  /** `back` copies writes to the new tables into the old ones, so that the application can go back after the cut-over. */
  readonly direction?: Direction;
  /**
   * `caught-up` ends when everything is copied and the streams have had no new records for a while; `stopped` continues until the
   * signal. `caught-up` by default.
   */
  readonly until?: 'caught-up' | 'stopped';
  /** Segments of a table that are scanned in parallel. 4 by default; a resumed copy keeps the number that it began with. */
  readonly segments?: number;
  /** Items that are copied in parallel, for each segment and shard. 8 by default. */
  readonly concurrency?: number;
  /** Items to read per request of the scan. A page of 1 MB by default. */
  readonly pageItems?: number;
  /** Milliseconds to wait when the streams have no new records. 500 by default. */
  readonly pollMs?: number;
  /** Where to store checkpoints. In the first target table by default. */
  readonly checkpoints?: CheckpointStore;
  /** Called with the counts of what has been scanned, followed and written so far. */
  readonly onProgress?: (count: FollowCount) => void;
}

/** The counts of this run. */
export interface FollowCount {
  /** Items read by the scans. */
  readonly scanned: number;
  /** Records read from the streams. */
  readonly followed: number;
  /** Copies written or deleted, of items that were scanned or changed. */
  readonly written: number;
  /** Copies that were already correct. */
  readonly current: number;
  /** Items that were scanned or changed, and have since been deleted. */
  readonly gone: number;
  /** Whether all items that existed at the start are copied. */
  readonly copied: boolean;
  /** Whether the streams had no new records when it ended. */
  readonly caughtUp: boolean;
}

/** Number of rounds in which no stream has a new record before it counts as caught up. */
const quietRounds = 3;
/** Streams keep records for 24 hours. */
const keptMs = 23 * 3_600_000;
const noteEveryMs = 60_000;

/**
 * Copies a migration's items into new tables while the application writes the old ones. A scan copies the existing items, and the streams
 * of the tables report changes during it. The copy begins, or resumes where it was interrupted. The checkpoint of a record is
 * written only after the record was followed.
 *
 * The new tables belong to the migration until the cut-over. Afterwards, `direction: 'back'` copies the new version's writes
 * into the old tables, until going back is no longer needed.
 *
 * Decision 0029 explains the design.
 *
 * @throws {MigrationError} `nothing-to-copy`, `in-place`, `by-hand`, `function-missing`, `no-old-images`, `stream-trimmed`, `taken-over`,
 *   and the errors of an item's form, with its key.
 */
export async function follow(migrated: Migration, options: FollowOptions): Promise<FollowCount> {
  const { direction = 'there' } = options;
  const traffic = new Traffic(trafficOptions(options));
  const copied = copiedTables(migrated, direction, options);
  if (direction === 'there') await makeTables(migrated, copied, options);
  const store = options.checkpoints ?? checkpointsIn(copied, migrated, options);
  const state = await takeOver(migrated, direction, store, traffic, options);
  return new Following(copied, state, store, traffic, options).run();
}

/** The options of requests. Tables have their names at the endpoint. */
function trafficOptions(options: FollowOptions): TrafficOptions {
  return { ...options, tables: {} };
}

/** Creates the new tables, unless they exist. */
async function makeTables(migrated: Migration, { targets }: CopiedTables, options: FollowOptions): Promise<void> {
  const traffic = new Traffic({ ...trafficOptions(options), tables: options.into ?? {} });
  for (const { name } of targets.keys()) await createTable(traffic, migrated.after, name);
}

/** In a target table, whose own stream is not followed, so that a checkpoint is not a change to follow. */
function checkpointsIn({ targets }: CopiedTables, { id }: Migration, { client }: FollowOptions): CheckpointStore {
  for (const [table, name] of targets)
    return tableCheckpoints(new Traffic({ client, tables: { [table.name]: name } }), table, id);
  throw new MigrationError('nothing-to-copy', 'No table is copied.');
}

async function takeOver(
  { id }: Migration,
  direction: Direction,
  store: CheckpointStore,
  traffic: Traffic,
  { segments = 4, random = Math.random }: FollowOptions,
): Promise<FollowState> {
  if (!Number.isInteger(segments) || segments < 1 || segments > 1_000_000)
    throw new MigrationError('bad-option', `segments must be a whole number from 1 to 1,000,000, not ${segments}.`);
  const known = await readFollowState(store, { migration: id, direction });
  const owner = `${traffic.now()}-${String(random()).slice(2)}`;
  const now = traffic.now();
  if (known !== undefined && now - known.followedAt > keptMs) throw streamTrimmed();
  const fresh = { format: 1, migration: id, direction, segments, begunAt: now, followedAt: now } as const;
  const state: FollowState = { ...(known ?? fresh), owner };
  await writeFollowState(store, state);
  return state;
}

class Following {
  readonly #copied: CopiedTables;
  #state: FollowState;
  readonly #store: CheckpointStore;
  readonly #traffic: Traffic;
  readonly #options: FollowOptions;
  readonly #lanes = new KeyLanes();
  readonly #outcomes: Record<Outcome, number> = { written: 0, current: 0, gone: 0 };
  #scanned = 0;
  #followed = 0;
  #copiedAll = false;
  #caughtUp = false;
  /** A shard could not be read in this round. */
  #behind = false;
  /** Set by the first failure: the others end after their current page. */
  #failure: { readonly error: unknown } | undefined;

  constructor(
    copied: CopiedTables,
    state: FollowState,
    store: CheckpointStore,
    traffic: Traffic,
    options: FollowOptions,
  ) {
    this.#copied = copied;
    this.#state = state;
    this.#store = store;
    this.#traffic = traffic;
    this.#options = options;
  }

  /** The streams are opened before the first item is read, so they contain every later change. */
  async run(): Promise<FollowCount> {
    const { sources } = this.#copied;
    const arns = await Promise.all(sources.map(async ({ name }) => openStream(this.#traffic, name)));
    const copying = Promise.all(sources.map(async (source) => this.#copy(source)));
    const following = this.#guarded(async () =>
      this.#follow(sources.map((source, i) => ({ source, arn: arns[i] ?? '' }))),
    );
    await copying;
    this.#copiedAll = this.#failure === undefined && !this.#stopped();
    await following;
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#tell();
    return this.#count();
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // An abort is not a failure: completed work has its checkpoint.
      if (!this.#stopped()) this.#failure ??= { error };
    }
  }

  #stopped(): boolean {
    return this.#options.signal?.aborted === true;
  }

  #ends(): boolean {
    return this.#failure !== undefined || this.#stopped();
  }

  /** Scans all segments in parallel. */
  async #copy(source: SourceTable): Promise<void> {
    const segments = Array.from({ length: this.#state.segments }, (_, segment) => segment);
    await Promise.all(segments.map(async (segment) => this.#guarded(async () => this.#copySegment(source, segment))));
  }

  async #copySegment(source: SourceTable, segment: number): Promise<void> {
    const name = `copy-${source.name}-${segment}`;
    let at: CopiedSegment = (await readRecord<CopiedSegment>(this.#store, name)) ?? { done: false, scanned: 0 };
    while (!at.done && !this.#ends()) {
      at = await this.#copyPage(source, segment, at);
      await this.#assertOwner();
      await writeRecord(this.#store, name, at);
      this.#tell();
    }
  }

  async #copyPage(source: SourceTable, segment: number, at: CopiedSegment): Promise<CopiedSegment> {
    const { pageItems } = this.#options;
    const { segments } = this.#state;
    // The request uses the table's name at the endpoint.
    const table = { ...source.table, name: source.name };
    const read = { table, types: [...source.forms.keys()], segment, segments, pageItems };
    const page = await scanPage(this.#traffic, read, at.last as StoredItem | undefined);
    this.#scanned += page.scanned;
    await this.#bringAll(
      source,
      page.items.map((item) => ({ key: keyInSource(source, item), was: undefined })),
    );
    const scanned = at.scanned + page.scanned;
    return page.last === undefined ? { done: true, scanned } : { done: false, scanned, last: page.last };
  }

  async #bringAll(source: SourceTable, items: readonly Pick<ItemChange, 'key' | 'was'>[]): Promise<void> {
    const { concurrency = 8 } = this.#options;
    for (let first = 0; first < items.length; first += concurrency) {
      const outcomes = await Promise.allSettled(
        items
          .slice(first, first + concurrency)
          .map(async ({ key, was }) =>
            this.#lanes.run(source.name, key, async () => bringOver(this.#traffic, source, key, was)),
          ),
      );
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') throw outcome.reason;
        this.#outcomes[outcome.value] += 1;
      }
    }
  }

  /** Reads the streams round by round: all shards, including those that appear in the meantime. */
  async #follow(streams: readonly { readonly source: SourceTable; readonly arn: string }[]): Promise<void> {
    const readers = new Map<string, ShardReader>();
    const { until = 'caught-up', pollMs = 500 } = this.#options;
    for (let quiet = 0; !this.#ends();) {
      const copied = this.#copiedAll;
      await this.#assertOwner();
      for (const { source, arn } of streams) {
        for (const shard of await shardsOf(this.#options.streams, arn)) {
          const name = `shard-${arn}-${shard}`;
          if (!readers.has(name)) readers.set(name, await this.#reader(source, arn, shard, name));
        }
      }
      const before = this.#followed;
      this.#behind = false;
      await Promise.all([...readers.values()].map(async (reader) => this.#guarded(async () => this.#readOn(reader))));
      const records = this.#followed - before;
      quiet = records === 0 && !this.#behind && copied ? quiet + 1 : 0;
      this.#caughtUp = quiet >= quietRounds;
      if (this.#caughtUp && until === 'caught-up') return;
      await this.#noteTime();
      if (records > 0) this.#tell();
      else if (!this.#ends()) await this.#traffic.pause(pollMs);
    }
  }

  async #reader(source: SourceTable, arn: string, shard: string, name: string): Promise<ShardReader> {
    const known = (await readRecord<FollowedShard>(this.#store, name)) ?? { done: false };
    return { source, arn, shard, name, at: known, iterator: undefined };
  }

  /** Follows the next records of a shard. */
  async #readOn(reader: ShardReader): Promise<void> {
    if (reader.at.done) return;
    const { streams } = this.#options;
    reader.iterator ??= await iteratorAfter(streams, reader.arn, reader.shard, reader.at.sequenceNumber);
    const page = reader.iterator === undefined ? undefined : await readShard(streams, reader.iterator);
    reader.iterator = page?.iterator;
    if (page === undefined) {
      this.#behind = true;
      return;
    }
    const { changes } = page;
    const done = page.iterator === undefined;
    if (changes.length > 0) await this.#bringAll(reader.source, changes);
    const sequenceNumber = changes.at(-1)?.sequenceNumber ?? reader.at.sequenceNumber;
    if (changes.length > 0 || done) {
      reader.at = { done, ...(sequenceNumber !== undefined && { sequenceNumber }) };
      await writeRecord(this.#store, reader.name, reader.at);
    }
    this.#followed += changes.length;
  }

  /** If following paused for longer than the streams keep records, some were missed. */
  async #noteTime(): Promise<void> {
    const now = this.#traffic.now();
    if (now - this.#state.followedAt < noteEveryMs || this.#ends()) return;
    this.#state = { ...this.#state, followedAt: now };
    await writeFollowState(this.#store, this.#state);
  }

  /** Two processes that follow at once would not damage the copies, but would read and write everything twice. */
  async #assertOwner(): Promise<void> {
    const { migration, direction, owner } = this.#state;
    const state = await readFollowState(this.#store, { migration, direction });
    if (state !== undefined && state.owner !== owner)
      throw new MigrationError('taken-over', 'Another process has taken over following this migration; this one ends.');
  }

  #count(): FollowCount {
    return {
      scanned: this.#scanned,
      followed: this.#followed,
      ...this.#outcomes,
      copied: this.#copiedAll,
      caughtUp: this.#caughtUp,
    };
  }

  #tell(): void {
    this.#options.onProgress?.(this.#count());
  }
}

/** One shard, and its checkpoint. */
interface ShardReader {
  readonly source: SourceTable;
  readonly arn: string;
  readonly shard: string;
  readonly name: string;
  at: FollowedShard;
  iterator: string | undefined;
}
