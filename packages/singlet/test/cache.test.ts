import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  CreateTableCommand,
  DeleteItemCommand,
  DeleteTableCommand,
  DynamoDBClient,
  ExecuteStatementCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand as QueryDocuments } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CachedClient, cachedClient, type CacheOptions } from '../src/cache/index.ts';
import { createDatabase, type Database, serve } from '../src/index.ts';

/** Every rule of docs/cache.md. `around` is a client without cache; `sent` lists what reached the database through the cache. */

const TableName = 'Products';
const minuteMs = 60_000;

let database: Database;
let around: DynamoDBClient;
let cached: CachedClient;
let sent: string[];
let nowMs: number;
let beforeRequest: (action: string) => Promise<void> | void;
let afterRequest: (action: string) => Promise<void> | void;

beforeEach(async () => {
  database = await createDatabase();
  around = new DynamoDBClient(database.clientConfig());
  sent = [];
  nowMs = 0;
  beforeRequest = (): void => undefined;
  afterRequest = (): void => undefined;
  await createTable();
  cached = newCache();
});

afterEach(async () => {
  await cached.cache.settled();
  around.destroy();
  await database.close();
});

function newCache(options: CacheOptions = {}): CachedClient {
  const config = database.clientConfig();
  const { requestHandler } = config;
  const handle: typeof requestHandler.handle = async (request, handlerOptions) => {
    const action = request.headers['x-amz-target']?.split('.')[1] ?? '';
    sent.push(action);
    await beforeRequest(action);
    const answer = await requestHandler.handle(request, handlerOptions);
    await afterRequest(action);
    return answer;
  };
  const client = new DynamoDBClient({ ...config, maxAttempts: 1, requestHandler: { ...requestHandler, handle } });
  return cachedClient(client, { nowMs: () => nowMs, ...options });
}

async function createTable(): Promise<void> {
  await around.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'shop', AttributeType: 'S' },
        { AttributeName: 'id', AttributeType: 'N' },
      ],
      KeySchema: [
        { AttributeName: 'shop', KeyType: 'HASH' },
        { AttributeName: 'id', KeyType: 'RANGE' },
      ],
    }),
  );
}

const keyOf = (id: number | string): { shop: AttributeValue.SMember; id: AttributeValue.NMember } => ({
  shop: { S: 'books' },
  id: { N: String(id) },
});

async function put(client: DynamoDBClient, id: number, name: string): Promise<void> {
  await client.send(new PutItemCommand({ TableName, Item: { ...keyOf(id), name: { S: name } } }));
}

async function nameOf(
  client: DynamoDBClient,
  id: number | string,
  options: { readonly ConsistentRead?: boolean } = {},
): Promise<string | undefined> {
  const { Item } = await client.send(new GetItemCommand({ TableName, Key: keyOf(id), ...options }));
  return Item?.['name']?.S;
}

const ofShop = {
  TableName,
  KeyConditionExpression: 'shop = :shop',
  ExpressionAttributeValues: { ':shop': { S: 'books' } },
};

async function namesInShop(client: DynamoDBClient, parameters: object = {}): Promise<readonly (string | undefined)[]> {
  const { Items = [] } = await client.send(new QueryCommand({ ...ofShop, ...parameters }));
  return Items.map(({ name }) => name?.S);
}

describe('DB-019 the item cache', () => {
  test('a second read is a hit (P-39.a)', async () => {
    await put(around, 1, 'old');
    expect(await nameOf(cached, 1)).toBe('old');
    expect(await nameOf(cached, 1)).toBe('old');
    expect(sent).toEqual(['GetItem']);
    expect(cached.cache.statistics()).toMatchObject({ itemHits: 1, itemMisses: 1, itemCount: 1 });
  });

  test('a write through it is read at once (P-39.b)', async () => {
    await put(cached, 1, 'first');
    expect(await nameOf(cached, 1)).toBe('first');
    await put(cached, 1, 'second');
    expect(await nameOf(cached, 1)).toBe('second');
    expect(sent.filter((action) => action === 'GetItem')).toEqual([]);
  });

  test('a write around it is not seen until the item expires (P-39.c)', async () => {
    await put(around, 1, 'old');
    await nameOf(cached, 1);
    await put(around, 1, 'new');
    nowMs += 5 * minuteMs - 1;
    expect(await nameOf(cached, 1)).toBe('old');
    nowMs += 1;
    expect(await nameOf(cached, 1)).toBe('new');
  });

  test('reading does not make an item live longer', async () => {
    await put(around, 1, 'old');
    for (let minute = 0; minute < 5; minute += 1) {
      await nameOf(cached, 1);
      nowMs += minuteMs;
    }
    await nameOf(cached, 1);
    expect(sent).toHaveLength(2);
  });

  test('a consistent read goes past it, and is not kept (P-39.d)', async () => {
    await put(around, 1, 'old');
    await nameOf(cached, 1);
    await put(around, 1, 'new');
    expect(await nameOf(cached, 1, { ConsistentRead: true })).toBe('new');
    expect(await nameOf(cached, 1)).toBe('old');
  });

  test('transactional reads go past it, and are not kept', async () => {
    await put(around, 1, 'old');
    await nameOf(cached, 1);
    await put(around, 1, 'new');
    const { Responses } = await cached.send(
      new TransactGetItemsCommand({ TransactItems: [{ Get: { TableName, Key: keyOf(1) } }] }),
    );
    expect(Responses?.[0]?.Item?.['name']?.S).toBe('new');
    expect(await nameOf(cached, 1)).toBe('old');
  });

  test('that there is no item is kept, too', async () => {
    expect(await nameOf(cached, 1)).toBeUndefined();
    await put(around, 1, 'new');
    expect(await nameOf(cached, 1)).toBeUndefined();
    nowMs += 5 * minuteMs;
    expect(await nameOf(cached, 1)).toBe('new');
  });

  test('an item that is known to be absent is there when it is written through', async () => {
    expect(await nameOf(cached, 1)).toBeUndefined();
    await put(cached, 1, 'new');
    expect(await nameOf(cached, 1)).toBe('new');
  });

  test('a deletion through it is known without asking', async () => {
    await put(cached, 1, 'old');
    await cached.send(new DeleteItemCommand({ TableName, Key: keyOf(1) }));
    expect(await nameOf(cached, 1)).toBeUndefined();
    expect(sent).toEqual(['DescribeTable', 'PutItem', 'DeleteItem']);
  });

  test.each([undefined, 'ALL_NEW', 'UPDATED_OLD'] as const)(
    'an update that returns %s is known whole',
    async (ReturnValues) => {
      await put(cached, 1, 'old');
      await cached.send(
        new UpdateItemCommand({
          TableName,
          Key: keyOf(1),
          UpdateExpression: 'SET pages = :pages',
          ExpressionAttributeValues: { ':pages': { N: '300' } },
          ...(ReturnValues && { ReturnValues }),
        }),
      );
      await put(around, 1, 'around');
      const { Item } = await cached.send(new GetItemCommand({ TableName, Key: keyOf(1) }));
      expect(Item).toEqual({ ...keyOf(1), name: { S: 'old' }, pages: { N: '300' } });
      expect(sent.filter((action) => action === 'GetItem')).toHaveLength(ReturnValues === 'ALL_NEW' ? 0 : 1);
    },
  );

  test('a write that is refused changes nothing', async () => {
    await put(around, 1, 'old');
    await nameOf(cached, 1);
    const refused = new PutItemCommand({
      TableName,
      Item: { ...keyOf(1), name: { S: 'new' } },
      ConditionExpression: 'attribute_not_exists(shop)',
    });
    await expect(cached.send(refused)).rejects.toThrow(ConditionalCheckFailedException);
    expect(await nameOf(cached, 1)).toBe('old');
    expect(sent.filter((action) => action === 'GetItem')).toHaveLength(1);
  });

  test('after a write of which it is unknown whether it was made, the item is read again', async () => {
    await put(cached, 1, 'old');
    afterRequest = (action) => {
      if (action === 'PutItem') throw new TypeError('connection lost');
    };
    await expect(put(cached, 1, 'new')).rejects.toThrow('connection lost');
    expect(await nameOf(cached, 1)).toBe('new');
  });

  test('keys that are equal as numbers are one item', async () => {
    await put(around, 1, 'old');
    await nameOf(cached, '1.0');
    await put(cached, 1, 'new');
    expect([await nameOf(cached, '1.0'), await nameOf(cached, '10e-1'), await nameOf(cached, '+1')]).toEqual([
      'new',
      'new',
      'new',
    ]);
    expect(sent.filter((action) => action === 'GetItem')).toHaveLength(1);
  });

  test('what is written is read as the database would give it', async () => {
    const Item = {
      ...keyOf(1),
      count: { N: '001.50' },
      set: { NS: ['2.0', '1'] },
      map: { M: { N: { S: 'text' }, bytes: { B: new Uint8Array([0, 255]) } } },
    };
    await cached.send(new PutItemCommand({ TableName, Item }));
    const read = async (client: DynamoDBClient): Promise<unknown> =>
      (await client.send(new GetItemCommand({ TableName, Key: keyOf(1) }))).Item;
    expect(await read(cached)).toEqual(await read(around));
    expect(await read(cached)).toMatchObject({ count: { N: '1.5' }, map: { M: { N: { S: 'text' } } } });
  });

  test('each projection is kept by itself, and a write replaces all', async () => {
    await put(around, 1, 'old');
    const projected = new GetItemCommand({
      TableName,
      Key: keyOf(1),
      ProjectionExpression: '#n',
      ExpressionAttributeNames: { '#n': 'name' },
    });
    expect((await cached.send(projected)).Item).toEqual({ name: { S: 'old' } });
    expect((await cached.send(projected)).Item).toEqual({ name: { S: 'old' } });
    expect((await cached.send(new GetItemCommand({ TableName, Key: keyOf(1) }))).Item).toHaveProperty('shop');
    expect(sent).toEqual(['GetItem', 'GetItem']);
    await put(cached, 1, 'new');
    expect((await cached.send(projected)).Item).toEqual({ name: { S: 'new' } });
  });

  test('a table named by its ARN is the same table', async () => {
    const { Table } = (await database.request('DescribeTable', { TableName })) as { Table: { TableArn: string } };
    const byArn = new GetItemCommand({ TableName: Table.TableArn, Key: keyOf(1) });
    await put(around, 1, 'old');
    await cached.send(byArn);
    await put(cached, 1, 'new');
    expect((await cached.send(byArn)).Item?.['name']?.S).toBe('new');
  });

  test('a table that is deleted takes its items along', async () => {
    await put(cached, 1, 'old');
    await cached.send(new DeleteTableCommand({ TableName }));
    await createTable();
    expect(await nameOf(cached, 1)).toBeUndefined();
  });

  test('statements go past it', async () => {
    await put(cached, 1, 'old');
    await cached.send(
      new ExecuteStatementCommand({
        Statement: `UPDATE ${TableName} SET name = 'new' WHERE shop = 'books' AND id = 1`,
      }),
    );
    expect(await nameOf(cached, 1)).toBe('old');
    expect(await nameOf(cached, 1, { ConsistentRead: true })).toBe('new');
  });
});

describe('DB-019 batches', () => {
  const batchOf = (...ids: readonly number[]): BatchGetItemCommand =>
    new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: ids.map(keyOf) } } });

  const namesOf = async (...ids: readonly number[]): Promise<readonly string[]> => {
    const { Responses, UnprocessedKeys } = await cached.send(batchOf(...ids));
    expect(UnprocessedKeys).toEqual({});
    return (Responses?.[TableName] ?? []).map(({ name }) => name?.S ?? '').toSorted();
  };

  test('are read key by key: only what is missing is asked for', async () => {
    for (const id of [1, 2, 3]) await put(around, id, `n${id}`);
    await nameOf(cached, 1);
    await put(around, 1, 'changed');
    expect(await namesOf(1, 2, 4)).toEqual(['n1', 'n2']);
    expect(await namesOf(1, 2, 4)).toEqual(['n1', 'n2']);
    expect(sent).toEqual(['GetItem', 'BatchGetItem']);
    expect(await nameOf(cached, 2)).toBe('n2');
    expect(cached.cache.statistics()).toMatchObject({ itemHits: 1 + 3 + 1, itemMisses: 1 + 2 });
  });

  test('that are to be consistent go past it', async () => {
    await put(cached, 1, 'old');
    await put(around, 1, 'new');
    const command = new BatchGetItemCommand({
      RequestItems: { [TableName]: { Keys: [keyOf(1)], ConsistentRead: true } },
    });
    expect((await cached.send(command)).Responses?.[TableName]?.[0]?.['name']?.S).toBe('new');
    expect(await nameOf(cached, 1)).toBe('old');
  });

  test('that the database refuses are refused', async () => {
    await put(cached, 1, 'old');
    await expect(cached.send(batchOf(1, 1))).rejects.toThrow('duplicates');
  });

  test('of writes are written through', async () => {
    await put(cached, 1, 'old');
    await cached.send(
      new BatchWriteItemCommand({
        RequestItems: {
          [TableName]: [
            { DeleteRequest: { Key: keyOf(1) } },
            { PutRequest: { Item: { ...keyOf(2), name: { S: 'two' } } } },
          ],
        },
      }),
    );
    expect([await nameOf(cached, 1), await nameOf(cached, 2)]).toEqual([undefined, 'two']);
    expect(sent.filter((action) => action === 'GetItem')).toEqual([]);
  });
});

describe('DB-019 transactions', () => {
  const renameTo = (name: string): TransactWriteItemsCommand =>
    new TransactWriteItemsCommand({
      TransactItems: [
        { Put: { TableName, Item: { ...keyOf(1), name: { S: name } } } },
        {
          Update: {
            TableName,
            Key: keyOf(2),
            UpdateExpression: 'SET #n = :n',
            ExpressionAttributeNames: { '#n': 'name' },
            ExpressionAttributeValues: { ':n': { S: name } },
          },
        },
        { Delete: { TableName, Key: keyOf(3) } },
      ],
    });

  test('what they write is never read in its old state, and is read again behind the answer', async () => {
    for (const id of [1, 2, 3]) await put(cached, id, 'old');
    await cached.send(renameTo('new'));
    expect(await Promise.all([1, 2, 3].map((id) => nameOf(cached, id)))).toEqual(['new', 'new', undefined]);
    await cached.cache.settled();
    expect(sent.filter((action) => action.endsWith('GetItem') || action.endsWith('GetItems'))).toEqual([
      'TransactGetItems',
    ]);
  });

  test('that are cancelled change nothing', async () => {
    await put(cached, 1, 'old');
    const cancelled = new TransactWriteItemsCommand({
      TransactItems: [
        { Put: { TableName, Item: { ...keyOf(1), name: { S: 'new' } } } },
        { ConditionCheck: { TableName, Key: keyOf(9), ConditionExpression: 'attribute_exists(shop)' } },
      ],
    });
    await expect(cached.send(cancelled)).rejects.toThrow('cancelled');
    expect(await nameOf(cached, 1)).toBe('old');
    expect(sent.filter((action) => action === 'GetItem')).toEqual([]);
  });
});

describe('DB-019 the query cache', () => {
  test('the same request is a hit, another one is not', async () => {
    await put(around, 1, 'one');
    await put(around, 2, 'two');
    expect(await namesInShop(cached)).toEqual(['one', 'two']);
    expect(await namesInShop(cached)).toEqual(['one', 'two']);
    expect(await namesInShop(cached, { ScanIndexForward: false })).toEqual(['two', 'one']);
    expect(await namesInShop(cached, { Limit: 1 })).toEqual(['one']);
    expect(sent).toEqual(['Query', 'Query', 'Query']);
    expect(cached.cache.statistics()).toMatchObject({ queryHits: 1, queryMisses: 3, queryCount: 3 });
  });

  test('pages are kept by where they begin', async () => {
    for (const id of [1, 2, 3]) await put(around, id, `n${id}`);
    const walk = async (): Promise<readonly unknown[]> => {
      const names: unknown[] = [];
      let ExclusiveStartKey: Record<string, AttributeValue> | undefined;
      do {
        const page = await cached.send(new QueryCommand({ ...ofShop, Limit: 2, ExclusiveStartKey }));
        names.push(...(page.Items ?? []).map(({ name }) => name?.S));
        ExclusiveStartKey = page.LastEvaluatedKey;
      } while (ExclusiveStartKey !== undefined);
      return names;
    };
    expect(await walk()).toEqual(['n1', 'n2', 'n3']);
    expect(await walk()).toEqual(['n1', 'n2', 'n3']);
    expect(sent).toEqual(['Query', 'Query']);
  });

  test('writes do not touch it, not even through the cache: only time does', async () => {
    await put(cached, 1, 'old');
    expect(await namesInShop(cached)).toEqual(['old']);
    await put(cached, 1, 'new');
    await put(cached, 2, 'two');
    nowMs += 5 * minuteMs - 1;
    expect(await namesInShop(cached)).toEqual(['old']);
    expect(await nameOf(cached, 1)).toBe('new');
    nowMs += 1;
    expect(await namesInShop(cached)).toEqual(['new', 'two']);
  });

  test('an empty result is kept, too', async () => {
    expect(await namesInShop(cached)).toEqual([]);
    await put(cached, 1, 'new');
    expect(await namesInShop(cached)).toEqual([]);
  });

  test('results do not fill the item cache, nor items the results', async () => {
    await put(around, 1, 'one');
    await namesInShop(cached);
    await put(around, 1, 'changed');
    expect(await nameOf(cached, 1)).toBe('changed');
    expect(sent).toEqual(['Query', 'GetItem']);
  });

  test('scans are kept; consistent queries are not', async () => {
    await put(around, 1, 'one');
    const scan = async (): Promise<number | undefined> => (await cached.send(new ScanCommand({ TableName }))).Count;
    expect([await scan(), await scan()]).toEqual([1, 1]);
    const consistent = { ConsistentRead: true };
    await namesInShop(cached, consistent);
    await put(around, 2, 'two');
    expect(await namesInShop(cached, consistent)).toEqual(['one', 'two']);
    expect(sent).toEqual(['Scan', 'Query', 'Query']);
  });

  test('a hit has consumed nothing', async () => {
    const command = new QueryCommand({ ...ofShop, ReturnConsumedCapacity: 'TOTAL' });
    expect((await cached.send(command)).ConsumedCapacity).toMatchObject({ TableName });
    expect((await cached.send(command)).ConsumedCapacity).toBeUndefined();
  });

  test('errors are not kept', async () => {
    const missing = { TableName: 'Later' };
    await expect(namesInShop(cached, missing)).rejects.toThrow('not found');
    await expect(namesInShop(cached, missing)).rejects.toThrow('not found');
    expect(sent).toHaveLength(2);
  });
});

describe('DB-019 at the same time', () => {
  test('reads of one item are one request, and so are equal queries', async () => {
    await put(around, 1, 'one');
    const reads = await Promise.all(Array.from({ length: 20 }, () => nameOf(cached, 1)));
    const queries = await Promise.all(Array.from({ length: 20 }, () => namesInShop(cached)));
    expect(new Set(reads)).toEqual(new Set(['one']));
    expect(new Set(queries.map((names) => names.join()))).toEqual(new Set(['one']));
    expect(sent).toEqual(['GetItem', 'Query']);
  });

  test('who has waited for a read that failed reads for himself', async () => {
    await put(around, 1, 'one');
    let failures = 1;
    beforeRequest = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      if ((failures -= 1) >= 0) throw new TypeError('connection lost');
    };
    const [first, second] = await Promise.allSettled([nameOf(cached, 1), nameOf(cached, 1)]);
    expect(first.status).toBe('rejected');
    expect(second).toEqual({ status: 'fulfilled', value: 'one' });
  });

  test('a read that a write overtakes is not kept', async () => {
    await put(around, 1, 'old');
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    afterRequest = (action) => (action === 'GetItem' ? held : undefined);
    const slow = nameOf(cached, 1);
    await put(cached, 1, 'new');
    release();
    expect(await slow).toBe('old');
    expect(await nameOf(cached, 1)).toBe('new');
  });

  test('of writes that overlap none is believed', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await put(cached, 1, 'zero');
    let puts = 0;
    afterRequest = (action) => (action === 'PutItem' && (puts += 1) === 1 ? held : undefined);
    const first = put(cached, 1, 'first');
    await expect.poll(() => puts).toBe(1);
    await put(cached, 1, 'second');
    release();
    await first;
    expect(await nameOf(cached, 1)).toBe('second');
  });

  test('whatever is written in whatever order, what is read in the end is what is there', async () => {
    const operation = fc.record({
      kind: fc.constantFrom('put', 'update', 'delete', 'transact', 'batch', 'get', 'wait'),
      id: fc.nat({ max: 2 }),
      delay: fc.nat({ max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 2, maxLength: 25 }), async (operations) => {
        cached = newCache();
        const turns = async (count: number): Promise<void> => {
          for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        };
        const delays = operations.map(({ delay }) => delay);
        let requests = 0;
        const later = (): Promise<void> => turns(delays[(requests += 1) % delays.length] ?? 0);
        beforeRequest = later;
        afterRequest = later;
        const running: Promise<unknown>[] = [];
        for (const [at, { kind, id, delay }] of operations.entries()) {
          const name = `v${at}`;
          const Item = { ...keyOf(id), name: { S: name } };
          if (kind === 'wait') await turns(delay * 3);
          if (kind === 'get') running.push(nameOf(cached, id));
          if (kind === 'put') running.push(put(cached, id, name));
          if (kind === 'delete') running.push(cached.send(new DeleteItemCommand({ TableName, Key: keyOf(id) })));
          if (kind === 'batch') {
            const RequestItems = { [TableName]: [{ PutRequest: { Item } }] };
            running.push(cached.send(new BatchWriteItemCommand({ RequestItems })));
          }
          if (kind === 'transact') {
            const transaction = new TransactWriteItemsCommand({ TransactItems: [{ Put: { TableName, Item } }] });
            running.push(cached.send(transaction).catch(() => undefined));
          }
          if (kind === 'update') {
            running.push(
              cached.send(
                new UpdateItemCommand({
                  TableName,
                  Key: keyOf(id),
                  UpdateExpression: 'SET #n = :n',
                  ExpressionAttributeNames: { '#n': 'name' },
                  ExpressionAttributeValues: { ':n': { S: name } },
                  ReturnValues: delay === 0 ? 'ALL_NEW' : 'NONE',
                }),
              ),
            );
          }
        }
        await Promise.all(running);
        await cached.cache.settled();
        for (const id of [0, 1, 2]) expect(await nameOf(cached, id)).toBe(await nameOf(around, id));
      }),
      { numRuns: 60 },
    );
  });
});

describe('DB-019 the cache is bounded', () => {
  test('what was used longest ago goes first', async () => {
    for (const id of [1, 2, 3]) await put(around, id, 'x'.repeat(400));
    cached = newCache({ itemBytesMax: 1200 });
    for (const id of [1, 2]) await nameOf(cached, id);
    await nameOf(cached, 1);
    await nameOf(cached, 3);
    sent.length = 0;
    await nameOf(cached, 1);
    expect(sent).toEqual([]);
    await nameOf(cached, 2);
    expect(sent).toEqual(['GetItem']);
    const { itemBytes, evictedCount, itemCount } = cached.cache.statistics();
    expect(itemBytes).toBeLessThanOrEqual(1200);
    expect({ evictedCount, itemCount }).toEqual({ evictedCount: 2, itemCount: 2 });
  });

  test('what is larger than the whole cache is not kept', async () => {
    await put(around, 1, 'x'.repeat(400));
    cached = newCache({ itemBytesMax: 100, queryBytesMax: 100 });
    for (let time = 0; time < 2; time += 1) {
      await nameOf(cached, 1);
      await namesInShop(cached);
    }
    expect(sent).toEqual(['GetItem', 'Query', 'GetItem', 'Query']);
    expect(cached.cache.statistics()).toMatchObject({ itemCount: 0, itemBytes: 0, queryCount: 0, queryBytes: 0 });
  });

  test('it can be cleared', async () => {
    await put(cached, 1, 'old');
    await namesInShop(cached);
    await put(around, 1, 'new');
    cached.cache.clear();
    expect([await nameOf(cached, 1), await namesInShop(cached)]).toEqual(['new', ['new']]);
  });

  test.each([{ itemTtlMs: 0 }, { queryTtlMs: -1 }, { itemBytesMax: Number.NaN }])('%j is refused', (options) => {
    expect(() => newCache(options)).toThrow(RangeError);
  });

  test('a time as text, which would be appended to the present time, is refused', () => {
    const options = JSON.parse('{"itemTtlMs":"60000"}') as object;
    expect(() => newCache(options)).toThrow('itemTtlMs must be a number above zero, not "60000".');
  });
});

describe('DB-019 the client', () => {
  test('is a DynamoDBClient, also for the document client', async () => {
    expect(cached).toBeInstanceOf(DynamoDBClient);
    const documents = DynamoDBDocumentClient.from(cached);
    await documents.send(new PutCommand({ TableName, Item: { shop: 'books', id: 1, name: 'one' } }));
    const get = new GetCommand({ TableName, Key: { shop: 'books', id: 1 } });
    expect((await documents.send(get)).Item).toEqual({ shop: 'books', id: 1, name: 'one' });
    expect(await nameOf(cached, 1)).toBe('one');
    const query = { TableName, KeyConditionExpression: 'shop = :s', ExpressionAttributeValues: { ':s': 'books' } };
    for (let time = 0; time < 2; time += 1) {
      expect((await documents.send(new QueryDocuments(query))).Items).toHaveLength(1);
    }
    expect(sent).toEqual(['DescribeTable', 'PutItem', 'Query']);
    // Both forms are the same request to the database, and to the cache.
    expect(
      await namesInShop(cached, {
        KeyConditionExpression: 'shop = :s',
        ExpressionAttributeValues: { ':s': { S: 'books' } },
      }),
    ).toEqual(['one']);
    expect(sent).toHaveLength(3);
  });

  test('leaves the client that it was made from as it was', async () => {
    await put(around, 1, 'old');
    const inFront = cachedClient(around);
    expect(await nameOf(inFront, 1)).toBe('old');
    await put(around, 1, 'new');
    expect([await nameOf(inFront, 1), await nameOf(around, 1)]).toEqual(['old', 'new']);
  });

  test('works over HTTP', async () => {
    const server = await serve(database);
    const client = new DynamoDBClient({
      endpoint: server.url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    });
    try {
      const overHttp = cachedClient(client);
      await put(overHttp, 1, 'one');
      await put(around, 2, 'two');
      for (let time = 0; time < 2; time += 1) {
        expect([await nameOf(overHttp, 1), await nameOf(overHttp, 2)]).toEqual(['one', 'two']);
        expect(await namesInShop(overHttp)).toEqual(['one', 'two']);
      }
      expect(overHttp.cache.statistics()).toMatchObject({ itemHits: 3, itemMisses: 1, queryHits: 1, queryMisses: 1 });
      await expect(overHttp.send(new GetItemCommand({ TableName: 'None', Key: keyOf(1) }))).rejects.toThrow(
        'not found',
      );
    } finally {
      client.destroy();
      await server.close();
    }
  });
});
