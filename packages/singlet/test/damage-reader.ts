/**
 * A program that opens data directories one after the other and reads everything in them, as clients do. For tests with damaged
 * files, which could end the process that opens them.
 *
 *     node damage-reader.ts < directories, one a line
 *
 * Prints a line of JSON for each.
 */
import { createInterface } from 'node:readline';
import { readEverything } from './damage-world.ts';

for await (const directory of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify({ directory, ...(await readEverything(directory)) })}\n`);
}
