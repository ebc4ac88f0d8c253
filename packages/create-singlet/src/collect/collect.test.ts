import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { applicationReadme, beginningOf } from './application-readme.ts';
import { packageOf, specifiersIn } from './imports.ts';
import { SliceError } from './slice.ts';
import { applicationsIn, starterOf } from './starter.ts';

test('the imports of a module: values, types, effects, on demand, on several lines', () => {
  const module = `import { a } from './a.ts';
import type { B } from '../b.ts';
import {
  c,
  d,
} from "'none'";
import {
  e,
} from '@scope/e/part';
import './f.ts';
export * from './g.ts';
const h = await import('./h.ts');
const i = import.meta.resolve('i/file.woff2');
const text = "from './none.ts'";
`;
  expect(specifiersIn(module).toSorted()).toEqual(
    ['../b.ts', './a.ts', './f.ts', './g.ts', './h.ts', '@scope/e/part', 'i/file.woff2'].toSorted(),
  );
  expect(['@scope/e/part', 'pkg/part', './a.ts', 'node:fs'].map(packageOf)).toEqual([
    '@scope/e',
    'pkg',
    undefined,
    undefined,
  ]);
});

describe('a starter', () => {
  let root: string;

  const write = (path: string, text = ''): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'collect-'));
    write('app.ts', `import type { Kit } from './http/kit.ts';\nimport { client } from 'sdk';\n`);
    write('http/kit.ts', `import { z } from 'zod';\n`);
    write('http/kit.test.ts', `import './kit.ts';\nimport { test } from 'vitest';\n`);
    write('http/kit.css');
    write('http/unused.ts');
    write('unused/style.css');
    for (const name of ['diary', 'shop']) {
      write(`${name}/README.md`);
      write(`${name}/http/serve.ts`, `import '../model.ts';\n`);
      write(`${name}/http/testdata/openapi.json`);
      write(`${name}/model.ts`);
      write(`${name}/demo.ts`);
      write(`${name}/model.test.ts`, `import '../testing/table.ts';\n`);
      write(`${name}/demo.test.ts`, `import './demo.ts';\n`);
    }
    write('testing/table.ts', `import 'sdk/table';\nimport 'lib';\n`);
  });

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  test('has the program, the tests, what these import, and the files beside them; nothing of another application', () => {
    expect(applicationsIn(root)).toEqual(['diary', 'shop']);
    expect(starterOf(root, 'shop')).toEqual({
      name: 'shop',
      files: [
        'app.ts',
        'http/kit.css',
        'http/kit.test.ts',
        'http/kit.ts',
        'shop/README.md',
        'shop/http/serve.ts',
        'shop/http/testdata/openapi.json',
        'shop/model.test.ts',
        'shop/model.ts',
        'testing/table.ts',
      ],
      packages: ['sdk', 'zod'],
      testPackages: ['lib', 'vitest'],
      tests: ['http/**/*.test.ts', 'shop/**/*.test.ts'],
    });
  });

  test('has a program in JavaScript and its test, and takes the program for no test', () => {
    write('start.mjs', `await import('bundler');\n`);
    write('start.test.ts', `import { test } from 'vitest';\n`);
    const { files, packages, tests } = starterOf(root, 'shop');
    expect(files).toEqual(expect.arrayContaining(['start.mjs', 'start.test.ts']));
    expect(packages).toContain('bundler');
    expect(tests).toEqual(['http/**/*.test.ts', 'shop/**/*.test.ts', 'start.test.ts']);
  });

  test('leaves out a test that starts another program', () => {
    write('testing/python.ts', `import { execFile } from 'node:child_process';\n`);
    write('shop/python.test.ts', `import '../testing/python.ts';\n`);
    expect(starterOf(root, 'shop').files).not.toContain('shop/python.test.ts');
  });

  test('has the files of another application that it imports, and not the tests of that', () => {
    write('shop/model.ts', `export * from '../diary/model.ts';\n`);
    const { files, tests } = starterOf(root, 'shop');
    expect(files).toEqual(expect.arrayContaining(['diary/model.ts', 'shop/model.ts']));
    expect(files).not.toContain('diary/model.test.ts');
    expect(tests).not.toContain('diary/**/*.test.ts');
  });

  test.each([
    ['./none.ts', 'shop/none.ts is imported, and is not there'],
    ['../../outside.ts', '../outside.ts is imported, and is outside'],
  ])('cannot be made with an import of %s', (path, message) => {
    write('shop/model.ts', `import '${path}';\n`);
    expect(() => starterOf(root, 'shop')).toThrow(SliceError);
    expect(() => starterOf(root, 'shop')).toThrow(message);
  });
});

test('a README has the commands, links and rows of a starter', () => {
  const readme = `# The shop

Sells [books](../books/README.md),
mostly.

## Run it

\`\`\`sh
npm run demo -- shop
\`\`\`

## Files

| File                     | Holds    |
| ------------------------ | -------- |
| [\`model.ts\`](model.ts) | model    |
| [\`demo.ts\`](demo.ts)   | the demo |
| \`seed.ts\`, \`demo.ts\` | samples  |
| \`id\`                   | a key    |

\`\`\`sh
npm run app -- shop --scale 1
npm run app -- shop
npm run bench -- systems
\`\`\`

\`\`\`sh
npm run bench
\`\`\`

\`npm run app -- shop\`, \`npx vitest run systems/shop\`, \`npx singlet check systems/shop/model.ts\`, [a decision](../../docs/x.md#y).
`;
  const present = new Set(['model.ts', 'seed.ts']);
  expect(applicationReadme(readme, { name: 'shop', has: (path) => present.has(path) })).toBe(`# The shop

Sells books,
mostly.

## Files

| File                     | Holds    |
| ------------------------ | -------- |
| [\`model.ts\`](model.ts) | model    |
| \`seed.ts\`, \`demo.ts\` | samples  |
| \`id\`                   | a key    |

\`\`\`sh
npm start -- --scale 1
npm start
\`\`\`

\`npm start\`, \`npm test\`, \`npx singlet check shop/model.ts\`, a decision.
`);
  expect(beginningOf(readme)).toEqual({ title: 'The shop', lead: 'Sells [books](../books/README.md), mostly.' });
});
