/**
 * What the group commit does when LMDB fails in ways that a test cannot make the real one fail. The database here
 * replaces the package, at its boundary; everything else is tested with the real one.
 */
import { describe, expect, test } from 'vitest';
import { CallerGuard } from '../caller-checks.ts';
import { bytes, hex, testKey } from '../testing/store-probe.ts';
import { GroupCommit } from './group-commit.ts';
import type { LmdbDatabase, LmdbReadTransaction } from './lmdb-package.ts';
import { SnapshotReader } from './snapshot-reader.ts';

class FailingDatabase implements LmdbDatabase {
  readonly entries = new Map<string, Uint8Array>();
  /** How the next transaction ends. */
  commitError: Error | undefined;
  putError: Error | undefined;
  /** Whether the transaction is committed although a put failed. */
  commitsAnyway = false;
  /** Whether reading works. */
  usable = true;
  transactions = 0;

  getBinaryFast(key: Uint8Array): Uint8Array | undefined {
    if (!this.usable) throw new TypeError('MDB_PANIC');
    return this.entries.get(hex(key));
  }

  put(key: Uint8Array, value: Uint8Array): Promise<unknown> {
    if (this.putError !== undefined) throw this.putError;
    this.entries.set(hex(key), value);
    return Promise.resolve();
  }

  remove(key: Uint8Array): Promise<unknown> {
    this.entries.delete(hex(key));
    return Promise.resolve();
  }

  readerList(): string {
    return '';
  }

  readerCheck(): number {
    return 0;
  }

  committing<T>(body: () => Promise<T>): Promise<T> {
    return body();
  }

  async transaction(action: () => void): Promise<void> {
    this.transactions += 1;
    await Promise.resolve();
    action();
    await Promise.resolve();
    if (this.putError !== undefined && !this.commitsAnyway) throw lmdbRejection(new TypeError('MDB_BAD_TXN'));
    if (this.commitError !== undefined) throw this.commitError;
  }

  getRange(): never {
    throw new TypeError('not part of this test');
  }

  useReadTransaction(): LmdbReadTransaction {
    return { address: 1, done: () => undefined };
  }

  resetReadTxn(): void {
    this.usable = true;
  }

  async close(): Promise<void> {
    this.entries.clear();
  }
}

/** How the package reports a failed commit. */
function lmdbRejection(reason: Error): Error {
  return Object.assign(new Error('Commit failed (see commitError for details)'), {
    commitError: Promise.reject(reason),
  });
}

function setUp(): { database: FailingDatabase; commits: GroupCommit } {
  const database = new FailingDatabase();
  const reader = new SnapshotReader({ database, releaseSnapshot: () => undefined }, new CallerGuard());
  return { database, commits: new GroupCommit(database, reader) };
}

async function writeThree(commits: GroupCommit): Promise<readonly unknown[]> {
  const outcomes = await Promise.allSettled(
    [1, 2, 3].map(async (partition) =>
      commits.write([], () => ({ answer: partition, writes: [{ key: testKey(1, partition), value: bytes('x') }] })),
    ),
  );
  return outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason));
}

const failure = (code: string, message: string): unknown =>
  expect.objectContaining({ name: 'StorageError', code, message: expect.stringContaining(message) as unknown });

describe('a failed commit', () => {
  test('that left LMDB usable: the whole group hears that nothing was written, and the next one works', async () => {
    const { database, commits } = setUp();
    database.commitError = lmdbRejection(new TypeError('No space left on device'));
    const expected = failure('io', 'No space left on device');
    expect(await writeThree(commits)).toEqual([expected, expected, expected]);
    database.commitError = undefined;
    expect(await writeThree(commits)).toEqual([1, 2, 3]);
  });

  test('that left LMDB in doubt: the group is told, and no writer waits for a transaction that never starts', async () => {
    const { database, commits } = setUp();
    database.commitError = lmdbRejection(new TypeError('Input/output error'));
    database.usable = false;
    const unknown = failure('unknown-outcome', 'Input/output error, perhaps because the disk is full');
    expect(await writeThree(commits)).toEqual([unknown, unknown, unknown]);
    const refused = failure('io', 'cannot be written until the store is opened again');
    expect(await writeThree(commits)).toEqual([refused, refused, refused]);
    expect(database.transactions).toBe(1);
    await commits.idle();
  });

  test('after a failed put: the reason given is that of the put', async () => {
    const { database, commits } = setUp();
    database.putError = new TypeError('MDB_MAP_FULL');
    const expected = failure('io', 'MDB_MAP_FULL');
    expect(await writeThree(commits)).toEqual([expected, expected, expected]);
    database.putError = undefined;
    expect(await writeThree(commits)).toEqual([1, 2, 3]);
  });

  test('that should have been one: a put failed, and LMDB committed nevertheless', async () => {
    const { database, commits } = setUp();
    database.putError = new TypeError('impossible');
    database.commitsAnyway = true;
    const unknown = failure('unknown-outcome', 'a write failed inside a transaction that was committed nevertheless');
    expect(await writeThree(commits)).toEqual([unknown, unknown, unknown]);
  });

  test('without any explanation by the package', async () => {
    const { database, commits } = setUp();
    database.commitError = new TypeError('Database is closed');
    const expected = failure('io', 'Database is closed');
    expect(await writeThree(commits)).toEqual([expected, expected, expected]);
  });

  test('of a decision that failed before: its own error is not delivered, the one of the store is', async () => {
    const { database, commits } = setUp();
    database.commitError = lmdbRejection(new TypeError('No space left on device'));
    const declined = commits.write([], () => {
      throw new RangeError('declined');
    });
    await expect(declined).rejects.toMatchObject({ code: 'io' });
  });
});

test('a read that fails inside a group concerns the decision that reads', async () => {
  const { database, commits } = setUp();
  const reading = commits.write([testKey(1, 1)], () => ({ answer: 1, writes: [] }));
  const writing = commits.write([], () => ({ answer: 2, writes: [{ key: testKey(1, 2), value: bytes('x') }] }));
  database.usable = false;
  await expect(reading).rejects.toMatchObject({ name: 'StorageError', code: 'io' });
  expect(await writing).toBe(2);
});

test('a transaction that cannot start fails those who wait for it', async () => {
  const { database, commits } = setUp();
  database.transaction = async () => Promise.reject(new TypeError('cannot start'));
  await expect(commits.write([], () => ({ answer: 1, writes: [] }))).rejects.toMatchObject({ code: 'io' });
});
