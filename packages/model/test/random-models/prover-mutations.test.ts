import { readFileSync } from 'node:fs';
import { createDatabase } from 'singlet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fastClient } from './fast-client.ts';
import { type Prover, proverWith, removeProvers, type Witness } from './faulty-prover.ts';
import { proverFaults } from './prover-faults.ts';

/*
 * Each fault makes the prover accept a model that answers wrongly, and `prove` must find the wrong answer. Each bundle takes a
 * moment, so only one in three faults is tested; `PROVER_FAULTS=all` tests all of them.
 */
const witnesses = JSON.parse(readFileSync(new URL('prover-witnesses.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, Witness>
>;
const step = process.env['PROVER_FAULTS'] === 'all' ? 1 : 3;
const looked = proverFaults.filter((_, i) => i % step === 0);

let database: Awaited<ReturnType<typeof createDatabase>>;
let sound: Prover;
beforeAll(async () => {
  database = await createDatabase();
  sound = await proverWith(undefined, 'sound');
});
afterAll(async () => {
  removeProvers();
  await database.close();
});

async function isWrong(prover: Prover, { script, seed }: Witness): Promise<boolean> {
  const { counterexample } = await prover.proveScript(script, fastClient(database), { seed });
  return counterexample !== undefined;
}

test('every fault has a model that shows it', () => {
  expect(proverFaults.length).toBeGreaterThanOrEqual(20);
  expect(Object.keys(witnesses).toSorted()).toEqual(proverFaults.map(({ what }) => what).toSorted());
});

describe('prove finds it where the prover takes it that', () => {
  test.each(looked.map((fault, at) => ({ ...fault, at })))('$what', async (fault) => {
    const witness = witnesses[fault.what];
    if (witness === undefined) throw new TypeError('every fault has a witness');
    expect(await isWrong(sound, witness)).toBe(false);
    const faulty = await proverWith(fault, `fault-${fault.at}`);
    expect(faulty.refusals(faulty.modelOf(witness.script))).toEqual([]);
    expect(await isWrong(faulty, witness)).toBe(true);
  });
});
