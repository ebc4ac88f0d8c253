import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nodeFileSystem } from '../storage/files/node-file-system.ts';
import { openLmdbStore } from '../storage/lmdb/lmdb-store.ts';
import { openMemoryStore } from '../storage/memory/memory-store.ts';
import { s3ObjectStore } from '../transfer/buckets/index.ts';
import { startSmallS3 } from '../transfer/buckets/testing/small-s3.ts';
import { readCatalog } from './backup-catalog.ts';
import { BackupError } from './backup-error.ts';
import { logPrefix } from './backup-names.ts';
import { restore, type Restored } from './restore.ts';
import { BackupWorld, type OpenWorld, until } from './testing/backup-world.ts';
import { differences, lastNumber, numberedWrite } from './testing/numbered-writes.ts';
import { verify } from './verify.ts';

let parent: string;
let world: BackupWorld;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'singlet-shipping-'));
  mkdirSync(join(parent, 'target'));
  world = new BackupWorld(parent);
});
afterEach(() => rmSync(parent, { recursive: true }));

/** @returns the number of the last write in the restored state, which must be complete. */
async function restoredAt(atMs?: number, of = world): Promise<number> {
  const store = openMemoryStore();
  try {
    const restored: Restored = await restore(of.target, store, { atMs });
    expect(restored.restoredToMs).toBe(atMs ?? restored.restoredToMs);
    expect(await differences(store)).toEqual([]);
    return await lastNumber(store);
  } finally {
    await store.close();
  }
}

async function chainCount(): Promise<number> {
  return (await readCatalog(world.target)).length;
}

async function expectSound(): Promise<void> {
  const verified = await verify(world.target);
  expect(verified.flatMap(({ problems }) => problems)).toEqual([]);
}

test('every moment since the snapshot is restored, across restarts', async () => {
  const first = await world.open();
  await first.write(10);
  await first.shipper.snapshot();
  await first.write(10);
  await first.close();
  const second = await world.open();
  await second.write(10);
  await second.close();
  const third = await world.open();
  await third.close();
  expect(await restoredAt()).toBe(30);
  for (const number of [11, 15, 20, 21, 29]) expect(await restoredAt(world.times.get(number))).toBe(number);
  expect(await chainCount()).toBe(1);
  await expectSound();
});

test('a moment that is not reached is refused, and the message names those that are', async () => {
  const open = await world.open();
  await open.write(3);
  await open.shipper.snapshot();
  await open.close();
  const later = Date.now() + 60_000;
  await expect(restoredAt(later)).rejects.toThrow(/does not reach .*It can be restored from .* to /);
  await expect(restoredAt((world.times.get(1) ?? 0) - 1000)).rejects.toThrow(BackupError);
});

test('a snapshot that is taken while the store is written to is one state', async () => {
  const open = await world.open();
  await open.write(5);
  const end = new AbortController();
  const writing = (async () => {
    while (!end.signal.aborted) await open.write(3, 20_000);
  })();
  for (let round = 0; round < 4; round += 1) await open.shipper.snapshot();
  end.abort();
  await writing;
  await open.close();
  expect(await restoredAt()).toBe(Math.max(...world.times.keys()));
  await expectSound();
});

test('a chain that is given up while it begins is followed by another', async () => {
  let holds = true;
  let release: () => void = () => undefined;
  const held = new Promise<void>((begun) => {
    world.files = {
      ...nodeFileSystem,
      rename: async (from, to) => {
        if (holds && to.endsWith('backup.json')) {
          holds = false;
          await new Promise<void>((resolve) => {
            release = resolve;
            begun();
          });
        }
        await nodeFileSystem.rename(from, to);
      },
    };
  });
  const open = await world.open();
  await held;
  // Not a valid part of a log: the store's call fails, and the chain is given up.
  await open.shipper.beforeReuse(undefined as never);
  release();
  await open.write(3);
  await until(() => world.named('backup-snapshot-written').length > 0);
  await open.close();
  expect(world.named('backup-chain-ended')).toHaveLength(1);
  expect(await restoredAt()).toBe(3);
});

test('a snapshot ends with the chain that it is of, and the next chain gets its own', async () => {
  const opened: { world?: OpenWorld } = {};
  world.fate = (what) => {
    if (!/create .*\/snapshots\//.test(what) || world.named('backup-chain-begun').length > 1) return 'well';
    if (world.named('backup-chain-ended').length === 0) void opened.world?.shipper.beforeReuse(undefined as never);
    return 'refused';
  };
  const open = await world.open();
  opened.world = open;
  await open.write(3);
  await until(() => world.named('backup-snapshot-written').length > 0);
  await open.close();
  const chains = await readCatalog(world.target);
  expect(chains.map(({ snapshots }) => snapshots.length)).toEqual([0, 1]);
  expect(await restoredAt()).toBe(3);
});

describe('a target that is away', () => {
  test('what waits goes to the spool when the log is used again, and is shipped later', async () => {
    const open = await world.open();
    await open.write(1);
    await open.shipper.snapshot();
    world.fate = () => 'refused';
    // Three generations of 16 MB.
    await open.write(100, 500_000);
    expect(open.shipper.report().spooledBytes).toBeGreaterThan(10_000_000);
    expect(open.shipper.report().problem).toMatch(/was refused/);
    world.fate = () => 'well';
    await until(() => open.shipper.report().spooledBytes === 0);
    await open.close();
    expect(await restoredAt()).toBe(101);
    expect(await restoredAt(world.times.get(50))).toBe(50);
    expect(world.named('backup-target-failed').length).toBeGreaterThan(0);
    expect(world.named('backup-target-reached').length).toBeGreaterThan(0);
    expect(await chainCount()).toBe(1);
  });

  test('what waits when the process ends is shipped by the next', async () => {
    world.closingMs = 20;
    const first = await world.open();
    await first.write(1);
    await first.shipper.snapshot();
    world.fate = () => 'refused';
    await first.write(60, 500_000);
    await first.close();
    expect(readdirSync(join(world.directory, 'backup-spool')).length).toBeGreaterThan(0);
    for (let round = 0; round < 2; round += 1) {
      const away = await world.open();
      await away.write(3);
      await away.close();
    }
    world.fate = () => 'well';
    world.closingMs = 5_000;
    const last = await world.open();
    await last.write(3);
    await until(() => last.shipper.report().spooledBytes === 0);
    await last.close();
    expect(await restoredAt()).toBe(70);
    expect(await restoredAt(world.times.get(65))).toBe(65);
    expect(await chainCount()).toBe(1);
    await expectSound();
  });

  test('a spool that is full ends the chain, and another begins with a snapshot', async () => {
    world.spoolBytesMax = 1_000_000;
    const open = await world.open();
    await open.write(1);
    await open.shipper.snapshot();
    world.fate = () => 'refused';
    await open.write(100, 500_000);
    expect(world.named('backup-chain-ended')[0]?.['why']).toMatch(/no room/);
    expect(open.shipper.report().spooledBytes).toBeLessThan(1_000_000);
    world.fate = () => 'well';
    await until(() => open.shipper.report().chain !== undefined);
    await open.shipper.snapshot();
    await open.write(2);
    await open.close();
    expect(await chainCount()).toBe(2);
    expect(await restoredAt()).toBe(103);
    // Moments before the gap can still be restored, and those in it are refused.
    const [first] = await readCatalog(world.target);
    await restoredAt(first!.coveredUntilMs);
    await expect(restoredAt(world.times.get(100))).rejects.toThrow(BackupError);
  });

  test('without a spool that can be written, writes continue', async () => {
    const open = await world.open();
    await open.write(1);
    await open.shipper.snapshot();
    // A file at the path of the spool directory.
    writeFileSync(join(world.directory, 'backup-spool'), '');
    world.fate = () => 'refused';
    await open.write(100, 500_000);
    expect(world.named('backup-chain-ended').length).toBe(1);
    world.fate = () => 'well';
    await open.close();
    const again = await openLmdbStore({ directory: world.directory });
    expect(await lastNumber(again)).toBe(101);
    await again.close();
  });

  test('answers that are lost write nothing twice', async () => {
    const open = await world.open();
    let requests = 0;
    world.fate = () => ((requests += 1) % 2 === 0 ? 'answer lost' : 'well');
    await open.write(5);
    await open.shipper.snapshot();
    await open.write(20);
    await open.close();
    expect(await restoredAt()).toBe(25);
    expect(await chainCount()).toBe(1);
    await expectSound();
  });
});

describe('a chain has no gap: another begins', () => {
  test('after a process that wrote without a backup', async () => {
    const first = await world.open();
    await first.write(5);
    await first.shipper.snapshot();
    await first.close();
    const store = await openLmdbStore({ directory: world.directory });
    await store.write([], () => ({ answer: undefined, writes: numberedWrite(6, 30) }));
    await store.close();
    const second = await world.open();
    await second.write(1);
    await second.shipper.snapshot();
    await second.close();
    expect(await chainCount()).toBe(2);
    expect(world.named('backup-chain-ended')[0]?.['why']).toMatch(/without this backup/);
    expect(await restoredAt()).toBe(7);
  });

  test('but not after one that only read', async () => {
    const first = await world.open();
    await first.write(5);
    await first.shipper.snapshot();
    await first.close();
    const store = await openLmdbStore({ directory: world.directory });
    await lastNumber(store);
    await store.close();
    const second = await world.open();
    await second.write(1);
    await second.close();
    expect(await chainCount()).toBe(1);
    expect(await restoredAt()).toBe(6);
  });

  test('where an old copy of the directory was put back', async () => {
    const first = await world.open();
    await first.write(5);
    await first.shipper.snapshot();
    await first.close();
    cpSync(world.directory, join(parent, 'old'), { recursive: true });
    const second = await world.open();
    await second.write(5);
    await second.close();
    const copy = await world.open(join(parent, 'old'));
    await copy.write(1);
    await copy.shipper.snapshot();
    await copy.write(1);
    await copy.close();
    expect(await chainCount()).toBe(2);
    expect(await restoredAt()).toBe(7);
    const [before] = await readCatalog(world.target);
    expect(await restoredAt(before!.coveredUntilMs)).toBe(10);
    await expectSound();
  });

  test('where the spool was removed', async () => {
    world.closingMs = 20;
    const first = await world.open();
    await first.write(1);
    await first.shipper.snapshot();
    world.fate = () => 'refused';
    await first.write(5);
    await first.close();
    rmSync(join(world.directory, 'backup-spool'), { recursive: true });
    world.fate = () => 'well';
    world.closingMs = 5_000;
    const second = await world.open();
    await second.write(1);
    await until(() => world.named('backup-chain-begun').length === 2);
    await second.shipper.snapshot();
    await second.close();
    expect(await chainCount()).toBe(2);
    expect(await restoredAt()).toBe(7);
  });
});

test('two copies of a directory do not write into one chain', async () => {
  const first = await world.open();
  await first.write(3);
  await first.shipper.snapshot();
  await first.close();
  cpSync(world.directory, join(parent, 'copy'), { recursive: true });
  const [one, other] = [await world.open(), await world.open(join(parent, 'copy'))];
  await one.write(3);
  await other.write(3);
  await until(() => world.named('backup-chain-begun').length === 2);
  for (const its of [one, other]) {
    await its.shipper.snapshot();
    await its.close();
  }
  expect(await chainCount()).toBe(2);
  await expectSound();
});

test('a target with the backups of another database is refused', async () => {
  const open = await world.open();
  await open.write(1);
  await open.shipper.snapshot();
  await open.close();
  const other = await world.open(join(parent, 'other'));
  await expect(other.shipper.snapshot()).rejects.toThrow(/holds the backups of another database/);
  await other.write(1);
  await other.close();
  expect(await chainCount()).toBe(1);
});

test('another process that uses the directory is told', async () => {
  const open = await world.open();
  await open.write(1);
  await expect(openLmdbStore({ directory: world.directory, archive: open.shipper })).rejects.toThrow(
    /Another process uses/,
  );
  await open.close();
});

test('what is older than is to be kept is removed, and every later moment is still there', async () => {
  // As far back as the sixteenth write from the end, however long that took.
  world.keepMs = () => Date.now() - (world.times.get(world.times.size - 15) ?? 0);
  const open = await world.open();
  for (let round = 0; round < 6; round += 1) {
    await open.write(20);
    await open.shipper.snapshot();
  }
  await open.close();
  const [chain] = await readCatalog(world.target);
  expect(chain!.snapshots.length).toBeLessThan(6);
  const pieces: string[] = [];
  for await (const name of world.target.names(logPrefix(chain!.chain))) pieces.push(name);
  expect(pieces.length).toBeLessThan(chain!.lastPiece + 1);
  await expectSound();
  expect(await restoredAt()).toBe(120);
  for (const number of [119, 110]) expect(await restoredAt(world.times.get(number))).toBe(number);
});

test('over the protocol of S3', async () => {
  const s3 = await startSmallS3(['backups']);
  try {
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    const buckets = s3ObjectStore({ endpoint: s3.url, region: 'us-east-1', credentials, maxAttempts: 1 });
    const remote = new BackupWorld(parent, await buckets.open('backups'));
    const open = await remote.open();
    await open.write(10);
    await open.shipper.snapshot();
    await open.write(10);
    await open.close();
    expect(await restoredAt(undefined, remote)).toBe(20);
    expect(await restoredAt(remote.times.get(12), remote)).toBe(12);
    expect((await verify(remote.target)).flatMap(({ problems }) => problems)).toEqual([]);
  } finally {
    await s3.close();
  }
});
