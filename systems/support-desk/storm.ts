/** The support desk in a storm: counts of messages, histories and versions of tickets agree with the stored items. */
import { expect } from 'vitest';
import { countedKsuids } from '../testing/counted-ksuids.ts';
import type { StormStory } from '../testing/storm.ts';
import { SupportDesk } from './desk.ts';
import { supportDesk } from './model.ts';

const AGENTS = ['a1', 'a2'];

export const story: StormStory = {
  model: supportDesk,
  invariant: 'tickets agree with their messages and assignments',
  play: async (storm) => {
    const { client, clock } = storm;
    const desk = new SupportDesk({ client, clock, tableName: 'support', newId: countedKsuids(clock) });
    for (const agentId of AGENTS) await storm.insist(async () => desk.createAgent({ agentId, name: 'An Agent' }));
    await storm.insist(async () => desk.createCustomer({ customerId: 'c1', name: 'A Name', email: 'c@x.org' }));
    const tickets: string[] = [];
    const sent = new Set<string>();
    await storm.callers(6, async () => {
      const open = async (): Promise<unknown> =>
        tickets.push((await desk.openTicket({ customerId: 'c1', subject: 'A question', body: 'Why?' })).ticketId);
      await storm.attempt(open);
    });
    await storm.callers(50, async (number) => {
      clock.setToMs(clock.nowMs() + 1000);
      const ticketId = storm.oneOf(tickets);
      const say = async (): Promise<unknown> =>
        sent.add((await desk.addMessage(ticketId, { authorType: 'agent', authorId: 'a1', body: 'So' })).messageId);
      const ticket = await desk.findTicket(ticketId).catch(() => undefined);
      const seen = ticket?.version ?? 0;
      const acts = [
        say,
        say,
        async () => desk.assign(ticketId, { agentId: storm.oneOf(AGENTS), seen }),
        async () => desk.unassign(ticketId, { seen }),
        async () => (number % 2 === 0 ? desk.close(ticketId) : desk.reopen(ticketId)),
      ];
      await storm.attempt(storm.oneOf(acts));
    });
    await storm.over();

    const items = await storm.table('support').scan();
    const all = items.filter(({ type }) => type === 'Ticket');
    expect(all.length).toBeGreaterThanOrEqual(tickets.length);
    const found = new Set<string>();
    for (const { ticketId, messageCount, status, agentId } of all) {
      const messages = await desk.conversation(String(ticketId));
      for (const { messageId } of messages) found.add(messageId);
      expect([ticketId, messages.length]).toEqual([ticketId, messageCount]);
      const history = await desk.assignmentsOf(String(ticketId));
      if (agentId !== undefined) expect(history.at(-1)?.agentId).toBe(agentId);
      const open = (await desk.openTicketsOf('c1')).some((each) => each.ticketId === ticketId);
      expect([ticketId, open]).toEqual([ticketId, status === 'OPEN']);
    }
    expect([...sent].filter((messageId) => !found.has(messageId))).toEqual([]);
  },
};
