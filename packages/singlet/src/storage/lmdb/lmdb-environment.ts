import { CallerGuard } from '../caller-checks.ts';
import { prepareDataDirectory, syncDirectory } from './data-directory.ts';
import { GroupCommit } from './group-commit.ts';
import { openDatabase } from './lmdb-database.ts';
import type { LmdbDatabase } from './lmdb-database.ts';
import { openFailure } from './lmdb-failure.ts';
import { SnapshotReader } from './snapshot-reader.ts';

/** One open data file: what all stores of this process on the same directory share. */
export class LmdbEnvironment {
  readonly guard: CallerGuard;
  readonly reader: SnapshotReader;
  readonly commits: GroupCommit;
  readonly #database: LmdbDatabase;

  private constructor(database: LmdbDatabase, reader: SnapshotReader, guard: CallerGuard) {
    this.#database = database;
    this.reader = reader;
    this.guard = guard;
    this.commits = new GroupCommit(database, reader);
  }

  static async open(directory: string): Promise<LmdbEnvironment> {
    const opened = await openDatabase(directory);
    try {
      await syncDirectory(directory);
      const guard = new CallerGuard();
      return new LmdbEnvironment(opened.database, new SnapshotReader(opened, guard), guard);
    } catch (error) {
      await opened.database.close();
      throw openFailure(error, directory);
    }
  }

  async close(): Promise<void> {
    await this.commits.idle();
    this.reader.close();
    await this.#database.close();
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
export async function acquireEnvironment(directory: string): Promise<EnvironmentLease> {
  const path = await prepareDataDirectory(directory);
  const shared = await claim(path);
  try {
    const environment = await shared.opening;
    return { environment, release: () => release(path, shared, environment) };
  } catch (error) {
    if (environments.get(path) === shared) environments.delete(path);
    throw error;
  }
}

async function claim(path: string): Promise<SharedEnvironment> {
  for (;;) {
    const present = environments.get(path);
    if (present === undefined) {
      const shared = { opening: LmdbEnvironment.open(path), users: 1, closing: undefined };
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
