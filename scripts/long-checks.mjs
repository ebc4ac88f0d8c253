/**
 * The long versions of checks that are short in `npm test`. `npm run long` lists them, `npm run long -- NAME` runs one, and the nightly workflow
 * runs them all. docs/reliability.md says what they showed.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The test files that draw some of their combinations (systems/testing/drawn.ts), in some directories. */
function filesThatDraw(directories) {
  const files = directories.flatMap((directory) =>
    readdirSync(join(root, directory), { recursive: true }).map((file) => join(directory, file)),
  );
  return files
    .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
    .filter((file) => /\b(?:drawn|isDrawn|expectSound|expectAccessible)\(/.test(readFileSync(join(root, file), 'utf8')))
    .toSorted();
}

/** By name: what is set, and which test files run. */
export const longChecks = {
  crash: {
    sets: { CRASH_ROUNDS: '200' },
    files: ['packages/singlet/src/storage/lmdb/lmdb-crash.test.ts', 'packages/singlet/test/crash.test.ts'],
  },
  'crash-postgres': {
    sets: { POSTGRES_CRASH_ROUNDS: '200' },
    files: ['packages/singlet/src/storage/postgres/postgres-crash.test.ts'],
  },
  'crash-backup': {
    sets: { BACKUP_ROUNDS: '40' },
    files: [
      'packages/singlet/src/shipping/backup-crash.test.ts',
      'packages/singlet/src/shipping/shared-backup-crash.test.ts',
    ],
  },
  'power-cut': {
    sets: { POWER_CUT_IMAGES: '100000' },
    files: ['packages/singlet/src/storage/lmdb/power-cut.test.ts'],
  },
  'power-cut-postgres': {
    sets: { POWER_CUT_IMAGES: '1000' },
    files: ['packages/singlet/src/storage/postgres/power-cut.test.ts'],
  },
  'power-cut-backup': {
    sets: { POWER_CUT_IMAGES: '10000' },
    files: ['packages/singlet/src/shipping/backup-power-cut.test.ts'],
  },
  damage: {
    sets: { DAMAGE_PLACES: '100' },
    files: [
      'packages/singlet/src/storage/lmdb/damage-matrix.test.ts',
      'packages/singlet/src/shipping/backup-damage.test.ts',
      'packages/singlet/test/data-damage.test.ts',
    ],
  },
  openings: {
    sets: { OPENING_STOPS: '10000' },
    files: ['packages/singlet/src/storage/lmdb/openings.test.ts'],
  },
  hostile: {
    sets: { HOSTILE_REQUESTS: '1000000' },
    files: ['packages/singlet/test/hostile-requests.test.ts', 'packages/singlet/test/expensive-requests.test.ts'],
  },
  simulation: {
    sets: { SIMULATED_HISTORIES: '10000' },
    files: ['packages/singlet/test/simulation.test.ts'],
  },
  storm: {
    sets: { STORM_SEEDS: '20' },
    files: ['systems/storm.test.ts'],
  },
  workbench: {
    sets: { STUDIO_ITEMS: '1000000', STUDIO_COLLECTION: '200000' },
    files: ['packages/studio/test/large-table.test.ts'],
  },
  isolation: {
    sets: { ISOLATION_SECONDS: '300' },
    files: ['packages/singlet/test/store-verify.test.ts', 'packages/singlet/src/verify/verify-isolation.test.ts'],
  },
  models: {
    sets: {
      DRAWN_MODELS: '20000',
      TENANT_MODELS: '40000',
      DRAWN_TENANT_MODELS: '1000',
      DRAWN_POLICY_MODELS: '300',
      DRAWN_STATED_READS: '4000',
      DRAWN_STATED_WRITES: '800',
      DRAWN_LAYOUTS: '400',
    },
    files: [
      'packages/model/test/random-models/proven-models.test.ts',
      'packages/model/test/random-models/proven-tenants.test.ts',
      'packages/model/test/random-models/round-trips.test.ts',
      'packages/model/test/random-models/stated-plans.test.ts',
      'packages/model/test/tenants.test.ts',
    ],
  },
  migrations: {
    sets: { DRAWN_MIGRATIONS: '2000', MIGRATION_FAULTS: 'all' },
    files: [
      'packages/model/test/random-models/migrated-models.test.ts',
      'packages/model/test/random-models/migrate-mutations.test.ts',
    ],
  },
  guides: {
    sets: { GUIDE_FAULTS: 'all' },
    files: ['packages/singlet/test/testing-guide.test.ts'],
  },
  starters: {
    sets: { STARTERS: 'all' },
    files: ['packages/create-singlet/test/starters.test.ts'],
  },
  combinations: {
    sets: { COMBINATIONS: 'all' },
    /** Looked for when the check runs, and not for every other one. */
    get files() {
      return filesThatDraw([
        'systems',
        'conformance',
        'packages/singlet/test',
        'packages/create-singlet/test',
        'packages/studio/test',
        'site',
      ]);
    },
  },
};

function run(name) {
  const check = longChecks[name];
  if (check === undefined) {
    process.stderr.write(`There is no long check "${name}". ${listed()}`);
    return 2;
  }
  const args = ['vitest', 'run', ...check.files];
  // They take as long as they take (vitest.config.ts). The caller has a limit, if there is one.
  const env = { ...process.env, ...check.sets, LONG_CHECK: name };
  return spawnSync('npx', args, { cwd: root, stdio: 'inherit', env }).status ?? 1;
}

function listed() {
  return `npm run long -- NAME, one of: ${Object.keys(longChecks).join(', ')}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name] = process.argv.slice(2);
  if (name === undefined) process.stdout.write(listed());
  else process.exitCode = run(name);
}
