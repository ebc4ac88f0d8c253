import fc from 'fast-check';
import { createDatabase, type Database } from 'singlet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AttributeMap, AttributeValue } from '../../../singlet/src/values/attribute-value.ts';
import type { TableDescription } from '../wire/table-description.ts';
import { effectsOf } from './write-effects.ts';
import { keyOf, writeRequest } from './write-request.ts';

// The page predicts what a write does without a request. Here the write is made, and its effects are read from the database.

let database: Database;
let table: TableDescription;

const key = (...names: string[]): object[] =>
  names.map((AttributeName, at) => ({ AttributeName, KeyType: at === 0 ? 'HASH' : 'RANGE' }));

beforeAll(async () => {
  database = await createDatabase();
  const answer = (await database.request('CreateTable', {
    TableName: 'Effects',
    AttributeDefinitions: ['PK', 'SK', 'A', 'B'].map((AttributeName) => ({
      AttributeName,
      AttributeType: AttributeName === 'B' ? 'N' : 'S',
    })),
    KeySchema: key('PK', 'SK'),
    GlobalSecondaryIndexes: [
      { IndexName: 'All', KeySchema: key('A', 'B'), Projection: { ProjectionType: 'ALL' } },
      { IndexName: 'Keys', KeySchema: key('A'), Projection: { ProjectionType: 'KEYS_ONLY' } },
      { IndexName: 'Some', KeySchema: key('B'), Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['C'] } },
    ],
    LocalSecondaryIndexes: [
      {
        IndexName: 'Local',
        KeySchema: key('PK', 'A'),
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['D'] },
      },
    ],
    BillingMode: 'PAY_PER_REQUEST',
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  })) as { TableDescription: TableDescription };
  table = answer.TableDescription;
});
afterAll(async () => await database.close());

const text = fc.oneof(
  fc.constantFrom('a', 'b'),
  fc.integer({ min: 900, max: 2100 }).map((length) => 'x'.repeat(length)),
);
const value: fc.Arbitrary<AttributeValue> = fc.oneof(
  text.map((S) => ({ S })),
  fc.constantFrom('1', '2').map((N) => ({ N })),
  fc
    .record(
      { x: fc.constantFrom({ S: 'a' }, { N: '1' }), 'y.z': fc.constantFrom({ S: 'a' }, { BOOL: true }) },
      { requiredKeys: [] },
    )
    .map((M) => ({ M })) as fc.Arbitrary<AttributeValue>,
  fc.subarray(['p', 'q', 'r'], { minLength: 1 }).map((SS) => ({ SS })),
);
const item = fc
  .record(
    {
      A: fc.constantFrom({ S: 'a' }, { S: 'b' }),
      B: fc.constantFrom({ N: '1' }, { N: '2' }),
      C: value,
      D: value,
      'odd name': value,
    },
    { requiredKeys: [] },
  )
  .map((attributes) => ({ PK: { S: 'p' }, SK: { S: 's' }, ...attributes }));

interface Units {
  readonly CapacityUnits: number;
}

test('WB-27: the preview of a write is what the write does: the item, the units of table and indexes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.option(item, { nil: undefined }),
      fc.option(item, { nil: undefined }),
      async (before, after) => {
        const Key = { PK: { S: 'p' }, SK: { S: 's' } };
        await database.request('DeleteItem', { TableName: 'Effects', Key });
        if (before !== undefined) await database.request('PutItem', { TableName: 'Effects', Item: before });
        const request = writeRequest(table, before, after);
        if (request === undefined) return;
        const said = effectsOf(table, before, after);
        const answer = (await database.request(request.operation, {
          ...request.input,
          ReturnConsumedCapacity: 'INDEXES',
        })) as {
          ConsumedCapacity: Units & {
            Table: Units;
            GlobalSecondaryIndexes?: Record<string, Units>;
            LocalSecondaryIndexes?: Record<string, Units>;
          };
        };
        const { ConsumedCapacity: done } = answer;
        const indexes = { ...done.GlobalSecondaryIndexes, ...done.LocalSecondaryIndexes };
        expect(said.writeUnits).toBe(done.CapacityUnits);
        expect(said.tableUnits).toBe(done.Table.CapacityUnits);
        expect(Object.fromEntries(said.indexes.map(({ name, units }) => [name, units]))).toEqual(
          Object.fromEntries(said.indexes.map(({ name }) => [name, indexes[name]?.CapacityUnits ?? 0])),
        );
        const { Item } = (await database.request('GetItem', { TableName: 'Effects', Key })) as { Item?: AttributeMap };
        expect(Item).toEqual(after);
        for (const { name, change } of said.indexes) {
          if (name === 'Local') continue; // a local index shares the partition of the table
          const { Items } = (await database.request('Scan', { TableName: 'Effects', IndexName: name })) as {
            Items: unknown[];
          };
          expect([name, Items.length]).toEqual([name, change === 'absent' || change === 'delete' ? 0 : 1]);
        }
      },
    ),
    { numRuns: 150 },
  );
});

test('WB-26: a write backwards restores the item, and neither does anything to one that was changed meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(item, item, async (before, after) => {
      const there = writeRequest(table, before, after);
      const back = writeRequest(table, after, before);
      if (there === undefined || back === undefined) return;
      await database.request('PutItem', { TableName: 'Effects', Item: before });
      await database.request(there.operation, there.input);
      await expect(database.request(there.operation, there.input)).rejects.toMatchObject({
        name: 'ConditionalCheckFailedException',
      });
      await database.request(back.operation, back.input);
      const { Item } = (await database.request('GetItem', { TableName: 'Effects', Key: keyOf(table, before) })) as {
        Item?: AttributeMap;
      };
      expect(Item).toEqual(before);
    }),
    { numRuns: 80 },
  );
});
