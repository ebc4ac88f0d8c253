import type { ClosedGeneration } from './write-ahead-log.ts';
import type { LogEnd } from './write-ahead-log-format.ts';
import type { SharedLog } from './shared-log.ts';

/**
 * Keeps the groups of the write-ahead log elsewhere, before the file that holds them is reused or removed. Backups are made of them.
 *
 *     start:  recovered ─┐
 *     first write:       began ─ beforeReuse (each turn, from the third generation on) ─ ended
 *
 * No method rejects: if the archive cannot keep something, only the archive loses it, and no write is refused.
 */
export interface LogArchive {
  /** Recovery is about to apply this log, and to remove its files. May be called again with the same log. */
  recovered(log: RecoveredLog): Promise<void>;
  /** Several processes have left this log, which is complete up to the last transaction. It is about to be removed. */
  leftBySeveral(log: SharedLog): Promise<void>;
  /** A log has begun. Nothing in it is acknowledged before this resolves. */
  began(log: ReadableLog): Promise<void>;
  /** The file of a complete generation is about to be reused. Writes wait for this. */
  beforeReuse(generation: ClosedGeneration): Promise<void>;
  /**
   * The log is about to be closed and removed; it is complete.
   *
   * @param why - `shared`: another process also uses the directory. From now on the archive does not see the writes.
   */
  ended(why: 'closing' | 'shared'): Promise<void>;
}

/** The log of a process that was killed. */
export interface RecoveredLog {
  /** 16 bytes. */
  readonly era: Buffer;
  /** In order, without a gap. */
  readonly generations: readonly RecoveredGeneration[];
}

export interface RecoveredGeneration {
  readonly generation: number;
  /** All groups; the first is "begin". */
  readonly groups: Buffer;
}

/** A log that is being written. */
export interface ReadableLog {
  /** 16 bytes. */
  readonly era: Buffer;
  /** Generations in the files, the oldest first, each up to where its groups are on disk. The last one is still growing. */
  readable(): readonly ClosedGeneration[];
  /** Groups of a generation, which must be readable, between two positions. Perhaps not all of them, but at least one. */
  read(generation: number, from: LogEnd, to: LogEnd): Promise<Buffer>;
  /** Begins another era if this one has a gap. */
  renew?(): Promise<void>;
  /** Removes the groups before a position. */
  removeBefore?(generation: number, end: LogEnd): Promise<void>;
}
