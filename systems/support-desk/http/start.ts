import type { StartOptions } from '../../http/start-options.ts';
import { sampleDesk } from '../sample-desk.ts';
import { type DeskServer, startDesk } from './desk-server.ts';

/** Serves the desk and says where to begin. Scale 1 is 20,000 customers, 100,000 tickets and 500,000 messages. */
export async function startSupportDesk({ database, port, scale, say }: StartOptions): Promise<DeskServer> {
  const cursorSecret = process.env['CURSOR_SECRET'];
  const server = await startDesk({
    database,
    port,
    seedScale: scale === 0 ? undefined : scale,
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
