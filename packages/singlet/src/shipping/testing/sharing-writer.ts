/**
 * A program: one of several that write to a directory, as fast as possible, until it is killed. The one that is instructed to ships the groups
 * of all.
 *
 *     node --import tsx sharing-writer.ts <directory> <target> <options as JSON>
 *
 * Reads `ship` from its standard input, and closes when that ends. Prints `s TIME` before each write, and `a NUMBER SENT ACKNOWLEDGED` once it
 * is acknowledged.
 */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { SeededRandom } from '../../randomness/seeded-random.ts';
import { directoryBucket } from '../../transfer/buckets/index.ts';
import { valueText } from '../../storage/testing/store-probe.ts';
import { BackupTarget } from '../backup-target.ts';
import { openSharedBackedUpStore } from '../open-backed-up-store.ts';
import { lastKey, numberedWrite } from './numbered-writes.ts';

export interface SharingWriterOptions {
  readonly seed: number;
  /** Maximum size of a value. */
  readonly padding: number;
  readonly snapshotEveryMs: number;
}

const [, , directory = '', url = '', json = '{}'] = process.argv;
const options = JSON.parse(json) as SharingWriterOptions;
const random = new SeededRandom(options.seed);
const { store, ship, close } = await openSharedBackedUpStore({
  directory,
  url,
  openTarget: async () => new BackupTarget(url, directoryBucket(url)),
  settings: { everyMs: 5, snapshotEveryMs: options.snapshotEveryMs, keepMs: 1e9 },
  pauses: { firstMs: 1, longestMs: 20 },
  log: (event) => process.stderr.write(`${JSON.stringify(event)}\n`),
});
const ending = new AbortController();
createInterface({ input: process.stdin })
  .on('line', (line) => {
    if (line === 'ship') void ship();
  })
  .on('close', () => ending.abort());
while (!ending.signal.aborted) {
  const padding = random.integer(20, options.padding);
  const sentMs = Date.now();
  writeSync(1, `s ${sentMs}\n`);
  const number = await store.write([lastKey], ([last]) => {
    const next = Number(last === undefined ? 0 : valueText(last)) + 1;
    return { answer: next, writes: numberedWrite(next, padding) };
  });
  writeSync(1, `a ${number} ${sentMs} ${Date.now()}\n`);
  if (random.chance(0.02)) await new Promise((resolve) => setTimeout(resolve, random.integer(1, 30)));
}
await close(() => store.close());
