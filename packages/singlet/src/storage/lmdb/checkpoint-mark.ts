import { crc32 } from 'node:zlib';
import type { LogEnd } from './write-ahead-log-format.ts';

/**
 * The key under which LMDB holds the checkpoint mark. It is shorter than any key of the contract and sorts before all of them.
 *
 *     generation 8 | format 4 | state 4 | store 16 | era 16 | groups 4 | length 8 | checksum of the last group 4 | checksum 4
 *
 * Format 1 was the generation alone. It comes first, so that a release that knows only format 1 reads it correctly.
 */
export const checkpointMarkKey: Buffer = Buffer.from([0]);

/** Sorts after the mark, and before every key of the contract. */
export const firstKeyBound: Buffer = Buffer.from([0, 0]);

const markFormat = 2;
const markBytes = 68;
const states = { open: 1, closed: 2 } as const;

/** What LMDB records about the write-ahead log, in the same transaction as the change. */
export interface CheckpointMark {
  /**
   * `open`: there is a log, and it contains "begin" of the generation after this one. `closed`: there is no log; any files that are left over
   * hold only writes that are also in LMDB.
   */
  readonly state: 'open' | 'closed';
  /** 16 bytes: which store this is. The marker file and every generation of the log name it, too. */
  readonly store: Buffer;
  /** 16 random bytes: which era of the log this is. An era begins when a process becomes the only owner of the directory. */
  readonly era: Buffer;
  /** The last generation that is in LMDB. */
  readonly generation: number;
  /** Where that generation ended. */
  readonly end: LogEnd;
}

/** The value under the key of the mark. */
export type FoundMark =
  | { readonly kind: 'none' }
  /** A mark of format 1. */
  | { readonly kind: 'format-1'; readonly generation: number }
  | { readonly kind: 'mark'; readonly mark: CheckpointMark }
  | { readonly kind: 'newer'; readonly format: number }
  | { readonly kind: 'damaged' };

export function encodeMark({ state, store, era, generation, end }: CheckpointMark): Buffer {
  const bytes = Buffer.alloc(markBytes);
  bytes.writeBigUInt64LE(BigInt(generation), 0);
  bytes.writeUInt32LE(markFormat, 8);
  bytes.writeUInt32LE(states[state], 12);
  bytes.set(store, 16);
  bytes.set(era, 32);
  bytes.writeUInt32LE(end.groups, 48);
  bytes.writeBigUInt64LE(BigInt(end.length), 52);
  bytes.writeUInt32LE(end.checksum, 60);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, markBytes - 4)), markBytes - 4);
  return bytes;
}

/** @param value - LMDB's value under the key; it is copied. */
export function decodeMark(value: Uint8Array | undefined): FoundMark {
  if (value === undefined) return { kind: 'none' };
  const bytes = Buffer.from(value);
  if (bytes.length === 8) return { kind: 'format-1', generation: Number(bytes.readBigUInt64LE(0)) };
  if (bytes.length < 12) return { kind: 'damaged' };
  const format = bytes.readUInt32LE(8);
  if (bytes.length !== markBytes || bytes.readUInt32LE(markBytes - 4) !== crc32(bytes.subarray(0, markBytes - 4))) {
    return format > markFormat && bytes.length !== markBytes ? { kind: 'newer', format } : { kind: 'damaged' };
  }
  const mark: CheckpointMark = {
    state: bytes.readUInt32LE(12) === states.open ? 'open' : 'closed',
    store: bytes.subarray(16, 32),
    era: bytes.subarray(32, 48),
    generation: Number(bytes.readBigUInt64LE(0)),
    end: {
      groups: bytes.readUInt32LE(48),
      length: Number(bytes.readBigUInt64LE(52)),
      checksum: bytes.readUInt32LE(60),
    },
  };
  return { kind: 'mark', mark };
}
