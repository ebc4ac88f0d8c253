import { readFileSync } from 'node:fs';
import { createDatabase } from 'singlet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fastClient } from './fast-client.ts';
import { piecesAround, type Prover, proverWith, removeProvers, type Witness } from './faulty-prover.ts';
import { type ProverFault, proverFaults } from './prover-faults.ts';
import { writeFaults } from './write-faults.ts';

/*
 * Each fault makes the prover accept a model that answers wrongly, or a write end wrongly, and `prove` must find it. Each bundle takes a
 * moment, so only one in three faults is tested; `PROVER_FAULTS=all` tests all of them.
 */
const step = process.env['PROVER_FAULTS'] === 'all' ? 1 : 3;
const reads = { name: 'answer', faults: proverFaults, witnesses: witnessesIn('prover-witnesses.json'), writes: false };
const writes = { name: 'write', faults: writeFaults, witnesses: witnessesIn('write-witnesses.json'), writes: true };

function witnessesIn(file: string): Readonly<Record<string, Witness>> {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as Readonly<Record<string, Witness>>;
}

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

async function isWrong(prover: Prover, { script, seed }: Witness, isWrite: boolean): Promise<boolean> {
  const verdict = await prover.proveScript(script, fastClient(database), { seed, writes: isWrite });
  return (isWrite ? verdict.wrongWrites : verdict.counterexample) !== undefined;
}

test('the page of prove counts them', () => {
  const page = readFileSync(new URL('../../../../docs/prove.md', import.meta.url), 'utf8');
  const counts = [...page.matchAll(/plants (\d+) faults in/g)].map(([, count]) => Number(count));
  expect(counts).toEqual([proverFaults.length, writeFaults.length]);
});

describe.each([reads, writes])('a wrong $name', ({ name, faults, witnesses, writes: isWrite }) => {
  test('is shown by a model for every fault', () => {
    expect(faults.length).toBeGreaterThanOrEqual(isWrite ? 10 : 20);
    expect(Object.keys(witnesses).toSorted()).toEqual(faults.map(({ what }) => what).toSorted());
  });

  test('has its code in the sources, once for every fault', () => {
    expect(faults.filter((fault) => piecesAround(fault).length !== 2).map(({ what }) => what)).toEqual([]);
  });

  test('is shown by a model that is accepted, where the fault is in code that runs', () => {
    const isRun = ({ file }: ProverFault): boolean => file.startsWith('run/');
    const refused = faults.filter(isRun).flatMap(({ what }): [string, string[]][] => {
      const { script } = witnesses[what] as Witness;
      const codes = sound.refusals(sound.modelOf(script));
      return codes.length === 0 ? [] : [[what, codes]];
    });
    expect(refused).toEqual([]);
  });

  const looked = faults
    .filter((_, i) => i % step === 0)
    .map((fault, at): ProverFault & { at: number } => ({ ...fault, at }));
  test.each(looked)('is found where it is taken that $what', async (fault) => {
    const witness = witnesses[fault.what];
    if (witness === undefined) throw new TypeError('every fault has a witness');
    expect(await isWrong(sound, witness, isWrite)).toBe(false);
    const faulty = await proverWith(fault, `${name}-fault-${fault.at}`);
    expect(faulty.refusals(faulty.modelOf(witness.script))).toEqual([]);
    expect(await isWrong(faulty, witness, isWrite)).toBe(true);
  });
});
