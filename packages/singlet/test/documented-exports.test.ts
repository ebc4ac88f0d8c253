import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageEntries } from './package-entries.ts';
import { undocumentedExports } from './undocumented-exports.ts';

describe('doc comments', () => {
  test.each(packageEntries)('are on every name and member that $name $entry exports', ({ types }) => {
    expect(existsSync(types), `${types}: npm run build makes it`).toBe(true);
    expect(undocumentedExports(types)).toEqual([]);
  });
});

describe('what has none', () => {
  const documented: Readonly<Record<string, string>> = {
    'index.d.ts':
      "export { type Shown, show } from './show.ts';\nimport { type Part } from './part.ts';\nexport { type Part, type Open, Closed };\n" +
      '/** One. */\nexport declare const one: Part;\n/** A union. */\ntype Open = {\n    readonly kind: 1;\n} | {\n    readonly kind: 2;\n};\n' +
      '/** A class. */\ndeclare class Closed {\n    #private;\n    private hidden;\n    constructor();\n    /** Closes. */\n    close(): void;\n}\n',
    'show.d.ts':
      '/** Several\n * lines. */\nexport interface Shown {\n    /** A part. */\n    readonly part: string;\n    /** Does. */\n    run(of: {\n        readonly deep: 1;\n    }): void;\n}\ninterface Hidden {\n    readonly a: string;\n}\n' +
      '/** Shows. */\nexport declare function show(text: string): Hidden;\nexport declare function show(text: number): Hidden;\n',
    'part.d.ts': '/** A part. */\nexport type Part = {\n    /** A value. */\n    readonly value: string;\n};\n',
  };

  function found(changed: Readonly<Record<string, string>> = {}): readonly string[] {
    const folder = mkdtempSync(join(tmpdir(), 'singlet-documented-'));
    try {
      for (const [name, text] of Object.entries({ ...documented, ...changed })) writeFileSync(join(folder, name), text);
      return undocumentedExports(join(folder, 'index.d.ts'));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  test('is nothing where all is said, and what is not exported is not asked', () => {
    expect(found()).toEqual([]);
  });

  test.each([
    ['a name', 'index.d.ts', '/** One. */\n', 'one'],
    ['a class', 'index.d.ts', '/** A class. */\n', 'Closed'],
    ['a method of a class', 'index.d.ts', '    /** Closes. */\n', 'Closed.close'],
    ['a name that comes from another file', 'show.d.ts', '/** Shows. */\n', 'show'],
    ['a member of an interface', 'show.d.ts', '    /** A part. */\n', 'Shown.part'],
    ['a method of an interface', 'show.d.ts', '    /** Does. */\n', 'Shown.run'],
    ['a member of an object type', 'part.d.ts', '    /** A value. */\n', 'Part.value'],
  ])('is found: %s', (_, file, comment, name) => {
    const text = documented[file] ?? '';
    expect(text).toContain(comment);
    expect(found({ [file]: text.replace(comment, '') })).toEqual([name]);
  });
});
