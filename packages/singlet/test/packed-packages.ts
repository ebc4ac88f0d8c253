import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

// The packages as they would be published, in the project of a new user. They need `npm run build`.

export const workspace = fileURLToPath(new URL('../../../', import.meta.url));

export const environment = Object.fromEntries(
  // A test runner started by another would behave as a part of it, and npm would use the flags of the npm that started this.
  Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV|JEST_|npm_)/.test(name)),
);

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}

export function npm(project: string, ...args: readonly string[]): string {
  return execFileSync('npm', [...args], {
    cwd: project,
    env: environment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** @returns the tarballs of packages of the workspace, in the project. One process packs them all. */
export function packed(project: string, names: readonly ('singlet' | 'model' | 'create-singlet')[]): readonly string[] {
  const folders = names.map((name) => join(workspace, 'packages', name));
  const packs = JSON.parse(npm(project, 'pack', ...folders, '--json', '--ignore-scripts')) as {
    readonly filename: string;
  }[];
  return packs.map(({ filename }) => join(project, filename));
}

/** Installs tarballs and the packages named in the project's manifest: `names` are linked from the workspace if there is no registry. */
export function install(project: string, tarballs: readonly string[], names: readonly string[]): void {
  // Scripts are not needed: LMDB's only looks for a native library, which is in its own package.
  const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, stderr } = spawnSync('npm', ['install', ...flags, ...tarballs], {
    cwd: project,
    env: environment,
    encoding: 'utf8',
  });
  if (status !== 0) {
    expect(stderr).toMatch(/ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH/);
    for (const file of tarballs) unpack(project, file);
  }
  for (const name of names) linkIfAbsent(project, name);
}

/** Without a registry: extracts the tarball, and links the workspace's packages that it declares. */
function unpack(project: string, file: string): void {
  const folder = join(project, 'node_modules', file.includes('singlet-model') ? '@singlet/model' : 'singlet');
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xzf', file, '-C', folder, '--strip-components=1']);
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  for (const name of Object.keys(dependencies)) linkIfAbsent(project, name);
}

function linkIfAbsent(project: string, name: string): void {
  const target = join(project, 'node_modules', name);
  mkdirSync(dirname(target), { recursive: true });
  try {
    symlinkSync(join(workspace, 'node_modules', name), target);
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe('EEXIST');
  }
}
