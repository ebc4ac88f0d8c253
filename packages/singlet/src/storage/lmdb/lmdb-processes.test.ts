import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Store } from '../store.ts';
import { StoreProcess } from '../testing/store-process-client.ts';
import { commandKey } from '../testing/store-process-protocol.ts';
import { bytes, testKey, textsOf } from '../testing/store-probe.ts';
import { openLmdbStore } from './lmdb-store.ts';

let parent: string;
let directory: string;
let started: StoreProcess[];

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'singlet-processes-'));
  directory = join(parent, 'data');
  started = [];
});

afterEach(async () => {
  await Promise.all(started.map(async (child) => child.kill()));
  await rm(parent, { recursive: true });
});

function startProcess(): StoreProcess {
  const module = new URL('./lmdb-store.ts', import.meta.url).href;
  const child = new StoreProcess({ module, open: 'openLmdbStore', options: { directory } });
  started.push(child);
  return child;
}

test('processes that create the same directory at once all succeed, and then count together', async () => {
  const children = [startProcess(), startProcess(), startProcess()];
  await Promise.all(children.map(async (child) => child.ready()));
  const store = await openLmdbStore({ directory });
  try {
    const key = testKey(1, 1);
    const answers = await Promise.all([
      ...children.map(async (child) => child.call({ do: 'increment', key: commandKey(key), times: 150 })),
      Promise.all(Array.from({ length: 150 }, async () => increment(store, key))),
    ]);
    const taken = answers.flat().toSorted((left, right) => Number(left) - Number(right));
    expect(taken).toEqual(Array.from({ length: 600 }, (_, index) => index + 1));
    expect(await textsOf(store, [key])).toEqual(['600']);
  } finally {
    await store.close();
  }
  expect(await readdir(directory)).toEqual(['data.mdb', 'gate.mdb', 'gate.mdb-lock', 'lock.mdb', 'singlet.json']);
  expect(JSON.parse(await readFile(join(directory, 'singlet.json'), 'utf8'))).toMatchObject({
    format: 2,
    kind: 'singlet-data',
    engine: 'lmdb',
    state: 'ready',
  });
});

test('a process that exits in the middle of writing ends, and takes no lock with it', async () => {
  const store = await openLmdbStore({ directory });
  const key = testKey(9, 1);
  try {
    for (let round = 1; round <= 6; round += 1) {
      const child = startProcess();
      await child.ready();
      child.start({ do: 'write-forever', writers: 20 });
      child.start({ do: 'exit', afterMs: round * 7 });
      // It ended by itself or, if the exit would have waited forever, was killed.
      const { code, signal, errors } = await child.ended();
      expect([code, signal, errors]).toEqual(code === 0 ? [0, null, ''] : [null, 'SIGKILL', '']);
      expect(await increment(store, key)).toBe(round);
    }
  } finally {
    await store.close();
  }
});

async function increment(store: Store, key: Uint8Array): Promise<number> {
  return store.write([key], ([value]) => {
    const next = (value === undefined ? 0 : Number(Buffer.from(value).toString())) + 1;
    return { answer: next, writes: [{ key, value: bytes(`${next}`) }] };
  });
}
