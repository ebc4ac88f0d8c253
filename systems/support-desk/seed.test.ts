import { tableDefinitions } from '@singlet/model';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../clock.ts';
import { quickDatabase } from '../testing/two-databases.ts';
import { useWorkbench } from '../testing/workbench.ts';
import { SupportDesk } from './desk.ts';
import { supportDesk } from './model.ts';
import { sampleDesk, SAMPLE_ENDS_AT } from './sample-desk.ts';
import { seedSupportDesk } from './seed.ts';

const SCALE = 0.002;
const [definition] = tableDefinitions(supportDesk);

describe('support desk: sample data', () => {
  const workbench = useWorkbench(quickDatabase);

  test('what is loaded is what the patterns read', async () => {
    const { client } = workbench();
    const { name: tableName } = await workbench().createTable(definition!);
    const tally = await seedSupportDesk({ client, tableName, scale: SCALE });
    const sample = sampleDesk(SCALE);
    const bundles = Array.from({ length: sample.customerCount }, (_, index) => sample.bundle(index));
    expect(tally).toEqual({
      Agent: sample.agents.length,
      Customer: bundles.length,
      Ticket: bundles.flatMap(({ tickets }) => tickets).length,
      Message: bundles.flatMap(({ messages }) => messages).length,
      Assignment: bundles.flatMap(({ assignments }) => assignments).length,
    });

    const clock = new ManualClock(SAMPLE_ENDS_AT);
    const desk = new SupportDesk({ client, tableName, clock, newId: () => 'none' });
    const busiest = bundles.toSorted((left, right) => right.tickets.length - left.tickets.length)[0]!;
    const { customer, tickets, messages, assignments } = busiest;
    const newestFirst = tickets.toSorted((left, right) => (left.createdAt < right.createdAt ? 1 : -1));
    expect((await desk.ticketsOf(customer.customerId)).items).toEqual(newestFirst);
    expect(await desk.openTicketsOf(customer.customerId)).toEqual(
      newestFirst.filter(({ status }) => status === 'OPEN'),
    );
    expect(await desk.latestTicketOf(customer.customerId)).toEqual(newestFirst[0]);
    const { ticketId } = newestFirst[0]!;
    expect(await desk.conversation(ticketId)).toEqual(messages.filter((message) => message.ticketId === ticketId));
    expect(await desk.assignmentsOf(ticketId)).toEqual(assignments.filter((each) => each.ticketId === ticketId));

    const all = bundles.flatMap((bundle) => bundle.tickets);
    for (const { agentId } of sample.agents) {
      const open = all.filter((ticket) => ticket.agentId === agentId && ticket.status === 'OPEN');
      const ids = (await desk.openTicketsOfAgent(agentId)).map((ticket) => ticket.ticketId);
      expect(ids.toSorted()).toEqual(open.map((ticket) => ticket.ticketId).toSorted());
    }
  });

  test('is the same in every run', () => {
    expect(sampleDesk(1).bundle(17)).toEqual(sampleDesk(1).bundle(17));
    expect(sampleDesk(1).customerCount).toBe(20_000);
  });

  test('has about five tickets to a customer, and five messages to a ticket', () => {
    const sample = sampleDesk(1);
    const bundles = Array.from({ length: 500 }, (_, index) => sample.bundle(index));
    const tickets = bundles.reduce((sum, bundle) => sum + bundle.tickets.length, 0);
    const messages = bundles.reduce((sum, bundle) => sum + bundle.messages.length, 0);
    expect(tickets / bundles.length).toBeGreaterThan(4);
    expect(tickets / bundles.length).toBeLessThan(6);
    expect(messages / tickets).toBeGreaterThan(3);
    expect(messages / tickets).toBeLessThan(6);
  });

  test.each([0.004, 0.02, 0.1])('an agent has had about as many tickets at a desk of any size: %f', (scale) => {
    const { agents, customerCount, bundle } = sampleDesk(scale);
    const counts = new Map(agents.map(({ agentId }) => [agentId, 0]));
    for (let index = 0; index < customerCount; index += 1) {
      for (const { agentId } of bundle(index).tickets) {
        if (agentId !== undefined) counts.set(agentId, (counts.get(agentId) ?? 0) + 1);
      }
    }
    const average = [...counts.values()].reduce((sum, count) => sum + count, 0) / agents.length;
    expect(average).toBeGreaterThan(140);
    expect(average).toBeLessThan(210);
  });
});
