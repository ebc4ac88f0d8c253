import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createDatabase } from 'singlet';
import { RandomSource } from '../../src/prove/random-source.ts';
import { toJson } from './corpus.ts';
import { fastClient } from './fast-client.ts';
import { type Prover, proverWith, removeProvers, type Witness } from './faulty-prover.ts';
import type { ModelScript } from './model-script.ts';
import { type ProverFault, proverFaults } from './prover-faults.ts';
import { randomModel } from './random-model.ts';

/**
 * Puts faults into the prover, one at a time, and draws models until the faulty prover accepts one with a wrong answer:
 * `npm run prove:mutations -- --from SEED --most MODELS`. A fault that no model demonstrates is a gap in the tester, and makes the exit
 * code 1. `--write` keeps the models found, for the tests.
 */
const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '0' },
    most: { type: 'string', default: '6000' },
    only: { type: 'string' },
    write: { type: 'string' },
  },
});
const [from, most] = [Number(values.from), Number(values.most)];
if (!Number.isSafeInteger(from) || !Number.isSafeInteger(most) || most < 1) {
  process.stderr.write(
    'usage: npm run prove:mutations -- [--from SEED] [--most MODELS] [--only WORDS] [--write FILE]\n',
  );
  process.exit(2);
}

const database = await createDatabase();
const client = fastClient(database);
const scripts = Array.from({ length: most }, (_, i) => randomModel(new RandomSource(from + i)));
const sound = await proverWith(undefined, 'sound');
const refused = scripts.map((script) => sound.refusals(sound.modelOf(script)).length > 0);
const witnesses: Record<string, Witness> = {};
let missed = 0;
for (const [at, fault] of proverFaults.entries()) {
  if (values.only !== undefined && !fault.what.includes(values.only)) continue;
  const found = await firstWrong(await proverWith(fault, `fault-${at}`), fault);
  if (found === undefined) missed += 1;
  else witnesses[fault.what] = { seed: found.seed, script: found.script };
  const result = found === undefined ? 'missed' : `model ${found.seed}: ${found.kind}`;
  process.stdout.write(`${result.padEnd(32)} ${fault.what}\n`);
}
process.stdout.write(`${missed} of ${proverFaults.length} faults were missed in ${most} models from seed ${from}\n`);
if (values.write !== undefined) writeFileSync(values.write, `${toJson(witnesses)}\n`);
await database.close();
removeProvers();
process.exitCode = missed > 0 ? 1 : 0;

/** The first model whose wrong answer comes from the fault: the sound prover refuses it, or answers correctly. */
async function firstWrong(
  faulty: Prover,
  { file }: ProverFault,
): Promise<(Witness & { readonly kind: string }) | undefined> {
  for (const [i, script] of scripts.entries()) {
    if (!isSuspect(faulty, script, i, file)) continue;
    const seed = from + i;
    const { counterexample } = await faulty.proveScript(script, client, { seed });
    if (counterexample === undefined) continue;
    if (refused[i] !== true && (await sound.proveScript(script, client, { seed })).counterexample !== undefined)
      continue;
    return { seed, script, kind: counterexample.kind };
  }
  return undefined;
}

/** A fault of the proof shows only in models that this prover alone accepts; a fault of the plan shows in any model. */
function isSuspect(faulty: Prover, script: ModelScript, at: number, file: string): boolean {
  if (refused[at] !== true && !file.startsWith('resolve/')) return false;
  return faulty.refusals(faulty.modelOf(script)).length === 0;
}
