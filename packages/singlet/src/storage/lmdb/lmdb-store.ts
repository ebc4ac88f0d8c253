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
import { keyBytesMax } from './snapshot-reader.ts';

export interface LmdbStoreOptions {
  /** Where the data is. Created if it is missing; its parent must exist. Not on a network file system. */
  readonly directory: string;
  /**
   * Whether other processes are about to open it, too. A process that has the directory to itself keeps a write-ahead log, and gives it up
   * when another comes; this spares both of them that. False by default.
   */
  readonly shared?: boolean;
  /** How much of the data file is checked first. `auto` by default. */
  readonly checkAtStart?: CheckAtStart;
  /** Keeps what the write-ahead log holds, for backups. No other process may have the directory open then. */
  readonly archive?: LogArchive | undefined;
}

const manifest: StoreManifest = { name: 'lmdb', durability: 'disk', multiProcess: true, keyBytesMax };

/**
 * Opens the store in a directory: an LMDB data file beside a small file that says what it is.
 *
 * Reads and ranges answer at once, from the memory map. Writes are made in groups, and each waits until its group is on
 * the disk: in the write-ahead log, from which a checkpoint moves it to the data file, or, when several processes have the directory open, in
 * that file itself. Several processes may have the directory open; one of them writes at a time. A process that stops in
 * the middle of a group (stopped, or in a long computation inside a decision) holds up the others' writes, not their reads.
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
 * Opens the store in a directory that several processes serve, each of which writes a log of what it writes. One of them ships it.
 *
 * @throws {StorageError} as `openLmdbStore`.
 */
export async function openSharedLmdbStore(
  options: Pick<LmdbStoreOptions, 'directory' | 'checkAtStart'>,
): Promise<{ readonly store: Store; readonly log: SharedLog }> {
  await checkPagesAtStart(options.directory, options.checkAtStart ?? 'auto');
  const lease = await acquireEnvironment(options.directory, { isShared: true, hasSharedLog: true });
  return { store: new LmdbStore(lease), log: lease.environment.sharedLog as SharedLog }; // it was asked for
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
