import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundledProgram } from '../src/storage/testing/bundled-program.ts';
import { walkQuietly } from '../src/storage/lmdb/check-pages.ts';
import { openLmdbStore } from '../src/storage/lmdb/lmdb-store.ts';
import { SeededRandom } from '../src/randomness/seeded-random.ts';
import { makeDirectory, type Reading } from './damage-world.ts';

/*
 * Applies every kind of damage to a data file, many times. The file is opened as a server would, and everything in it is read as clients
 * would. Opening may be refused with a message, a call may be answered with an error that reports the damage, or all may be unchanged. No
 * answer may be wrong, and no signal may end the process.
 */

const pageBytes = 8192;
/** More of them: `DAMAGE_PLACES=100 npx vitest run …/data-damage.test.ts`. Eleven of each kind by default. */
const places = Number(process.env['DAMAGE_PLACES'] ?? 11);
/** To repeat a run: `DAMAGE_SEED=…`. */
const seed = Number(process.env['DAMAGE_SEED'] ?? Math.floor(Math.random() * 1e9));

let parent: string;
let sound: string;

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'singlet-damage-'));
  sound = join(parent, 'sound');
  await makeDirectory(sound);
});

afterAll(() => rmSync(parent, { recursive: true, force: true }));

/** @returns what was done, in words. */
type Damage = (bytes: Buffer, random: SeededRandom) => string;

const anywhere: Damage = (bytes, random) => flip(bytes, below(random, bytes.length), random);
const damages: Readonly<Record<string, Damage>> = {
  'a bit anywhere': anywhere,
  'a bit anywhere, too': anywhere,
  'a bit in the head of a page': (bytes, random) => flip(bytes, pageOf(bytes, random) + below(random, 64), random),
  'a bit in a branch page': (bytes, random) => flip(bytes, branchOf(bytes, random) + below(random, pageBytes), random),
  'a bit in a meta page': (bytes, random) => flip(bytes, below(random, 2) * pageBytes + below(random, 200), random),
  'a page of zeros': (bytes, random) => fill(bytes, pageOf(bytes, random), 'zeros', () => 0),
  'a page of noise': (bytes, random) => fill(bytes, pageOf(bytes, random), 'noise', () => below(random, 256)),
  'a page over another': (bytes, random) => {
    const [from, to] = [pageOf(bytes, random), pageOf(bytes, random)];
    bytes.copy(bytes, to, from, from + pageBytes);
    return `page ${from / pageBytes} over ${to / pageBytes}`;
  },
};

function below(random: SeededRandom, end: number): number {
  return random.integer(0, end - 1);
}

function flip(bytes: Buffer, at: number, random: SeededRandom): string {
  const bit = below(random, 8);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
  return `bit ${bit} of byte ${at % pageBytes} of page ${Math.floor(at / pageBytes)}`;
}

function fill(bytes: Buffer, at: number, what: string, byte: () => number): string {
  for (let index = at; index < at + pageBytes; index += 1) bytes[index] = byte();
  return `${what} in page ${at / pageBytes}`;
}

function pageOf(bytes: Buffer, random: SeededRandom): number {
  return pageBytes * below(random, bytes.length / pageBytes);
}

function branchOf(bytes: Buffer, random: SeededRandom): number {
  const branches: number[] = [];
  for (let at = 2 * pageBytes; at < bytes.length; at += pageBytes) if (bytes[at + 18] === 1) branches.push(at);
  return branches[below(random, branches.length)] ?? 2 * pageBytes;
}

describe('a damaged data file', () => {
  test(`is refused, or its damaged values are, and is never read wrong (DAMAGE_SEED=${seed})`, async () => {
    const random = new SeededRandom(seed);
    const original = readFileSync(join(sound, 'data.mdb'));
    const names = Object.keys(damages);
    const damageCount = places * (names.length + 1);
    const opened = new Map<string, string>();
    let foundByWalk = 0;
    for (let number = 0; number < damageCount; number += 1) {
      const directory = join(parent, `damaged-${number}`);
      cpSync(sound, directory, { recursive: true });
      const file = join(directory, 'data.mdb');
      let what: string;
      if (number % (names.length + 1) === names.length) {
        const length = below(random, original.length);
        truncateSync(file, length);
        what = `cut off after ${length} bytes`;
      } else {
        const bytes = Buffer.from(original);
        const name = names[number % (names.length + 1)] ?? '';
        what = `${name}: ${damages[name]?.(bytes, random)}`;
        writeFileSync(file, bytes);
      }
      const { damages: found } = await walkQuietly(file, { depth: 'all' }).catch(() => ({ damages: [''] }));
      if (found.length > 0) {
        foundByWalk += 1;
        rmSync(directory, { recursive: true, force: true });
      } else {
        opened.set(directory, what);
      }
    }
    const { readings, signal } = await readAll([...opened.keys()]);
    const [last = ''] = [...opened].slice(readings.length, readings.length + 1).map(([, what]) => what);
    expect(signal, `a process ended by a signal: ${last}`).toBeNull();
    expect(readings.length).toBe(opened.size);
    for (const { directory, wrong, errors } of readings) {
      expect(wrong, `${opened.get(directory)}; errors: ${errors.join(', ')}`).toEqual([]);
    }
    expect(foundByWalk).toBeGreaterThan(damageCount / 4);
    expect(readings.some(({ errors }) => errors.some((error) => error.includes('is damaged')))).toBe(true);
  });

  test('is refused at the start with the page and what to do', async () => {
    const directory = join(parent, 'branch');
    cpSync(sound, directory, { recursive: true });
    const file = join(directory, 'data.mdb');
    const bytes = readFileSync(file);
    const branch = rootOf(bytes);
    bytes.fill(0, branch, branch + pageBytes);
    writeFileSync(file, bytes);
    await expect(openLmdbStore({ directory })).rejects.toThrow(
      new RegExp(
        `^The file .*data.mdb is damaged: page ${branch / pageBytes} cannot be used, because it has the number 0`,
      ),
    );
    await expect(openLmdbStore({ directory })).rejects.toMatchObject({ code: 'damaged' });
  });

  test('is walked wholly if it is small, after a process did not close it, or when that is asked for', async () => {
    const directory = join(parent, 'leaf');
    cpSync(sound, directory, { recursive: true });
    const file = join(directory, 'data.mdb');
    const bytes = readFileSync(file);
    const leaf = usedLeaf(bytes);
    bytes.writeUInt16LE(9999, leaf + 24);
    writeFileSync(file, bytes);
    await expect(openLmdbStore({ directory, checkAtStart: 'full' })).rejects.toThrow('an entry of it is out of bounds');
    await expect(openLmdbStore({ directory })).rejects.toThrow('an entry of it is out of bounds');
    const quick = await openLmdbStore({ directory, checkAtStart: 'quick' });
    await quick.close();
    writeFileSync(join(directory, 'log-0'), '');
    await expect(openLmdbStore({ directory })).rejects.toThrow('an entry of it is out of bounds');
  });
});

/** The first page of the entries according to the newer meta page: a branch. */
function rootOf(bytes: Buffer): number {
  const newer = bytes.readBigInt64LE(152) > bytes.readBigInt64LE(pageBytes + 152) ? 0 : pageBytes;
  return Number(bytes.readBigInt64LE(newer + 96 + 40)) * pageBytes;
}

/** A leaf below the root, but not the first, which has the store's own metadata. */
function usedLeaf(bytes: Buffer): number {
  const root = rootOf(bytes);
  const node = root + 24 + bytes.readUInt16LE(root + 24 + 2);
  return bytes.readUIntLE(node, 6) * pageBytes;
}

interface DirectoryReading extends Reading {
  readonly directory: string;
}

/** In one process, until it ends or a signal kills it. */
async function readAll(
  directories: readonly string[],
): Promise<{ readonly readings: readonly DirectoryReading[]; readonly signal: string | null }> {
  const reader = fileURLToPath(new URL('./damage-reader.ts', import.meta.url));
  const child = spawn(process.execPath, [bundledProgram(`import ${JSON.stringify(reader)};`)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => undefined).end(directories.join('\n'));
  const [output, [, signal]] = await Promise.all([textOf(child.stdout), once(child, 'close')]);
  const readings = output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as DirectoryReading);
  return { readings, signal: signal as string | null };
}
