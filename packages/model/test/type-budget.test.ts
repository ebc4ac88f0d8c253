import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { largeElectrodb } from './large-electrodb.ts';
import { largeModel } from './large-model.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The maximum work for the compiler on a model of twenty entities and a hundred patterns, application included. */
const instantiationsMax = 60_000;

test('a large model stays within the type budget, and at a third of what electrodb takes', () => {
  const own = instantiations('singlet', largeModel(20, '../../index.js'));
  expect(own).toBeGreaterThan(5000);
  expect(own).toBeLessThanOrEqual(instantiationsMax);
  expect(own).toBeLessThanOrEqual(instantiations('electrodb', largeElectrodb(20)) / 3);
});

/** The compiler's counts for a project of one file. Unlike time, they are the same each time. */
function instantiations(name: string, source: string): number {
  const folder = join(root, 'packages/model/dist/type-budget', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'large.ts'), source);
  const options = {
    noEmit: true,
    composite: false,
    incremental: false,
    declaration: false,
    isolatedDeclarations: false,
  };
  const imports = { rewriteRelativeImportExtensions: false, allowImportingTsExtensions: true };
  const config = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: { ...options, ...imports },
    include: ['large.ts'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(root, 'node_modules/.bin/tsc');
  const { stdout } = spawnSync(tsc, ['-p', folder, '--extendedDiagnostics'], { encoding: 'utf8' });
  expect(stdout).not.toContain('error TS');
  const [, counted] = /Instantiations:\s+(\d+)/.exec(stdout) ?? [];
  return Number(counted);
}
