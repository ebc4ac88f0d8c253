/**
 * Repeatedly kills a process that writes to the same data. After each kill, every
 * acknowledged write must be present, and every decision must be present completely or not at all.
 *
 * This shows that the data survives the end of a process at any moment. The end of the whole machine is another matter:
 * `power-cut.test.ts` simulates it.
 *
 * `CRASH_ROUNDS=200 npx vitest run …/lmdb-crash.test.ts` makes so many rounds in each form, a directory after the other.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Store } from '../store.ts';
import { SeededRandom } from '../../randomness/seeded-random.ts';
import { StoreProcess } from '../testing/store-process-client.ts';
import { crashKeys } from '../testing/store-process-protocol.ts';
import { textsOf, valueOf, wholeSpace } from '../testing/store-probe.ts';
import { openLmdbStore } from './lmdb-store.ts';

/** Rounds on one directory, whose contents each of them reads. */
const roundsOfDirectory = 12;
const roundsMax = 10 * roundsOfDirectory;
const directoryCount = Math.ceil(Number(process.env['CRASH_ROUNDS'] ?? roundsOfDirectory) / roundsOfDirectory);
const writers = 24;

/** Replays one history of kills: `CRASH_SEED=… npx vitest run …/lmdb-crash.test.ts`. */
const seed = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 1e9));
const seeds = Array.from({ length: directoryCount }, (_, at) => seed + at);

/** The store that is killed. */
interface Killed {
  /** Whether other processes may open the directory: then there is no write-ahead log. */
  readonly shared: boolean;
  readonly module: string;
  readonly open: string;
}

interface Outcome {
  readonly writerCount: number;
  /** Writes that are present and were never acknowledged, which is allowed. */
  readonly inFlight: number;
}

const sound = { module: new URL('./lmdb-store.ts', import.meta.url).href, open: 'openLmdbStore' };
const faulty = new URL('../testing/faulty-stores.ts', import.meta.url).href;

describe.each([
  { form: 'with a write-ahead log', shared: false },
  { form: 'as one of several processes', shared: true },
])('$form,', ({ shared }) => {
  test.each(seeds)('what was acknowledged survives kill -9, and decisions stay whole (CRASH_SEED=%i)', async (each) => {
    const { writerCount, inFlight } = await playRounds(each, { ...sound, shared });
    // Otherwise the test showed nothing.
    expect(writerCount).toBeGreaterThan(0);
    expect(inFlight).toBeGreaterThan(0);
  });

  test.each(['openEarlyLmdbStore', 'openSplittingLmdbStore'])('a planted bug is found: %s', async (open) => {
    await expect(playUntilFound(seed, { module: faulty, open, shared })).rejects.toThrow('expected');
  });
});

/** Ends with the error of the first round that shows something wrong. */
async function playUntilFound(firstSeed: number, killed: Killed): Promise<void> {
  for (let each = firstSeed; each < firstSeed + directoriesToFind; each += 1) await playRounds(each, killed);
}

/** After this many directories a planted bug counts as not found. */
const directoriesToFind = 10;

/** @throws what the first check says that fails. */
async function playRounds(seedOfRounds: number, killed: Killed): Promise<Outcome> {
  const random = new SeededRandom(seedOfRounds);
  const directory = await mkdtemp(join(tmpdir(), 'singlet-crash-'));
  const acknowledged = new Map<number, number>();
  let inFlight = 0;
  try {
    // A few more if the kills came too early, or always between two groups.
    for (let round = 0; round < roundsOfDirectory || (inFlight === 0 && round < roundsMax); round += 1) {
      const output = await writeAndKill(directory, killed, random);
      for (const [writer, count] of reportsOf(output)) acknowledged.set(writer, count);
      const store = await openLmdbStore({ directory, shared: killed.shared });
      try {
        inFlight += await check(store, acknowledged);
      } finally {
        await store.close();
      }
    }
  } finally {
    await rm(directory, { recursive: true });
  }
  return { writerCount: acknowledged.size, inFlight };
}

/** @returns what the writers reported before they died. */
async function writeAndKill(
  directory: string,
  { module, open, shared }: Killed,
  random: SeededRandom,
): Promise<string> {
  const child = new StoreProcess({ module, open, options: { directory, shared } });
  await child.ready();
  child.start({ do: 'write-forever', writers });
  // On a busy machine every kill might come before the first write.
  if (random.chance(0.8)) await child.output();
  await delay(random.integer(1, 120) + random.next());
  return child.kill();
}

function reportsOf(output: string): readonly (readonly [number, number])[] {
  // The last line may have been cut off by the kill.
  const complete = output.slice(0, output.lastIndexOf('\n') + 1);
  return complete
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [writer = Number.NaN, count = Number.NaN] = line.split(' ').map(Number);
      return [writer, count] as const;
    });
}

/** @returns how many writes are present that were never acknowledged, which is allowed. */
async function check(store: Store, acknowledged: ReadonlyMap<number, number>): Promise<number> {
  const left = await entriesOfSide(store, 1);
  const right = await entriesOfSide(store, 2);
  expect(right).toEqual(left);

  const counters = Array.from({ length: writers }, (_, writer) => crashKeys.count(writer));
  const counts = (await textsOf(store, counters)).map((text) => Number(text ?? 0));
  const [total] = await textsOf(store, [crashKeys.total]);
  const sum = counts.reduce((one, other) => one + other, 0);
  expect(Number(total ?? 0)).toBe(sum);
  expect(left.size).toBe(sum);
  counts.forEach((count, writer) => expect(count).toBeGreaterThanOrEqual(acknowledged.get(writer) ?? 0));
  for (const [writer, count] of counts.entries()) {
    if (count === 0) continue;
    const last = await valueOf(store, crashKeys.entry('left', writer, count));
    expect(Buffer.from(last ?? []).toString()).toMatch(new RegExp(`^${writer}:${count}\\.`));
  }
  return sum - [...acknowledged.values()].reduce((one, other) => one + other, 0);
}

/** Where each entry is (without its space), and its value. */
async function entriesOfSide(store: Store, space: number): Promise<ReadonlyMap<string, string>> {
  const entries = new Map<string, string>();
  await store.range(wholeSpace(space), (key, value) => {
    entries.set(Buffer.from(key.subarray(4)).toString('hex'), Buffer.from(value).toString());
    return true;
  });
  return entries;
}
