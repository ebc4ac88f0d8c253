import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { SignIn } from '../../http/sign-in.ts';
import { createKsuidGenerator, encodeKsuid } from '../../ksuid.ts';
import { expectToSignOut, serving, type ServedApplication } from '../../testing/applications.ts';
import { keepsExamples } from '../../testing/examples.ts';
import { shop } from '../model.ts';
import { routesOf } from './routes.ts';
import { startShop } from './start.ts';
import type { Storefront } from './storefront.ts';

keepsExamples(new URL('examples.json', import.meta.url));

const HOME = { street: '1 Elm Street', city: 'Lincoln', state: 'NE' };
const WANTED = {
  lines: [
    { bookId: 'walden', quantity: 2 },
    { bookId: 'candide', quantity: 1 },
  ],
  address: 'Home',
  payment: { brand: 'Visa', lastFour: '8873' },
};
const newKey = createKsuidGenerator({ clock: { nowMs: Date.now }, randomBytes });

/** A new customer, signed in. */
async function customer({ ask }: ServedApplication, username = 'ada'): Promise<string> {
  const signUp = { username, email: `${username}@example.org`, name: 'Ada' };
  expect((await ask('POST', '/customers', { body: signUp })).status).toBe(201);
  const { body } = await ask('POST', '/sessions', { body: { username } });
  const token = String(body['token']);
  expect((await ask('PUT', '/account/addresses/Home', { token, body: HOME })).status).toBe(204);
  return token;
}

test('every pattern is served by an operation', () => {
  const served = routesOf({} as Storefront, {} as SignIn).flatMap(({ serves = [] }) => serves);
  const declared = Object.values(shop.patterns).flatMap(({ id }) => id ?? []);
  expect(new Set(served)).toEqual(new Set(declared));
});

test('an order at the prices of the catalogue, with what each request cost', async () => {
  await serving(
    startShop,
    async (served) => {
      const { ask } = served;
      const token = await customer(served);
      const placed = await ask('POST', '/orders', {
        token,
        body: { ...WANTED, lines: [{ bookId: 'walden', quantity: 2, price: 0 }] },
      });
      expect([placed.status, placed.body['amount'], placed.body['numberItems']]).toEqual([201, 56.31, 2]);
      expect((await ask('DELETE', '/account/addresses/Home', { token })).status).toBe(204);
      const { body } = await ask('GET', `/orders/${String(placed.body['orderId'])}`, { token });
      expect(body).toMatchObject({ order: { shippedTo: HOME }, lines: [{ itemId: 'walden', price: 24, quantity: 2 }] });
      const account = await ask('GET', '/account', { token });
      expect(account.body['orders']).toHaveLength(1);
      expect(account.receipt.split(', ').slice(1)).toEqual([
        'op=Query;place=EcommerceTable;read=2;returned=2;rcu=0.5;pattern=EC-06',
        'serves=EC-06 EC-07',
      ]);
    },
    { scale: 0 },
  );
});

test('an order whose answer was lost is placed once', async () => {
  await serving(
    startShop,
    async (served) => {
      const { ask } = served;
      const token = await customer(served);
      const key = newKey();
      const answers = await Promise.all(
        [1, 2, 3].map(async () => await ask('POST', '/orders', { token, key, body: WANTED })),
      );
      const again = await ask('POST', '/orders', { token, key, body: WANTED });
      expect(new Set([...answers, again].map(({ body }) => body['orderId'])).size).toBe(1);
      expect((await ask('GET', '/account', { token })).body['orders']).toHaveLength(1);
      // For another customer, the same key is another order.
      const other = await customer(served, 'bob');
      expect((await ask('POST', '/orders', { token: other, key, body: WANTED })).body['orderId']).not.toBe(
        again.body['orderId'],
      );
    },
    { scale: 0 },
  );
});

test('older orders by a cursor that is good for its customer only', async () => {
  await serving(startShop, async (served) => {
    const { ask } = served;
    const { body } = await ask('POST', '/sessions', { body: { username: 'reader00000' } });
    const token = String(body['token']);
    const first = await ask('GET', '/account', { token });
    const cursor = encodeURIComponent(String(first.body['cursor']));
    const second = await ask('GET', `/account?cursor=${cursor}`, { token });
    const ids = [first, second].flatMap((page) =>
      (page.body['orders'] as { orderId: string }[]).map(({ orderId }) => orderId),
    );
    expect(new Set(ids).size).toBe(20);
    const other = await customer(served);
    const foreign = await ask('GET', `/account?cursor=${cursor}`, { token: other });
    expect([foreign.status, foreign.body['code']]).toEqual([400, 'invalid']);
    const order = await ask('GET', `/orders/${ids[0]}`, { token: other });
    expect([order.status, order.body['code']]).toEqual([403, 'not-yours']);
  });
});

test('what is refused says why, and changes nothing', async () => {
  await serving(
    startShop,
    async (served) => {
      const { ask, said } = served;
      const token = await customer(served);
      const before = await ask('GET', '/account', { token });
      const old = encodeKsuid({ epochSeconds: 1_500_000_000, payload: new Uint8Array(16) });
      const cases: [string, string, Parameters<typeof ask>[2], number, string][] = [
        [
          'POST',
          '/customers',
          { body: { username: 'ada', email: 'ADA@example.org', name: 'x' } },
          409,
          'username,email',
        ],
        ['POST', '/customers', { body: { username: 'a#b', email: 'x@example.org', name: 'x' } }, 400, 'username'],
        ['GET', '/account', {}, 401, ''],
        ['POST', '/orders', { token, body: { ...WANTED, lines: [] } }, 400, 'lines'],
        ['POST', '/orders', { token, body: { ...WANTED, lines: [{ bookId: 'none', quantity: 1 }] } }, 400, 'bookId'],
        ['POST', '/orders', { token, body: { ...WANTED, address: 'Office' } }, 400, 'address'],
        ['POST', '/orders', { token, key: 'no-ksuid-at-all', body: WANTED }, 400, 'Idempotency-Key'],
        ['POST', '/orders', { token, key: old, body: WANTED }, 400, 'Idempotency-Key'],
        [
          'PUT',
          '/account/email',
          { token, body: { email: 'new@example.org', current: 'old@example.org' } },
          409,
          'email',
        ],
        ['DELETE', '/account/addresses/a.b%22', { token }, 404, ''],
        ['GET', '/orders/none', { token }, 400, 'orderId'],
        ['GET', `/orders/${old}`, { token }, 404, ''],
        ['PUT', `/warehouse/orders/ada/${old}/status`, { body: { from: 'ACCEPTED', to: 'SHIPPED' } }, 404, ''],
        ['GET', '/support/owners/none@example.org', {}, 404, ''],
        ['GET', '/account/%00', { token }, 404, ''],
      ];
      for (const [method, path, options, status, fields] of cases) {
        const { status: got, body } = await ask(method, path, options);
        const named = ((body['fields'] ?? []) as { field: string }[]).map(({ field }) => field).join(',');
        expect([method, path, got, named]).toEqual([method, path, status, fields]);
        expect(JSON.stringify(body)).not.toMatch(/Exception|Zod|Invalid input|at .*\.ts/);
      }
      expect((await ask('GET', '/account', { token })).body).toEqual(before.body);
      expect(said).toEqual([]);
    },
    { scale: 0 },
  );
});

test('a status moves on from the one that was seen, and an address goes to its next owner', async () => {
  await serving(
    startShop,
    async (served) => {
      const { ask } = served;
      const token = await customer(served);
      const { body } = await ask('POST', '/orders', { token, body: WANTED });
      const path = `/warehouse/orders/ada/${String(body['orderId'])}/status`;
      expect((await ask('PUT', path, { body: { from: 'ACCEPTED', to: 'SHIPPED' } })).status).toBe(204);
      expect(await ask('PUT', path, { body: { from: 'ACCEPTED', to: 'CANCELLED' } })).toMatchObject({
        status: 409,
        body: { code: 'stale' },
      });
      const change = { email: 'countess@example.org', current: 'ada@example.org' };
      expect((await ask('PUT', '/account/email', { token, body: change })).status).toBe(204);
      expect((await ask('GET', '/support/owners/countess@example.org')).body).toEqual({ username: 'ada' });
      expect((await ask('PATCH', '/account', { token, body: { name: 'Countess' } })).status).toBe(204);
      expect((await ask('GET', '/account/addresses', { token })).body).toEqual({ addresses: { Home: HOME } });
      expect((await ask('DELETE', '/sessions', { token })).status).toBe(204);
      expect((await ask('GET', '/account', { token })).status).toBe(401);
    },
    { scale: 0 },
  );
});

test('signing out ends a session, and signing out everywhere all of them', async () => {
  await serving(startShop, async (served) => await expectToSignOut(served, 'reader00000'));
});
