import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** The direction of imports is a rule of the linter. Here it is given violations, and has to find each. */
const root = fileURLToPath(new URL('../../..', import.meta.url));
const planted: readonly { readonly file: string; readonly code: string; readonly rule: string }[] = [
  { file: 'values/planted.ts', code: "import '../engine/engine.ts';", rule: 'no-restricted-imports' },
  { file: 'values/planted-node.ts', code: "import 'node:fs';", rule: 'no-restricted-imports' },
  { file: 'expressions/planted.ts', code: "import '../storage/store.ts';", rule: 'no-restricted-imports' },
  { file: 'partiql/planted.ts', code: "import '../engine/engine.ts';", rule: 'no-restricted-imports' },
  { file: 'partiql/planted-store.ts', code: "import '../storage/store.ts';", rule: 'no-restricted-imports' },
  { file: 'storage/planted.ts', code: "import '../values/decimal.ts';", rule: 'no-restricted-imports' },
  { file: 'transfer/formats/planted.ts', code: "import '../../engine/engine.ts';", rule: 'no-restricted-imports' },
  { file: 'transfer/formats/planted-bucket.ts', code: "import '../buckets/bucket.ts';", rule: 'no-restricted-imports' },
  { file: 'transfer/formats/planted-io.ts', code: "import 'node:fs';", rule: 'no-restricted-imports' },
  { file: 'transfer/buckets/planted.ts', code: "import '../formats/index.ts';", rule: 'no-restricted-imports' },
  { file: 'engine/planted-bucket.ts', code: "import '../transfer/buckets/index.ts';", rule: 'no-restricted-imports' },
  { file: 'server/planted-format.ts', code: "import '../transfer/formats/index.ts';", rule: 'no-restricted-imports' },
  { file: 'engine/items/planted.ts', code: "import '../../server/wire.ts';", rule: 'no-restricted-imports' },
  { file: 'engine/planted.ts', code: "import '../storage/lmdb/lmdb-store.ts';", rule: 'no-restricted-imports' },
  { file: 'engine/planted-io.ts', code: "import 'node:fs';", rule: 'no-restricted-imports' },
  { file: 'engine/planted-clock.ts', code: 'export const now: number = Date.now();', rule: 'no-restricted-globals' },
  { file: 'engine/planted-timer.ts', code: 'setTimeout(() => undefined, 1);', rule: 'no-restricted-globals' },
  {
    file: 'engine/planted-random.ts',
    code: 'export const r: number = Math.random();',
    rule: 'no-restricted-properties',
  },
  { file: 'server/planted.ts', code: "import '../engine/items/item-key.ts';", rule: 'no-restricted-imports' },
  { file: 'server/planted-store.ts', code: "import '../storage/index.ts';", rule: 'no-restricted-imports' },
  { file: 'engine/planted-any.ts', code: 'export const x: any = 1;', rule: 'no-explicit-any' },
];

const allowed: readonly { readonly file: string; readonly code: string }[] = [
  { file: 'expressions/fine.ts', code: "import '../values/decimal.ts';" },
  { file: 'partiql/fine.ts', code: "import '../expressions/index.ts';" },
  { file: 'transfer/formats/fine.ts', code: "import '../../values/decimal.ts';" },
  { file: 'transfer/formats/fine-zlib.ts', code: "import 'node:zlib';" },
  { file: 'transfer/buckets/fine.ts', code: "import 'node:fs';" },
  { file: 'engine/fine-format.ts', code: "import '../transfer/formats/index.ts';" },
  { file: 'engine/fine-bucket.ts', code: "import '../transfer/buckets/bucket.ts';" },
  { file: 'engine/items/fine.ts', code: "import '../../values/decimal.ts';" },
  { file: 'engine/fine.ts', code: "import '../storage/store.ts';" },
  { file: 'server/operations/fine.ts', code: "import '../../engine/index.ts';" },
];

let folder: string;
let found: readonly { readonly filename: string; readonly code: string }[];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'singlet-planted-'));
  cpSync(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
  for (const { file, code } of [...planted, ...allowed]) {
    const path = join(folder, 'packages/singlet/src', file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${code}\n`);
  }
  const oxlint = join(root, 'node_modules/oxlint/bin/oxlint');
  const run = spawnSync(process.execPath, [oxlint, '--format', 'json', '.'], { cwd: folder, encoding: 'utf8' });
  const report = JSON.parse(run.stdout) as { diagnostics: { filename: string; code: string }[] };
  found = report.diagnostics;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('import rules', () => {
  test.each(planted)('find the violation planted in $file', ({ file, rule }) => {
    const codes = found.filter(({ filename }) => filename.endsWith(file)).map(({ code }) => code);
    expect(codes.some((code) => code.includes(rule))).toBe(true);
  });

  test.each(allowed)('let $file be', ({ file }) => {
    const codes = found.filter(({ filename, code }) => filename.endsWith(file) && code.includes('no-restricted'));
    expect(codes).toEqual([]);
  });
});
