import { readFile, writeFile } from 'node:fs/promises';
import type { Database } from '../index.ts';

/*
 * A fixture is a file with tables and their items, for people to read and to change: JSON, with each item on a line of its own. It holds what
 * CreateTable takes, the attribute of the time to live, and the items; not tags, policies, backups or vector indexes.
 */
const fixtureFormat = 1;

interface FixtureTable {
  readonly create: { readonly TableName: string };
  /** The attribute of the time to live, where that is on. */
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

/** A file that is not a fixture, or one of a format that this release does not know. */
export class FixtureError extends Error {
  override readonly name = 'FixtureError';
}

/** What BatchWriteItem takes. */
const batchItemsMax = 25;

/**
 * Writes all tables of a database and their items to a file, which `seedDatabase({ fixture })` reads.
 *
 * @param file - its path. A file that is there is replaced.
 */
export async function saveFixture(database: Database, file: string): Promise<void> {
  const tables: FixtureTable[] = [];
  for (const name of await tableNames(database)) tables.push(await describedTable(database, name));
  await writeFile(file, fixtureText(tables));
}

/**
 * Makes the tables of a fixture in a database, with their items.
 *
 * @throws {FixtureError} when the file is none, with its path.
 */
export async function loadFixture(database: Database, file: string): Promise<void> {
  for (const { create, expires, items } of readFixture(file, await readFile(file, 'utf8'))) {
    const { TableName } = create;
    await database.request('CreateTable', create);
    await writeItems(database, TableName, items);
    if (expires === undefined) continue;
    const TimeToLiveSpecification = { AttributeName: expires, Enabled: true };
    await database.request('UpdateTimeToLive', { TableName, TimeToLiveSpecification });
  }
}

/** Puts items into a table, in batches. */
export async function writeItems(database: Database, table: string, items: readonly object[]): Promise<void> {
  for (let from = 0; from < items.length; from += batchItemsMax) {
    const puts = items.slice(from, from + batchItemsMax).map((Item) => ({ PutRequest: { Item } }));
    await database.request('BatchWriteItem', { RequestItems: { [table]: puts } });
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

/** What CreateTable takes for a table that is described. */
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
