import { assert } from '../../../values/assert.ts';
import { invariantsAreOn, mayTakeFastPath } from '../../../values/invariants.ts';
import { itemSizeBytes } from '../../../values/item-size.ts';
import type { FollowedChange, ItemFollower } from '../item-follower.ts';
import { hashOf } from '../../layout/spaces.ts';
import { sameItem, type SharedEnds, sharedEnds, StoredItem } from '../../layout/stored-item.ts';
import type { Table } from '../../catalog/table.ts';
import { decodeChangeRecord, encodeChangeRecord, type EventName } from './change-record.ts';
import { OpenStream } from './open-stream.ts';
import { decodeHead, encodeHead } from './shard-head.ts';
import { recordKey } from './shard-keys.ts';

/** Records the changes of a table whose stream is on. */
export function streamFollower({ record: { stream, streamSpecification } }: Table): ItemFollower | undefined {
  const viewType = streamSpecification?.streamViewType;
  if (stream === undefined || viewType === undefined) return undefined;
  return new ChangeRecordFollower(new OpenStream(stream.space, viewType, stream.openShards));
}

/** Appends a change record to the shard of each changed item. The shard's head counts its records. */
export class ChangeRecordFollower implements ItemFollower {
  readonly keyCount = 1;
  readonly #stream: OpenStream;

  constructor(stream: OpenStream) {
    this.#stream = stream;
  }

  keyOf(itemKey: Buffer): Buffer {
    return this.#stream.shardOf(hashOf(itemKey)).headKey;
  }

  follow(change: FollowedChange): void {
    const { before, after, key } = change;
    const { images } = this.#stream;
    // Fast path: for a record with both images, the bytes that they share also show whether they differ. A comparison of the
    // whole texts would find the same (layout/item-codec.test.ts), and the record is the same (streams/stream-history.test.ts).
    const shared =
      images.oldImage && images.newImage && before && after && mayTakeFastPath()
        ? sharedEnds(before.json, after.json)
        : undefined;
    const eventName = eventOf(before, after, shared);
    if (eventName === undefined) return;
    const keys = key.attributes;
    const { prefix } = this.#stream.shardOf(hashOf(key.storeKey));
    const position = decodeHead(change.read(0));
    const changeKey = recordKey(prefix, position);
    const value = encodeChangeRecord(
      changeKey,
      {
        eventName,
        byService: change.byService,
        createdAtMs: change.nowMs,
        keys: new StoredItem(Buffer.from(JSON.stringify(keys), 'utf8'), itemSizeBytes(keys)),
        oldImage: images.oldImage ? before : undefined,
        newImage: images.newImage ? after : undefined,
      },
      shared,
    );
    if (invariantsAreOn())
      checkRecordWritten(changeKey, value, images.oldImage ? before : undefined, images.newImage ? after : undefined);
    change.write({ key: changeKey, value });
    change.replace(0, encodeHead(position + 1));
  }
}

/** Asserts that the encoded record can be read back unchanged. */
function checkRecordWritten(
  key: Buffer,
  value: Buffer,
  oldImage: StoredItem | undefined,
  newImage: StoredItem | undefined,
): void {
  const read = decodeChangeRecord(key, value);
  assert(isSameText(read.oldImage, oldImage), 'a stream record holds the old image');
  assert(isSameText(read.newImage, newImage), 'a stream record holds the new image');
}

function isSameText(a: StoredItem | undefined, b: StoredItem | undefined): boolean {
  return a === undefined || b === undefined ? a === b : a.json.equals(b.json) && a.sizeBytes === b.sizeBytes;
}

/** Undefined for a write that changes nothing. */
function eventOf(
  before: StoredItem | undefined,
  after: StoredItem | undefined,
  shared: SharedEnds | undefined,
): EventName | undefined {
  if (before === undefined) return after && 'INSERT';
  if (after === undefined) return 'REMOVE';
  return sameItem(before, after, shared) ? undefined : 'MODIFY';
}
