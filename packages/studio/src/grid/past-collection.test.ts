import fc from 'fast-check';
import { createDatabase } from 'singlet';
import { expect, test } from 'vitest';
import type { AttributeMap } from '../../../singlet/src/values/attribute-value.ts';
import { isNewer, type StreamRecord } from '../wire/stream-records.ts';
import { pastCollection, recordsOfCollection } from './past-collection.ts';

const keysOf = (prefix: string) => ({ partition: `${prefix}PK`, sort: `${prefix}SK` });
const partition = { S: 'one' };

const write = fc.record({
  key: fc.integer({ min: 0, max: 4 }),
  kind: fc.constantFrom('put', 'put', 'delete'),
  group: fc.constantFrom('one', 'two', undefined),
  order: fc.integer({ min: -3, max: 12 }),
});

test('WB-52: a collection of a table and of an index after each write is what was read then', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 12 }), async (writes) => {
      const database = await createDatabase();
      await database.request('CreateTable', {
        TableName: 'Shop',
        AttributeDefinitions: [
          { AttributeName: 'PK', AttributeType: 'S' },
          { AttributeName: 'SK', AttributeType: 'N' },
          { AttributeName: 'GPK', AttributeType: 'S' },
          { AttributeName: 'GSK', AttributeType: 'N' },
        ],
        KeySchema: [
          { AttributeName: 'PK', KeyType: 'HASH' },
          { AttributeName: 'SK', KeyType: 'RANGE' },
        ],
        GlobalSecondaryIndexes: [
          {
            IndexName: 'ByGroup',
            KeySchema: [
              { AttributeName: 'GPK', KeyType: 'HASH' },
              { AttributeName: 'GSK', KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'ALL' },
          },
        ],
        BillingMode: 'PAY_PER_REQUEST',
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      });
      const read = async (prefix: string): Promise<readonly AttributeMap[]> => {
        const { Items } = (await database.request('Query', {
          TableName: 'Shop',
          ...(prefix === 'G' && { IndexName: 'ByGroup' }),
          KeyConditionExpression: `${prefix}PK = :pk`,
          ExpressionAttributeValues: { ':pk': partition },
        })) as { Items: AttributeMap[] };
        return Items;
      };
      const copies = [{ table: await read(''), index: await read('G') }];
      // Shards have no common order within a second, so the records of each time are known by their ids.
      const recordsThen = [new Set<string>()];
      const records = async (): Promise<readonly StreamRecord[]> => {
        const { Table } = (await database.request('DescribeTable', { TableName: 'Shop' })) as {
          Table: { LatestStreamArn: string };
        };
        const StreamArn = Table.LatestStreamArn;
        const { StreamDescription } = (await database.request('DescribeStream', { StreamArn })) as {
          StreamDescription: { Shards: { ShardId: string }[] };
        };
        const found: StreamRecord[] = [];
        for (const { ShardId } of StreamDescription.Shards) {
          const from = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' };
          const { ShardIterator } = (await database.request('GetShardIterator', from)) as { ShardIterator: string };
          const page = (await database.request('GetRecords', { ShardIterator })) as { Records: StreamRecord[] };
          found.push(...page.Records);
        }
        return found.sort((a, b) => (isNewer(a, b) ? -1 : 1));
      };
      for (const { key, kind, group, order } of writes) {
        const Key = { PK: { S: key === 4 ? 'two' : 'one' }, SK: { N: String(key * 7 - 10) } };
        const Item = {
          ...Key,
          order: { N: String(order) },
          ...(group !== undefined && { GPK: { S: group } }),
          ...(order > 0 && { GSK: { N: String(order * 100 + key) } }),
        };
        await (kind === 'put'
          ? database.request('PutItem', { TableName: 'Shop', Item })
          : database.request('DeleteItem', { TableName: 'Shop', Key }));
        copies.push({ table: await read(''), index: await read('G') });
        recordsThen.push(new Set((await records()).map(({ eventID }) => eventID)));
      }
      const all = await records();
      const last = copies.at(-1);
      for (const [at, copy] of copies.entries()) {
        const undone = all.filter(({ eventID }) => !new Set(recordsThen[at]).has(eventID));
        for (const [place, prefix] of [
          ['table', ''],
          ['index', 'G'],
        ] as const) {
          const keys = keysOf(prefix);
          const own = recordsOfCollection(undone, keys.partition, partition);
          const past = pastCollection(last?.[place] ?? [], own, { keys, tableKeys: keysOf(''), partition });
          expect(past.items).toEqual(copy[place]);
        }
      }
      await database.close();
    }),
    { numRuns: 8 },
  );
});
