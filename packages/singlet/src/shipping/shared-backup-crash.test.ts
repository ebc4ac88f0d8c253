/**
 * Several processes write to one directory, and one of them ships the writes of all. They are killed again and again, including the shipper.
 * Moments are then restored and must contain exactly the writes that any of them acknowledged until then: all of them, and none that was
 * requested later.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SeededRandom } from '../randomness/seeded-random.ts';
import { openLmdbStore } from '../storage/lmdb/lmdb-store.ts';
import { bundledProgram } from '../storage/testing/bundled-program.ts';
import { openMemoryStore } from '../storage/memory/memory-store.ts';
import { readCatalog } from './backup-catalog.ts';
import { openTarget } from './open-target.ts';
import { restore } from './restore.ts';
import { BackupWorld } from './testing/backup-world.ts';
import { differences, lastNumber, numberedWrite } from './testing/numbered-writes.ts';
import type { SharingBug, SharingWriterOptions } from './testing/sharing-writer.ts';
import { verify } from './verify.ts';

/** More rounds: `BACKUP_ROUNDS=40 npx vitest run …/shared-backup-crash.test.ts`; to repeat a run: `BACKUP_SEED=…`. */
const kills = Number(process.env['BACKUP_ROUNDS'] ?? 3);
const seed = Number(process.env['BACKUP_SEED'] ?? Math.floor(Math.random() * 1e9));

const program = bundledProgram(
  `import ${JSON.stringify(fileURLToPath(new URL('./testing/sharing-writer.ts', import.meta.url)))};`,
);
const writerCount = 3;
/** In each attempt to find a planted bug. */
const killsToFind = 2;
/** Restored moments. */
const moments = 8;
/** After this many attempts a planted bug counts as not found. */
const attemptsToFind = 20;

/** An acknowledged write. */
interface Acknowledged {
  readonly number: number;
  readonly sentMs: number;
  readonly acknowledgedMs: number;
}

let parent: string;
let directory: string;
let url: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'singlet-shared-backup-'));
  [directory, url] = [join(parent, 'data'), join(parent, 'target')];
  await mkdir(url);
});
afterEach(() => rm(parent, { recursive: true }));

class Writer {
  output = '';
  errors = '';
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<unknown>;

  constructor(options: SharingWriterOptions) {
    this.#child = spawn(process.execPath, [program, directory, url, JSON.stringify(options)]);
    this.#child.stdout.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.#child.stderr.on('data', (chunk: Buffer) => (this.errors += chunk.toString()));
    this.#child.stdin.on('error', () => undefined); // it was killed
    this.#ended = once(this.#child, 'close');
  }

  ship(): void {
    this.#child.stdin.write('ship\n');
  }

  /** Waits until it has written and printed this. One that has ended, or whose chain has, will not. */
  async until(said = ''): Promise<void> {
    const isThere = (): boolean => this.output.includes('a ') && this.errors.includes(said);
    const isOver = (): boolean => this.#child.exitCode !== null || this.errors.includes('backup-chain-ended');
    while (!isThere() && !isOver()) await delay(5);
    expect(isThere(), this.errors).toBe(true);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  async end(): Promise<void> {
    this.#child.stdin.end();
    await this.#ended;
    expect(this.#child.exitCode, this.errors).toBe(0);
  }

  get acknowledged(): readonly Acknowledged[] {
    const lines = this.output.slice(0, this.output.lastIndexOf('\n')).split('\n');
    return lines.flatMap((line) => {
      const [kind, number, sentMs, acknowledgedMs] = line.split(' ');
      return kind === 'a'
        ? [{ number: Number(number), sentMs: Number(sentMs), acknowledgedMs: Number(acknowledgedMs) }]
        : [];
    });
  }
}

/** Restores moments, and compares each with the acknowledged writes. */
async function expectMoments(all: readonly Acknowledged[], random: SeededRandom): Promise<void> {
  const target = await openTarget(url, {});
  expect((await verify(target)).map(({ problems }) => problems)).toEqual([[]]);
  const [chain] = await readCatalog(target);
  const fromMs = chain!.snapshots[0]!.manifest.validFromMs;
  for (let attempt = 0; attempt < moments; attempt += 1) {
    const atMs = attempt === 0 ? undefined : random.integer(fromMs, chain!.coveredUntilMs);
    const store = openMemoryStore();
    await restore(target, store, { atMs });
    const last = await lastNumber(store);
    expect(await differences(store)).toEqual([]);
    const missing = all.filter(({ number, acknowledgedMs }) => acknowledgedMs <= (atMs ?? Infinity) && number > last);
    const early = all.filter(({ number, sentMs }) => sentMs > (atMs ?? Infinity) && number <= last);
    expect({ atMs, missing, early }).toEqual({ atMs, missing: [], early: [] });
    await store.close();
  }
  const beyond = openMemoryStore();
  await expect(restore(target, beyond, { atMs: chain!.coveredUntilMs + 1 })).rejects.toThrow('does not reach');
  await beyond.close();
}

interface Kills {
  readonly padding: number;
  readonly seed: number;
  readonly bug?: SharingBug;
  readonly kills: number;
}

/** @throws what the first comparison says that fails. */
async function playKills({ padding, seed: own, bug, kills }: Kills): Promise<void> {
  const random = new SeededRandom(own);
  const begun: Writer[] = [];
  const begin = (): Writer => {
    const writer = new Writer({ seed: random.integer(0, 1e9), padding, snapshotEveryMs: 400, bug });
    begun.push(writer);
    return writer;
  };
  const writers = Array.from({ length: writerCount }, begin);
  try {
    await Promise.all(writers.map((writer) => writer.until()));
    writers[0]!.ship();
    await writers[0]!.until('backup-snapshot-written');
    for (let kill = 0; kill < kills; kill += 1) {
      await delay(random.integer(5, 200));
      const isAll = random.chance(0.2);
      // The first one ships. Killing all of them represents a crash of the machine.
      const chosen = isAll ? [...writers] : [writers[random.chance(0.5) ? 0 : random.integer(1, writerCount - 1)]!];
      await Promise.all(chosen.map((writer) => writer.kill()));
      const isShipping = writers.some((writer, at) => at === 0 && !chosen.includes(writer));
      writers.splice(0, writers.length, ...writers.filter((writer) => !chosen.includes(writer)));
      const heir = writers[0] ?? begin();
      if (writers.length === 0) writers.push(heir);
      while (writers.length < writerCount) writers.push(begin());
      await Promise.all(writers.map((writer) => writer.until()));
      if (!isShipping) heir.ship();
    }
    await Promise.all(writers.map((writer) => writer.end()));
    const errors = begun.map((writer) => writer.errors).join('');
    expect(errors).not.toContain('backup-chain-ended');
    await expectMoments(
      begun.flatMap((writer) => writer.acknowledged),
      random,
    );
  } finally {
    await Promise.all(begun.map((writer) => writer.kill()));
  }
}

test.each([
  { name: 'small writes', padding: 200 },
  { name: 'large ones', padding: 300_000 },
])(`every moment is restored, while those who write are killed: $name (BACKUP_SEED=${seed})`, async ({ padding }) => {
  await playKills({ padding, seed, kills });
});

test.each<SharingBug>(['an entry is not logged', 'a group is not logged', 'an answer precedes its commit'])(
  'a planted bug is found: %s',
  async (bug) => {
    const play = async (): Promise<void> => {
      for (let attempt = 0; attempt < attemptsToFind; attempt += 1) {
        await playKills({ padding: 200, seed: seed + attempt, bug, kills: killsToFind });
        await rm(parent, { recursive: true });
        await mkdir(url, { recursive: true });
      }
    };
    await expect(play()).rejects.toThrow('expected');
  },
);

test('the chain continues from one process to several, and back to one', async () => {
  const world = new BackupWorld(parent);
  const alone = await world.open();
  await alone.write(5);
  await alone.shipper.snapshot();
  await alone.close();

  const writer = new Writer({ seed, padding: 50, snapshotEveryMs: 1e9 });
  writer.ship();
  await writer.until();
  // Writes that it has not shipped are in the data file.
  await writer.kill();

  const again = await world.open();
  await again.write(5);
  await again.close();
  expect([writer.errors, ...world.events.map(({ event }) => event)].join()).not.toContain('backup-chain-ended');
  await expectMoments(writer.acknowledged, new SeededRandom(seed));
});

test('what a process writes without the log is noticed, and another chain begins', async () => {
  const writer = new Writer({ seed, padding: 50, snapshotEveryMs: 1e9 });
  writer.ship();
  await writer.until('backup-snapshot-written');
  const stranger = await openLmdbStore({ directory, shared: true });
  await stranger.write([], () => ({ answer: undefined, writes: numberedWrite(1_000_000, 20) }));
  await stranger.close();
  await expect.poll(() => writer.errors, { interval: 20 }).toMatch(/backup-chain-ended[^]*backup-snapshot-written/);
  await writer.end();
  const store = openMemoryStore();
  await restore(await openTarget(url, {}), store, { atMs: undefined });
  expect(await lastNumber(store)).toBeGreaterThanOrEqual(1_000_000);
});
