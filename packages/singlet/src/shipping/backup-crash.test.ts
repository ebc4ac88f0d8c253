/**
 * A process that writes, and ships its log, is killed again and again. Moments are then restored and must contain exactly the writes
 * acknowledged until then: all of them, and none that was requested later.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bundledProgram } from '../storage/testing/bundled-program.ts';
import { openMemoryStore } from '../storage/memory/memory-store.ts';
import { SeededRandom } from '../randomness/seeded-random.ts';
import { readCatalog } from './backup-catalog.ts';
import { openTarget } from './open-target.ts';
import { restore } from './restore.ts';
import type { BackupWriterOptions } from './testing/backup-writer.ts';
import { differences, lastNumber } from './testing/numbered-writes.ts';
import { verify } from './verify.ts';

/** More rounds: `BACKUP_ROUNDS=40 npx vitest run …/backup-crash.test.ts`; to repeat a run: `BACKUP_SEED=…`. */
const rounds = Number(process.env['BACKUP_ROUNDS'] ?? 3);
/** Restored moments. */
const moments = 8;
const seed = Number(process.env['BACKUP_SEED'] ?? Math.floor(Math.random() * 1e9));

const program = bundledProgram(
  `import ${JSON.stringify(fileURLToPath(new URL('./testing/backup-writer.ts', import.meta.url)))};`,
);

interface Times {
  /** The times at which each write was requested and acknowledged, by its number. */
  readonly sent: Map<number, number>;
  readonly acknowledged: Map<number, number>;
}

interface Stop {
  readonly how: 'kill' | 'close';
  /** When to kill it, counted from when it has begun to write and has printed this. */
  readonly ms: number;
  readonly until?: string;
}

/** @returns what the program wrote to its standard error. */
async function writeForAWhile(
  directory: string,
  target: string,
  options: BackupWriterOptions,
  { ms, how, times, until = '' }: Stop & { readonly times: Times },
): Promise<string> {
  const child = spawn(process.execPath, [program, directory, target, JSON.stringify(options)]);
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const ended = once(child, 'close');
  const isReady = (): boolean => output !== '' && errors.includes(until);
  while (!isReady() && child.exitCode === null) await delay(5);
  await delay(ms);
  if (how === 'kill') child.kill('SIGKILL');
  else child.stdin.end();
  const [code] = (await ended) as [number | null];
  expect(code, errors).toBe(how === 'kill' ? null : 0);
  for (const line of output.slice(0, output.lastIndexOf('\n')).split('\n')) {
    const [kind, number, time] = line.split(' ');
    if (kind === 's') times.sent.set(Number(number), Number(time));
    else if (kind === 'a') times.acknowledged.set(Number(number), Number(time));
  }
  return errors;
}

test.each([
  { name: 'small writes', padding: 200, failing: 0.1, away: 0.2 },
  { name: 'large ones, and a target that is often away', padding: 400_000, failing: 0.1, away: 0.8 },
])(
  `every moment is restored as it was, through kills: $name (BACKUP_SEED=${seed})`,
  async ({ padding, failing, away }) => {
    const random = new SeededRandom(seed);
    const parent = await mkdtemp(join(tmpdir(), 'singlet-backup-crash-'));
    const [directory, url] = [join(parent, 'data'), join(parent, 'target')];
    await mkdir(url);
    const times: Times = { sent: new Map(), acknowledged: new Map() };
    try {
      let errors = '';
      for (let round = 0; round <= rounds; round += 1) {
        const how = round === rounds || random.next() < 0.2 ? 'close' : 'kill';
        // The first round has to leave a snapshot, from which every moment can be restored; the last has to ship everything.
        const isThere = round === 0 || round === rounds;
        const options = {
          seed: random.integer(0, 1e9),
          failing,
          away: isThere ? 0 : away,
          padding,
          snapshotEveryMs: 300,
        };
        const until = round === 0 ? 'backup-snapshot-written' : '';
        errors += await writeForAWhile(directory, url, options, { ms: random.integer(30, 600), how, until, times });
      }
      // A single chain: none of the kills has lost anything.
      const target = await openTarget(url, {});
      const verified = await verify(target);
      expect(verified.map(({ problems }) => problems)).toEqual(verified.map(() => []));
      expect(errors).not.toContain('chain-ended');
      const [chain, ...others] = await readCatalog(target);
      expect(others).toEqual([]);
      const fromMs = chain!.snapshots[0]!.manifest.validFromMs;
      for (let attempt = 0; attempt < moments; attempt += 1) {
        const atMs = attempt === 0 ? undefined : random.integer(fromMs, chain!.coveredUntilMs);
        const store = openMemoryStore();
        await restore(target, store, { atMs });
        const last = await lastNumber(store);
        expect(await differences(store)).toEqual([]);
        const asked = latest(times.sent, atMs);
        const acknowledged = latest(times.acknowledged, atMs);
        expect(last, `at ${atMs}`).toBeGreaterThanOrEqual(acknowledged);
        expect(last, `at ${atMs}`).toBeLessThanOrEqual(asked);
        await store.close();
      }
    } finally {
      await rm(parent, { recursive: true });
    }
  },
);

/** The highest number up to a time. */
function latest(times: ReadonlyMap<number, number>, atMs = Infinity): number {
  let last = 0;
  for (const [number, ms] of times) if (ms <= atMs) last = Math.max(last, number);
  return last;
}
