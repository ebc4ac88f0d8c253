import { type CreateTableCommandInput, DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, DeleteCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { connect, tableDefinitions } from '@singlet/model';
import { expect, test } from 'vitest';
import { type ExampleDatabase, openExample } from '../testing/example-database.ts';
import { RawTable } from '../testing/raw-table.ts';
import {
  changeOf,
  companies,
  companiesWithProjects,
  joinedWork,
  posts,
  postsWithComments,
  postsWithLanguage,
  postsWithLikes,
  separateWork,
} from './migrations.ts';
import { backfill, type Progress } from './service-backfill.ts';

test.each([
  ['S-58', posts, postsWithLanguage, true, []],
  ['S-59', companies, companiesWithProjects, true, []],
  ['S-60', posts, postsWithLikes, true, []],
  ['S-61', postsWithLikes, postsWithComments, false, [['Post', ['GSI1PK', 'GSI1SK']]]],
  [
    'S-62',
    separateWork,
    joinedWork,
    false,
    [
      ['Issue', ['GSI1PK', 'GSI1SK']],
      ['PullRequest', ['GSI1PK', 'GSI1SK']],
    ],
  ],
] as const)('S-57 each change has its class: %s', (strategy, before, after, additive, entities) => {
  const change = changeOf(before, after);
  expect([change.strategies, change.additive, [...change.backfill]]).toEqual([[strategy], additive, entities]);
});

test('S-58 a stored item has the default, and is not written', async () => {
  const { client, operations, stored } = await openExample(posts);
  await connect(posts, { client }).write({ postId: 'p1', text: 'old' });
  const before = await stored('Posts');
  const db = connect(postsWithLanguage, { client });
  operations();
  expect(await db.post({ postId: 'p1' })).toEqual({ postId: 'p1', text: 'old', language: 'en' });
  expect([operations(), await stored('Posts')]).toEqual([['GetItem'], before]);
  const post = { postId: 'p2', text: 'new', language: 'fr', faxNumber: '555' };
  await db.write(post);
  expect(await db.post({ postId: 'p2' })).toEqual(post);
});

test('S-59 projects are beside the organization’s collection, which does not change', async () => {
  const { client, lastItems, stored } = await openExample(companies);
  const old = connect(companies, { client });
  await old.found({ organization: 'MCDONALDS' });
  for (const user of ['HAMBURGLAR', 'RONALDMCDONALD']) await old.join({ organization: 'MCDONALDS', user });
  const before = await stored('Companies');
  const db = connect(companiesWithProjects, { client });
  await db.plan({ organization: 'MCDONALDS', project: 'DuckBurger', tasks: 43 });
  await db.plan({ organization: 'MCDONALDS', project: 'New Website', tasks: 14 });
  expect((await db.projects({ organization: 'MCDONALDS' })).items.map(({ tasks }) => tasks)).toEqual([43, 14]);
  await db.withMembers({ organization: 'MCDONALDS' });
  expect(lastItems()).toHaveLength(3);
  expect(await stored('Companies')).toEqual(expect.arrayContaining([...before]));
});

const ids = ['02f67ffa9a8a', 'faa8eaf4af67', '9f14e02cf927'] as const;

async function openPosts(): Promise<ExampleDatabase> {
  const example = await openExample(posts);
  const db = connect(posts, { client: example.client });
  for (const postId of ids) await db.write({ postId, text: 'Hello' });
  return example;
}

test('S-60 likes are in the collection of their post, one for each user', async () => {
  const { client, lastItems, stored } = await openPosts();
  const before = await stored('Posts');
  const db = connect(postsWithLikes, { client });
  for (const username of ['elsiedebrie', 'markzuckerberg']) await db.like({ postId: ids[0], username });
  await db.postWithLikes({ postId: ids[0] });
  expect(
    lastItems()
      .map(({ SK }) => SK)
      .toReversed(),
  ).toEqual(['LIKE#elsiedebrie', 'LIKE#markzuckerberg', `POST#${ids[0]}`]);
  await expect(db.like({ postId: ids[0], username: 'elsiedebrie' })).rejects.toMatchObject({ code: 'already-exists' });
  expect((await stored('Posts')).filter(({ Type }) => Type === 'Post')).toEqual(before);
});

/** The index of the new version, on the table of the old one. */
async function addIndex({ client }: ExampleDatabase, model: object): Promise<void> {
  const [{ TableName, AttributeDefinitions, GlobalSecondaryIndexes = [] }] = tableDefinitions(model) as [
    CreateTableCommandInput,
  ];
  const [Create] = GlobalSecondaryIndexes;
  await client.send(
    new UpdateTableCommand({ TableName, AttributeDefinitions, GlobalSecondaryIndexUpdates: [{ Create }] }),
  );
}

const documentsOf = ({ client }: ExampleDatabase): DynamoDBDocumentClient => DynamoDBDocumentClient.from(client);
const postKeys = ({ postId }: Readonly<Record<string, unknown>>) => ({
  GSI1PK: `POST#${String(postId)}`,
  GSI1SK: `POST#${String(postId)}`,
});

test('S-61 comments need an index, which contains the post once it has been backfilled', async () => {
  const example = await openPosts();
  await addIndex(example, postsWithComments);
  const db = connect(postsWithComments, { client: example.client });
  for (const username of ['elsiedebrie', 'markzuckerberg']) await db.like({ postId: ids[0], username });
  const comment = { postId: ids[0], author: 'Sheryl Sandberg', commentId: 'f0e27e50', at: '2020-02-02T10:16:46Z' };
  await db.comment(comment);
  await db.comment({ ...comment, author: 'Bill Gates', commentId: '710bdfc5', at: '2020-02-09T13:51:34Z' });
  const read = async () => {
    const { post, comments } = await db.postWithComments({ postId: ids[0] });
    return [post?.postId, ...comments.map(({ author }) => author)];
  };
  expect(await read()).toEqual([undefined, 'Bill Gates', 'Sheryl Sandberg']);
  expect(await backfill(documentsOf(example), { tableName: 'Posts', type: 'Post', add: postKeys })).toBe(3);
  expect(await read()).toEqual([ids[0], 'Bill Gates', 'Sheryl Sandberg']);
  expect((await db.postWithLikes({ postId: ids[0] })).likes).toHaveLength(2);
});

test('S-62 one Query returns issues and pull requests merged by number', async () => {
  const example = await openExample(separateWork);
  const old = connect(separateWork, { client: example.client });
  for (const number of [1, 4, 12]) await old.openIssue({ repo: 'book', number, title: 'Issue' });
  for (const number of [2, 3, 10]) await old.openPullRequest({ repo: 'book', number, title: 'Pull request' });
  await addIndex(example, joinedWork);
  const add = ({ repo, number }: Readonly<Record<string, unknown>>) => ({
    GSI1PK: `REPO#${String(repo)}`,
    GSI1SK: String(number).padStart(6, '0'),
  });
  for (const type of ['Issue', 'PullRequest']) {
    await backfill(documentsOf(example), { tableName: 'Work', type, add });
  }
  example.operations();
  await connect(joinedWork, { client: example.client }).work({ repo: 'book' });
  expect(example.lastItems().map(({ number }) => number)).toEqual([1, 2, 3, 4, 10, 12]);
  expect(example.operations()).toEqual(['Query']);
});

/** A thousand items, of which 300 are posts. */
async function openMixed(): Promise<{ readonly example: ExampleDatabase; readonly documents: DynamoDBDocumentClient }> {
  const example = await openExample(postsWithComments);
  const documents = documentsOf(example);
  const items = Array.from({ length: 1000 }, (_, n) => ({
    PK: `ITEM#${n}`,
    SK: 'ITEM',
    postId: `p${n}`,
    Type: n % 10 < 3 ? 'Post' : 'Other',
  }));
  await new RawTable(example.client, 'Posts').putAll(items);
  return { example, documents };
}

const job = { tableName: 'Posts', type: 'Post', add: postKeys };

test('S-63 300 posts of 1,000 items are written once, however often it runs', async () => {
  const { example, documents } = await openMixed();
  expect(await backfill(documents, { ...job, dryRun: true })).toBe(300);
  expect(await example.stored('Posts', 'GSI1')).toHaveLength(0);
  expect(await backfill(documents, job)).toBe(300);
  const once = await example.stored('Posts');
  expect(await backfill(documents, job)).toBe(300);
  expect(await example.stored('Posts')).toEqual(once);
  expect(await example.stored('Posts', 'GSI1')).toHaveLength(300);
});

test('S-63 a killed run continues where it stopped, and loses no concurrent write', async () => {
  const { example, documents } = await openMixed();
  const other = DynamoDBDocumentClient.from(new DynamoDBClient(example.database.clientConfig()));
  const progress: Progress = new Map();
  let seen = 0;
  const killed = (item: Readonly<Record<string, unknown>>) => {
    if ((seen += 1) > 100) throw new Error('killed');
    return postKeys(item);
  };
  await expect(backfill(documents, { ...job, add: killed, progress, pageSize: 50 })).rejects.toThrow('killed');
  expect(progress.get(0)).not.toBe('done');

  let edited = '';
  let deleted = '';
  documents.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args);
      const items = (result.output as { readonly Items?: readonly { readonly PK: string }[] }).Items ?? [];
      if (context.commandName === 'ScanCommand' && edited === '' && items.length > 1) {
        [edited = '', deleted = ''] = items.map(({ PK }) => PK);
        const key = (PK: string) => ({ TableName: 'Posts', Key: { PK, SK: 'ITEM' } });
        await other.send(
          new UpdateCommand({
            ...key(edited),
            UpdateExpression: 'SET text1 = :t',
            ExpressionAttributeValues: { ':t': 'edited' },
          }),
        );
        await other.send(new DeleteCommand(key(deleted)));
      }
      return result;
    },
    { step: 'initialize', priority: 'high' },
  );
  await backfill(documents, { ...job, progress, pageSize: 50 });
  const all = await example.stored('Posts');
  expect(all.filter(({ Type }) => Type === 'Post').every(({ GSI1PK }) => GSI1PK !== undefined)).toBe(true);
  expect(all.filter(({ Type }) => Type === 'Post')).toHaveLength(299);
  expect(all.find(({ PK }) => PK === edited)).toMatchObject({ text1: 'edited', GSI1PK: expect.any(String) as string });
  expect(all.find(({ PK }) => PK === deleted)).toBeUndefined();
  other.destroy();
});

test('S-64 segments are disjoint and make up the table; ten workers take a tenth of the time', async () => {
  const { example, documents } = await openMixed();
  const scan = async (TotalSegments: number) =>
    await Promise.all(
      Array.from({ length: TotalSegments }, async (_, Segment) => {
        const keys: unknown[] = [];
        let pages = 0;
        let ExclusiveStartKey: Record<string, unknown> | undefined;
        do {
          const page = await documents.send(
            new ScanCommand({
              TableName: 'Posts',
              Segment,
              TotalSegments,
              Limit: 10,
              ...(ExclusiveStartKey && { ExclusiveStartKey }),
            }),
          );
          keys.push(...(page.Items ?? []).map(({ PK }) => PK as string));
          pages += 1;
          ExclusiveStartKey = page.LastEvaluatedKey;
        } while (ExclusiveStartKey !== undefined);
        return { keys, pages };
      }),
    );
  const segments = await scan(10);
  const keys = segments.flatMap((segment) => segment.keys);
  expect(keys).toHaveLength(1000);
  expect(new Set(keys).size).toBe(1000);
  // If every page takes the same time, the slowest worker determines the total time.
  const [alone] = await scan(1);
  expect(Math.max(...segments.map(({ pages }) => pages))).toBeLessThan(alone!.pages / 5);
  expect(await backfill(documents, { ...job, segments: 10 })).toBe(300);
  expect(await example.stored('Posts', 'GSI1')).toHaveLength(300);
});
