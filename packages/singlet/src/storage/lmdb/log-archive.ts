import type { ClosedGeneration } from './write-ahead-log.ts';

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
  /** A log has begun. Nothing in it is acknowledged before this resolves. */
  began(log: ReadableLog): Promise<void>;
  /** The file of a complete generation is about to be begun anew. Writes wait for this. */
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
  /** Bytes of a generation, which must be readable, by their offset in its file. */
  read(generation: number, from: number, length: number): Promise<Buffer>;
}
