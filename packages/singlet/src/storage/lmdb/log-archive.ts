import type { ClosedGeneration } from './write-ahead-log.ts';
import type { LogEnd } from './write-ahead-log-format.ts';
import type { SharedLog } from './shared-log.ts';

/**
 * Keeps the groups of the write-ahead log elsewhere, before the file that holds them is used again or removed. Backups are made of them.
 *
 *     start:  recovered ─┐
 *     first write:       began ─ beforeReuse (each turn, from the third generation on) ─ ended
 *
 * No method rejects: what cannot be kept is the archive's loss, and never a reason to refuse a write.
 */
export interface LogArchive {
  /** Recovery is about to apply this log, and to remove its files. May come again with the same log. */
  recovered(log: RecoveredLog): Promise<void>;
  /** Several processes have left this log, which has all that was written to the last transaction. It is about to be removed. */
  leftBySeveral(log: SharedLog): Promise<void>;
  /** A log has begun. Nothing in it is acknowledged before this resolves. */
  began(log: ReadableLog): Promise<void>;
  /** The file of a complete generation is about to be reused. Writes wait for this. */
  beforeReuse(generation: ClosedGeneration): Promise<void>;
  /**
   * The log is about to be closed and removed; it is complete.
   *
   * @param why - `shared`: another process uses the directory, too. From now on the archive does not see what is written.
   */
  ended(why: 'closing' | 'shared'): Promise<void>;
}

/** What a process has left that was killed. */
export interface RecoveredLog {
  /** 16 bytes. */
  readonly era: Buffer;
  /** In order, without a gap. */
  readonly generations: readonly RecoveredGeneration[];
}

export interface RecoveredGeneration {
  readonly generation: number;
  /** All groups, the first of which is "begin". */
  readonly groups: Buffer;
}

/** A log that is being written. */
export interface ReadableLog {
  /** 16 bytes. */
  readonly era: Buffer;
  /** Generations that are in the files, the oldest first, each up to where its groups are on disk. The last one is still growing. */
  readable(): readonly ClosedGeneration[];
  /** Groups of a generation, which must be readable, between two places. Perhaps not all of them, but one at least. */
  read(generation: number, from: LogEnd, to: LogEnd): Promise<Buffer>;
  /** Begins another era where this one has a gap. */
  renew?(): Promise<void>;
  /** Removes the groups that come before a place. */
  removeBefore?(generation: number, end: LogEnd): Promise<void>;
}
