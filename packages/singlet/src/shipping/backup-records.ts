import type { LogPosition } from './log-position.ts';

/** The content of the object `database`. */
export interface DatabaseRecord {
  /** The id of the store, in hexadecimal. */
  readonly database: string;
}

/** The object that begins a chain. */
export interface ChainRecord {
  readonly database: string;
  /** Milliseconds since 1970, like all times here. */
  readonly startedAtMs: number;
  /** The position of the log at that time; null if there was no log. */
  readonly from: LogPosition | null;
}

/** How far a chain has come. */
export interface ChainHead {
  /** The last piece of the log; -1 if there is none. */
  readonly piece: number;
  /** Hash of that piece, or of the object that begins the chain. */
  readonly hash: string;
  /** Where that piece ends, or the chain begins. */
  readonly position: LogPosition | null;
  /** All writes acknowledged before this time are in the chain. */
  readonly coveredUntilMs: number;
  /** When the last group of the log was written; 0 if there is none. */
  readonly lastGroupMs: number;
}

/** The contents of a snapshot. */
export interface SnapshotManifest {
  readonly database: string;
  readonly chain: string;
  readonly startedAtMs: number;
  /** The chain when the first part was read. The pieces after this one have to be applied. */
  readonly first: ChainHead;
  /** The chain when all parts had been read. Without all pieces up to this one the parts are not consistent with each other. */
  readonly last: ChainHead;
  /** The earliest moment that can be restored from this snapshot. */
  readonly validFromMs: number;
  readonly parts: readonly SnapshotPart[];
}

export interface SnapshotPart {
  readonly hash: string;
  readonly entries: number;
  /** Of keys and values. */
  readonly bytes: number;
}
