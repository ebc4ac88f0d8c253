import { tableDefinitions } from '@singlet/model';
import { ManualClock } from '../clock.ts';
import type { AccessPattern, Demo, Stage } from '../demo/demo.ts';
import type { ScheduledEvent } from '../demo/schedule.ts';
import { playEvents } from '../demo/schedule.ts';
import { SeededRandom } from '../demo/seeded-random.ts';
import { createKsuidGenerator } from '../ksuid.ts';
import { SupportDesk, type Ticket } from './desk.ts';
import { SupportError } from './errors.ts';
import { supportDesk } from './model.ts';
import { sampleDesk } from './sample-desk.ts';
import { seedSupportDesk } from './seed.ts';

const SCALE = 0.002;
const SEED = 9;
const STARTS_AT_MS = Date.parse('2026-11-03T07:00:00Z');
const MINUTE_MS = 60_000;
const DAY_MINUTES = 9 * 60;

const PATTERNS: readonly AccessPattern[] = [
  { id: 'SU-1', title: 'Customer' },
  { id: 'SU-2', title: 'Open tickets of a customer' },
  { id: 'SU-3', title: 'Messages of a ticket' },
  { id: 'SU-4', title: 'Ticket' },
  { id: 'SU-5', title: 'Tickets assigned to an agent today' },
  { id: 'SU-6', title: 'Most recent ticket of a customer' },
  { id: 'SU-7', title: 'Page of a ticket' },
  { id: 'SU-8', title: 'All tickets of a customer' },
  { id: 'SU-9', title: 'Agent' },
  { id: 'SU-10', title: 'Open tickets of an agent' },
  { id: 'SU-11', title: 'New messages' },
  { id: 'SU-12', title: 'Dashboard' },
  { id: 'SU-13', title: 'Who was assigned when' },
  { id: 'SU-W1', title: 'Create customer or agent' },
  { id: 'SU-W2', title: 'Open ticket' },
  { id: 'SU-W3', title: 'Add message' },
  { id: 'SU-W4', title: 'Assign' },
  { id: 'SU-W5', title: 'Put back' },
  { id: 'SU-W6', title: 'Close' },
  { id: 'SU-W7', title: 'Reopen' },
];

interface Day {
  readonly desk: SupportDesk;
  readonly random: SeededRandom;
  readonly agentIds: readonly string[];
  readonly customerIds: readonly string[];
  readonly tally: { opened: number; closed: number; reopened: number; tooLate: number };
}

/** A day of the desk, on top of a year of work. */
export function supportDeskDemo(options: { readonly tickets: number }): Demo {
  const [table = { TableName: supportDesk.name }] = tableDefinitions(supportDesk);
  return {
    title: 'Support desk: a day of tickets',
    table,
    patterns: PATTERNS,
    play: async (stage) => {
      await play(stage, options.tickets);
    },
  };
}

async function play(stage: Stage, tickets: number): Promise<void> {
  const { client, tableName, terminal } = stage;
  const clock = new ManualClock(new Date(STARTS_AT_MS).toISOString());
  const random = new SeededRandom(SEED);
  const newId = createKsuidGenerator({ clock, randomBytes: (count) => random.bytes(count) });
  const desk = new SupportDesk({ client, tableName, clock, newId });
  const seeded = await seedSupportDesk({ client, tableName, scale: SCALE });
  terminal.line(
    `In the morning there are ${seeded['Customer']} customers with ${seeded['Ticket']} tickets and ${seeded['Message']} messages.`,
  );
  const sample = sampleDesk(SCALE);
  const day: Day = {
    desk,
    random,
    agentIds: sample.agents.map(({ agentId }) => agentId),
    customerIds: Array.from({ length: sample.customerCount }, (_, index) => sample.bundle(index).customer.customerId),
    tally: { opened: 0, closed: 0, reopened: 0, tooLate: 0 },
  };
  const events = [
    ...Array.from({ length: tickets }, () => ticketLife(day)).flat(),
    ...day.agentIds.flatMap((agentId) => agentDay(day, agentId)),
  ];
  await playEvents(events, { ...stage, clock });

  const { opened, closed, reopened, tooLate } = day.tally;
  terminal.line();
  terminal.line(`${opened} tickets were opened, ${closed} closed, ${reopened} of them opened again.`);
  terminal.line(`${tooLate} times an agent was too late: another one had taken the ticket.`);
  const assigned = await Promise.all(day.agentIds.map(async (agentId) => await desk.assignedOn(agentId)));
  terminal.line(`At night the agents’ days hold ${assigned.flat().length} tickets.`);
}

/** A customer's question: two agents try to take it, one gets it, they exchange messages, and it is closed. */
function ticketLife(day: Day): readonly ScheduledEvent[] {
  const { desk, random, tally } = day;
  const person = {};
  const customerId = anyOf(day.customerIds, random);
  const [first, second] = [anyOf(day.agentIds, random), anyOf(day.agentIds, random)];
  let atMs = STARTS_AT_MS + random.integer(0, DAY_MINUTES - 120) * MINUTE_MS;
  let ticket: Ticket | undefined;
  const at = (minutes: number, patternId: string, act: () => Promise<unknown>): ScheduledEvent => {
    atMs += minutes * MINUTE_MS;
    return { atMs, patternId, person, act };
  };
  const id = (): string => ticket?.ticketId ?? '';
  const take = (agentId: string) => async (): Promise<void> => {
    try {
      await desk.assign(id(), { agentId, seen: ticket?.version ?? 0 });
    } catch (error) {
      if (!(error instanceof SupportError) || error.code !== 'changed-meanwhile') throw error;
      tally.tooLate += 1;
    }
  };
  const say = (authorType: 'customer' | 'agent', body: string) => async (): Promise<unknown> => {
    const authorId = authorType === 'customer' ? customerId : first;
    return await desk.addMessage(id(), { authorType, authorId, body });
  };
  const comesBack = random.chance(0.15);
  return [
    at(0, 'SU-W2', async () => {
      const body = 'It worked last week.';
      ticket = await desk.openTicket({ customerId, subject: 'Something is wrong', body });
      tally.opened += 1;
    }),
    at(2, 'SU-12', async () => await desk.dashboard(customerId)),
    at(1, 'SU-W4', take(first)),
    ...(random.chance(0.2) ? [at(0, 'SU-W4', take(second))] : []),
    at(1, 'SU-7', async () => await desk.ticketPage(id())),
    at(3, 'SU-W3', say('agent', 'Which version do you use?')),
    at(6, 'SU-11', async () => await desk.messagesSince(id(), { at: ticket?.createdAt ?? '' })),
    at(1, 'SU-W3', say('customer', 'The latest one.')),
    ...(random.chance(0.15) ? putBack(day, { at, id, agentId: second }) : []),
    at(20, 'SU-3', async () => await desk.conversation(id())),
    at(5, 'SU-W6', async () => {
      await desk.close(id());
      tally.closed += 1;
    }),
    ...(comesBack
      ? [
          at(15, 'SU-W7', async () => {
            await desk.reopen(id());
            tally.reopened += 1;
          }),
          at(1, 'SU-13', async () => await desk.assignmentsOf(id())),
        ]
      : []),
    at(1, 'SU-2', async () => await desk.openTicketsOf(customerId)),
    at(1, 'SU-6', async () => await desk.latestTicketOf(customerId)),
    ...(random.chance(0.3) ? [at(1, 'SU-8', async () => await desk.ticketsOf(customerId))] : []),
    ...(random.chance(0.3) ? [at(1, 'SU-1', async () => await desk.findCustomer(customerId))] : []),
    ...(random.chance(0.1)
      ? [at(1, 'SU-W1', async () => await desk.createCustomer({ name: 'Somebody New', email: 'new@example.org' }))]
      : []),
  ];
}

/** The agent returns the ticket, and another one takes it. */
function putBack(
  { desk }: Day,
  ticket: {
    readonly at: (minutes: number, patternId: string, act: () => Promise<unknown>) => ScheduledEvent;
    readonly id: () => string;
    readonly agentId: string;
  },
): readonly ScheduledEvent[] {
  let seen = 0;
  const look = async (): Promise<void> => {
    seen = (await desk.findTicket(ticket.id()))?.version ?? 0;
  };
  return [
    ticket.at(1, 'SU-4', look),
    ticket.at(1, 'SU-W5', async () => await desk.unassign(ticket.id(), { seen })),
    ticket.at(1, 'SU-4', look),
    ticket.at(1, 'SU-W4', async () => await desk.assign(ticket.id(), { agentId: ticket.agentId, seen })),
  ];
}

/** An agent reads the day's tickets every hour, and all open ones before and after lunch. */
function agentDay({ desk }: Day, agentId: string): readonly ScheduledEvent[] {
  const person = {};
  const at = (hour: number, patternId: string, act: () => Promise<unknown>): ScheduledEvent => ({
    atMs: STARTS_AT_MS + hour * 60 * MINUTE_MS,
    patternId,
    person,
    act,
  });
  return [
    at(0, 'SU-9', async () => await desk.findAgent(agentId)),
    ...Array.from({ length: 9 }, (_, hour) => at(hour, 'SU-5', async () => await desk.assignedOn(agentId))),
    at(4, 'SU-10', async () => await desk.openTicketsOfAgent(agentId)),
    at(5, 'SU-10', async () => await desk.openTicketsOfAgent(agentId)),
  ];
}

function anyOf(all: readonly string[], random: SeededRandom): string {
  return all[random.integer(0, all.length - 1)] ?? '';
}
