/**
 * Random histories of a table over a real PostgreSQL: the steps, the clock, the faults that are reported and the moments at which connections are cut
 * come from a seed, and a plain map is the reference. What PostgreSQL does first when two calls run at once does not come from the
 * seed, so a failing history may have to be replayed more than once: decision 0129.
 *
 * The suite plays a few histories; `POSTGRES_SIMULATION_RUNS=100` plays more.
 */
import fc from 'fast-check';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { playSteps, simulatedStep } from '../src/engine/testing/simulated-steps.ts';
import { SimulatedTable } from '../src/engine/testing/simulated-table.ts';
import { SeededRandom } from '../src/randomness/seeded-random.ts';
import { openPostgresStore } from '../src/storage/postgres/postgres-store.ts';
import { ConnectionProxy } from '../src/storage/postgres/testing/connection-proxy.ts';
import { findPostgres, noPostgres, PostgresServer } from '../src/storage/postgres/testing/postgres-server.ts';

const runs = Number(process.env['POSTGRES_SIMULATION_RUNS'] ?? 2);
/** How long a turn of the simulation is, milliseconds: 20 of them are a simulated second. */
const turnMs = 2;
/** Longest time between two cuts of connections, milliseconds. */
const betweenCutsMsMax = 400;

const programs = findPostgres();
const title = `a table on PostgreSQL${programs === undefined ? ` (${noPostgres})` : ''}`;

describe.skipIf(programs === undefined)(title, () => {
  let server: PostgresServer;
  let schemas = 0;

  beforeAll(async () => {
    server = await PostgresServer.start(programs!);
  });

  afterAll(async () => server.dispose());

  test('agrees with a plain map in random histories of two servers, with trouble, deaths and lost connections', async () => {
    const answers = new Map<string, number>();
    let cuts = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.array(simulatedStep, { minLength: 20, maxLength: 50 }), async (seed, steps) => {
        schemas += 1;
        const proxy = await ConnectionProxy.start(server.port);
        const direct = server.url(`simulated_${schemas}`);
        const url = direct.replace(`:${server.port}/`, `:${proxy.port}/`);
        const random = new SeededRandom(seed);
        const end = new AbortController();
        const stores = [await openPostgresStore({ url: direct }), await openPostgresStore({ url })] as const;
        const cutting = (async () => {
          while (!end.signal.aborted) {
            await delay(random.integer(20, betweenCutsMsMax), undefined, { signal: end.signal }).catch(() => undefined);
            cuts += 1;
            if (random.integer(0, 1) === 0) proxy.cut();
            else proxy.cutAnswers();
          }
        })();
        try {
          const table = await SimulatedTable.open(seed, { stores, nextTurn: () => delay(turnMs) });
          try {
            await playSteps(table, steps, answers);
          } finally {
            await table.close();
          }
        } finally {
          end.abort();
          await cutting;
          await proxy.close();
        }
      }),
      { numRuns: runs, endOnFailure: true },
    );
    expect(cuts).toBeGreaterThan(runs);
    expect([...answers.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(runs * 15);
    expect(answers.get('put done') ?? 0).toBeGreaterThan(0);
  });
});
