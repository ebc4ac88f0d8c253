/** Data directories of earlier builds: with a log of format 1, and killed with a log of format 2. Made by such a build, and kept here. */
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { put, testKey, textsOf } from '../testing/store-probe.ts';
import { openLmdbStore } from './lmdb-store.ts';

let parent: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'singlet-upgrade-'));
});

afterEach(async () => rm(parent, { recursive: true }));

async function unpack(name: string): Promise<string> {
  const packed = JSON.parse(await readFile(new URL(`./testdata/${name}.json`, import.meta.url), 'utf8')) as Record<
    string,
    string
  >;
  const directory = join(parent, name);
  await mkdir(directory);
  for (const [file, content] of Object.entries(packed)) {
    await writeFile(join(directory, file), gunzipSync(Buffer.from(content, 'base64')));
  }
  return directory;
}

const keys = Array.from({ length: 50 }, (_, at) => testKey(1, at));
/** As the release wrote them: 30 entries and a checkpoint, then 30 more that were in the log when it ended. */
const values = keys.map((_, at) => (at < 20 ? `checkpointed ${at}` : at === 25 ? undefined : `logged ${at}`));

async function valuesIn(directory: string): Promise<readonly (string | undefined)[]> {
  const store = await openLmdbStore({ directory });
  try {
    return await textsOf(store, keys);
  } finally {
    await store.close();
  }
}

describe.each(['format-1-closed', 'format-1-killed', 'format-2-killed'])('a directory of %s', (name) => {
  test('opens unchanged, and is of format 2 from then on', async () => {
    const directory = await unpack(name);
    expect(await valuesIn(directory)).toEqual(values);
    expect(JSON.parse(await readFile(join(directory, 'singlet.json'), 'utf8'))).toMatchObject({
      format: 2,
      state: 'ready',
    });
    expect(await readdir(directory)).toEqual(['data.mdb', 'gate.mdb', 'gate.mdb-lock', 'lock.mdb', 'singlet.json']);
    expect(await valuesIn(directory)).toEqual(values);
  });

  test('is written to', async () => {
    const directory = await unpack(name);
    const store = await openLmdbStore({ directory });
    await put(store, { key: testKey(2, 1), value: Buffer.from('new') });
    await store.close();
    const again = await openLmdbStore({ directory });
    expect(await textsOf(again, [testKey(2, 1), keys[0]!])).toEqual(['new', 'checkpointed 0']);
    await again.close();
    expect(await valuesIn(directory)).toEqual(values);
  });

  test('opens with several processes, too', async () => {
    const directory = await unpack(name);
    const store = await openLmdbStore({ directory, shared: true });
    expect(await textsOf(store, keys)).toEqual(values);
    await store.close();
  });
});

describe('a directory of format 1 is refused', () => {
  test('when its log is damaged, and later groups prove it', async () => {
    const directory = await unpack('format-1-killed');
    const log = join(directory, 'log-0');
    const bytes = await readFile(log);
    bytes[200] = bytes[200]! ^ 4;
    await writeFile(log, bytes);
    await expect(openLmdbStore({ directory })).rejects.toMatchObject({
      code: 'damaged',
      message: expect.stringMatching(/in log-0 \(generation 2\), group \d+ at offset \d+ cannot be read/) as string,
    });
  });

  test('when its data file is missing and its log is there', async () => {
    const directory = await unpack('format-1-killed');
    await rm(join(directory, 'data.mdb'));
    await expect(openLmdbStore({ directory })).rejects.toMatchObject({
      code: 'damaged',
      message: expect.stringContaining('the write-ahead log holds 60 writes') as string,
    });
  });
});

test('a new directory and its files belong to this user only', async () => {
  const directory = join(parent, 'new');
  const store = await openLmdbStore({ directory });
  await put(store, { key: testKey(1, 1), value: Buffer.from('x') });
  const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
  expect(await modeOf(directory)).toBe(0o700);
  for (const name of await readdir(directory)) {
    expect([name, await modeOf(join(directory, name))]).toEqual([name, 0o600]);
  }
  expect(await readdir(directory)).toHaveLength(8);
  await store.close();
});
