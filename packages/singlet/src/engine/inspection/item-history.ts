import type { AttributeMap } from '../../values/attribute-value.ts';
import type { RequestContext } from '../environment.ts';
import { takeTurn } from '../background/background-pace.ts';
import { recoveryWindow } from '../backups/recovery-window.ts';
import { tableNotFound } from '../catalog/parameter-errors.ts';
import { type ItemKey, itemKeyOfItem, itemKeyOfKey } from '../catalog/item-key.ts';
import type { Table } from '../catalog/table.ts';
import { decodeHead, itemKeyOfEntry, momentOfEntry, OpenChangeLog } from '../followers/recovery/recovery-log.ts';
import { type ChangeRecord, decodeChangeRecord, type EventName } from '../followers/streams/change-record.ts';
import { hashPrefixOf, headKey, positionOf, recordKey, shardPrefix } from '../followers/streams/shard-keys.ts';
import { copyStoredItem } from '../layout/item-codec.ts';
import { firstMomentOf, msOfMoment } from '../layout/moment.ts';
import { hashOf } from '../layout/spaces.ts';
import type { StoredItem } from '../layout/stored-item.ts';
import type { EngineServices } from '../services.ts';
import { findStream, presentShards, retentionMsOf } from '../streams/find-stream.ts';
import { sequenceNumberText } from '../streams/sequence-number.ts';
import { firstPosition } from '../streams/shard-lineage.ts';
import { type ShardRecord, streamArnOf, type StreamRecord } from '../streams/stream-record.ts';
import { ImageBudget } from './item-effect.ts';

/*
 * The changes of one item, from the log of point-in-time recovery where that is on (up to 35 days), otherwise from the stream (24 hours). Both
 * are read backwards. The log has the state before each change; the state after one is the state before the next, and after the last one it is
 * the item that was read in the same snapshot as the log's head. A stream has both states. Decision 0113 says why.
 */

/** The changes of an item, the newest first. */
export interface ItemHistory {
  /** Where they come from; null if the table keeps no former states. */
  readonly source: 'recovery' | 'stream' | null;
  /** Changes before this time are not kept; null without a source. */
  readonly sinceEpochMs: number | null;
  readonly changes: readonly ItemChange[];
  /** Whether these are all changes since then: false if a limit of this answer was reached. */
  readonly isComplete: boolean;
}

export interface ItemChange {
  /** Identifies the change: a sequence number of the stream, or a moment of the log. */
  readonly id: string;
  readonly atEpochMs: number;
  readonly eventName: EventName;
  /** True for an item that expired; null if the source does not tell. */
  readonly isExpiry: boolean | null;
  /** The item before and after; null when there was none. */
  readonly before: AttributeMap | null;
  readonly after: AttributeMap | null;
}

/** Maximum changes in an answer. */
const historyChangesMax = 200;
/** Maximum changes of other items that are passed over. Those of the log are compared by key only. */
const logEntriesReadMax = 200_000;
const streamRecordsReadMax = 20_000;
/** Changes that are read before other requests have their turn. */
const changesAtOnce = 500;

/**
 * @param request.key - the key of an item, which need not exist now.
 * @throws {ResourceNotFoundException} when there is no such table.
 * @throws {ValidationException} for a key that is not one of the table.
 */
export async function itemHistory(
  services: EngineServices,
  { tableName, key }: { readonly tableName: string; readonly key: AttributeMap },
  context: RequestContext,
): Promise<ItemHistory> {
  const table = await services.catalog.load(context, tableName);
  if (table === undefined) throw tableNotFound(tableName);
  const itemKey = itemKeyOfKey(table, key);
  const window = recoveryWindow(table.record, services.environment.clock.nowMs());
  if (window !== undefined) return historyFromLog(services, table, itemKey, window.earliestMs);
  const { stream, streamSinceMs, streamSpecification } = table.record;
  const hasImages = streamSpecification?.streamViewType === 'NEW_AND_OLD_IMAGES';
  if (stream === undefined || streamSinceMs === undefined || !hasImages)
    return { source: null, sinceEpochMs: null, changes: [], isComplete: true };
  const arn = streamArnOf({ ...context, tableName, sinceMs: streamSinceMs });
  return historyFromStream(services, { table, stream: await findStream(services, arn, context) }, itemKey);
}

async function historyFromLog(
  services: EngineServices,
  table: Table,
  { storeKey }: ItemKey,
  sinceEpochMs: number,
): Promise<ItemHistory> {
  const { store } = services;
  const log = new OpenChangeLog(table.record.changeLog?.space ?? 0); // a window has a log
  const present = await store.read([storeKey, log.headKeyOf(storeKey)], ([item, head]) => ({
    item: item === undefined ? undefined : copyStoredItem(storeKey, item),
    moment: decodeHead(head),
  }));
  const bucket = log.headKeys.indexOf(log.headKeyOf(storeKey));
  const { from, to } = log.entryRange(bucket, { after: firstMomentOf(sinceEpochMs) - 1, upTo: present.moment });
  const collected = new CollectedChanges();
  let after = present.item;
  let end: Uint8Array = to;
  let read = 0;
  for (;;) {
    let last: Buffer | undefined;
    const why = await store.range({ from, to: end, reverse: true, limit: changesAtOnce }, (key, value) => {
      read += 1;
      last = Buffer.from(key);
      if (!itemKeyOfEntry(key, table.record.itemSpace).equals(storeKey)) return true;
      const before = value.length === 0 ? undefined : copyStoredItem(key, value);
      const moment = momentOfEntry(key);
      const isAdded = collected.add({ id: String(moment), atMs: msOfMoment(moment), isExpiry: null, before, after });
      after = before;
      return isAdded;
    });
    if (why === 'end') return collected.answer('recovery', sinceEpochMs, true);
    if (collected.isFull || last === undefined || read >= logEntriesReadMax) break;
    end = last;
    await takeTurn(services);
  }
  return collected.answer('recovery', sinceEpochMs, false);
}

async function historyFromStream(
  services: EngineServices,
  { table, stream }: { readonly table: Table; readonly stream: StreamRecord },
  { storeKey }: ItemKey,
): Promise<ItemHistory> {
  const trimmedUntilMs = services.environment.clock.nowMs() - retentionMsOf(services);
  const sinceEpochMs = Math.max(stream.sinceMs, trimmedUntilMs);
  const prefix = hashPrefixOf(hashOf(storeKey));
  const shards = presentShards(services, stream)
    .filter(({ hashFrom, hashTo }) => hashFrom <= prefix && prefix < hashTo)
    .toSorted((a, b) => b.number - a.number); // children first: their records are newer
  const collected = new CollectedChanges();
  let read = 0;
  for (const shard of shards) {
    const entries = shardPrefix(stream.space, shard);
    const from = recordKey(entries, firstPosition(shard));
    let end = headKey(entries);
    for (;;) {
      let last: Buffer | undefined;
      let isTrimmed = false;
      const why = await services.store.range({ from, to: end, reverse: true, limit: changesAtOnce }, (key, value) => {
        read += 1;
        last = Buffer.from(key);
        const record = decodeChangeRecord(key, value);
        isTrimmed = record.createdAtMs <= trimmedUntilMs;
        if (isTrimmed) return false;
        if (!itemKeyOfItem(table, record.keys.toMap()).storeKey.equals(storeKey)) return true;
        return collected.add({ ...changeOf(record), id: idOf(shard, key) });
      });
      if (collected.isFull) return collected.answer('stream', sinceEpochMs, false);
      if (why === 'end' || isTrimmed || last === undefined) break;
      if (read >= streamRecordsReadMax) return collected.answer('stream', sinceEpochMs, false);
      end = last;
      await takeTurn(services);
    }
  }
  return collected.answer('stream', sinceEpochMs, true);
}

function changeOf({ createdAtMs, byService, oldImage, newImage }: ChangeRecord): Omit<FoundChange, 'id'> {
  return {
    atMs: createdAtMs,
    isExpiry: byService && newImage === undefined,
    before: oldImage,
    after: newImage,
  };
}

function idOf({ number }: ShardRecord, key: Uint8Array): string {
  return sequenceNumberText({ shardNumber: number, position: positionOf(key) ?? 0 }); // a record has a position
}

interface FoundChange {
  readonly id: string;
  readonly atMs: number;
  readonly isExpiry: boolean | null;
  readonly before: StoredItem | undefined;
  readonly after: StoredItem | undefined;
}

/** The changes for an answer, up to the limits of their number and of their size. */
class CollectedChanges {
  readonly #changes: ItemChange[] = [];
  readonly #budget = new ImageBudget();
  isFull = false;

  /** @returns false when no more fit. */
  add({ id, atMs, isExpiry, before, after }: FoundChange): boolean {
    this.isFull = this.#changes.length >= historyChangesMax || !this.#budget.take(before, after);
    if (this.isFull) return false;
    this.#changes.push({
      id,
      atEpochMs: atMs,
      eventName: before === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY',
      isExpiry,
      before: before?.toMap() ?? null,
      after: after?.toMap() ?? null,
    });
    return true;
  }

  answer(source: 'recovery' | 'stream', sinceEpochMs: number, isComplete: boolean): ItemHistory {
    return { source, sinceEpochMs, changes: this.#changes, isComplete };
  }
}
