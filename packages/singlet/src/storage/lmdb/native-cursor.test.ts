import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from './lmdb-database.ts';
import {
  type KeptCursor,
  type LmdbRangeOptions,
  type LmdbReadTransaction,
  type OpenedDatabase,
  ownReadTransaction,
  readersOf,
} from './lmdb-package.ts';
import { nativeCursorOf } from './native-cursor.ts';

/** Keys of several lengths, many of which begin alike. */
const anyKey = fc
  .array(fc.constantFrom(0, 1, 97, 255), { minLength: 1, maxLength: 5 })
  .map((bytes) => Buffer.from(bytes));
const longKey = Buffer.alloc(4_000, 97);

describe('the cursor that is kept', () => {
  let directory: string;
  let opened: OpenedDatabase;
  let transaction: LmdbReadTransaction;
  let cursor: KeptCursor;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'singlet-lmdb-'));
    opened = await openDatabase(directory);
    transaction = ownReadTransaction(opened);
    cursor = opened.openCursor?.(transaction) as KeptCursor; // the package has what it needs
  });

  afterAll(async () => {
    cursor.close();
    transaction.done();
    await opened.database.close();
    await rm(directory, { recursive: true });
  });

  async function put(...entries: readonly (readonly [Buffer, Buffer])[]): Promise<void> {
    await opened.database.committing(async () =>
      opened.database.transaction(() => {
        for (const [key, value] of entries) void opened.database.put(key, value);
      }),
    );
  }

  function byCursor(range: LmdbRangeOptions, limit = Infinity): readonly (readonly [string, string])[] {
    const found: (readonly [string, string])[] = [];
    cursor.begin(range);
    while (found.length < limit && cursor.next()) found.push([textOf(cursor.key), textOf(cursor.value)]);
    opened.releaseSnapshot(transaction);
    return found;
  }

  function byPackage(range: LmdbRangeOptions): readonly (readonly [string, string])[] {
    const found: (readonly [string, string])[] = [];
    for (const { key, value } of opened.database.getRange(range)) found.push([textOf(key), textOf(value)]);
    opened.releaseSnapshot(transaction);
    return found;
  }

  function rangeOf(start: Buffer, end: Buffer, reverse: boolean): LmdbRangeOptions {
    return { start, end, reverse, exclusiveStart: reverse, inclusiveEnd: reverse, transaction };
  }

  test('finds nothing in an empty database', () => {
    expect(byCursor(rangeOf(Buffer.of(0), Buffer.of(255), false))).toEqual([]);
    expect(byCursor(rangeOf(Buffer.of(255), Buffer.of(0), true))).toEqual([]);
  });

  test('visits what the package visits, in both directions, whatever the lengths of keys and values', async () => {
    const entries = fc.sample(fc.tuple(anyKey, fc.nat(2_500)), { numRuns: 200, seed: 5 });
    await put(
      ...entries.map(([key, length]) => [key, Buffer.alloc(length, key)] as const),
      [Buffer.of(97, 97, 97, 97, 97, 98), Buffer.alloc(3_000_000, 'b')],
      [longKey, Buffer.alloc(0)],
    );
    fc.assert(
      fc.property(anyKey, fc.oneof(anyKey, fc.constant(longKey)), fc.boolean(), (start, end, reverse) => {
        const range = rangeOf(start, end, reverse);
        const found = byCursor(range);
        expect(found).toEqual(byPackage(range));
        expect(byCursor(range, 2)).toEqual(found.slice(0, 2)); // and the next range does not continue it
      }),
    );
    expect(byCursor(rangeOf(Buffer.of(0), Buffer.of(255, 255, 255, 255, 255, 255), false)).length).toBeGreaterThan(100);
  });

  test('sees what was written since its last range, and nothing since the snapshot of a range began', async () => {
    const range = rangeOf(Buffer.from('news'), Buffer.from('nexs'), false);
    expect(byCursor(range)).toEqual([]);
    await put([Buffer.from('news 1'), Buffer.from('a')], [Buffer.from('news 2'), Buffer.from('b')]);
    expect(byCursor(range)).toEqual([
      ['news 1', 'a'],
      ['news 2', 'b'],
    ]);
    cursor.begin(range);
    expect(cursor.next()).toBe(true);
    await put([Buffer.from('news 2'), Buffer.from('c')]);
    expect(cursor.next()).toBe(true);
    expect(textOf(cursor.value)).toBe('b');
    opened.releaseSnapshot(transaction);
    expect(byCursor(range)[1]).toEqual(['news 2', 'c']);
  });

  test('reads in the snapshot of its transaction, which is released with it', () => {
    const hasSnapshot = (): boolean => readersOf(opened.database).some((reader) => reader.hasSnapshot);
    expect(hasSnapshot()).toBe(false);
    cursor.begin(rangeOf(Buffer.of(0), Buffer.of(255), false));
    cursor.next();
    expect(hasSnapshot()).toBe(true);
    opened.releaseSnapshot(transaction);
    expect(hasSnapshot()).toBe(false);
  });
});

test('without the native code that it calls, there is no such cursor', () => {
  const complete = {
    Cursor: class {
      readonly address = 1;
      close(): void {
        // Nothing is open.
      }
    },
    position: () => 0,
    iterate: () => 0,
    getAddress: () => 0,
    lmdbError: (): never => {
      throw new Error('of a number');
    },
    globalBuffer: new Uint8Array(1),
  };
  const file = { db: {} };
  expect(nativeCursorOf(complete, file, () => new Uint8Array(4096))).toBeTypeOf('function');
  for (const missing of Object.keys(complete)) {
    expect(
      nativeCursorOf({ ...complete, [missing]: undefined }, file, () => undefined),
      missing,
    ).toBeUndefined();
  }
  expect(nativeCursorOf(complete, {}, () => undefined)).toBeUndefined();
});

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
