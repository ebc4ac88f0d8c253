import { createHash } from 'node:crypto';
import { open } from 'lmdb';
import { BenchError } from './bench-error.ts';
import type { InProcessTarget } from './in-process-target.ts';
import { type Operation, scanItems } from './operations.ts';
import { operationsOf } from './requests.ts';
import { scenarios } from './scenarios.ts';
import { reportProgress } from './worker-calls.ts';
import { itemOf, itemsPerPartition, partitionKeyOf, sortKeyOf, type TableSpec } from './workload.ts';

const loadBatchCount = 1000;
/** The values to write, in rotation. */
const valueCount = 1000;

/** A table as keys and values. A key is the table (4 bytes), the hash of the partition key (16) and the sort key. */
interface Filled {
  readonly keyAt: (index: number) => Buffer;
  readonly valueAt: (index: number) => Buffer;
}

/**
 * The floor of a write, and of an in-process read: LMDB alone, with keys and values as large as a database on top of it
 * would have, in the settings that make an acknowledged write durable. No requests, no expressions, no checks.
 *
 * `overlappingSync: false` is what makes the promise of a write mean "on disk".
 */
export function openLmdbFloor(directory: string): InProcessTarget {
  const lmdb = open<Buffer, Buffer>({
    path: directory,
    pageSize: 8192,
    mapSize: 2 ** 40,
    overlappingSync: false,
    encoding: 'binary',
    keyEncoding: 'binary',
    noMemInit: true,
  });
  const tables = new Map<string, Filled>();

  const filled = ({ name }: TableSpec): Filled => {
    const table = tables.get(name);
    if (table === undefined) throw new BenchError('usage', `The LMDB floor has no table ${name}.`);
    return table;
  };

  const readRange = (start: Buffer, limit: number): number => {
    let bytes = 0;
    for (const entry of lmdb.getRange({ start, limit })) bytes += entry.key.length + entry.value.length;
    return bytes;
  };

  /** One operation as the LMDB calls it needs, with its keys made in advance. */
  const callsOf = (operation: Operation, { keyAt, valueAt }: Filled): (() => unknown) => {
    switch (operation.kind) {
      case 'get': {
        const key = keyAt(operation.item);
        return () => lmdb.getBinaryFast(key);
      }
      case 'put': {
        const [key, value] = [keyAt(operation.item), valueAt(operation.item + operation.version)];
        return async () => await lmdb.put(key, value);
      }
      case 'delete': {
        const key = keyAt(operation.item);
        return async () => await lmdb.remove(key);
      }
      case 'update':
      case 'transact': {
        const keys = ('items' in operation ? operation.items : [operation.item]).map(keyAt);
        const value = valueAt(1);
        return async () =>
          await lmdb.transaction(() => {
            for (const key of keys) if (lmdb.getBinaryFast(key) !== undefined) void lmdb.put(key, value);
          });
      }
      case 'batch-write': {
        const keys = operation.items.map(keyAt);
        const value = valueAt(operation.version);
        return async () =>
          await lmdb.batch(() => {
            for (const key of keys) void lmdb.put(key, value);
          });
      }
      case 'batch-get': {
        const keys = operation.items.map(keyAt);
        return () => {
          let bytes = 0;
          for (const key of keys) bytes += lmdb.getBinaryFast(key)?.length ?? 0;
          return bytes;
        };
      }
      case 'query': {
        const start = keyAt(operation.first);
        return () => readRange(start, operation.count);
      }
      case 'filter': {
        const start = keyAt(operation.first);
        return () => readRange(start, itemsPerPartition);
      }
      case 'scan': {
        const start = keyAt(operation.after);
        return () => readRange(start, scanItems);
      }
    }
  };

  return {
    load: async (table) => {
      const prefix = Buffer.alloc(4);
      prefix.writeUInt32BE(tables.size + 1);
      const { itemCount } = table;
      const values = Array.from({ length: valueCount }, (_, index) =>
        Buffer.from(JSON.stringify(itemOf(table, index))),
      );
      const keyAt = (index: number): Buffer => keyBytes(prefix, index);
      const valueAt = (index: number): Buffer => values[index % valueCount] ?? Buffer.alloc(0);
      tables.set(table.name, { keyAt, valueAt });
      for (let first = 0; first < itemCount; first += loadBatchCount) {
        const end = Math.min(itemCount, first + loadBatchCount);
        await lmdb.batch(() => {
          for (let index = first; index < end; index += 1) void lmdb.put(keyAt(index), valueAt(index));
        });
        if (first % 100_000 === 0) reportProgress(`loaded ${first} of ${itemCount}`);
      }
    },
    ring: (spec, mode) => {
      if (mode.kind !== 'engine') throw new BenchError('usage', `The LMDB floor knows no mode ${mode.kind}.`);
      const table = filled(spec.table);
      const requests = operationsOf(spec).map((operation) => callsOf(operation, table));
      return {
        count: requests.length,
        restEvery: scenarios[spec.scenario].restEvery,
        perform: (index) => requests[index]?.(),
        fault: () => {
          const bytes = readRange(table.keyAt(0), itemsPerPartition);
          return bytes > itemsPerPartition * spec.table.itemBytes ? undefined : `a partition has ${bytes} bytes`;
        },
      };
    },
    close: async () => await lmdb.close(),
  };
}

function keyBytes(prefix: Buffer, itemIndex: number): Buffer {
  const hash = createHash('md5').update(partitionKeyOf(itemIndex)).digest();
  return Buffer.concat([prefix, hash, Buffer.from(sortKeyOf(itemIndex))]);
}
