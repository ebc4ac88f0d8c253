import { ConditionalCheckFailedException, QueryCommand } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { tableDefinitions } from '@singlet/model';
import { check } from '@singlet/model/check';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../clock.ts';
import { drawn } from '../testing/drawn.ts';
import type { RawTable } from '../testing/raw-table.ts';
import { expectChartsInReadme } from '../testing/readme.ts';
import { twoDatabases } from '../testing/two-databases.ts';
import type { LoggedClient, Workbench } from '../testing/workbench.ts';
import { useWorkbench } from '../testing/workbench.ts';
import { Blog } from './blog.ts';
import type { BlogError } from './errors.ts';
import { fixture } from './fixture.ts';
import { blog } from './model.ts';

const [postsDefinition, repliesDefinition] = tableDefinitions(blog);
const APRIL = { from: '2024-04-01', to: '2024-05-01' };
const MARCH = { from: '2024-03-01', to: '2024-04-01' };

interface BlogAtWork {
  readonly blog: Blog;
  readonly table: RawTable;
  readonly replies: RawTable;
  readonly log: LoggedClient;
  readonly clock: ManualClock;
}

async function openBlog(workbench: Workbench, options: { readonly suffixed?: boolean } = {}): Promise<BlogAtWork> {
  const [table, replies] = await Promise.all([
    workbench.createTable(postsDefinition!),
    workbench.createTable(repliesDefinition!),
  ]);
  await table.putAll(fixture({ suffixed: options.suffixed ?? true }));
  const log = workbench.newLoggedClient();
  const clock = new ManualClock('2024-04-02T10:00:00Z');
  let ids = 0;
  const newId = (): string => {
    ids += 1;
    return `id${String(ids).padStart(3, '0')}`;
  };
  const tables = { 'blog-single-table': table.name, 'blog-replies': replies.name };
  return { blog: new Blog({ client: log.client, tables, clock, newId }), table, replies, log, clock };
}

function times(posts: readonly { readonly createdAt: string }[]): readonly string[] {
  return posts.map(({ createdAt }) => createdAt);
}

const NEWEST_FIRST = ['2024-04-01T09:15:00', '2024-03-20T14:30:00', '2024-03-15T10:00:00'];

describe.each(drawn('blog', twoDatabases))('blog: $name', (database) => {
  const workbench = useWorkbench(database);

  describe.each([
    { form: 'keys with the post’s id', suffixed: true },
    { form: 'keys with the second only', suffixed: false },
  ])('reads, $form', ({ suffixed }) => {
    test('BL-A1, BL-A2: a user and a post by their ids', async () => {
      const { blog: site, log } = await openBlog(workbench(), { suffixed });
      expect(await site.getUser('u123')).toEqual({
        userId: 'u123',
        name: 'Maria',
        email: 'maria@example.org',
        createdAt: '2024-01-02T08:00:00.123456+00:00',
      });
      expect(await site.getUser('u999')).toBeUndefined();
      expect(await site.getUser('u123', { consistent: true })).toMatchObject({ userId: 'u123' });
      expect(log.requests.map(({ input }) => input['ConsistentRead'])).toEqual([undefined, undefined, true]);
      expect(await site.getPost('p456')).toMatchObject({ postId: 'p456', title: 'One table', body: 'All in one.' });
      expect(log.operations).toEqual(['GetItem', 'GetItem', 'GetItem', 'GetItem']);
    });

    test('BL-A3: all posts of a user, the newest first', async () => {
      const { blog: site, log } = await openBlog(workbench(), { suffixed });
      const { items, cursor } = await site.listUserPosts('u123');
      expect(times(items)).toEqual(NEWEST_FIRST);
      expect(cursor).toBeUndefined();
      expect(log.requests[0]?.input).toMatchObject({ ScanIndexForward: false, Limit: 20 });
    });

    test('BL-A4: page by page', async () => {
      const { blog: site, log } = await openBlog(workbench(), { suffixed });
      const first = await site.listUserPosts('u123', { limit: 2 });
      expect(times(first.items)).toEqual(NEWEST_FIRST.slice(0, 2));
      expect(log.requests[0]?.output?.['LastEvaluatedKey']).toBeDefined();
      const second = await site.listUserPosts('u123', { limit: 2, cursor: first.cursor });
      expect(times(second.items)).toEqual(NEWEST_FIRST.slice(2));
      expect(second.cursor).toBeUndefined();
    });

    test('BL-A5: the posts of April, with a bound that belongs to it and one that does not', async () => {
      const { blog: site, table, log } = await openBlog(workbench(), { suffixed });
      expect(times(await site.listUserPostsInRange('u123', APRIL))).toEqual(NEWEST_FIRST.slice(0, 1));
      expect(log.requests[0]?.input['ExpressionAttributeValues']).toMatchObject({
        ':a': { S: 'POST#2024-04-01T00:00:00' },
        ':b': { S: 'POST#2024-05-01T00:00:00' },
      });
      const closed = new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: 'PK = :pk AND SK BETWEEN :from AND :to',
        ExpressionAttributeValues: {
          ':pk': { S: 'USER#u123' },
          ':from': { S: 'POST#2024-04-01T00:00:00' },
          ':to': { S: 'POST#2024-04-30T23:59:59' },
        },
      });
      expect((await workbench().client.send(closed)).Items).toHaveLength(1);
    });

    test('BL-A6: the posts of March', async () => {
      const { blog: site } = await openBlog(workbench(), { suffixed });
      expect(times(await site.listUserPostsInRange('u123', MARCH))).toEqual(NEWEST_FIRST.slice(1));
      const toTheSecond = { from: '2024-03-15T10:00:00', to: '2024-04-01T09:15:00' };
      expect(times(await site.listUserPostsInRange('u123', toTheSecond))).toEqual(NEWEST_FIRST.slice(1));
    });

    test('BL-A7, BL-A8: the comments on a post by user, and one of them', async () => {
      const { blog: site, log } = await openBlog(workbench(), { suffixed });
      const comments = await site.listAllPostComments('p456');
      expect(comments.map(({ userId }) => userId)).toEqual(['u321', 'u789']);
      expect(await site.getComment({ postId: 'p456', userId: 'u789' })).toMatchObject({
        text: 'Thank you, says u789.',
      });
      expect(await site.getComment({ postId: 'p456', userId: 'u1' })).toBeUndefined();
      expect(log.operations).toEqual(['Query', 'GetItem', 'GetItem']);
    });

    test('BL-A9: the profile and the latest five posts in one query', async () => {
      const { blog: site, table, log } = await openBlog(workbench(), { suffixed });
      const { user, posts } = await site.getProfile('u123');
      expect([user?.userId, times(posts)]).toEqual(['u123', NEWEST_FIRST]);
      const items = log.requests[0]?.output?.['Items'] as Record<string, { S: string }>[];
      expect(items.map((item) => item['SK']?.S.slice(0, 7))).toEqual(['PROFILE', 'POST#20', 'POST#20', 'POST#20']);
      expect(log.requests[0]?.input).toMatchObject({ Limit: 6, ScanIndexForward: false });

      for (const day of ['02', '03', '04', '05', '06']) {
        const createdAt = `2024-04-${day}T09:00:00`;
        await table.put({
          PK: 'USER#u123',
          SK: `POST#${createdAt}${suffixed ? `#p-${day}` : ''}`,
          entity_type: 'POST',
          user_id: 'u123',
          post_id: `p-${day}`,
          title: 'More',
          body: 'More.',
          created_at: createdAt,
        });
      }
      const withEight = await site.getProfile('u123', { consistent: true });
      expect(withEight.user?.userId).toBe('u123');
      expect(withEight.posts.map(({ postId }) => postId)).toEqual(['p-06', 'p-05', 'p-04', 'p-03', 'p-02']);
      expect(log.operations).toEqual(['Query', 'Query']);
    });
  });

  test('BL-7: without a profile there are five posts nevertheless', async () => {
    const { blog: site, table } = await openBlog(workbench());
    for (let number = 1; number <= 7; number += 1) {
      const createdAt = `2024-04-0${number}T00:00:00`;
      await table.put({
        PK: 'USER#u0',
        SK: `POST#${createdAt}#p${number}`,
        entity_type: 'POST',
        user_id: 'u0',
        post_id: `p${number}`,
        title: 'T',
        body: 'B',
        created_at: createdAt,
      });
    }
    const { user, posts } = await site.getProfile('u0');
    expect(user).toBeUndefined();
    expect(posts.map(({ postId }) => postId)).toEqual(['p7', 'p6', 'p5', 'p4', 'p3']);
  });

  test('BL-8: a post with its comments, the post first', async () => {
    const { blog: site, log } = await openBlog(workbench());
    const { post, comments } = await site.getPostWithComments('p456');
    expect([post?.postId, comments.map(({ userId }) => userId)]).toEqual(['p456', ['u789', 'u321']]);
    expect(log.operations).toEqual(['Query']);
    const first = await site.getPostWithComments('p456', { limit: 1 });
    const second = await site.getPostWithComments('p456', { limit: 1, cursor: first.cursor });
    expect([first.comments, second.comments].flat().map(({ userId }) => userId)).toEqual(['u789', 'u321']);
  });

  test('BL-A10: a user is created once', async () => {
    const { blog: site, log } = await openBlog(workbench());
    const again = site.createUser({ userId: 'u123', name: 'Eve', email: 'eve@example.org' });
    const error = (await again.catch((reason: unknown) => reason)) as BlogError;
    expect(error).toMatchObject({ code: 'already-exists', subject: 'User' });
    expect((error.cause as Error).cause).toMatchObject({ name: 'ConditionalCheckFailedException' });
    expect(log.operations).toEqual(['PutItem']);
    expect(await site.getUser('u123')).toMatchObject({ name: 'Maria' });
  });

  test('BL-A11: two posts in one second are both stored; where the key is the second, the later one is refused', async () => {
    const { blog: site, table, log } = await openBlog(workbench());
    const posts = await Promise.all(
      ['First', 'Second'].map(async (title) => await site.createPost({ userId: 'u123', title, body: 'At once.' })),
    );
    expect(new Set(times(posts))).toEqual(new Set(['2024-04-02T10:00:00.000Z']));
    expect((await site.listUserPosts('u123', { limit: 2 })).items.map(({ title }) => title).toSorted()).toEqual([
      'First',
      'Second',
    ]);
    expect(log.operations.slice(0, 2)).toEqual(['TransactWriteItems', 'TransactWriteItems']);

    const inLessonForm = fixture({ suffixed: false })[1]!;
    const put = async (title: string): Promise<unknown> =>
      await workbench().client.send(
        new PutCommand({
          TableName: table.name,
          Item: { ...inLessonForm, title },
          ConditionExpression: 'attribute_not_exists(PK)',
        }),
      );
    await put('Another');
    await expect(put('Too late')).rejects.toThrow(ConditionalCheckFailedException);
    expect(await table.get({ PK: 'USER#u123', SK: 'POST#2024-03-15T10:00:00' })).toMatchObject({ title: 'Another' });
  });

  test('BL-A12: a post of the last second of April belongs to April', async () => {
    const { blog: site, clock } = await openBlog(workbench());
    clock.setToMs(Date.parse('2024-04-30T23:59:59.750Z'));
    const { postId } = await site.createPost({ userId: 'u123', title: 'Late', body: 'Just in time.' });
    clock.setToMs(Date.parse('2024-05-01T00:00:00Z'));
    await site.createPost({ userId: 'u123', title: 'Early', body: 'In May.' });
    const april = await site.listUserPostsInRange('u123', APRIL);
    expect(april.map((post) => post.postId)).toEqual([postId, 'p3']);
    const toTheFraction = { from: '2024-04-30T23:59:59.750Z', to: '2024-04-30T23:59:59.751Z' };
    expect((await site.listUserPostsInRange('u123', toTheFraction)).map((post) => post.postId)).toEqual([postId]);
    const before = { from: '2024-04-02', to: '2024-04-30T23:59:59.750Z' };
    expect(await site.listUserPostsInRange('u123', before)).toEqual([]);
    await expect(site.listUserPostsInRange('u123', { from: 'April', to: 'May' })).rejects.toMatchObject({
      code: 'bad-time',
    });
  });

  test('BL-A15: a post of an unknown user writes nothing', async () => {
    const { blog: site, table } = await openBlog(workbench());
    const before = await table.scan();
    const created = site.createPost({ userId: 'u999', title: 'T', body: 'B' });
    const error = (await created.catch((reason: unknown) => reason)) as BlogError;
    expect(error).toMatchObject({ code: 'not-found', subject: 'User' });
    expect((error.cause as Error).cause).toMatchObject({ name: 'TransactionCanceledException' });
    expect(await table.scan()).toHaveLength(before.length);
  });

  test('BL-W2: both copies hold all of the post, and the key holds its time to the second', async () => {
    const { blog: site, table, clock } = await openBlog(workbench());
    clock.setToMs(Date.parse('2024-04-02T10:00:00.987Z'));
    await site.createPost({ userId: 'u123', title: 'T', body: 'B', postId: 'p9' });
    const stored = {
      entity_type: 'POST',
      post_id: 'p9',
      user_id: 'u123',
      title: 'T',
      body: 'B',
      created_at: '2024-04-02T10:00:00.987Z',
    };
    const [canonical, authored] = [
      { PK: 'POST#p9', SK: 'METADATA' },
      { PK: 'USER#u123', SK: 'POST#2024-04-02T10:00:00#p9' },
    ];
    expect(await table.get(canonical)).toEqual({ ...canonical, ...stored });
    expect(await table.get(authored)).toEqual({ ...authored, ...stored });
  });

  test('BL-W3: an edit changes both copies or none', async () => {
    const { blog: site, table } = await openBlog(workbench());
    const { postId } = await site.createPost({ userId: 'u123', title: 'T', body: 'B' });
    await site.editPost(postId, { title: 'Better' });
    expect(await site.getPost(postId)).toMatchObject({ title: 'Better', body: 'B' });
    expect((await site.listUserPosts('u123', { limit: 1 })).items[0]).toMatchObject({ title: 'Better', body: 'B' });
    await expect(site.editPost('p0', { title: 'X' })).rejects.toMatchObject({ code: 'not-found' });
    // p456 has no copy with its author.
    await expect(site.editPost('p456', { title: 'X' })).rejects.toMatchObject({ code: 'not-found' });
    expect(await table.get({ PK: 'POST#p456', SK: 'METADATA' })).toMatchObject({ title: 'One table' });
  });

  test('BL-W4: a post goes with its copies and all that was said about it', async () => {
    const { blog: site, table, replies, log } = await openBlog(workbench());
    const { postId } = await site.createPost({ userId: 'u123', title: 'T', body: 'B' });
    await table.putAll(
      Array.from({ length: 60 }, (_, number) => ({
        PK: `POST#${postId}`,
        SK: `COMMENT#u${number}`,
        entity_type: 'COMMENT',
        post_id: postId,
        user_id: `u${number}`,
        text: 'Hm.',
        created_at: '2024-04-02T10:00:00Z',
      })),
    );
    await site.addReply({ postId, userId: 'u1', text: 'A reply.' });
    const before = await table.scan();
    await site.deletePost(postId);
    expect(log.operations.filter((operation) => operation === 'BatchWriteItem')).toHaveLength(4);
    expect(await site.getPost(postId)).toBeUndefined();
    expect(await site.listAllPostComments(postId)).toEqual([]);
    expect(await replies.scan()).toEqual([]);
    expect(await table.scan()).toHaveLength(before.length - 62);
    await site.deletePost(postId); // nothing is left, and nothing happens
    expect(await site.getPost('p456')).toBeDefined();
  });

  test('BL-W4: more comments than are gathered at a time go, too', async () => {
    const { blog: site, table } = await openBlog(workbench());
    const { postId } = await site.createPost({ userId: 'u123', title: 'T', body: 'B' });
    await table.putAll(
      Array.from({ length: 260 }, (_, number) => ({
        PK: `POST#${postId}`,
        SK: `COMMENT#u${number}`,
        entity_type: 'COMMENT',
        post_id: postId,
        user_id: `u${number}`,
        text: 'Hm.',
        created_at: '2024-04-02T10:00:00Z',
      })),
    );
    await site.deletePost(postId);
    expect(await site.listAllPostComments(postId)).toEqual([]);
  });

  test('BL-W4: what broke off in the middle continues when it is asked again', async () => {
    const { blog: site, table, replies, clock } = await openBlog(workbench());
    const client = workbench().newBreakingClient({ operation: 'BatchWriteItem', requestsMax: 0 });
    const tables = { 'blog-single-table': table.name, 'blog-replies': replies.name };
    const { postId } = await site.createPost({ userId: 'u123', title: 'T', body: 'B' });
    await site.addComment({ postId, userId: 'u123', text: 'Mine.' });
    const breaking = new Blog({ client, tables, clock, newId: () => 'x' });
    await expect(breaking.deletePost(postId)).rejects.toMatchObject({ name: 'ConnectionLostError' });
    expect(await site.getPost(postId)).toBeUndefined();
    expect(await site.listAllPostComments(postId)).toHaveLength(1);
    await expect(site.addComment({ postId, userId: 'u2', text: 'Too late.' })).rejects.toMatchObject({
      code: 'not-found',
    });
    await site.deletePost(postId);
    expect(await site.listAllPostComments(postId)).toEqual([]);
  });

  test('BL-W5: one comment of a user on a post that is there', async () => {
    const { blog: site, log } = await openBlog(workbench());
    await site.addComment({ postId: 'p456', userId: 'u1', text: 'New.' });
    expect(log.operations).toEqual(['TransactWriteItems']);
    const again = site.addComment({ postId: 'p456', userId: 'u1', text: 'Again.' });
    await expect(again).rejects.toMatchObject({ code: 'already-exists', subject: 'Comment' });
    const unknown = site.addComment({ postId: 'p0', userId: 'u1', text: 'Where?' });
    await expect(unknown).rejects.toMatchObject({ code: 'not-found', subject: 'Post' });
    expect(await site.getComment({ postId: 'p456', userId: 'u1' })).toMatchObject({ text: 'New.' });
  });

  test('BL-W6: several comments of a user, in the order of time', async () => {
    const { blog: site, clock, replies } = await openBlog(workbench());
    const first = await site.addReply({ postId: 'p456', userId: 'u9', text: 'One.' });
    clock.setToMs(Date.parse('2024-04-02T10:00:05Z'));
    await site.addReply({ postId: 'p456', userId: 'u1', text: 'Two.' });
    clock.setToMs(Date.parse('2024-04-02T10:00:09Z'));
    await site.addReply({ postId: 'p456', userId: 'u9', text: 'Three.' });
    const page = await site.listReplies('p456', { limit: 2 });
    const rest = await site.listReplies('p456', { limit: 2, cursor: page.cursor });
    expect([...page.items, ...rest.items].map(({ text }) => text)).toEqual(['One.', 'Two.', 'Three.']);
    expect(await site.getReply(first)).toEqual(first);
    await expect(site.addReply({ postId: 'p0', userId: 'u9', text: 'Where?' })).rejects.toMatchObject({
      code: 'not-found',
    });
    expect((await replies.scan()).map(({ SK }) => SK)).toContain(`COMMENT#2024-04-02T10:00:00#${first.commentId}`);
  });
});

describe.each(drawn('blog: much', twoDatabases))('blog: much, $name', (database) => {
  const workbench = useWorkbench(database);

  test('BL-A13: three megabytes of comments come all, by three requests at least', async () => {
    const { blog: site, table, log } = await openBlog(workbench());
    const text = 'x'.repeat(100_000);
    await table.putAll(
      Array.from({ length: 32 }, (_, number) => ({
        PK: 'POST#p9',
        SK: `COMMENT#u${String(number).padStart(2, '0')}`,
        entity_type: 'COMMENT',
        post_id: 'p9',
        user_id: `u${String(number).padStart(2, '0')}`,
        text,
        created_at: '2024-02-12T12:00:00',
      })),
    );
    expect(await site.listAllPostComments('p9')).toHaveLength(32);
    expect(log.operations.length).toBeGreaterThanOrEqual(3);
  });
});

describe('blog: model', () => {
  test('all patterns are served as declared, and nothing is left to remark', () => {
    const { findings } = check(blog);
    expect(findings.filter(({ level }) => level !== 'accepted')).toEqual([]);
  });

  test('has its charts in the README', async () => {
    await expectChartsInReadme(import.meta.url, blog);
  });
});
