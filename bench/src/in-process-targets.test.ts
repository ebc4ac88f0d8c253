import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLmdbFloor } from './floors.ts';
import type { CallMode, InProcessTarget } from './in-process-target.ts';
import { scenarioNames } from './scenarios.ts';
import { openSinglet } from './singlet-target.ts';
import type { TableSpec } from './workload.ts';

const table: TableSpec = { name: 'Bench', itemCount: 1000, itemBytes: 1024, indexCount: 0, stream: false };
const directory = mkdtempSync(join(tmpdir(), 'singlet-bench-'));

async function faults(target: InProcessTarget, scenario: (typeof scenarioNames)[number], mode: CallMode) {
  const ring = target.ring({ scenario, table, countMax: 3 }, mode);
  // All at once, so that one sync covers them.
  const answers = await Promise.all(Array.from({ length: ring.count }, async (_, index) => await ring.perform(index)));
  return answers.map((answer, index) => ring.fault(index, answer)).filter((fault) => fault !== undefined);
}

describe('what is measured inside the process', () => {
  let database: InProcessTarget;
  let lmdb: InProcessTarget;

  beforeAll(async () => {
    database = await openSinglet(undefined);
    lmdb = openLmdbFloor(directory);
    await Promise.all([database.load(table), lmdb.load(table)]);
  });

  afterAll(async () => {
    await Promise.all([database.close(), lmdb.close()]);
    rmSync(directory, { recursive: true });
  });

  it.each(scenarioNames)('%s is answered as it should be, as objects and as bytes', async (scenario) => {
    for (const kind of ['request', 'handle'] as const) expect(await faults(database, scenario, { kind })).toEqual([]);
  });

  it.each(['get', 'put', 'query'] as const)('%s goes through the AWS SDK', async (scenario) =>
    expect(await faults(database, scenario, { kind: 'sdk' })).toEqual([]),
  );

  it('refuses through the SDK what is not measured so', async () => {
    await expect(faults(database, 'scan', { kind: 'sdk' })).rejects.toThrow(/Scan is not measured/);
  });

  it.each(scenarioNames)('%s comes down to calls of the storage engine', async (scenario) =>
    expect(await faults(lmdb, scenario, { kind: 'engine' })).toEqual([]),
  );

  it('fills tables with indexes, a stream, and items of any size', async () => {
    const others = [
      { ...table, name: 'Indexed', indexCount: 5, stream: true },
      { ...table, name: 'Small', itemBytes: 100 },
      { ...table, name: 'Large', itemBytes: 100 * 1024, itemCount: 200 },
    ];
    for (const other of others) {
      await database.load(other);
      const ring = database.ring({ scenario: 'get', table: other, countMax: 5 }, { kind: 'request' });
      expect(ring.fault(0, await ring.perform(0))).toBeUndefined();
    }
  });
});
