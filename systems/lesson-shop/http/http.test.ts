import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../clock.ts';
import type { SignIn } from '../../http/sign-in.ts';
import { declaredIds, expectToSignOut, serving, useApplication } from '../../testing/applications.ts';
import { keepsExamples } from '../../testing/examples.ts';
import { lessonShop } from '../model.ts';
import type { Counter } from './counter.ts';
import { routesOf } from './routes.ts';
import { startLessonShop } from './start.ts';

keepsExamples(new URL('examples.json', import.meta.url));

const served = useApplication(startLessonShop, { scale: 0.002 });
const WANTED = {
  lines: [
    { productId: 'p0001', quantity: 2 },
    { productId: 'p0002', quantity: 1 },
  ],
};

async function signedIn(username = 'u00001', key?: string): Promise<string> {
  const { body } = await served().ask('POST', '/sessions', { body: { username }, ...(key !== undefined && { key }) });
  return String(body['token']);
}

test('every pattern is served by an operation', () => {
  const ids = routesOf({} as Counter, {} as SignIn).flatMap(({ serves = [] }) => serves);
  expect(new Set(ids)).toEqual(declaredIds(lessonShop));
});

describe('an order', () => {
  test('that is sent again after midnight is the one of the day before', async () => {
    const base = new ManualClock('2026-03-02T23:59:59Z');
    await serving(
      async (options) => await startLessonShop({ ...options, base }),
      async ({ ask }) => {
        const { body: session } = await ask('POST', '/sessions', { body: { username: 'u00001' } });
        const order = { token: String(session['token']), key: 'the-same-key', body: WANTED };
        const first = await ask('POST', '/orders', order);
        expect(first.body['orderId']).toMatch(/^2026-03-02#/);
        base.setToMs(Date.parse('2026-03-03T00:00:01Z'));
        expect((await ask('POST', '/orders', order)).body).toEqual(first.body);
        expect((await ask('POST', '/orders', { ...order, key: 'another-key' })).body['orderId']).toMatch(
          /^2026-03-03#/,
        );
      },
    );
  });

  test('is placed once by one key at the prices of the products, found in every way, and changed in both copies', async () => {
    const { ask } = served();
    const token = await signedIn();
    const key = 'the-same-key';
    const answers = await Promise.all(
      [1, 2, 3].map(async () => await ask('POST', '/orders', { token, key, body: WANTED })),
    );
    answers.push(await ask('POST', '/orders', { token, key, body: WANTED }));
    expect(new Set(answers.map(({ status, body }) => `${status} ${String(body['orderId'])}`)).size).toBe(1);
    const other = await ask('POST', '/orders', { token: await signedIn('u00002'), key, body: WANTED });
    const { orderId, total } = answers[0]!.body;
    expect(other.body['orderId']).not.toBe(orderId);
    const prices = await Promise.all(
      ['p0001', 'p0002'].map(async (id) => Number((await ask('GET', `/products/${id}`)).body['price'])),
    );
    expect(total).toBeCloseTo(prices[0]! * 2 + prices[1]!, 2);

    const path = `/orders/${encodeURIComponent(String(orderId))}`;
    expect(await ask('PUT', `${path}/status`, { body: { status: 'PAID' } })).toMatchObject({ status: 200 });
    const whole = await ask('GET', path);
    expect(whole.body).toMatchObject({ order: { status: 'PAID' }, items: [{ quantity: 1 }, { quantity: 2 }] });
    expect(whole.receipt).toBe('op=Query;place=lesson-shop;read=3;returned=3;rcu=0.5;pattern=LE-11, serves=LE-11');
    expect((await ask('GET', `${path}/items`)).body['items']).toHaveLength(2);
    expect((await ask('GET', `/me${path}`, { token })).body['status']).toBe('PAID');
    for (const list of ['/me/orders', '/me/orders?days=30']) {
      const items = (await ask('GET', list, { token })).body['items'] as { orderId: string; status: string }[];
      expect(items[0]).toMatchObject({ orderId, status: 'PAID' });
    }
    const account = await ask('GET', '/me/account', { token });
    expect((account.body['orders'] as object[])[0]).toMatchObject({ orderId });
    expect(account.receipt).toMatch(/, op=Query;[^,]+, serves=LE-9$/);
  });

  test('has no place beside those of a full number: the next one is taken', async () => {
    const { ask } = served();
    const token = await signedIn('u00003');
    const ids = new Set<unknown>();
    for (let number = 0; number < 30; number += 1) {
      ids.add((await ask('POST', '/orders', { token, body: WANTED })).body['orderId']);
    }
    expect(ids.size).toBe(30);
  });
});

test('a product is reviewed once by a customer, and a session that is begun twice by one key is one', async () => {
  const { ask } = served();
  const [token, again] = [await signedIn('u00004', 'a-log-in-key'), await signedIn('u00004', 'a-log-in-key')];
  expect(again).toBe(token);
  const sessions = (await ask('GET', '/me/sessions', { token })).body['items'] as { sessionId: string }[];
  expect(new Set(sessions.map(({ sessionId }) => sessionId)).size).toBe(sessions.length);
  await signedIn('u00004');
  expect((await ask('GET', '/me/sessions', { token })).body['items']).toHaveLength(sessions.length + 1);
  expect((await ask('GET', '/me', { token })).body).toMatchObject({ userId: 'u00004' });
  const review = { rating: 5, text: '<b>A second bottle</b>' };
  const products = await Promise.all(
    ['p0001', 'p0002', 'p0003', 'p0004'].map(async (id) => ({
      id,
      status: (await ask('GET', `/products/${id}/reviews/u00004`)).status,
    })),
  );
  const { id } = products.find(({ status }) => status === 404)!;
  expect((await ask('PUT', `/products/${id}/review`, { token, body: review })).status).toBe(201);
  // Sent again, it is the same review. Another one is refused.
  expect((await ask('PUT', `/products/${id}/review`, { token, body: review })).status).toBe(201);
  const other = { ...review, rating: 1 };
  expect(await ask('PUT', `/products/${id}/review`, { token, body: other })).toMatchObject({
    status: 409,
    body: { code: 'already-done' },
  });
  expect((await ask('GET', `/products/${id}/reviews/u00004`)).body).toMatchObject(review);
  const { items } = (await ask('GET', `/products/${id}/reviews`)).body;
  expect((items as { userId: string }[]).filter(({ userId }) => userId === 'u00004')).toHaveLength(1);
});

test('what is refused says why, and changes nothing', async () => {
  const { ask, said } = served();
  const token = await signedIn('u00005');
  const before = await ask('GET', '/me/orders', { token });
  const line = { productId: 'p0001', quantity: 1 };
  const [mine, foreign] = [{ token }, {}];
  const cases: [string, string, object, number, string][] = [
    ['GET', '/me', foreign, 401, 'not-signed-in'],
    ['POST', '/orders', { ...foreign, body: WANTED }, 401, 'not-signed-in'],
    ['POST', '/orders', { ...mine, body: { lines: [] } }, 400, 'invalid'],
    ['POST', '/orders', { ...mine, body: { lines: [line, line] } }, 400, 'invalid'],
    ['POST', '/orders', { ...mine, body: { lines: [{ ...line, quantity: 0 }] } }, 400, 'invalid'],
    ['POST', '/orders', { ...mine, body: { lines: [{ ...line, productId: 'none' }] } }, 400, 'invalid'],
    ['POST', '/orders', { ...mine, body: { lines: Array.from({ length: 99 }, () => line) } }, 400, 'invalid'],
    ['POST', '/orders', { ...mine, key: 'short', body: WANTED }, 400, 'invalid'],
    ['GET', '/orders/2024-01-15%231', {}, 400, 'invalid'],
    ['GET', '/orders/2024-01-15%23001', {}, 404, 'not-found'],
    ['PUT', '/orders/2024-01-15%23001/status', { body: { status: 'PAID' } }, 404, 'not-found'],
    ['PUT', '/orders/2024-01-15%23001/status', { body: { status: 'LOST' } }, 400, 'invalid'],
    ['GET', '/me/orders?days=-1', mine, 400, 'invalid'],
    ['GET', '/me/orders?cursor=none', mine, 400, 'invalid'],
    ['GET', '/products/a%23b', {}, 400, 'invalid'],
    ['GET', '/products/none', {}, 404, 'not-found'],
    ['PUT', '/products/none/review', { ...mine, body: { rating: 1, text: 'x' } }, 404, 'not-found'],
    ['PUT', '/products/p0001/review', { ...mine, body: { rating: 6, text: 'x' } }, 400, 'invalid'],
  ];
  for (const [method, path, options, status, code] of cases) {
    const answer = await ask(method, path, options);
    expect([method, path, answer.status, answer.body['code']]).toEqual([method, path, status, code]);
    expect(JSON.stringify(answer.body)).not.toMatch(/Exception|Zod|Invalid|at .*\.ts/);
  }
  expect((await ask('GET', '/me/orders', { token })).body).toEqual(before.body);
  expect(said.slice(1)).toEqual([]);
});

test('signing out ends a session, and signing out everywhere all of them', async () => {
  await expectToSignOut(served(), 'u00003');
});
