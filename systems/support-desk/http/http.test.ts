import { expect, test } from 'vitest';
import { declaredIds, expectToSignOut, useApplication } from '../../testing/applications.ts';
import { keepsExamples } from '../../testing/examples.ts';
import type { SupportDesk } from '../desk.ts';
import { supportDesk } from '../model.ts';
import type { Callers } from './callers.ts';
import type { Once } from './once.ts';
import { routesOf } from './routes.ts';
import { startSupportDesk } from './start.ts';

keepsExamples(new URL('examples.json', import.meta.url));

const SCALE = 0.001;
const served = useApplication(startSupportDesk, { scale: SCALE });

async function tokenOf(username: string): Promise<string> {
  const { status, body } = await served().ask('POST', '/sessions', { body: { username } });
  expect(status).toBe(201);
  return String(body['token']);
}

/** As an agent who has just begun. */
async function asAgent() {
  const agentId = String((await served().ask('POST', '/agents', { body: { name: 'Ben' } })).body['agentId']);
  const token = await tokenOf(`agent:${agentId}`);
  const ask = async (method: string, path: string, body?: object) =>
    await served().ask(method, path, { token, ...(body !== undefined && { body }) });
  return { agentId, ask };
}

async function newCustomer() {
  const { body } = await served().ask('POST', '/customers', { body: { name: 'Ada', email: 'ada@example.org' } });
  const customerId = String(body['customerId']);
  return { customerId, token: await tokenOf(`customer:${customerId}`) };
}

test('every pattern is served by an operation', () => {
  const all = routesOf({} as SupportDesk, {} as Callers, {} as Once).flatMap(({ serves = [] }) => serves);
  expect(new Set(all)).toEqual(declaredIds(supportDesk));
});

test('a ticket from its first message to its end', async () => {
  const { customerId, token } = await newCustomer();
  const { agentId, ask } = await asAgent();
  const other = (await ask('POST', '/agents', { name: 'Cleo' })).body['agentId'];
  expect((await ask('GET', `/customers/${customerId}`)).body).toMatchObject({ name: 'Ada' });
  expect((await ask('GET', `/agents/${agentId}`)).body).toMatchObject({ name: 'Ben' });

  const opened = await ask('POST', `/customers/${customerId}/tickets`, { subject: 'Help', body: 'It broke.' });
  expect(opened).toMatchObject({ status: 201, body: { status: 'OPEN', version: 1, messageCount: 1 } });
  const ticketId = String(opened.body['ticketId']);
  const ticket = `/tickets/${ticketId}`;

  expect((await ask('PUT', `${ticket}/assignee`, { agentId, seen: 1 })).status).toBe(204);
  const late = await ask('PUT', `${ticket}/assignee`, { agentId: other, seen: 1 });
  expect(late).toMatchObject({ status: 409, body: { code: 'stale' } });
  expect((await ask('PUT', `${ticket}/assignee`, { agentId, seen: 1 })).status).toBe(204); // the same once more
  const day = await ask('GET', `/agents/${agentId}/day?timeZone=UTC`);
  expect(day.body['tickets']).toMatchObject([{ ticketId }]);
  expect((await ask('GET', `/agents/${agentId}/open-tickets`)).body['tickets']).toMatchObject([{ ticketId }]);

  const said = await served().ask('POST', `${ticket}/messages`, { token, body: { body: 'Are you there?' } });
  expect(said.body).toMatchObject({ authorType: 'customer', authorId: customerId });
  const sent = await ask('POST', `${ticket}/messages`, { body: 'Since when?' });
  expect(sent).toMatchObject({ status: 201, body: { authorType: 'agent', authorId: agentId } });
  const { sentAt, messageId } = sent.body;
  const page = await ask('GET', `${ticket}/page?limit=1`);
  expect(page.body).toMatchObject({ ticket: { ticketId, messageCount: 3 }, messages: [{ messageId }] });
  const older = await ask('GET', `${ticket}/page?limit=1&cursor=${encodeURIComponent(String(page.body['cursor']))}`);
  expect(older.body['messages']).toMatchObject([{ body: 'Are you there?' }]);
  expect((await ask('GET', `${ticket}/messages`)).body['messages']).toHaveLength(3);
  const since = await ask('GET', `${ticket}/messages?since=${String(sentAt)}&seen=${String(messageId)}`);
  expect(since.body['messages']).not.toContainEqual(expect.objectContaining({ messageId }));

  expect((await ask('POST', `${ticket}/close`)).status).toBe(204);
  expect((await ask('POST', `${ticket}/close`)).status).toBe(204);
  const dashboard = await ask('GET', `/customers/${customerId}/dashboard`);
  expect(dashboard.body).toMatchObject({ latestTicket: { ticketId, status: 'CLOSED' }, openTickets: [] });
  expect((await ask('POST', `${ticket}/reopen`)).status).toBe(204);
  expect((await ask('POST', `${ticket}/reopen`)).status).toBe(204);
  expect((await ask('GET', `/customers/${customerId}/open-tickets`)).body['tickets']).toMatchObject([{ ticketId }]);
  expect((await ask('GET', `/customers/${customerId}/latest-ticket`)).body).toMatchObject({ ticketId });
  expect((await ask('GET', `/customers/${customerId}/tickets?limit=1`)).body['tickets']).toHaveLength(1);

  expect((await ask('DELETE', `${ticket}/assignee?seen=4`)).status).toBe(204);
  expect((await ask('GET', ticket)).body).not.toHaveProperty('agentId');
  const history = await ask('GET', `${ticket}/assignments`);
  expect(history.body['assignments']).toMatchObject([{ ticketId, agentId }]);
});

test.each([
  ['GET', '/customers/none', undefined, 404, 'not-found'],
  ['GET', '/customers/none/dashboard', undefined, 404, 'not-found'],
  ['GET', '/customers/none/latest-ticket', undefined, 404, 'not-found'],
  ['GET', '/agents/none', undefined, 404, 'not-found'],
  ['GET', '/tickets/none', undefined, 404, 'not-found'],
  ['GET', '/tickets/none/page', undefined, 404, 'not-found'],
  ['POST', '/tickets/none/close', undefined, 404, 'not-found'],
  ['POST', '/tickets/none/reopen', undefined, 404, 'not-found'],
  ['POST', '/customers/none/tickets', { subject: 'S', body: 'B' }, 404, 'not-found'],
  ['POST', '/customers/none/tickets', { subject: '', body: 'B' }, 400, 'invalid'],
  ['POST', '/customers', { name: 'Ada', email: 'no address' }, 400, 'invalid'],
  ['POST', '/tickets/none/messages', { body: 'B' }, 404, 'not-found'],
  ['POST', '/tickets/none/messages', { body: '' }, 400, 'invalid'],
  ['GET', '/agents/none/day?date=14.05.2024', undefined, 400, 'invalid'],
  ['GET', '/agents/none/day?timeZone=Mars', undefined, 400, 'invalid'],
  ['GET', '/customers/a%23b/tickets', undefined, 400, 'invalid'],
  ['GET', '/customers/none/tickets?cursor=made-up', undefined, 400, 'invalid'],
  ['GET', '/nowhere', undefined, 404, 'no-such-path'],
  ['DELETE', '/agents/none', undefined, 405, 'no-such-method'],
] as const)('%s %s %j is %d, %s', async (method, path, body, status, code) => {
  const { ask } = await asAgent();
  expect(await ask(method, path, body)).toMatchObject({ status, body: { code } });
});

test('a customer sees and writes what is theirs, and nothing without a session', async () => {
  const [ada, bob] = [await newCustomer(), await newCustomer()];
  const { ask } = served();
  const asAda = { token: ada.token, body: { subject: 'Help', body: 'It broke.' } };
  const opened = await ask('POST', `/customers/${ada.customerId}/tickets`, asAda);
  const ticket = `/tickets/${String(opened.body['ticketId'])}`;
  for (const [method, path, body] of [
    ['GET', ticket],
    ['GET', `${ticket}/page`],
    ['GET', `${ticket}/messages`],
    ['POST', `${ticket}/messages`, { body: 'Mine' }],
    ['POST', `${ticket}/close`],
    ['POST', `${ticket}/reopen`],
    ['GET', `${ticket}/assignments`],
    ['GET', `/customers/${ada.customerId}/dashboard`],
    ['POST', `/customers/${ada.customerId}/tickets`, { subject: 'x', body: 'x' }],
  ] as const) {
    const refused = [
      await ask(method, path, { token: bob.token, ...(body !== undefined && { body }) }),
      await ask(method, path, body === undefined ? {} : { body }),
    ];
    expect([path, refused.map(({ status }) => status)]).toEqual([path, [403, 401]]);
  }
  expect((await ask('GET', `${ticket}/page`, { token: ada.token })).body['messages']).toHaveLength(1);
  expect((await ask('POST', `${ticket}/close`, { token: ada.token })).status).toBe(403);
  expect((await ask('POST', '/sessions', { body: { username: 'agent:none' } })).status).toBe(401);
  expect((await ask('POST', '/sessions', { body: { username: ada.customerId } })).status).toBe(401);
});

test('signing out ends a session, and signing out everywhere all of them', async () => {
  const { customerId } = await newCustomer();
  await expectToSignOut(served(), `customer:${customerId}`);
});

test('a repeated request writes nothing new, and is answered with what the first has written', async () => {
  const key = 'a-key-of-the-caller-1';
  const post = async (path: string, body: object, { token = '', with: given = key } = {}) =>
    await served().ask('POST', path, { body, key: given, ...(token !== '' && { token }) });
  const person = { name: 'Ida', email: 'ida@example.org' };
  const customer = await post('/customers', person);
  expect(customer.status).toBe(201);
  expect((await post('/customers', person)).body).toEqual(customer.body);
  expect((await post('/customers', person, { with: 'another-key' })).body['customerId']).not.toBe(
    customer.body['customerId'],
  );
  const agent = await post('/agents', { name: 'Ben' });
  expect((await post('/agents', { name: 'Ben' })).body).toEqual(agent.body);
  const customerId = String(customer.body['customerId']);
  const token = await tokenOf(`customer:${customerId}`);

  const question = { subject: 'Help', body: 'It broke.' };
  const opening = Array.from(
    { length: 4 },
    async () => await post(`/customers/${customerId}/tickets`, question, { token }),
  );
  const [opened, ...others] = await Promise.all(opening);
  expect(opened?.status).toBe(201);
  expect(others.map(({ body }) => body['ticketId'])).toEqual(others.map(() => opened?.body['ticketId']));
  const ticket = `/tickets/${String(opened?.body['ticketId'])}`;
  const saying = Array.from({ length: 4 }, async () => await post(`${ticket}/messages`, { body: 'Hello?' }, { token }));
  const said = await Promise.all(saying);
  expect(said.map(({ status, body }) => [status, body])).toEqual(said.map(() => [201, said[0]?.body]));
  expect((await post(`${ticket}/messages`, { body: 'Hello?' }, { token, with: 'another-key' })).status).toBe(201);

  const all = await served().ask('GET', `/customers/${customerId}/tickets`, { token });
  expect(all.body['tickets']).toMatchObject([{ subject: 'Help', messageCount: 3 }]);
  expect((await served().ask('GET', `${ticket}/messages`, { token })).body['messages']).toHaveLength(3);
  expect((await post('/agents', { name: 'Ben' }, { with: 'short' })).status).toBe(400);
});
