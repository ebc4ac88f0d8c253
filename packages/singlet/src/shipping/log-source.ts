import type { FileSystem } from '../storage/files/file-system.ts';
import type { LogEnd } from '../storage/lmdb/write-ahead-log-format.ts';
import type { ReadableLog, RecoveredGeneration, RecoveredLog } from '../storage/lmdb/log-archive.ts';
import type { SharedLog } from '../storage/lmdb/shared-log.ts';
import { readGroupHead } from '../storage/lmdb/write-ahead-log-format.ts';
import type { ClosedGeneration } from '../storage/lmdb/write-ahead-log.ts';
import type { LogEra } from './backup-state.ts';
import { isSamePosition, type LogPosition, type LogRun, startOfGeneration, walkRun } from './log-position.ts';
import { LogSpool } from './log-spool.ts';

/** A run is complete once it has this many bytes of groups. A single group may be larger. */
const runBytesMax = 8 * 1024 * 1024;

/** The maximum size of the spool. */
export const spoolBytesMax: number = 1024 * 1024 * 1024;

/** The maximum number of eras that may have begun since the target was last reached. */
const erasMax = 1000;

/** The run that follows a position, and whether it is the last one so far. */
export interface NextRun {
  readonly run: LogRun;
  readonly from: LogPosition | null;
  readonly to: LogPosition;
  readonly isLast: boolean;
  /** When its last group was written. */
  readonly lastGroupMs: number;
}

/**
 * The log of a store from a position on, across restarts of processes: first the spool, then the log files.
 *
 * Its methods access only the local disk, and run one after the other, so the log never waits for the network.
 */
export class LogSource {
  readonly #spool: LogSpool;
  readonly #spoolBytesMax: number;
  #eras: LogEra[];
  #log: ReadableLog | undefined;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(spool: LogSpool, eras: readonly LogEra[], bytesMax: number) {
    this.#spool = spool;
    this.#eras = [...eras];
    this.#spoolBytesMax = bytesMax;
  }

  static async open(
    files: FileSystem,
    directory: string,
    { eras, bytesMax = spoolBytesMax }: { readonly eras: readonly LogEra[]; readonly bytesMax?: number | undefined },
  ): Promise<LogSource> {
    return new LogSource(await LogSpool.open(files, directory), eras, bytesMax);
  }

  get eras(): readonly LogEra[] {
    return this.#eras;
  }

  get spooledBytes(): number {
    return this.#spool.bytes;
  }

  /** Takes the log of a process that was killed. @returns false if it is not that of the last era. */
  recovered({ era, generations }: RecoveredLog): Promise<boolean> {
    return this.#exclusively(async () => {
      const name = era.toString('hex');
      const last = this.#eras.at(-1);
      if (last?.era !== name) return false;
      let end: LogPosition | null = null;
      for (const { generation, groups } of generations) {
        const walked = walkRun({ era: name, generation, groups }, end ?? undefined, { chain: end !== null });
        if (walked === undefined) return false;
        end = walked.position;
        // May be called twice for the same generation.
        if (!this.#spool.has(name, generation)) await this.#spool.add({ era: name, generation, groups }, 0);
      }
      this.#eras[this.#eras.length - 1] = { era: name, end };
      return true;
    });
  }

  /**
   * Takes the remaining log of several processes.
   *
   * @param transaction - the last transaction of the data file that the chain contains.
   * @returns false if it does not continue the chain, or the spool has no room for it.
   */
  leftBySeveral(log: SharedLog, transaction: number): Promise<boolean> {
    return this.#exclusively(async () => {
      if (!this.follows(log, transaction)) return false;
      const era = log.era.toString('hex');
      this.#beginEra(era);
      const spooled = new Set<number>();
      for await (const run of log.left()) {
        // May be called twice for the same generation.
        if (!spooled.has(run.generation) && this.#spool.has(era, run.generation)) continue;
        if (this.#spool.bytes + run.groups.length > this.#spoolBytesMax) return false;
        spooled.add(run.generation);
        await this.#spool.add({ era, ...run }, numberOfFirst(run));
      }
      const last = log.readable().at(-1);
      this.#eras[this.#eras.length - 1] = { era, end: last ? { era, ...last } : null };
      return true;
    });
  }

  /** Whether the shared log continues the chain: it is the last era, or begins directly after it. */
  follows(log: SharedLog, transaction: number): boolean {
    return this.#eras.at(-1)?.era === log.era.toString('hex') || log.after === transaction;
  }

  /** Drops what has reached the target. */
  forget(position: LogPosition | null): Promise<void> {
    return this.#exclusively(async () => {
      if (position?.era === this.#log?.era.toString('hex'))
        await this.#log?.removeBefore?.(position?.generation ?? 0, position?.end ?? startOfGeneration);
    });
  }

  /** Drops an era without any group, whose process was killed before it wrote one. */
  dropUnusedEra(): void {
    if (this.#eras.at(-1)?.end === null) this.#eras.pop();
  }

  /** @returns false if there have been too many eras. */
  began(log: ReadableLog): boolean {
    this.#log = log;
    const era = log.era.toString('hex');
    this.#beginEra(era);
    return this.#eras.length <= erasMax;
  }

  /**
   * Keeps a generation whose file is about to be reused.
   *
   * @param position - how much of the log is in the target, if known.
   * @returns false if there is no room for it.
   */
  keep(generation: ClosedGeneration, position: LogPosition | undefined): Promise<boolean> {
    return this.#exclusively(() => this.#keep(generation, position));
  }

  /**
   * Handles the removal of the log.
   *
   * @param isWanted - whether groups that are not in the target yet are kept.
   * @returns false if there is no room for them.
   */
  ended(position: LogPosition | undefined, isWanted: boolean): Promise<boolean> {
    return this.#exclusively(async () => {
      const log = this.#log;
      if (log === undefined) return true;
      let isKept = true;
      let last: LogPosition | null = null;
      for (const generation of log.readable()) {
        last = { era: log.era.toString('hex'), generation: generation.generation, end: generation.end };
        if (isWanted && isKept) isKept = await this.#keep(generation, position);
      }
      this.#log = undefined;
      this.#eras[this.#eras.length - 1] = { era: log.era.toString('hex'), end: last };
      return isKept;
    });
  }

  /** Forgets everything before the current position. @returns that position. */
  restart(): Promise<LogPosition | null> {
    return this.#exclusively(async () => {
      await this.#spool.clear();
      const log = this.#log;
      await log?.renew?.();
      const last = log?.readable().at(-1);
      if (last !== undefined) await log?.removeBefore?.(last.generation, last.end);
      this.#eras = log === undefined ? [] : [{ era: log.era.toString('hex'), end: null }];
      return log === undefined || last === undefined
        ? null
        : { era: log.era.toString('hex'), generation: last.generation, end: last.end };
    });
  }

  /** The present end of the log on disk. @returns a function that tells whether a position has reached it; undefined if no log is being written. */
  presentEnd(): ((position: LogPosition | null) => boolean) | undefined {
    const era = this.#log?.era.toString('hex');
    const last = this.#log?.readable().at(-1);
    if (last === undefined) return undefined;
    return (position) => {
      if (position?.era !== era) return false;
      if (position?.generation !== last.generation) return (position?.generation ?? 0) > last.generation;
      return position.end.groups >= last.end.groups;
    };
  }

  /** @returns undefined if there is nothing more, `'gap'` if the continuation is missing. */
  next(position: LogPosition | null): Promise<NextRun | undefined | 'gap'> {
    return this.#exclusively(async () => {
      this.#forgetBefore(position);
      const found = (await this.#spool.after(position ?? undefined)) ?? (await this.#liveRun(position));
      if (found === 'gap') return 'gap';
      if (found === undefined) return this.#isAtEnd(position) ? undefined : 'gap';
      if (!this.#mayFollow(position, found.era)) return 'gap';
      const whole = walkRun(found, position ?? undefined);
      if (whole === undefined) return 'gap';
      const last = whole.heads.find(({ offset, length }) => offset + length >= runBytesMax);
      const run =
        last === undefined ? found : { ...found, groups: found.groups.subarray(0, last.offset + last.length) };
      const walked = walkRun(run, position ?? undefined);
      if (walked === undefined) return 'gap';
      return {
        run,
        from: position,
        to: walked.position,
        isLast: this.#isAtEnd(walked.position),
        lastGroupMs: walked.heads.reduce((latest, { timeMs }) => Math.max(latest, timeMs), 0),
      };
    });
  }

  #beginEra(era: string): void {
    // A shared log outlives each of its processes.
    if (this.#eras.at(-1)?.era === era) return;
    this.dropUnusedEra();
    this.#eras.push({ era, end: null });
  }

  async #keep({ generation, end }: ClosedGeneration, position: LogPosition | undefined): Promise<boolean> {
    const log = this.#log;
    if (log === undefined) return true;
    const era = log.era.toString('hex');
    if (this.#spool.has(era, generation)) return true;
    const isHere = position?.era === era;
    if (isHere && position.generation > generation) return true;
    const from = isHere && position.generation === generation ? position.end : startOfGeneration;
    if (end.groups <= from.groups) return true;
    if (this.#spool.bytes + end.length - from.length > this.#spoolBytesMax) return false;
    const groups = await log.read(generation, from, end);
    await this.#spool.add({ era, generation, groups }, from.groups);
    return true;
  }

  async #liveRun(position: LogPosition | null): Promise<LogRun | undefined> {
    const log = this.#log;
    const found = log && unreadPart(log, position);
    if (log === undefined || found === undefined) return undefined;
    const { generation, from, end } = found;
    const groups = await log.read(generation, from, end);
    return { era: log.era.toString('hex'), generation, groups };
  }

  /** Whether a run of an era may come next. Within an era, the checksum chain of groups decides. */
  #mayFollow(position: LogPosition | null, era: string): boolean {
    if (position?.era === era) return true;
    if (position === null) return this.#eras[0]?.era === era;
    const at = this.#eras.findIndex((known) => known.era === position.era);
    return at >= 0 && isSamePosition(this.#eras[at]?.end ?? null, position) && this.#eras[at + 1]?.era === era;
  }

  /** Whether nothing can come after a position now. */
  #isAtEnd(position: LogPosition | null): boolean {
    const at = position === null ? -1 : this.#eras.findIndex(({ era }) => era === position.era);
    if (position !== null && at < 0) return false;
    const own = this.#eras[at];
    if (own?.end && !isSamePosition(own.end, position)) return false;
    const later = this.#eras.slice(at + 1);
    if (later.some(({ end }) => end !== null)) return false;
    if (this.#log === undefined) return true;
    // An unrelated era has begun.
    if (this.#eras.at(-1)?.era !== this.#log.era.toString('hex')) return false;
    return unreadPart(this.#log, position) === undefined;
  }

  #forgetBefore(position: LogPosition | null): void {
    const at = this.#eras.findIndex(({ era }) => era === position?.era);
    if (at > 0) this.#eras.splice(0, at);
  }

  async #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const result = before.then(work, work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/** How many groups of its generation precede a run. */
function numberOfFirst({ groups }: RecoveredGeneration): number {
  return readGroupHead(groups, 0)?.number ?? 0;
}

/** The first part of a log that comes after a position. */
function unreadPart(
  log: ReadableLog,
  position: LogPosition | null,
): { readonly generation: number; readonly from: LogEnd; readonly end: LogEnd } | undefined {
  const isHere = position?.era === log.era.toString('hex');
  const readable = log.readable();
  for (const [at, { generation, end }] of readable.entries()) {
    if (isHere && position.generation > generation) continue;
    const from = isHere && position.generation === generation ? position.end : startOfGeneration;
    // A "Begin" at the end of the log waits until a group follows it.
    const isBeginAlone = end.groups === 1 && at === readable.length - 1;
    if (end.groups > from.groups && !isBeginAlone) return { generation, from, end };
  }
  return undefined;
}
