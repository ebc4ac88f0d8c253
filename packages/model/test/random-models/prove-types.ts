import { parseArgs } from 'node:util';
import { createDatabase } from 'singlet';
import { comparedTypes, toolkit } from './compared-types.ts';
import { fastClient } from './fast-client.ts';
import { type DrawnKind, typedModel } from './typed-model.ts';
import type { TypedFile } from './typed-source.ts';

/**
 * Compares the types of random models with what their calls take and return: `npm run prove:types -- 300`. Models of all kinds in turn; with `--kind` those of one kind.
 */
const kinds: readonly DrawnKind[] = ['reads', 'writes', 'rare'];
/** Models that one run of the compiler checks. */
const modelsPerRun = 40;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { from: { type: 'string', default: '0' }, kind: { type: 'string' } },
});
const count = Number(positionals[0] ?? 60);
const from = Number(values.from);
const chosen = kinds.filter((kind) => values.kind === undefined || values.kind === kind);
if (!Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(from) || chosen.length === 0) {
  process.stderr.write('usage: npm run prove:types -- COUNT [--from SEED] [--kind reads|writes|rare]\n');
  process.exit(2);
}

let done = 0;
let lines = 0;
let wrong = 0;
let seed = from;
while (done < count) {
  const database = await createDatabase();
  const client = fastClient(database);
  const files = new Map<string, TypedFile>();
  for (; files.size < Math.min(modelsPerRun, count - done); seed += 1) {
    const kind = chosen[seed % chosen.length] as DrawnKind;
    const typed = await typedModel(kind, seed, client, toolkit);
    if (typed === undefined) continue;
    files.set(`${kind}-${seed}.ts`, typed.file);
    for (const failure of typed.failures) show(`${kind}-${seed}: ${failure}`);
    lines += typed.file.lines.size;
  }
  await database.close();
  for (const difference of comparedTypes('command', files)) show(difference);
  done += files.size;
  process.stdout.write(`\r${done} of ${count} models, next seed ${seed}: ${lines} statements, ${wrong} differ `);
}
process.stdout.write('\n');
process.exitCode = wrong > 0 ? 1 : 0;

function show(difference: string): void {
  wrong += 1;
  process.stdout.write(`\r${difference}\n`);
}
