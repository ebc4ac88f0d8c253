import { isMainThread } from 'node:worker_threads';
import { CallerGuard } from '../caller-checks.ts';
import { StorageError } from '../storage-error.ts';
import type { Commits } from './commits.ts';
import { prepareDataDirectory, syncDirectory } from './data-directory.ts';
import { DirectoryClaim } from './directory-claim.ts';
import { GroupCommit } from './group-commit.ts';
import { openDatabase } from './lmdb-database.ts';
import type { LmdbDatabase } from './lmdb-database.ts';
import { openFailure } from './lmdb-failure.ts';
import { LoggedCommits } from './logged-commits.ts';
import { SnapshotReader } from './snapshot-reader.ts';
import { WriteLog } from './write-log.ts';

/** One open data file: what all stores of this process on the same directory share. */
export class LmdbEnvironment {
  readonly guard: CallerGuard;
  readonly reader: SnapshotReader;
  #commits: Commits;
  readonly #database: LmdbDatabase;
  /** While this process has the directory to itself. */
  #alone: { readonly claim: DirectoryClaim; readonly logged: LoggedCommits; readonly log: WriteLog } | undefined;
  #sharing: Promise<Commits> | undefined;

  private constructor(database: LmdbDatabase, reader: SnapshotReader, guard: CallerGuard) {
    this.#database = database;
    this.reader = reader;
    this.guard = guard;
    this.#commits = new GroupCommit(database, reader);
  }

  /** @param isShared - that others are about to come: then there is no log from the start. */
  static async open(directory: string, isShared: boolean): Promise<LmdbEnvironment> {
    const opened = await openDatabase(directory);
    try {
      await syncDirectory(directory);
      const guard = new CallerGuard();
      const environment = new LmdbEnvironment(opened.database, new SnapshotReader(opened, guard), guard);
      await environment.#claim(directory, isShared);
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
    // A failure has been told to those whose writes it was, and the log stays for whoever opens the directory next.
    await this.#share().catch(() => undefined);
    await this.#commits.idle();
    this.reader.close();
    await this.#database.close();
  }

  /** A thread that is not the main one never is alone: the process may have the directory open in another. */
  async #claim(directory: string, isShared: boolean): Promise<void> {
    const claim = new DirectoryClaim(directory, this.#database, this.reader);
    const generation = isMainThread && !isShared ? await claim.takeAlone() : undefined;
    if (generation === undefined) {
      await claim.join();
      return;
    }
    const log = new WriteLog(directory, generation);
    const logged = new LoggedCommits(this.#database, this.reader, log);
    this.#alone = { claim, logged, log };
    this.#commits = logged;
    this.reader.overlay = logged;
    claim.lookForOthers(() => void this.#share().catch(() => undefined));
  }

  /** Goes on without a log, because others have come, or ends with it. */
  async #share(): Promise<Commits> {
    this.#sharing ??= this.#endLog();
    return this.#sharing;
  }

  async #endLog(): Promise<Commits> {
    if (this.#alone === undefined) return this.#commits;
    const { claim, logged, log } = this.#alone;
    // Also if the log cannot be applied now: the environment may be about to be closed.
    claim.stopLooking();
    const group = new GroupCommit(this.#database, this.reader);
    await Promise.resolve(); // so that `#sharing` is there
    try {
      await logged.finish(this.#sharing as Promise<Commits>); // set by the only caller
    } finally {
      await log.close();
    }
    await claim.giveUp();
    this.reader.overlay = undefined;
    this.#commits = group;
    return group;
  }
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

/** A claim on an environment, which is closed when the last one is given back. */
export interface EnvironmentLease {
  readonly environment: LmdbEnvironment;
  release(): Promise<void>;
}

/** Opens the data file of a directory, or joins those who have it open. */
export async function acquireEnvironment(directory: string, isShared: boolean): Promise<EnvironmentLease> {
  const path = await prepareDataDirectory(directory);
  const shared = await claim(path, isShared);
  try {
    const environment = await shared.opening;
    return { environment, release: () => release(path, shared, environment) };
  } catch (error) {
    if (environments.get(path) === shared) environments.delete(path);
    throw error;
  }
}

async function claim(path: string, isShared: boolean): Promise<SharedEnvironment> {
  for (;;) {
    const present = environments.get(path);
    if (present === undefined) {
      const shared = { opening: LmdbEnvironment.open(path, isShared), users: 1, closing: undefined };
      environments.set(path, shared);
      return shared;
    }
    if (present.closing === undefined) {
      present.users += 1;
      return present;
    }
    await present.closing;
  }
}

async function release(path: string, shared: SharedEnvironment, environment: LmdbEnvironment): Promise<void> {
  shared.users -= 1;
  if (shared.users > 0) {
    // Others go on using the environment, but what was asked through this claim is finished before it ends.
    await environment.commits.settled();
    return;
  }
  shared.closing = environment.close().finally(() => environments.delete(path));
  await shared.closing;
}
