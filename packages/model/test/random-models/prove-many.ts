import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { RandomSource } from '../../src/prove/random-source.ts';
import { writeCase } from './corpus.ts';
import { proveScript } from './prove-script.ts';
import { randomModel } from './random-model.ts';
import { randomWriteModel } from './random-write-model.ts';
import { resumedRun } from './resumed-run.ts';
import { scriptCase, smallestScript } from './smallest-script.ts';

/**
 * Draws thousands of models and runs those that `check` accepts against the oracle: `npm run prove:many -- 100000`. It resumes after
 * an interruption, and writes each counterexample, shrunk as far as possible, into a folder: by default the corpus that the tests
 * replay. `--writes` draws models that write instead.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    from: { type: 'string', default: '0' },
    out: { type: 'string', default: fileURLToPath(new URL('corpus', import.meta.url)) },
    writes: { type: 'boolean', default: false },
    progress: { type: 'string', default: 'prove-many.json' },
  },
});
const count = Number(positionals[0] ?? 1000);
const from = Number(values.from);
if (!Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(from)) {
  process.stderr.write(
    'usage: npm run prove:many -- COUNT [--writes] [--from SEED] [--out FOLDER] [--progress FILE]\n',
  );
  process.exit(2);
}

const { wrong } = await resumedRun(
  {
    what: 'models',
    count,
    from,
    progress: values.progress,
    like: { writes: values.writes },
    verdicts: ['refused', 'right', 'wrong'],
    told: ({ right, refused, wrong: bad }) => `${right + bad} accepted, ${refused} refused, ${bad} wrong`,
  },
  async (seed, client) => {
    const random = new RandomSource(seed);
    const script = values.writes ? randomWriteModel(random) : randomModel(random);
    const { verdict, counterexample, wrongWrites } = await proveScript(script, client, { seed, writes: values.writes });
    if (wrongWrites !== undefined) {
      const { kind, message, steps } = wrongWrites;
      process.stdout.write(`\rmodel ${seed}: ${kind}, ${writeCase(values.out, { script, steps, kind, message })}\n`);
    }
    if (counterexample !== undefined) {
      const file = writeCase(values.out, await smallestScript(scriptCase(script, counterexample), client));
      process.stdout.write(`\rmodel ${seed}: ${counterexample.kind}, ${file}\n`);
    }
    return verdict;
  },
);
process.exitCode = wrong > 0 ? 1 : 0;
