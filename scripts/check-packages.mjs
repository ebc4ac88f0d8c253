// Looks at the packages as they would be published (decisions 0006, 0049 and 0092): what is in them (publint), and how their types resolve
// (arethetypeswrong) for a module, for CommonJS, for a bundler, and for the resolution that TypeScript calls node10. They are built first:
// `npm run build`. On a machine whose node_modules are older than these two tools it says so and continues, but not in CI.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { notInstalled } from './not-installed.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (name) => `${root}node_modules/.bin/${name}`;

const missing = ['publint', 'attw'].filter((name) => !existsSync(bin(name)));
if (missing.length > 0) {
  process.stderr.write(`The packages were not looked at, because ${notInstalled(missing)}: npm ci\n`);
  process.exit(process.env.CI === undefined ? 0 : 1);
}

// These two are for vitest, which is a module only.
const forVitest = ['vitest', 'storage/conformance'];
// These jest loads by their names.
const forJest = ['jest', 'jest-preset'];
const testing = mkdtempSync(join(tmpdir(), 'singlet-testing-'));
process.on('exit', () => rmSync(testing, { recursive: true, force: true }));
await run(process.execPath, ['scripts/testing-package.mjs', '--out', testing]);

// Those of one folder follow each other: attw packs it into a file there.
const attw = (folder, ...flags) => ['attw', '--pack', folder, ...flags, '--quiet'];
const publint = (folder) => ['publint', '--strict', folder];
const checks = [
  [
    attw('packages/singlet', '--exclude-entrypoints', ...forVitest, ...forJest),
    attw('packages/singlet', '--profile', 'esm-only', '--entrypoints', ...forVitest),
    publint('packages/singlet'),
  ],
  [
    attw(testing, '--exclude-entrypoints', 'vitest', ...forJest),
    attw(testing, '--profile', 'esm-only', '--entrypoints', 'vitest'),
    publint(testing),
  ],
  [attw('packages/model'), publint('packages/model')],
  [publint('packages/studio'), publint('packages/create-singlet')],
];
// Most of each is one thread.
await Promise.all(Array.from({ length: availableParallelism() }, work));

async function work() {
  for (let ofFolder = checks.shift(); ofFolder !== undefined; ofFolder = checks.shift()) {
    for (const [name, ...args] of ofFolder) await run(bin(name), args);
  }
}

async function run(name, args) {
  const child = spawn(name, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const [status] = await once(child, 'close');
  if (status === 0) return;
  process.stderr.write(`${name} ${args.join(' ')}\n${output}\n`);
  process.exitCode = 1; // the other checks end by themselves: they remove the files that they have packed
}
