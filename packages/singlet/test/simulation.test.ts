/**
 * Everything under the engine in random histories. `SIMULATED_HISTORIES=10000 npx vitest run packages/singlet/test/simulation.test.ts` runs as many;
 * `SIMULATED_SEED=…` starts with that seed, which a failure prints.
 */
import { describe, expect, test } from 'vitest';
import { plantedBugs } from './simulation/planted-bugs.ts';
import { playHistory } from './simulation/simulated-history.ts';

const historyCount = Number(process.env['SIMULATED_HISTORIES'] ?? 10);
const firstSeed = Number(process.env['SIMULATED_SEED'] ?? Math.floor(Math.random() * 1e9));
/** After this many histories a planted bug counts as not found. */
const historiesToFind = 1000;

/** The histories must reach these to show anything. A few more are played if the first ones do not. */
const requiredEvents = [
  'acknowledged',
  'power-cut',
  'death',
  'death-of-one',
  'ENOSPC',
  'EIO',
  'damaged-value',
  'damaged-log',
  'index-created done',
  'expired',
  'table-recreated done',
  'backup done',
  'restored',
] as const;

test(
  `no history shows anything wrong (SIMULATED_SEED=${firstSeed})`,
  { timeout: 600_000 + historyCount * 2_000 },
  async () => {
    const events = new Map<string, number>();
    const isReached = (event: string): boolean => (events.get(event) ?? 0) > 0;
    const isEnough = (count: number): boolean =>
      count >= historyCount && (requiredEvents.every(isReached) || count >= historyCount + historiesToFind);
    for (let count = 0; !isEnough(count); count += 1) {
      const seed = firstSeed + count;
      const result = await playHistory({ seed });
      for (const [event, times] of result.events) events.set(event, (events.get(event) ?? 0) + times);
      expect({ seed, problem: result.problem }).toEqual({ seed, problem: undefined });
    }
    if (historyCount > 1000) process.stdout.write(`${JSON.stringify(Object.fromEntries(events))}\n`);
    expect(requiredEvents.filter((event) => !isReached(event))).toEqual([]);
  },
);

describe('a planted bug is found:', () => {
  test.each(plantedBugs)('$what', async ({ plant }) => {
    let problem: string | undefined;
    for (let seed = firstSeed; problem === undefined && seed < firstSeed + historiesToFind; seed += 1) {
      ({ problem } = await playHistory({ seed, plant }));
    }
    expect(problem).toBeDefined();
  });
});
