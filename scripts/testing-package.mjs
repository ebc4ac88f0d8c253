// Writes the package @singlet/testing: `node scripts/testing-package.mjs --out FOLDER`. It is the part of `singlet` that tests use, from the
// same build: without the command, and without LMDB, which is most of what an installation of `singlet` takes (decision 0133). Needs the build.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const name = '@singlet/testing';
const source = fileURLToPath(new URL('../packages/singlet', import.meta.url));
const { values: flags } = parseArgs({ options: { out: { type: 'string' } } });
if (flags.out === undefined) {
  process.stderr.write('testing-package: --out names the folder for the package\n');
  process.exit(1);
}
const out = flags.out;

const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));

// The entries have the names that they have in `singlet`, so a project may also install the package under that name. The main one has the
// helpers as well: "@singlet/testing/testing" would be a strange name.
const main = 'dist/presets/with-database';
const exports = {
  '.': {
    import: { types: `./${main}.d.ts`, default: `./${main}.js` },
    require: { types: `./${main}.d.cts`, default: `./${main}.cjs` },
  },
  ...Object.fromEntries(
    ['./testing', './vitest', './jest', './jest-preset'].map((entry) => [entry, manifest.exports[entry]]),
  ),
};
const written = {
  [`${main}.js`]: "export * from '../index.js';\nexport * from './testing.js';\n",
  [`${main}.cjs`]: "module.exports = { ...require('../index.cjs'), ...require('./testing.cjs') };\n",
  [`${main}.d.ts`]: "export * from '../index.js';\nexport * from './testing.js';\n",
  [`${main}.d.cts`]: "export * from '../index.cjs';\nexport * from './testing.cjs';\n",
};

rmSync(out, { recursive: true, force: true });
const packages = new Set(['lmdb']); // the driver loads it through createRequire
const files = reachable(leaves(exports).map((path) => posix.normalize(path)));
for (const file of files) {
  mkdirSync(join(out, dirname(file)), { recursive: true });
  writeFileSync(join(out, file), textOf(file));
}
for (const file of ['LICENSE', 'CHANGELOG.md'].filter((each) => existsSync(join(source, each)))) {
  cpSync(join(source, file), join(out, file));
}
writeFileSync(join(out, 'README.md'), readme());
writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifestOfTesting(), undefined, 2)}\n`);

function manifestOfTesting() {
  const { version, license, type, engines, repository, dependencies, peerDependencies } = manifest;
  const known = { ...peerDependencies, lmdb: dependencies.lmdb };
  const peers = Object.keys(known)
    .filter((each) => packages.has(each))
    .sort();
  return {
    name,
    version,
    description: 'A DynamoDB-compatible database for tests, in memory, with helpers for vitest, jest and node:test',
    keywords: ['dynamodb', 'testing', 'vitest', 'jest', 'mock', 'local'],
    license,
    ...(repository && { repository }),
    type,
    engines,
    main: `./${main}.cjs`,
    types: `./${main}.d.cts`,
    exports,
    typesVersions: {
      '*': { testing: manifest.typesVersions['*'].testing, vitest: manifest.typesVersions['*'].vitest },
    },
    files: ['dist', 'jest', 'CHANGELOG.md'],
    peerDependencies: Object.fromEntries(peers.map((each) => [each, known[each]])),
    peerDependenciesMeta: Object.fromEntries(peers.map((each) => [each, { optional: true }])),
  };
}

/** The files that the entries lead to, imports on demand included; notes the packages that they import. */
function reachable(from) {
  const open = [...new Set(from)];
  const seen = new Set(open);
  for (const file of open) {
    for (const specifier of importsOf(file)) {
      const imported = specifier.startsWith('.') ? fileOf(file, specifier) : undefined;
      if (imported === undefined) packages.add(packageOf(specifier));
      else if (!seen.has(imported)) {
        seen.add(imported);
        open.push(imported);
      }
    }
  }
  return open;
}

function importsOf(file) {
  const loads = /(?:\bfrom|\bimport|\bimport\(|\brequire\(|\brequire\.resolve\()\s*["'`]([^"'`\n]+)["'`]/g;
  return [...textOf(file).matchAll(loads)].map(([, specifier]) => specifier);
}

function fileOf(importer, specifier) {
  const path = posix.join(posix.dirname(importer), specifier);
  if (!/\.d\.c?ts$/.test(importer)) return path;
  return path.replace(/\.(c?)[jt]s$/, '.d.$1ts');
}

function packageOf(specifier) {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function textOf(file) {
  return written[file] ?? readFileSync(join(source, file), 'utf8').replace(/\n\/\/# sourceMappingURL=.*/, '');
}

/** The paths in a tree of conditions. */
function leaves(tree) {
  return typeof tree === 'string' ? [tree] : Object.values(tree).flatMap(leaves);
}

function readme() {
  return `# ${name}

A DynamoDB-compatible database for tests, in the process of the tests: the library of \`singlet\` without
its command and without LMDB. It has no dependencies, no native code and no install scripts.

\`\`\`ts
import { databaseTest } from '${name}/vitest';
\`\`\`

| Entry | Is |
| ----- | -- |
| \`${name}\` | \`createDatabase\`, \`serve\`, \`databasePerTest\`, \`seedDatabase\`, \`testClock\`, fixtures |
| \`${name}/vitest\` | \`databaseTest\`, fixtures for vitest |
| \`${name}/jest\`, \`${name}/jest-preset\` | the environment and the preset for jest |

Where code imports from \`singlet\`, install this package under that name: \`npm install --save-dev singlet@npm:${name}\`.

For data in a directory, add \`lmdb\`. For a server of its own process, and everything else on the command line, use \`singlet\`.
`;
}
