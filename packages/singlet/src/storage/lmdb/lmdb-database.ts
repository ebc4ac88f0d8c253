import { createRequire } from 'node:module';
import { StorageError } from '../storage-error.ts';
import { checkDataFiles, pageBytes } from './data-file.ts';
import { openFailure } from './lmdb-failure.ts';

/**
 * The part of the package `lmdb` that this driver uses. Its own types leave out `transaction` on `getBinaryFast`, the
 * encoders and `resetTxn`; the conformance suite holds this description to what the package does.
 */
export interface LmdbDatabase {
  /** Fills the one buffer of the package and returns it. Inside a `transaction` it reads what that has written. */
  getBinaryFast(key: Uint8Array, options: { transaction: LmdbReadTransaction }): Uint8Array | undefined;
  getRange(options: LmdbRangeOptions): Iterable<{ key: Uint8Array; value: Uint8Array }>;
  /**
   * Inside a `transaction`, takes effect at once, and the bytes are copied before it returns. Outside, it is done by the package's own
   * thread: the promise, one for all writes of a commit, resolves when it is durable, and until then the bytes must not change.
   */
  put(key: Uint8Array, value: Uint8Array): Promise<unknown>;
  remove(key: Uint8Array): Promise<unknown>;
  /** Runs `action` on this thread while it holds the write lock; resolves when what it wrote is durable. */
  transaction(action: () => void): Promise<void>;
  useReadTransaction(): LmdbReadTransaction;
  resetReadTxn(): void;
  /** Who has the data file open: a line of titles, and one for each process and thread, that begins with the id of the process. */
  readerList(): string;
  /** Takes those out of the list that have died. */
  readerCheck(): number;
  close(): Promise<void>;
}

export interface LmdbReadTransaction {
  /** Of the native object. */
  readonly address: number;
  done(): void;
}

export interface LmdbRangeOptions {
  readonly start: Uint8Array;
  readonly end: Uint8Array;
  readonly reverse: boolean;
  readonly exclusiveStart: boolean;
  readonly inclusiveEnd: boolean;
  readonly transaction: LmdbReadTransaction;
}

export interface OpenedDatabase {
  readonly database: LmdbDatabase;
  /** Gives up the snapshot of a read transaction; the next read that uses the transaction takes a new one. */
  readonly releaseSnapshot: (transaction: LmdbReadTransaction) => void;
}

interface LmdbPackage {
  readonly open: (options: object) => LmdbDatabase;
  readonly nativeAddon: { resetTxn(address: number): void };
}

/**
 * Address space for the data file: 1 TiB. Neither memory nor disk is used for it, but a file that outgrows it has to be
 * mapped again while others read it.
 */
const addressSpaceBytes = 2 ** 40;

/**
 * Opens the data file of a directory, creating it if need be.
 *
 * @throws {StorageError} `'format'` when the file is not LMDB's, `'open'` otherwise.
 */
export async function openDatabase(directory: string): Promise<OpenedDatabase> {
  const { open, nativeAddon } = loadPackage();
  await checkDataFiles(directory);
  try {
    const database = open({
      path: directory,
      // Else a directory with a dot in its name would be taken for a file.
      noSubdir: false,
      pageSize: pageBytes,
      mapSize: addressSpaceBytes,
      // A transaction is then acknowledged, and visible to readers, only once it is durable.
      overlappingSync: false,
      // Groups are made here (see GroupCommit). The package's own would put a promise around each of them that no code
      // awaits, and whose rejection, when a commit fails, would end the process.
      eventTurnBatching: false,
      // Pages are cleared first. Otherwise their gaps would hold what was in memory before: values in plain text in a file that is encrypted.
      noMemInit: false,
      // Both hand the bytes through as they are; `encoding: 'binary'` would copy every key and value of a range.
      keyEncoder: {
        writeKey(key: Uint8Array, target: Uint8Array, position: number): number {
          target.set(key, position);
          return position + key.length;
        },
        readKey: viewer(),
      },
      encoder: { encode: (value: Uint8Array): Uint8Array => value, decode: viewOf },
    });
    return { database, releaseSnapshot: ({ address }) => nativeAddon.resetTxn(address) };
  } catch (error) {
    throw openFailure(error, directory);
  }
}

const viewOfValue = viewer();

/** The package's buffer with its momentary `length` (an own property, not the real one) as an ordinary view. */
export function viewOf(bytes: Uint8Array): Uint8Array {
  return viewOfValue(bytes, 0, bytes.length);
}

/**
 * Makes views of what the package reads. It reads all to the same place, often as long as what it read last: that view then
 * serves again, because to make one costs more than to read.
 */
function viewer(): (source: Uint8Array, start: number, end: number) => Uint8Array {
  let lastSource: Uint8Array | undefined;
  let lastStart = 0;
  let last: Uint8Array = new Uint8Array();
  return (source, start, end) => {
    if (source !== lastSource || start !== lastStart || end - start !== last.length) {
      last = new Uint8Array(source.buffer, source.byteOffset + start, end - start);
      lastSource = source;
      lastStart = start;
    }
    return last;
  };
}

/**
 * Loads the package only when a directory is opened: who keeps data in memory needs no native code. As CommonJS it is one file,
 * and there sooner.
 */
function loadPackage(): LmdbPackage {
  try {
    // The package describes itself incompletely (see above), so its type is stated here.
    return createRequire(import.meta.url)('lmdb') as LmdbPackage;
  } catch (error) {
    throw new StorageError('open', 'The package "lmdb" cannot be loaded: install it, or keep the data in memory.', {
      cause: error,
    });
  }
}
