import { assert } from '../../values/assert.ts';

/*
 * A sequence number is the position of a record in its shard, written together with the shard's number so that it is
 * unique in the stream:
 *
 *     1 | position, 15 digits | shard number, 8 digits
 *
 * All have 24 digits (the API allows 21 to 40) and begin with one that is not zero, so they sort the same as texts and
 * as numbers, and survive a client that stores them as numbers. A shard continues counting from the end of its parent, so the numbers
 * of one item ascend through all shards that recorded its changes.
 */

const positionDigits = 15;
const shardNumberDigits = 8;
const pattern = /^1(\d{15})(\d{8})$/;

/** A position in a shard of a stream. */
export interface StreamPosition {
  readonly shardNumber: number;
  readonly position: number;
}

export function sequenceNumberText({ shardNumber, position }: StreamPosition): string {
  assert(position >= 0 && position < 10 ** positionDigits, 'a position fits into its digits');
  assert(shardNumber >= 0 && shardNumber < 10 ** shardNumberDigits, 'a shard number fits into its digits');
  return `1${String(position).padStart(positionDigits, '0')}${String(shardNumber).padStart(shardNumberDigits, '0')}`;
}

/** @returns undefined for a text that is not a sequence number. */
export function parseSequenceNumber(text: string): StreamPosition | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, position = '', shardNumber = ''] = match;
  return { position: Number(position), shardNumber: Number(shardNumber) };
}
