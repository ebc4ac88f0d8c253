import type { LogPosition } from './log-position.ts';

/** What the object `database` says. */
export interface DatabaseRecord {
  /** The id of the store, in hexadecimal. */
  readonly database: string;
}

/** What begins a chain. */
export interface ChainRecord {
  readonly database: string;
  /** Milliseconds since 1970, as all times here. */
  readonly startedAtMs: number;
  /** Where the log was then; null when there was none. */
  readonly from: LogPosition | null;
}

/** How far a chain has come. */
export interface ChainHead {
  /** The last piece of the log; -1 without any. */
  readonly piece: number;
  /** Hash of that piece, or of the object that begins the chain. */
  readonly hash: string;
  /** Where that piece ends, or the chain begins. */
  readonly position: LogPosition | null;
  /** Everything that was acknowledged until then is in the chain. */
  readonly coveredUntilMs: number;
  /** When the last group of the log was written; 0 without any. */
  readonly lastGroupMs: number;
}

/** What a snapshot is made of. */
export interface SnapshotManifest {
  readonly database: string;
  readonly chain: string;
  readonly startedAtMs: number;
  /** The chain when the first part was read. What comes after its piece has to be applied. */
  readonly first: ChainHead;
  /** The chain when all parts had been read. Without all pieces up to this one the parts do not fit together. */
  readonly last: ChainHead;
  /** The earliest moment that can be restored from it. */
  readonly validFromMs: number;
  readonly parts: readonly SnapshotPart[];
}

export interface SnapshotPart {
  readonly hash: string;
  readonly entries: number;
  /** Of keys and values. */
  readonly bytes: number;
}
