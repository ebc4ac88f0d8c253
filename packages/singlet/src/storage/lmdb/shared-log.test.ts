import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bytes, keysOf, put, testKey } from '../testing/store-probe.ts';
import { prepareDataDirectory } from './data-directory.ts';
import { LmdbEnvironment, type LmdbHost } from './lmdb-environment.ts';
import { nodeFileSystem } from '../files/node-file-system.ts';
import { openDatabase } from './lmdb-database.ts';
import { openLmdbStore } from './lmdb-store.ts';
import { type SharedLog, type SharedLogLimits, sharedLogLimits } from './shared-log.ts';
import { entriesOfGroup, type FoundHead, noEnd, readGroupHead } from './write-ahead-log-format.ts';

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'singlet-shared-log-'))));
afterEach(() => rmSync(directory, { recursive: true }));

interface Open {
  readonly environment: LmdbEnvironment;
  readonly log: SharedLog;
  readonly write: (key: number, length: number) => Promise<void>;
}

async function open(limits: Partial<SharedLogLimits> = {}): Promise<Open> {
  const path = await prepareDataDirectory(directory);
  const host: LmdbHost = {
    files: nodeFileSystem,
    openDatabase,
    hasSharedLog: true,
    sharedLogLimits: { ...sharedLogLimits, ...limits },
  };
  const environment = await LmdbEnvironment.open(path, true, host);
  const log = environment.sharedLog!;
  const write = (key: number, length: number): Promise<void> =>
    environment.commits.write([], () => ({
      answer: undefined,
      writes: [{ key: testKey(1, key), value: bytes('x'.repeat(length)) }],
    }));
  return { environment, log, write };
}

function headsIn(groups: Buffer): FoundHead[] {
  const heads: FoundHead[] = [];
  for (let head = readGroupHead(groups, 0); head !== undefined; head = readGroupHead(groups, head.offset + head.length))
    heads.push(head);
  return heads;
}

async function keysIn({ log }: Open): Promise<number[]> {
  const keys: number[] = [];
  for await (const { groups } of log.left()) {
    for (const head of headsIn(groups).filter(({ number }) => number > 0))
      keys.push(...entriesOfGroup(groups, head).map(({ key }) => key[4]!));
  }
  return keys;
}

test('each transaction has its group, also in the next process, and no range shows them', async () => {
  const first = await open();
  await first.write(1, 10);
  await first.write(2, 10);
  const { era } = first.log;
  await first.environment.close();
  const second = await open();
  await second.write(3, 10);
  expect(second.log.era).toEqual(era);
  expect(second.log.isComplete()).toBe(true);
  expect(await keysIn(second)).toEqual([1, 2, 3]);
  await second.environment.close();
  const store = await openLmdbStore({ directory, shared: true });
  const bounds = { from: new Uint8Array(0), to: new Uint8Array(64).fill(0xff) };
  expect(await keysOf(store, bounds)).toHaveLength(3);
  expect(await keysOf(store, { ...bounds, reverse: true })).toHaveLength(3);
  await expect(put(store, { key: new Uint8Array(21).fill(0xff), value: bytes('x') })).rejects.toThrow(/drivers have/);
  await store.close();
});

test('a transaction without the log ends its era', async () => {
  const first = await open();
  await first.write(1, 10);
  const { era } = first.log;
  await first.environment.close();
  const other = await openLmdbStore({ directory, shared: true });
  await put(other, { key: testKey(1, 2), value: bytes('x') });
  await other.close();
  const second = await open();
  expect(second.log.isComplete()).toBe(false);
  await second.write(3, 10);
  expect(second.log.era).not.toEqual(era);
  expect(await keysIn(second)).toEqual([3]);
  await second.environment.close();
});

test('a group that is larger than a part is read whole, and a read ends with a group', async () => {
  const opened = await open();
  for (const key of [1, 2, 3]) await opened.write(key, 9_000_000);
  const [generation] = opened.log.readable();
  const { end } = generation!;
  const read = await opened.log.read(generation!.generation, { ...noEnd, groups: 1 }, end);
  expect(headsIn(read).map(({ number, length }) => [number, length > 9_000_000])).toEqual([[1, true]]);
  expect(read).toHaveLength(headsIn(read)[0]!.length);
  expect(await keysIn(opened)).toEqual([1, 2, 3]);
  await opened.environment.close();
});

test('generations follow one another, and what comes before a place is removed', async () => {
  const opened = await open({ groups: 3 });
  for (const key of [1, 2, 3, 4, 5]) await opened.write(key, 10);
  const generations = opened.log.readable();
  expect(generations.map(({ end }) => end.groups)).toEqual([3, 3, 2]);
  expect(await keysIn(opened)).toEqual([1, 2, 3, 4, 5]);
  const { generation, end } = generations[1]!;
  await opened.log.removeBefore(generation, { ...end, groups: 2 });
  expect(opened.log.readable()).toEqual(generations.slice(1));
  expect(await keysIn(opened)).toEqual([4, 5]);
  await opened.log.removeAll();
  expect(opened.log.isComplete()).toBe(false);
  await opened.environment.close();
});

test('a log that is full takes no more, and refuses no write; renewed, it begins another era', async () => {
  const opened = await open({ bytes: 3_000 });
  for (const key of [1, 2, 3, 4]) await opened.write(key, 1_000);
  expect(opened.log.isComplete()).toBe(false);
  expect(await keysIn(opened)).toEqual([]);
  const { generation, end } = opened.log.readable().at(-1)!;
  await opened.log.removeBefore(generation, end);
  await opened.log.renew();
  await opened.write(5, 1_000);
  expect(opened.log.isComplete()).toBe(true);
  expect(await keysIn(opened)).toEqual([5]);
  await opened.environment.close();
});
