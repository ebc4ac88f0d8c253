import type { CheckAtStart } from '../check-at-start.ts';
import { StorageError } from '../storage-error.ts';
import type {
  CheckpointLag,
  Decision,
  RangeEnd,
  RangeRequest,
  RangeVisitor,
  Store,
  StoreManifest,
  StoreValue,
} from '../store.ts';
import { acquireEnvironment } from './lmdb-environment.ts';
import type { EnvironmentLease, LmdbEnvironment } from './lmdb-environment.ts';
import type { LogArchive } from './log-archive.ts';
import { checkPagesAtStart } from './check-pages.ts';
import type { SharedLog } from './shared-log.ts';
import { keyBytesMax } from './key-bytes-max.ts';

export interface LmdbStoreOptions {
  /** Where the data is. Created if it is missing; its parent must exist. Not on a network file system. */
  readonly directory: string;
  /**
   * Whether other processes are about to open it, too. A process that is alone in the directory keeps a write-ahead log, and removes it
   * when another joins; this option saves that work. False by default.
   */
  readonly shared?: boolean;
  /** How much of the data file is checked first. `auto` by default. */
  readonly checkAtStart?: CheckAtStart;
  /** Keeps the contents of the write-ahead log, for backups. No other process may have the directory open then. */
  readonly archive?: LogArchive | undefined;
}

const manifest: StoreManifest = { name: 'lmdb', durability: 'disk', multiProcess: true, keyBytesMax };

/**
 * Opens the store in a directory: an LMDB data file, and a small file that identifies it.
 *
 * Reads and ranges answer at once, from the memory map. Writes are made in groups, and each waits until its group is on
 * the disk. For a process that is alone, that is the write-ahead log, from which a checkpoint moves it to the data file. When several
 * processes have the directory open, it is the data file itself, and one process writes at a time. A process that halts in
 * the middle of a group (stopped, or in a long computation inside a decision) delays the writes of the others, not their reads.
 *
 * @throws {StorageError} `'open'` when the directory cannot be used, `'format'` when it holds something else or newer, `'damaged'` when
 *   the data file is not what was written.
 */
export async function openLmdbStore(options: LmdbStoreOptions): Promise<Store> {
  const { shared = false, archive } = options;
  await checkPagesAtStart(options.directory, options.checkAtStart ?? 'auto');
  return new LmdbStore(await acquireEnvironment(options.directory, { isShared: shared, archive }));
}

/**
 * Opens the store in a directory that several processes serve. Each of them writes a log of its writes, and one of them ships it.
 *
 * @throws {StorageError} as `openLmdbStore`.
 */
export async function openSharedLmdbStore(
  options: Pick<LmdbStoreOptions, 'directory' | 'checkAtStart'>,
): Promise<{ readonly store: Store; readonly log: SharedLog }> {
  await checkPagesAtStart(options.directory, options.checkAtStart ?? 'auto');
  const lease = await acquireEnvironment(options.directory, { isShared: true, hasSharedLog: true });
  return { store: new LmdbStore(lease), log: lease.environment.sharedLog as SharedLog }; // requested in the options
}

class LmdbStore implements Store {
  readonly manifest: StoreManifest = manifest;
  readonly #lease: EnvironmentLease;
  #closing: Promise<void> | undefined;

  constructor(lease: EnvironmentLease) {
    this.#lease = lease;
  }

  read<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): T {
    return this.#open().reader.read(keys, body);
  }

  range(request: RangeRequest, visit: RangeVisitor): RangeEnd {
    return this.#open().reader.range(request, visit);
  }

  write<T>(keys: readonly Uint8Array[], decide: (values: readonly StoreValue[]) => Decision<T>): Promise<T> {
    try {
      return this.#open().commits.write(keys, decide);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  checkpointLag(): CheckpointLag {
    return this.#open().commits.checkpointLag?.() ?? { bytes: 0, ageMs: 0 };
  }

  async close(): Promise<void> {
    this.#lease.environment.guard.assertOutside();
    this.#closing ??= this.#lease.release();
    await this.#closing;
  }

  #open(): LmdbEnvironment {
    const { environment } = this.#lease;
    environment.guard.assertOutside();
    if (this.#closing !== undefined) throw new StorageError('closed', 'the store is closed');
    return environment;
  }
}
