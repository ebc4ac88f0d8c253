import { GetItemCommand, TransactionCanceledException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connect, InputError, itemReader, ksuid, RuleError, shardNumber, transact } from '../src/index.ts';
import { load } from '../src/samples/load.ts';
import { mixed } from './patterns.model.ts';
import { testDatabase, type TestDatabase } from './test-database.ts';

let database: TestDatabase;
let now: number;

beforeEach(async () => {
  database = await testDatabase(mixed);
  now = Date.parse('2020-01-30T15:00:00Z');
});

afterEach(async () => database[Symbol.asyncDispose]());

const open = () => connect(mixed, { client: database.client, now: () => now, pause: async () => undefined });

const refused = async (attempt: Promise<unknown>): Promise<RuleError> => {
  const error: unknown = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RuleError);
  return error as RuleError;
};

describe('other writers', () => {
  const name = { owner: 'alex', repo: 'book' };

  /** Makes the database cancel the next writes, because of a transaction in progress on their items. */
  const conflicts = (count: number): void => {
    let left = count;
    database.client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (left === 0 || commandName === 'QueryCommand') return next(args);
          left -= 1;
          const message = 'Transaction is ongoing for the item';
          throw commandName === 'TransactWriteItemsCommand'
            ? new TransactionCanceledException({
                $metadata: {},
                message,
                CancellationReasons: [{ Code: 'TransactionConflict' }],
              })
            : new TransactionConflictException({ $metadata: {}, message });
        },
      { step: 'initialize' },
    );
  };

  test('are waited for, whatever kind of write meets them', async () => {
    const db = open();
    await db.createRepo({ ...name, updatedAt: '2020-01-01T00:00:00Z' });
    conflicts(3);
    expect(await db.openIssue({ ...name, title: 'a number is taken first' })).toMatchObject({ number: 1 });
    conflicts(3);
    const message = { username: 'ann', messageId: 'm1', subject: 'a plain put' };
    expect(await db.sendMessage(message)).toEqual({ ...message, unread: true });
    expect((await db.messages({ username: 'ann' })).items).toHaveLength(1);
    conflicts(3);
    await db.setIssueStatus({ ...name, number: 1, status: 'Closed' });
    conflicts(3);
    await db.star({ ...name, username: 'ann' });
    expect((await db.repoWithStars(name)).stars).toHaveLength(1);
  });

  test('make the service throttle a transaction, which is sent again, and not without end', async () => {
    const db = open();
    await db.createRepo({ ...name, updatedAt: '2020-01-01T00:00:00Z' });
    let left = 0;
    database.client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (left === 0 || commandName !== 'TransactWriteItemsCommand') return next(args);
          left -= 1;
          const Code = left % 2 === 0 ? 'ThrottlingError' : 'ProvisionedThroughputExceeded';
          throw new TransactionCanceledException({
            $metadata: {},
            message: 'Transaction cancelled',
            CancellationReasons: [{ Code: 'None' }, { Code }, { Code: 'ConditionalCheckFailed' }],
          });
        },
      { step: 'initialize' },
    );
    left = 3;
    await db.star({ ...name, username: 'ann' });
    expect((await db.repoWithStars(name)).stars).toHaveLength(1);
    left = 1000;
    await expect(db.star({ ...name, username: 'bob' })).rejects.toMatchObject({ name: 'TransactionCanceledException' });
  });

  test('are not waited for without end', async () => {
    const db = open();
    await db.createRepo({ ...name, updatedAt: '2020-01-01T00:00:00Z' });
    conflicts(1000);
    const message = { username: 'ann', messageId: 'm1', subject: 'too late' };
    for (const write of [
      () => db.openIssue({ ...name, title: 'too late' }),
      () => db.sendMessage(message),
      () => db.star({ ...name, username: 'ann' }),
    ]) {
      expect(await refused(write())).toMatchObject({ code: 'busy' });
    }
  });
});

describe('partitions of one day', () => {
  const deal = (at: string, brand = 'Apple') => ({
    dealId: ksuid({ at: Date.parse(at), random: new Uint8Array(16) }),
    title: at,
    brand,
    price: 10,
  });

  test('are walked from today back, and gaps are stepped over', async () => {
    const db = open();
    const times = [
      '2020-01-30T13:42:26Z',
      '2020-01-30T12:17:43Z',
      '2020-01-29T23:59:59Z',
      '2020-01-29T00:00:00Z',
      '2020-01-18T02:00:00Z',
    ];
    for (const at of times) await db.createDeal(deal(at));
    expect((await database.stored('Mixed'))[0]).toMatchObject({
      GSI1PK: expect.stringMatching(/^DEALS#2020-01-\d\dT00:00:00$/),
    });
    database.sent();
    const first = await db.latestDeals({});
    expect(first.items.map(({ title }) => title)).toEqual(times.slice(0, 3));
    expect(database.sent()).toEqual(['Query', 'Query']);
    const second = await db.latestDeals({}, { cursor: first.cursor });
    expect(second.items.map(({ title }) => title)).toEqual([times[3]]);
    expect(database.sent()).toHaveLength(5);
    const third = await db.latestDeals({}, { cursor: second.cursor });
    const fourth = await db.latestDeals({}, { cursor: third.cursor });
    expect([...third.items, ...fourth.items].map(({ title }) => title)).toEqual([times[4]]);
    const all: string[] = [];
    for await (const { title } of db.latestDeals.each({})) all.push(title);
    expect(all).toEqual(times);
  });

  test('are walked from one end of a range to the other', async () => {
    const db = open();
    const times = ['2020-01-25T13:00:00Z', '2020-01-25T12:00:00Z', '2020-01-24T09:00:00Z', '2020-01-20T09:00:00Z'];
    const ids: string[] = [];
    for (const at of times) ids.push((await db.createDeal(deal(at))).dealId);
    const titles = async (dealId: object): Promise<string[]> =>
      (await db.dealsBetween({ dealId })).items.map(({ title }) => title);
    database.sent();
    expect(await titles({ before: ids[0] })).toEqual(times.slice(1, 3)); // 25, 24, 23, 22, 21 January; today is the 30th
    expect(database.sent()).toHaveLength(5);
    expect(await titles({ to: ids[0], after: ids[2] })).toEqual(times.slice(0, 2)); // 25 and 24 January, no further
    expect(database.sent()).toHaveLength(2);
    const all: string[] = [];
    for await (const { title } of db.dealsBetween.each({ dealId: { before: ids[1] ?? '' } })) all.push(title);
    expect(all).toEqual(times.slice(2));
    // No id is such a text, which has no time to end the walk at, and a place among the ids.
    const others: string[] = [];
    for await (const { title } of db.dealsBetween.each({ dealId: { before: 'yesterday', after: ids[2] ?? '' } }))
      others.push(title);
    expect(others).toEqual(times.slice(0, 2));
  });

  test('are walked for one brand, whatever its case', async () => {
    const db = open();
    await db.createDeal(deal('2020-01-29T10:00:00Z', 'Apple'));
    await db.createDeal(deal('2020-01-29T11:00:00Z', 'Outback'));
    expect((await db.latestOfBrand({ brand: 'apple' })).items.map(({ brand }) => brand)).toEqual(['Apple']);
  });
});

describe('counted children', () => {
  test('count once, and never without the parent', async () => {
    const db = open();
    await db.createBrand({ brand: { brand: 'Apple' }, container: { name: 'Apple' } });
    await db.likeBrand({ brand: 'Apple', username: 'alex' });
    expect((await db.brand({ brand: 'Apple' }))?.likes).toBe(1);
    expect(await refused(db.likeBrand({ brand: 'Apple', username: 'alex' }))).toMatchObject({
      code: 'already-exists',
      entity: 'BrandLike',
    });
    expect(await refused(db.likeBrand({ brand: 'None', username: 'alex' }))).toMatchObject({
      code: 'parent-missing',
      entity: 'Brand',
    });
    await Promise.all(
      Array.from({ length: 10 }, async (_, i) => db.likeBrand({ brand: 'Apple', username: `user${i}` })),
    );
    expect((await db.brand({ brand: 'Apple' }))?.likes).toBe(11);
    await db.unlikeBrand({ brand: 'Apple', username: 'alex' });
    expect(await refused(db.unlikeBrand({ brand: 'Apple', username: 'alex' }))).toMatchObject({ code: 'not-found' });
    expect((await db.brand({ brand: 'Apple' }))?.likes).toBe(10);
  });

  test('count forks on the upstream that a repository names', async () => {
    const db = open();
    await db.createRepo({ owner: 'alex', repo: 'book', updatedAt: '2019-10-11T14:11:17Z' });
    await db.createRepo({ owner: 'sally', repo: 'book', originalOwner: 'alex', updatedAt: '2019-10-12T14:11:17Z' });
    await db.createRepo({ owner: 'danny', repo: 'book', originalOwner: 'alex', updatedAt: '2019-10-13T14:11:17Z' });
    expect((await db.repo({ owner: 'alex', repo: 'book' }))?.forks).toBe(2);
    expect((await db.forksOf({ upstream: 'alex', repo: 'book' })).items.map(({ owner }) => owner)).toEqual([
      'danny',
      'sally',
    ]);
    const twice = db.createRepo({
      owner: 'danny',
      repo: 'book',
      originalOwner: 'alex',
      updatedAt: '2019-10-13T14:11:17Z',
    });
    expect(await refused(twice)).toMatchObject({ code: 'already-exists' });
    expect((await db.repo({ owner: 'alex', repo: 'book' }))?.forks).toBe(2);
  });
});

describe('singletons and copies', () => {
  test('a set grows and shrinks, and is created on first use', async () => {
    const db = open();
    expect(await db.brands({})).toBeUndefined();
    for (const name of ['Gucci', 'Apple']) await db.createBrand({ brand: { brand: name }, container: { name } });
    expect(await db.brands({})).toEqual({ names: new Set(['Apple', 'Gucci']) });
    const again = await refused(db.createBrand({ brand: { brand: 'APPLE' }, container: { name: 'APPLE' } }));
    expect(again).toMatchObject({ code: 'already-exists', part: 'brand' });
    await db.dropBrandName({ name: 'Gucci' });
    expect(await db.brands({})).toEqual({ names: new Set(['Apple']) });
  });

  test('an upsert creates and replaces', async () => {
    const db = open();
    await db.setFrontPage({ featured: [{ id: '1', name: 'One' }] });
    await db.setFrontPage({ featured: [{ id: '2', name: 'Two' }] });
    expect(await db.frontPage({})).toEqual({ featured: [{ id: '2', name: 'Two' }] });
  });

  test('all copies are written and any is read', async () => {
    const db = open();
    await db.fillCache({ deals: ['a', 'b'] });
    expect((await database.stored('Mixed')).map(({ PK }) => String(PK)).sort()).toEqual([
      'DEALSCACHE#1',
      'DEALSCACHE#2',
      'DEALSCACHE#3',
    ]);
    for (const random of [0, 0.5, 0.999]) {
      const reader = connect(mixed, { client: database.client, random: () => random });
      expect(await reader.cachedDeals({})).toEqual({ deals: ['a', 'b'] });
    }
  });
});

describe('an update of nothing', () => {
  test('tells whether the item is there, alone and in a transaction', async () => {
    const db = open();
    const { dealId } = await db.createDeal({ dealId: ksuid({ at: now }), title: 'Tea', brand: 'b', price: 10 });
    expect(await db.editDeal({ dealId })).toMatchObject({ dealId, price: 10 });
    expect(await refused(db.editDeal({ dealId: ksuid({ at: now }) }))).toMatchObject({ code: 'not-found' });
    database.sent();
    const nothing = [
      db.editDeal.op({ dealId }),
      db.createBrand.op({ brand: { brand: 'b' }, container: { name: 'b' } }),
    ];
    await transact(db, nothing);
    expect(database.sent()).toEqual(['TransactWriteItems']);
  });
});

describe('copies in a batch', () => {
  test('are written by one request that is no transaction', async () => {
    const db = open();
    await db.fillCache({ deals: ['a'] });
    database.sent();
    expect(await db.refillCache({ deals: ['b'] })).toEqual({ deals: ['b'] });
    expect(database.sent()).toEqual(['BatchWriteItem']);
    expect((await database.stored('Mixed')).map(({ deals }) => deals)).toEqual([['b'], ['b'], ['b']]);
  });
});

describe('stored items that came by another way', () => {
  test('are read by their types', async () => {
    const db = open();
    const read = itemReader(mixed);
    await db.createBrand({ brand: { brand: 'Apple' }, container: { name: 'Apple' } });
    const { Item = {} } = await database.client.send(
      new GetItemCommand({ TableName: 'Mixed', Key: { PK: { S: 'BRAND#APPLE' }, SK: { S: 'BRAND#APPLE' } } }),
    );
    const found = read(Item);
    expect(found).toEqual({ entity: 'Brand', item: { brand: 'Apple', likes: 0 } });
    if (found?.entity === 'Brand') expect(found.item.likes).toBe(0); // the entity's name determines its type
    expect(read({ PK: { S: 'BRAND#APPLE' }, SK: { S: 'BRAND#APPLE' } })).toBeUndefined();
    expect(read({ ...Item, Type: { S: 'Strange' } })).toBeUndefined();
  });
});

describe('sparse indexes', () => {
  test('hold an item while its condition holds', async () => {
    const db = open();
    for (const messageId of ['1', '2']) await db.sendMessage({ username: 'alex', messageId, subject: 'Hot' });
    await db.markRead({ username: 'alex', messageId: '1' });
    expect((await db.unreadMessages({ username: 'alex' })).items.map(({ messageId }) => messageId)).toEqual(['2']);
    expect((await db.messages({ username: 'alex' })).items).toHaveLength(2);
    expect(await database.stored('Mixed', 'GSI1')).toHaveLength(1);
    await db.markUnread({ username: 'alex', messageId: '1' });
    expect((await db.unreadMessages({ username: 'alex' })).items).toHaveLength(2);
    expect(await refused(db.markRead({ username: 'alex', messageId: '3' }))).toMatchObject({ code: 'not-found' });
  });

  test('batches write as many as there are', async () => {
    const db = open();
    const messages = Array.from({ length: 60 }, (_, i) => ({
      username: 'alex',
      messageId: String(i + 100),
      subject: 'Hot',
    }));
    expect(await db.sendMessages(messages)).toHaveLength(60);
    expect(database.sent()).toEqual(['BatchWriteItem', 'BatchWriteItem', 'BatchWriteItem']);
    const all: string[] = [];
    for await (const { messageId } of db.messages.each({ username: 'alex' })) all.push(messageId);
    expect(all).toEqual(messages.map(({ messageId }) => messageId).toReversed());
  });

  test('batches delete as many as there are, and those that are not there', async () => {
    const db = open();
    const keys = Array.from({ length: 30 }, (_, i) => ({ username: 'alex', messageId: String(i + 100) }));
    await db.sendMessages(keys.slice(0, 28).map((key) => ({ ...key, subject: 'Hot' })));
    database.sent();
    expect(await db.dropMessages(keys.slice(1))).toBeUndefined();
    expect(database.sent()).toEqual(['BatchWriteItem', 'BatchWriteItem']);
    expect((await db.messages({ username: 'alex' })).items.map(({ messageId }) => messageId)).toEqual(['100']);
    expect(await db.dropMessages([])).toBeUndefined();
    expect(database.sent()).toEqual(['Query']);
  });
});

describe('sequential numbers and arranged collections', () => {
  const repo = { owner: 'alex', repo: 'book' };

  test('numbers are distinct under concurrency and need the parent', async () => {
    const db = open();
    await db.createRepo({ ...repo, updatedAt: '2019-10-11T14:11:17Z' });
    const issues = await Promise.all(
      Array.from({ length: 12 }, async (_, i) => db.openIssue({ ...repo, title: `t${i}` })),
    );
    expect(issues.map(({ number }) => number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 12 }, (_, i) => i + 1),
    );
    expect(await refused(db.openIssue({ owner: 'no', repo: 'no', title: '' }))).toMatchObject({
      code: 'parent-missing',
      entity: 'Repo',
    });
    const stored = await database.stored('Mixed');
    expect(stored.map(({ SK }) => SK)).toContain('ISSUE#0000012');
  });

  test("open and closed issues, stars and the repository share collections without getting in each other's way", async () => {
    const db = open();
    await db.createRepo({ ...repo, updatedAt: '2019-10-11T14:11:17Z' });
    for (let i = 0; i < 6; i++) await db.openIssue({ ...repo, title: `t${i}` });
    for (const number of [2, 5]) await db.setIssueStatus({ ...repo, number, status: 'Closed' });
    for (const username of ['sally', 'danny']) await db.star({ ...repo, username });
    const opened = await db.repoWithOpenIssues(repo);
    expect([opened.repo?.repo, opened.issues.map(({ number }) => number)]).toEqual(['book', [6, 4, 3, 1]]);
    const closed = await db.repoWithClosedIssues(repo);
    expect([closed.repo?.repo, closed.issues.map(({ number }) => number)]).toEqual(['book', [5, 2]]);
    const stars = await db.repoWithStars(repo);
    expect([stars.repo?.repo, stars.stars.map(({ username }) => username)]).toEqual(['book', ['danny', 'sally']]);
    expect(database.sent().includes('Scan')).toBe(false);
    const keys = (await database.stored('Mixed', 'GSI1')).map(({ GSI1SK }) => GSI1SK);
    expect(keys).toEqual(expect.arrayContaining(['ISSUE#OPEN#99999993', '#ISSUE#CLOSED#00000005']));
    expect(await refused(db.star({ owner: 'no', repo: 'no', username: 'x' }))).toMatchObject({
      code: 'parent-missing',
    });
  });

  test('a filter fills the page and lets the parent through', async () => {
    const db = open();
    await db.createRepo({ ...repo, updatedAt: '2019-10-11T14:11:17Z' });
    for (let i = 0; i < 9; i++) await db.openIssue({ ...repo, title: `t${i}` });
    for (const number of [9, 8, 7, 6, 4]) await db.setIssueStatus({ ...repo, number, status: 'Closed' });
    const first = await db.repoWithIssues({ ...repo, status: 'Open' });
    expect([first.repo?.repo, first.issues.map(({ number }) => number)]).toEqual(['book', [5, 3]]);
    const next = await db.repoWithIssues({ ...repo, status: 'Open' }, { cursor: first.cursor });
    expect([next.repo, next.issues.map(({ number }) => number)]).toEqual([undefined, [2, 1]]);
  });

  test('a page that is far off is read towards in ever larger steps', async () => {
    const db = open();
    const name = { ...repo, reactions: {} };
    const issues = Array.from({ length: 60 }, (_, i) => ({
      ...name,
      number: i + 1,
      title: 't',
      status: i < 2 ? ('Open' as const) : ('Closed' as const),
    }));
    await load(mixed, 'Issue', issues, { client: database.client });
    database.sent();
    const found = await db.repoWithIssues({ ...repo, status: 'Open' });
    expect(found.issues.map(({ number }) => number)).toEqual([2, 1]);
    // 3, 6, 12, 24, 48 items.
    expect(database.sent()).toEqual(Array.from({ length: 5 }, () => 'Query'));
  });

  test('what is not read is not made up', async () => {
    const db = open();
    await db.createRepo({ ...repo, updatedAt: '2019-10-11T14:11:17Z' });
    await db.openIssue({ ...repo, title: 't' });
    expect(await db.repoForks(repo)).toEqual({ forks: 0 });
  });

  test('paths take inputs, and missing numbers count as nought', async () => {
    const db = open();
    await db.createRepo({ ...repo, updatedAt: '2019-10-11T14:11:17Z' });
    await db.openIssue({ ...repo, title: 't' });
    for (const kind of ['Heart', 'Heart', 'Rocket'] as const) await db.react({ ...repo, number: 1, kind });
    expect((await db.issue({ ...repo, number: 1 }))?.reactions).toEqual({ Heart: 2, Rocket: 1 });
    await expect(db.react({ ...repo, number: 1, kind: 'Boo' as never })).rejects.toThrow(InputError);
    expect(await refused(db.react({ ...repo, number: 2, kind: 'Heart' }))).toMatchObject({ code: 'not-found' });
  });

  test('an index key follows the attribute it is made of', async () => {
    const db = open();
    await db.createRepo({ ...repo, updatedAt: '2019-10-11T14:11:17Z' });
    await db.createRepo({ owner: 'alex', repo: 'graphql', updatedAt: '2019-10-30T06:38:40Z' });
    const names = async (): Promise<string[]> =>
      (await db.reposOfOwner({ owner: 'alex' })).items.map((each) => each.repo);
    expect(await names()).toEqual(['graphql', 'book']);
    await db.touchRepo({ ...repo, updatedAt: '2019-11-01T00:00:00+01:00' });
    expect(await names()).toEqual(['book', 'graphql']);
    const keys = (await database.stored('Mixed', 'GSI3')).map(({ GSI3SK }) => GSI3SK);
    expect(keys).toContain('#2019-10-31T23:00:00.000Z');
  });
});

describe('several partitions for one pattern', () => {
  const match = (i: number) => ({
    matchId: `m${i}`,
    user1: i % 2 === 0 ? 'ann' : 'bob',
    user2: i % 2 === 0 ? 'cid' : 'ann',
    matchedAt: `2019-12-${String(10 + i)}T03:44:00Z`,
    lastSeenAt: `2019-12-${String(30 - i)}T03:44:00Z`,
  });

  test('two indexes are merged in order', async () => {
    const db = open();
    for (let i = 0; i < 5; i++) await db.createMatch(match(i));
    const first = await db.matchesOf({ user: 'ann' });
    expect(first.items.map(({ matchId }) => matchId)).toEqual(['m4', 'm3']);
    const all: string[] = [];
    for await (const { matchId } of db.matchesOf.each({ user: 'ann' })) all.push(matchId);
    expect(all).toEqual(['m4', 'm3', 'm2', 'm1', 'm0']);
  });

  test('shards are computed from the item, queried together and merged in order, page by page', async () => {
    const db = open();
    for (let i = 0; i < 17; i++) await db.createMatch(match(i));
    const stored = await database.stored('Mixed');
    for (const item of stored) expect(item.GSI3PK).toBe(`Match#${shardNumber(String(item.matchId), 4)}`);
    database.sent();
    const cutoff = { before: '2019-12-30T03:44:00Z' };
    const first = await db.staleMatches({ lastSeenAt: cutoff });
    expect(database.sent()).toEqual(['Query', 'Query', 'Query', 'Query']);
    expect(first.items.map(({ matchId }) => matchId)).toEqual(['m16', 'm15', 'm14', 'm13', 'm12']);
    const all: string[] = [];
    for await (const { matchId } of db.staleMatches.each({ lastSeenAt: cutoff })) all.push(matchId);
    expect(all).toEqual(Array.from({ length: 16 }, (_, i) => `m${16 - i}`));
    await db.seen({ matchId: 'm16', lastSeenAt: '2020-01-20T00:00:00Z' });
    expect((await db.staleMatches({ lastSeenAt: cutoff })).items[0]?.matchId).toBe('m15');
  });
});

describe('time to live', () => {
  test('expired items are not there, deleted or not, and may be created again', async () => {
    const db = open();
    const seconds = now / 1000;
    for (const [token, expiresAt] of [
      ['a', seconds - 1],
      ['b', seconds],
      ['c', seconds + 1],
    ] as const) {
      await db.startSession({ token, username: 'alex', expiresAt });
    }
    expect(await db.session({ token: 'a' })).toBeUndefined();
    expect(await db.session({ token: 'c' })).toMatchObject({ token: 'c' });
    expect((await db.sessionsOf({ username: 'alex' })).items.map(({ token }) => token)).toEqual(['c']);
    await db.startSession({ token: 'a', username: 'alex', expiresAt: seconds + 5 });
    expect(await refused(db.startSession({ token: 'a', username: 'alex', expiresAt: seconds }))).toMatchObject({
      code: 'already-exists',
    });
    expect((await db.everySession({})).items.map(({ token }) => token).sort()).toEqual(['a', 'c']);
    expect(await db.endSessions({ token: 'a' })).toMatchObject({ token: 'a' });
    expect(await db.endSessions({ token: 'a' })).toBeUndefined();
  });
});

describe('optimistic locking', () => {
  test('one of two writers wins', async () => {
    const db = open();
    const created = await db.createDocument({ documentId: 'd', body: 'one' });
    expect(created.version).toBe(1);
    const edits = await Promise.allSettled(
      ['two', 'three'].map(async (body) => db.editDocument({ documentId: 'd', body, version: 1 })),
    );
    expect(edits.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await refused(db.editDocument({ documentId: 'd', body: 'four', version: 1 }))).toMatchObject({
      code: 'stale-version',
      item: { version: 2 },
    });
    expect(await refused(db.editDocument({ documentId: 'x', body: 'four', version: 1 }))).toMatchObject({
      code: 'not-found',
    });
    expect((await db.documents([{ documentId: 'x' }, { documentId: 'd' }])).map((each) => each?.version)).toEqual([
      undefined,
      2,
    ]);
  });
});

describe('other kinds of keys', () => {
  test('numbers sort as numbers, and key attributes of the application are returned', async () => {
    const db = open();
    for (const at of [9, 10, 100]) await db.putReading({ device: 'd', at, celsius: 20 });
    expect((await db.readings({ device: 'd', at: { from: 10 } })).items).toEqual([
      { device: 'd', at: 100, celsius: 20 },
      { device: 'd', at: 10, celsius: 20 },
    ]);
  });

  test('indexes with several key attributes and projections', async () => {
    const db = open();
    const ticket = { org: 'acme', region: 'eu', state: 'open' };
    await db.createTicket({ ...ticket, ticketId: 't1', updatedAt: '2020-01-01' });
    await db.createTicket({ ...ticket, ticketId: 't2', updatedAt: '2020-01-02' });
    await db.createTicket({ ...ticket, ticketId: 't3', updatedAt: '2020-01-03', state: 'closed' });
    const page = await db.ticketsOf({ ...ticket, updatedAt: { from: '2020-01-01' } });
    expect(page.items.map(({ ticketId }) => ticketId)).toEqual(['t2', 't1']);
    expect((await db.ticketIds({ org: 'acme' })).items[0]).toEqual({ org: 'acme', ticketId: 't1' });
  });
});
