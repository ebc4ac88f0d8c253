import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sourceFiles } from './module-graph.ts';

/** The linter enforces the direction of imports. This test gives it violations, and it must find each. */
const root = fileURLToPath(new URL('../../..', import.meta.url));
const planted: { readonly file: string; readonly code: string; readonly rule: string }[] = [
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
  { file: 'engine/planted-access.ts', code: "import '../access/index.ts';", rule: 'no-restricted-imports' },
  { file: 'engine/items/planted-access.ts', code: "import '../../access/index.ts';", rule: 'no-restricted-imports' },
  { file: 'storage/planted-access.ts', code: "import '../access/caller.ts';", rule: 'no-restricted-imports' },
  { file: 'server/planted-access.ts', code: "import '../access/index.ts';", rule: 'no-restricted-imports' },
  {
    file: 'server/operations/planted-access.ts',
    code: "import '../../access/signature/verify-signature.ts';",
    rule: 'no-restricted-imports',
  },
  { file: 'database/planted-access.ts', code: "import '../access/caller.ts';", rule: 'no-restricted-imports' },
  {
    file: 'database/planted-signature.ts',
    code: "import '../access/signature/verify-signature.ts';",
    rule: 'no-restricted-imports',
  },
  { file: 'access/planted.ts', code: "import '../server/wire.ts';", rule: 'no-restricted-imports' },
  { file: 'access/planted-engine.ts', code: "import '../engine/items/item-key.ts';", rule: 'no-restricted-imports' },
  { file: 'access/policy/planted.ts', code: "import '../../storage/index.ts';", rule: 'no-restricted-imports' },
  { file: 'access/policy/planted-engine.ts', code: "import '../../engine/index.ts';", rule: 'no-restricted-imports' },
  { file: 'access/policy/planted-caller.ts', code: "import '../caller.ts';", rule: 'no-restricted-imports' },
  { file: 'access/policy/planted-io.ts', code: "import 'node:net';", rule: 'no-restricted-imports' },
  {
    file: 'engine/policies/planted-caller.ts',
    code: "import '../../access/caller.ts';",
    rule: 'no-restricted-imports',
  },
  { file: 'access/planted-io.ts', code: "import 'node:fs';", rule: 'no-restricted-imports' },
  { file: 'access/planted-clock.ts', code: 'export const now: number = Date.now();', rule: 'no-restricted-properties' },
  { file: 'access/planted-timer.ts', code: 'setTimeout(() => undefined, 1);', rule: 'no-restricted-globals' },
  { file: 'consumer/planted.ts', code: "import '../engine/index.ts';", rule: 'no-restricted-imports' },
  { file: 'consumer/planted-store.ts', code: "import '../storage/index.ts';", rule: 'no-restricted-imports' },
  { file: 'consumer/planted-server.ts', code: "import '../server/index.ts';", rule: 'no-restricted-imports' },
  { file: 'consumer/planted-timer.ts', code: 'setTimeout(() => undefined, 1);', rule: 'no-restricted-globals' },
  { file: 'verify/planted.ts', code: "import '../engine/index.ts';", rule: 'no-restricted-imports' },
  { file: 'verify/planted-store.ts', code: "import '../storage/index.ts';", rule: 'no-restricted-imports' },
  { file: 'cache/planted.ts', code: "import '../values/item-size.ts';", rule: 'no-restricted-imports' },
  { file: 'engine/planted-consumer.ts', code: "import '../consumer/index.ts';", rule: 'no-restricted-imports' },
  { file: 'server/planted-consumer.ts', code: "import '../consumer/index.ts';", rule: 'no-restricted-imports' },
  {
    file: 'engine/planted-database.ts',
    code: "import '../database/create-database.ts';",
    rule: 'no-restricted-imports',
  },
  {
    file: 'server/planted-database.ts',
    code: "import '../database/create-database.ts';",
    rule: 'no-restricted-imports',
  },
  { file: 'storage/planted-database.ts', code: "import '../database/open-store.ts';", rule: 'no-restricted-imports' },
  { file: 'database/planted.ts', code: "import '../cli/usage-error.ts';", rule: 'no-restricted-imports' },
  { file: 'database/planted-engine.ts', code: "import '../engine/items/item-key.ts';", rule: 'no-restricted-imports' },
  { file: 'database/planted-server.ts', code: "import '../server/wire.ts';", rule: 'no-restricted-imports' },
  { file: 'studio/planted.ts', code: "import '../engine/index.ts';", rule: 'no-restricted-imports' },
  { file: 'presets/planted.ts', code: "import '../database/serve.ts';", rule: 'no-restricted-imports' },
  { file: 'templates/planted.ts', code: "import '../database/serve.ts';", rule: 'no-restricted-imports' },
  { file: 'templates/planted-cli.ts', code: "import '../cli/usage-error.ts';", rule: 'no-restricted-imports' },
  { file: 'studio/planted-server.ts', code: "import '../server/index.ts';", rule: 'no-restricted-imports' },
  { file: 'inspect/planted.ts', code: "import '../engine/items/item-key.ts';", rule: 'no-restricted-imports' },
  { file: 'inspect/planted-wire.ts', code: "import '../server/wire.ts';", rule: 'no-restricted-imports' },
  { file: 'inspect/planted-database.ts', code: "import '../database/serve.ts';", rule: 'no-restricted-imports' },
  { file: 'server/planted-inspect.ts', code: "import '../inspect/index.ts';", rule: 'no-restricted-imports' },
  { file: 'engine/planted-inspect.ts', code: "import '../inspect/index.ts';", rule: 'no-restricted-imports' },
  { file: 'index.ts', code: "import './cli/serve-command.ts';", rule: 'no-restricted-imports' },
  { file: 'engine/planted-any.ts', code: 'export const x: any = 1;', rule: 'no-explicit-any' },
  { file: 'model:planted.ts', code: "import '../../singlet/src/index.ts';", rule: 'no-restricted-imports' },
  { file: 'model:run/planted-package.ts', code: "import 'singlet';", rule: 'no-restricted-imports' },
  {
    file: 'model:prove/oracle/planted-keys.ts',
    code: "import '../../keys/template.ts';",
    rule: 'no-restricted-imports',
  },
  {
    file: 'model:prove/oracle/planted-plan.ts',
    code: "import '../../resolve/resolve.ts';",
    rule: 'no-restricted-imports',
  },
  {
    file: 'model:prove/oracle/planted-run.ts',
    code: "import '../../run/item-codec.ts';",
    rule: 'no-restricted-imports',
  },
  {
    file: 'model:prove/oracle/planted-check.ts',
    code: "import '../../check/check.ts';",
    rule: 'no-restricted-imports',
  },
  {
    file: 'model:prove/oracle/planted-proof.ts',
    code: "import '../../proof/proof.ts';",
    rule: 'no-restricted-imports',
  },
  {
    file: 'model:prove/oracle/planted-condition.ts',
    code: "import '../../patterns/condition.ts';",
    rule: 'no-restricted-imports',
  },
  { file: 'model:prove/oracle/planted-data.ts', code: "import '../data.ts';", rule: 'no-restricted-imports' },
  {
    file: 'model:prove/oracle/planted-sdk.ts',
    code: "import '@aws-sdk/client-dynamodb';",
    rule: 'no-restricted-imports',
  },
  { file: 'model:run/planted-schema.ts', code: "import 'zod';", rule: 'no-restricted-imports' },
];

const allowed: { readonly file: string; readonly code: string }[] = [
  { file: 'expressions/fine.ts', code: "import '../values/decimal.ts';" },
  { file: 'partiql/fine.ts', code: "import '../expressions/index.ts';" },
  { file: 'transfer/formats/fine.ts', code: "import '../../values/decimal.ts';" },
  { file: 'transfer/formats/fine-zlib.ts', code: "import 'node:zlib';" },
  { file: 'transfer/buckets/fine.ts', code: "import 'node:fs';" },
  { file: 'transfer/buckets/fine-values.ts', code: "import '../../values/missing-package.ts';" },
  { file: 'engine/fine-format.ts', code: "import '../transfer/formats/index.ts';" },
  { file: 'engine/fine-bucket.ts', code: "import '../transfer/buckets/bucket.ts';" },
  { file: 'engine/items/fine.ts', code: "import '../../values/decimal.ts';" },
  { file: 'engine/fine.ts', code: "import '../storage/store.ts';" },
  { file: 'model:run/fine.ts', code: "import '@aws-sdk/client-dynamodb';\nimport '../model.ts';" },
  { file: 'model:prove/oracle/fine.ts', code: "import './values.ts';\nimport '../../patterns/need.ts';" },
  { file: 'model:prove/oracle/fine-entity.ts', code: "import '../../entities/entity.ts';" },
  { file: 'consumer/fine.ts', code: "import '@aws-sdk/client-dynamodb-streams';" },
  { file: 'verify/fine.ts', code: "import '../randomness/seeded-random.ts';" },
  { file: 'cache/fine.ts', code: "import './item-cache.ts';" },
  {
    file: 'database/fine.ts',
    code: "import '../engine/index.ts';\nimport '../server/index.ts';\nimport '../storage/index.ts';",
  },
  { file: 'presets/fine.ts', code: "import '../index.ts';" },
  { file: 'presets/fine-template.ts', code: "import '../templates/template-error.ts';" },
  { file: 'studio/fine.ts', code: "import '../values/missing-package.ts';" },
  {
    file: 'access/fine.ts',
    code: "import '../engine/index.ts';\nimport '../partiql/index.ts';\nimport 'node:crypto';",
  },
  { file: 'access/policy/fine.ts', code: "import '../../values/decimal.ts';\nimport './wildcard.ts';" },
  { file: 'engine/policies/fine-policy.ts', code: "import '../../access/policy/policy-document.ts';" },
  { file: 'server/fine-caller.ts', code: "import '../access/caller.ts';" },
  { file: 'database/fine-access.ts', code: "import '../access/index.ts';" },
  { file: 'inspect/fine.ts', code: "import '../engine/index.ts';\nimport '../server/index.ts';" },
  { file: 'cli/fine.ts', code: "import '../database/create-database.ts';" },
  { file: 'server/operations/fine.ts', code: "import '../../engine/index.ts';" },
];

/** The layers of the engine, from the lowest: a folder imports from lower layers, and features import each other. */
const engineLayers: readonly (readonly string[])[] = [
  ['layout'],
  ['catalog'],
  ['schema', 'background'],
  ['followers'],
  ['weather'],
  ['capacity'],
  ['items'],
  ['transactions', 'partiql'],
  [
    'backups',
    'doctor',
    'indexes',
    'insights',
    'jobs',
    'kinesis',
    'policies',
    'replication',
    'scaling',
    'streams',
    'tables',
    'transfer',
    'ttl',
    'vectors',
  ],
  ['operations'],
  ['inspection'],
  ['actions'],
];

/** One import from each folder of the engine to each folder of the layer above, of its own layer if not allowed, and to the top. */
const againstLayers = engineLayers.flatMap((folders, layer) =>
  folders.flatMap((folder) => {
    const above = [...engineLayers.slice(layer + 1).flat(), ...(folders.length === 2 ? folders : [])];
    return above
      .filter((other) => other !== folder)
      .flatMap((other) => [
        {
          file: `engine/${folder}/up-to-${other}.ts`,
          code: `import '../${other}/any.ts';`,
          rule: 'no-restricted-imports',
        },
        ...(folder === 'followers'
          ? [
              {
                file: `engine/followers/feature/up-to-${other}.ts`,
                code: `import '../../${other}/any.ts';`,
                rule: 'no-restricted-imports',
              },
            ]
          : []),
      ]);
  }),
);

const withinLayers = engineLayers.flatMap((folders, layer) =>
  folders.flatMap((folder) =>
    engineLayers
      .slice(0, layer)
      .flat()
      .map((other) => ({ file: `engine/${folder}/down-to-${other}.ts`, code: `import '../${other}/any.ts';` })),
  ),
);

planted.push(
  ...againstLayers,
  { file: 'engine/layout/up-to-services.ts', code: "import '../services.ts';", rule: 'no-restricted-imports' },
  { file: 'engine/items/up-to-services.ts', code: "import '../services.ts';", rule: 'no-restricted-imports' },
  { file: 'engine/ttl/up-to-engine.ts', code: "import '../create-engine.ts';", rule: 'no-restricted-imports' },
  { file: 'engine/operations/up-to-engine.ts', code: "import '../engine.ts';", rule: 'no-restricted-imports' },
  { file: 'engine/items/planted-io.ts', code: "import 'node:fs';", rule: 'no-restricted-imports' },
);
allowed.push(
  ...withinLayers,
  { file: 'engine/items/fine-partiql.ts', code: "import '../../partiql/index.ts';" },
  { file: 'engine/followers/streams/fine.ts', code: "import '../item-follower.ts';\nimport '../kinesis/any.ts';" },
  { file: 'engine/followers/fine.ts', code: "import './streams/any.ts';" },
  { file: 'engine/ttl/fine-feature.ts', code: "import '../backups/any.ts';\nimport '../services.ts';" },
);

/** `model:run/x.ts` is a file of the model's package, any other is a file of the database's. */
const placeOf = (file: string): string =>
  file.startsWith('model:') ? `packages/model/src/${file.slice(6)}` : `packages/singlet/src/${file}`;

let checkout: string;
let found: readonly { readonly filename: string; readonly code: string }[];

beforeAll(() => {
  checkout = mkdtempSync(join(tmpdir(), 'singlet-planted-'));
  cpSync(join(root, '.oxlintrc.json'), join(checkout, '.oxlintrc.json'));
  for (const { file, code } of [...planted, ...allowed]) {
    const path = join(checkout, placeOf(file));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${code}\n`);
  }
  const oxlint = join(root, 'node_modules/oxlint/bin/oxlint');
  const run = spawnSync(process.execPath, [oxlint, '--format', 'json', '.'], { cwd: checkout, encoding: 'utf8' });
  const report = JSON.parse(run.stdout) as { diagnostics: { filename: string; code: string }[] };
  found = report.diagnostics;
});

afterAll(() => rmSync(checkout, { recursive: true, force: true }));

describe('import rules', () => {
  test('know every folder of the engine', () => {
    const engine = join(root, 'packages/singlet/src/engine');
    const folders = readdirSync(engine, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const named = new Set([...engineLayers.flat(), 'testing']);
    expect(folders.map(({ name }) => name).toSorted()).toEqual([...named].toSorted());
  });

  test.each(planted)('find the violation planted in $file', ({ file, rule }) => {
    const codes = found.filter(({ filename }) => filename.endsWith(placeOf(file))).map(({ code }) => code);
    expect(codes.some((code) => code.includes(rule))).toBe(true);
  });

  test.each(allowed)('let $file be', ({ file }) => {
    const codes = found.filter(
      ({ filename, code }) => filename.endsWith(placeOf(file)) && code.includes('no-restricted'),
    );
    expect(codes).toEqual([]);
  });
});

describe('the documents', () => {
  /** Files are named from the root, or from the sources of the database. */
  const bases = ['', 'packages/singlet/src', 'docs'];
  const namedIn = (document: string): readonly string[] => {
    const text = readFileSync(join(root, document), 'utf8');
    const quoted = [...text.matchAll(/`([\w./-]+\/[\w.-]+\.(?:ts|json|md|txt))`/g)].map(([, path = '']) => path);
    const linked = [...text.matchAll(/\]\(([\w./-]+\.md)\)/g)].map(([, path = '']) => path);
    return [...new Set([...quoted, ...linked])];
  };

  test.each(['docs/architecture.md', 'CONTRIBUTING.md'])('%s names files that exist', (document) => {
    const named = namedIn(document);
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((path) => !bases.some((base) => existsSync(join(root, base, path))))).toEqual([]);
  });

  test('the picture of the layers in the architecture names every folder', () => {
    const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
    const [, picture = ''] = /```\n packages\/singlet\/src\/engine\n([^`]+)```/.exec(text) ?? [];
    expect(engineLayers.flat().filter((folder) => !new RegExp(`\\b${folder}\\b`).test(picture))).toEqual([]);
  });
});

describe('the decision records', () => {
  const folder = join(root, 'docs/decisions');
  const records = readdirSync(folder).filter((file) => /^\d{4}-/.test(file));
  const index = readFileSync(join(folder, 'README.md'), 'utf8');
  const numberOf = (file: string): string => file.slice(0, 4);
  /** Records that no source file needs to mention yet. */
  const uncitedMax = 12;
  /** About the repository, measurements and tests: no source file of the packages implements them. */
  const withoutSource = new Set(['0001', '0006', '0008', '0025', '0030', '0032', '0034', '0133', '0145']);

  test.each(records)('%s has one line in the index, with its title', (file) => {
    const [, title = ''] = /^# \d{4} (.+)/.exec(readFileSync(join(folder, file), 'utf8')) ?? [];
    expect(title).not.toBe('');
    expect(index.split('\n').filter((line) => line.includes(`(${file})`))).toEqual([
      `- [${numberOf(file)}](${file}) ${title}`,
    ]);
  });

  test('have numbers of their own, and the index names no others', () => {
    expect(new Set(records.map(numberOf)).size).toBe(records.length);
    const linked = [...index.matchAll(/\]\(([^)]+\.md)\)/g)].map(([, file = '']) => file);
    expect(linked.toSorted()).toEqual(records.toSorted());
  });

  test('are referred to from the files they explain, all but a few, and no other number is', () => {
    const cited = new Set(
      sourceFiles(root).flatMap((file) =>
        file.startsWith('systems/') || (file.startsWith('packages/') && file.includes('/src/'))
          ? [...readFileSync(join(root, file), 'utf8').matchAll(/\bdecision (\d{4})\b/gi)].map(
              ([, number = '']) => number,
            )
          : [],
      ),
    );
    const numbers = new Set(records.map(numberOf));
    expect([...cited].filter((number) => !numbers.has(number))).toEqual([]);
    const uncited = [...numbers].filter((number) => !cited.has(number) && !withoutSource.has(number));
    expect(uncited.length, `no source refers to ${uncited.join(', ')}`).toBeLessThanOrEqual(uncitedMax);
  });
});
