/**
 * The performance of the storage drivers alone: point reads, ranges, and durable writes by one and
 * by many writers, at a chosen number of stored items.
 *
 *     node --import tsx bench/src/store-micro.ts [--count 200000] [--value 1000] [--seconds 4] [--driver lmdb|memory]
 *
 * In addition to LMDB's writes it measures the floor: the same number of pages written at random places of a file and synced, once
 * per group. It varies with the disk and with other load on the machine, so compare figures of one run only.
 */
import { createHash } from 'node:crypto';
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openLmdbStore } from '../../packages/singlet/src/storage/lmdb/lmdb-store.ts';
import { openMemoryStore } from '../../packages/singlet/src/storage/memory/memory-store.ts';
import type { Store } from '../../packages/singlet/src/storage/store.ts';

const { values: flags } = parseArgs({
  options: {
    count: { type: 'string', default: '200000' },
    value: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '4' },
    driver: { type: 'string' },
  },
});
const count = Number(flags.count);
const valueBytes = Number(flags.value);
const seconds = Number(flags.seconds);

/** The items of one partition are adjacent, as in an item collection. */
const itemsPerPartition = 20;
const writerCounts = [1, 16, 64, 256];

/** Index entries per item, each in its own partition elsewhere: the cost of an item in a table with indexes. */
const decisionKeys = 3;

function keyOf(space: number, item: number): Uint8Array {
  const key = Buffer.alloc(40);
  key.writeUInt32BE(space, 0);
  createHash('md5')
    .update(`partition ${Math.floor(item / itemsPerPartition)}`)
    .digest()
    .copy(key, 4);
  key.write(`item#${String(item % itemsPerPartition).padStart(4, '0')}`, 20);
  return new Uint8Array(key);
}

function row(name: string, figure: string): void {
  console.log(`  ${name.padEnd(52)} ${figure}`);
}

/** Processor time of this process so far. Unlike elapsed time, it hardly depends on what else is running. */
function cpuMicroseconds(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function microseconds(name: string, rounds: number, body: () => void): void {
  for (let round = 0; round < rounds / 10; round += 1) body();
  const start = cpuMicroseconds();
  for (let round = 0; round < rounds; round += 1) body();
  row(name, `${((cpuMicroseconds() - start) / rounds).toFixed(2)} us`);
}

async function load(store: Store, keys: readonly Uint8Array[]): Promise<void> {
  const start = performance.now();
  const value = new Uint8Array(valueBytes).fill(1);
  for (let from = 0; from < keys.length; from += 2_000) {
    const writes = keys.slice(from, from + 2_000).map((key) => ({ key, value }));
    await store.write([], () => ({ answer: undefined, writes }));
  }
  row('load, 2,000 items a write', `${Math.round((keys.length * 1000) / (performance.now() - start))} items/s`);
}

function measureReads(store: Store, keys: readonly Uint8Array[]): void {
  const random = (): Uint8Array => keys[Math.floor(Math.random() * keys.length)] ?? new Uint8Array(20);
  let seen = 0;
  microseconds('get, random', 300_000, () => {
    seen += Number(store.read([random()], ([value]) => value?.[0] ?? 0));
  });
  microseconds('get of 3 keys, random', 100_000, () => {
    seen += Number(store.read([random(), random(), random()], (values) => values[2]?.[0] ?? 0));
  });
  const partition = (): { from: Uint8Array; to: Uint8Array } => {
    const from = random().slice(0, 21);
    from[20] = 0;
    const to = from.slice();
    to[20] = 0xff;
    return { from, to };
  };
  for (const reverse of [false, true]) {
    microseconds(`range of one partition, ${itemsPerPartition} items${reverse ? ', reverse' : ''}`, 30_000, () => {
      void store.range({ ...partition(), reverse }, (_key, value) => (seen += value[0] ?? 0) >= 0);
    });
  }
  let visited = 0;
  const start = cpuMicroseconds();
  void store.range({ from: new Uint8Array(0), to: new Uint8Array(30).fill(0xff) }, (_key, value) => {
    visited += 1;
    return (seen += value[0] ?? 0) >= 0;
  });
  row('range of everything, per item', `${((cpuMicroseconds() - start) / visited).toFixed(3)} us`);
  if (seen === 0) throw new TypeError('the reads found nothing');
}

async function measureWrites(store: Store, keys: readonly Uint8Array[]): Promise<void> {
  const random = (): number => Math.floor(Math.random() * keys.length);
  for (const writers of writerCounts) {
    await rate(`read-modify-write of 1 key, ${writers} writers`, writers, async () => {
      const key = keys[random()] ?? new Uint8Array(20);
      await store.write([key], ([value]) => ({ answer: undefined, writes: [{ key, value: changed(value) }] }));
    });
  }
  for (const writers of [1, 64]) {
    await rate(`read and write of ${decisionKeys} keys, ${writers} writers`, writers, async () => {
      const item = random();
      const read = [keys[item] ?? new Uint8Array(20), keyOf(100, item), keyOf(101, item * 7)];
      await store.write(read, ([value]) => ({
        answer: undefined,
        writes: read.map((key, index) => ({ key, value: index === 0 ? changed(value) : new Uint8Array(150) })),
      }));
    });
  }
}

function changed(value: Uint8Array | undefined): Uint8Array {
  const next = new Uint8Array(valueBytes);
  if (value !== undefined) next.set(value);
  next[0] = ((next[0] ?? 0) % 250) + 1;
  return next;
}

async function rate(name: string, writers: number, write: () => Promise<void>): Promise<void> {
  const latencies: number[] = [];
  const start = performance.now();
  const end = start + seconds * 1000;
  const run = async (): Promise<void> => {
    // Yields to the event loop now and then, because the store may always be ready.
    for (let now = performance.now(); now < end;) {
      await write();
      const after = performance.now();
      latencies.push(after - now);
      now = after;
      if (latencies.length % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await Promise.all(Array.from({ length: writers }, run));
  const elapsed = performance.now() - start;
  latencies.sort((left, right) => left - right);
  const at = (part: number): string => (latencies[Math.floor((latencies.length - 1) * part)] ?? 0).toFixed(2);
  const perSecond = Math.round((latencies.length * 1000) / elapsed);
  row(name, `${String(perSecond).padStart(7)} /s   p50 ${at(0.5)} ms   p99 ${at(0.99)} ms`);
}

/** Pages of 8 KB at random places of a file as large as the data, written and synced as a commit would. */
function measureFloor(directory: string): void {
  const file = openSync(join(directory, 'floor'), 'w+');
  const page = Buffer.alloc(8192, 1);
  const pages = Math.max(1_000, Math.ceil((count * valueBytes * 1.7) / page.length));
  for (let index = 0; index < pages; index += 1) writeSync(file, page, 0, page.length, index * page.length);
  fdatasyncSync(file);
  for (const group of [1, 64, 128]) {
    const rounds = 60;
    const start = performance.now();
    for (let round = 0; round < rounds; round += 1) {
      for (let index = 0; index < group; index += 1) {
        writeSync(file, page, 0, page.length, Math.floor(Math.random() * pages) * page.length);
      }
      fdatasyncSync(file);
    }
    row(`floor: ${group} random pages written and synced`, `${((performance.now() - start) / rounds).toFixed(2)} ms`);
  }
  closeSync(file);
}

async function measure(name: string, open: () => Promise<Store>): Promise<void> {
  console.log(`${name}, ${count} items of ${valueBytes} bytes, ${itemsPerPartition} to a partition`);
  const keys = Array.from({ length: count }, (_, item) => keyOf(1, item));
  const store = await open();
  try {
    await load(store, keys);
    measureReads(store, keys);
    await measureWrites(store, keys);
  } finally {
    await store.close();
  }
}

if (flags.driver !== 'lmdb') await measure('memory', async () => openMemoryStore());
if (flags.driver !== 'memory') {
  const directory = await mkdtemp(join(tmpdir(), 'singlet-store-micro-'));
  try {
    await measure('lmdb', async () => openLmdbStore({ directory: join(directory, 'data') }));
    measureFloor(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}
