import { readFile, writeFile } from 'node:fs/promises';
import { type Database, DynamoError } from '../index.ts';

/*
 * A fixture is a file with tables and their items, for people to read and edit: JSON, with each item on its own line. It contains the input of
 * CreateTable, the time-to-live attribute, and the items, but not tags, policies, backups or vector indexes.
 */
const fixtureFormat = 1;

interface FixtureTable {
  readonly create: { readonly TableName: string };
  /** The time-to-live attribute, if time to live is enabled. */
  readonly expires?: string;
  readonly items: readonly object[];
}

interface FixtureFile {
  readonly format: typeof fixtureFormat;
  readonly tables: readonly FixtureTable[];
}

interface Described {
  readonly IndexName?: string;
  readonly KeySchema: readonly object[];
  readonly Projection?: object;
  readonly ProvisionedThroughput?: { readonly ReadCapacityUnits: number; readonly WriteCapacityUnits: number };
}

interface DescribedTable extends Described {
  readonly TableName: string;
  readonly AttributeDefinitions: readonly object[];
  readonly BillingModeSummary?: { readonly BillingMode: string };
  readonly StreamSpecification?: object;
  readonly LocalSecondaryIndexes?: readonly Described[];
  readonly GlobalSecondaryIndexes?: readonly Described[];
}

/** A file that is not a fixture, or has a format that this release does not support; items that cannot be written. */
export class FixtureError extends Error {
  override readonly name = 'FixtureError';
}

/** The maximum number of items in a BatchWriteItem. */
const batchItemsMax = 25;

/**
 * Writes all tables of a database and their items to a file that `seedDatabase({ fixture })` reads.
 *
 * @param file - its path. An existing file is replaced.
 */
export async function saveFixture(database: Database, file: string): Promise<void> {
  const tables: FixtureTable[] = [];
  for (const name of await tableNames(database)) tables.push(await describedTable(database, name));
  await writeFile(file, fixtureText(tables));
}

/**
 * Creates the tables of a fixture, with their items, in a database.
 *
 * @throws {FixtureError} if there is no such file, or it is not a fixture, with its path.
 */
export async function loadFixture(database: Database, file: string): Promise<void> {
  for (const { create, expires, items } of readFixture(file, await textOf(file))) {
    const { TableName } = create;
    await database.request('CreateTable', create);
    await writeItems(database, TableName, items);
    if (expires === undefined) continue;
    const TimeToLiveSpecification = { AttributeName: expires, Enabled: true };
    await database.request('UpdateTimeToLive', { TableName, TimeToLiveSpecification });
  }
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new FixtureError(`the fixture ${file} cannot be read; saveFixture writes it`, { cause });
  }
}

/**
 * Writes items to a table, in batches.
 *
 * @throws {FixtureError} if there is no such table, or it is throttled.
 */
export async function writeItems(database: Database, table: string, items: readonly object[]): Promise<void> {
  for (let from = 0; from < items.length; from += batchItemsMax) {
    const puts = items.slice(from, from + batchItemsMax).map((Item) => ({ PutRequest: { Item } }));
    const { UnprocessedItems = {} } = (await batchWritten(database, { [table]: puts })) as {
      readonly UnprocessedItems?: object;
    };
    if (Object.keys(UnprocessedItems).length > 0) {
      throw new FixtureError(
        `${table} has too little write capacity for its ${items.length} items: raise it, or omit throttle`,
      );
    }
  }
}

async function batchWritten(database: Database, RequestItems: object): Promise<unknown> {
  try {
    return await database.request('BatchWriteItem', { RequestItems });
  } catch (error) {
    if (!(error instanceof DynamoError) || error.name !== 'ResourceNotFoundException') throw error;
    const [table] = Object.keys(RequestItems);
    const names = await tableNames(database);
    throw new FixtureError(`there is no table ${table} for its items; there are: ${names.join(', ') || 'none'}`, {
      cause: error,
    });
  }
}

function readFixture(file: string, text: string): readonly FixtureTable[] {
  let parsed: Partial<FixtureFile>;
  try {
    parsed = JSON.parse(text) as Partial<FixtureFile>;
  } catch (cause) {
    throw new FixtureError(`${file} is not a fixture: it is not JSON`, { cause });
  }
  if (parsed.format !== fixtureFormat || !Array.isArray(parsed.tables)) {
    throw new FixtureError(`${file} is not a fixture of format ${fixtureFormat}, which saveFixture writes`);
  }
  return parsed.tables;
}

async function tableNames(database: Database): Promise<readonly string[]> {
  const names: string[] = [];
  let ExclusiveStartTableName: string | undefined;
  do {
    const page = (await database.request('ListTables', { ExclusiveStartTableName })) as {
      readonly TableNames: readonly string[];
      readonly LastEvaluatedTableName?: string;
    };
    names.push(...page.TableNames);
    ExclusiveStartTableName = page.LastEvaluatedTableName;
  } while (ExclusiveStartTableName !== undefined);
  return names;
}

async function describedTable(database: Database, TableName: string): Promise<FixtureTable> {
  const { Table } = (await database.request('DescribeTable', { TableName })) as { readonly Table: DescribedTable };
  const { TimeToLiveDescription: timeToLive } = (await database.request('DescribeTimeToLive', { TableName })) as {
    readonly TimeToLiveDescription: { readonly TimeToLiveStatus: string; readonly AttributeName?: string };
  };
  return {
    create: creationOf(Table),
    ...(timeToLive.TimeToLiveStatus.startsWith('ENABL') &&
      timeToLive.AttributeName !== undefined && { expires: timeToLive.AttributeName }),
    items: await allItems(database, TableName),
  };
}

async function allItems(database: Database, TableName: string): Promise<readonly object[]> {
  const items: object[] = [];
  let ExclusiveStartKey: object | undefined;
  do {
    const page = (await database.request('Scan', { TableName, ExclusiveStartKey, ConsistentRead: true })) as {
      readonly Items: readonly object[];
      readonly LastEvaluatedKey?: object;
    };
    items.push(...page.Items);
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
  return items;
}

/** The input of CreateTable for a described table. */
function creationOf(table: DescribedTable): FixtureTable['create'] {
  const isOnDemand = table.BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST';
  const throughputOf = ({ ProvisionedThroughput: units }: Described): object =>
    isOnDemand || units === undefined
      ? {}
      : {
          ProvisionedThroughput: {
            ReadCapacityUnits: units.ReadCapacityUnits,
            WriteCapacityUnits: units.WriteCapacityUnits,
          },
        };
  const { TableName, AttributeDefinitions, KeySchema, StreamSpecification } = table;
  const { LocalSecondaryIndexes: locals = [], GlobalSecondaryIndexes: globals = [] } = table;
  const local = locals.map(({ IndexName, KeySchema: keys, Projection }) => ({
    IndexName,
    KeySchema: keys,
    Projection,
  }));
  const global = globals.map((index) => ({
    IndexName: index.IndexName,
    KeySchema: index.KeySchema,
    Projection: index.Projection,
    ...throughputOf(index),
  }));
  return {
    TableName,
    AttributeDefinitions,
    KeySchema,
    BillingMode: isOnDemand ? 'PAY_PER_REQUEST' : 'PROVISIONED',
    ...throughputOf(table),
    ...(local.length > 0 && { LocalSecondaryIndexes: local }),
    ...(global.length > 0 && { GlobalSecondaryIndexes: global }),
    ...(StreamSpecification !== undefined && { StreamSpecification }),
  } as FixtureTable['create'];
}

function fixtureText(tables: readonly FixtureTable[]): string {
  const texts = tables.map(({ items, ...rest }) => {
    const head = JSON.stringify(rest).slice(0, -1);
    const lines = items.map((item) => `\n      ${JSON.stringify(item)}`);
    return `\n    ${head},"items":[${lines.join(',')}]}`;
  });
  return `{\n  "format": ${fixtureFormat},\n  "tables": [${texts.join(',')}\n  ]\n}\n`;
}
