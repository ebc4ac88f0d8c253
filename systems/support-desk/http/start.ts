import { randomBytes } from 'node:crypto';
import { MovedClock } from '../../clock.ts';
import { Costs } from '../../http/costs.ts';
import { HttpError } from '../../http/http-error.ts';
import type { HttpServer } from '../../http/node-server.ts';
import { openTable } from '../../http/open-table.ts';
import { Requests } from '../../http/requests.ts';
import { SignIn } from '../../http/sign-in.ts';
import type { ApplicationStart } from '../../http/start-options.ts';
import { cursorSecret } from '../../http/sealed.ts';
import { serveApplication } from '../../http/serve-application.ts';
import { createKsuidGenerator } from '../../ksuid.ts';
import { SupportDesk } from '../desk.ts';
import { SupportError } from '../errors.ts';
import { supportDesk } from '../model.ts';
import { sampleDesk } from '../sample-desk.ts';
import { seedSupportDesk } from '../seed.ts';
import { type Caller, callerOf, Callers, personAt } from './callers.ts';
import { actionsOf, screensOf } from './pages.ts';
import { Once } from './once.ts';
import { routesOf } from './routes.ts';

const SUGGESTED = 4;

/** Serves the desk. Scale 1 is 20,000 customers, 100,000 tickets and 500,000 messages. */
export async function startSupportDesk(options: ApplicationStart): Promise<HttpServer> {
  const { client, scale, say } = options;
  const clock = new MovedClock();
  const costs = Costs.of(client);
  const { tableName, isNew } = await openTable(client, supportDesk);
  if (isNew && scale > 0) {
    const { Customer, Ticket, Message } = await seedSupportDesk({ client, tableName, scale });
    say(`${Customer} customers, ${Ticket} tickets, ${Message} messages`);
  }
  const newId = createKsuidGenerator({ clock, randomBytes });
  const desk = new SupportDesk({
    client,
    tableName,
    clock,
    newId,
    cursorSecret: cursorSecret(),
    onRequest: costs.patternsOf(supportDesk),
  });
  const once = new Once(desk, await Requests.open({ client, clock, newId, name: 'night-desk' }));
  const signIn = await SignIn.open({
    client,
    clock,
    costs,
    name: 'night-desk',
    isPerson: async (wanted) => await personAt(desk, wanted),
    samples: [],
  });
  const callers = new Callers(desk, async (request) => await signIn.personOf(request));
  const pages = { desk, once, clock, signIn, samples: scale > 0 ? samplesAt(scale) : [] };
  return await serveApplication(options, {
    frame: {
      name: 'Night Desk',
      voice: 'speaking',
      places: [
        { path: '/', label: 'Today' },
        { path: '/tickets', label: 'Tickets' },
      ],
      shownAs: (person) => {
        const { name, role, id } = callerOf(person) ?? { name: person, role: 'unknown', id: person };
        return { label: `${name}, ${role}`, face: id };
      },
    },
    description: 'Customers, their tickets, the messages, and which agent has a ticket.',
    tint: { hue: 290, strength: 0.9 },
    style: new URL('style.css', import.meta.url),
    routes: routesOf(desk, callers, once),
    screens: screensOf(pages),
    actions: actionsOf(pages),
    costs,
    signIn,
    examples: [new URL('examples.json', import.meta.url)],
    errorOf,
  });
}

/** Agents and customers of the sample data: no pattern lists all. */
function samplesAt(scale: number): readonly Caller[] {
  const { agents, customerCount, bundle } = sampleDesk(scale);
  const customers: Caller[] = [];
  for (let index = 0; index < customerCount && customers.length < SUGGESTED; index += 1) {
    const { customer, tickets } = bundle(index);
    if (tickets.length > 0) customers.push({ role: 'customer', id: customer.customerId, name: customer.name });
  }
  return [
    ...agents.slice(0, SUGGESTED).map(({ agentId, name }) => ({ role: 'agent' as const, id: agentId, name })),
    ...customers,
  ];
}

function errorOf(error: unknown): HttpError | undefined {
  if (!(error instanceof SupportError)) return undefined;
  const noun = error.entity.toLowerCase();
  switch (error.code) {
    case 'not-found':
      return new HttpError(404, 'not-found', `There is no such ${noun}.`);
    case 'already-exists':
      return new HttpError(409, 'taken', `There is a ${noun} of this id already.`);
    case 'changed-meanwhile':
      return new HttpError(409, 'stale', 'Somebody else has changed the ticket meanwhile. Look at it again.');
    case 'not-open':
      return new HttpError(409, 'already-done', 'The ticket is closed.');
    case 'not-closed':
      return new HttpError(409, 'already-done', 'The ticket is open.');
  }
}
