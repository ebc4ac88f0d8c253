import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { environment, workspace } from './packed-packages.ts';

/*
 * What the packages contain: the declarations that their entries lead to, all of them and no others, and no more than their sizes allow.
 * Needs `npm run build`.
 */
interface PackedFile {
  readonly path: string;
  readonly size: number;
}

function packedFiles(folder: string): readonly PackedFile[] {
  const output = execFileSync('npm', ['pack', '--json', '--dry-run', '--ignore-scripts'], {
    cwd: folder,
    env: environment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [pack] = JSON.parse(output) as { readonly files: readonly PackedFile[] }[];
  return pack?.files ?? [];
}

/** @returns the declarations that a declaration imports, by their paths in the package. */
function importedBy(path: string, text: string): readonly string[] {
  return [...text.matchAll(/\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)].map(([, to = '']) => {
    const file = posix.join(posix.dirname(path), to);
    return /\.c?ts$/.test(file) ? file.replace(/\.(c?)ts$/, '.d.$1ts') : file.replace(/\.(c?)js$/, '.d.$1ts');
  });
}

/** @returns the declarations that are missing, and those that nothing leads to. */
function problemsOf(
  entries: readonly string[],
  packed: readonly string[],
  read: (path: string) => string,
): { readonly missing: readonly string[]; readonly unused: readonly string[] } {
  const open = [...entries];
  const reached = new Set(open);
  for (const path of open) {
    if (!packed.includes(path)) continue;
    for (const imported of importedBy(path, read(path))) {
      if (reached.has(imported)) continue;
      reached.add(imported);
      open.push(imported);
    }
  }
  return {
    missing: open.filter((path) => !packed.includes(path)),
    unused: packed.filter((path) => !reached.has(path)),
  };
}

/** Bytes on a disk with blocks of 4 KB. */
function bytesOnDisk(files: readonly PackedFile[]): number {
  return files.reduce((sum, { size }) => sum + Math.ceil(size / 4096) * 4096, 0);
}

describe.each([
  ['singlet', 8],
  ['model', 4],
])('the package %s', (name, megabytesMax) => {
  const folder = join(workspace, 'packages', name);
  const files = packedFiles(folder);
  const declarations = files.map(({ path }) => path).filter((path) => /\.d\.c?ts$/.test(path));
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
  const entries = [...manifest.matchAll(/"\.\/(dist\/[^"]*\.d\.c?ts)"/g)].map(([, path = '']) => path);
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8');

  test('has the declarations that its entries lead to, and no others', () => {
    expect(entries.length).toBeGreaterThan(5);
    expect(problemsOf([...new Set(entries)], declarations, read)).toEqual({ missing: [], unused: [] });
  });

  test('would notice a declaration that is missing, or of no use', () => {
    const [removed = ''] = declarations.filter((path) => !entries.includes(path));
    const packed = [...declarations.filter((path) => path !== removed), 'dist/of-no-use.d.ts'];
    expect(problemsOf([...new Set(entries)], packed, read)).toEqual({
      missing: [removed],
      unused: expect.arrayContaining(['dist/of-no-use.d.ts']) as unknown,
    });
  });

  test('has no notes of the compiler, no source maps and no tests', () => {
    expect(files.map(({ path }) => path).filter((path) => /tsbuildinfo|\.map$|\.test\./.test(path))).toEqual([]);
  });

  test(`takes less than ${megabytesMax} MB of a disk`, () => {
    expect(bytesOnDisk(files)).toBeGreaterThan(1024 * 1024);
    expect(bytesOnDisk(files)).toBeLessThan(megabytesMax * 1024 * 1024);
  });
});
