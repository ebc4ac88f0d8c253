import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createDatabase } from 'singlet';
import { RandomSource } from '../../src/prove/random-source.ts';
import { toJson } from './corpus.ts';
import { fastClient } from './fast-client.ts';
import { migratorWith, type MigrationWitness } from './faulty-migrator.ts';
import { removeProvers } from './faulty-prover.ts';
import { migrateFaults } from './migrate-faults.ts';
import { randomMigration } from './random-migration.ts';

/**
 * Puts faults into the code that migrates, one at a time, and draws pairs of versions until a migration goes wrong:
 * `npm run migrate:mutations -- --from SEED --most PAIRS`. A fault that neither a drawn nor its saved pair shows is a gap in the tester, and makes the exit code 1.
 * `--write FILE` keeps the pairs found, for the tests.
 */
const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '0' },
    most: { type: 'string', default: '600' },
    only: { type: 'string', default: '' },
    write: { type: 'string' },
  },
});
const [from, most] = [Number(values.from), Number(values.most)];
if (!Number.isSafeInteger(from) || !Number.isSafeInteger(most) || most < 1) {
  process.stderr.write(
    'usage: npm run migrate:mutations -- [--from SEED] [--most PAIRS] [--only WORDS] [--write FILE]\n',
  );
  process.exit(2);
}

const database = await createDatabase({ expirySweepMs: 'on-demand' });
const client = fastClient(database);
const sound = await migratorWith(undefined, 'sound');
const known: Readonly<Record<string, MigrationWitness>> = JSON.parse(
  readFileSync(new URL('migrate-witnesses.json', import.meta.url), 'utf8'),
);
/** A fault of a race shows in some orders of the requests only. */
const tries = 10;
const witnesses: Record<string, MigrationWitness> = {};
/** Pairs that `check` refuses show nothing. */
const isUnchecked: boolean[] = [];
let missed = 0;
for (const [at, fault] of migrateFaults.entries()) {
  if (!fault.what.includes(values.only)) continue;
  const { migrateScript } = await migratorWith(fault, `migrate-fault-${at}`);
  let found: string | undefined;
  for (let seed = from; seed < from + most && found === undefined; seed += 1) {
    if (isUnchecked[seed] === true) continue;
    const script = randomMigration(new RandomSource(seed));
    const { verdict, message } = await migrateScript(script, client, seed);
    isUnchecked[seed] = verdict === 'unchecked';
    if (verdict !== 'wrong' || (await sound.migrateScript(script, client, seed)).verdict === 'wrong') continue;
    found = `pair ${seed}: ${message.slice(0, 60)}`;
    witnesses[fault.what] = { seed, script };
  }
  const saved = known[fault.what];
  for (let left = tries; left > 0 && found === undefined; left -= 1) {
    if (saved === undefined) break;
    const { verdict } = await migrateScript(saved.script, client, saved.seed);
    if (verdict !== 'wrong') continue;
    found = 'its saved pair';
    witnesses[fault.what] = saved;
  }
  if (found === undefined) missed += 1;
  process.stdout.write(`${(found ?? 'missed').padEnd(76)} ${fault.what}\n`);
}
process.stdout.write(`${missed} of ${migrateFaults.length} faults were missed in ${most} pairs from seed ${from}\n`);
if (values.write !== undefined) writeFileSync(values.write, `${toJson(witnesses)}\n`);
await database.close();
removeProvers();
process.exitCode = missed > 0 ? 1 : 0;
