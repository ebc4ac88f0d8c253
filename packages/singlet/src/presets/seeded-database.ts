import { createDatabase, type Database, type DatabaseOptions } from '../index.ts';
import { loadFixture, writeItems } from './fixture.ts';
import { createTemplateTables, type TableTemplate } from './template-tables.ts';
import { type ModelOfPatterns, policyOfPatterns, refuseUndeclared } from './undeclared-requests.ts';
import { refuseScans } from './unexpected-scans.ts';

/** The contents of a database when a test begins, and its options. */
export interface Seed extends DatabaseOptions {
  /** A file written by `saveFixture`. Its tables and items are loaded first. */
  readonly fixture?: string | undefined;
  /**
   * A file that declares tables: a CloudFormation or CDK template, a Terraform plan (`terraform show -json`), or the input of CreateTable. Created
   * after the fixture is loaded, with time to live and point-in-time recovery; see {@link TableTemplate} for parameters.
   */
  readonly template?: string | TableTemplate | undefined;
  /** The input of CreateTable for each table: written by hand, or `tableDefinitions(model)` of `@singlet/model`. */
  readonly tables?: readonly object[] | undefined;
  /** Items by table, in DynamoDB JSON: `{ Songs: [{ artist: { S: 'Nina' } }] }`. */
  readonly items?: Readonly<Record<string, readonly object[]>> | undefined;
  /**
   * Whether a test fails at its end if its clients read a whole table or index: by Scan, or by a statement without a key. Requests that the
   * test itself makes with `database.request` do not count.
   */
  readonly failOnScan?: boolean | undefined;
  /**
   * A model whose patterns are the only item operations that clients may perform. Other requests are answered with AccessDeniedException, and
   * the test then fails at its end even if the program handles the error. Needs `@singlet/model`.
   */
  readonly failOnUndeclared?: ModelOfPatterns | undefined;
  /** Writes further contents, after tables and items. */
  readonly fill?: ((database: Database) => unknown) | undefined;
}

/**
 * A database that is filled once, to be forked for each test: `const database = await seeded.fork()`.
 *
 * @throws {DynamoError} the service's error for a table or an item that it refuses.
 * @throws {TypeError} for an unknown option, and items that are not a list of items in DynamoDB JSON.
 * @throws {FixtureError} if the file is not a fixture, and for items that cannot be written: there is no such table, or it has too little capacity.
 * @throws {TemplateError} if the template cannot be read, or declares no table.
 */
export async function seedDatabase(seed: Seed = {}): Promise<Database> {
  const {
    fixture,
    template,
    tables = [],
    items = {},
    fill,
    failOnScan = false,
    failOnUndeclared: model,
    ...options
  } = seed;
  const isRead = failOnScan || model !== undefined;
  const inspection = { ...options.inspection, logRequests: isRead || options.inspection?.logRequests };
  const policy = model === undefined ? options.policy : await policyOfPatterns(model);
  const { weather } = options;
  // The seed is written in clear weather: a fault would fail it, or leave items out.
  const database = await createDatabase({ ...options, ...(weather && { weather: {} }), inspection, policy });
  try {
    if (fixture !== undefined) await loadFixture(database, fixture);
    if (template !== undefined) await createTemplateTables(database, template);
    if (!Array.isArray(tables)) throw new TypeError('tables is a list: the input of CreateTable for each table');
    for (const table of tables as readonly object[]) await database.request('CreateTable', table);
    for (const [table, all] of Object.entries(items)) await writeItems(database, table, checkedItems(table, all));
    await fill?.(database);
    if (weather !== undefined) await database.setWeather(weather);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** The service's error for a value in another form names neither the item nor the attribute. */
function checkedItems(table: string, items: readonly object[]): readonly object[] {
  if (!Array.isArray(items)) throw new TypeError(`items.${table} is a list of items, also for a single one`);
  for (const [at, item] of items.entries()) {
    for (const [name, value] of Object.entries(item)) {
      if (typeof value === 'object' && value !== null) continue;
      throw new TypeError(
        `items.${table}[${at}].${name} is in DynamoDB JSON, such as { S: 'text' } or { N: '1' }, not ${JSON.stringify(value)}`,
      );
    }
  }
  return items;
}

/**
 * Closes the database of a test.
 *
 * @throws {UnexpectedScanError} if the seed has `failOnScan`, and the test scanned.
 * @throws {UndeclaredRequestError} if the seed has `failOnUndeclared`, and the test made an undeclared request.
 */
export async function endTest(database: Database, { failOnScan = false, failOnUndeclared }: Seed): Promise<void> {
  try {
    if (failOnScan) await refuseScans(database);
    if (failOnUndeclared !== undefined) await refuseUndeclared(database);
  } finally {
    await database.close();
  }
}

/** How a test runner registers functions that run before and after tests: `globalThis` in jest, mocha with its names, `node:test` with `before`. */
export interface TestHooks {
  /** Runs once, before the first test. */
  readonly beforeAll: (run: () => Promise<void>) => unknown;
  /** Runs before each test. */
  readonly beforeEach: (run: () => Promise<void>) => unknown;
  /** Runs after each test, including failed ones. */
  readonly afterEach: (run: () => Promise<void>) => unknown;
  /** Runs once, after the last test. */
  readonly afterAll: (run: () => Promise<void>) => unknown;
}

/**
 * Gives each test of a file, or of a `describe`, its own database with the contents of the seed.
 *
 * @param hooks - of the test runner; by default the global functions of these names, as in jest.
 * @returns a function that returns the database of the running test.
 * @throws {TypeError} if there are no such functions.
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
  const hooks = globalThis as unknown as Partial<TestHooks>; // only a test runner defines them
  if (
    [hooks.beforeAll, hooks.beforeEach, hooks.afterEach, hooks.afterAll].every((hook) => typeof hook === 'function')
  ) {
    return hooks as TestHooks;
  }
  throw new TypeError(
    'there are no global beforeAll, beforeEach, afterEach and afterAll: pass those of your test runner, databasePerTest(seed, { beforeAll, … })',
  );
}
