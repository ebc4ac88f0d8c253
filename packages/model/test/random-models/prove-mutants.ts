import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createDatabase } from 'singlet';
import { RandomSource } from '../../src/prove/random-source.ts';
import { toJson, writeCase } from './corpus.ts';
import { fastClient } from './fast-client.ts';
import { mutantOf } from './mutant.ts';
import { proveMutant } from './prove-mutant.ts';
import { savedModels, writtenModels } from './written-models.ts';

/**
 * Mutates models that people wrote, and runs the mutants that `check` accepts against the oracle: `npm run prove:mutants -- 10000`. It takes
 * the models of files and folders, and those of the saved cases. It resumes after an interruption. Each counterexample is written into a
 * folder, and so is each mutant for which a tool throws an error of its own.
 */
interface Reached {
  readonly from: number;
  readonly next: number;
  readonly refused: number;
  readonly right: number;
  readonly wrong: number;
  readonly thrown: number;
}

const modelsPerDatabase = 200;
const noteEvery = 25;

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
let reached: Reached = { from, next: from, refused: 0, right: 0, wrong: 0, thrown: 0 };
if (existsSync(values.progress)) {
  const known = JSON.parse(readFileSync(values.progress, 'utf8')) as Reached;
  if (known.from === from) reached = known;
}
const begun = reached.next;
const started = performance.now();
while (reached.next < from + count) await proveSome(Math.min(from + count, reached.next + modelsPerDatabase));
note();
process.stdout.write('\n');
process.exitCode = reached.wrong + reached.thrown > 0 ? 1 : 0;

async function proveSome(end: number): Promise<void> {
  const database = await createDatabase();
  const client = fastClient(database);
  for (; reached.next < end;) {
    const seed = reached.next;
    const random = new RandomSource(seed);
    const base = random.pick(bases);
    const mutant = mutantOf(base.script, random);
    const { script, changes } = mutant;
    const { verdict, counterexample, wrongWrites, thrown } = await proveMutant(mutant, client, { seed });
    const told = `mutant ${seed} of ${base.name} (${changes.join('; ')})`;
    if (wrongWrites !== undefined) {
      const { kind, message, steps } = wrongWrites;
      process.stdout.write(
        `\r${told}: ${kind}, ${writeCase(values.out, { script, steps, kind, message })}\n  ${message}\n`,
      );
    }
    if (counterexample !== undefined) {
      const { state, call, now, kind, message, expected, got } = counterexample;
      const file = writeCase(values.out, {
        script,
        items: Object.fromEntries(state),
        call,
        now,
        kind,
        message,
        expected,
        got,
      });
      process.stdout.write(`\r${told}: ${kind}, ${file}\n  ${call.pattern}: ${message}\n`);
    }
    for (const error of thrown) {
      mkdirSync(values.out, { recursive: true });
      writeFileSync(join(values.out, `thrown-${seed}.txt`), `${error}\n${toJson(script)}\n`);
      process.stdout.write(`\r${told}: ${error.split('\n').slice(0, 3).join(' | ')}\n`);
    }
    reached = { ...reached, next: seed + 1, [verdict]: reached[verdict] + 1 };
    if (reached.next % noteEvery === 0) note();
  }
  await database.close();
}

function note(): void {
  writeFileSync(values.progress, JSON.stringify(reached));
  const { next, refused, right, wrong, thrown } = reached;
  const rate = ((next - begun) / (performance.now() - started)) * 1000;
  process.stdout.write(
    `\r${next - from} of ${count} mutants: ${right + wrong} accepted, ${refused} refused, ${wrong} wrong, ${thrown} thrown; ${rate.toFixed(1)} a second `,
  );
}
