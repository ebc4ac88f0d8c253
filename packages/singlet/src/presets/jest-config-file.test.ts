import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readJestConfig } from './jest-config-file.ts';

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'singlet-jest-config-'))));
afterEach(async () => rm(folder, { recursive: true }));

test.each(['{ region: "eu-west-1" }', '() => ({ region: "eu-west-1" })', 'Promise.resolve({ region: "eu-west-1" })'])(
  'a configuration that exports %s',
  async (exported) => {
    await writeFile(join(folder, 'jest-singlet-config.cjs'), `module.exports = ${exported};`);
    expect(await readJestConfig(folder)).toEqual({ seed: { region: 'eu-west-1' } });
  },
);

test.each(['7', '[]', '() => undefined', 'async () => null'])('a file that exports %s is refused', async (exported) => {
  await writeFile(join(folder, 'jest-singlet-config.cjs'), `module.exports = ${exported};`);
  await expect(readJestConfig(folder)).rejects.toThrow('jest-singlet-config.cjs exports no configuration');
});

test('without a file, databases begin empty', async () => {
  expect(await readJestConfig(folder)).toEqual({ seed: {} });
});
