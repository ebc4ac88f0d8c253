import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SeededRandom } from '../../randomness/seeded-random.ts';
import { walkOnce } from './check-pages.ts';
import { openDatabase } from './lmdb-database.ts';

/*
 * A sound file is never called damaged. Each state that commits leave is walked, over more than 512 of them: LMDB lists its free
 * pages by the number of the transaction that freed them, and those numbers cross a byte's limit at every 256th.
 */
test('each of 600 states of a file that is written at random is sound', async () => {
  const random = new SeededRandom(7);
  const directory = mkdtempSync(join(tmpdir(), 'singlet-page-walk-'));
  try {
    const { database } = await openDatabase(directory);
    const unsound: unknown[] = [];
    for (let commit = 0; commit < 600; commit += 1) {
      await database.transaction(() => {
        for (let write = 0; write < 40; write += 1) {
          const key = Buffer.from(`key ${random.integer(0, 2000)}`);
          const bytes = random.chance(0.05) ? random.integer(9000, 40_000) : random.integer(10, 600);
          if (random.chance(0.3)) void database.remove(key);
          else void database.put(key, Buffer.alloc(bytes, write));
        }
      });
      const { damages, transaction } = walkOnce(join(directory, 'data.mdb'), { depth: 'all' });
      if (damages.length > 0) unsound.push({ transaction, damages });
    }
    await database.close();
    expect(unsound).toEqual([]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
