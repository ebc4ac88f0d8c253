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

interface Locked {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly engines?: { readonly node?: string };
}

test('WB-60: every package of the lockfile comes from the registry, with its hash, and runs on Node 20', () => {
  const { packages } = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const installed = Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && link !== true,
  );
  expect(installed.length).toBeGreaterThan(200);
  for (const [path, { resolved = '', integrity = '', optional = false }] of installed) {
    // Without an address, npm asks the registry that it is set up with.
    expect(resolved, path).toMatch(/^$|^https:\/\/registry\.npmjs\.org\//);
    // npm writes no hash for packages of other platforms, which are not installed.
    if (!optional) expect(integrity, path).toMatch(/^sha512-/);
  }
  const needsMore = installed.filter(([, { engines, optional }]) => optional !== true && !runsOnNode20(engines?.node));
  expect(needsMore.map(([path, { engines }]) => `${path} ${engines?.node}`)).toEqual([]);
});

/** Whether a range of versions has one of Node 20 in it: `>=20.15`, `^18 || >=20`. */
function runsOnNode20(range = '*'): boolean {
  return range.split('||').some((part) => {
    const bounds = [...part.matchAll(/(\^|~|>=|>|<=|<|=)?\s*v?(\d+)(?:\.(\d+|x))?(?:\.(\d+|x))?/g)];
    return bounds.every(([, sign = '=', major = '', minor]) => {
      const wanted = Number(major);
      const isLater = wanted === 20 && minor !== undefined && minor !== 'x' && Number(minor) > 20;
      switch (sign) {
        case '>=':
        case '>':
          return wanted <= 20 && !isLater;
        case '<':
        case '<=':
          return wanted > 20 || sign === '<=';
        default:
          return wanted === 20 && !isLater;
      }
    });
  });
}
