import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { FileSystem } from '../storage/files/file-system.ts';
import { nodeFileSystem } from '../storage/files/node-file-system.ts';
import type { LogArchive, ReadableLog, RecoveredLog } from '../storage/lmdb/log-archive.ts';
import { readMarker } from '../storage/lmdb/directory-marker.ts';
import { lastTransaction } from '../storage/lmdb/data-pages.ts';
import type { SharedLog } from '../storage/lmdb/shared-log.ts';
import type { ClosedGeneration } from '../storage/lmdb/write-ahead-log.ts';
import { StorageError } from '../storage/storage-error.ts';
import type { Store } from '../storage/store.ts';
import { BackupError } from './backup-error.ts';
import { chainName, databaseName, headName, pieceName, timedName, timeOfName } from './backup-names.ts';
import { encodeObject } from './backup-object.ts';
import type { ChainHead, ChainRecord, DatabaseRecord, SnapshotManifest } from './backup-records.ts';
import { type BackupState, readState, removeState, writeState } from './backup-state.ts';
import type { BackupTarget } from './backup-target.ts';
import { findChainEnd, headOfPiece, startOfChain } from './chain-end.ts';
import { encodePiece } from './log-piece.ts';
import { LogSource, type NextRun } from './log-source.ts';
import { removeExpired, snapshotsOf } from './retention.ts';
import { persistently, type RetryPauses, retryPauses } from './retries.ts';
import { writeSnapshot } from './snapshot-writer.ts';

/** How often the head of a chain is written; it is also written at the end. Milliseconds. */
const headMs = 10_000;

/** How long a closing process continues to ship. Groups left then are in the spool, and are shipped after the next start. Milliseconds. */
const closingMsMax = 5_000;

/** A failing target is logged at the first failure, and then this often. Milliseconds. */
const complainMs = 60_000;

/** The time before a failed snapshot is retried. Milliseconds. */
const snapshotRetryMs = 60_000;

const waitMs = 10;

/** Used if several processes share the directory: the last transaction in their shared log is authoritative instead. */
const noTransaction = -1;

export interface BackupSettings {
  /** How often the log is shipped, which bounds the loss if the machine is lost. Milliseconds. */
  readonly everyMs: number;
  /** How often a snapshot is taken. Milliseconds. */
  readonly snapshotEveryMs: number;
  /** How far back every moment can be restored. Milliseconds. */
  readonly keepMs: number;
  /** How much may be spooled beside the data while the target cannot be reached. Bytes. */
  readonly spoolBytesMax?: number;
}

export interface ShipperOptions {
  readonly directory: string;
  /** The URL as the user gave it. */
  readonly url: string;
  readonly openTarget: () => Promise<BackupTarget>;
  readonly settings: BackupSettings;
  readonly log: (event: {
    readonly level: 'info' | 'warn' | 'error';
    readonly event: string;
    readonly [detail: string]: unknown;
  }) => void;
  /** The log of the processes that share the directory; absent if this process has the directory alone. */
  readonly sharedLog?: SharedLog;
  /** Called after each snapshot, once everything that it needs is in the target. */
  readonly onSnapshot?: () => void;
  /** Milliseconds since 1970; the clock of the log. */
  readonly nowMs?: () => number;
  readonly files?: FileSystem;
  /** Returns the number of the last transaction of the data file; by default it is read from the file. */
  readonly lastTransaction?: () => number;
  readonly pauses?: RetryPauses;
  /** How often a request to the target is attempted before the backup is given up. By default without end, for a server. */
  readonly attemptsMax?: number;
  /** How long `close` continues to ship. Milliseconds. */
  readonly closingMs?: number;
}

/** The state of a backup. */
export interface BackupReport {
  readonly target: string;
  readonly chain: string | undefined;
  /** All writes acknowledged before this time are in the target; undefined until the target was first reached. */
  readonly coveredUntilMs: number | undefined;
  readonly lastSnapshotMs: number | undefined;
  /** Bytes in the spool, waiting for the target. */
  readonly spooledBytes: number;
  /** Why the target cannot be reached; undefined while it can. */
  readonly problem: string | undefined;
}

/**
 * Ships the log of a store, and snapshots of it, to a target.
 *
 *     log ─┬──────────────────────── piece, every second ───────────── chains/<chain>/log/<n>
 *          └ file used again: spool ─┘                       snapshot, every day ─ chains/<chain>/snapshots/…
 *
 * A chain has no gap in time. If its continuation is lost (the spool is full, another process has written, or someone else has changed the
 * target), a new chain begins with a snapshot, and the log says why.
 *
 * Invariant: the position is that of a piece in the target. A log file whose generation is not fully shipped is reused only once its groups are
 * in the spool.
 *
 * Decision 0055 says why.
 */
export class LogShipper implements LogArchive {
  readonly #options: ShipperOptions;
  readonly #files: FileSystem;
  readonly #nowMs: () => number;
  readonly #abort = new AbortController();
  readonly #source: LogSource;
  /** How the backup of the directory continues; undefined if a new chain has to begin. */
  #state: BackupState | undefined;
  #wasRecovered = false;
  #transaction: number;
  #store: Store | undefined;
  #target: BackupTarget | undefined;
  #database = '';
  /** The end of the chain in the target; undefined until it is known. */
  #head: ChainHead | undefined;
  #headWrittenMs = -Infinity;
  #lastSnapshotMs: number | undefined;
  #snapshotting: Promise<SnapshotManifest | undefined> | undefined;
  #shipping: Promise<unknown> = Promise.resolve();
  /** The time from which other processes write, too. */
  #sharedSinceMs: number | undefined;
  #stateWrites: Promise<unknown> = Promise.resolve();
  #isClosing = false;
  #refusal: BackupError | undefined;
  #failedSnapshotMs = -Infinity;
  #problem: string | undefined;
  #complainedMs = -Infinity;

  private constructor(options: ShipperOptions, source: LogSource, state: BackupState | undefined, transaction: number) {
    this.#options = options;
    this.#files = options.files ?? nodeFileSystem;
    this.#nowMs = options.nowMs ?? Date.now;
    this.#source = source;
    this.#state = state;
    this.#transaction = transaction;
  }

  /** Reads how the directory was left. The caller opens the store next, with this as its archive. */
  static async open(options: ShipperOptions): Promise<LogShipper> {
    const { directory, files = nodeFileSystem, settings, url } = options;
    const state = await readState(files, directory);
    const own = state?.target === url ? state : undefined;
    const source = await LogSource.open(files, directory, { eras: own?.eras ?? [], bytesMax: settings.spoolBytesMax });
    const transaction = options.sharedLog === undefined ? lastTransactionOf(options) : noTransaction;
    return new LogShipper(options, source, own, transaction);
  }

  /** Begins to ship. @param store - opened with this as its archive, or writes the shared log. */
  async begin(store: Store): Promise<void> {
    const { directory, sharedLog } = this.#options;
    this.#store = store;
    this.#database = await databaseIn(directory, this.#files);
    if (sharedLog === undefined) {
      if (!this.#wasRecovered && this.#state?.transaction !== this.#transaction) this.#breakChain(writtenWithout);
      if (!this.#wasRecovered) this.#source.dropUnusedEra();
      this.#transaction = lastTransactionOf(this.#options);
    } else {
      await sharedLog.renew();
      if (!this.#source.follows(sharedLog, this.#state?.transaction ?? noTransaction)) this.#breakChain(writtenWithout);
      this.#source.began(sharedLog);
    }
    await this.#guarded('noting the start', () => this.#writeState());
    void this.#run();
  }

  async recovered(log: RecoveredLog): Promise<void> {
    await this.#guarded('keeping the log of a process that ended', async () => {
      if (this.#state === undefined) return;
      if (await this.#source.recovered(log)) this.#wasRecovered = true;
    });
  }

  async leftBySeveral(log: SharedLog): Promise<void> {
    await this.#guarded('keeping the log of several processes', async () => {
      if (this.#state === undefined) return;
      if (await this.#source.leftBySeveral(log, this.#state.transaction)) this.#wasRecovered = true;
    });
  }

  async began(log: ReadableLog): Promise<void> {
    await this.#guarded('noting that a log begins', async () => {
      if (!this.#source.began(log)) this.#breakChain('the target was unavailable for too long');
      await this.#writeState();
    });
  }

  async beforeReuse(generation: ClosedGeneration): Promise<void> {
    await this.#guarded('keeping a part of the log', async () => {
      if (this.#state === undefined) return;
      const isKept = await this.#source.keep(generation, this.#head?.position ?? undefined);
      if (!isKept) this.#breakChain('there is no room for log that waits for the target');
    });
  }

  async ended(why: 'closing' | 'shared'): Promise<void> {
    await this.#guarded('keeping the end of the log', async () => {
      const isKept = await this.#source.ended(this.#head?.position ?? undefined, this.#state !== undefined);
      if (!isKept) this.#breakChain('there is no room for log that waits for the target');
      if (why === 'closing') return;
      this.#sharedSinceMs = this.#nowMs();
      // Whatever state the data file is in from now on, the chain does not record it.
      await removeState(this.#files, this.#options.directory);
      const message =
        'another process uses the directory: later writes are not in the backup until this process is restarted, alone';
      this.#options.log({ level: 'error', event: 'backup-interrupted', target: this.#options.url, message });
    });
  }

  report(): BackupReport {
    return {
      target: this.#options.url,
      chain: this.#state?.chain,
      coveredUntilMs: this.#head?.coveredUntilMs,
      lastSnapshotMs: this.#lastSnapshotMs,
      spooledBytes: this.#source.spooledBytes,
      problem: this.#problem,
    };
  }

  /**
   * Takes a snapshot now, or waits for the one in progress.
   *
   * @returns undefined if this is closed before the snapshot is finished.
   * @throws {BackupError} if the target is refused.
   */
  async snapshot(): Promise<SnapshotManifest | undefined> {
    while (this.#head === undefined) {
      if (this.#refusal !== undefined) throw this.#refusal;
      if (this.#abort.signal.aborted) return undefined;
      await this.#pause(waitMs).catch(() => undefined);
    }
    return this.#takeSnapshot();
  }

  /** Ships everything acknowledged so far. */
  shipAll(): Promise<ChainHead> {
    return this.#inTurn(() => this.#shipPieces());
  }

  /**
   * Closes the store and ships the remaining log, for a limited time.
   *
   * @param closeStore - closes the store, and with it the log.
   */
  async close(closeStore: () => Promise<void>): Promise<void> {
    this.#isClosing = true;
    const { closingMs = closingMsMax, sharedLog } = this.#options;
    await Promise.race([this.#quietly(this.#snapshotting), this.#quietly(this.#pause(closingMs))]);
    if (sharedLog === undefined) await closeStore();
    else await this.#othersAreGone(sharedLog, closingMs);
    await this.#targetIsReached(closingMs);
    if (this.#head !== undefined) {
      const shipped = this.shipAll().then(() => this.#writeHead(true));
      await Promise.race([this.#quietly(shipped), this.#quietly(this.#pause(closingMs))]);
    }
    // A request that hangs is abandoned. If it succeeds, the next process finds its object in the target.
    this.#abort.abort();
    if (sharedLog === undefined) this.#transaction = lastTransactionOf(this.#options);
    await this.#guarded('noting the end', () => this.#writeState());
    if (sharedLog !== undefined) await closeStore();
  }

  /** If the process is closed right after it has started, this waits for the target to be reached, unless it has failed. */
  async #targetIsReached(closingMs: number): Promise<void> {
    const isReaching = (): boolean =>
      this.#head === undefined && this.#problem === undefined && this.#refusal === undefined;
    for (let waitedMs = 0; waitedMs < closingMs && isReaching(); waitedMs += waitMs) await this.#pause(waitMs);
  }

  /** Other processes are closing at the same time, and their last writes have to be in the backup, too. */
  async #othersAreGone(log: SharedLog, closingMs: number): Promise<void> {
    for (let waitedMs = 0; waitedMs < closingMs && !log.isAlone(); waitedMs += waitMs) await this.#pause(waitMs);
  }

  async #run(): Promise<void> {
    const { settings, url, log } = this.#options;
    while (!this.#abort.signal.aborted) {
      try {
        this.#head ??= await this.#connect();
        await this.shipAll();
        await this.#forgetShipped();
        await this.#writeHead(false);
        if (this.#isSnapshotDue()) this.#takeSnapshot().catch(() => undefined); // logged, and retried later
      } catch (error) {
        if (this.#abort.signal.aborted) return;
        if (error instanceof BackupError && this.#isFinal(error)) {
          this.#refusal = error;
          this.#problem = error.message;
          log({ level: 'error', event: 'backup-refused', target: url, message: error.message });
          return;
        }
        this.#breakChain(error instanceof Error ? error.message : String(error));
      }
      await this.#pause(settings.everyMs).catch(() => undefined);
    }
  }

  /**
   * A target that belongs to another database, or cannot be understood, is not written to. Before there is a chain, nothing else of it has been
   * read.
   */
  #isFinal({ code }: BackupError): boolean {
    if (code === 'other-database' || code === 'format' || code === 'unusable') return true;
    return this.#state === undefined && (code === 'damaged' || code === 'missing');
  }

  #isSnapshotDue(): boolean {
    const nowMs = this.#nowMs();
    if (this.#isClosing || nowMs - this.#failedSnapshotMs < snapshotRetryMs) return false;
    return nowMs - (this.#lastSnapshotMs ?? -Infinity) >= this.#options.settings.snapshotEveryMs;
  }

  /** Finds the end of the chain, or begins one. */
  async #connect(): Promise<ChainHead> {
    const opened = await this.#try(() => this.#options.openTarget());
    const target = opened.withAttempts((request) => this.#try(request));
    this.#target = target;
    await this.#claimTarget(target);
    const chain = this.#state?.chain;
    if (chain !== undefined) {
      const end = await findChainEnd(target, chain);
      if (end !== undefined) {
        this.#lastSnapshotMs = await findLastSnapshot(target, chain);
        return end;
      }
      this.#breakChain('the target no longer has it');
    }
    return this.#beginChain(target);
  }

  /** @throws {BackupError} `other-database`. */
  async #claimTarget(target: BackupTarget): Promise<void> {
    const record: DatabaseRecord = { database: this.#database };
    await target.create(databaseName, encodeObject(databaseName, record)).catch(async (error: unknown) => {
      if (!(error instanceof BackupError) || error.code !== 'conflict') throw error;
      await target.read<DatabaseRecord>(databaseName); // throws if it is damaged
      const message = `${target.url} holds the backups of another database: choose another target. (A database restored from a backup counts as another one.)`;
      throw new BackupError('other-database', message, { cause: error });
    });
  }

  async #beginChain(target: BackupTarget): Promise<ChainHead> {
    const startedAtMs = this.#nowMs();
    const chain = timedName(startedAtMs, randomBytes(4).toString('hex'));
    const from = await this.#source.restart();
    const record: ChainRecord = { database: this.#database, startedAtMs, from };
    const hash = await target.create(chainName(chain), encodeObject(chainName(chain), record));
    const head = startOfChain(record, hash);
    await target.replace(headName(chain), head);
    this.#state = { target: this.#options.url, chain, eras: this.#source.eras, transaction: this.#transaction };
    this.#lastSnapshotMs = undefined;
    await this.#writeState();
    this.#options.log({ level: 'info', event: 'backup-chain-begun', target: this.#options.url, chain });
    return head;
  }

  /** Only call in turn. */
  async #shipPieces(): Promise<ChainHead> {
    // Stops at the end as of now: under load more keeps arriving.
    const isEnough = this.#source.presentEnd();
    for (let pieces = 0; ; pieces += 1) {
      const { head, target, chain } = this.#place();
      if (pieces > 0 && isEnough?.(head.position) === true) return head;
      const nowMs = this.#nowMs();
      const next = await this.#source.next(head.position);
      if (next === 'gap') throw new BackupError('missing', 'the next part of the log is missing');
      if (next === undefined) {
        const coveredUntilMs = Math.max(head.coveredUntilMs, Math.min(nowMs, this.#sharedSinceMs ?? nowMs));
        return (this.#head = { ...head, coveredUntilMs });
      }
      const header = this.#headerOf(next, { head, chain, nowMs });
      const object = await encodePiece(header, next.run);
      const hash = await target.create(pieceName(chain, header.piece), object);
      // If the chain was given up meanwhile, the head differs or is undefined.
      if (this.#head !== head) throw new BackupError('conflict', 'the chain was given up');
      this.#head = headOfPiece({ ...header, era: next.run.era, generation: next.run.generation }, hash);
    }
  }

  #headerOf(
    { from, to, isLast, lastGroupMs }: NextRun,
    { head, chain, nowMs }: { readonly head: ChainHead; readonly chain: string; readonly nowMs: number },
  ): Parameters<typeof encodePiece>[0] {
    // Before the end of the log, it is not known what else was written in the last millisecond.
    const coveredMs = isLast ? Math.min(nowMs, this.#sharedSinceMs ?? nowMs) : lastGroupMs - 1;
    return {
      chain,
      piece: head.piece + 1,
      before: head.hash,
      from,
      to,
      coveredUntilMs: Math.max(head.coveredUntilMs, coveredMs),
      lastGroupMs: Math.max(head.lastGroupMs, lastGroupMs),
    };
  }

  /** @param isWanted - writes it even if it was written a moment ago. */
  async #writeHead(isWanted: boolean): Promise<void> {
    await this.#inTurn(async () => {
      const nowMs = this.#nowMs();
      if (!isWanted && nowMs - this.#headWrittenMs < headMs) return;
      const { head, target, chain } = this.#place();
      await target.replace(headName(chain), head);
      this.#headWrittenMs = nowMs;
    });
  }

  async #forgetShipped(): Promise<void> {
    await this.#inTurn(() => this.#source.forget(this.#place().head.position));
  }

  async #takeSnapshot(): Promise<SnapshotManifest | undefined> {
    this.#snapshotting ??= this.#writeSnapshot().finally(() => (this.#snapshotting = undefined));
    return this.#snapshotting;
  }

  async #writeSnapshot(): Promise<SnapshotManifest | undefined> {
    const { target: impatient, chain } = this.#place();
    const target = impatient.withAttempts((request) => this.#try(request, (ms) => this.#pauseWhileOpen(ms)));
    const store = this.#store as Store; // set before the chain is known
    const startedMs = this.#nowMs();
    const { url, settings, log } = this.#options;
    try {
      const manifest = await writeSnapshot(target, timedName(startedMs, randomBytes(4).toString('hex')), {
        store,
        database: this.#database,
        chain,
        shipAll: () => this.#shipAllOf(chain),
        nowMs: this.#nowMs,
        pause: (ms) => this.#pauseWhileOpen(ms),
      });
      this.#lastSnapshotMs = startedMs;
      const bytes = manifest.parts.reduce((sum, part) => sum + part.bytes, 0);
      log({ level: 'info', event: 'backup-snapshot-written', target: url, chain, bytes, parts: manifest.parts.length });
      // The end of a chain is searched for after its head, so only pieces before the head may be removed.
      await this.#writeHead(true);
      await removeExpired(target, chain, this.#nowMs() - settings.keepMs);
      this.#options.onSnapshot?.();
      return manifest;
    } catch (error) {
      if (this.#isClosing) return undefined;
      if (this.#state?.chain === chain) this.#failedSnapshotMs = this.#nowMs();
      const message = error instanceof Error ? error.message : String(error);
      log({ level: 'error', event: 'backup-snapshot-failed', target: url, message });
      throw error;
    }
  }

  /**
   * For a snapshot, which belongs to one chain.
   *
   * @throws {BackupError} if that chain was given up, even if another has begun since.
   */
  async #shipAllOf(chain: string): Promise<ChainHead> {
    const head = await this.shipAll();
    if (this.#state?.chain !== chain) throw new BackupError('conflict', 'the chain was given up');
    return head;
  }

  /** @throws {BackupError} if the chain was given up. */
  #place(): { readonly head: ChainHead; readonly target: BackupTarget; readonly chain: string } {
    const head = this.#head;
    const target = this.#target;
    const chain = this.#state?.chain;
    if (head === undefined || target === undefined || chain === undefined) {
      throw new BackupError('conflict', 'the chain was given up');
    }
    return { head, target, chain };
  }

  /** Gives up the chain: nothing is kept for it any more. Another begins as soon as the target can be reached. */
  #breakChain(why: string): void {
    const { log, url } = this.#options;
    // Even if the chain was given up while connecting: a head without a chain would never be replaced.
    this.#head = undefined;
    if (this.#state === undefined) return;
    const chain = this.#state.chain;
    this.#state = undefined;
    log({
      level: 'warn',
      event: 'backup-chain-ended',
      target: url,
      chain,
      why: `${why}. Another chain begins, with a snapshot`,
    });
  }

  /** Serialised: the store and the target both cause it to be written, and there is one temporary name. */
  #writeState(): Promise<void> {
    const written = this.#stateWrites.then(() => this.#putState());
    this.#stateWrites = written.catch(() => undefined);
    return written;
  }

  async #putState(): Promise<void> {
    const { directory } = this.#options;
    if (this.#sharedSinceMs !== undefined) return;
    if (this.#state === undefined) return removeState(this.#files, directory);
    this.#state = { ...this.#state, eras: this.#source.eras, transaction: this.#transaction };
    await writeState(this.#files, directory, this.#state);
  }

  /** Work that the store waits for must never fail because of the backup. */
  async #guarded(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#breakChain(`${what} failed (${message})`);
      await removeState(this.#files, this.#options.directory).catch(() => undefined);
    }
  }

  #try<T>(work: () => Promise<T>, pause = (ms: number): Promise<void> => this.#pause(ms)): Promise<T> {
    const { log, url } = this.#options;
    return persistently(work, {
      pauses: this.#options.pauses ?? retryPauses,
      attemptsMax: this.#options.attemptsMax ?? Infinity,
      pause,
      onFailure: (error) => {
        const message = error instanceof Error ? error.message : String(error);
        this.#problem = message;
        const nowMs = performance.now();
        if (nowMs - this.#complainedMs < complainMs) return;
        this.#complainedMs = nowMs;
        log({ level: 'error', event: 'backup-target-failed', target: url, message });
      },
      onSuccess: (attempts) => {
        this.#problem = undefined;
        if (attempts === 1) return;
        this.#complainedMs = -Infinity;
        log({ level: 'info', event: 'backup-target-reached', target: url });
      },
    });
  }

  /** Pieces and heads are written one after the other, so that a head is never older than the one before. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#shipping.then(work);
    this.#shipping = result.catch(() => undefined);
    return result;
  }

  /** Rejects if this is closed. */
  #pause(ms: number): Promise<void> {
    const { signal } = this.#abort;
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        reject(new StorageError('closed', 'the backup is closed'));
      };
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', end);
        resolve();
      }, ms);
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
    });
  }

  /** For a snapshot: rejects when the store is about to be closed. */
  async #pauseWhileOpen(ms: number): Promise<void> {
    for (let waitedMs = 0; waitedMs < ms; waitedMs += waitMs) {
      if (this.#isClosing) throw new StorageError('closed', 'the backup is closed');
      await this.#pause(Math.min(waitMs, ms - waitedMs));
    }
  }

  async #quietly(work: Promise<unknown> | undefined): Promise<void> {
    await work?.catch(() => undefined);
  }
}

const writtenWithout = 'something was written without this backup';

/** The start time of the last snapshot of a chain. */
async function findLastSnapshot(target: BackupTarget, chain: string): Promise<number | undefined> {
  const last = (await snapshotsOf(target, chain)).findLast(({ isFinished }) => isFinished);
  return last && timeOfName(last.id);
}

/** @throws {StorageError} if a directory does not record which database it contains. */
async function databaseIn(directory: string, files: FileSystem): Promise<string> {
  const marker = await readMarker(files, directory);
  if (marker?.format === 2 && marker.state === 'ready') return marker.store;
  throw new StorageError('format', `The directory ${directory} does not identify its database.`);
}

function lastTransactionOf({ directory, lastTransaction: last }: ShipperOptions): number {
  return last?.() ?? lastTransaction(join(directory, 'data.mdb'));
}
