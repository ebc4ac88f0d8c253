/**
 * A program that passes the gate of a directory, or holds it.
 *
 *     node gate-process.ts commit <directory>    opens the data file; begins a commit at each line of input, and ends it at the next one
 *     node gate-process.ts open <directory>      opens the data file and closes it
 *     node gate-process.ts hold <directory>      keeps the gate closed until the file `release` exists
 *
 * Prints `ready`, and then what it has done.
 */
import { existsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openDatabase, openGate } from '../lmdb/lmdb-database.ts';

const [, , role, directory = ''] = process.argv;

if (role === 'commit') await commit();
else if (role === 'open') await open();
else await hold();

function say(word: string): void {
  writeSync(1, `${word}\n`);
}

async function commit(): Promise<void> {
  const { database } = await openDatabase(directory);
  say('ready');
  const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  while (!(await input.next()).done) {
    await database.committing(async () => {
      say('committing');
      await input.next();
    });
    say('committed');
  }
  await database.close();
}

async function open(): Promise<void> {
  say('ready');
  const { database } = await openDatabase(directory);
  say('opened');
  await database.close();
}

async function hold(): Promise<void> {
  const gate = openGate(directory);
  gate.opening(() => {
    say('ready');
    const sleeping = new Int32Array(new SharedArrayBuffer(4));
    while (!existsSync(join(directory, 'release'))) Atomics.wait(sleeping, 0, 0, 5);
    say('releasing');
  });
  await gate.close();
}
