import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { SystemsResults } from './results.ts';

const program = fileURLToPath(new URL('../main.ts', import.meta.url));
// Types are removed once for all tests, where tsx would do it again.
const sources = fileURLToPath(new URL('../../../packages/singlet/test/run/sources.mjs', import.meta.url));

test('a system is measured in two served databases, and nothing is left behind', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'bench-systems-'));
  try {
    const file = join(directory, 'figures.json');
    const argv = ['systems', '--system', 'session-store', '--scale', '0.01', '--times', '3'];
    const child = spawn(
      process.execPath,
      ['--import', sources, program, ...argv, '--directory', directory, '--json', file],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    let report = '';
    child.stdout.on('data', (chunk: Buffer) => (report += chunk.toString()));
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(await readdir(directory)).toEqual(['figures.json']);

    const { systems, problems } = JSON.parse(await readFile(file, 'utf8')) as SystemsResults;
    expect(problems).toEqual([]);
    const [{ small, large, patterns } = { small: { items: 0 }, large: { items: 0 }, patterns: [] }] = systems;
    expect(small.items).toBeGreaterThan(0);
    expect(large.items).toBeGreaterThan(10 * small.items);
    expect(patterns.map(({ call }) => call)).toEqual(['SS-01', 'SS-02', 'SS-04', 'SS-05', 'SS-06']);
    const revocation = patterns.find(({ call }) => call === 'SS-04');
    expect(revocation?.large).toMatchObject({ requests: 5, itemsWritten: 3 });
    for (const { call, small: inSmall } of patterns) {
      expect(inSmall.calls, call).toBeGreaterThanOrEqual(3);
      expect(inSmall.p50Ms, call).toBeGreaterThan(0);
      expect(inSmall.readUnits + inSmall.writeUnits, call).toBeGreaterThan(0);
    }
    expect(report).toContain('SS-06');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
