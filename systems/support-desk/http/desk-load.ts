import type { SeededRandom } from '../../demo/seeded-random.ts';
import type { LoadAction } from '../../http/load.ts';
import { sampleDesk } from '../sample-desk.ts';

interface TicketReply {
  readonly ticketId: string;
  readonly version: number;
}

const TICKETS_KNOWN_MAX = 500;

/**
 * What customers and agents do, and how often: mostly they read, sometimes they write.
 *
 * @param site.seedScale - of the sample data that the desk was filled with: whose customers and agents are known.
 */
export function deskActions(site: {
  readonly url: string;
  readonly seedScale: number;
  readonly random: SeededRandom;
}): readonly LoadAction[] {
  const { url, seedScale, random } = site;
  const sample = sampleDesk(seedScale);
  const customers = Array.from({ length: Math.min(sample.customerCount, 200) }, (_, index) => sample.bundle(index));
  const tickets = customers.flatMap((bundle) => bundle.tickets.map(({ ticketId }) => ticketId));
  const anyOf = (all: readonly string[]): string => all[random.integer(0, all.length - 1)] ?? 'none';
  const customer = (): string => anyOf(customers.map((bundle) => bundle.customer.customerId));
  const agent = (): string => anyOf(sample.agents.map(({ agentId }) => agentId));
  const tokens = new Map<string, Promise<string>>();
  const tokenOf = async (person: string): Promise<string> => {
    const known = tokens.get(person) ?? tokenFor(url, person);
    tokens.set(person, known);
    return await known;
  };
  const send = async (method: string, path: string, body?: object): Promise<Response> =>
    await fetch(`${url}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${await tokenOf(`agent:${agent()}`)}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const get = async (path: string): Promise<Response> => await send('GET', path);
  return [
    { name: 'ticket page', weight: 30, act: async () => await get(`/tickets/${anyOf(tickets)}/page`) },
    { name: 'dashboard', weight: 15, act: async () => await get(`/customers/${customer()}/dashboard`) },
    { name: 'day of an agent', weight: 10, act: async () => await get(`/agents/${agent()}/day`) },
    { name: 'conversation', weight: 10, act: async () => await get(`/tickets/${anyOf(tickets)}/messages`) },
    { name: 'tickets of a customer', weight: 8, act: async () => await get(`/customers/${customer()}/tickets`) },
    { name: 'open tickets of an agent', weight: 2, act: async () => await get(`/agents/${agent()}/open-tickets`) },
    {
      name: 'open a ticket',
      weight: 5,
      act: async () => {
        const ticket = { subject: 'Under load', body: 'Is anybody there?' };
        const response = await send('POST', `/customers/${customer()}/tickets`, ticket);
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
        return await send('POST', `/tickets/${anyOf(tickets)}/messages`, message);
      },
    },
    {
      name: 'take a ticket',
      weight: 4,
      allows: [409], // it is closed, or another agent was faster
      act: async () => {
        const ticketId = anyOf(tickets);
        const seen = (await (await get(`/tickets/${ticketId}`)).json()) as TicketReply;
        return await send('PUT', `/tickets/${ticketId}/assignee`, { agentId: agent(), seen: seen.version });
      },
    },
    {
      name: 'close a ticket',
      weight: 2,
      allows: [409],
      act: async () => await send('POST', `/tickets/${anyOf(tickets)}/close`),
    },
  ];
}

async function tokenFor(url: string, username: string): Promise<string> {
  const response = await fetch(`${url}/api/sessions`, { method: 'POST', body: JSON.stringify({ username }) });
  return ((await response.json()) as { readonly token: string }).token;
}
