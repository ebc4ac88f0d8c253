import { itemSizeBytes } from '../../values/item-size.ts';
import type { AttributeMap } from '../../values/attribute-value.ts';
import type { StoreValue, StoreWrite } from '../../storage/store.ts';
import { sameItem, type SharedEnds, sharedEnds, StoredItem } from '../items/stored-item.ts';
import { encodeChangeRecord, type EventName } from './change-record.ts';
import type { OpenShard, OpenStream } from './open-stream.ts';
import { decodeHead, encodeHead } from './shard-head.ts';
import { recordKey } from './shard-keys.ts';

/** What happened to an item, for the stream of its table. */
export interface RecordedChange {
  /** The item's key attributes. */
  readonly keys: AttributeMap;
  readonly before: StoredItem | undefined;
  readonly after: StoredItem | undefined;
  readonly byService: boolean;
}

/**
 * The change records that one decision writes. A shard's head is read with everything else, counted on for each record,
 * and written once.
 */
export class RecordedChanges {
  readonly #nowMs: number;
  readonly #nextPositions = new Map<OpenShard, number>();

  /** @param nowMs - a time that was taken before the decision: it may run again. */
  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  /**
   * The record of a change; none for a write that changes nothing.
   *
   * @param head - what was read under the shard's head key.
   */
  record(stream: OpenStream, shard: OpenShard, head: StoreValue, change: RecordedChange): readonly StoreWrite[] {
    const { keys, before, after, byService } = change;
    const { images } = stream;
    // Where a record holds both images, what they share serves to tell them apart, too.
    const shared =
      images.oldImage && images.newImage && before && after ? sharedEnds(before.json, after.json) : undefined;
    const eventName = eventOf(before, after, shared);
    if (eventName === undefined) return [];
    const position = this.#nextPositions.get(shard) ?? decodeHead(head);
    this.#nextPositions.set(shard, position + 1);
    const value = encodeChangeRecord(
      {
        eventName,
        byService,
        createdAtMs: this.#nowMs,
        keys: new StoredItem(Buffer.from(JSON.stringify(keys), 'utf8'), itemSizeBytes(keys)),
        oldImage: images.oldImage ? before : undefined,
        newImage: images.newImage ? after : undefined,
      },
      shared,
    );
    return [{ key: recordKey(shard.prefix, position), value }];
  }

  /** The heads of the shards that were written to. */
  get headWrites(): readonly StoreWrite[] {
    const writes: StoreWrite[] = [];
    for (const [shard, position] of this.#nextPositions) {
      writes.push({ key: shard.headKey, value: encodeHead(position) });
    }
    return writes;
  }
}

function eventOf(
  before: StoredItem | undefined,
  after: StoredItem | undefined,
  shared: SharedEnds | undefined,
): EventName | undefined {
  if (before === undefined) return after && 'INSERT';
  if (after === undefined) return 'REMOVE';
  return sameItem(before, after, shared) ? undefined : 'MODIFY';
}
