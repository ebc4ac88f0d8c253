import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { playSteps, simulatedStep } from './testing/simulated-steps.ts';
import { SimulatedTable } from './testing/simulated-table.ts';

/*
 * Random histories over everything that follows the items of a table, together: indexes, time to live, stream, collection sizes,
 * recovery and backups, with two processes, store failures, crashes, and indexes and restores that are created meanwhile. A seed
 * determines the whole history. A failing one is printed in its shrunk form; add it to the examples, which run first.
 * Decision 0110 says which of this the simulation over the real driver has, too.
 */

describe('a table with everything that follows its items', () => {
  test('DB-054 DB-079 DB-117 DB-254 DB-262 agrees with a plain map in random histories, with trouble and deaths', async () => {
    const answers = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.array(simulatedStep, { minLength: 20, maxLength: 80 }), async (seed, steps) => {
        const table = await SimulatedTable.open(seed);
        await playSteps(table, steps, answers);
        await table.close();
      }),
      { numRuns: 40 },
    );
    // The histories reach the cases they are meant to cover.
    for (const name of [
      'put done',
      'put unknown',
      'put ItemCollectionSizeLimitExceededException',
      'transact TransactionCanceledException',
      'sweep done',
      'sweep unknown',
      'index done',
      'restore done',
      'backup done',
      'expiry done',
    ]) {
      expect(answers.get(name) ?? 0, name).toBeGreaterThan(0);
    }
  });
});
