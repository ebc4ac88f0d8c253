import { describe, expect, test } from 'vitest';
import { declaredIds, expectToSignOut, useApplication } from '../../testing/applications.ts';
import { keepsExamples } from '../../testing/examples.ts';
import type { BigTimeDeals } from '../big-time-deals.ts';
import { bigTimeDeals } from '../model.ts';
import { featured } from '../testing.ts';
import { editorRoutes } from './editor-routes.ts';
import { hunterRoutes } from './hunter-routes.ts';
import type { Once } from './once.ts';
import { startBigTimeDeals } from './start.ts';

keepsExamples(new URL('examples.json', import.meta.url));

/** The tested parts of the answers. The server checks their shapes. */
interface Value {
  readonly deals: readonly { readonly dealId: string; readonly title: string }[];
  readonly next: string;
  readonly featured: readonly unknown[];
  readonly featuredDeals: readonly unknown[];
  readonly brands: readonly { readonly brand: string }[];
  readonly brand: { readonly brand: string };
  readonly category: { readonly likeCount: number; readonly watchCount: number; readonly featuredDeals: unknown };
  readonly messages: readonly { readonly messageId: string }[];
  readonly birthday: unknown;
  readonly dealId: string;
  readonly blastId: string;
  readonly sent: number;
}

const TOKEN = 'a token of editors';

/** Only declared: no operation is called. */
const declared = [
  ...hunterRoutes({} as BigTimeDeals, { once: {} as Once, required: async () => await Promise.resolve('') }),
  ...editorRoutes({} as BigTimeDeals, {} as Once),
];

test('every pattern is served by an operation', () => {
  expect(new Set(declared.flatMap(({ serves = [] }) => serves))).toEqual(declaredIds(bigTimeDeals));
});

describe('Big Time Deals over HTTP', () => {
  const served = useApplication(
    async (options) => await startBigTimeDeals({ ...options, editorToken: TOKEN, pollIntervalMs: 10 }),
    { scale: 0.01 },
  );

  /** The header of a user who has signed in. */
  async function as(username: string): Promise<Record<string, string>> {
    const response = await fetch(`${served().url}/api/sessions`, {
      method: 'POST',
      body: JSON.stringify({ username }),
    });
    const { token } = (await response.json()) as { readonly token: string };
    return { authorization: `Bearer ${token}` };
  }

  async function send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = { authorization: `Bearer ${TOKEN}` },
  ): Promise<{ readonly status: number; readonly value: Value }> {
    const response = await fetch(`${served().url}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, value: (text === '' ? {} : JSON.parse(text)) as Value };
  }

  test('hunters browse, like, watch and read their messages', async () => {
    const page = await send('GET', '/api/front-page');
    expect([page.status, page.value.featured.length, page.value.deals.length]).toEqual([200, 8, 25]);
    const older = await send('GET', page.value.next);
    expect(older.value.deals).toHaveLength(25);
    const last = await send('GET', older.value.next);
    expect(new Set([page, older, last].flatMap(({ value }) => value.deals.map(({ dealId }) => dealId))).size).toBe(75);
    const [first] = page.value.deals;
    expect((await send('GET', `/api/deals/${first!.dealId}`)).value).toEqual(first);
    expect((await send('GET', '/api/editors-choice')).value.featuredDeals).toHaveLength(12);
    const { brands } = (await send('GET', '/api/brands')).value;
    expect(brands).toHaveLength(10);

    expect((await send('POST', '/api/users', { username: 'sally', email: 'sally@x.org' })).status).toBe(201);
    expect(await send('POST', '/api/users', { username: 'sally', email: 'y@x.org' })).toMatchObject({
      status: 409,
      value: { code: 'taken' },
    });
    const sally = await as('sally');
    const settings = { email: 'new@x.org', birthday: '1990-02-03' };
    expect((await send('PATCH', '/api/users/sally', settings, sally)).value).toMatchObject(settings);
    expect((await send('PATCH', '/api/users/sally', { birthday: null }, sally)).value.birthday).toBeUndefined();
    expect((await send('GET', '/api/users/sally', undefined, sally)).value).toMatchObject({
      username: 'sally',
      email: 'new@x.org',
    });

    const category = '/api/categories/Food%20%26%20Drink';
    const before = (await send('GET', category)).value.category;
    expect((await send('PUT', `${category}/likes/sally`, undefined, sally)).status).toBe(204);
    expect((await send('PUT', `${category}/watchers/sally`, undefined, sally)).status).toBe(204);
    // Sent again, it is the same like.
    expect((await send('PUT', `${category}/likes/sally`, undefined, sally)).status).toBe(204);
    expect((await send('PUT', `${category}/watchers/sally`, undefined, sally)).status).toBe(204);
    expect((await send('GET', category)).value.category).toMatchObject({
      likeCount: before.likeCount + 1,
      watchCount: before.watchCount + 1,
    });
    const brand = `/api/brands/${encodeURIComponent(brands[0]!.brand)}`;
    expect((await send('PUT', `${brand}/likes/sally`, undefined, sally)).status).toBe(204);
    expect((await send('PUT', `${brand}/watchers/sally`, undefined, sally)).status).toBe(204);
    expect((await send('GET', brand)).value.brand.brand).toBe(brands[0]!.brand);

    const deal = { title: 'Tea', price: 5, brand: brands[0]!.brand, category: 'Food & Drink', link: 'https://x.org/' };
    const created = await send('POST', '/api/editor/deals', deal);
    expect(created).toMatchObject({ status: 201, value: deal });
    await expect
      .poll(
        async () =>
          (await send('GET', '/api/users/sally/messages?unread=true', undefined, sally)).value.messages.length,
      )
      .toBe(2);
    const { messages } = (await send('GET', '/api/users/sally/messages?unread=true', undefined, sally)).value;
    expect(messages[0]).toMatchObject({ body: 'Tea', dealId: created.value.dealId });
    expect(
      (await send('PUT', `/api/users/sally/messages/${messages[0]!.messageId}/read`, undefined, sally)).status,
    ).toBe(204);
    expect((await send('GET', '/api/users/sally/messages?unread=true', undefined, sally)).value.messages).toHaveLength(
      1,
    );
    expect((await send('GET', '/api/users/sally/messages', undefined, sally)).value.messages).toHaveLength(2);
    await expect.poll(async () => (await send('GET', '/api/front-page')).value.deals[0]?.title).toBe('Tea');

    const once = { authorization: `Bearer ${TOKEN}`, 'idempotency-key': 'key-of-the-editors' };
    const attempts = Array.from({ length: 3 }, async () => await send('POST', '/api/editor/deals', deal, once));
    const [one, ...repeated] = await Promise.all(attempts);
    expect([one?.status, repeated]).toEqual([201, [one, one]]);
    expect(one?.value.dealId).not.toBe(created.value.dealId);
  });

  test('editors feature deals, add brands and categories, and write to everybody', async () => {
    const list = { featuredDeals: featured(6) };
    expect((await send('PUT', '/api/editor/front-page/featured', list)).status).toBe(204);
    expect((await send('PUT', '/api/editor/categories/Tech/featured', list)).status).toBe(204);
    expect((await send('PUT', '/api/editor/editors-choice/featured', list)).status).toBe(204);
    expect((await send('GET', '/api/front-page')).value.featured).toEqual(list.featuredDeals);
    expect((await send('GET', '/api/categories/tech')).value.category.featuredDeals).toEqual(list.featuredDeals);
    expect((await send('POST', '/api/editor/brands', { brand: 'Gucci' })).status).toBe(204);
    expect((await send('POST', '/api/editor/brands', { brand: 'gucci' })).status).toBe(409);
    expect((await send('POST', '/api/editor/categories', { category: 'Tech' })).status).toBe(409);
    expect((await send('POST', '/api/editor/categories', { category: 'Books' })).status).toBe(204);
    expect((await send('POST', '/api/users', { username: 'reader', email: 'reader@x.org' })).status).toBe(201);
    const { value } = await send('POST', '/api/editor/blasts', { subject: 'Hot', body: 'Very' });
    expect(value.sent).toBeGreaterThanOrEqual(11);
    const again = await send('POST', '/api/editor/blasts', { subject: 'Hot', body: 'Very', blastId: value.blastId });
    expect(again.value.sent).toBe(0);
    expect(
      (await send('GET', '/api/users/reader/messages', undefined, await as('reader'))).value.messages,
    ).toHaveLength(1);
  });

  test.each([
    ['GET', '/api/nothing', undefined, 404, 'no-such-path'],
    ['DELETE', '/api/brands', undefined, 405, 'no-such-method'],
    ['GET', '/api/brands/None', undefined, 404, 'not-found'],
    ['GET', '/api/brands/A%23B', undefined, 400, 'invalid'],
    ['GET', '/api/brands/%FF', undefined, 400, 'invalid'],
    ['GET', '/api/deals/x', undefined, 404, 'not-found'],
    ['GET', '/api/front-page?after=x', undefined, 400, 'invalid'],
    ['GET', '/api/front-page?cursor=x', undefined, 400, 'invalid'],
    ['PUT', '/api/brands/None/likes/hunter1', undefined, 404, 'not-found'],
    ['PUT', '/api/categories/Tech/likes/hunter2', undefined, 403, 'not-yours'],
    ['GET', '/api/users/hunter2', undefined, 403, 'not-yours'],
    ['GET', '/api/users/hunter2/messages', undefined, 403, 'not-yours'],
    ['PUT', '/api/users/hunter1/messages/none/read', undefined, 404, 'not-found'],
    ['POST', '/api/sessions', { username: 'editor:guess' }, 401, 'not-signed-in'],
    ['POST', '/api/sessions', { username: 'editor:desk' }, 401, 'not-signed-in'],
    ['POST', '/api/users', '{', 400, 'not-json'],
    ['POST', '/api/users', { username: 'x' }, 400, 'invalid'],
    ['POST', '/api/users', `"${'x'.repeat(300_000)}"`, 413, 'too-large'],
    ['PUT', '/api/editor/front-page/featured', { featuredDeals: [] }, 400, 'invalid'],
    ['PUT', '/api/editor/categories/None/featured', { featuredDeals: featured(5) }, 404, 'not-found'],
    [
      'POST',
      '/api/editor/deals',
      { title: 'x', price: 1, brand: 'None', category: 'Tech', link: 'https://x.org' },
      404,
      'not-found',
    ],
  ])('%s %s is refused', async (method, path, body, status, code) => {
    const headers = path.includes('/editor/') ? { authorization: `Bearer ${TOKEN}` } : await as('hunter1');
    expect(await send(method, path, body, headers)).toMatchObject({ status, value: { status, code } });
  });

  test('only editors do what editors do', async () => {
    for (const headers of [{}, { authorization: 'Bearer guess' }, { authorization: TOKEN }] as Record<
      string,
      string
    >[]) {
      for (const { method, path } of declared.filter(({ security }) => security === 'editor')) {
        expect((await send(method, `/api${path}`, {}, headers)).status).toBe(401);
      }
    }
  });

  test('signing out ends a session, and signing out everywhere all of them', async () => {
    await expectToSignOut(served(), 'hunter9');
  });
});
