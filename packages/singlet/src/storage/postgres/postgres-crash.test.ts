/**
 * Repeatedly kills PostgreSQL, and the processes that write to it, on the same data. After each kill, every acknowledged write
 * must be present, nothing may be applied twice, and every decision must be present completely or not at all.
 *
 * The suite runs a few rounds; `POSTGRES_CRASH_ROUNDS=100` runs more.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SeededRandom } from '../../randomness/seeded-random.ts';
import { StoreProcess } from '../testing/store-process-client.ts';
import { crashKeys } from '../testing/store-process-protocol.ts';
import { openPostgresStore } from './postgres-store.ts';
import { checkWrites, reportsOf } from './testing/crash-check.ts';
import { findPostgres, noPostgres, PostgresServer } from './testing/postgres-server.ts';

const rounds = Number(process.env['POSTGRES_CRASH_ROUNDS'] ?? 2);
const writersPerProcess = 8;

/** Replays one history of kills: `CRASH_SEED=…`. */
const seed = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 1e9));

const programs = findPostgres();
const title = `PostgreSQL and those who write to it${programs === undefined ? ` (${noPostgres})` : ''}`;

describe.skipIf(programs === undefined)(title, () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await PostgresServer.start(programs!);
  });

  afterAll(async () => server.dispose());

  test(
    `are killed, and nothing acknowledged is lost or made twice (CRASH_SEED=${seed})`,
    async () => {
      const random = new SeededRandom(seed);
      const acknowledged = new Map<number, number>();
      for (let round = 0; round < rounds; round += 1) {
        // On a slow disk, a kill is more likely to come between the decision and the flush.
        await server.setFlushDelay(round % 4 < 2 ? 0 : random.integer(5, 100));
        const output = round % 2 === 0 ? await killServerUnderLoad(random) : await killWriterUnderLoad(random);
        for (const [writer, count] of reportsOf(output)) acknowledged.set(writer, count);
        await server.sessionsEnded();
        const store = await openPostgresStore({ url: server.url('crash') });
        try {
          await checkWrites(store, { acknowledged, writerCount: writersPerProcess });
        } finally {
          await store.close();
        }
      }
      expect(acknowledged.size).toBe(writersPerProcess);
    },
    120_000 + rounds * 60_000,
  );

  /** The writers continue when PostgreSQL is back; then they are killed, too. */
  async function killServerUnderLoad(random: SeededRandom): Promise<string> {
    const writing = await startWriting();
    await delay(random.integer(1, 200));
    await server.kill();
    await delay(random.integer(1, 100));
    await server.start();
    const before = writing.reported;
    await expect.poll(() => writing.reported).toBeGreaterThan(before);
    return writing.kill();
  }

  /** Another process continues to write while a process is killed in the middle. */
  async function killWriterUnderLoad(random: SeededRandom): Promise<string> {
    const [writing, other] = [await startWriting(), await openPostgresStore({ url: server.url('crash') })];
    try {
      await delay(random.integer(1, 300));
      const killed = writing.kill();
      const key = crashKeys.entry('left', 200, 0);
      await other.write([key], () => ({ answer: undefined, writes: [{ key, value: undefined }] }));
      return await killed;
    } finally {
      await other.close();
    }
  }

  async function startWriting(): Promise<StoreProcess> {
    const module = new URL('./postgres-store.ts', import.meta.url).href;
    // However long PostgreSQL takes to come back on a busy machine.
    const options = { url: server.url('crash'), patienceMs: 120_000 };
    const writing = new StoreProcess({ module, open: 'openPostgresStore', options });
    await writing.ready();
    writing.start({ do: 'write-forever', writers: writersPerProcess });
    await writing.output();
    return writing;
  }
});
