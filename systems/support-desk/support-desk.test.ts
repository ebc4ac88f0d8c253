import { check } from '@singlet/model/check';
import { tableDefinitions } from '@singlet/model';
import { describe, expect, test } from 'vitest';
import { drawn } from '../testing/drawn.ts';
import { expectChartsInReadme } from '../testing/readme.ts';
import { twoDatabases } from '../testing/two-databases.ts';
import type { LoggedClient } from '../testing/workbench.ts';
import { useWorkbench } from '../testing/workbench.ts';
import type { RawTable } from '../testing/raw-table.ts';
import type { Ticket } from './desk.ts';
import type { SupportError } from './errors.ts';
import type { DeskAtWork } from './fixture.ts';
import { deskAtWork, playFixture } from './fixture.ts';
import { supportDesk } from './model.ts';

const [definition] = tableDefinitions(supportDesk);

function ids(tickets: readonly Ticket[]): readonly string[] {
  return tickets.map(({ ticketId }) => ticketId);
}

describe.each(drawn('support desk', twoDatabases))('support desk: $name', (database) => {
  const workbench = useWorkbench(database);

  /** The state that the checks start from. `log` has the requests since then. */
  async function loaded(): Promise<DeskAtWork & { readonly table: RawTable; readonly log: LoggedClient }> {
    const table = await workbench().createTable(definition!);
    const log = workbench().newLoggedClient();
    const atWork = deskAtWork({ client: log.client, tableName: table.name });
    await playFixture(atWork);
    (log.operations as string[]).length = 0;
    (log.requests as unknown[]).length = 0;
    return { ...atWork, table, log };
  }

  test('SU-A1: open tickets of a customer, the newest first', async () => {
    const { desk, log } = await loaded();
    expect(ids(await desk.openTicketsOf('c1'))).toEqual(['t3', 't2']);
    expect(ids(await desk.openTicketsOf('c2'))).toEqual(['t4']);
    expect(log.operations).toEqual(['Query', 'Query']);
  });

  test('SU-A2: the messages of a ticket in the order of time', async () => {
    const { desk, log } = await loaded();
    const messages = await desk.conversation('t2');
    expect(messages.map(({ sentAt }) => sentAt)).toEqual([
      '2024-05-13T08:30:00.000Z',
      '2024-05-14T09:10:00.000Z',
      '2024-05-14T09:20:00.000Z',
    ]);
    expect(log.operations).toEqual(['Query']);
  });

  test('SU-A3: a ticket by its id alone', async () => {
    const { desk, log } = await loaded();
    expect(await desk.findTicket('t4')).toMatchObject({ ticketId: 't4', customerId: 'c2', agentId: 'a1' });
    expect(await desk.findTicket('t9')).toBeUndefined();
    expect(log.operations).toEqual(['GetItem', 'GetItem']);
  });

  test('SU-A4: tickets assigned to an agent on a day in UTC', async () => {
    const { desk, log } = await loaded();
    const tickets = await desk.assignedOn('a1', { date: '2024-05-14' });
    expect(tickets.map(({ ticketId, assignedAt }) => [ticketId, assignedAt])).toEqual([
      ['t5', '2024-05-14T07:15:00.000Z'],
      ['t2', '2024-05-14T09:05:00.000Z'],
    ]);
    expect(log.requests[0]?.input).toMatchObject({
      IndexName: 'GSI3',
      KeyConditionExpression: expect.stringContaining('begins_with') as string,
    });
    expect(ids(await desk.assignedOn('a1'))).toEqual(['t5', 't2']); // today
  });

  test('SU-A5: tickets assigned to an agent on a day nine hours west of UTC', async () => {
    const { desk, log } = await loaded();
    expect(ids(await desk.assignedOn('a1', { date: '2024-05-14', timeZone: 'Etc/GMT+9' }))).toEqual(['t2']);
    expect(log.requests[0]?.input['ExpressionAttributeValues']).toMatchObject({
      ':a': { S: 'ASSIGNED#2024-05-14T09:00:00.000Z' },
      ':b': { S: 'ASSIGNED#2024-05-15T09:00:00.000Z' },
    });
  });

  test('SU-A6: the most recent ticket of a customer is one item read', async () => {
    const { desk, log } = await loaded();
    expect((await desk.latestTicketOf('c1'))?.ticketId).toBe('t3');
    expect((await desk.latestTicketOf('c2'))?.ticketId).toBe('t5');
    expect(log.requests.map(({ output }) => output?.['ScannedCount'])).toEqual([1, 1]);
  });

  test('SU-A7: a ticket that is handed on moves to the other agent’s day, and its history has both', async () => {
    const { desk, at } = await loaded();
    at('2024-05-14T12:00');
    const { version } = (await desk.findTicket('t2'))!;
    await desk.assign('t2', { agentId: 'a2', seen: version });
    expect(ids(await desk.assignedOn('a1', { date: '2024-05-14' }))).toEqual(['t5']);
    expect(ids(await desk.assignedOn('a2', { date: '2024-05-14' }))).toEqual(['t3', 't2']);
    expect(await desk.assignmentsOf('t2')).toEqual([
      { ticketId: 't2', at: '2024-05-14T09:05:00.000Z', agentId: 'a1' },
      { ticketId: 't2', at: '2024-05-14T12:00:00.000Z', agentId: 'a2' },
    ]);
  });

  test('SU-A8: a ticket that is closed leaves the open ones only', async () => {
    const { desk } = await loaded();
    await desk.close('t3');
    expect(ids(await desk.openTicketsOf('c1'))).toEqual(['t2']);
    expect(await desk.latestTicketOf('c1')).toMatchObject({
      ticketId: 't3',
      status: 'CLOSED',
      closedAt: '2024-05-14T12:00:00.000Z',
    });
    expect(ids(await desk.assignedOn('a2', { date: '2024-05-14' }))).toEqual(['t3']);
    await expect(desk.close('t3')).rejects.toMatchObject({ code: 'not-open' });
  });

  test('SU-A9: a ticket that is reopened takes its old place among the open ones', async () => {
    const { desk, log } = await loaded();
    await desk.reopen('t5');
    expect(log.operations).toEqual(['GetItem', 'UpdateItem']);
    expect(ids(await desk.openTicketsOf('c2'))).toEqual(['t5', 't4']);
    expect(await desk.findTicket('t5')).not.toHaveProperty('closedAt');
    await expect(desk.reopen('t5')).rejects.toMatchObject({ code: 'not-closed' });
  });

  test('SU-A10: of two agents who take a ticket at the same time one gets it', async () => {
    const { nextIds, desk, table } = await loaded();
    nextIds('t6', 'm1t6');
    await desk.openTicket({ customerId: 'c1', subject: 'Log-in loops', body: 'It loops.' });
    const outcomes = await Promise.allSettled(
      ['a1', 'a2'].map(async (agentId) => {
        const own = deskAtWork({ client: workbench().newClient(), tableName: table.name });
        own.at('2024-05-14T12:30');
        await own.desk.assign('t6', { agentId, seen: 1 });
        return agentId;
      }),
    );
    const won = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect([won.length, lost.length]).toEqual([1, 1]);
    const error = lost[0]!.reason as SupportError;
    expect(error).toMatchObject({ name: 'SupportError', code: 'changed-meanwhile' });
    expect((error.cause as Error).cause).toMatchObject({ name: 'TransactionCanceledException' });
    expect(await desk.findTicket('t6')).toMatchObject({ agentId: won[0]!.value, version: 2 });
    expect((await desk.assignmentsOf('t6')).map(({ agentId }) => agentId)).toEqual([won[0]!.value]);
  });

  test('SU-A11: the page of a ticket is one query: the ticket, then its latest messages', async () => {
    const { desk, table, log } = await loaded();
    const page = await desk.ticketPage('t2', { limit: 2 });
    expect(page.ticket?.ticketId).toBe('t2');
    expect(page.messages.map(({ sentAt }) => sentAt)).toEqual(['2024-05-14T09:20:00.000Z', '2024-05-14T09:10:00.000Z']);
    expect(log.operations).toEqual(['Query']);
    expect(log.requests[0]?.input).toMatchObject({ TableName: table.name, ScanIndexForward: false, Limit: 3 });
    const items = log.requests[0]?.output?.['Items'] as Record<string, { S: string }>[];
    expect(items.map((item) => item['SK']?.S.split('#')[0])).toEqual(['METADATA', 'MESSAGE', 'MESSAGE']);

    const older = await desk.ticketPage('t2', { limit: 2, cursor: page.cursor });
    expect(older.messages.map(({ messageId }) => messageId)).toEqual(['m1t2']);
    expect(older.ticket).toBeUndefined();
    const all = await desk.ticketPage('t2');
    expect(all.messages).toHaveLength(3); // the history of assignments stays out, however many messages there could be
  });

  test('SU-A12: the index of open tickets holds exactly these', async () => {
    const { table } = await loaded();
    const entries = await table.scan('GSI2');
    expect(entries.map(({ ticketId }) => String(ticketId)).toSorted()).toEqual(['t2', 't3', 't4']);
  });

  test('SU-A13: a message for an unknown ticket writes nothing', async () => {
    const { desk, table } = await loaded();
    const before = await table.scan();
    const sent = desk.addMessage('t9', { authorType: 'customer', authorId: 'c1', body: 'Hello?' });
    const error = (await sent.catch((reason: unknown) => reason)) as SupportError;
    expect(error).toMatchObject({ code: 'not-found', entity: 'Ticket' });
    expect((error.cause as Error).cause).toMatchObject({ name: 'TransactionCanceledException' });
    expect(await table.scan()).toHaveLength(before.length);
  });

  test('SU-A14: a customer without tickets has no latest one', async () => {
    const { desk } = await loaded();
    await desk.createCustomer({ customerId: 'c3', name: 'Cleo Marsh', email: 'cleo@example.org' });
    expect(await desk.latestTicketOf('c3')).toBeUndefined();
    expect(await desk.ticketsOf('c3')).toEqual({ items: [], cursor: undefined });
  });

  test('SU-1, SU-9, SU-12: customer, agent, and all that a caller’s screen shows', async () => {
    const { desk, log } = await loaded();
    expect(await desk.findCustomer('c1')).toMatchObject({ name: 'Ada Keller' });
    expect(await desk.findAgent('a2')).toMatchObject({ name: 'Jonas Weber' });
    expect(await desk.findAgent('c1')).toBeUndefined();
    (log.operations as string[]).length = 0;
    const { customer, latestTicket, openTickets } = await desk.dashboard('c1');
    expect([customer?.customerId, latestTicket?.ticketId, ids(openTickets)]).toEqual(['c1', 't3', ['t3', 't2']]);
    expect(log.operations.toSorted()).toEqual(['GetItem', 'Query', 'Query']);
  });

  test('SU-8: all tickets of a customer, page by page', async () => {
    const { desk } = await loaded();
    const first = await desk.ticketsOf('c1', { limit: 2 });
    expect(ids(first.items)).toEqual(['t3', 't2']);
    const second = await desk.ticketsOf('c1', { limit: 2, cursor: first.cursor });
    expect(ids(second.items)).toEqual(['t1']);
  });

  test('SU-10: what an agent has and is not done with, read past what is closed', async () => {
    const { desk, log } = await loaded();
    expect(ids(await desk.openTicketsOfAgent('a1'))).toEqual(['t2', 't4']);
    expect(log.requests[0]?.output).toMatchObject({ ScannedCount: 3, Count: 2 });
  });

  test('SU-11: new messages, without those of the same instant that were seen', async () => {
    const { desk, nextIds, log } = await loaded();
    nextIds('m4t2', 'm5t2');
    await desk.addMessage('t2', { authorType: 'agent', authorId: 'a1', body: 'Thank you.' });
    await desk.addMessage('t2', { authorType: 'agent', authorId: 'a1', body: 'One moment.' });
    (log.operations as string[]).length = 0;
    const looked = { at: '2024-05-14T12:00:00.000Z', seen: new Set(['m4t2']) };
    const messages = await desk.messagesSince('t2', looked);
    expect(messages.map(({ messageId }) => messageId)).toEqual(['m5t2']);
    expect(log.operations).toEqual(['Query']);
    expect(log.requests.at(-1)?.input['ExpressionAttributeValues']).toMatchObject({
      ':a': { S: 'MESSAGE#2024-05-14T12:00:00.000Z' },
      ':b': { S: 'MESSAGE$' },
    });
    expect(await desk.messagesSince('t2', { at: '2024-05-15T00:00:00.000Z' })).toEqual([]);
  });

  test('SU-W1: an id is given once', async () => {
    const { desk } = await loaded();
    await expect(desk.createCustomer({ customerId: 'c1', name: 'X', email: 'x@example.org' })).rejects.toMatchObject({
      code: 'already-exists',
    });
    await expect(desk.createAgent({ agentId: 'a1', name: 'X' })).rejects.toMatchObject({ code: 'already-exists' });
    expect(await desk.findCustomer('c1')).toMatchObject({ name: 'Ada Keller' });
  });

  test('SU-W2: a ticket of an unknown customer writes nothing; what is written has the keys of the chart', async () => {
    const { desk, table } = await loaded();
    const before = await table.scan();
    const opened = desk.openTicket({ customerId: 'c9', subject: 'Hello', body: 'Hello?' });
    await expect(opened).rejects.toMatchObject({ code: 'not-found', entity: 'Customer' });
    expect(await table.scan()).toHaveLength(before.length);
    expect(await table.get({ PK: 'TICKET#t2', SK: 'METADATA' })).toEqual({
      PK: 'TICKET#t2',
      SK: 'METADATA',
      GSI1PK: 'CUSTOMER#c1',
      GSI1SK: 'TICKET#2024-05-13T08:30:00.000Z#t2',
      GSI2PK: 'CUSTOMER#c1',
      GSI2SK: 'OPEN#2024-05-13T08:30:00.000Z#t2',
      GSI3PK: 'AGENT#a1',
      GSI3SK: 'ASSIGNED#2024-05-14T09:05:00.000Z#t2',
      type: 'Ticket',
      ticketId: 't2',
      customerId: 'c1',
      subject: 'Export stops at row 1,000',
      status: 'OPEN',
      createdAt: '2024-05-13T08:30:00.000Z',
      agentId: 'a1',
      assignedAt: '2024-05-14T09:05:00.000Z',
      lastMessageAt: '2024-05-14T09:20:00.000Z',
      messageCount: 3,
      version: 2,
    });
  });

  test('SU-W4: a closed ticket, an unknown one and an unknown agent', async () => {
    const { desk } = await loaded();
    await expect(desk.assign('t1', { agentId: 'a1', seen: 2 })).rejects.toMatchObject({ code: 'not-open' });
    await expect(desk.assign('t9', { agentId: 'a1', seen: 1 })).rejects.toMatchObject({ code: 'not-found' });
    await expect(desk.assign('t3', { agentId: 'a9', seen: 2 })).rejects.toMatchObject({
      code: 'not-found',
      entity: 'Agent',
    });
    expect(await desk.assignmentsOf('t3')).toHaveLength(1);
  });

  test('SU-W5: a ticket that is put back is in no agent’s day', async () => {
    const { desk, table } = await loaded();
    await expect(desk.unassign('t2', { seen: 1 })).rejects.toMatchObject({ code: 'changed-meanwhile' });
    await desk.unassign('t2', { seen: 2 });
    expect(ids(await desk.assignedOn('a1', { date: '2024-05-14' }))).toEqual(['t5']);
    const stored = await table.get({ PK: 'TICKET#t2', SK: 'METADATA' });
    expect(Object.keys(stored!).filter((name) => /^(GSI3|agentId|assignedAt)/.test(name))).toEqual([]);
    expect(stored).toMatchObject({ version: 3, GSI2PK: 'CUSTOMER#c1' });
  });
});

describe('support desk: model', () => {
  test('SU-A15: without indexes the checker finds that three of the six required patterns are not served', () => {
    const { GSI1: _1, GSI2: _2, GSI3: _3, ...ticket } = supportDesk.keys.Ticket as Record<string, unknown>;
    const withoutIndexes = {
      ...supportDesk,
      tables: { support: { ...supportDesk.tables.support, indexes: {} } },
      keys: { ...supportDesk.keys, Ticket: ticket },
    } as unknown as Parameters<typeof check>[0];
    const { patterns } = check(withoutIndexes);
    const verdicts = new Map(
      patterns.map(({ id, served, verdict }) => [id, served !== undefined && verdict !== 'refused']),
    );
    expect(['SU-1', 'SU-2', 'SU-3', 'SU-4', 'SU-5', 'SU-6'].map((id) => [id, verdicts.get(id)])).toEqual([
      ['SU-1', true],
      ['SU-2', false],
      ['SU-3', true],
      ['SU-4', true],
      ['SU-5', false],
      ['SU-6', false],
    ]);
  });

  test('all patterns are served as declared; SU-10 is remarked for its filter, and accepted with a reason', () => {
    const { ok, findings } = check(supportDesk);
    expect(ok).toBe(true);
    expect(findings.filter(({ level }) => level !== 'accepted')).toEqual([]);
    expect(findings).toContainEqual(
      expect.objectContaining({ code: 'filter-selects', path: 'served.openTicketsOfAgent' }),
    );
  });

  test('has its charts in the README', async () => {
    await expectChartsInReadme(import.meta.url, supportDesk);
  });
});
