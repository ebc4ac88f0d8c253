import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import { html, type Markup } from '../../http/markup.ts';
import { field, form, picture } from '../../http/page-frame.ts';
import { type Action, action, type Refused, type Screen, screen } from '../../http/screens.ts';
import { SIGN_IN, type SignIn } from '../../http/sign-in.ts';
import { localDate } from '../../local-day.ts';
import type { Message, SupportDesk, Ticket } from '../desk.ts';
import { found } from '../errors.ts';
import { type Caller, callerOf, personOf, requireAgent, requireOwn, ticketFor } from './callers.ts';
import type { Once } from './once.ts';
import { dayQuery, newAgent, newCustomer, newMessage, newTicket, seenQuery } from './shapes.ts';

export interface PagesOptions {
  readonly desk: SupportDesk;
  readonly once: Once;
  readonly clock: Clock;
  readonly signIn: SignIn;
  /** The people on the page to sign in: no pattern lists all. */
  readonly samples: readonly Caller[];
}

const ZONES = ['UTC', 'America/Anchorage', 'America/New_York', 'Europe/Lisbon', 'Asia/Kolkata', 'Asia/Tokyo'] as const;
const cursor = z.string().max(2000).optional();

/** The screens: the day of an agent or the page of a customer, lists of tickets, a ticket, and its history. */
export function screensOf(options: PagesOptions): readonly Screen[] {
  const { desk, clock } = options;
  return [
    screen({
      path: SIGN_IN,
      serves: [],
      show: async ({ refused }) => await Promise.resolve(whoAreYou(options, refused)),
    }),
    screen({
      path: '/',
      serves: ['SS-02', 'SU-5', 'SU-12'],
      signedIn: true,
      query: dayQuery.partial(),
      show: async ({ person, query, refused }) => {
        const caller = signedIn(person);
        return caller.role === 'agent'
          ? await dayScreen(desk, caller, query, clock, refused)
          : await customerScreen(desk, caller, caller.id, refused);
      },
    }),
    screen({
      path: '/customers/{customerId}',
      serves: ['SS-02', 'SU-12'],
      signedIn: true,
      show: async ({ path, person, refused }) => await customerScreen(desk, signedIn(person), path.customerId, refused),
    }),
    screen({
      path: '/tickets',
      serves: ['SS-02', 'SU-8', 'SU-10'],
      signedIn: true,
      query: z.object({ cursor, customer: z.string().max(40).optional() }),
      show: async ({ person, query }) => {
        const caller = signedIn(person);
        if (caller.role === 'agent' && query.customer === undefined) {
          return {
            title: 'Your open tickets',
            teaches:
              'These are filtered out of all tickets that were ever yours, so the strip shows more items read than returned. As a daily queue it would need an index of its own.',
            main: ticketList(await desk.openTicketsOfAgent(caller.id)),
          };
        }
        const customerId = query.customer ?? caller.id;
        requireOwn(caller, { customerId });
        const page = await desk.ticketsOf(customerId, query.cursor === undefined ? {} : { cursor: query.cursor });
        return {
          title: 'All tickets',
          teaches:
            'In GSI1 the tickets of a customer are sorted by the time at which they were opened, open and closed ones together.',
          main: html`${ticketList(page.items)}
          ${page.cursor !== undefined && html`<a class="button second" href="/tickets?${new URLSearchParams({ customer: customerId, cursor: page.cursor }).toString()}">Older tickets</a>`}`,
        };
      },
    }),
    screen({
      path: '/tickets/{ticketId}',
      serves: ['SS-02', 'SU-7'],
      signedIn: true,
      query: z.object({ cursor }),
      show: async ({ path: { ticketId }, person, query, refused }) => {
        const caller = signedIn(person);
        const page = await desk.ticketPage(ticketId, query.cursor === undefined ? {} : { cursor: query.cursor });
        const ticket =
          query.cursor === undefined ? found(page.ticket, 'Ticket') : await ticketFor(desk, caller, ticketId);
        requireOwn(caller, ticket);
        return {
          title: ticket.subject,
          teaches:
            'METADATA sorts behind MESSAGE#: one query backwards is the ticket and its latest messages. The history of assignments sorts before both, and is not read.',
          main: html`${ticketHead(ticket, caller)}
            ${page.cursor !== undefined && html`<p><a href="/tickets/${ticketId}?${new URLSearchParams({ cursor: page.cursor }).toString()}">Earlier messages</a></p>`}
            <ol class="talk">
              ${page.messages.toReversed().map((message) => messageItem(message, caller))}
            </ol>
            ${
              ticket.status === 'OPEN' &&
              form(
                `/tickets/${ticketId}/messages`,
                html`${field('body', 'Your message', { refused, rows: 3 })}<button>Send</button>`,
                'Message',
              )
            }`,
        };
      },
    }),
    screen({
      path: '/tickets/{ticketId}/history',
      serves: ['SS-02', 'SU-13'],
      signedIn: true,
      show: async ({ path: { ticketId }, person }) => {
        requireAgent(signedIn(person));
        const assignments = await desk.assignmentsOf(ticketId);
        return {
          title: 'Who had the ticket',
          teaches:
            'An assignment is an item of its own in the collection of the ticket, so the history stays when the ticket changes hands.',
          main: html`<p><a href="/tickets/${ticketId}">The ticket</a></p>
            ${assignments.length === 0 && html`<p>No agent has had it yet.</p>`}
            <ol class="rows">
              ${assignments.map(({ at, agentId }) => html`<li>${picture('face', agentId, 30)}<span class="grow mono">${agentId}</span><small>${timeOf(at)}</small></li>`)}
            </ol>`,
        };
      },
    }),
  ];
}

/** What the forms do. */
export function actionsOf({ desk, once, signIn }: PagesOptions): readonly Action[] {
  const ticketPath = '/tickets/{ticketId}';
  const agentActs = (name: string, act: (ticketId: string, agent: Caller, seen: number) => Promise<void>): Action =>
    action({
      path: `/tickets/{ticketId}/${name}`,
      of: ticketPath,
      signedIn: true,
      form: seenQuery,
      act: async ({ path, form: { seen }, person }) => {
        const ticketId = path['ticketId'] ?? '';
        await act(ticketId, requireAgent(signedIn(person)), seen);
        return { to: `/tickets/${ticketId}` };
      },
    });
  return [
    action({
      path: '/customers',
      of: SIGN_IN,
      form: newCustomer,
      act: async ({ form: given, key }) => {
        const { customerId, name } = await once.createCustomer(given, key);
        return await signIn.enter(personOf({ role: 'customer', id: customerId, name }), key, '/');
      },
    }),
    action({
      path: '/agents',
      of: SIGN_IN,
      form: z.object({ agentName: newAgent.shape.name }),
      act: async ({ form: { agentName }, key }) => {
        const { agentId, name } = await once.createAgent({ name: agentName }, key);
        return await signIn.enter(personOf({ role: 'agent', id: agentId, name }), key, '/');
      },
    }),
    action({
      path: '/find',
      of: '/',
      signedIn: true,
      form: z.object({
        customerId: z
          .string()
          .trim()
          .regex(/^[A-Za-z0-9]{1,40}$/),
      }),
      act: async ({ form: { customerId } }) => {
        const { customerId: known } = found(await desk.findCustomer(customerId), 'Customer');
        return { to: `/customers/${known}` };
      },
    }),
    action({
      path: '/tickets',
      of: '/',
      signedIn: true,
      form: newTicket,
      act: async ({ form: given, person, key }) => {
        const { role, id } = signedIn(person);
        requireOwn({ role: 'customer', id: role === 'customer' ? id : '', name: '' }, { customerId: id });
        const { ticketId } = await once.openTicket({ customerId: id, ...given }, key);
        return { to: `/tickets/${ticketId}` };
      },
    }),
    action({
      path: '/tickets/{ticketId}/messages',
      of: ticketPath,
      signedIn: true,
      form: newMessage,
      act: async ({ path: { ticketId }, form: { body }, person, key }) => {
        const caller = signedIn(person);
        await ticketFor(desk, caller, ticketId);
        await once.addMessage(ticketId, { authorType: caller.role, authorId: caller.id, body }, key);
        return { to: `/tickets/${ticketId}` };
      },
    }),
    agentActs('take', async (ticketId, { id }, seen) => await once.assign(ticketId, { agentId: id, seen })),
    agentActs('put-back', async (ticketId, _, seen) => await once.unassign(ticketId, { seen })),
    agentActs('close', async (ticketId) => await desk.close(ticketId)),
    action({
      path: '/tickets/{ticketId}/reopen',
      of: ticketPath,
      signedIn: true,
      form: z.object({}),
      act: async ({ path: { ticketId }, person }) => {
        await ticketFor(desk, signedIn(person), ticketId);
        await desk.reopen(ticketId);
        return { to: `/tickets/${ticketId}` };
      },
    }),
  ];
}

/** The caller of a screen or form that requires one. */
function signedIn(person: string | undefined): Caller {
  return found(callerOf(person), 'Session');
}

function whoAreYou({ samples }: PagesOptions, refused: Refused | undefined) {
  const peopleOf = (role: Caller['role']): Markup =>
    html`<ul class="rows">
      ${samples
        .filter((each) => each.role === role)
        .map(
          ({ id, name }) =>
            html`<li>
              ${picture('face', id, 40)}<span class="grow">${name}</span>${form(
                SIGN_IN,
                html`<input type="hidden" name="username" value="${role}:${id}" /><button
                    class="second"
                    aria-label="Continue as ${name}, ${role}"
                  >
                    Continue
                  </button>`,
              )}
            </li>`,
        )}
    </ul>`;
  return {
    title: 'Customer or agent?',
    teaches:
      'The session says whether it belongs to a customer or an agent, and the name, so that no page has to read it again.',
    main: html`<div class="columns">
      <section aria-label="Customers">
        <h2>A customer</h2>
        ${peopleOf('customer')}
        ${form(
          '/customers',
          html`<h3>New customer</h3>
            ${field('name', 'Name', { refused })}${field('email', 'E-mail address', { refused, type: 'email' })}<button>
              Begin as a customer
            </button>`,
          'New customer',
        )}
      </section>
      <section aria-label="Agents">
        <h2>An agent</h2>
        ${peopleOf('agent')}
        ${form(
          '/agents',
          html`<h3>Join the desk</h3>
            ${field('agentName', 'Name of the agent', { refused })}<button class="second">Begin as an agent</button>`,
          'New agent',
        )}
      </section>
    </div>`,
  };
}

async function dayScreen(
  desk: SupportDesk,
  { id }: Caller,
  query: { readonly date?: string | undefined; readonly timeZone?: string | undefined },
  clock: Clock,
  refused: Refused | undefined,
) {
  const { timeZone = 'UTC', date = localDate(clock.nowMs(), timeZone) } = query;
  const tickets = await desk.assignedOn(id, { date, timeZone });
  const zones = ZONES.includes(timeZone as (typeof ZONES)[number]) ? ZONES : [timeZone, ...ZONES];
  return {
    title: 'Your day',
    teaches:
      'A day in UTC is the beginning of a sort key. A day elsewhere is an interval of UTC: of 23 or 25 hours when the clocks are changed.',
    main: html`<form method="get" action="/" aria-label="Another day" class="fields">
        ${field('date', 'Day', { type: 'date', value: date })}${field('timeZone', 'Time zone', { value: timeZone, choices: zones.map((zone) => [zone, zone] as const) })}<button
          class="second"
        >
          Show
        </button>
      </form>
      ${ticketList(tickets, 'No ticket was assigned to you on this day.')}
      ${form(
        '/find',
        html`<h2>A customer calls</h2>
          ${field('customerId', 'Id of the customer', { refused })}<button class="second">Look up</button>`,
        'Look up',
      )}`,
  };
}

async function customerScreen(desk: SupportDesk, caller: Caller, customerId: string, refused: Refused | undefined) {
  requireOwn(caller, { customerId });
  const { customer, latestTicket, openTickets } = await desk.dashboard(customerId);
  const { name, email, createdAt } = found(customer, 'Customer');
  const isOwn = caller.role === 'customer';
  return {
    title: name,
    teaches:
      'One ticket is in three places: under its own id, in GSI1 with all tickets of its customer, and in GSI2 while it is open. Closing takes it out of GSI2 only.',
    main: html`<p class="inline">${picture('face', customerId, 56)}<span>${email}, since ${dayOf(createdAt)}</span></p>
      <div class="columns">
        <section aria-label="Tickets">
          <h2>Latest</h2>
          ${latestTicket === undefined ? html`<p>No tickets yet.</p>` : ticketList([latestTicket])}
          <h2>Open (${openTickets.length})</h2>
          ${ticketList(openTickets)}
          <p><a href="/tickets?customer=${encodeURIComponent(customerId)}">All tickets</a></p>
        </section>
        ${
          isOwn &&
          html`<section aria-label="New ticket">
            ${form(
              '/tickets',
              html`<h2>A new ticket</h2>
                ${field('subject', 'Subject', { refused })}${field('body', 'What is it about?', { refused, rows: 5 })}<button>
                  Open ticket
                </button>`,
              'New ticket',
            )}
          </section>`
        }
      </div>`,
  };
}

function ticketHead(ticket: Ticket, { role, id }: Caller): Markup {
  const { ticketId, customerId, status, agentId, assignedAt, version, messageCount } = ticket;
  const here = `/tickets/${ticketId}`;
  const act = (name: string, label: string, look = 'second'): Markup =>
    form(
      `${here}/${name}`,
      html`<input type="hidden" name="seen" value="${version}" /><button class="${look}">${label}</button>`,
    );
  return html`<p class="inline">
      ${statusSign(status)}<span
        >of
        <a href="${role === 'agent' ? `/customers/${customerId}` : '/'}">${role === 'agent' ? 'the customer' : 'you'}</a
        >, ${messageCount} ${messageCount === 1 ? 'message' : 'messages'},
        ${agentId === undefined ? 'with no agent yet' : html`${agentId === id ? 'yours' : 'with an agent'} since ${timeOf(assignedAt ?? '')}`}</span
      >
    </p>
    <div class="inline">
      ${
        role === 'agent' &&
        html`${status === 'OPEN' && (agentId === id ? act('put-back', 'Put it back') : act('take', 'Take it', ''))}${status === 'OPEN' && act('close', 'Close')}`
      }${status === 'CLOSED' && act('reopen', 'Reopen')}${role === 'agent' && html`<a href="${here}/history">Who had it</a>`}
    </div>`;
}

function ticketList(tickets: readonly Ticket[], none: string = 'None.'): Markup {
  if (tickets.length === 0) return html`<p>${none}</p>`;
  return html`<ul class="rows">
    ${tickets.map(
      ({ ticketId, subject, status, lastMessageAt, messageCount, agentId }) =>
        html`<li>
          ${statusSign(status)}<span class="grow"
            ><a href="/tickets/${ticketId}">${subject}</a><br /><small
              >${messageCount} ${messageCount === 1 ? 'message' : 'messages'}, the last ${timeOf(lastMessageAt)}</small
            ></span
          >${agentId !== undefined && picture('face', agentId, 30)}
        </li>`,
    )}
  </ul>`;
}

function messageItem({ authorType, authorId, body, sentAt }: Message, caller: Caller): Markup {
  const who = authorId === caller.id ? 'you' : authorType === 'agent' ? 'agent' : 'customer';
  return html`<li class="${authorType}">
    ${picture('face', authorId, 36)}
    <div>
      ${body.split(/\r?\n\s*\r?\n/).map((paragraph) => html`<p>${paragraph}</p>`)}
      <small>${who}, ${timeOf(sentAt)}</small>
    </div>
  </li>`;
}

function statusSign(status: Ticket['status']): Markup {
  return html`<span class="state ${status === 'OPEN' ? '' : 'full'}">${status === 'OPEN' ? 'Open' : 'Closed'}</span>`;
}

function dayOf(time: string): string {
  return new Date(time).toLocaleDateString('en-US', {
    month: 'short',
    day: 'numeric',
    year: 'numeric',
    timeZone: 'UTC',
  });
}

function timeOf(time: string): string {
  return `${dayOf(time)}, ${time.slice(11, 16)} UTC`;
}
