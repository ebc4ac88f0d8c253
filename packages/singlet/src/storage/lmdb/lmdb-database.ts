import { createRequire } from 'node:module';
import { join } from 'node:path';
import { StorageError } from '../storage-error.ts';
import { checkDataFiles, pageBytes } from './data-file.ts';
import { openFailure } from './lmdb-failure.ts';
import {
  type GateDatabase,
  gateFileName,
  gatePageBytes,
  gateSpaceBytes,
  OpeningGate,
  makeGateFiles,
} from './opening-gate.ts';

/**
 * The part of the package `lmdb` that this driver uses. Its own types leave out `transaction` on `getBinaryFast`, the
 * encoders and `resetTxn`; the conformance suite holds this description to what the package does.
 */
export interface LmdbDatabase {
  /** Runs something that commits, once no process is opening the data file. Everything that writes to the file does so in here. */
  committing<T>(body: () => Promise<T>): Promise<T>;
  /** Fills the package's single buffer and returns it. Inside a `transaction` it also sees the writes of that transaction. */
  getBinaryFast(key: Uint8Array, options: { transaction: LmdbReadTransaction }): Uint8Array | undefined;
  getRange(options: LmdbRangeOptions): Iterable<{ key: Uint8Array; value: Uint8Array }>;
  /**
   * Inside a `transaction`, takes effect at once, and the bytes are copied before it returns. Outside, the package's own thread
   * writes: the promise, shared by all writes of a commit, resolves when it is durable, and until then the bytes must not change.
   */
  put(key: Uint8Array, value: Uint8Array): Promise<unknown>;
  remove(key: Uint8Array): Promise<unknown>;
  /** Runs `action` on this thread while it holds the write lock; resolves when what it wrote is durable. */
  transaction(action: () => void): Promise<void>;
  useReadTransaction(): LmdbReadTransaction;
  resetReadTxn(): void;
  /** The processes and threads that have the data file open: a line of titles, then one line for each, which begins with the process id. */
  readerList(): string;
  /** Removes those that have died from the list. */
  readerCheck(): number;
  close(): Promise<void>;
}

export interface LmdbReadTransaction {
  /** Address of the native object. */
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
  /** Releases the snapshot of a read transaction; the next read that uses the transaction takes a new one. */
  readonly releaseSnapshot: (transaction: LmdbReadTransaction) => void;
}

interface LmdbPackage {
  readonly open: (options: object) => Omit<LmdbDatabase, 'committing'> & GateDatabase;
  readonly nativeAddon: { resetTxn(address: number): void };
}

/**
 * Address space for the data file: 1 TiB. Neither memory nor disk is used for it, but a file that outgrows it has to be
 * mapped again while others read it.
 */
const addressSpaceBytes = 2 ** 40;

/**
 * Opens the data file of a directory, creating it if need be, while no other process commits to it.
 *
 * @throws {StorageError} `'format'` when the file is not LMDB's, `'open'` otherwise.
 */
export async function openDatabase(directory: string): Promise<OpenedDatabase> {
  await checkDataFiles(directory);
  try {
    const gate = openGate(directory);
    try {
      return gate.opening(() => openBehind(gate, directory));
    } catch (error) {
      await gate.close();
      throw error;
    }
  } catch (error) {
    throw error instanceof StorageError ? error : openFailure(error, directory);
  }
}

/** Opens the gate of a directory. Its files, and that of the data, must have been checked. */
export function openGate(directory: string): OpeningGate {
  const { open, nativeAddon } = loadPackage();
  makeGateFiles(directory);
  const database = open({
    ...commonOptions,
    path: join(directory, gateFileName),
    noSubdir: true,
    pageSize: gatePageBytes,
    mapSize: gateSpaceBytes,
  });
  return new OpeningGate({ database, releaseSnapshot: ({ address }) => nativeAddon.resetTxn(address) }, directory);
}

function openBehind(gate: OpeningGate, directory: string): OpenedDatabase {
  const { open, nativeAddon } = loadPackage();
  const file = open({
    ...commonOptions,
    path: directory,
    // Otherwise a directory with a dot in its name would be taken for a file.
    noSubdir: false,
    pageSize: pageBytes,
    mapSize: addressSpaceBytes,
  });
  const closeFile = file.close.bind(file);
  const close = async (): Promise<void> => {
    try {
      await closeFile();
    } finally {
      await gate.close();
    }
  };
  const database = Object.assign(file, { committing: gate.committing.bind(gate), close });
  return { database, releaseSnapshot: ({ address }) => nativeAddon.resetTxn(address) };
}

const commonOptions = {
  // Then a transaction is acknowledged, and visible to readers, only once it is durable.
  overlappingSync: false,
  // GroupCommit makes the groups. The package's own grouping would create a promise for each of them that no code
  // awaits, and whose rejection, when a commit fails, would end the process.
  eventTurnBatching: false,
  // Clears pages first. Otherwise their gaps would hold old memory: values in plain text in an encrypted file.
  noMemInit: false,
  // Both pass the bytes through unchanged; `encoding: 'binary'` would copy every key and value of a range.
  keyEncoder: {
    writeKey(key: Uint8Array, target: Uint8Array, position: number): number {
      target.set(key, position);
      return position + key.length;
    },
    readKey: viewer(),
  },
  encoder: { encode: (value: Uint8Array): Uint8Array => value, decode: viewOf },
};

const viewOfValue = viewer();

/** The package's buffer with its momentary `length` (an own property, not the real one) as an ordinary view. */
export function viewOf(bytes: Uint8Array): Uint8Array {
  return viewOfValue(bytes, 0, bytes.length);
}

/**
 * Makes views of what the package reads. It reads everything to the same place, often with the same length as the last read. That view is
 * then reused, because making one costs more than reading.
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
 * Loads the package only when a directory is opened: a process that keeps its data in memory needs no native code. As CommonJS it is one file,
 * which loads sooner.
 */
function loadPackage(): LmdbPackage {
  try {
    // The package's own types are incomplete (see above), so its type is declared here.
    return createRequire(import.meta.url)('lmdb') as LmdbPackage;
  } catch (error) {
    throw new StorageError('open', 'The package "lmdb" cannot be loaded: install it, or keep the data in memory.', {
      cause: error,
    });
  }
}
