import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SeededRandom } from '../../demo/seeded-random.ts';
import { runLoad } from '../../http/load.ts';
import type { OpenApiDescription } from '../../http/open-api.ts';
import type { OpenDatabase } from '../../testing/databases.ts';
import { twoDatabases } from '../../testing/two-databases.ts';
import { sampleDesk } from '../sample-desk.ts';
import { descriptionOf } from './application.ts';
import { deskActions } from './desk-load.ts';
import { type DeskServer, startDesk } from './desk-server.ts';
import { PREFIX, routesOf } from './routes.ts';

const SCALE = 0.001;

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, never>>;
}

describe('the support desk over HTTP', () => {
  let database: OpenDatabase;
  let server: DeskServer;
  const faults: unknown[] = [];

  beforeAll(async () => {
    database = await twoDatabases[0]!.open();
    server = await startDesk({
      database,
      port: 0,
      tableName: `support-http-${process.pid}-${Date.now().toString(36)}`,
      seedScale: SCALE,
      checksAnswers: true,
      onFault: (error) => faults.push(error),
    });
  });
  afterAll(async () => {
    await server.close();
    await database.close();
    expect(faults).toEqual([]);
  });

  async function ask(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(`${server.url}/api${path}`, {
      method,
      ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Answer['body'] };
  }

  test('a ticket from its first message to its end', async () => {
    const { customerId } = (await ask('POST', '/customers', { name: 'Ada', email: 'ada@example.org' })).body;
    const { agentId } = (await ask('POST', '/agents', { name: 'Ben' })).body;
    const other = (await ask('POST', '/agents', { name: 'Cleo' })).body['agentId'];
    expect((await ask('GET', `/customers/${customerId}`)).body).toMatchObject({ name: 'Ada' });
    expect((await ask('GET', `/agents/${agentId}`)).body).toMatchObject({ name: 'Ben' });

    const opened = await ask('POST', `/customers/${customerId}/tickets`, { subject: 'Help', body: 'It broke.' });
    expect(opened).toMatchObject({ status: 201, body: { status: 'OPEN', version: 1, messageCount: 1 } });
    const { ticketId } = opened.body;
    const ticket = `/tickets/${ticketId}`;

    expect((await ask('PUT', `${ticket}/assignee`, { agentId, seen: 1 })).status).toBe(204);
    const late = await ask('PUT', `${ticket}/assignee`, { agentId: other, seen: 1 });
    expect(late).toMatchObject({ status: 409, body: { code: 'changed-meanwhile' } });
    const day = await ask('GET', `/agents/${agentId}/day?timeZone=UTC`);
    expect(day.body['tickets']).toMatchObject([{ ticketId }]);
    expect((await ask('GET', `/agents/${agentId}/open-tickets`)).body['tickets']).toMatchObject([{ ticketId }]);

    const sent = await ask('POST', `${ticket}/messages`, {
      authorType: 'agent',
      authorId: agentId,
      body: 'Since when?',
    });
    expect(sent.status).toBe(201);
    const { sentAt, messageId } = sent.body;
    const page = await ask('GET', `${ticket}/page?limit=1`);
    expect(page.body).toMatchObject({ ticket: { ticketId, messageCount: 2 }, messages: [{ messageId }] });
    const older = await ask('GET', `${ticket}/page?limit=1&cursor=${encodeURIComponent(String(page.body['cursor']))}`);
    expect(older.body['messages']).toMatchObject([{ body: 'It broke.' }]);
    expect((await ask('GET', `${ticket}/messages`)).body['messages']).toHaveLength(2);
    const since = await ask('GET', `${ticket}/messages?since=${sentAt}&seen=${messageId}`);
    expect(since.body['messages']).not.toContainEqual(expect.objectContaining({ messageId }));

    expect((await ask('POST', `${ticket}/close`)).status).toBe(204);
    expect(await ask('POST', `${ticket}/close`)).toMatchObject({ status: 409, body: { code: 'not-open' } });
    const dashboard = await ask('GET', `/customers/${customerId}/dashboard`);
    expect(dashboard.body).toMatchObject({ latestTicket: { ticketId, status: 'CLOSED' }, openTickets: [] });
    expect((await ask('POST', `${ticket}/reopen`)).status).toBe(204);
    expect(await ask('POST', `${ticket}/reopen`)).toMatchObject({ status: 409, body: { code: 'not-closed' } });
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
    ['POST', '/tickets/none/messages', { authorType: 'robot', authorId: 'x', body: 'B' }, 400, 'invalid'],
    ['POST', '/tickets/none/messages', { authorType: 'agent', authorId: 'a#b', body: 'B' }, 400, 'invalid'],
    ['GET', '/agents/none/day?date=14.05.2024', undefined, 400, 'invalid'],
    ['GET', '/agents/none/day?timeZone=Mars', undefined, 400, 'invalid'],
    ['GET', '/customers/a%23b/tickets', undefined, 400, 'invalid'],
    ['GET', '/customers/none/tickets?cursor=made-up', undefined, 400, 'invalid'],
    ['GET', '/nowhere', undefined, 404, 'no-such-path'],
    ['DELETE', '/agents/none', undefined, 405, 'no-such-method'],
  ] as const)('%s %s %j is %d, %s', async (method, path, body, status, code) => {
    expect(await ask(method, path, body)).toMatchObject({ status, body: { code } });
  });

  test('serves its description, which is that of its routes, and is kept in testdata', async () => {
    const served = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApiDescription;
    const routes = routesOf(server.desk);
    const described = Object.entries(served.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.toSorted()).toEqual(routes.map(({ method, path }) => `${method} ${PREFIX}${path}`).toSorted());
    const operationIds = routes.map(({ operationId }) => operationId);
    expect(new Set(operationIds).size).toBe(operationIds.length);
    expect(served).toEqual(JSON.parse(JSON.stringify(descriptionOf(routes))));

    await expect(`${JSON.stringify(served, undefined, 2)}\n`).toMatchFileSnapshot('testdata/openapi.json');
  });

  test('serves a page that asks for nothing else than there is', async () => {
    const response = await fetch(`${server.url}/`);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const page = await response.text();
    expect(page).toBe(await readFile(new URL('page.html', import.meta.url), 'utf8'));
    const ends = [...page.matchAll(/\$\{path\}(\/[a-z-]+)/g), ...page.matchAll(/act\('[A-Z]+', [`'](\/[a-z-]+)/g)];
    const known = new Set(routesOf(server.desk).map(({ path }) => path.slice(path.lastIndexOf('/'))));
    expect(ends.length).toBeGreaterThan(8);
    expect(ends.map(([, end]) => end).filter((end) => !known.has(end!))).toEqual([]);
  });

  test('takes many at once without a failure', async () => {
    const random = new SeededRandom(3);
    const actions = deskActions({ url: server.url, seedScale: SCALE, random });
    const { failures, actions: figures } = await runLoad({ actions, callers: 8, durationMs: 700, random });
    expect(failures).toBe(0);
    expect(figures.reduce((sum, { latenciesMs }) => sum + latenciesMs.length, 0)).toBeGreaterThanOrEqual(8);
    expect(server.seeded?.['Customer']).toBe(sampleDesk(SCALE).customerCount);
  });
});
