import { textHash } from '../layout/partition-hash.ts';
import type { StreamPosition } from './sequence-number.ts';
import { parseStreamArn } from './stream-arn.ts';
import { invalidShardIterator } from './stream-errors.ts';
import type { StreamIdentity } from './stream-record.ts';

/*
 * A shard iterator is a text that holds all the state of a read, so that any process can serve it:
 *
 *     ARN of the stream | 1 | base64 of ( version 1 | issued 8 (double, epoch ms) | shard number 4 | position 8 (double) | check 16 )
 *
 * The check is a hash over the rest. It rejects iterators that were mistyped, cut or assembled, but not forged ones: an iterator
 * gives a caller no more than GetShardIterator would.
 */
const formatVersion = 1;
const bodyBytes = 21;
const checkBytes = 16;

/** The position at which reading continues. */
export interface ShardIterator extends StreamPosition {
  readonly streamArn: string;
  readonly stream: StreamIdentity;
  readonly issuedAtMs: number;
}

export function encodeShardIterator({
  streamArn,
  issuedAtMs,
  shardNumber,
  position,
}: Omit<ShardIterator, 'stream'>): string {
  const body = Buffer.allocUnsafe(bodyBytes);
  body[0] = formatVersion;
  body.writeDoubleBE(issuedAtMs, 1);
  body.writeUInt32BE(shardNumber, 9);
  body.writeDoubleBE(position, 13);
  return `${streamArn}|1|${Buffer.concat([body, checkOf(streamArn, body)]).toString('base64')}`;
}

/** @throws {ValidationException} for a text that is not an iterator. */
export function decodeShardIterator(text: string): ShardIterator {
  const [streamArn = '', kind, encoded = '', ...rest] = text.split('|');
  const bytes = Buffer.from(encoded, 'base64');
  const body = bytes.subarray(0, bodyBytes);
  const isWhole =
    kind === '1' &&
    rest.length === 0 &&
    bytes.length === bodyBytes + checkBytes &&
    bytes.toString('base64') === encoded &&
    body[0] === formatVersion;
  if (!isWhole || !checkOf(streamArn, body).equals(bytes.subarray(bodyBytes))) throw invalidShardIterator();
  return {
    streamArn,
    stream: parseStreamArn(streamArn),
    issuedAtMs: body.readDoubleBE(1),
    shardNumber: body.readUInt32BE(9),
    position: body.readDoubleBE(13),
  };
}

function checkOf(streamArn: string, body: Buffer): Buffer {
  return Buffer.from(textHash(streamArn, body.toString('latin1')));
}
