import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { testKey } from '../testing/store-probe.ts';
import { openLmdbStore } from './lmdb-store.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'singlet-memory-'));
});

afterEach(() => rm(directory, { recursive: true }));

/** Frees memory that is full of a text, in pieces of all sizes that pages may be made of. */
function leaveInMemory(text: string): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (const bytes of [1_024, 4_096, 4_112, 8_192, 16_384]) {
    let kept: Buffer[] = [];
    for (let count = 0; count < 2_000; count += 1) kept.push(Buffer.allocUnsafeSlow(bytes).fill(text));
    kept = [];
    collect();
  }
}

test('no file of the store has what the process had in memory before', async () => {
  const secret = 'what only the memory of this process may have';
  const store = await openLmdbStore({ directory, shared: true });
  for (let round = 0; round < 8; round += 1) {
    leaveInMemory(secret);
    await store.write([], () => ({
      answer: undefined,
      writes: Array.from({ length: 50 }, (_, at) => ({
        key: testKey(round + 1, at),
        value: Buffer.alloc(1_500, round + 1),
      })),
    }));
  }
  await store.close();
  expect((await readFile(join(directory, 'data.mdb'))).includes(secret)).toBe(false);
});
