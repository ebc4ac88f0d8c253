import { createDatabase, type Database, type DatabaseOptions } from '../index.ts';
import { loadFixture, writeItems } from './fixture.ts';
import { type ModelOfPatterns, policyOfPatterns, refuseUndeclared } from './undeclared-requests.ts';
import { refuseScans } from './unexpected-scans.ts';

/** What a database holds when a test begins, and the options that it is opened with. */
export interface Seed extends DatabaseOptions {
  /** A file that `saveFixture` wrote: its tables and items come first. */
  readonly fixture?: string | undefined;
  /** What CreateTable takes, for each table: written by hand, or `tableDefinitions(model)` of `@singlet/model`. */
  readonly tables?: readonly object[] | undefined;
  /** Items by table, in DynamoDB JSON: `{ Songs: [{ artist: { S: 'Nina' } }] }`. */
  readonly items?: Readonly<Record<string, readonly object[]>> | undefined;
  /**
   * Whether a test fails at its end when its clients read all of a table or an index: by Scan, or by a statement that names no key. What the test
   * itself asks with `database.request` is not looked at.
   */
  readonly failOnScan?: boolean | undefined;
  /**
   * A model whose patterns are all that clients may do with items. Other requests are answered with AccessDeniedException, and the test fails at its
   * end, also where the program continues after that. Needs `@singlet/model`.
   */
  readonly failOnUndeclared?: ModelOfPatterns | undefined;
  /** Whatever else has to be there, written after tables and items. */
  readonly fill?: ((database: Database) => unknown) | undefined;
}

/**
 * A database that is filled once, to be forked for each test: `const database = await seeded.fork()`.
 *
 * @throws {DynamoError} what the service answers to a table or an item that it refuses.
 * @throws {FixtureError} when the fixture is none.
 */
export async function seedDatabase(seed: Seed = {}): Promise<Database> {
  const { fixture, tables = [], items = {}, fill, failOnScan = false, failOnUndeclared: model, ...options } = seed;
  const isRead = failOnScan || model !== undefined;
  const inspection = { ...options.inspection, logRequests: isRead || options.inspection?.logRequests };
  const policy = model === undefined ? options.policy : await policyOfPatterns(model);
  const database = await createDatabase({ ...options, inspection, policy });
  try {
    if (fixture !== undefined) await loadFixture(database, fixture);
    for (const table of tables) await database.request('CreateTable', table);
    for (const [table, all] of Object.entries(items)) await writeItems(database, table, all);
    await fill?.(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/**
 * Ends the database of a test.
 *
 * @throws {UnexpectedScanError} when the seed says `failOnScan`, and the test scanned.
 * @throws {UndeclaredRequestError} when the seed says `failOnUndeclared`, and the test asked for something else.
 */
export async function endTest(database: Database, { failOnScan = false, failOnUndeclared }: Seed): Promise<void> {
  try {
    if (failOnScan) await refuseScans(database);
    if (failOnUndeclared !== undefined) await refuseUndeclared(database);
  } finally {
    await database.close();
  }
}

/** How a test runner takes functions to run before and after tests: `globalThis` in jest, mocha with its names, `node:test` with `before`. */
export interface TestHooks {
  /** Runs once, before the first test. */
  readonly beforeAll: (run: () => Promise<void>) => unknown;
  /** Runs before each test. */
  readonly beforeEach: (run: () => Promise<void>) => unknown;
  /** Runs after each test, also one that failed. */
  readonly afterEach: (run: () => Promise<void>) => unknown;
  /** Runs once, after the last test. */
  readonly afterAll: (run: () => Promise<void>) => unknown;
}

/**
 * Gives each test of a file, or of a `describe`, a database of its own that begins as the seed says.
 *
 * @param hooks - of the test runner; by default the global functions of these names, as jest has them.
 * @returns a function that gives the database of the test that is running.
 * @throws {TypeError} when there are no such functions.
 */
export function databasePerTest(seed: Seed = {}, hooks: TestHooks = globalHooks()): () => Database {
  let seeded: Database | undefined;
  let database: Database | undefined;
  hooks.beforeAll(async () => {
    seeded = await seedDatabase(seed);
  });
  hooks.beforeEach(async () => {
    database = await seeded?.fork();
  });
  hooks.afterEach(async () => {
    const used = database;
    database = undefined;
    if (used !== undefined) await endTest(used, seed);
  });
  hooks.afterAll(async () => {
    await seeded?.close();
    seeded = undefined;
  });
  return () => {
    if (database === undefined)
      throw new TypeError('the database exists only while a test runs: use it inside the test');
    return database;
  };
}

function globalHooks(): TestHooks {
  const hooks = globalThis as unknown as Partial<TestHooks>; // only a test runner puts them there
  if (
    [hooks.beforeAll, hooks.beforeEach, hooks.afterEach, hooks.afterAll].every((hook) => typeof hook === 'function')
  ) {
    return hooks as TestHooks;
  }
  throw new TypeError(
    'there are no global beforeAll, beforeEach, afterEach and afterAll: pass those of your test runner, databasePerTest(seed, { beforeAll, … })',
  );
}
