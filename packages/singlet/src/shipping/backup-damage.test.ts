/**
 * Every kind of object of a backup is damaged in every way. A restore either returns the exact state or fails with an explanation; it is never
 * silently wrong. `verify` always finds damage to objects that a restore needs.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openMemoryStore } from '../storage/memory/memory-store.ts';
import { BackupError } from './backup-error.ts';
import { openTarget } from './open-target.ts';
import type { ReadRules } from './read-pieces.ts';
import { restore } from './restore.ts';
import { BackupWorld, until } from './testing/backup-world.ts';
import { differences, lastNumber } from './testing/numbered-writes.ts';
import { verify } from './verify.ts';

/** More positions in each object, and more objects of each kind: `DAMAGE_PLACES=100 npx vitest run …/backup-damage.test.ts`. */
const places = Number(process.env['DAMAGE_PLACES'] ?? 3);
const isLong = process.env['DAMAGE_PLACES'] !== undefined;
const objectsOfKind = isLong ? 6 : 2;
/** Earlier moments, by the number of the last write: one of them is restored in turn, and with `DAMAGE_PLACES` each. */
const moments = [12, 20, 33];
let turn = Math.floor(Math.random() * moments.length);

let parent: string;
let world: BackupWorld;
let older: string;
let other: string;
let writes = 0;

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'singlet-backup-damage-'));
  mkdirSync(join(parent, 'target'));
  world = new BackupWorld(parent);
  other = await backupOfAnother();
  older = join(parent, 'older');
  const open = await world.open();
  await open.write(10);
  await open.shipper.snapshot();
  await open.write(10);
  await open.shipper.shipAll();
  cpSync(world.url, older, { recursive: true });
  await open.write(10);
  await open.shipper.snapshot();
  await open.write(10);
  await open.close();
  writes = 40;
});

afterAll(() => rmSync(parent, { recursive: true }));

async function backupOfAnother(): Promise<string> {
  const path = join(parent, 'other');
  mkdirSync(join(path, 'target'), { recursive: true });
  const another = new BackupWorld(path);
  const open = await another.open();
  await open.write(10);
  await open.shipper.snapshot();
  await open.write(5);
  await open.close();
  return another.url;
}

const kinds: Readonly<Record<string, RegExp>> = {
  'the record of the database': /^database$/,
  'the record of a chain': /\/chain$/,
  'the head of a chain': /\/head$/,
  'a piece of the log': /\/log\/\d+$/,
  'a manifest': /\/manifest$/,
  'a part of a snapshot': /\/snapshots\/[^/]+\/\d+$/,
};

type Damage = (
  bytes: Buffer,
  context: { readonly name: string; readonly names: readonly string[] },
) => readonly (Buffer | undefined)[];

/** The ways of damaging an object: other bytes, or none. */
const damages: Readonly<Record<string, Damage>> = {
  'a flipped bit': (bytes) => spread(bytes, (copy, at) => copy.writeUInt8(copy.readUInt8(at) ^ (1 << (at % 8)), at)),
  'a hole of zeros': (bytes) => spread(bytes, (copy, at) => copy.fill(0, at, Math.min(copy.length, at + 64))),
  'cut off': (bytes) =>
    Array.from({ length: places }, (_, at) => bytes.subarray(0, Math.floor((at * bytes.length) / places))),
  deleted: () => [undefined],
  'swapped with a sibling': (_, { name, names }) =>
    names
      .filter((sibling) => sibling !== name && dirname(sibling) === dirname(name))
      .slice(0, 3)
      .map((sibling) => readFileSync(join(world.url, sibling))),
  'an older copy': (bytes, { name }) => found(join(older, name)).filter((copy) => !copy.equals(bytes)),
  'of another backup': (_, { name }) => {
    const pattern = Object.values(kinds).find((kind) => kind.test(name))!;
    return namesIn(other)
      .filter((its) => pattern.test(its))
      .slice(0, 2)
      .flatMap((its) => found(join(other, its)));
  },
};

function spread(bytes: Buffer, change: (copy: Buffer, at: number) => void): Buffer[] {
  return Array.from({ length: places }, (_, place) => {
    const copy = Buffer.from(bytes);
    change(copy, Math.floor(((place + 0.5) * bytes.length) / places));
    return copy;
  }).filter((copy) => !copy.equals(bytes));
}

function found(path: string): Buffer[] {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? [readFileSync(path)] : [];
}

function namesIn(url: string): string[] {
  return readdirSync(url, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(url, join(entry.parentPath, entry.name)))
    .sort();
}

/** @returns how many writes the restored state contains, or why the restore is refused. */
async function outcome(url: string, atMs?: number, rules?: ReadRules): Promise<number | string> {
  const store = openMemoryStore();
  try {
    await restore(await openTarget(url, {}), store, { atMs, ...(rules && { rules }) });
    const wrong = await differences(store);
    return wrong.length === 0 ? await lastNumber(store) : -1;
  } catch (error) {
    if (error instanceof BackupError) return error.message;
    throw error;
  } finally {
    await store.close();
  }
}

async function problemsOf(url: string): Promise<readonly string[]> {
  try {
    return (await verify(await openTarget(url, {}))).flatMap(({ problems }) => problems);
  } catch (error) {
    if (error instanceof BackupError) return [error.message];
    throw error;
  }
}

/** Damage that is harmless: the object contains nothing that the other objects do not prove. */
function isHarmless(kind: string, damage: string): boolean {
  return kind === 'the head of a chain' && damage === 'an older copy';
}

test('nothing is wrong without damage', async () => {
  expect(await outcome(world.url)).toBe(writes);
  expect(await problemsOf(world.url)).toEqual([]);
});

describe.each(Object.keys(kinds))('%s', (kind) => {
  test.each(Object.keys(damages))('%s', async (damage) => {
    const names = namesIn(world.url);
    const url = join(parent, 'damaged');
    // If there are many pieces: the first, some in the middle, and the last.
    const concerned = names.filter((name) => kinds[kind]!.test(name));
    const chosen = concerned.filter(
      (_, at) => at % Math.ceil(concerned.length / objectsOfKind) === 0 || at === concerned.length - 1,
    );
    rmSync(url, { recursive: true, force: true });
    cpSync(world.url, url, { recursive: true });
    for (const name of chosen) {
      for (const bytes of damages[damage]!(readFileSync(join(world.url, name)), { name, names })) {
        if (bytes === undefined) rmSync(join(url, name));
        else writeFileSync(join(url, name), bytes);
        const context = `${name}: ${damage}`;
        const last = await outcome(url);
        if (typeof last === 'number') expect(last, context).toBe(writes);
        else expect(last, context).toMatch(/\w/);
        turn += 1;
        for (const number of isLong ? moments : [moments[turn % moments.length]!]) {
          const earlier = await outcome(url, world.times.get(number));
          if (typeof earlier === 'number') expect(earlier, `${context}, at ${number}`).toBe(number);
        }
        // Without its manifest, a snapshot counts as unfinished.
        const isGone = kind === 'a manifest' && damage === 'deleted';
        if (!isGone && !isHarmless(kind, damage)) expect(await problemsOf(url), context).not.toEqual([]);
        cpSync(join(world.url, name), join(url, name));
      }
    }
  });
});

describe('a planted bug is noticed', () => {
  test('a piece that is missing', async () => {
    const url = join(parent, 'planted');
    cpSync(world.url, url, { recursive: true });
    rmSync(
      join(
        url,
        namesIn(url).findLast((name) => /\/log\/\d+$/.test(name) && Number(name.slice(-10)) % 2 === 0)!,
      ),
    );
    expect(await outcome(url)).toMatch(/is missing|ends with piece/);
  });

  test('a reader that checks no hashes and no chain takes a sound piece of another history', async () => {
    const url = await mixedHistories();
    expect(await outcome(url)).toMatch(/does not follow/);
    expect(await outcome(url, undefined, { hashes: false, chain: false })).toBe(-1);
  });

  /** Two copies of a directory continue separately from one state. A piece of one is put into the backup of the other. */
  async function mixedHistories(): Promise<string> {
    const path = join(parent, 'mixed');
    mkdirSync(join(path, 'target'), { recursive: true });
    const mixed = new BackupWorld(path);
    const open = await mixed.open();
    await open.write(10);
    await open.shipper.snapshot();
    await open.close();
    const [copy, before] = [join(path, 'copy'), join(path, 'before')];
    cpSync(mixed.directory, copy, { recursive: true });
    cpSync(mixed.url, before, { recursive: true });
    mixed.everyMs = 1e6;
    const goOn = async (directory: string, counts: readonly number[]): Promise<string> => {
      const its = await mixed.open(directory);
      await until(() => its.shipper.report().coveredUntilMs !== undefined);
      for (const count of counts) {
        await its.write(count);
        await its.shipper.shipAll();
      }
      await its.close();
      const name = namesIn(mixed.url).filter((found) => /\/log\/\d+$/.test(found));
      return name.find((found) => !namesIn(before).includes(found))!;
    };
    await goOn(mixed.directory, [3, 4]);
    const url = join(path, 'one');
    cpSync(mixed.url, url, { recursive: true });
    rmSync(mixed.url, { recursive: true });
    cpSync(before, mixed.url, { recursive: true });
    const next = await goOn(copy, [2, 2]);
    cpSync(join(mixed.url, next), join(url, next));
    return url;
  }
});
