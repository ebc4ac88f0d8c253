import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createDatabase } from 'singlet';
import { fastClient } from './fast-client.ts';

interface Run<Verdict extends string> {
  /** What is counted: `models`. */
  readonly what: string;
  readonly count: number;
  /** The first seed. */
  readonly from: number;
  /** The file that says how far the run is. */
  readonly progress: string;
  /** What a continued run must have in common with the one before, besides its first seed. */
  readonly like?: Readonly<Record<string, unknown>>;
  readonly verdicts: readonly Verdict[];
  /** The counts in words. */
  readonly told: (counts: Readonly<Record<Verdict, number>>) => string;
}

/** Tables come and go. A new database now and then keeps the memory of the process small. */
const perDatabase = 200;
const noteEvery = 25;

/**
 * Runs one seed after another, with a progress line, and continues after an interruption.
 *
 * @param one - runs the model of a seed.
 * @returns the verdicts, counted.
 */
export async function resumedRun<Verdict extends string>(
  { what, count, from, progress, like = {}, verdicts, told }: Run<Verdict>,
  one: (seed: number, client: DynamoDBClient) => Promise<Verdict>,
): Promise<Readonly<Record<Verdict, number>>> {
  const counts = Object.fromEntries(verdicts.map((verdict) => [verdict, 0])) as Record<Verdict, number>;
  let next = from;
  if (existsSync(progress)) {
    const known = JSON.parse(readFileSync(progress, 'utf8')) as Record<string, unknown>;
    if (Object.entries({ ...like, from }).every(([name, value]) => known[name] === value)) {
      next = Number(known['next']);
      for (const verdict of verdicts) counts[verdict] = Number(known[verdict]);
    }
  }
  const begun = next;
  const started = performance.now();
  const note = (): void => {
    writeFileSync(progress, JSON.stringify({ ...like, from, next, ...counts }));
    const rate = ((next - begun) / (performance.now() - started)) * 1000;
    process.stdout.write(`\r${next - from} of ${count} ${what}: ${told(counts)}; ${rate.toFixed(1)} a second `);
  };
  while (next < from + count) {
    const end = Math.min(from + count, next + perDatabase);
    const database = await createDatabase();
    const client = fastClient(database);
    while (next < end) {
      counts[await one(next, client)] += 1;
      next += 1;
      if (next % noteEvery === 0) note();
    }
    await database.close();
  }
  note();
  process.stdout.write('\n');
  return counts;
}
