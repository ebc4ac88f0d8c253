import type { AttributeMap } from '../../values/attribute-value.ts';
import { checkedHeaderBytes, SealedKind } from '../layout/sealed-value.ts';

/**
 * When and where the present state of an item, or of a table's settings, was written. Versions are totally ordered, so all
 * regions agree which of two writes is the last: by time, then by counter, then by region.
 *
 * A write always gets a later version than the state it was decided on, even if that state came from a region whose clock is
 * ahead: then the time stays and the counter increases. So a client never writes an older version than it has seen.
 */
export interface Version {
  /** Milliseconds since 1970, by the clock of the region. */
  readonly timeMs: number;
  readonly counter: number;
  readonly region: string;
}

/** For items that are older than the replication of their table: every write in any region is later. */
export const firstVersion: Version = { timeMs: 0, counter: 0, region: '' };

export function compareVersions(a: Version, b: Version): number {
  return a.timeMs - b.timeMs || a.counter - b.counter || (a.region < b.region ? -1 : a.region > b.region ? 1 : 0);
}

/** The version of a write decided now on a state with the version `before`. */
export function nextVersion(before: Version | undefined, nowMs: number, region: string): Version {
  if (before === undefined || nowMs > before.timeMs) return { timeMs: nowMs, counter: 0, region };
  return { timeMs: before.timeMs, counter: before.counter + 1, region };
}

/** The replication metadata of an item. It is also kept for a while after the item is deleted. */
export interface ItemMark {
  readonly version: Version;
  /** For a deleted item. The mark holds its key, which is stored nowhere else. */
  readonly deleted?: { readonly atSeconds: number; readonly key: AttributeMap };
}

/*
 * Stored, sealed. The older form has a leading byte of 1 and no checksum:
 *
 *     time 8 (double) | counter 4 | deleted at 8 (double, seconds; -1: not) | length of the region 1
 *     | region (UTF-8) | key attributes of a deleted item (JSON)
 */
const marks = new SealedKind('The version of an item');
const headerBytes = 21;

export function encodeMark({ version, deleted }: ItemMark): Buffer {
  const region = Buffer.from(version.region, 'utf8');
  const key = Buffer.from(deleted === undefined ? '' : JSON.stringify(deleted.key), 'utf8');
  const value = marks.allocate(headerBytes + region.length + key.length);
  const content = value.subarray(checkedHeaderBytes);
  content.writeDoubleBE(version.timeMs, 0);
  content.writeUInt32BE(version.counter, 8);
  content.writeDoubleBE(deleted?.atSeconds ?? -1, 12);
  content[20] = region.length;
  content.set(region, headerBytes);
  content.set(key, headerBytes + region.length);
  return marks.seal(value);
}

/** @throws {StorageError} `damaged` when the mark is not the one that was stored. */
export function decodeMark(value: Uint8Array): ItemMark {
  const content = marks.open(value, (older) => older[0] === 1 && older.length > headerBytes, 1);
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const regionEnd = headerBytes + bytes.readUInt8(20);
  const atSeconds = bytes.readDoubleBE(12);
  const version = {
    timeMs: bytes.readDoubleBE(0),
    counter: bytes.readUInt32BE(8),
    region: bytes.toString('utf8', headerBytes, regionEnd),
  };
  if (atSeconds < 0) return { version };
  // encodeMark wrote the key.
  return { version, deleted: { atSeconds, key: JSON.parse(bytes.toString('utf8', regionEnd)) as AttributeMap } };
}
