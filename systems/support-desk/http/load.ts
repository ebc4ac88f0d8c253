import type { ApplicationLoad, LoadSite, OpenLoad, StoredItem } from '../../http/load.ts';
import { grouped } from '../../http/stored-items.ts';
import { sampleDesk } from '../sample-desk.ts';

interface TicketReply {
  readonly ticketId: string;
  readonly version: number;
}

const TICKETS_KNOWN_MAX = 500;

/** What agents do, and how often: mostly they read, sometimes they write. */
export const load: ApplicationLoad = {
  holds: 'every ticket counts its messages, and is in the list of open tickets while it is open',
  open: async (site) => await Promise.resolve({ actions: actionsOf(site), faultsIn }),
};

function actionsOf(site: LoadSite): OpenLoad['actions'] {
  const sample = sampleDesk(site.scale);
  const customers = Array.from({ length: Math.min(sample.customerCount, 200) }, (_, index) => sample.bundle(index));
  const tickets = customers.flatMap((bundle) => bundle.tickets.map(({ ticketId }) => ticketId));
  const ticket = (): string => site.oneOf(tickets);
  const customer = (): string => site.oneOf(customers).customer.customerId;
  const agent = (): string => site.oneOf(sample.agents).agentId;
  const send = async (method: string, path: string, body?: object): Promise<Response> =>
    await site.ask(method, path, { as: `agent:${agent()}`, ...(body !== undefined && { body }) });
  const get = async (path: string): Promise<Response> => await send('GET', path);
  return [
    { name: 'ticket page', weight: 30, act: async () => await get(`/tickets/${ticket()}/page`) },
    { name: 'dashboard', weight: 15, act: async () => await get(`/customers/${customer()}/dashboard`) },
    { name: 'day of an agent', weight: 10, act: async () => await get(`/agents/${agent()}/day`) },
    { name: 'conversation', weight: 10, act: async () => await get(`/tickets/${ticket()}/messages`) },
    { name: 'tickets of a customer', weight: 8, act: async () => await get(`/customers/${customer()}/tickets`) },
    { name: 'open tickets of an agent', weight: 2, act: async () => await get(`/agents/${agent()}/open-tickets`) },
    {
      name: 'open a ticket',
      weight: 5,
      act: async () => {
        const question = { subject: 'Under load', body: 'Are you there?' };
        const response = await send('POST', `/customers/${customer()}/tickets`, question);
        const { ticketId } = (await response.clone().json()) as TicketReply;
        if (tickets.length < TICKETS_KNOWN_MAX) tickets.push(ticketId);
        return response;
      },
    },
    {
      name: 'write a message',
      weight: 14,
      act: async () => {
        const message = { body: 'We are looking into it.' };
        return await send('POST', `/tickets/${ticket()}/messages`, message);
      },
    },
    {
      name: 'take a ticket',
      weight: 4,
      allows: [409], // it is closed, or another agent was faster
      act: async () => {
        const ticketId = ticket();
        const seen = (await (await get(`/tickets/${ticketId}`)).json()) as TicketReply;
        return await send('PUT', `/tickets/${ticketId}/assignee`, { agentId: agent(), seen: seen.version });
      },
    },
    {
      name: 'close a ticket',
      weight: 2,
      allows: [409],
      act: async () => await send('POST', `/tickets/${ticket()}/close`),
    },
  ];
}

function faultsIn(items: readonly StoredItem[]): readonly string[] {
  const of = (name: string): readonly StoredItem[] => items.filter(({ type }) => type === name);
  const messages = grouped(of('Message'), ({ ticketId }) => String(ticketId));
  return of('Ticket').flatMap((ticket) => {
    const [id, counted] = [String(ticket['ticketId']), ticket['messageCount']];
    const stored = messages.get(id)?.length ?? 0;
    const isListed = 'GSI2PK' in ticket;
    return [
      ...(stored === counted ? [] : [`ticket ${id} counts ${String(counted)} messages; ${stored} are stored`]),
      ...(isListed === (ticket['status'] === 'OPEN')
        ? []
        : [`ticket ${id} is ${String(ticket['status'])} and is ${isListed ? '' : 'not '}in the list`]),
    ];
  });
}
