import type { AttributeMap } from '../../values/attribute-value.ts';
import { StorageError } from '../../storage/storage-error.ts';

/**
 * When an item, or the settings of a table, got the state they are in, and where. Versions are in total order, so that all
 * regions agree which of two writes is the last: by time, then by counter, then by region.
 *
 * A write always gets a later version than the state it was decided on, even if that came from a region whose clock is
 * ahead: then the time stays and the counter goes up. So what a client has seen is never older than what it writes.
 */
export interface Version {
  /** Milliseconds since 1970, by the clock of the region. */
  readonly timeMs: number;
  readonly counter: number;
  readonly region: string;
}

/** Of items that are older than the replication of their table: any write of any region comes after it. */
export const firstVersion: Version = { timeMs: 0, counter: 0, region: '' };

export function compareVersions(a: Version, b: Version): number {
  return a.timeMs - b.timeMs || a.counter - b.counter || (a.region < b.region ? -1 : a.region > b.region ? 1 : 0);
}

/** The version of a write that is decided now on a state of the version `before`. */
export function nextVersion(before: Version | undefined, nowMs: number, region: string): Version {
  if (before === undefined || nowMs > before.timeMs) return { timeMs: nowMs, counter: 0, region };
  return { timeMs: before.timeMs, counter: before.counter + 1, region };
}

/** What is known of an item beside itself. It is kept for an item that was deleted, too, for a while. */
export interface ItemMark {
  readonly version: Version;
  /** Of an item that is not there. Its key stands in the mark, for it is nowhere else. */
  readonly deleted?: { readonly atSeconds: number; readonly key: AttributeMap };
}

/*
 * Stored:
 *
 *     format 1 | time 8 (double) | counter 4 | deleted at 8 (double, seconds; -1: not) | length of the region 1
 *     | region (UTF-8) | key attributes of a deleted item (JSON)
 */
const formatVersion = 1;
const headerBytes = 22;

export function encodeMark({ version, deleted }: ItemMark): Buffer {
  const region = Buffer.from(version.region, 'utf8');
  const key = Buffer.from(deleted === undefined ? '' : JSON.stringify(deleted.key), 'utf8');
  const header = Buffer.allocUnsafe(headerBytes);
  header[0] = formatVersion;
  header.writeDoubleBE(version.timeMs, 1);
  header.writeUInt32BE(version.counter, 9);
  header.writeDoubleBE(deleted?.atSeconds ?? -1, 13);
  header[21] = region.length;
  return Buffer.concat([header, region, key]);
}

/** @throws {StorageError} `format` when it was written by another version of Singlet. */
export function decodeMark(value: Uint8Array): ItemMark {
  if (value[0] !== formatVersion) {
    throw new StorageError(
      'format',
      `The version of an item is stored in format ${String(value[0])}, and this version of Singlet reads format ${formatVersion}. Use the version that wrote it, or a newer one.`,
    );
  }
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const regionEnd = headerBytes + bytes.readUInt8(21);
  const atSeconds = bytes.readDoubleBE(13);
  const version = {
    timeMs: bytes.readDoubleBE(1),
    counter: bytes.readUInt32BE(9),
    region: bytes.toString('utf8', headerBytes, regionEnd),
  };
  if (atSeconds < 0) return { version };
  // The key was written by encodeMark.
  return { version, deleted: { atSeconds, key: JSON.parse(bytes.toString('utf8', regionEnd)) as AttributeMap } };
}
