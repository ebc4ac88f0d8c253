import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createDatabase } from 'singlet';
import { RandomSource } from '../../src/prove/random-source.ts';
import { writeCase } from './corpus.ts';
import { fastClient } from './fast-client.ts';
import { proveScript } from './prove-script.ts';
import { randomModel } from './random-model.ts';
import { randomWriteModel } from './random-write-model.ts';
import { scriptCase, smallestScript } from './smallest-script.ts';

/**
 * Draws thousands of models and runs those that `check` accepts against the oracle: `npm run prove:many -- 100000`. It resumes after
 * an interruption, and writes each counterexample, shrunk as far as possible, into a folder: by default the corpus that the tests
 * replay. `--writes` draws models that write instead.
 */
interface Reached {
  readonly writes: boolean;
  readonly from: number;
  readonly next: number;
  readonly refused: number;
  readonly right: number;
  readonly wrong: number;
}

/** Tables come and go. A new database now and then keeps the memory of the process small. */
const modelsPerDatabase = 200;
const noteEvery = 25;

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

let reached: Reached = { writes: values.writes, from, next: from, refused: 0, right: 0, wrong: 0 };
if (existsSync(values.progress)) {
  const known = JSON.parse(readFileSync(values.progress, 'utf8')) as Reached;
  if (known.from === from && known.writes === values.writes) reached = known;
}
const begun = reached.next;
const started = performance.now();
while (reached.next < from + count) await proveSome(Math.min(from + count, reached.next + modelsPerDatabase));
note();
process.stdout.write('\n');
process.exitCode = reached.wrong > 0 ? 1 : 0;

async function proveSome(end: number): Promise<void> {
  const database = await createDatabase();
  const client = fastClient(database);
  for (; reached.next < end;) {
    const seed = reached.next;
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
    reached = { ...reached, next: seed + 1, [verdict]: reached[verdict] + 1 };
    if (reached.next % noteEvery === 0) note();
  }
  await database.close();
}

function note(): void {
  writeFileSync(values.progress, JSON.stringify(reached));
  const { next, refused, right, wrong } = reached;
  const rate = ((next - begun) / (performance.now() - started)) * 1000;
  process.stdout.write(
    `\r${next - from} of ${count} models: ${right + wrong} accepted, ${refused} refused, ${wrong} wrong; ${rate.toFixed(1)} a second `,
  );
}
