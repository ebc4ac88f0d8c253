/**
 * A program: one of several that write to a directory, as fast as possible, until it is killed. The one that is instructed to ships the groups
 * of all.
 *
 *     node sharing-writer.ts <directory> <target> <options as JSON>
 *
 * Reads `ship` from its standard input, and closes when that ends. Prints `s TIME` before each write, and `a NUMBER SENT ACKNOWLEDGED` once it
 * is acknowledged.
 */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { SeededRandom } from '../../randomness/seeded-random.ts';
import { directoryBucket } from '../../transfer/buckets/index.ts';
import { SharedLog, SharedLogGroup } from '../../storage/lmdb/shared-log.ts';
import { valueText } from '../../storage/testing/store-probe.ts';
import { BackupTarget } from '../backup-target.ts';
import { openSharedBackedUpStore } from '../open-backed-up-store.ts';
import { lastKey, numberedWrite } from './numbered-writes.ts';

/** A bug that the tests have to find. */
export type SharingBug = 'an entry is not logged' | 'a group is not logged' | 'an answer precedes its commit';

export interface SharingWriterOptions {
  readonly seed: number;
  /** Maximum size of a value. */
  readonly padding: number;
  readonly snapshotEveryMs: number;
  readonly bug?: SharingBug | undefined;
}

const [, , directory = '', url = '', json = '{}'] = process.argv;
const options = JSON.parse(json) as SharingWriterOptions;
const random = new SeededRandom(options.seed);
if (options.bug !== undefined) plant(options.bug);
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
  const acknowledge = (number: number): void => void writeSync(1, `a ${number} ${sentMs} ${Date.now()}\n`);
  const isEarly = options.bug === 'an answer precedes its commit';
  const number = await store.write([lastKey], ([last]) => {
    const next = Number(last === undefined ? 0 : valueText(last)) + 1;
    if (isEarly) acknowledge(next);
    return { answer: next, writes: numberedWrite(next, padding) };
  });
  if (!isEarly) acknowledge(number);
  if (random.chance(0.02)) await new Promise((resolve) => setTimeout(resolve, random.integer(1, 30)));
}
await close(() => store.close());

function plant(bug: SharingBug): void {
  const { append } = SharedLog.prototype;
  const { add } = SharedLogGroup.prototype;
  let count = 0;
  const isHit = (): boolean => (count += 1) % 8 === 0;
  if (bug === 'a group is not logged') {
    SharedLog.prototype.append = function (group) {
      if (!isHit()) append.call(this, group);
    };
  } else if (bug === 'an entry is not logged') {
    SharedLogGroup.prototype.add = function (write) {
      if (!isHit()) add.call(this, write);
    };
  }
}
