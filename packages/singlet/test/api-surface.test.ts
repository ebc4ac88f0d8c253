import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exportedDeclarations } from './exported-declarations.ts';
import { packageEntries } from './package-entries.ts';

/** Entries that return objects made by the first one. */
const presets: readonly string[] = ['./testing', './vitest'];

/**
 * The exports of the packages, entry by entry, compared with the files under `api/`, so that a change of the public API shows in a review.
 * `npm run build && UPDATE_GOLDEN=1 npm run api` rewrites them.
 */
const entries = packageEntries.map(({ name, entry, types, folder }) => ({
  name,
  entry,
  types,
  root: join(folder, 'dist'),
  beside: presets.includes(entry) ? join(folder, 'dist/index.d.ts') : undefined,
  file: join(folder, 'api', `${entry === '.' ? 'index' : entry.slice(2).replaceAll('/', '-')}.txt`),
}));

describe('the public surface', () => {
  test.each(entries)('$name $entry is the one in the repository', ({ types, root, beside, file }) => {
    expect(existsSync(types), `${types}: npm run build makes it`).toBe(true);
    const text = exportedDeclarations(types, root, beside);
    expect(text).not.toContain('no declaration was found');
    if (process.env['UPDATE_GOLDEN'] === '1') {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    const rewrite = 'the public surface has changed: if that is meant, UPDATE_GOLDEN=1 npm run api rewrites its files';
    expect(text, rewrite).toBe(readFileSync(file, 'utf8'));
  });
});

describe('a change is noticed', () => {
  const index = "export { type Shown, show } from './show.ts';\nexport declare const one: number;\n";
  const show = `import type { Part } from './part.ts';
/** Says more. */
export interface Shown {
    readonly part: Part;
}
interface Hidden {
    readonly a: string;
}
export declare function show(text: string): Hidden;
export declare function show(text: number): Hidden;
export declare function unseen(): void;
`;
  const part = 'export type Part = {\n    readonly value: string;\n};\n';

  function surface(files: Readonly<Record<string, string>>): string {
    const folder = mkdtempSync(join(tmpdir(), 'singlet-surface-'));
    try {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      return exportedDeclarations(join(folder, 'index.d.ts'), folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  const before = surface({ 'index.d.ts': index, 'show.d.ts': show, 'part.d.ts': part });

  test('the surface has what is exported and what that is made of, and nothing else', () => {
    for (const name of ['Shown', 'Hidden', 'Part', 'text: string', 'text: number', 'one: number']) {
      expect(before).toContain(name);
    }
    expect(before).not.toContain('unseen');
    expect(before).not.toContain('Says more');
  });

  test.each([
    ['of an exported declaration', { 'show.d.ts': show.replace('text: number', 'text: bigint') }],
    ['of a part of one, in another file', { 'part.d.ts': part.replace('string', 'number') }],
    ['of a declaration that is not exported by itself', { 'show.d.ts': show.replace('a: string', 'a: number') }],
    ['of a name', { 'index.d.ts': index.replace('show }', 'show as reveal }') }],
    ['of the names', { 'index.d.ts': index.replace('type Shown, ', '') }],
  ])('%s', (_, changed) => {
    expect(surface({ 'index.d.ts': index, 'show.d.ts': show, 'part.d.ts': part, ...changed })).not.toBe(before);
  });
});
