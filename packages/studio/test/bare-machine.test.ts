import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { unpackedChromium } from '../../../systems/testing/chromium.ts';

const root = new URL('../../../', import.meta.url);

interface Manifest {
  readonly engines?: { readonly node?: string };
  readonly scripts?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function manifest(path: string): Manifest {
  return JSON.parse(readFileSync(new URL(path, root), 'utf8')) as Manifest;
}

/* The suite itself is the proof where it runs; this is what would make it fail elsewhere. */
test('WB-60: npm ci and npm test need Node and packages only: the browser is one, and nothing is fetched when they are installed', async () => {
  const { engines, scripts } = manifest('package.json');
  expect(engines?.node).toBe('>=20.15');
  expect(scripts?.['test']).toMatch(/build.*vitest run/);
  for (const path of [
    'package.json',
    'packages/studio/package.json',
    'packages/singlet/package.json',
    'systems/package.json',
  ]) {
    const hooks = Object.keys(manifest(path).scripts ?? {}).filter((name) =>
      /^(pre|post)?install$|^prepare$/.test(name),
    );
    expect(hooks, path).toEqual([]);
  }
  const { devDependencies = {} } = manifest('packages/studio/package.json');
  expect(Object.keys(devDependencies)).toContain('@sparticuz/chromium');
  expect(Object.keys(devDependencies)).toContain('playwright-core'); // which, unlike playwright, brings no browser
  const { executable } = await unpackedChromium();
  expect(executable.startsWith(fileURLToPath(new URL('node_modules/', root))) || 'CHROMIUM' in process.env).toBe(true);
});
