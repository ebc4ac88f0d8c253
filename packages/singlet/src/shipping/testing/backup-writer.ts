/**
 * A program: a store whose log is shipped, and which is written to as fast as it goes, until it is killed.
 *
 *     node backup-writer.ts <directory> <target> <options as JSON>
 *
 * Prints `s NUMBER TIME` before each write and `a NUMBER TIME` once it is acknowledged, and closes when its standard input ends.
 */
import { writeSync } from 'node:fs';
import { directoryBucket } from '../../transfer/buckets/index.ts';
import { SeededRandom } from '../../randomness/seeded-random.ts';
import { BackupTarget } from '../backup-target.ts';
import { openBackedUpStore } from '../open-backed-up-store.ts';
import { flakyBucket } from './flaky-bucket.ts';
import { lastNumber, numberedWrite } from './numbered-writes.ts';

export interface BackupWriterOptions {
  readonly seed: number;
  /** The share of requests to the target that fail. */
  readonly failing: number;
  /** The share of time in which all requests fail. */
  readonly away: number;
  /** Maximum size of a value. */
  readonly padding: number;
  readonly snapshotEveryMs: number;
}

const [, , directory = '', url = '', json = '{}'] = process.argv;
const options = JSON.parse(json) as BackupWriterOptions;
const random = new SeededRandom(options.seed);
let isAway = random.next() < options.away;
setInterval(() => (isAway = random.next() < options.away), 100).unref();
const { store, shipper } = await openBackedUpStore({
  directory,
  url,
  openTarget: async () =>
    new BackupTarget(
      url,
      flakyBucket(directoryBucket(url), () => {
        if (isAway) return 'refused';
        if (random.next() >= options.failing) return 'well';
        return random.next() < 0.5 ? 'refused' : 'answer lost';
      }),
    ),
  settings: { everyMs: 5, snapshotEveryMs: options.snapshotEveryMs, keepMs: 1e9 },
  pauses: { firstMs: 1, longestMs: 20 },
  log: (event) => process.stderr.write(`${JSON.stringify(event)}\n`),
});
const ending = new AbortController();
process.stdin.on('end', () => ending.abort()).resume();
let number = await lastNumber(store);
while (!ending.signal.aborted) {
  number += 1;
  const writes = numberedWrite(number, random.integer(20, options.padding));
  writeSync(1, `s ${number} ${Date.now()}\n`);
  await store.write([], () => ({ answer: undefined, writes }));
  writeSync(1, `a ${number} ${Date.now()}\n`);
  if (random.next() < 0.02) await new Promise((resolve) => setTimeout(resolve, random.integer(1, 30)));
}
await shipper.close(() => store.close());
process.stderr.write(`${JSON.stringify({ ...shipper.report(), event: 'closed' })}\n`);
