import { randomBytes } from 'node:crypto';
import { tableDefinitions } from '@singlet/model';
import { createKsuidGenerator } from '../ksuid.ts';
import { anyOf, given, type MeasuredSystem, newNames } from '../measurement/pattern-calls.ts';
import { createTable } from '../table-lifecycle.ts';
import { SupportDesk, type Ticket } from './desk.ts';
import { supportDesk } from './model.ts';
import { type CustomerBundle, SAMPLE_ENDS_AT, sampleDesk } from './sample-desk.ts';
import { seedSupportDesk } from './seed.ts';

const TABLE_NAME = 'support';
const DAY_MS = 86_400_000;
const DAYS = 300;

/** A call of each access pattern of the support desk. */
export const supportDeskCalls: MeasuredSystem = {
  model: supportDesk,
  scales: { usual: 0.5, full: 1 },
  load: async ({ client, scale, onItems }) => {
    await createTable(client, { ...tableDefinitions(supportDesk)[0], TableName: TABLE_NAME });
    await seedSupportDesk({ client, tableName: TABLE_NAME, scale, onItems });
  },
  open: ({ client, scale, random }) => {
    const clock = { nowMs: () => Date.now() };
    const newId = createKsuidGenerator({ clock, randomBytes });
    const desk = new SupportDesk({ client, tableName: TABLE_NAME, clock, newId });
    const { agents, customerCount, bundle } = sampleDesk(scale);
    const withTickets = (): CustomerBundle => {
      for (;;) {
        const drawn = bundle(random.integer(0, customerCount - 1));
        if (drawn.tickets.length > 0) return drawn;
      }
    };
    const customerId = (): string => withTickets().customer.customerId;
    const ticketId = (): string => anyOf(random, withTickets().tickets).ticketId;
    const agentId = (): string => anyOf(random, agents).agentId;
    const day = (): string =>
      new Date(Date.parse(SAMPLE_ENDS_AT) - random.integer(0, DAYS) * DAY_MS).toISOString().slice(0, 10);
    const newName = newNames('newcomer');
    const question = { subject: 'The export stops half way', body: 'Could you look into it?' };
    const newTicket = () => desk.openTicket({ customerId: customerId(), ...question });
    const newTicketWithAgent = async (): Promise<Ticket> => {
      const ticket = await newTicket();
      await desk.assign(ticket.ticketId, { agentId: agentId(), seen: 1 });
      return ticket;
    };
    const newClosedTicket = async (): Promise<Ticket> => {
      const ticket = await newTicket();
      await desk.close(ticket.ticketId);
      return ticket;
    };
    return {
      'SU-1': given(customerId, (id) => desk.findCustomer(id)),
      'SU-2': given(customerId, (id) => desk.openTicketsOf(id)),
      'SU-3': given(ticketId, (id) => desk.conversation(id)),
      'SU-4': given(ticketId, (id) => desk.findTicket(id)),
      'SU-5': given(agentId, (id) => desk.assignedOn(id, { date: day() })),
      'SU-6': given(customerId, (id) => desk.latestTicketOf(id)),
      'SU-7': given(ticketId, (id) => desk.ticketPage(id)),
      'SU-8': given(customerId, (id) => desk.ticketsOf(id)),
      'SU-9': given(agentId, (id) => desk.findAgent(id)),
      'SU-10': given(agentId, (id) => desk.openTicketsOfAgent(id)),
      'SU-11': given(
        () => anyOf(random, withTickets().tickets),
        (ticket) => desk.messagesSince(ticket.ticketId, { at: ticket.lastMessageAt }),
      ),
      'SU-12': given(customerId, (id) => desk.dashboard(id)),
      'SU-13': given(ticketId, (id) => desk.assignmentsOf(id)),
      'SU-W1': given(newName, (name) => desk.createCustomer({ name, email: `${name}@example.org` })),
      'SU-W1 agent': given(newName, (name) => desk.createAgent({ name })),
      'SU-W2': given(customerId, (id) => desk.openTicket({ customerId: id, ...question })),
      'SU-W3': given(
        () => anyOf(random, withTickets().tickets),
        ({ ticketId: id, customerId: authorId }) =>
          desk.addMessage(id, { authorType: 'customer', authorId, body: 'Any news?' }),
      ),
      'SU-W4': given(newTicket, ({ ticketId: id }) => desk.assign(id, { agentId: agentId(), seen: 1 })),
      'SU-W5': given(newTicketWithAgent, ({ ticketId: id }) => desk.unassign(id, { seen: 2 })),
      'SU-W6': given(newTicket, ({ ticketId: id }) => desk.close(id)),
      'SU-W7': given(newClosedTicket, ({ ticketId: id }) => desk.reopen(id)),
    };
  },
};
