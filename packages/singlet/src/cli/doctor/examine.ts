import { statSync } from 'node:fs';
import { join } from 'node:path';
import { inspectStore, type Finding, type FoundTable, itemOfEntry, tableOfEntry } from '../../engine/doctor.ts';
import { StorageError } from '../../storage/index.ts';
import type { ValueCipher } from '../../storage/encryption/value-cipher.ts';
import { cipherOf, keyRingKey, withEncryption } from '../../storage/encryption/with-encryption.ts';
import { parseWrappingKeys, type WrappingKey } from '../../storage/encryption/wrapping-keys.ts';
import { walkOnce, walkQuietly } from '../../storage/lmdb/check-pages.ts';
import { isDirectoryInUse } from '../../storage/lmdb/directory-users.ts';
import { openLmdbStore } from '../../storage/lmdb/lmdb-store.ts';
import { pageBytes } from '../../storage/lmdb/data-file.ts';
import type { PageDamage } from '../../storage/lmdb/page-walk.ts';
import { UsageError } from '../usage-error.ts';
import { examineLog, type ExamineLogOptions, type LogExamination } from './examine-log.ts';
import type { ItemLines } from './item-lines.ts';

export interface ExamineOptions extends ExamineLogOptions {
  readonly lines: ItemLines | undefined;
  /** The text of a file of encryption keys, for data that is encrypted. */
  readonly encryptionKeys: string | undefined;
  readonly onProgress: (what: string, done: number, total: number | undefined) => void;
}

/** The result of examining a directory. */
export interface Examination {
  readonly directory: string;
  /** Damaged pages. If there are any, only the data that can still be read is examined further. */
  readonly pages: readonly PageDamage[];
  /** Undefined if the pages are damaged. If the log is damaged, nothing else is examined unless its damage was accepted. */
  readonly log: LogExamination | undefined;
  readonly tableCount: number;
  readonly entryCount: number;
  readonly findings: readonly Finding[];
  /** The findings that remain after a repair; undefined if nothing was repaired. */
  readonly left: readonly Finding[] | undefined;
}

/**
 * Examines a data directory that no process uses: the pages of the file, then everything in it.
 *
 * @throws {UsageError} if it is in use.
 * @throws {StorageError} if it cannot be opened at all, also if the given encryption keys do not match the data.
 */
export async function examine(directory: string, options: ExamineOptions): Promise<Examination> {
  const file = join(directory, 'data.mdb');
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) < 2 * pageBytes) {
    throw new StorageError('open', `The directory ${directory} has no data file.`);
  }
  const keys = options.encryptionKeys === undefined ? undefined : parseWrappingKeys(options.encryptionKeys);
  const { damages } = await walkQuietly(file, {
    depth: 'all',
    onProgress: (done, total) => options.onProgress('pages', done, total),
  });
  if (damages.length > 0) return examineRest(directory, file, damages, { ...options, keys });
  if (await isDirectoryInUse(directory)) {
    throw new UsageError(`A server uses ${directory}: stop it first.`);
  }
  const log = await examineLog(directory, options);
  if (log.refusal !== undefined && log.repair === undefined) {
    return { directory, pages: [], log, tableCount: 0, entryCount: 0, findings: [], left: undefined };
  }
  const opened = await openLmdbStore({ directory, checkAtStart: 'quick' });
  try {
    // Values that cannot be decrypted are detected individually, by their checksums.
    const store = await withEncryption(opened, keys, { unreadable: 'hand-out' });
    const { tableCount, entryCount, findings } = await inspectStore(store, {
      repair: options.repair,
      onProgress: (entries) => options.onProgress('entries', entries, undefined),
      onItem: (table, item) => options.lines?.add(table.tableName, item.json.toString('utf8')),
    });
    const isRepaired = options.repair && findings.some(({ outcome }) => outcome === 'repairable');
    const left = isRepaired ? (await inspectStore(store, { repair: false })).findings : undefined;
    return { directory, pages: [], log, tableCount, entryCount, findings, left };
  } finally {
    await opened.close();
  }
}

/** LMDB must not open a file with damaged pages. The contents of the other pages are read here. */
function examineRest(
  directory: string,
  file: string,
  pages: readonly PageDamage[],
  { lines, keys }: ExamineOptions & { readonly keys: readonly WrappingKey[] | undefined },
): Examination {
  const cipher = cipherOfPages(file, keys);
  const plain = (key: Buffer, value: Buffer): Buffer => {
    try {
      return cipher === undefined ? value : cipher.open(key, value);
    } catch {
      return value;
    }
  };
  const tables: FoundTable[] = [];
  let entryCount = 0;
  walkOnce(file, {
    depth: 'all',
    onEntry: (key, value) => {
      entryCount += 1;
      const table = tableOfEntry(key, plain(key, value));
      if (table !== undefined) tables.push(table);
    },
  });
  if (lines !== undefined) {
    // Table records normally precede items, but only the second pass certainly knows all of them.
    walkOnce(file, {
      depth: 'all',
      onEntry: (key, value) => {
        const found = itemOfEntry(key, plain(key, value), tables);
        if (found !== undefined) lines.add(found.tableName, found.text);
      },
    });
  }
  return { directory, pages, log: undefined, tableCount: tables.length, entryCount, findings: [], left: undefined };
}

/** The cipher for the values on undamaged pages, if one of these contains the data keys. */
function cipherOfPages(file: string, keys: readonly WrappingKey[] | undefined): ValueCipher | undefined {
  let ring: Buffer | undefined;
  walkOnce(file, {
    depth: 'all',
    onEntry: (key, value) => {
      if (key.equals(keyRingKey)) ring = Buffer.from(value);
    },
  });
  return ring && cipherOf(ring, keys);
}
