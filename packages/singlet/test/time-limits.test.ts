import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * A time limit as the last argument of `test`, `beforeAll` and the like, as their option, or of a poll. `vi.waitFor` defaults to a limit of a
 * second; `expect.poll` uses the one of the configuration.
 */
const limits = [
  /^\s*\}, [\d_]+\);$/,
  /\{ timeout\b/,
  /\btimeout: (?:[\d_]+|[A-Z_]+)(?:[ ,]|$)/,
  /^\s*[A-Z_]+_MS(_MAX)?,$/,
  /\bvi\.waitFor\(/,
];
/** A wait with a raised limit, tests whose duration is a parameter, and this file. */
const exceptions = new Set([
  'systems/testing/consume.ts',
  'packages/singlet/test/simulation.test.ts',
  'packages/singlet/src/storage/lmdb/power-cut.test.ts',
  'packages/singlet/test/time-limits.test.ts',
]);

/** A busy machine takes many times as long as a quiet one. `vitest.config.ts` has one limit, after which a test counts as hanging. */
test('tests do not say how long they may take', () => {
  const files = execFileSync('git', ['ls-files', 'packages', 'systems', 'conformance', 'bench'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => /\.test\.ts$|\/testing\/.*\.ts$/.test(file) && !exceptions.has(file));
  expect(files.length).toBeGreaterThan(400);
  const found = files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, at) => (limits.some((limit) => limit.test(line)) ? [`${file}:${at + 1}: ${line.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});
