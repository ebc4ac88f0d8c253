/** The write-ahead log and memtable, with limits so small that checkpoints run all the time. The database is the real one. */
import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CallerGuard } from '../caller-checks.ts';
import { StorageError } from '../storage-error.ts';
import type { StoreWrite } from '../store.ts';
import { SeededRandom } from '../../randomness/seeded-random.ts';
import { bytes, hex, keysOf, testKey, valueOf, wholeSpace } from '../testing/store-probe.ts';
import { nodeFileSystem } from '../files/node-file-system.ts';
import { checkpointMarkKey, decodeMark } from './checkpoint-mark.ts';
import { openLog } from './log-lifecycle.ts';
import { type RecoveryTarget, readLogs } from './recovery.ts';
import { planRecovery } from './recovery-plan.ts';
import { openDatabase } from './lmdb-database.ts';
import type { LmdbDatabase } from './lmdb-package.ts';
import { openLmdbStore } from './lmdb-store.ts';
import { readMarker } from './directory-marker.ts';
import { LoggedGroupCommit } from './logged-group-commit.ts';
import type { MemtableLimits } from './memtable.ts';
import { SnapshotReader } from './snapshot-reader.ts';
import type { LoggedWrite } from './write-ahead-log-format.ts';
import { WriteAheadLog, type WriteAheadLogOptions } from './write-ahead-log.ts';

const seed = Number(process.env['LOG_SEED'] ?? Math.floor(Math.random() * 1e9));

let parent: string;
let directory: string;
let closers: (() => Promise<void>)[];
let target: RecoveryTarget | undefined;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'singlet-log-'));
  directory = join(parent, 'data');
  closers = [];
  // With its files, and the marker that identifies them as ours.
  await (await openLmdbStore({ directory })).close();
});

afterEach(async () => {
  for (const close of closers) await close();
  await rm(parent, { recursive: true });
});

async function setUp(
  limits: MemtableLimits,
  change = (database: LmdbDatabase): LmdbDatabase => database,
  make = (options: WriteAheadLogOptions): WriteAheadLog => new WriteAheadLog(options),
): Promise<{ commits: LoggedGroupCommit; reader: SnapshotReader; log: WriteAheadLog }> {
  const opened = await openDatabase(directory);
  const reader = new SnapshotReader(opened, new CallerGuard());
  target = { files: nodeFileSystem, directory, database: opened.database, reader };
  const found = reader.readCheckpointMark(decodeMark);
  if (found.kind !== 'mark') throw new TypeError('there is no mark');
  const log = await openLog(target, found.mark, make);
  const commits = new LoggedGroupCommit(change(opened.database), reader, log, { limits });
  reader.overlay = commits.overlay;
  closers.push(async () => {
    await commits.finish(new Promise(() => undefined)).catch(() => undefined);
    await log.close();
    reader.close();
    await opened.database.close();
  });
  return { commits, reader, log };
}

/** The writes that a start after a crash would find in the log. */
async function loggedWrites(): Promise<readonly LoggedWrite[]> {
  const marker = await readMarker(nodeFileSystem, directory);
  const logs = await readLogs(nodeFileSystem, directory);
  const plan = planRecovery({
    marker: marker!,
    dataFile: 'present',
    mark: target!.reader.readCheckpointMark(decodeMark),
    logs,
  });
  if (plan.action !== 'apply') throw new TypeError(`the plan is to ${plan.action}`);
  return plan.writes;
}

const write = (commits: LoggedGroupCommit, ...writes: StoreWrite[]): Promise<undefined> =>
  commits.write([], () => ({ answer: undefined, writes }));

/** Lets a given number of writes reach the database, and makes the others wait. */
class Gate {
  #left = Infinity;
  #passing: Promise<unknown>[] = [];
  #waiting: (() => void)[] = [];

  before(database: LmdbDatabase): LmdbDatabase {
    return Object.assign(Object.create(database) as LmdbDatabase, {
      put: async (key: Uint8Array, value: Uint8Array) => {
        if (this.#left <= 0) await new Promise<void>((pass) => this.#waiting.push(pass));
        this.#left -= 1;
        const commit = database.put(key, value);
        this.#passing.push(commit);
        return commit;
      },
    });
  }

  close(left: number): void {
    this.#left = left;
    this.#passing = [];
  }

  /** Waits until the writes that were let through are on the disk. */
  async passed(): Promise<void> {
    await Promise.all(this.#passing);
  }

  open(): void {
    this.#left = Infinity;
    for (const pass of this.#waiting.splice(0)) pass();
  }
}

/** Writes every group at once, but reports it as written only when released. */
class HeldLog extends WriteAheadLog {
  readonly held: { readonly written: () => void; readonly failed: (error: Error) => void }[] = [];
  isHolding = false;

  override async append(group: Buffer): Promise<void> {
    await super.append(group);
    if (this.isHolding) await new Promise<void>((written, failed) => this.held.push({ written, failed }));
  }

  /** Waits until this many groups are in flight. */
  async reach(count: number): Promise<void> {
    await expect.poll(() => this.held).toHaveLength(count);
  }
}

describe('the log', () => {
  test(`readers see what an ordered map says, while it is applied (LOG_SEED=${seed})`, async () => {
    const random = new SeededRandom(seed);
    const { commits, reader } = await setUp({ bytes: 3_000, entries: 40 });
    const model = new Map<string, string>();
    const someKey = (): Uint8Array => testKey(random.integer(1, 2), random.integer(1, 4), [random.integer(0, 6)]);
    for (let round = 0; round < 400; round += 1) {
      // Several at once, so that groups hold several, and some keys are written twice in one group.
      await Promise.all(
        Array.from({ length: random.integer(1, 5) }, async () => {
          const key = someKey();
          const value = random.next() < 0.3 ? undefined : `${round} ${'x'.repeat(random.integer(0, 200))}`;
          const before = await commits.write([key], ([stored]) => {
            const text = stored && Buffer.from(stored).toString();
            const expected = model.get(hex(key));
            if (value === undefined) model.delete(hex(key));
            else model.set(hex(key), value);
            return {
              answer: [text, expected],
              writes: [{ key: Buffer.from(key), value: value === undefined ? undefined : Buffer.from(value) }],
            };
          });
          expect(before[0]).toBe(before[1]);
        }),
      );
      const reverse = random.next() < 0.5;
      const [from, to] = random.next() < 0.5 ? [someKey(), someKey()] : [bytes(''), testKey(3, 0)];
      const seen: [string, string][] = [];
      const limit = random.integer(1, 30);
      reader.range({ from, to, reverse, limit }, (key, value) => {
        seen.push([hex(key), Buffer.from(value).toString()]);
        return true;
      });
      const expected = [...model]
        .filter(([key]) => key >= hex(from) && key < hex(to))
        .sort(([left], [right]) => (left < right ? -1 : 1));
      if (reverse) expected.reverse();
      expect(seen).toEqual(expected.slice(0, limit));
    }
    await commits.idle();
  });

  test('says how much of it the data file does not have, and since when', async () => {
    const gate = new Gate();
    const { commits } = await setUp({ bytes: 200, entries: 1_000 }, (database) => gate.before(database));
    expect(commits.checkpointLag()).toEqual({ bytes: 0, ageMs: 0 });
    gate.close(0);
    await write(commits, { key: testKey(1, 1), value: bytes('x'.repeat(100)) });
    const first = commits.checkpointLag();
    expect(first.bytes).toBeGreaterThan(100);
    expect(first.ageMs).toBeGreaterThan(0);
    // The second makes a checkpoint due, which the gate blocks; the third waits for it.
    await write(commits, { key: testKey(1, 2), value: bytes('x'.repeat(100)) });
    const thirdAtMs = performance.now();
    await write(commits, { key: testKey(1, 3), value: bytes('x'.repeat(100)) });
    const behind = commits.checkpointLag();
    expect(behind.bytes).toBe(3 * first.bytes);
    expect(behind.ageMs).toBeGreaterThan(first.ageMs);
    gate.open();
    await commits.idle();
    // The third is younger than the checkpoint.
    expect(commits.checkpointLag().bytes).toBe(first.bytes);
    expect(commits.checkpointLag().ageMs).toBeLessThanOrEqual(performance.now() - thirdAtMs);
  });

  test('what was acknowledged is there after the end of the process, however much was applied', async () => {
    const gate = new Gate();
    const { commits } = await setUp({ bytes: 3_000, entries: 1_000 }, (database) => gate.before(database));
    let count = 0;
    for (let round = 0; round < 20; round += 1) {
      gate.close(round * 3);
      for (let step = 0; step < 12; step += 1) {
        await Promise.all(
          Array.from({ length: 4 }, async () => {
            const number = count++;
            await write(commits, { key: testKey(1, number % 256, [number >> 8]), value: bytes(`${number}`) });
          }),
        );
      }
      await gate.passed();
      // Nothing changes on the disk now: this is what a crash would leave.
      const copy = join(parent, `copy-${round}`);
      cpSync(directory, copy, { recursive: true });
      gate.open();
      const store = await openLmdbStore({ directory: copy });
      expect(await keysOf(store, wholeSpace(1))).toHaveLength(count);
      for (const number of [0, count - 1]) {
        const value = await valueOf(store, testKey(1, number % 256, [number >> 8]));
        expect(Buffer.from(value ?? []).toString()).toBe(`${number}`);
      }
      await store.close();
      await commits.idle();
    }
  });

  test('readers do not see what is not durable, and decisions do', async () => {
    const { commits, reader } = await setUp({ bytes: 1e6, entries: 1e6 });
    const key = testKey(1, 1);
    const read = (): string | undefined => reader.read([key], ([value]) => value && Buffer.from(value).toString());
    await write(commits, { key, value: bytes('first') });
    const second = write(commits, { key, value: bytes('second') });
    const decided = commits.write([key], ([value]) => ({ answer: Buffer.from(value ?? []).toString(), writes: [] }));
    expect(read()).toBe('first');
    expect(await decided).toBe('second');
    await second;
    expect(read()).toBe('second');
  });

  test('what was read last time is read again once something has been applied', async () => {
    const { commits, reader } = await setUp({ bytes: 1, entries: 1 });
    const key = testKey(1, 1);
    const read = (): string | undefined => reader.read([key], ([value]) => value && Buffer.from(value).toString());
    const seen: unknown[] = [];
    for (const value of ['first', 'second', undefined]) {
      await write(commits, { key, value: value === undefined ? undefined : bytes(value) });
      seen.push(read());
      await commits.idle();
      expect(commits.overlay.isEmpty()).toBe(true);
      seen.push(read(), read());
    }
    expect(seen).toEqual(['first', 'first', 'first', 'second', 'second', 'second', undefined, undefined, undefined]);
  });

  describe('with two groups on their way to the disk', () => {
    const unlimited = { bytes: 1e9, entries: 1e6 };
    const key = testKey(1, 1);

    /** Two groups in flight that write the same key, and the promises of their writers. */
    async function twoGroups(): Promise<{
      log: HeldLog;
      commits: LoggedGroupCommit;
      read: () => string | undefined;
      outcomes: string[];
      done: Promise<unknown>;
    }> {
      const { commits, reader, log } = await setUp(unlimited, undefined, (options) => new HeldLog(options));
      if (!(log instanceof HeldLog)) throw new TypeError('another log was made');
      const read = (): string | undefined => reader.read([key], ([value]) => value && Buffer.from(value).toString());
      await write(commits, { key, value: bytes('zero') });
      log.isHolding = true;
      const outcomes: string[] = [];
      const writeNext = (name: string): Promise<unknown> =>
        write(commits, { key, value: bytes(name) }).then(
          () => outcomes.push(`${name}, then ${read() ?? 'nothing'}`),
          (error: unknown) => outcomes.push(`${name}: ${error instanceof StorageError ? error.code : 'another error'}`),
        );
      const first = writeNext('one');
      await log.reach(1);
      const second = writeNext('two');
      await log.reach(2);
      return { log, commits, read, outcomes, done: Promise.all([first, second]) };
    }

    test('answers those of the first before those of the second, which may be there sooner', async () => {
      const { log, read, outcomes, done } = await twoGroups();
      log.held[1]?.written();
      await new Promise((resolve) => setImmediate(resolve));
      expect([read(), ...outcomes]).toEqual(['zero']);
      log.held[0]?.written();
      await done;
      expect(outcomes).toEqual(['one, then one', 'two, then two']);
    });

    test('a third waits for the first', async () => {
      const { log, commits, done } = await twoGroups();
      const third = write(commits, { key, value: bytes('three') });
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      expect(log.held).toHaveLength(2);
      log.held[0]?.written();
      await log.reach(3);
      for (const { written } of log.held) written();
      await Promise.all([done, third]);
    });

    test('when the first fails, nothing of the second counts, though it was written', async () => {
      const { log, commits, read, outcomes, done } = await twoGroups();
      log.held[0]?.failed(new Error('input/output error'));
      const open = write(commits, { key, value: bytes('three') }).catch(({ code }: StorageError) => code);
      log.held[1]?.written();
      await done;
      expect(outcomes).toEqual(['one: unknown-outcome', 'two: unknown-outcome']);
      expect(await open).toBe('unknown-outcome');
      expect(read()).toBe('zero');
      await expect(write(commits, { key, value: bytes('four') })).rejects.toMatchObject({ code: 'io' });
    });

    test('when the second fails, the first counts', async () => {
      const { log, read, outcomes, done } = await twoGroups();
      log.held[1]?.failed(new Error('input/output error'));
      log.held[0]?.written();
      await done;
      expect(outcomes).toEqual(['one, then one', 'two: unknown-outcome']);
      expect(read()).toBe('one');
    });

    test('one that needs a longer file waits until it is alone', async () => {
      const { log, commits, done } = await twoGroups();
      log.held[0]?.written();
      const long = write(commits, { key: testKey(1, 2), value: new Uint8Array(3_000_000) });
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      expect(log.held).toHaveLength(2);
      log.held[1]?.written();
      await log.reach(3);
      log.held[2]?.written();
      await Promise.all([done, long]);
      const lengths = (await loggedWrites()).map(({ value }) => value?.length);
      expect(lengths).toEqual([4, 3, 3, 3_000_000]);
    });
  });

  test('continues while it cannot be applied, refuses when it is full, and applies when it can', async () => {
    let isFull = true;
    const { commits, reader } = await setUp({ bytes: 4_000, entries: 1_000 }, (database) =>
      Object.assign(Object.create(database) as LmdbDatabase, {
        put: (key: Uint8Array, value: Uint8Array) =>
          isFull ? Promise.reject(new Error('No space left on device')) : database.put(key, value),
      }),
    );
    let written = 0;
    let refusal: unknown;
    while (refusal === undefined && written < 1_000) {
      try {
        await write(commits, { key: testKey(1, written), value: new Uint8Array(300) });
        written += 1;
      } catch (error) {
        refusal = error;
      }
    }
    expect(refusal).toBeInstanceOf(StorageError);
    expect(refusal).toMatchObject({ code: 'io', message: expect.stringContaining('nothing was written') as string });
    expect(written).toBeGreaterThan(20);
    const countOf = (): number => {
      let count = 0;
      reader.range(wholeSpace(1), () => (count += 1) > 0);
      return count;
    };
    expect(countOf()).toBe(written);
    isFull = false;
    await commits.finish(new Promise(() => undefined));
    expect(commits.overlay.isEmpty()).toBe(true);
    expect(countOf()).toBe(written);
  });

  describe('is marked as applied', () => {
    const nextTurn = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

    /** Applies three entries. The database's answers for them are held back; the answer for the mark is not. */
    async function applyThree(): Promise<{
      readonly held: { readonly done: () => void; readonly failed: (error: Error) => void }[];
      readonly marks: number[];
      readonly commits: LoggedGroupCommit;
    }> {
      const held: { readonly done: () => void; readonly failed: (error: Error) => void }[] = [];
      const marks: number[] = [];
      const { commits } = await setUp({ bytes: 1e6, entries: 3 }, (database) =>
        Object.assign(Object.create(database) as LmdbDatabase, {
          put: async (key: Uint8Array, value: Uint8Array) => {
            const commit = database.put(key, value);
            const found = decodeMark(value);
            if (Buffer.compare(key, checkpointMarkKey) === 0)
              marks.push(found.kind === 'mark' ? found.mark.generation : 0);
            else if (held.length < 3) await new Promise<void>((done, failed) => held.push({ done, failed }));
            return await commit;
          },
        }),
      );
      await Promise.all([1, 2, 3].map((number) => write(commits, { key: testKey(1, number), value: bytes('value') })));
      await expect.poll(() => held).toHaveLength(3);
      return { held, marks, commits };
    }

    test('once all of it is committed, and not before', async () => {
      const { held, marks, commits } = await applyThree();
      for (const { done } of held) {
        await nextTurn();
        expect(marks).toEqual([]);
        done();
      }
      await commits.idle();
      expect(marks).toEqual([2]);
    });

    test('not when one commit of it has failed, until it is applied again', async () => {
      const { held, marks, commits } = await applyThree();
      held[0]?.failed(new Error('No space left on device'));
      for (const { done } of held.slice(1)) done();
      await commits.idle();
      expect(marks).toEqual([]);
      await commits.finish(new Promise(() => undefined));
      expect(marks).toEqual([2]);
    });
  });

  test('holds no more than a group in memory of writes that come all at once', async () => {
    const { commits, reader } = await setUp({ bytes: 64 * 1024 * 1024, entries: 1_000 });
    const values = Array.from({ length: 40 }, (_, at) => new Uint8Array(1024 * 1024).fill(at));
    await Promise.all(values.map((value, at) => write(commits, { key: testKey(1, at), value })));
    for (const [at, value] of values.entries()) {
      expect(reader.read([testKey(1, at)], ([stored]) => Buffer.compare(stored ?? bytes(''), value))).toBe(0);
    }
  });
});
