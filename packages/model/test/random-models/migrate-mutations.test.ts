import { readFileSync } from 'node:fs';
import { createDatabase } from 'singlet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fastClient } from './fast-client.ts';
import { type MigrationWitness, type Migrator, migratorWith } from './faulty-migrator.ts';
import { piecesAround, removeProvers } from './faulty-prover.ts';
import { migrateFaults } from './migrate-faults.ts';
import type { ProverFault } from './prover-faults.ts';

/*
 * Each fault makes a migration go wrong, and the comparison with the new version's own items must find it. Each bundle takes a moment, so
 * only one in four faults is tested; `MIGRATION_FAULTS=all` tests all of them.
 */
const step = process.env['MIGRATION_FAULTS'] === 'all' ? 1 : 4;
const witnesses: Readonly<Record<string, MigrationWitness>> = JSON.parse(
  readFileSync(new URL('migrate-witnesses.json', import.meta.url), 'utf8'),
);
/** A fault of a race shows in some orders of the requests only, and these depend on the machine. */
const tries = 10;

let database: Awaited<ReturnType<typeof createDatabase>>;
let sound: Migrator;
beforeAll(async () => {
  database = await createDatabase({ expirySweepMs: 'on-demand' });
  sound = await migratorWith(undefined, 'sound');
});
afterAll(async () => {
  removeProvers();
  await database.close();
});

async function isWrong({ migrateScript }: Migrator, { script, seed }: MigrationWitness): Promise<boolean> {
  const { verdict } = await migrateScript(script, fastClient(database), seed);
  return verdict === 'wrong';
}

test('the page of migrations counts the faults', () => {
  const page = readFileSync(new URL('../../../../docs/migrations.md', import.meta.url), 'utf8');
  const [, count] = /plants (\d+) faults in/.exec(page) ?? [];
  expect(Number(count)).toBe(migrateFaults.length);
});

describe('a wrong migration', () => {
  test('is shown by a pair of versions for every fault', () => {
    expect(migrateFaults.length).toBeGreaterThanOrEqual(8);
    expect(Object.keys(witnesses).toSorted()).toEqual(migrateFaults.map(({ what }) => what).toSorted());
  });

  test('has its code in the sources, once for every fault', () => {
    expect(migrateFaults.filter((fault) => piecesAround(fault).length !== 2).map(({ what }) => what)).toEqual([]);
  });

  const looked = migrateFaults
    .filter((_, i) => i % step === 0)
    .map((fault, at): ProverFault & { at: number } => ({ ...fault, at }));
  test.each(looked)('is found where it is taken that $what', async (fault) => {
    const witness = witnesses[fault.what];
    if (witness === undefined) throw new TypeError('every fault has a witness');
    expect(await isWrong(sound, witness)).toBe(false);
    const faulty = await migratorWith(fault, `migrate-fault-${fault.at}`);
    let found = false;
    for (let left = tries; left > 0 && !found; left -= 1) found = await isWrong(faulty, witness);
    expect(found).toBe(true);
  });
});
