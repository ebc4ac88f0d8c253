import { beforeAll, describe, expect, test } from 'vitest';
import type { SignIn } from '../../http/sign-in.ts';
import { declaredIds, expectToSignOut, useApplication } from '../../testing/applications.ts';
import { keepsExamples } from '../../testing/examples.ts';
import { datingApp } from '../model.ts';
import type { House } from './house.ts';
import { routesOf } from './routes.ts';
import { startDating } from './start.ts';

keepsExamples(new URL('examples.json', import.meta.url));

// Twenty users, almost all of whom know each other: each test first removes everything between its two users.
const served = useApplication(startDating, { scale: 0.0002 });
const tokens = new Map<string, string>();

beforeAll(async () => {
  for (const username of ['u1', 'u2', 'u3', 'u4', 'u5', 'u6', 'u7', 'u8']) {
    const { body } = await served().ask('POST', '/sessions', { body: { username } });
    tokens.set(username, String(body['token']));
  }
});

async function ask(person: string, method: string, path: string) {
  return await served().ask(method, path, { token: tokens.get(person) });
}

/** Takes back all likes between two users, and with them their match. */
async function strangers(one: string, other: string): Promise<void> {
  await ask(one, 'DELETE', `/likes/${other}`);
  await ask(other, 'DELETE', `/likes/${one}`);
}

async function deckOf(person: string): Promise<Map<unknown, unknown>> {
  const cards: { userId: string; likesYou: boolean }[] = [];
  let cursor: string | undefined;
  do {
    const from = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    const { body } = await ask(person, 'GET', `/deck${from}`);
    cards.push(...(body['cards'] as typeof cards));
    cursor = body['cursor'] as string | undefined;
  } while (cursor !== undefined);
  return new Map(cards.map(({ userId, likesYou }) => [userId, likesYou]));
}

test('every pattern, write and job is served by an operation', () => {
  const ids = routesOf({} as House, {} as SignIn).flatMap(({ serves = [] }) => serves);
  expect(new Set(ids)).toEqual(declaredIds(datingApp));
});

describe('two people', () => {
  test('like each other: one match, which either finds, keeps and ends', async () => {
    await strangers('u1', 'u2');
    expect((await ask('u1', 'PUT', '/likes/u2')).body).toEqual({ outcome: 'liked' });
    expect((await ask('u1', 'PUT', '/likes/u2')).body).toEqual({ outcome: 'already-liked' });
    expect((await deckOf('u2')).get('u1')).toBe(true);
    const { body } = await ask('u2', 'PUT', '/likes/u1');
    expect(body).toMatchObject({ outcome: 'matched', match: { with: 'u1' } });
    const { matchId } = body['match'] as { matchId: string };
    expect((await ask('u1', 'PUT', '/likes/u2')).body).toMatchObject({
      outcome: 'already-matched',
      match: { matchId },
    });
    // A returned like has left the deck.
    expect((await deckOf('u2')).has('u1')).toBe(false);
    for (const person of ['u1', 'u2']) {
      expect((await ask(person, 'GET', `/matches/${matchId}`)).body['matchId']).toBe(matchId);
      for (const list of ['/matches', '/matches/newest']) {
        const items = (await ask(person, 'GET', list)).body['items'] as { matchId: string }[];
        expect(items.map((each) => each.matchId)).toContain(matchId);
      }
      expect((await ask(person, 'PUT', `/matches/${matchId}/seen`)).status).toBe(200);
    }
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', '/seen'],
      ['DELETE', ''],
    ] as const) {
      expect(await ask('u3', method, `/matches/${matchId}${path}`)).toMatchObject({
        status: 403,
        body: { code: 'not-yours' },
      });
    }
    expect((await ask('u1', 'DELETE', `/matches/${matchId}`)).status).toBe(204);
    expect((await ask('u2', 'GET', `/matches/${matchId}`)).status).toBe(404);
    expect((await ask('u1', 'GET', '/likes/u2')).body).toEqual({ likes: false });
  });

  test('who tap at the same time become one match', async () => {
    await strangers('u3', 'u4');
    const answers = await Promise.all([ask('u3', 'PUT', '/likes/u4'), ask('u4', 'PUT', '/likes/u3')]);
    const outcomes = answers.map(({ body }) => body['outcome']);
    expect(outcomes.filter((each) => each === 'matched')).toHaveLength(1);
    const ids = await Promise.all(
      [ask('u3', 'PUT', '/likes/u4'), ask('u4', 'PUT', '/likes/u3')].map(
        async (asked) => ((await asked).body['match'] as { matchId: string }).matchId,
      ),
    );
    expect(new Set(ids).size).toBe(1);
  });

  test('of whom one takes the like back before the other answers: the deck shows neither, and an answer is a first like', async () => {
    await strangers('u5', 'u6');
    await ask('u5', 'PUT', '/likes/u6');
    expect((await deckOf('u6')).get('u5')).toBe(true);
    expect((await ask('u5', 'DELETE', '/likes/u6')).body).toEqual({ outcome: 'unliked' });
    expect((await deckOf('u6')).get('u5')).not.toBe(true);
    expect((await ask('u6', 'PUT', '/likes/u5')).body).toEqual({ outcome: 'liked' });
    // The deck reads one batch of likes, and a withdrawn like does not count as an answer to this one.
    expect((await deckOf('u5')).get('u6')).toBe(true);
    const received = (await ask('u5', 'GET', '/likes/received')).body['items'] as { liker: string }[];
    expect(received.map(({ liker }) => liker)).toContain('u6');
    expect((await ask('u6', 'DELETE', '/likes/u5')).body).toEqual({ outcome: 'unliked' });
  });
});

test('a deck costs a query and two batches, however many like the person', async () => {
  const { receipt } = await ask('u7', 'GET', '/deck');
  const operations = [...receipt.matchAll(/op=(\w+);place=dating-app(\/\w+)?;/g)].map(
    ([, name, index]) => `${name}${index ?? ''}`,
  );
  expect(operations.slice(0, 2)).toEqual(['Query/GSI_1', 'BatchGetItem']);
  expect(operations.at(-1)).toBe('BatchGetItem');
  expect(operations.length).toBeLessThanOrEqual(4);
});

test('the sweep ends what neither has looked at for thirty days, and finds nothing the second time', async () => {
  const before = new Date(Date.now() - 31 * 86_400_000).toISOString().replace(/\.\d+/, '');
  const stale = (await ask('u8', 'GET', `/operator/stale?before=${before}`)).body['items'] as object[];
  expect(stale.length).toBeGreaterThan(0);
  const swept = (await ask('u8', 'POST', '/operator/sweep')).body as unknown as { expired: number; byShard: number[] };
  expect(swept.expired).toBeGreaterThanOrEqual(stale.length);
  expect(swept.byShard.reduce((sum, each) => sum + each, 0)).toBe(swept.expired);
  expect((await ask('u8', 'POST', '/operator/sweep')).body).toMatchObject({ expired: 0, passedOver: 0 });
  expect((await ask('u8', 'GET', `/operator/stale?before=${before}`)).body['items']).toEqual([]);
});

test('the cookie of those put off for now keeps the latest that a browser can store', async () => {
  const userOf = (number: number): string => `${'é'.repeat(90)}${number}`;
  let cookie = '';
  for (let number = 1; number <= 30; number += 1) {
    const response = await fetch(`${served().url}/not-now`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        cookie,
        authorization: `Bearer ${tokens.get('u1')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ key: 'key-of-the-form', userId: userOf(number) }).toString(),
    });
    expect(response.status).toBe(303);
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect(cookie.length).toBeLessThan(4000);
  }
  const [, ...kept] = cookie.split('|').map(decodeURIComponent);
  expect(kept.length).toBeGreaterThan(5);
  expect(kept).toEqual(Array.from(kept, (_, at) => userOf(30 - kept.length + 1 + at)));
});

test('what is refused says why', async () => {
  const cases: [string, string, string, number, string][] = [
    ['none', 'GET', '/deck', 401, 'not-signed-in'],
    ['u1', 'PUT', '/likes/u1', 409, 'not-now'],
    ['u1', 'PUT', '/likes/none', 404, 'not-found'],
    ['u1', 'PUT', '/likes/a%3Ab', 400, 'invalid'],
    ['u1', 'DELETE', '/likes/none', 404, 'not-found'],
    ['u1', 'GET', '/matches/none', 404, 'not-found'],
    ['u1', 'DELETE', '/matches/none', 404, 'not-found'],
    ['u1', 'GET', '/deck?cursor=none', 400, 'invalid'],
    ['u1', 'GET', '/operator/stale?before=yesterday', 400, 'invalid'],
    ['u1', 'GET', '/matches/%00', 404, 'not-found'],
  ];
  for (const [person, method, path, status, code] of cases) {
    const answer = await ask(person, method, path);
    expect([method, path, answer.status, answer.body['code']]).toEqual([method, path, status, code]);
    expect(JSON.stringify(answer.body)).not.toMatch(/Exception|Zod|Invalid|at .*\.ts/);
  }
  expect(served().said.slice(1)).toEqual([]);
});

test('signing out ends a session, and signing out everywhere all of them', async () => {
  await expectToSignOut(served(), 'u8');
  expect((await ask('u3', 'GET', '/likes')).status).toBe(200);
});
