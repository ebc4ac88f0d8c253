import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { SeededRandom } from '../../randomness/seeded-random.ts';
import { testKey } from '../testing/store-probe.ts';
import { openDatabase } from './lmdb-database.ts';
import { inPackingOrder } from './packing-order.ts';
import { nameOf, MemtableEntry } from './memtable-entries.ts';

const bytes = Buffer.alloc(20_000, 1);

function entryOf(key: Uint8Array, valueBytes: number | undefined): MemtableEntry {
  const value = valueBytes === undefined ? undefined : { bytes, start: 0, end: valueBytes };
  return new MemtableEntry(nameOf(key), value, 1, undefined);
}

const byName = (a: MemtableEntry, b: MemtableEntry): number => (a.name < b.name ? -1 : 1);

/** A partition's entries, in order. */
function partition(hash: number, count: number, valueBytes: number): MemtableEntry[] {
  return Array.from({ length: count }, (_, at) => entryOf(testKey(1, hash, [at >> 8, at & 255]), valueBytes));
}

test('every entry comes once, the partitions in order, and short ones as they are', () => {
  const partitions = fc.array(
    fc.record({ count: fc.integer({ min: 1, max: 400 }), valueBytes: fc.integer({ min: 0, max: 6_000 }) }),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(partitions, (sizes) => {
      const runs = sizes.map(({ count, valueBytes }, hash) => partition(hash, count, valueBytes));
      const order = [...inPackingOrder(runs.flat())];
      let at = 0;
      for (const run of runs) {
        const written = order.slice(at, at + run.length);
        if (run.length < 20) expect(written).toEqual(run);
        expect(written.toSorted(byName)).toEqual(run);
        at += run.length;
      }
      expect(at).toBe(order.length);
    }),
  );
});

test('what is removed has a length of none, and is removed', () => {
  const run = Array.from({ length: 3_000 }, (_, at) => entryOf(testKey(1, 1, [at >> 8, at & 255]), undefined));
  expect([...inPackingOrder(run)].toSorted(byName)).toEqual(run);
});

/** How many pages LMDB needs for partitions that are written at random places, one after the other. */
async function leavesOf(
  { count, valueBytes }: { readonly count: number; readonly valueBytes: number },
  order: (run: readonly MemtableEntry[]) => Iterable<MemtableEntry>,
): Promise<number> {
  const random = new SeededRandom(7);
  const directory = await mkdtemp(join(tmpdir(), 'singlet-packing-'));
  const { database } = await openDatabase(directory);
  try {
    const hashes = Array.from({ length: 40 }, (_, hash) => hash);
    for (let left = hashes.length; left > 0; left -= 1) {
      const [hash = 0] = hashes.splice(random.integer(0, left - 1), 1);
      let commit: Promise<unknown> = Promise.resolve();
      for (const { key, value = bytes } of order(partition(hash, count, valueBytes))) commit = database.put(key, value);
      await commit;
    }
    return (database as unknown as { getStats(): { treeLeafPageCount: number } }).getStats().treeLeafPageCount;
  } finally {
    await database.close();
    await rm(directory, { recursive: true });
  }
}

test.each([
  { count: 200, valueBytes: 1_029, share: 0.94 },
  { count: 200, valueBytes: 480, share: 0.85 },
  { count: 600, valueBytes: 480, share: 0.85 },
  { count: 2_000, valueBytes: 200, share: 0.94 },
  // If only a few fit in a page there is nothing to gain, and nothing is lost.
  { count: 200, valueBytes: 1_500, share: 1 },
  { count: 200, valueBytes: 3_000, share: 1 },
])(
  'LMDB needs $share of the pages for partitions of $count values of $valueBytes bytes',
  async ({ share, ...sizes }) => {
    const sorted = await leavesOf(sizes, (run) => run);
    const packed = await leavesOf(sizes, inPackingOrder);
    expect(packed / sorted).toBeLessThanOrEqual(share);
  },
);
