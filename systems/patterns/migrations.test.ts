import {
  DynamoDBDocumentClient,
  DeleteCommand,
  GetCommand,
  PutCommand,
  ScanCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { entity, model } from '@singlet/model';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  changeOf,
  companies,
  companiesWithProjects,
  posts,
  postsWithComments,
  postsWithLanguage,
  postsWithLikes,
} from '../strategies/migrations.ts';
import { backfill } from '../strategies/service-backfill.ts';
import { consume, eventually } from '../testing/consume.ts';
import { createTables, openExample } from '../testing/example-database.ts';
import { RawTable } from '../testing/raw-table.ts';
import { migrateInPlace, type ParallelMigration, touchAll } from './service-migration.ts';

/** People with one name, in a table with a stream and an index that lists all keys. */
const people = model('people')
  .entities({ Person: entity({ person: z.string(), name: z.string() }) })
  .relationships([])
  .patterns({ person: { reads: 'Person', by: ['person'] } })
  .tables({
    Old: {
      key: ['PK', 'SK'],
      stream: 'NEW_AND_OLD_IMAGES',
      indexes: { Keys: { partition: ['SK'], sort: ['PK'], project: 'KEYS_ONLY' } },
    },
    New: { key: ['PK', 'SK'] },
  })
  .keys({ Person: { Old: ['PERSON#{person}', 'PERSON#{person}'], Keys: ['PERSON#{person}', 'PERSON#{person}'] } })
  .served({ person: 'GetItem' });

const key = (n: number) => ({ PK: `PERSON#${n}`, SK: `PERSON#${n}` });

const openPeople = async (count: number) => {
  const example = await openExample(people);
  const documents = DynamoDBDocumentClient.from(example.client);
  const items = Array.from({ length: count }, (_, n) => ({
    ...key(n),
    name: `Ann No${n}`,
    version: 1,
    Type: 'Person',
  }));
  await new RawTable(example.client, 'Old').putAll(items);
  return { example, documents };
};

const job: ParallelMigration = {
  tableName: 'Old',
  schemaVersion: 2,
  segments: 4,
  rewrite: ({ name, ...item }) => {
    const [first, last] = String(name).split(' ');
    return { ...item, first, last };
  },
};

test('P-37 segments make up the table; a killed run is resumed without repeating finished items; no update is lost', async () => {
  const { example, documents } = await openPeople(120);
  for (const TotalSegments of [1, 4, 7]) {
    const keys = await Promise.all(
      Array.from({ length: TotalSegments }, async (_, Segment) => {
        const { Items = [] } = await documents.send(new ScanCommand({ TableName: 'Old', Segment, TotalSegments }));
        return Items.map(({ PK }) => PK as string);
      }),
    );
    expect(keys.flat()).toHaveLength(120);
    expect(new Set(keys.flat()).size).toBe(120);
  } // .a

  const progress: NonNullable<ParallelMigration['progress']> = new Map();
  let rewritten = 0;
  const killed: ParallelMigration['rewrite'] = (item) => {
    if ((rewritten += 1) > 40) throw new Error('killed');
    return job.rewrite(item);
  };
  await expect(migrateInPlace(documents, { ...job, rewrite: killed, progress, pageSize: 10 })).rejects.toThrow(
    'killed',
  );

  // The application changes an item between the migration's read and its write.
  let changed: string | undefined;
  const racing: ParallelMigration['rewrite'] = (item) => {
    changed ??= item['PK'] as string;
    return job.rewrite(item);
  };
  const other = DynamoDBDocumentClient.from(example.client);
  other.middlewareStack.add(
    (next, context) => async (args) => {
      if (context.commandName?.startsWith('Put') === true && changed !== undefined && !raced) {
        raced = true;
        const update = {
          UpdateExpression: 'SET #name = :name, version = :two',
          ExpressionAttributeNames: { '#name': 'name' },
        };
        await documents.send(
          new UpdateCommand({
            TableName: 'Old',
            Key: { PK: changed, SK: changed },
            ...update,
            ExpressionAttributeValues: { ':name': 'New Name', ':two': 2 },
          }),
        );
      }
      return await next(args);
    },
    { step: 'initialize', priority: 'high' },
  );
  let raced = false;
  await migrateInPlace(other, { ...job, rewrite: racing, progress, pageSize: 10 }); // .b
  const all = await example.stored('Old');
  expect(all.filter(({ schemaVersion, first }) => schemaVersion === 2 && first !== undefined)).toHaveLength(120);
  expect(raced).toBe(true);
  expect(all.find(({ PK }) => PK === changed)).toMatchObject({ first: 'New', last: 'Name', version: 2 }); // .d
  expect(await migrateInPlace(documents, job)).toBe(0); // .c
});

test('P-38 old items and concurrent writes all reach the new table through the stream', async () => {
  const { example, documents } = await openPeople(60);
  let running = 0;
  let most = 0;
  const seen = new Set<string>();
  await consume(
    example,
    'Old',
    async (records) => {
      running += 1;
      most = Math.max(most, running);
      for (const { keys, newImage, eventId } of records) {
        const Key = { PK: keys['PK'], SK: keys['SK'] };
        if (newImage === undefined) await documents.send(new DeleteCommand({ TableName: 'New', Key }));
        else {
          const { migrationRun: _, ...item } = newImage;
          await documents.send(new PutCommand({ TableName: 'New', Item: job.rewrite(item) }));
        }
        seen.add(eventId);
      }
      running -= 1;
    },
    { startingPosition: 'LATEST', parallelizationFactor: 2, batchSize: 5 },
  );
  const touched = touchAll(documents, { tableName: 'Old', indexName: 'Keys', run: 'run1' });
  await documents.send(new PutCommand({ TableName: 'Old', Item: { ...key(100), name: 'Live Insert', version: 1 } }));
  await documents.send(
    new UpdateCommand({
      TableName: 'Old',
      Key: key(1),
      UpdateExpression: 'SET #n = :n',
      ExpressionAttributeNames: { '#n': 'name' },
      ExpressionAttributeValues: { ':n': 'Live Update' },
    }),
  );
  await documents.send(new DeleteCommand({ TableName: 'Old', Key: key(2) }));
  expect(await touched).toBeGreaterThanOrEqual(59);
  // .e The report: the same number in both, and each equal to its expected new form.
  await eventually(async () => {
    const [old, made] = [await example.stored('Old'), await example.stored('New')];
    const expected = old.map((item) => job.rewrite({ ...item, migrationRun: undefined }));
    const sorted = (items: readonly object[]) =>
      items
        .map((item) =>
          Object.entries(item)
            .filter(([, value]) => value !== undefined)
            .map(String)
            .sort()
            .join(),
        )
        .sort();
    expect(sorted(made)).toEqual(sorted(expected));
    expect(made).toHaveLength(60);
  }); // .a
  const read = async (n: number) => (await documents.send(new GetCommand({ TableName: 'New', Key: key(n) }))).Item;
  expect([(await read(100))?.['first'], (await read(1))?.['last'], await read(2)]).toEqual([
    'Live',
    'Update',
    undefined,
  ]); // .b
  expect(most).toBeLessThanOrEqual(2 * 4); // .d: two concurrent batches for each of four shards
});

test('P-38 in the same table each item is processed once, and the run ends', async () => {
  const { example, documents } = await openPeople(30);
  let handled = 0;
  let rewritten = 0;
  await consume(
    example,
    'Old',
    async (records) => {
      for (const { newImage } of records) {
        handled += 1;
        if (newImage === undefined || newImage['schemaVersion'] === 2) continue; // this consumer's own write
        const { migrationRun: _, ...item } = newImage;
        await documents.send(new PutCommand({ TableName: 'Old', Item: { ...job.rewrite(item), schemaVersion: 2 } }));
        rewritten += 1;
      }
    },
    { startingPosition: 'LATEST' },
  );
  expect(await touchAll(documents, { tableName: 'Old', indexName: 'Keys', run: 'run1' })).toBe(30);
  await eventually(() => expect(handled).toBe(60)); // touched, and rewritten
  await documents.send(new PutCommand({ TableName: 'Old', Item: { ...key(99), schemaVersion: 2 } }));
  await eventually(() => expect(handled).toBe(61));
  expect(rewritten).toBe(30);
});

test('P-53 four changes of a model have four classes, and the last has a backfill', async () => {
  expect(
    [
      changeOf(posts, postsWithLanguage),
      changeOf(companies, companiesWithProjects),
      changeOf(posts, postsWithLikes),
      changeOf(postsWithLikes, postsWithComments),
    ].map(({ strategies, additive }) => [...strategies, additive]),
  ).toEqual([
    ['S-58', true],
    ['S-59', true],
    ['S-60', true],
    ['S-61', false],
  ]); // .a
  const example = await openExample();
  await createTables(example.client, postsWithComments);
  const documents = DynamoDBDocumentClient.from(example.client);
  const stored = Array.from({ length: 1000 }, (_, n) => ({
    PK: `POST#p${n}`,
    SK: `POST#p${n}`,
    postId: `p${n}`,
    Type: 'Post',
  }));
  await new RawTable(example.client, 'Posts').putAll(stored);
  const [[type, keys] = ['', []]] = [...changeOf(postsWithLikes, postsWithComments).backfill];
  const add = ({ postId }: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(keys.map((name) => [name, `POST#${String(postId)}`]));
  expect(await backfill(documents, { tableName: 'Posts', type, add, segments: 4 })).toBe(1000);
  expect(await example.stored('Posts', 'GSI1')).toHaveLength(1000); // .b
});
