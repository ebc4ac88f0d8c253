import { createRequire } from 'node:module';
import { join } from 'node:path';
import { StorageError } from '../storage-error.ts';
import { checkDataFiles, gateFileName, pageBytes } from './data-file.ts';
import { openFailure } from './lmdb-failure.ts';
import { type NativeCursors, nativeCursorOf } from './native-cursor.ts';
import type { LmdbFile, LmdbReadTransaction, OpenedDatabase } from './lmdb-package.ts';
import { gatePageBytes, gateSpaceBytes, makeGateFiles, OpeningGate } from './opening-gate.ts';

interface LmdbPackage {
  readonly open: (options: object) => LmdbFile;
  readonly nativeAddon: NativeCursors & { resetTxn(address: number): void };
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
  const releaseSnapshot = ({ address }: LmdbReadTransaction): void => nativeAddon.resetTxn(address);
  return { database, releaseSnapshot, openCursor: nativeCursorOf(nativeAddon, file, keyBufferOf) };
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
      lastKeyTarget = target;
      target.set(key, position);
      return position + key.length;
    },
    readKey: viewer(),
  },
  encoder: { encode: (value: Uint8Array): Uint8Array => value, decode: viewOf },
};

/** Where the package last had a key written to. */
let lastKeyTarget: Uint8Array | undefined;

/** The package's buffer for keys, into which it has the key of every read written. */
function keyBufferOf(file: LmdbFile, transaction: LmdbReadTransaction): Uint8Array | undefined {
  lastKeyTarget = undefined;
  file.getBinaryFast(new Uint8Array(1), { transaction });
  return lastKeyTarget;
}

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
