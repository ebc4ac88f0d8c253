// Looks at the packages as they would be published (decisions 0006, 0049 and 0092): what is in them (publint), and how their types resolve
// (arethetypeswrong) for a module, for CommonJS, for a bundler, and for the resolution that TypeScript calls node10. They are built first:
// `npm run build`. On a machine whose node_modules are older than these two tools it says so and continues, but not in CI.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
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

const folders = ['packages/singlet', 'packages/model', 'packages/studio', 'packages/create-singlet'];
for (const folder of folders) run(bin('publint'), ['--strict', folder]);
run(bin('attw'), ['--pack', 'packages/model', '--quiet']);
// These two are for vitest, which is a module only.
const forVitest = ['vitest', 'storage/conformance'];
// These jest loads by their names.
const forJest = ['jest', 'jest-preset'];
run(bin('attw'), ['--pack', 'packages/singlet', '--exclude-entrypoints', ...forVitest, ...forJest, '--quiet']);
run(bin('attw'), ['--pack', 'packages/singlet', '--profile', 'esm-only', '--entrypoints', ...forVitest, '--quiet']);

const testing = mkdtempSync(join(tmpdir(), 'singlet-testing-'));
process.on('exit', () => rmSync(testing, { recursive: true, force: true }));
run(process.execPath, ['scripts/testing-package.mjs', '--out', testing]);
run(bin('publint'), ['--strict', testing]);
run(bin('attw'), ['--pack', testing, '--exclude-entrypoints', 'vitest', ...forJest, '--quiet']);
run(bin('attw'), ['--pack', testing, '--profile', 'esm-only', '--entrypoints', 'vitest', '--quiet']);

function run(name, args) {
  const { status, stdout, stderr } = spawnSync(name, args, { cwd: root, encoding: 'utf8' });
  if (status === 0) return;
  process.stderr.write(`${name} ${args.join(' ')}\n${stdout}${stderr}\n`);
  process.exit(1);
}
