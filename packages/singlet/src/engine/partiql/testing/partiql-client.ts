import { createDatabase, type Database } from '../../../database/create-database.ts';
import { DynamoError } from '../../../values/service-error.ts';

/** Support for tests of PartiQL: a database in this process, and statements in one line. */
export interface PartiqlClient {
  readonly db: Database;
  /** Items of a statement, all pages of them. */
  items(statement: string, ...parameters: readonly object[]): Promise<readonly Item[]>;
  /** The answer to a statement with further members of the request. */
  answer(statement: string, more?: object): Promise<Answer>;
  /** `name: message` of the error that a statement gives; `accepted` if there is none. */
  problem(statement: string, ...parameters: readonly object[]): Promise<string>;
  put(tableName: string, ...items: readonly Item[]): Promise<void>;
  get(tableName: string, key: Item): Promise<Item | undefined>;
  /** Creates a table: one of the definitions below. */
  table(tableName: string, definition: object): Promise<void>;
}

export type Item = Readonly<Record<string, object>>;

export interface Answer {
  readonly Items: readonly Item[];
  readonly NextToken?: string;
  readonly LastEvaluatedKey?: Item;
  readonly ConsumedCapacity?: { readonly CapacityUnits: number };
}

export async function openPartiqlClient(limits: object = {}): Promise<PartiqlClient> {
  const db = await createDatabase({ limits });
  const answer = async (statement: string, more: object = {}): Promise<Answer> =>
    (await db.request('ExecuteStatement', { Statement: statement, ...more })) as Answer;
  return {
    db,
    answer,
    items: async (statement, ...parameters) => {
      const found: Item[] = [];
      let nextToken: string | undefined;
      do {
        const page = await answer(statement, {
          ...(parameters.length > 0 && { Parameters: parameters }),
          ...(nextToken !== undefined && { NextToken: nextToken }),
        });
        found.push(...page.Items);
        nextToken = page.NextToken;
      } while (nextToken !== undefined);
      return found;
    },
    problem: (statement, ...parameters) =>
      problemOf(() => answer(statement, parameters.length > 0 ? { Parameters: parameters } : {})),
    put: async (tableName, ...items) => {
      for (const item of items) await db.request('PutItem', { TableName: tableName, Item: item });
    },
    get: async (tableName, key) => {
      const { Item } = (await db.request('GetItem', { TableName: tableName, Key: key })) as { Item?: Item };
      return Item;
    },
    table: async (tableName, definition) => {
      await db.request('CreateTable', { TableName: tableName, BillingMode: 'PAY_PER_REQUEST', ...definition });
    },
  };
}

/** `name: message`, or `accepted`. Throws on an error that no client may ever receive. */
export async function problemOf(send: () => Promise<unknown>): Promise<string> {
  try {
    await send();
    return 'accepted';
  } catch (error) {
    if (!(error instanceof DynamoError)) throw error;
    return `${error.name}: ${error.message}`;
  }
}

export const S = (text: string): { S: string } => ({ S: text });
export const N = (number: number | string): { N: string } => ({ N: String(number) });

const key = (names: readonly string[]): object[] =>
  names.map((AttributeName, at) => ({ AttributeName, KeyType: at === 0 ? 'HASH' : 'RANGE' }));

const define = (types: Readonly<Record<string, string>>): object[] =>
  Object.entries(types).map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }));

export const hashTable: object = { KeySchema: key(['pk']), AttributeDefinitions: define({ pk: 'S' }) };
export const numberTable: object = { KeySchema: key(['pk']), AttributeDefinitions: define({ pk: 'N' }) };
export const compositeTable: object = {
  KeySchema: key(['pk', 'sk']),
  AttributeDefinitions: define({ pk: 'S', sk: 'S' }),
};
export const sortedTable: object = { KeySchema: key(['pk', 'sk']), AttributeDefinitions: define({ pk: 'S', sk: 'N' }) };

/** Global index `gsi` on g, h, which includes `a`; local index `lsi` on l, keys only. */
export const indexedTable: object = {
  KeySchema: key(['pk', 'sk']),
  AttributeDefinitions: define({ pk: 'S', sk: 'S', g: 'S', h: 'S', l: 'S' }),
  GlobalSecondaryIndexes: [
    {
      IndexName: 'gsi',
      KeySchema: key(['g', 'h']),
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['a'] },
    },
    { IndexName: 'all', KeySchema: key(['g']), Projection: { ProjectionType: 'ALL' } },
    {
      IndexName: 'multi',
      KeySchema: [
        { AttributeName: 'g', KeyType: 'HASH' },
        { AttributeName: 'h', KeyType: 'HASH' },
      ],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
  LocalSecondaryIndexes: [
    { IndexName: 'lsi', KeySchema: key(['pk', 'l']), Projection: { ProjectionType: 'KEYS_ONLY' } },
  ],
};
