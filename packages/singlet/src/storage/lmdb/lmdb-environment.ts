import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { CallerGuard } from '../caller-checks.ts';
import type { FileSystem } from '../files/file-system.ts';
import { nodeFileSystem } from '../files/node-file-system.ts';
import { StorageError } from '../storage-error.ts';
import type { CheckpointMark } from './checkpoint-mark.ts';
import type { Commits } from './commits.ts';
import { prepareDataDirectory } from './data-directory.ts';
import { DataPages, lastTransactionIn } from './data-pages.ts';
import { createDataFiles, moveUnfinishedDataFile, stateOfDataFile, syncDataFile } from './data-file.ts';
import { DeferredCommits } from './deferred-commits.ts';
import { DirectoryClaim } from './directory-claim.ts';
import { type DirectoryMarker, readMarker, writeMarker } from './directory-marker.ts';
import { GroupCommit } from './group-commit.ts';
import { openDatabase } from './lmdb-database.ts';
import type { LmdbDatabase, OpenedDatabase } from './lmdb-package.ts';
import { messageOf, openFailure } from './lmdb-failure.ts';
import type { LogArchive } from './log-archive.ts';
import type { ReadingRules } from './log-file-reader.ts';
import { LoggedGroupCommit, type LoggedGroupCommitOptions } from './logged-group-commit.ts';
import { openLog, removeLog } from './log-lifecycle.ts';
import { type RecoveryTarget, readLogs, recover } from './recovery.ts';
import { planRecovery } from './recovery-plan.ts';
import { recoveryRefusal } from './recovery-refusal.ts';
import { SharedLog, type SharedLogLimits } from './shared-log.ts';
import { SnapshotReader } from './snapshot-reader.ts';
import type { WriteAheadLog, WriteAheadLogOptions } from './write-ahead-log.ts';

/** The parts of the machine that an environment uses. */
export interface LmdbHost {
  readonly files: FileSystem;
  readonly openDatabase: (directory: string) => Promise<OpenedDatabase>;
  /** Makes the log when one begins. */
  readonly makeLog?: (options: WriteAheadLogOptions) => WriteAheadLog;
  readonly log?: LoggedGroupCommitOptions;
  readonly rules?: ReadingRules;
  /** Keeps the contents of the log. This process must then be the only one that has the directory open. */
  readonly archive?: LogArchive | undefined;
  /** Whether a shared directory also has a log. */
  readonly hasSharedLog?: boolean | undefined;
  readonly sharedLogLimits?: SharedLogLimits | undefined;
  /** Opens a reader of the number of a data file's last transaction. */
  readonly openTransactions?: (directory: string) => TransactionNumbers;
}

/** Returns the number of the last transaction of a data file. */
export interface TransactionNumbers {
  last(): number;
  close(): void;
}

const machine: LmdbHost = { files: nodeFileSystem, openDatabase };

function transactionsOf(directory: string): TransactionNumbers {
  const pages = new DataPages(join(directory, 'data.mdb'));
  return { last: () => lastTransactionIn(pages), close: () => pages.close() };
}

/**
 * One open data file: what all stores of this process on the same directory share.
 *
 *     open ─ recover ─┬─ alone: reads only ─ first write ─ own, begin a log ─ others come, or close ─ checkpoint, close the log
 *                     └─ others are there: group commit straight to LMDB
 *
 * Invariant: the log's state in LMDB (`CheckpointMark`) is `open` from before the first group is acknowledged until after the last checkpoint.
 * While it is `open`, the files of the log exist and are synced with their names.
 */
export class LmdbEnvironment {
  readonly guard: CallerGuard;
  readonly reader: SnapshotReader;
  readonly #host: LmdbHost;
  readonly #directory: string;
  readonly #database: LmdbDatabase;
  readonly #claim: DirectoryClaim;
  /** The log of a shared directory; undefined when it has none. */
  sharedLog: SharedLog | undefined;
  #transactions: TransactionNumbers | undefined;
  #commits: Commits;
  #log: { readonly commits: LoggedGroupCommit; readonly log: WriteAheadLog } | undefined;
  #beginning: Promise<Commits> | undefined;
  #sharing: Promise<Commits> | undefined;
  #isClosing = false;

  private constructor(host: LmdbHost, directory: string, opened: OpenedDatabase) {
    this.guard = new CallerGuard();
    this.reader = new SnapshotReader(opened, this.guard);
    this.#host = host;
    this.#directory = directory;
    this.#database = opened.database;
    this.#claim = new DirectoryClaim(host.files, directory, opened.database);
    this.#commits = new GroupCommit(opened.database, this.reader);
  }

  /**
   * @param isShared - whether other processes are about to open it: if so, there is never a log.
   * @throws {StorageError} `'damaged'` when something that was acknowledged could be missing; `'open'`, `'format'`.
   */
  static async open(directory: string, isShared: boolean, host: LmdbHost = machine): Promise<LmdbEnvironment> {
    const marker = (await readMarker(host.files, directory)) ?? { format: 2, state: 'creating' };
    await checkDataFile(host.files, directory, marker);
    const opened = await host.openDatabase(directory);
    try {
      const environment = new LmdbEnvironment(host, directory, opened);
      await environment.#start(isShared);
      return environment;
    } catch (error) {
      await opened.database.close();
      throw error instanceof StorageError ? error : openFailure(error, directory);
    }
  }

  get commits(): Commits {
    return this.#commits;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#beginning?.catch(() => undefined);
    // The writers whose writes failed have been told, and the log stays for the next process that opens the directory.
    await this.#share().catch(() => undefined);
    await this.#commits.idle();
    this.reader.close();
    this.#transactions?.close();
    await this.#database.close();
  }

  /** A worker thread is never alone: the process may have the directory open in another thread. */
  async #start(isShared: boolean): Promise<void> {
    const isAlone = isMainThread && !isShared && this.#claim.isAlone();
    if (!isAlone && this.#host.archive !== undefined) throw notAlone(this.#directory);
    if (!isAlone) await this.#claim.waitForOwner();
    const mark = await this.#recover();
    await this.#makeReady(mark);
    await this.#openSharedLog(mark, isAlone);
    // If there is an owner file, its process has died, and its process id may be reused.
    await this.#claim.disown();
    if (isAlone) this.#commits = new DeferredCommits(() => (this.#beginning = this.#beginLog()));
  }

  /** A process that shares a directory may have a log in the data file. A process that is alone, and has an archive, archives what others left. */
  async #openSharedLog({ store }: CheckpointMark, isAlone: boolean): Promise<void> {
    const { archive, hasSharedLog = false, sharedLogLimits: limits, openTransactions = transactionsOf } = this.#host;
    if (!hasSharedLog && archive === undefined) return;
    const transactions = openTransactions(this.#directory);
    this.#transactions = transactions;
    const log = new SharedLog({
      database: this.#database,
      reader: this.reader,
      store,
      lastTransaction: () => transactions.last(),
      isAlone: () => this.#claim.isAlone(),
      limits,
    });
    if (isAlone) {
      if (log.isComplete()) await archive?.leftBySeveral(log);
      await log.removeAll();
    } else {
      this.sharedLog = log;
      this.#commits = new GroupCommit(this.#database, this.reader, log);
    }
  }

  async #recover(): Promise<CheckpointMark> {
    // Read again: another process may have set it to `ready` since.
    const marker = (await readMarker(this.#host.files, this.#directory)) ?? { format: 2, state: 'creating' };
    return recover(this.#recoveryTarget(), marker);
  }

  /** Before anything is acknowledged, syncs the data file with its name, and writes a marker that requires it to exist. */
  async #makeReady({ store, generation }: CheckpointMark): Promise<void> {
    const { files } = this.#host;
    const marker = await readMarker(files, this.#directory);
    if (marker?.format === 2 && marker.state === 'ready') return;
    await syncDataFile(files, this.#directory);
    await writeMarker(files, this.#directory, { format: 2, state: 'ready', store: store.toString('hex'), generation });
  }

  /** Begins a log, or continues without one if others have joined. */
  async #beginLog(): Promise<Commits> {
    try {
      if (await this.#claim.own()) return await this.#openLog();
      await this.#host.archive?.ended('shared');
      return (this.#commits = new GroupCommit(this.#database, this.reader));
    } catch (error) {
      await this.#claim.disown().catch(() => undefined);
      if (error instanceof StorageError) throw error;
      throw new StorageError(
        'io',
        `the write-ahead log could not be created (${messageOf(error)}); nothing was written`,
        { cause: error },
      );
    }
  }

  async #openLog(): Promise<Commits> {
    const log = await openLog(this.#recoveryTarget(), await this.#recover(), this.#host.makeLog);
    const commits = new LoggedGroupCommit(this.#database, this.reader, log, this.#host.log);
    this.#log = { commits, log };
    this.#commits = commits;
    this.reader.overlay = commits.overlay;
    this.#claim.lookForOthers(() => void this.#share().catch(() => undefined));
    return commits;
  }

  #recoveryTarget(): RecoveryTarget {
    const { files, rules = {}, archive } = this.#host;
    return { files, directory: this.#directory, database: this.#database, reader: this.reader, rules, archive };
  }

  /** Continues without a log, because others have joined, or because the environment ends. */
  async #share(): Promise<Commits> {
    this.#sharing ??= this.#endLog();
    return this.#sharing;
  }

  async #endLog(): Promise<Commits> {
    if (this.#log === undefined) return this.#commits;
    const { commits, log } = this.#log;
    // Even if no checkpoint is possible now: the environment may be about to be closed.
    this.#claim.stopLooking();
    const group = new GroupCommit(this.#database, this.reader);
    await Promise.resolve(); // so that `#sharing` is set
    try {
      await commits.finish(this.#sharing as Promise<Commits>); // set by the only caller
      await this.#host.archive?.ended(this.#isClosing ? 'closing' : 'shared');
    } finally {
      await log.close();
    }
    await removeLog(this.#recoveryTarget(), log.generation);
    await this.#claim.disown();
    this.reader.overlay = undefined;
    this.#commits = group;
    return group;
  }
}

function notAlone(directory: string): StorageError {
  const message = `Another process uses the directory ${directory}, and what it writes would be missing in the backup: stop it first.`;
  return new StorageError('open', message);
}

/** Moves away what a creation left unfinished. @throws {StorageError} when a data file that has to exist is missing. */
async function checkDataFile(files: FileSystem, directory: string, marker: DirectoryMarker): Promise<void> {
  const dataFile = await stateOfDataFile(files, directory);
  if (dataFile === 'unfinished') {
    if (marker.format === 2 && marker.state === 'creating') await moveUnfinishedDataFile(files, directory);
    return;
  }
  if (dataFile === 'present') return;
  const plan = planRecovery({ marker, dataFile, mark: { kind: 'none' }, logs: await readLogs(files, directory) });
  if (plan.action === 'refuse') throw recoveryRefusal(plan.problem, directory);
  await createDataFiles(files, directory);
}

interface SharedEnvironment {
  readonly opening: Promise<LmdbEnvironment>;
  users: number;
  closing: Promise<void> | undefined;
}

/**
 * The open environments of this process by real path. Opening a data file twice in one process would deadlock: the
 * package takes the write lock to open it, on the thread that a transaction holding that lock waits for.
 */
const environments = new Map<string, SharedEnvironment>();

/** A reference to an environment, which is closed when the last reference is released. */
export interface EnvironmentLease {
  readonly environment: LmdbEnvironment;
  release(): Promise<void>;
}

export interface EnvironmentOptions {
  /** Whether other processes are about to come. */
  readonly isShared: boolean;
  /** Keeps the contents of the log; used only by the caller that opens the data file. */
  readonly archive?: LogArchive | undefined;
  /** Whether the processes that share it write a log. */
  readonly hasSharedLog?: boolean;
}

/** Opens the data file of a directory, or joins the callers that have it open. */
export async function acquireEnvironment(directory: string, options: EnvironmentOptions): Promise<EnvironmentLease> {
  const path = await prepareDataDirectory(directory);
  const shared = await claim(path, options);
  try {
    const environment = await shared.opening;
    return { environment, release: () => release(path, shared, environment) };
  } catch (error) {
    if (environments.get(path) === shared) environments.delete(path);
    throw error;
  }
}

async function claim(
  path: string,
  { isShared, archive, hasSharedLog = false }: EnvironmentOptions,
): Promise<SharedEnvironment> {
  for (;;) {
    const present = environments.get(path);
    if (present === undefined) {
      const opening = LmdbEnvironment.open(path, isShared, { ...machine, archive, hasSharedLog });
      const shared = { opening, users: 1, closing: undefined };
      environments.set(path, shared);
      return shared;
    }
    if (present.closing === undefined) {
      if (archive !== undefined || hasSharedLog) throw notAlone(path);
      present.users += 1;
      return present;
    }
    await present.closing;
  }
}

async function release(path: string, shared: SharedEnvironment, environment: LmdbEnvironment): Promise<void> {
  shared.users -= 1;
  if (shared.users > 0) {
    // Others keep using the environment, but the calls made through this lease finish before it ends.
    await environment.commits.settled();
    return;
  }
  shared.closing = environment.close().finally(() => environments.delete(path));
  await shared.closing;
}
