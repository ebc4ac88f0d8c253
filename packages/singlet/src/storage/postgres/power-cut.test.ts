/**
 * Power cuts: what they may leave of the directory of PostgreSQL is written, started, and compared with what was acknowledged.
 *
 * The suite tries a few images; `POWER_CUT_IMAGES=1000 npx vitest run …/postgres/power-cut.test.ts` tries more. The images depend on what was
 * written until the kill, so `POWER_CUT_SEED=…` repeats a run only approximately.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { SeededRandom } from '../../randomness/seeded-random.ts';
import { StoreProcess } from '../testing/store-process-client.ts';
import { openPostgresStore } from './postgres-store.ts';
import { checkWrites, reportsOf } from './testing/crash-check.ts';
import { findPostgres, noPostgres, PostgresServer } from './testing/postgres-server.ts';
import { copyDirectory, logPositionOf, type PowerCut, writeImage } from './testing/power-cut-images.ts';

const imagesMin = Number(process.env['POWER_CUT_IMAGES'] ?? 6);
const seed = Number(process.env['POWER_CUT_SEED'] ?? Math.floor(Math.random() * 1e9));

const imagesOfCut = 6;
/** A bug in the order of a commit and its answer shows in what the kill left, whatever sectors an image lacks. */
const imagesOfKill = 1;
/** Cuts of one cluster, whose contents each image is compared with. */
const cutsOfCluster = 5;
const writerCount = 8;
/** After this many images a planted bug counts as not found. */
const imagesToFind = 60;
const megabyte = 1024 * 1024;

/** So that there is no other checkpoint, and that the files of the log are small. */
const options = {
  settings: { autovacuum: 'off', checkpoint_timeout: '1d', max_wal_size: '4GB', synchronous_commit: 'off' },
  initdb: ['--wal-segsize=1'],
};

interface Writer {
  readonly module: string;
  readonly open: string;
}

const sound = { module: new URL('./postgres-store.ts', import.meta.url).href, open: 'openPostgresStore' };
const early = { module: new URL('../testing/faulty-stores.ts', import.meta.url).href, open: 'openEarlyPostgresStore' };

const programs = findPostgres();
const isLinux = process.platform === 'linux';
const title = `the directory of PostgreSQL after power cuts${programs === undefined ? ` (${noPostgres})` : ''}`;

describe.skipIf(programs === undefined || !isLinux)(title, () => {
  const clusters = Math.ceil(imagesMin / (imagesOfCut * cutsOfCluster));
  const seeds = Array.from({ length: clusters }, (_, at) => seed + at);
  const cutCount = Math.min(cutsOfCluster, Math.ceil(imagesMin / imagesOfCut));

  test.each(seeds)('has every acknowledged write, and decisions are whole (POWER_CUT_SEED=%i)', async (own) => {
    expect(await playCluster(own, { writer: sound, cutCount })).toBeGreaterThan(0);
  });

  test.each([
    { bug: 'writes are acknowledged before they are committed', writer: early, isSynced: true, images: imagesOfKill },
    { bug: 'a commit does not wait for the log', writer: sound, isSynced: false, images: imagesOfCut },
  ])('a planted bug is found: $bug', async ({ writer, isSynced, images }) => {
    const play = playCluster(seed, { writer, isSynced, images, cutCount: imagesToFind / images });
    await expect(play).rejects.toThrow(/expected|PANIC|FATAL/);
  });
});

interface Cluster {
  readonly writer: Writer;
  readonly cutCount: number;
  /** False: nothing of the log since the last checkpoint counts as synced. */
  readonly isSynced?: boolean;
  /** Images of each cut. */
  readonly images?: number;
}

/** @returns how many sectors the images lost. */
async function playCluster(
  own: number,
  { writer, cutCount, isSynced = true, images = imagesOfCut }: Cluster,
): Promise<number> {
  const random = new SeededRandom(own);
  const parent = mkdtempSync(join(tmpdir(), 'singlet-power-cut-'));
  const server = await PostgresServer.start(programs!, options);
  const acknowledged = new Map<number, number>();
  let lost = 0;
  try {
    for (let cut = 0; cut < cutCount; cut += 1) {
      const directories = { checkpoint: join(parent, `checkpoint-${cut}`), end: join(parent, `end-${cut}`) };
      const { syncedTo, output } = await writeAndCut(server, writer, { directories, random });
      for (const [number, count] of reportsOf(output)) acknowledged.set(number, count);
      const image = { ...directories, syncedTo: isSynced ? syncedTo : 0n, segmentBytes: megabyte };
      for (let at = 0; at < images; at += 1) lost += await startImage(image, { acknowledged, random });
      for (const directory of Object.values(directories)) rmSync(directory, { recursive: true });
      await server.start();
    }
  } finally {
    await server.dispose();
    rmSync(parent, { recursive: true });
  }
  expect(acknowledged.size).toBeGreaterThan(0);
  return lost;
}

interface Cut {
  readonly directories: Pick<PowerCut, 'checkpoint' | 'end'>;
  readonly random: SeededRandom;
}

/** Kills everything while processes write. @returns what was reported until the log was known to be synced up to a position. */
async function writeAndCut(
  server: PostgresServer,
  { module, open }: Writer,
  { directories, random }: Cut,
): Promise<{ readonly syncedTo: bigint; readonly output: string }> {
  const writing = new StoreProcess({ module, open, options: { url: server.url('crash') } });
  const client = await server.client();
  try {
    await writing.ready();
    // The store is open, so the schema is part of the checkpoint, and nothing writes until the copy is complete.
    await client.query('CHECKPOINT');
    copyDirectory(server.dataDirectory, directories.checkpoint);
    writing.start({ do: 'write-forever', writers: writerCount });
    await writing.output();
    await delay(random.integer(1, 150));
    const output = writing.outputSoFar;
    const { rows } = await client.query<{ position: string }>('SELECT pg_current_wal_flush_lsn()::text AS position');
    await delay(random.integer(0, 20));
    await server.killAll();
    copyDirectory(server.dataDirectory, directories.end);
    return { syncedTo: logPositionOf(rows[0]!.position), output };
  } finally {
    await writing.kill();
    await client.end().catch(() => undefined); // its server is gone
  }
}

/** @returns how many sectors were lost. */
async function startImage(
  cut: PowerCut,
  { acknowledged, random }: { readonly acknowledged: ReadonlyMap<number, number>; readonly random: SeededRandom },
): Promise<number> {
  let lost = 0;
  const fill = (directory: string): void => void (lost = writeImage(cut, directory, random));
  const image = await PostgresServer.on(programs!, fill, options);
  try {
    await image.start();
    const store = await openPostgresStore({ url: image.url('crash') });
    try {
      await checkWrites(store, { acknowledged, writerCount });
    } finally {
      await store.close();
    }
  } finally {
    await image.killAll();
    await image.dispose();
  }
  return lost;
}
