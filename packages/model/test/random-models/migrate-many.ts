import { parseArgs } from 'node:util';
import { createDatabase } from 'singlet';
import { RandomSource } from '../../src/prove/random-source.ts';
import { fastClient } from './fast-client.ts';
import { migrateScript, type MigrationVerdict } from './migrate-script.ts';
import { randomMigration } from './random-migration.ts';

/**
 * Draws pairs of versions, migrates items from one to the other, and compares the result with the new version's own items:
 * `npm run migrate:many -- 10000 --from SEED`. Prints the seed of each pair that goes wrong, and exits with 1 if there is one.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { from: { type: 'string', default: '0' } },
});
const count = Number(positionals[0] ?? 1000);
const from = Number(values.from);
if (!Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(from)) {
  process.stderr.write('usage: npm run migrate:many -- COUNT [--from SEED]\n');
  process.exit(2);
}

/** Tables come and go. A new database now and then keeps the memory of the process small. */
const pairsPerDatabase = 200;
const noteEvery = 25;
const verdicts: Record<MigrationVerdict['verdict'], number> = {
  unchecked: 0,
  refused: 0,
  stopped: 0,
  right: 0,
  wrong: 0,
};
const started = performance.now();
for (let done = 0; done < count;) done = await migrateSome(done, Math.min(count, done + pairsPerDatabase));
note(count);
process.stdout.write('\n');
process.exitCode = verdicts.wrong > 0 ? 1 : 0;

async function migrateSome(begin: number, end: number): Promise<number> {
  const database = await createDatabase({ expirySweepMs: 'on-demand' });
  const client = fastClient(database);
  for (let done = begin; done < end; done += 1) {
    const seed = from + done;
    const script = randomMigration(new RandomSource(seed));
    const { verdict, message } = await migrateScript(script, client, seed);
    verdicts[verdict] += 1;
    if (verdict === 'wrong') process.stdout.write(`\rpair ${seed} (${script.edits.join('; ')}): ${message}\n`);
    if ((done + 1) % noteEvery === 0) note(done + 1);
  }
  await database.close();
  return end;
}

function note(done: number): void {
  const { unchecked, refused, stopped, right, wrong } = verdicts;
  const rate = (done / (performance.now() - started)) * 1000;
  process.stdout.write(
    `\r${done} of ${count} pairs: ${right} migrated, ${stopped} stopped by an item, ${refused} refused, ${unchecked} not accepted by check, ${wrong} wrong; ${rate.toFixed(1)} a second `,
  );
}
