/**
 * The rows that the run has drawn against `singlet serve --workers 2`: a later request of a row must see the effects of the earlier ones, whichever worker
 * answers it. The command must be built. A server that is already running: `npm run conformance -- --endpoint URL`.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { drawn } from '../systems/testing/drawn.ts';
import { rowsBySubject } from './src/rows/index.ts';
import { runRows } from './src/run-rows.ts';
import { endpointTarget } from './src/targets.ts';

/** Of each subject, a third of the rows. */
const rows = Object.fromEntries(
  Object.entries(rowsBySubject).map(([subject, all]) => [subject, drawn(`${subject}, workers`, all)]),
);

test('rows hold, whichever worker answers', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'conformance-'));
  const keyFile = join(directory, 'key');
  await writeFile(keyFile, randomBytes(32).toString('base64'));
  const program = fileURLToPath(new URL('../packages/singlet/bin/singlet.js', import.meta.url));
  const options = [
    '--workers',
    '2',
    '--port',
    '0',
    '--data',
    join(directory, 'data'),
    '--log-level',
    'error',
    '--encryption-key',
    keyFile,
  ];
  const server = spawn(process.execPath, [program, 'serve', ...options], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(server, 'close');
  try {
    const [line] = (await Promise.race([once(server.stdout, 'data'), ended])) as [unknown];
    const [, url] = /^singlet ready on (\S+)\n$/.exec(String(line)) ?? [];
    if (url === undefined) throw new Error(`The server did not start: ${String(line)}`);
    const target = endpointTarget(url);
    try {
      const results = await runRows(rows, target, { concurrency: 8, patienceMs: 60_000 });
      expect(results.filter(({ outcome }) => outcome === 'failed').map(({ message }) => message)).toEqual([]);
      expect(results.filter(({ outcome }) => outcome === 'passed').length).toBeGreaterThan(
        0.9 * Object.values(rows).flat().length,
      );
    } finally {
      await target.close();
    }
  } finally {
    server.kill('SIGTERM');
    await ended;
    await rm(directory, { recursive: true, force: true });
  }
});
