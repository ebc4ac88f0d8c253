import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { RandomSource } from '../../src/prove/random-source.ts';
import { toJson, writeCase } from './corpus.ts';
import { mutantOf } from './mutant.ts';
import { proveMutant } from './prove-mutant.ts';
import { resumedRun } from './resumed-run.ts';
import { scriptCase } from './smallest-script.ts';
import { savedModels, writtenModels } from './written-models.ts';

/**
 * Mutates models that people wrote, and runs the mutants that `check` accepts against the oracle: `npm run prove:mutants -- 10000`. It takes
 * the models of files and folders, and those of the saved cases. It resumes after an interruption. Each counterexample is written into a
 * folder, and so is each mutant for which a tool throws an error of its own.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    from: { type: 'string', default: '0' },
    out: { type: 'string', default: fileURLToPath(new URL('corpus', import.meta.url)) },
    only: { type: 'string' },
    progress: { type: 'string', default: 'prove-mutants.json' },
  },
});
const isCount = (text: string): boolean => /^\d+$/.test(text);
const count = Number(positionals.find(isCount) ?? 1000);
const from = Number(values.from);
if (!Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(from)) {
  process.stderr.write(
    'usage: npm run prove:mutants -- COUNT [FILE-OR-FOLDER …] [--only WORDS] [--from SEED] [--out FOLDER] [--progress FILE]\n',
  );
  process.exit(2);
}

const bases = [...(await writtenModels(positionals.filter((each) => !isCount(each)))), ...savedModels()].filter(
  ({ name }) => name.includes(values.only ?? ''),
);
const { wrong, thrown } = await resumedRun(
  {
    what: 'mutants',
    count,
    from,
    progress: values.progress,
    verdicts: ['refused', 'right', 'wrong', 'thrown'],
    told: ({ right, refused, wrong: bad, thrown: errors }) =>
      `${right + bad} accepted, ${refused} refused, ${bad} wrong, ${errors} thrown`,
  },
  async (seed, client) => {
    const random = new RandomSource(seed);
    const base = random.pick(bases);
    const mutant = mutantOf(base.script, random);
    const { script, changes } = mutant;
    const { verdict, counterexample, wrongWrites, thrown: errors } = await proveMutant(mutant, client, { seed });
    const told = `mutant ${seed} of ${base.name} (${changes.join('; ')})`;
    if (wrongWrites !== undefined) {
      const { kind, message, steps } = wrongWrites;
      process.stdout.write(
        `\r${told}: ${kind}, ${writeCase(values.out, { script, steps, kind, message })}\n  ${message}\n`,
      );
    }
    if (counterexample !== undefined) {
      const { call, kind, message } = counterexample;
      const file = writeCase(values.out, scriptCase(script, counterexample));
      process.stdout.write(`\r${told}: ${kind}, ${file}\n  ${call.pattern}: ${message}\n`);
    }
    for (const error of errors) {
      mkdirSync(values.out, { recursive: true });
      writeFileSync(join(values.out, `thrown-${seed}.txt`), `${error}\n${toJson(script)}\n`);
      process.stdout.write(`\r${told}: ${error.split('\n').slice(0, 3).join(' | ')}\n`);
    }
    return verdict;
  },
);
process.exitCode = wrong + thrown > 0 ? 1 : 0;
