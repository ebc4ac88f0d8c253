/**
 * A program that uses a data file while others do.
 *
 *     node opening-process.ts write <directory>    writes one number after the other, pauses now and then, and prints each that is durable
 *     node opening-process.ts open <directory>     opens and closes the directory again and again
 *
 * Ends when its standard input does.
 */
import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { openLmdbStore } from '../lmdb/lmdb-store.ts';
import type { Store } from '../store.ts';
import { bytes, testKey, valueText } from './store-probe.ts';

/** The key of the number. */
export const numberKey: Uint8Array = testKey(1, 1);

const [, , role, directory = ''] = process.argv;
const ending = new AbortController();
process.stdin.on('end', () => ending.abort()).resume();

if (role === 'write') await write();
else while (!ending.signal.aborted) await (await open()).close();

async function open(): Promise<Store> {
  return openLmdbStore({ directory, shared: true });
}

async function write(): Promise<void> {
  const store = await open();
  for (let number = 1; !ending.signal.aborted; number += 1) {
    const before = await store.write([numberKey], ([value]) => ({
      answer: value === undefined ? '0' : valueText(value),
      writes: [{ key: numberKey, value: bytes(`${number}`) }],
    }));
    writeSync(1, Number(before) === number - 1 ? `${number}\n` : `lost: wrote ${number - 1}, found ${before}\n`);
    if (number % 3 === 0) await delay(1);
  }
  await store.close();
}
