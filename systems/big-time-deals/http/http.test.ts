import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SeededRandom } from '../../demo/seeded-random.ts';
import { loadReport, runLoad } from '../../http/load.ts';
import type { OpenDatabase } from '../../testing/databases.ts';
import { openBigTimeDeals } from '../big-time-deals.ts';
import { featured, oneDatabase } from '../testing.ts';
import { descriptionOf, routesOf } from './application.ts';
import { hunterActions } from './hunter-actions.ts';
import { type SiteServer, startSite } from './site-server.ts';

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

/** Waits for effects of the stream. */
const TOKEN = 'a token of editors';

describe('Big Time Deals over HTTP', () => {
  let database: OpenDatabase;
  let server: SiteServer;
  const faults: unknown[] = [];

  beforeAll(async () => {
    database = await oneDatabase!.open();
    server = await startSite({
      database,
      editorToken: TOKEN,
      port: 0,
      tableName: `Deals-${process.pid}`,
      seedScale: 0.01,
      pollIntervalMs: 10,
      checksAnswers: true,
      onFault: (error) => faults.push(error),
    });
  });

  afterAll(async () => {
    await server.close();
    await database.close();
    expect(faults).toEqual([]);
  });

  async function send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = { authorization: `Bearer ${TOKEN}` },
  ): Promise<{ readonly status: number; readonly value: Value }> {
    const response = await fetch(`${server.url}${path}`, {
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
      value: { code: 'already-exists' },
    });
    const settings = { email: 'new@x.org', birthday: '1990-02-03' };
    expect((await send('PATCH', '/api/users/sally', settings)).value).toMatchObject(settings);
    expect((await send('PATCH', '/api/users/sally', { birthday: null })).value.birthday).toBeUndefined();
    expect((await send('GET', '/api/users/sally')).value).toMatchObject({ username: 'sally', email: 'new@x.org' });

    const category = '/api/categories/Food%20%26%20Drink';
    const before = (await send('GET', category)).value.category;
    expect((await send('PUT', `${category}/likes/sally`)).status).toBe(204);
    expect((await send('PUT', `${category}/watchers/sally`)).status).toBe(204);
    expect(await send('PUT', `${category}/likes/sally`)).toMatchObject({
      status: 409,
      value: { code: 'already-done' },
    });
    expect((await send('GET', category)).value.category).toMatchObject({
      likeCount: before.likeCount + 1,
      watchCount: before.watchCount + 1,
    });
    const brand = `/api/brands/${encodeURIComponent(brands[0]!.brand)}`;
    expect((await send('PUT', `${brand}/likes/sally`)).status).toBe(204);
    expect((await send('PUT', `${brand}/watchers/sally`)).status).toBe(204);
    expect((await send('GET', brand)).value.brand.brand).toBe(brands[0]!.brand);

    const deal = { title: 'Tea', price: 5, brand: brands[0]!.brand, category: 'Food & Drink', link: 'https://x.org/' };
    const created = await send('POST', '/api/editor/deals', deal);
    expect(created).toMatchObject({ status: 201, value: deal });
    await expect
      .poll(async () => (await send('GET', '/api/users/sally/messages?unread=true')).value.messages.length)
      .toBe(2);
    const { messages } = (await send('GET', '/api/users/sally/messages?unread=true')).value;
    expect(messages[0]).toMatchObject({ body: 'Tea', dealId: created.value.dealId });
    expect((await send('PUT', `/api/users/sally/messages/${messages[0]!.messageId}/read`)).status).toBe(204);
    expect((await send('GET', '/api/users/sally/messages?unread=true')).value.messages).toHaveLength(1);
    expect((await send('GET', '/api/users/sally/messages')).value.messages).toHaveLength(2);
    await expect.poll(async () => (await send('GET', '/api/front-page')).value.deals[0]?.title).toBe('Tea');
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
    expect((await send('POST', '/api/users', { username: 'reader', email: 'reader@x.org' })).status).toBe(201);
    const { value } = await send('POST', '/api/editor/blasts', { subject: 'Hot', body: 'Very' });
    expect(value.sent).toBeGreaterThanOrEqual(11);
    const again = await send('POST', '/api/editor/blasts', { subject: 'Hot', body: 'Very', blastId: value.blastId });
    expect(again.value.sent).toBe(0);
    expect((await send('GET', '/api/users/reader/messages')).value.messages).toHaveLength(1);
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
    ['PUT', '/api/brands/None/likes/sally', undefined, 404, 'not-found'],
    ['PUT', '/api/categories/Tech/likes/a%20b', undefined, 400, 'invalid'],
    ['PUT', '/api/users/sally/messages/none/read', undefined, 404, 'not-found'],
    ['POST', '/api/users', '{', 400, 'not-json'],
    ['POST', '/api/users', { username: 'x' }, 400, 'invalid'],
    ['POST', '/api/users', `"${'x'.repeat(300_000)}"`, 413, 'too-large'],
    ['PATCH', '/api/users/absent', {}, 404, 'not-found'],
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
    expect(await send(method, path, body)).toMatchObject({ status, value: { status, code } });
  });

  test('only editors do what editors do', async () => {
    for (const headers of [{}, { authorization: 'Bearer guess' }, { authorization: TOKEN }] as Record<
      string,
      string
    >[]) {
      for (const { method, path } of routesOf(server.site).filter(({ security }) => security === 'editor')) {
        expect((await send(method, `/api${path}`, {}, headers)).status).toBe(401);
      }
    }
  });

  test('the page and the description are there', async () => {
    const page = await fetch(server.url);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('Big Time Deals');
    expect((await send('GET', '/openapi.json')).value).toEqual(
      JSON.parse(JSON.stringify(descriptionOf(routesOf(server.site)))),
    );
  });

  test('the page writes no markup of what it is given', async () => {
    expect(await (await fetch(server.url)).text()).not.toMatch(/innerHTML|insertAdjacentHTML|document\.write/);
  });

  test('the page asks for nothing that is not served', async () => {
    const page = await (await fetch(server.url)).text();
    const asked = [...page.matchAll(/[`']\/(front-page|editors-choice|brands|categories|users|deals)\b/g)].map(
      ([, name]) => name,
    );
    const served = new Set(routesOf(server.site).map(({ path }) => path.split('/')[1]));
    expect(asked.length).toBeGreaterThan(5);
    for (const name of asked) expect(served).toContain(name);
  });

  test('under load nothing fails', async () => {
    const random = new SeededRandom(1);
    const actions = await hunterActions(server.url, random);
    const result = await runLoad({ callers: 4, durationMs: 300, random, actions });
    expect(result.failures).toBe(0);
    expect(loadReport(result).split('\n')).toHaveLength(actions.length + 2);
  });
});

test('the OpenAPI description in the repository is that of the routes', async () => {
  const { DynamoDBClient } = await import('@aws-sdk/client-dynamodb');
  const client = new DynamoDBClient({ region: 'us-east-1' });
  const routes = routesOf(openBigTimeDeals({ client }));
  const description = descriptionOf(routes);
  await expect(`${JSON.stringify(description, null, 2)}\n`).toMatchFileSnapshot('testdata/openapi.json');
  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(operations.sort()).toEqual(routes.map(({ method, path }) => `${method} /api${path}`).sort());
  expect(new Set(routes.map(({ operationId }) => operationId)).size).toBe(routes.length);
});
