import { createHash } from 'node:crypto';
import { open } from 'lmdb';
import { BenchError } from './bench-error.ts';
import type { InProcessTarget, RequestRing } from './in-process-target.ts';
import { createRandom, type Random } from './random.ts';
import type { ScenarioName } from './scenarios.ts';
import { reportProgress } from './worker-calls.ts';
import {
  batchWriteItemsMax,
  distinctItemIndexes,
  itemOf,
  itemsPerPartition,
  partitionKeyOf,
  sortKeyOf,
} from './workload.ts';

/** Bytes before the sort key: which table (4), and the hash of the partition key (16). */
const partitionBytes = 20;
const ringCount = 100_000;
const loadBatchCount = 1000;

/**
 * The floor of a write, and of an in-process read: LMDB alone, with keys and values as large as a database on top of it
 * would have, in the settings that make an acknowledged write durable. No requests, no expressions, no checks.
 *
 * `overlappingSync: false` is what makes the promise of a write mean "on disk".
 */
export function openLmdbFloor(
  directory: string,
  options: {
    /** Without them nothing can be asked, and nothing is in the way of a look at the memory. */ readonly keepsKeys?: boolean;
  } = {},
): InProcessTarget {
  const lmdb = open<Buffer, Buffer>({
    path: directory,
    pageSize: 8192,
    mapSize: 2 ** 40,
    overlappingSync: false,
    encoding: 'binary',
    keyEncoding: 'binary',
    noMemInit: true,
  });
  let keys: Buffer[] = [];
  let values: Buffer[] = [];

  const key = (index: number): Buffer => known(keys[index]);
  const value = (index: number): Buffer => known(values[index % values.length]);

  /** One request of a scenario, as the calls it comes down to. */
  const requestOf = (scenario: ScenarioName, random: Random, itemCount: number): (() => unknown) => {
    const [first = 0, second = 0] = distinctItemIndexes(random, itemCount, 2);
    switch (scenario) {
      case 'get':
        return () => lmdb.getBinaryFast(key(first));
      case 'put':
        return async () => await lmdb.put(key(first), value(second));
      case 'update':
        return async () =>
          await lmdb.transaction(() => {
            const found = lmdb.getBinaryFast(key(first));
            if (found !== undefined) void lmdb.put(key(first), value(second));
          });
      case 'query':
        return () => readPartition(key(first));
      case 'transact':
        return async () =>
          await lmdb.transaction(() => {
            for (const index of [first, second]) {
              const found = lmdb.getBinaryFast(key(index));
              if (found !== undefined) void lmdb.put(key(index), value(index + 1));
            }
          });
      case 'batch': {
        const indexes = distinctItemIndexes(random, itemCount, batchWriteItemsMax);
        return async () =>
          await lmdb.batch(() => {
            for (const index of indexes) void lmdb.put(key(index), value(index + 1));
          });
      }
    }
  };

  const readPartition = (anyKey: Buffer): number => {
    const start = anyKey.subarray(0, partitionBytes);
    let bytes = 0;
    for (const entry of lmdb.getRange({ start, end: partitionEnd(start) }))
      bytes += entry.key.length + entry.value.length;
    return bytes;
  };

  return {
    load: async (itemCount) => {
      if (options.keepsKeys !== false) keys = Array.from({ length: itemCount }, (_, index) => keyBytes(index));
      values = Array.from({ length: 1000 }, (_, index) => Buffer.from(JSON.stringify(itemOf(index))));
      for (let first = 0; first < itemCount; first += loadBatchCount) {
        const end = Math.min(itemCount, first + loadBatchCount);
        await lmdb.batch(() => {
          for (let index = first; index < end; index += 1) void lmdb.put(keys[index] ?? keyBytes(index), value(index));
        });
        if (first % 100_000 === 0) reportProgress(`loaded ${first} of ${itemCount}`);
      }
    },
    ring: async (scenario, mode, itemCount): Promise<RequestRing> => {
      if (mode.kind !== 'engine') throw new BenchError('usage', `The LMDB floor knows no mode ${mode.kind}.`);
      const random = createRandom(1);
      const requests = Array.from({ length: ringCount }, () => requestOf(scenario, random, itemCount));
      const fault = async (): Promise<string | undefined> => {
        if (lmdb.getBinaryFast(key(itemCount - 1)) === undefined) return 'the last item is missing';
        const bytes = readPartition(key(0));
        return bytes > itemsPerPartition * 1024 ? undefined : `a partition has ${bytes} bytes`;
      };
      return { count: ringCount, perform: (index) => requests[index]?.(), fault };
    },
    close: async () => await lmdb.close(),
  };
}

function keyBytes(itemIndex: number): Buffer {
  const table = Buffer.from([0, 0, 0, 1]);
  const hash = createHash('md5').update(partitionKeyOf(itemIndex)).digest();
  return Buffer.concat([table, hash, Buffer.from(sortKeyOf(itemIndex))]);
}

/** The first key after a partition: its 20 bytes and one byte that no sort key of the workload starts with. */
function partitionEnd(start: Buffer): Buffer {
  return Buffer.concat([start, Buffer.of(0xff)]);
}

function known(bytes: Buffer | undefined): Buffer {
  if (bytes === undefined) throw new BenchError('usage', 'The LMDB floor was asked for an item that was not loaded.');
  return bytes;
}
