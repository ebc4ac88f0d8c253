import { entity, model, RuleError, tableDefinitions } from '@singlet/model';
import { check } from '@singlet/model/check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ManualClock } from '../clock.ts';
import { runDemo } from '../demo/demo.ts';
import { Terminal } from '../demo/terminal.ts';
import { databasesUnderTest } from '../testing/databases.ts';
import { drawn } from '../testing/drawn.ts';
import { expectChartsInReadme } from '../testing/readme.ts';
import type { RawItem, RawTable } from '../testing/raw-table.ts';
import { useWorkbench, type Workbench } from '../testing/workbench.ts';
import { Dating, type DatingOptions, pairOf } from './dating.ts';
import { datingAppDemo } from './demo.ts';
import { datingApp, datingModel } from './model.ts';
import { seedDating } from './seed.ts';

const databases = databasesUnderTest.filter(({ name }) => name !== 'HTTP and memory' && name !== 'in process and LMDB');
const quickDatabase = databases.at(-1)!;

interface World {
  readonly dating: Dating;
  readonly another: (options?: Partial<DatingOptions>) => Dating;
  readonly table: RawTable;
  readonly clock: ManualClock;
}

async function open(workbench: Workbench, options: Partial<DatingOptions> = {}): Promise<World> {
  const [definition] = tableDefinitions(datingApp);
  const table = await workbench.createTable(definition!);
  const clock = new ManualClock('2020-01-20T00:00:00Z');
  let ids = 0;
  const common = { tableName: table.name, clock, newId: () => `new${(ids += 1)}`, shards: 4, ...options };
  return {
    dating: new Dating({ client: workbench.client, ...common }),
    another: (more = {}) => new Dating({ client: workbench.newClient(), ...common, ...more }),
    table,
    clock,
  };
}

const LAST_SEEN = '2019-12-31T03:44:00Z';
const MATCHED = '2019-12-31T23:06:23Z';

async function openSample(workbench: Workbench, options: Partial<DatingOptions> = {}): Promise<World> {
  const world = await open(workbench, options);
  const { db } = world.dating;
  const match = { matchedAt: MATCHED, lastSeenAt: LAST_SEEN };
  await db.seedMatches([
    { matchId: '1', user1: 'user:1234', user2: 'user:4567', ...match },
    { matchId: '2', user1: 'user:9833', user2: 'user:4590', ...match },
  ]);
  await db.seedPairs([
    { low: '1234', high: '4567', matchId: '1' },
    { low: '4590', high: '9833', matchId: '2' },
  ]);
  await db.seedLikes([
    { liker: '1234', liked: '4567', likedAt: '2019-12-31T22:06:25Z' },
    { liker: '4567', liked: '1234', likedAt: '2019-12-31T23:06:23Z' },
  ]);
  return world;
}

const ids = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i + 1}`);
const matchIds = (matches: readonly { matchId: string }[]): string[] =>
  matches.map(({ matchId }) => matchId).toSorted();
const ofType = (items: readonly RawItem[], type: string): RawItem[] => items.filter(({ Type }) => Type === type);

async function staleIds({ db }: Dating, before = '2020-01-15T00:00:00Z'): Promise<string[]> {
  const stale: { matchId: string }[] = [];
  for await (const match of db.staleMatches.each({ lastSeenAt: { before } })) stale.push(match);
  return matchIds(stale);
}

describe('the model', () => {
  test.each([
    ['sparse', true],
    ['filtering', false],
  ])('is proven, %s, with every pattern and write of the specification', (_, sparse) => {
    const { ok, findings, patterns, procedures } = check(datingModel({ sparse }));
    expect(findings.filter(({ level }) => level !== 'accepted')).toEqual([]);
    expect(ok).toBe(true);
    const found = [...patterns, ...procedures].flatMap(({ id }) => (id === undefined ? [] : [id]));
    expect(found.toSorted()).toEqual([...ids('DA-', 9), ...ids('DA-W', 7)].toSorted());
  });

  test('is what the README shows', async () => {
    await expectChartsInReadme(import.meta.url, datingApp);
  });

  test('DA-A16: a match that may have no time of matching is reported', () => {
    const matches = model('matches')
      .entities({ Match: entity({ matchId: z.string(), user1: z.string(), matchedAt: z.iso.datetime().optional() }) })
      .relationships([])
      .patterns({ create: { creates: 'Match' }, of: { reads: ['Match'], by: ['user1'], order: 'matchedAt desc' } })
      .tables({ T: { key: ['PK', 'SK'], indexes: { GSI_1: ['GSI_1_PK', 'GSI_1_SK'] } } })
      .keys({ Match: { T: ['match:{matchId}', 'root'], GSI_1: ['user:{user1}', '{matchedAt:seconds}'] } })
      .served({ create: 'PutItem', of: { query: 'GSI_1' } });
    expect(check(matches).findings).toContainEqual(
      expect.objectContaining({ code: 'incomplete-index-key', path: 'keys.Match.GSI_1' }),
    );
  });
});

describe.each(drawn('dating app', databases))('dating app, $name', (database) => {
  const workbench = useWorkbench(database);

  test('DA-A1, DA-A2, DA-A3: matches of either side, in two requests (DA-1)', async () => {
    const { table, clock } = await openSample(workbench());
    const { client, requests } = workbench().newLoggedClient();
    const { db } = new Dating({ client, tableName: table.name, clock, newId: () => '' });
    const found = async (user: string): Promise<{ ids: string[]; counts: unknown[] }> => {
      const before = requests.length;
      const { items } = await db.matchesOf({ user: `user:${user}` });
      const own = requests.slice(before).toSorted((a, b) => indexOf(a.input).localeCompare(indexOf(b.input)));
      return { ids: matchIds(items), counts: own.map(({ input, output }) => [indexOf(input), output?.['Count']]) };
    };
    expect(await found('1234')).toEqual({
      ids: ['1'],
      counts: [
        ['GSI_1', 1],
        ['GSI_2', 0],
      ],
    });
    expect(await found('4567')).toEqual({
      ids: ['1'],
      counts: [
        ['GSI_1', 0],
        ['GSI_2', 1],
      ],
    });
    expect((await found('4590')).ids).toEqual(['2']);
    expect((await found('9833')).ids).toEqual(['2']);
    expect(await found('5555')).toEqual({
      ids: [],
      counts: [
        ['GSI_1', 0],
        ['GSI_2', 0],
      ],
    });
  });

  test('DA-A4, DA-A5, DA-A9: likes received and given (DA-2, DA-4, DA-5)', async () => {
    const { dating, table } = await openSample(workbench());
    const { db } = dating;
    expect((await db.likesReceived({ liked: '1234' })).items.map(({ liker }) => liker)).toEqual(['4567']);
    expect((await db.likesReceived({ liked: '4567' })).items.map(({ liker }) => liker)).toEqual(['1234']);
    expect((await db.likesGiven({ liker: '1234' })).items.map(({ liked }) => liked)).toEqual(['4567']);
    expect([await dating.likes('1234', '4567'), await dating.likes('1234', '9833')]).toEqual([true, false]);
    expect(await table.get({ PK: 'user:1234', SK: 'user:4567' })).toEqual({
      PK: 'user:1234',
      SK: 'user:4567',
      Type: 'Like',
      GSI_1_PK: 'user:like:4567',
      GSI_1_SK: '2019-12-31T22:06:25Z',
      liker: '1234',
      liked: '4567',
      likedAt: '2019-12-31T22:06:25Z',
      Status: 'active',
      deleted: false,
    });
  });

  test('DA-A6: stale matches, in a query for each shard (DA-3)', async () => {
    const { table, clock } = await openSample(workbench());
    const { client, requests } = workbench().newLoggedClient();
    const dating = new Dating({ client, tableName: table.name, clock, newId: () => '', shards: 4 });
    const { items, cursor } = await dating.db.staleMatches({ lastSeenAt: { before: '2020-01-15T00:00:00Z' } });
    expect(matchIds(items)).toEqual(['1', '2']);
    expect(cursor).toBeUndefined();
    expect(requests.map(({ input }) => partitionOf(input))).toEqual(['Match#0', 'Match#1', 'Match#2', 'Match#3']);
  });

  test('DA-A7: a match that was seen is not stale, and stays in its shard (DA-W4)', async () => {
    const { dating, table } = await openSample(workbench());
    const key = { PK: 'match:1', SK: 'root' };
    const before = await table.get(key);
    await dating.see('1', '4567');
    expect(await staleIds(dating)).toEqual(['2']);
    expect(await table.get(key)).toEqual({
      ...before,
      GSI_3_SK: '2020-01-20T00:00:00Z',
      seenBy: { 'user:4567': '2020-01-20T00:00:00Z' },
    });
    expect(before).toMatchObject({ GSI_1_PK: 'user:1234', GSI_2_PK: 'user:4567', user1: 'user:1234', seenBy: {} });
    expect(before).not.toHaveProperty('lastSeenAt');
  });

  test('DA-W4: both in one second are noted, and an earlier view changes nothing', async () => {
    const { dating, clock } = await openSample(workbench());
    await dating.see('1', '4567');
    await dating.see('1', '1234');
    clock.setToMs(clock.nowMs() - 60_000);
    await dating.see('1', '1234');
    expect(await dating.db.match({ matchId: '1' })).toMatchObject({
      lastSeenAt: '2020-01-20T00:00:00Z',
      seenBy: { 'user:1234': '2020-01-20T00:00:00Z', 'user:4567': '2020-01-20T00:00:00Z' },
    });
    await expect(dating.see('9', '1234')).rejects.toMatchObject({ code: 'not-found' });
  });

  test('DA-A8: a match that was last seen at the cutoff is not stale', async () => {
    const { dating } = await openSample(workbench());
    expect(await staleIds(dating, LAST_SEEN)).toEqual([]);
    expect(await staleIds(dating, '2019-12-31T03:44:01Z')).toEqual(['1', '2']);
  });

  test('DA-A10: two who like each other at the same instant are one match', async () => {
    const { dating, another, table } = await open(workbench());
    for (let round = 0; round < 4; round += 1) {
      const outcomes = await Promise.all([
        dating.give(`a${round}`, `b${round}`),
        another().give(`b${round}`, `a${round}`),
      ]);
      expect(outcomes.toSorted()).toEqual(['liked', 'matched']);
    }
    const items = await table.scan();
    expect(['Match', 'PairGuard', 'Like'].map((type) => ofType(items, type).length)).toEqual([4, 4, 8]);
  });

  test('DA-A11: a match is made once (DA-W1, DA-W2, DA-W3)', async () => {
    const { dating, table } = await open(workbench());
    expect(await dating.give('a', 'b')).toBe('liked');
    expect(await dating.give('a', 'b')).toBe('already-liked');
    expect(await dating.give('b', 'a')).toBe('matched');
    expect(await dating.give('b', 'a')).toBe('already-matched');
    expect(await dating.give('a', 'b')).toBe('already-matched');
    const now = '2020-01-20T00:00:00Z';
    const again = dating.db.likeBack({
      reverse: { liker: 'a', liked: 'b' },
      like: { liker: 'b', liked: 'a', likedAt: now },
      pair: { ...pairOf('a', 'b'), matchId: 'other' },
      match: { matchId: 'other', user1: 'user:b', user2: 'user:a', matchedAt: now, lastSeenAt: now },
    });
    await expect(again).rejects.toMatchObject({
      code: 'already-exists',
      part: 'pair',
      cause: { name: 'TransactionCanceledException' },
    });
    expect(ofType(await table.scan(), 'Match')).toHaveLength(1);
    await expect(dating.give('a', 'a')).rejects.toMatchObject({ code: 'oneself' });
  });

  test.each([
    ['sparse', true, 0],
    ['filtering', false, 1],
  ])('DA-A12: taking back the like of a match undoes it, %s (DA-W5, DA-W6)', async (_, sparse, scanned) => {
    const { dating, table, clock } = await openSample(workbench(), { sparse });
    expect(await dating.unlike('4567', '1234')).toBe('unmatched');
    expect(await dating.db.match({ matchId: '1' })).toBeUndefined();
    expect(await dating.matchOf('1234', '4567')).toBeUndefined();
    const { client, requests } = workbench().newLoggedClient();
    const watching = new Dating({ client, tableName: table.name, clock, newId: () => '', sparse });
    expect((await watching.db.likesReceived({ liked: '1234' })).items).toEqual([]);
    expect(requests[0]?.output).toMatchObject({ Count: 0, ScannedCount: scanned });
    expect([await dating.likes('1234', '4567'), await dating.likes('4567', '1234')]).toEqual([false, false]);
    expect(await dating.unmatch('1', '1234', '4567')).toBe(false);
  });

  test('DA-A13: a match that was seen after the index was read survives the sweep (DA-W7)', async () => {
    const { dating, another } = await openSample(workbench());
    const swept = await another().sweep({
      act: async ({ matchId }) => {
        if (matchId === '1') await dating.see('1', '1234');
        return 'expire';
      },
      cutoff: '2020-01-15T00:00:00Z',
    });
    expect(swept).toEqual({ expired: 1, kept: 0, passedOver: 1 });
    expect(await dating.db.match({ matchId: '1' })).toMatchObject({ lastSeenAt: '2020-01-20T00:00:00Z' });
    expect(await dating.matchOf('4567', '1234')).toMatchObject({ matchId: '1' });
    expect(await dating.db.match({ matchId: '2' })).toBeUndefined();
  });

  test('DA-A16: a match without a sort key in the index is in the table only', async () => {
    const { dating, table } = await open(workbench());
    await table.put({ PK: 'match:9', SK: 'root', Type: 'Match', GSI_1_PK: 'user:7', matchId: '9', user1: 'user:7' });
    expect((await dating.db.matchesOf({ user: 'user:7' })).items).toEqual([]);
    expect(await dating.db.match({ matchId: '9' })).toMatchObject({ user1: 'user:7' });
  });

  test('DA-A17, DA-A21: a sweep takes the stale with guards and likes, and a second one nothing (DA-W7)', async () => {
    const { dating, table, clock } = await openSample(workbench());
    clock.setToMs(Date.parse('2020-02-14T00:00:00Z'));
    const cutoff = '2020-01-15T00:00:00Z';
    expect(await dating.sweep()).toEqual({ expired: 2, kept: 0, passedOver: 0 });
    const left = await table.scan();
    expect(left.map(({ PK, SK, deleted }) => [PK, SK, deleted].join(' ')).toSorted()).toEqual([
      'user:1234 user:4567 true',
      'user:4567 user:1234 true',
      'user:4590 user:9833 true',
      'user:9833 user:4590 true',
    ]);
    for (const liked of ['1234', '4567', '4590', '9833']) {
      expect((await dating.db.likesReceived({ liked })).items).toEqual([]);
      expect((await dating.db.likesGiven({ liker: liked })).items).toEqual([]);
    }
    expect(await dating.sweep({ cutoff })).toEqual({ expired: 0, kept: 0, passedOver: 0 });
    expect(await table.scan()).toEqual(left);
  });

  test('DA-A18: like, unlike and like again', async () => {
    const { dating, clock } = await open(workbench());
    await dating.give('a', 'b');
    expect(await dating.unlike('a', 'b')).toBe('unliked');
    expect([await dating.likes('a', 'b'), (await dating.db.likesReceived({ liked: 'b' })).items]).toEqual([false, []]);
    clock.setToMs(clock.nowMs() + 1000);
    expect(await dating.give('a', 'b')).toBe('liked');
    expect((await dating.db.likesGiven({ liker: 'a' })).items.map(({ liked }) => liked)).toEqual(['b']);
    expect((await dating.db.likesReceived({ liked: 'b' })).items).toMatchObject([{ likedAt: '2020-01-20T00:00:01Z' }]);
    expect(await dating.likes('a', 'b')).toBe(true);
  });

  test('DA-A19: matched, unmatched and matched again', async () => {
    const { dating, table } = await open(workbench());
    await dating.give('a', 'b');
    await dating.give('b', 'a');
    expect(await dating.unlike('a', 'b')).toBe('unmatched');
    expect(await dating.give('b', 'a')).toBe('liked');
    expect(await dating.give('a', 'b')).toBe('matched');
    const items = await table.scan();
    expect([ofType(items, 'Match').length, ofType(items, 'PairGuard').length]).toEqual([1, 1]);
    expect(await dating.matchOf('b', 'a')).toMatchObject({ matchId: 'new2' });
  });

  test('DA-A20: a like taken back while it is returned leaves no match beside it', async () => {
    const { dating, another, table } = await open(workbench());
    for (let round = 0; round < 5; round += 1) {
      const [a, b] = [`a${round}`, `b${round}`];
      await dating.give(a, b);
      const [taken, given] = await Promise.all([dating.unlike(a, b), another().give(b, a)]);
      expect([
        ['unliked', 'liked'],
        ['unmatched', 'matched'],
      ]).toContainEqual([taken, given]);
      expect(await dating.likes(a, b)).toBe(false);
      expect(await dating.matchOf(a, b)).toBeUndefined();
    }
    expect(ofType(await table.scan(), 'Match')).toEqual([]);
  });

  test('DA-A22: a like that there is not cannot be taken back', async () => {
    const { dating, table } = await open(workbench());
    const error: unknown = await dating.unlike('a', 'b').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'not-liked', cause: { cause: { name: 'TransactionCanceledException' } } });
    expect(await table.scan()).toEqual([]);
  });

  test('DA-A23: a match is not seen by anybody else', async () => {
    const { dating, table } = await openSample(workbench());
    const before = await table.get({ PK: 'match:1', SK: 'root' });
    const error: unknown = await dating.see('1', '5555').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RuleError);
    expect(error).toMatchObject({ code: 'condition-failed', cause: { name: 'ConditionalCheckFailedException' } });
    expect(await table.get({ PK: 'match:1', SK: 'root' })).toEqual(before);
  });

  test('DA-8: a like whose answer was taken back is one that was not returned; two requests', async () => {
    const { dating, table, clock } = await openSample(workbench());
    await dating.give('1234', 'e');
    await dating.unlike('1234', 'e');
    for (const liker of ['e', 'f', 'g']) {
      clock.setToMs(clock.nowMs() + 1000);
      await dating.give(liker, '1234');
    }
    expect(await dating.give('1234', 'f')).toBe('matched');
    expect(await table.get({ PK: 'user:1234', SK: 'user:e' })).toMatchObject({ deleted: true });
    const { client, operations } = workbench().newLoggedClient();
    const logged = new Dating({ client, tableName: table.name, clock, newId: () => '' });
    expect((await logged.likesYou('1234')).items.map(({ liker }) => liker)).toEqual(['g', 'e']);
    expect(operations).toEqual(['Query', 'BatchGetItem']);
    expect((await logged.likesYou('absent')).items).toEqual([]);
    expect(operations).toEqual(['Query', 'BatchGetItem', 'Query']);
  });

  test('DA-7, DA-8, DA-9: the match of a pair, likes not returned, the newest matches', async () => {
    const { dating, clock } = await openSample(workbench());
    expect(await dating.matchOf('4567', '1234')).toMatchObject({ matchId: '1' });
    expect(await dating.matchOf('4567', '9833')).toBeUndefined();
    for (const liker of ['a', 'b', 'c', 'd']) {
      clock.setToMs(clock.nowMs() + 1000);
      await dating.give(liker, '1234');
      if (liker !== 'a') expect(await dating.give('1234', liker)).toBe('matched');
    }
    expect((await dating.likesYou('1234')).items.map(({ liker }) => liker)).toEqual(['a']);
    expect((await dating.likesYou('absent')).items).toEqual([]);
    const { items } = await dating.db.newestMatchesOf({ user: 'user:1234' });
    expect(items.map(({ user1, user2 }) => [user1, user2])).toEqual([
      ['user:1234', 'user:d'],
      ['user:1234', 'user:c'],
      ['user:1234', 'user:b'],
    ]);
  });
});

describe.each(drawn('many matches', databases))('many matches, $name', (database) => {
  const workbench = useWorkbench(database);

  test('DA-A15: with twice as many shards every stale match is found once, old and new', async () => {
    const { dating, another } = await open(workbench());
    const wider = another({ shards: 8 });
    const matches = (from: number) =>
      Array.from({ length: 150 }, (_, i) => ({
        matchId: `m${from + i}`,
        user1: `user:${from + i}`,
        user2: 'user:other',
        matchedAt: LAST_SEEN,
        lastSeenAt: LAST_SEEN,
      }));
    await dating.db.seedMatches(matches(1000));
    await wider.db.seedMatches(matches(2000));
    const expected = [...matches(1000), ...matches(2000)].map(({ matchId }) => matchId);
    expect(await staleIds(wider)).toEqual(expected.toSorted());
  });
});

describe('many', () => {
  const workbench = useWorkbench(quickDatabase);

  test('DA-A14: 10,000 matches lie evenly in ten shards', async () => {
    const { dating, table } = await open(workbench(), { shards: 10 });
    await dating.db.seedMatches(
      Array.from({ length: 10_000 }, (_, i) => ({
        matchId: `m${i}`,
        user1: 'user:1',
        user2: 'user:2',
        matchedAt: MATCHED,
        lastSeenAt: LAST_SEEN,
      })),
    );
    const shards = new Map<unknown, number>();
    for (const { GSI_3_PK } of await table.scan('GSI_3')) shards.set(GSI_3_PK, (shards.get(GSI_3_PK) ?? 0) + 1);
    expect(new Set(shards.keys())).toEqual(new Set(Array.from({ length: 10 }, (_, i) => `Match#${i}`)));
    expect([...shards.values()].reduce((sum, count) => sum + count, 0)).toBe(10_000);
    for (const count of shards.values()) expect(Math.abs(count - 1000)).toBeLessThanOrEqual(150);
  });

  test('DA-W7: an action that keeps a match is done once, until the match has been seen and is stale again', async () => {
    const { dating, clock } = await openSample(workbench());
    clock.setToMs(Date.parse('2020-02-14T00:00:00Z'));
    const told: string[] = [];
    const act = async ({ matchId }: { matchId: string }): Promise<'keep'> => {
      told.push(matchId);
      return await Promise.resolve('keep' as const);
    };
    expect(await dating.sweep({ act })).toEqual({ expired: 0, kept: 2, passedOver: 0 });
    expect(await dating.sweep({ act })).toEqual({ expired: 0, kept: 0, passedOver: 2 });
    clock.setToMs(Date.parse('2020-02-15T00:00:00Z'));
    await dating.see('1', '1234');
    clock.setToMs(Date.parse('2020-04-14T00:00:00Z'));
    expect(await dating.sweep({ act })).toMatchObject({ kept: 1, passedOver: 1 });
    expect(told.toSorted()).toEqual(['1', '1', '2']);
  });

  test('DA-W7: a sweep that was interrupted continues from its last page', async () => {
    const { dating, another } = await open(workbench());
    await dating.db.seedMatches(
      Array.from({ length: 250 }, (_, i) => ({
        matchId: `m${i}`,
        user1: `user:a${i}`,
        user2: `user:b${i}`,
        matchedAt: LAST_SEEN,
        lastSeenAt: new Date(Date.parse(LAST_SEEN) - i * 1000).toISOString().replace('.000Z', 'Z'),
      })),
    );
    let checkpoint: string | undefined;
    const stopped = dating.sweep({
      cutoff: '2020-01-15T00:00:00Z',
      onPage: (cursor) => {
        checkpoint = cursor;
        throw new RangeError('stopped');
      },
    });
    await expect(stopped).rejects.toThrow('stopped');
    const rest = await another().sweep({ cutoff: '2020-01-15T00:00:00Z', cursor: checkpoint! });
    expect(rest).toEqual({ expired: 150, kept: 0, passedOver: 0 });
    expect(await staleIds(dating)).toEqual([]);
  });

  test('the seed is whole: every match has its guard and two likes', async () => {
    const { dating, table } = await open(workbench());
    const counts = await seedDating(dating, '2020-01-20T00:00:00Z', 0.001);
    const items = await table.scan();
    const [matches, likes] = [ofType(items, 'Match'), ofType(items, 'Like')];
    expect([ofType(items, 'User').length, likes.length, matches.length]).toEqual([
      counts.users,
      counts.likes,
      counts.matches,
    ]);
    const keys = new Set(items.map(({ PK, SK }) => `${String(PK)} ${String(SK)}`));
    for (const { user1, user2 } of matches) {
      const { low, high } = pairOf(String(user1).slice(5), String(user2).slice(5));
      for (const key of [
        `${String(user1)} ${String(user2)}`,
        `${String(user2)} ${String(user1)}`,
        `pair:${low}:${high} root`,
      ]) {
        expect(keys).toContain(key);
      }
    }
    const { expired } = await dating.sweep();
    expect(expired).toBeGreaterThan(matches.length / 10);
    expect(ofType(await table.scan(), 'Match')).toHaveLength(matches.length - expired);
  });

  test('the demo plays an evening', async () => {
    const written: string[] = [];
    const terminal = new Terminal({ write: (text) => written.push(text) }, { colour: false });
    const database = await quickDatabase.open();
    try {
      const demo = datingAppDemo({ scale: 0.0005, likes: 120 });
      const tableName = `dating-demo-${process.pid}`;
      await runDemo(demo, { database, terminal, tableName, signal: new AbortController().signal });
      const output = written.join('');
      expect(output).toMatch(/The sweep expires [1-9]\d* matches that were not seen for 30 days; a second one 0\./);
      for (const { id, title } of demo.patterns) expect(output).toContain(`${id}  ${title}`);
      expect(output).not.toContain('no request');
    } finally {
      await database.close();
    }
  });
});

function indexOf(input: Readonly<Record<string, unknown>>): string {
  return String(input['IndexName']);
}

function partitionOf(input: Readonly<Record<string, unknown>>): string | undefined {
  return (input['ExpressionAttributeValues'] as { ':p0': { S?: string } })[':p0'].S;
}
