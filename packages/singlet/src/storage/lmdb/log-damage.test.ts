/**
 * Damage to files of a directory whose process was killed. Each case loses acknowledged writes, and each must be detected: without a check,
 * the start takes the damage for the end of the log.
 */
import { copyFile, cp, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stoppedDirectory } from '../testing/stopped-directory.ts';
import { keysOf, wholeSpace } from '../testing/store-probe.ts';
import { openLmdbStore } from './lmdb-store.ts';
import { readAnyGeneration } from './log-file-reader.ts';

const puts = 500;

let parent: string;
/** Written by a process that was killed at rest: after 500 sequential puts. */
let killed: string;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'singlet-damage-'));
  ({ path: killed } = await stoppedDirectory(parent, 'at rest', puts));
});

afterAll(async () => rm(parent, { recursive: true }));

let copies = 0;
async function copyOf(directory: string): Promise<string> {
  const copy = join(parent, `copy-${(copies += 1)}`);
  await cp(directory, copy, { recursive: true });
  return copy;
}

/** The log file that holds the groups, and where they are. */
async function log(directory: string): Promise<{ path: string; bytes: Buffer; offsets: number[]; end: number }> {
  for (const name of ['log-0', 'log-1']) {
    const path = join(directory, name);
    const bytes = await readFile(path);
    const found = readAnyGeneration(bytes);
    if (found === undefined || found.groups.length === 0) continue;
    return { path, bytes, offsets: found.groups.map(({ offset }) => offset), end: found.end.length };
  }
  throw new TypeError('there is no log');
}

async function countOf(directory: string): Promise<number> {
  const store = await openLmdbStore({ directory });
  try {
    return (await keysOf(store, wholeSpace(1))).length;
  } finally {
    await store.close();
  }
}

test('without damage everything is there', async () => {
  expect(await countOf(await copyOf(killed))).toBe(puts);
});

describe('is refused, with everything left as it is', () => {
  const cases: readonly [string, (directory: string) => Promise<void>, RegExp][] = [
    [
      'one flipped byte in the fifth group',
      async (directory) => {
        const { path, bytes, offsets } = await log(directory);
        const at = offsets[4]! + 60;
        bytes[at] = bytes[at]! ^ 1;
        await writeFile(path, bytes);
      },
      /group 5 at offset \d+, \d+ bytes cannot be read\. At least \d+ acknowledged groups from there on are concerned; \d+ groups? with \d+ writes can still be read/,
    ],
    [
      'a hole of 4 KB',
      async (directory) => {
        const { path, bytes, offsets } = await log(directory);
        bytes.fill(0, offsets[3], offsets[3]! + 4096);
        expect(offsets.length).toBe(puts - 4); // a previous process wrote the first four
        await writeFile(path, bytes);
      },
      /group 4 at offset \d+ cannot be read/,
    ],
    [
      'a truncation in the middle',
      async (directory) => {
        const { path, end } = await log(directory);
        await truncate(path, Math.floor(end / 2));
      },
      /was cut off/,
    ],
    [
      'a truncation before the last group',
      async (directory) => {
        const { path, offsets } = await log(directory);
        await truncate(path, offsets.at(-1));
      },
      /was cut off/,
    ],
    [
      'a flipped byte in the last group, which the seal knows of',
      async (directory) => {
        const { path, bytes, end } = await log(directory);
        bytes[end - 1] = bytes[end - 1]! ^ 1;
        await writeFile(path, bytes);
      },
      /At least 1 acknowledged group from there on is concerned; none can be read after it/,
    ],
    [
      'one log file deleted',
      async (directory) => rm((await log(directory)).path),
      /should hold generation \d+, and the file is missing/,
    ],
    [
      'both log files deleted',
      async (directory) => {
        await rm(join(directory, 'log-0'));
        await rm(join(directory, 'log-1'));
      },
      /should hold generation \d+, and the file is missing/,
    ],
    [
      'the data file deleted',
      async (directory) => rm(join(directory, 'data.mdb')),
      /data\.mdb in .* is missing, empty, or not the one that was here; the write-ahead log holds 496 writes/,
    ],
    ['the data file emptied', async (directory) => truncate(join(directory, 'data.mdb')), /data\.mdb in .* is missing/],
  ];

  test.each(cases)('%s', async (_, damage, message) => {
    const directory = await copyOf(killed);
    await damage(directory);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await expect(openLmdbStore({ directory })).rejects.toMatchObject({
        name: 'StorageError',
        code: 'damaged',
        message: expect.stringMatching(message) as string,
      });
    }
    await expect(openLmdbStore({ directory })).rejects.toThrow(`singlet doctor ${directory}`);
    // With the correct files back, everything is there.
    for (const name of ['log-0', 'log-1', 'data.mdb']) await copyFile(join(killed, name), join(directory, name));
    expect(await countOf(directory)).toBe(puts);
  });
});
