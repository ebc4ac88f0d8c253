import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createDatabase } from 'singlet';
import { RandomSource } from '../../src/prove/random-source.ts';
import { toJson } from './corpus.ts';
import { fastClient } from './fast-client.ts';
import { type Prover, proverWith, removeProvers, type Witness } from './faulty-prover.ts';
import type { ModelScript } from './model-script.ts';
import { mutantOf } from './mutant.ts';
import { type ProverFault, proverFaults } from './prover-faults.ts';
import type { ScriptVerdict } from './prove-script.ts';
import { randomModel } from './random-model.ts';
import { randomWriteModel } from './random-write-model.ts';
import { writeFaults } from './write-faults.ts';
import { savedModels, type WrittenModel, writtenModels } from './written-models.ts';

/**
 * Puts faults into the prover, one at a time, and draws models until the faulty prover accepts one with a wrong answer:
 * `npm run prove:mutations -- --from SEED --most MODELS`. With `--writes`, the faults are in what writes, and a sequence of writes has to
 * end wrongly. With `--mutants`, the models are mutants of those that the
 * saved cases have, and of the files and folders that are named, instead of random ones. `--part 2/8` tests every eighth fault, from the second. A fault that neither a drawn nor its saved model demonstrates is a gap in the tester, and makes the exit code 1. `--write` keeps the models found, for
 * the tests.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    from: { type: 'string', default: '0' },
    most: { type: 'string' },
    writes: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    only: { type: 'string' },
    part: { type: 'string', default: '1/1' },
    write: { type: 'string' },
  },
});
const { writes } = values;
const [from, most] = [Number(values.from), Number(values.most ?? (writes ? 400 : 6000))];
const [part = 0, parts = 0] = (/^(\d+)\/(\d+)$/.exec(values.part) ?? []).slice(1).map(Number);
if (!Number.isSafeInteger(from) || !Number.isSafeInteger(most) || most < 1 || part < 1 || part > parts) {
  process.stderr.write(
    'usage: npm run prove:mutations -- [--writes] [--mutants [FILE-OR-FOLDER …]] [--from SEED] [--most MODELS] [--only WORDS] [--part K/N] [--write FILE]\n',
  );
  process.exit(2);
}

const database = await createDatabase();
const client = fastClient(database);
// The models that show the faults are left out: their mutants would find them too easily.
const bases = values.mutants ? [...(await writtenModels(positionals)), ...savedModels()].filter(isNoWitness) : [];
const draw = (random: RandomSource): ModelScript => {
  if (values.mutants) return mutantOf(random.pick(bases).script, random, { refused: true }).script;
  return writes ? randomWriteModel(random) : randomModel(random);
};
const faults = (writes ? writeFaults : proverFaults).filter(
  ({ what }, i) => i % parts === part - 1 && what.includes(values.only ?? ''),
);
const scripts = Array.from({ length: most }, (_, i) => draw(new RandomSource(from + i)));
const sound = await proverWith(undefined, 'sound');
const refused: (boolean | undefined)[] = [];
const witnesses: Record<string, Witness> = {};
const saved = JSON.parse(
  readFileSync(new URL(writes ? 'write-witnesses.json' : 'prover-witnesses.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, Witness>>;
let [missed, onlySaved] = [0, 0];
for (const [at, fault] of faults.entries()) {
  const faulty = await proverWith(fault, `fault-${at}`);
  const found = await firstWrong(faulty, fault);
  const known = found ?? (await byWitness(faulty, saved[fault.what]));
  if (known === undefined) missed += 1;
  else {
    witnesses[fault.what] = { seed: known.seed, script: known.script };
    if (found === undefined) onlySaved += 1;
  }
  const by = found === undefined ? 'its saved model' : `model ${found.seed}`;
  const result = known === undefined ? 'missed' : `${by}: ${known.kind}`;
  process.stdout.write(`${result.padEnd(32)} ${fault.what}\n`);
}
process.stdout.write(
  `${missed} of ${faults.length} faults were missed, and ${onlySaved} found by their saved models only, in ${most} models from seed ${from}\n`,
);
if (values.write !== undefined) writeFileSync(values.write, `${toJson(witnesses)}\n`);
await database.close();
removeProvers();
process.exitCode = missed > 0 ? 1 : 0;

function isNoWitness({ name }: WrittenModel): boolean {
  return ![...proverFaults, ...writeFaults].some(({ what }) => what === name);
}

/** The first model whose wrong answer comes from the fault: the sound prover refuses it, or answers correctly. */
async function firstWrong(
  faulty: Prover,
  { file }: ProverFault,
): Promise<(Witness & { readonly kind: string }) | undefined> {
  for (const [i, script] of scripts.entries()) {
    if (!isSuspect(faulty, script, i, file)) continue;
    const seed = from + i;
    const wrong = wrongOf(await faulty.proveScript(script, client, { seed, writes }));
    if (wrong === undefined) continue;
    if (!isRefused(script, i) && wrongOf(await sound.proveScript(script, client, { seed, writes })) !== undefined)
      continue;
    return { seed, script, kind: wrong.kind };
  }
  return undefined;
}

/** Some faults show in models that are rarely drawn, of which one is saved. */
async function byWitness(
  faulty: Prover,
  witness: Witness | undefined,
): Promise<(Witness & { readonly kind: string }) | undefined> {
  if (witness === undefined) return undefined;
  const { seed, script } = witness;
  const wrong = wrongOf(await faulty.proveScript(script, client, { seed, writes }));
  return wrong && { ...witness, kind: wrong.kind };
}

function wrongOf({ counterexample, wrongWrites }: ScriptVerdict): { readonly kind: string } | undefined {
  return writes ? wrongWrites : counterexample;
}

/** A fault of the proof shows only in models that this prover alone accepts; a fault of the plan shows in any model. */
function isSuspect(faulty: Prover, script: ModelScript, at: number, file: string): boolean {
  if (!isRefused(script, at) && !/^(?:keys\/template|resolve|run)/.test(file)) return false;
  return faulty.refusals(faulty.modelOf(script)).length === 0;
}

/** By the prover without a fault. */
function isRefused(script: ModelScript, at: number): boolean {
  return (refused[at] ??= sound.refusals(sound.modelOf(script)).length > 0);
}
