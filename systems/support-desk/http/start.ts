import type { StartOptions } from '../../http/start-options.ts';
import { type SampleDesk, sampleDesk } from '../sample-desk.ts';
import type { Suggestions } from './application.ts';
import { type DeskServer, startDesk } from './desk-server.ts';

const SUGGESTED = 5;

/** Serves the desk and prints where to start. Scale 1 is 20,000 customers, 100,000 tickets and 500,000 messages. */
export async function startSupportDesk({ database, port, scale, say }: StartOptions): Promise<DeskServer> {
  const cursorSecret = process.env['CURSOR_SECRET'];
  const server = await startDesk({
    database,
    port,
    seedScale: scale === 0 ? undefined : scale,
    ...(scale > 0 && { suggestions: suggestionsOf(sampleDesk(scale)) }),
    ...(cursorSecret !== undefined && { cursorSecret }),
    onFault: (error) => say(String(error)),
  });
  if (server.seeded !== undefined) {
    const { Customer, Ticket, Message } = server.seeded;
    const sample = sampleDesk(scale);
    say(`${Customer} customers, ${Ticket} tickets, ${Message} messages. To begin with:`);
    say(`  a customer  ${server.url}/#customer/${sample.bundle(0).customer.customerId}`);
    say(`  an agent    ${server.url}/#agent/${sample.agents[0]?.agentId}`);
  }
  return server;
}

function suggestionsOf({ agents, customerCount, bundle }: SampleDesk): Suggestions {
  const customers: Suggestions['customers'][number][] = [];
  for (let index = 0; index < customerCount && customers.length < SUGGESTED; index += 1) {
    const { customer, tickets } = bundle(index);
    if (tickets.length > 0) customers.push({ id: customer.customerId, name: customer.name });
  }
  return { customers, agents: agents.slice(0, SUGGESTED).map(({ agentId, name }) => ({ id: agentId, name })) };
}
