/**
 * Every file of a directory, damaged in every way, after every way in which a process can end. A start either finds everything or fails with a
 * message. It never loses an acknowledged write silently. The one exception is bounded by the last seal: damage that reaches the end of an
 * unsealed log cannot be told from a torn write, nor can an older copy of a log that was made after the last seal.
 *
 * Damage inside the pages of LMDB is the subject of another suite.
 */
import { cp, copyFile, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StorageError } from '../storage-error.ts';
import {
  type HowStopped,
  keyAt,
  type StoppedDirectory,
  stoppedDirectory,
  valueAt,
} from '../testing/stopped-directory.ts';
import { textsOf } from '../testing/store-probe.ts';
import { type FoundGeneration, readAnyGeneration } from './log-file-reader.ts';
import { openLmdbStore } from './lmdb-store.ts';

/** More places in each file: `DAMAGE_PLACES=400 npx vitest run …/damage-matrix.test.ts`. */
const places = Number(process.env['DAMAGE_PLACES'] ?? 8);

let parent: string;
let other: StoppedDirectory;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'singlet-matrix-'));
  await rm(join(parent, 'other'), { recursive: true, force: true });
  other = await stoppedDirectory(await mkdtemp(join(parent, 'other-')), 'at rest');
});

afterAll(async () => rm(parent, { recursive: true }));

const files = [
  'log-0',
  'log-1',
  'data.mdb',
  'singlet.json',
  'log-owner.json',
  'lock.mdb',
  'gate.mdb',
  'gate.mdb-lock',
] as const;

interface Damaged {
  readonly directory: string;
  /** How many puts must be found in a log without a seal. */
  readonly certain: number;
}

type Damage = (directory: string, file: string, from: StoppedDirectory) => Promise<readonly Damaged[]>;

/** Each makes several damaged copies of a directory, or none if the damage does not apply. */
const damages: Readonly<Record<string, Damage>> = {
  'a flipped bit': (directory, file) =>
    changed(directory, file, (bytes, at) => {
      bytes[at] = bytes[at]! ^ (1 << (at % 8));
      return [at, at + 1];
    }),
  'a sector of zeros': (directory, file) => changed(directory, file, (bytes, at) => zeroed(bytes, at, 512)),
  'a hole of 4 KB': (directory, file) => changed(directory, file, (bytes, at) => zeroed(bytes, at, 4096)),
  'cut off': (directory, file) => changed(directory, file, (bytes, at) => bytes.subarray(0, at)),
  emptied: (directory, file) => changed(directory, file, (bytes) => bytes.subarray(0, 0), 1),
  deleted: async (directory, file) => {
    const copy = await copyOf(directory);
    await rm(join(copy, file));
    return [{ directory: copy, certain: Infinity }];
  },
  'swapped with its sibling': async (directory, file) => {
    const sibling = { 'log-0': 'log-1', 'log-1': 'log-0', 'singlet.json': 'log-owner.json' }[file];
    const names = await readdir(directory);
    if (sibling === undefined || !names.includes(sibling)) return [];
    const copy = await copyOf(directory);
    await copyFile(join(directory, file), join(copy, sibling));
    await copyFile(join(directory, sibling), join(copy, file));
    return [{ directory: copy, certain: Infinity }];
  },
  'an older copy': (directory, file, { older, puts }) => replaced(directory, file, older, puts / 2 - 4),
  'of another directory': (directory, file) => replaced(directory, file, other.path),
};

let copies = 0;
async function copyOf(directory: string): Promise<string> {
  const copy = join(parent, `copy-${(copies += 1)}`);
  await cp(directory, copy, { recursive: true });
  return copy;
}

function zeroed(bytes: Buffer, at: number, length: number): [number, number] {
  const from = at - (at % length);
  const to = Math.min(bytes.length, from + length);
  bytes.fill(0, from, to);
  return [from, to];
}

/** @param change - returns the bytes that it has changed, or what is left of them. */
async function changed(
  directory: string,
  file: string,
  change: (bytes: Buffer, at: number) => Buffer | [number, number],
  count = places,
): Promise<readonly Damaged[]> {
  // Damage to the pages of LMDB is tested in another suite; this one tests only whether the file exists.
  if (file === 'data.mdb' && count > 1) return [];
  const whole = await readFile(join(directory, file));
  const found = /^log-[01]$/.test(file) ? readAnyGeneration(whole) : undefined;
  const length = found?.end.length ?? whole.length;
  const made: Damaged[] = [];
  for (let place = 0; place < count; place += 1) {
    // The witness and "begin" are small, so half of the places in a log are in them.
    const spread = Math.floor(((place + 0.5) * length) / count);
    const inLog = place % 4 === 0 ? 1 + place : place % 4 === 1 ? 4096 + 2 * place : spread;
    const copy = await copyOf(directory);
    const bytes = Buffer.from(whole);
    const result = change(bytes, found === undefined ? spread : Math.min(inLog, length - 1));
    await writeFile(join(copy, file), Buffer.isBuffer(result) ? result : bytes);
    made.push({ directory: copy, certain: Buffer.isBuffer(result) ? Infinity : certainWith(found, result) });
  }
  return made;
}

/** Groups before the damage, if no group after it is sound: a sound group would prove that there was more. */
function certainWith(found: FoundGeneration | undefined, [from, to]: readonly [number, number]): number {
  if (found === undefined || found.groups.some(({ offset }) => offset >= to)) return Infinity;
  return found.groups.filter(({ offset, length }) => offset + length <= from).length; // in addition to those of the previous process
}

async function replaced(
  directory: string,
  file: string,
  from: string,
  certain = Infinity,
): Promise<readonly Damaged[]> {
  if (!(await readdir(from)).includes(file)) return [];
  const copy = await copyOf(directory);
  await copyFile(join(from, file), join(copy, file));
  return [{ directory: copy, certain }];
}

/** What a start makes of a directory: the number of acknowledged puts it finds, or the message with which it fails. */
async function start(
  directory: string,
  puts: number,
): Promise<{ readonly found: number } | { readonly words: string }> {
  let store;
  try {
    store = await openLmdbStore({ directory });
  } catch (error) {
    if (error instanceof StorageError) return { words: error.message };
    throw error;
  }
  try {
    const texts = await textsOf(
      store,
      Array.from({ length: puts }, (_, at) => keyAt(at)),
    );
    const found = texts.findIndex((text, at) => text !== valueAt(at));
    // No gaps: after the first missing put, all others are missing, too.
    if (found >= 0) expect(texts.slice(found).every((text) => text === undefined)).toBe(true);
    return { found: found < 0 ? puts : found };
  } finally {
    await store.close();
  }
}

describe.each<[HowStopped, boolean]>([
  ['closed', true],
  ['at rest', true],
  ['under load', false],
  ['during a checkpoint', false],
])('after a process that was stopped: %s', (how, isSealed) => {
  let stopped: StoppedDirectory;

  beforeAll(async () => {
    stopped = await stoppedDirectory(await mkdtemp(join(parent, 'stopped-')), how);
  });

  test('nothing is missing without damage', async () => {
    expect(await start(await copyOf(stopped.path), stopped.puts)).toEqual({ found: stopped.puts });
  });

  test.each(files)('%s', async (file) => {
    const names = await readdir(stopped.path);
    if (!names.includes(file)) {
      expect(how).toBe('closed');
      return;
    }
    for (const [name, damage] of Object.entries(damages)) {
      for (const { directory, certain } of await damage(stopped.path, file, stopped)) {
        const outcome = await start(directory, stopped.puts);
        const context = `${how}, ${file}, ${name}: ${JSON.stringify(outcome)} in ${directory}`;
        if ('words' in outcome) expect(outcome.words, context).toContain(directory);
        else
          expect(outcome.found, context).toBeGreaterThanOrEqual(
            isSealed ? stopped.puts : Math.min(certain + 4, stopped.puts),
          );
        await rm(directory, { recursive: true });
      }
    }
  });
});
