import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { wireResult } from './wire-call.ts';

/*
 * What `npx singlet serve` costs in an empty folder until its first answer, beside a program that only starts a server of node:http. CPU time,
 * because other programs lengthen the wait for it much more. `npm run bench -- --only startup` measures the wait. Needs `npm run build`.
 */
const command = fileURLToPath(new URL('../bin/singlet.js', import.meta.url));
const emptyServer = `const server = require('node:http').createServer((_, answer) => answer.end('{}'));
server.listen(0, '127.0.0.1', () => console.log('ready on http://127.0.0.1:' + server.address().port));`;

const millisecondsMax = 200;
/** On a busy machine cores are shared, and CPU time is longer: the limit is then this multiple of what the empty server takes. */
const emptyServersMax = 3.5;
const hasProcessTimes = existsSync('/proc/self/stat');

/** User and system time of all threads. */
function cpuMilliseconds({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** @returns the CPU time from the start of a server to its first answer, in milliseconds. */
async function costOfStart(args: readonly string[]): Promise<number> {
  const cwd = mkdtempSync(join(tmpdir(), 'singlet-start-'));
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      await wireResult(line.split(' ').at(-1) ?? '', 'ListTables', {});
      return cpuMilliseconds(child);
    }
    throw new Error('the server ended without a word');
  } finally {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    rmSync(cwd, { recursive: true });
  }
}

/** @returns whether a start was within the limit in one of a few rounds: the one that other programs disturbed least. */
async function isWithinLimit(args: readonly string[], rounds = 8): Promise<boolean> {
  for (let round = 0; round < rounds; round += 1) {
    const empty = await costOfStart(['-e', emptyServer]);
    if ((await costOfStart(args)) - empty < Math.max(millisecondsMax, emptyServersMax * empty)) return true;
  }
  return false;
}

test.skipIf(!hasProcessTimes).each([
  ['in an empty folder', ['serve', '--port', '0']],
  ['in memory', ['serve', '--memory', '--port', '0']],
])(`a server %s answers after ${millisecondsMax} ms of CPU above an empty server`, async (_, args) => {
  expect(await isWithinLimit([command, ...args])).toBe(true);
});

test.skipIf(!hasProcessTimes)('a start that does more would be noticed', async () => {
  const busy = `while (process.cpuUsage().user < ${8 * millisecondsMax}_000);`;
  expect(await isWithinLimit(['-e', busy + emptyServer], 1)).toBe(false);
});
