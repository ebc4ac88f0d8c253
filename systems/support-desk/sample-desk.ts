import { SeededRandom } from '../demo/seeded-random.ts';
import { encodeKsuid } from '../ksuid.ts';
import type { Agent, Assignment, Customer, Message, Ticket } from './desk.ts';

/** A desk after a year of work: generated, and the same in every run. */
export interface SampleDesk {
  readonly agents: readonly Agent[];
  readonly customerCount: number;
  /** A customer with all that belongs to them. */
  readonly bundle: (customerIndex: number) => CustomerBundle;
}

export interface CustomerBundle {
  readonly customer: Customer;
  readonly tickets: readonly Ticket[];
  readonly messages: readonly Message[];
  readonly assignments: readonly Assignment[];
}

/** The instant at which the sample ends. */
export const SAMPLE_ENDS_AT = '2026-11-02T17:00:00.000Z';

const ENDS_AT_MS = Date.parse(SAMPLE_ENDS_AT);
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
const CUSTOMERS = 20_000;
/** The same number per customer at any scale: an agent's number of tickets does not depend on the size of the desk. */
const AGENTS = 500;
/** Tickets are handed on. */
const AGENTS_MIN = 2;
const SEED = 2026;

const FIRST_NAMES = ['Ada', 'Ben', 'Cleo', 'Dario', 'Esi', 'Filip', 'Grace', 'Hana', 'Ilse', 'João'] as const;
const LAST_NAMES = ['Abara', 'Berg', 'Costa', 'Dubois', 'Endo', 'Fischer', 'Gupta', 'Haas', 'Ito', 'Jansen'] as const;
const SUBJECTS = [
  'The export stops half way',
  'Two invoices for one month',
  'I cannot log in',
  'How do I change my plan?',
  'A refund has not arrived',
  'The report is slow since Monday',
  'Please delete my account',
  'The app shows yesterday’s numbers',
] as const;
const QUESTIONS = [
  'It worked last week. Nothing has changed on our side.',
  'I have tried it in another browser, with the same result.',
  'Could you look into it? We need it by Friday.',
  'Attached is what I see.',
] as const;
const ANSWERS = [
  'Thank you for telling us. I am looking into it.',
  'Which version do you use?',
  'This is known; a correction comes with the next release.',
  'It is corrected now. Please try again.',
] as const;

/** @param scale - 1 is 20,000 customers and 500 agents, about 100,000 tickets and 500,000 messages. */
export function sampleDesk(scale: number): SampleDesk {
  const agentCount = Math.max(AGENTS_MIN, Math.round(AGENTS * scale));
  const random = new SeededRandom(SEED);
  const agents = Array.from({ length: agentCount }, () => {
    const createdAtMs = ENDS_AT_MS - YEAR_MS - random.integer(1, 100) * DAY_MS;
    return { agentId: idAt(createdAtMs, random), name: personName(random), createdAt: iso(createdAtMs) };
  });
  return {
    agents,
    customerCount: Math.max(1, Math.round(CUSTOMERS * scale)),
    bundle: (customerIndex) => bundleOf(customerIndex, agents),
  };
}

function bundleOf(customerIndex: number, agents: readonly Agent[]): CustomerBundle {
  // Each customer draws from their own seed, so that any one of them can be generated without the others.
  const random = new SeededRandom(SEED + 1 + customerIndex);
  const createdAtMs = ENDS_AT_MS - YEAR_MS - random.integer(1, 300) * DAY_MS;
  const name = personName(random);
  const customer: Customer = {
    customerId: idAt(createdAtMs, random),
    name,
    email: `customer${customerIndex + 1}@example.org`,
    createdAt: iso(createdAtMs),
  };
  const lives = Array.from({ length: Math.floor(11 * random.fraction() ** 1.2) }, () =>
    ticketLife({ customerId: customer.customerId, agents, random }),
  );
  return {
    customer,
    tickets: lives.map(({ ticket }) => ticket),
    messages: lives.flatMap(({ messages }) => messages),
    assignments: lives.flatMap(({ assignments }) => assignments),
  };
}

interface TicketLife {
  readonly ticket: Ticket;
  readonly messages: readonly Message[];
  readonly assignments: readonly Assignment[];
}

/** A ticket with its messages and assignments. Most are closed. The latest ones may be open or without an agent. */
function ticketLife(setting: {
  readonly customerId: string;
  readonly agents: readonly Agent[];
  readonly random: SeededRandom;
}): TicketLife {
  const { customerId, agents, random } = setting;
  const createdAtMs = ENDS_AT_MS - Math.floor(random.fraction() * YEAR_MS) - MINUTE_MS;
  const ticketId = idAt(createdAtMs, random);
  const handCount = random.weightedIndex([1, 8, 2, 1]);
  const assignments: Assignment[] = [];
  let atMs = createdAtMs;
  for (let hand = 0; hand < handCount; hand += 1) {
    atMs = Math.min(atMs + random.integer(5, 600) * MINUTE_MS, ENDS_AT_MS - hand);
    assignments.push({ ticketId, at: iso(atMs), agentId: agentOf(agents, random) });
  }
  const assigned = assignments.at(-1);
  const messages: Message[] = [];
  let sentAtMs = createdAtMs;
  for (let position = 0; position < random.integer(1, 9); position += 1) {
    const isAnswer = assigned !== undefined && position % 2 === 1;
    messages.push({
      ticketId,
      messageId: idAt(sentAtMs, random),
      authorType: isAnswer ? 'agent' : 'customer',
      authorId: isAnswer ? assigned.agentId : customerId,
      body: isAnswer ? random.pick(ANSWERS) : random.pick(QUESTIONS),
      sentAt: iso(sentAtMs),
    });
    sentAtMs = Math.min(sentAtMs + random.integer(3, 900) * MINUTE_MS, ENDS_AT_MS - 9 + position);
  }
  const lastMessageAt = messages.at(-1)?.sentAt ?? iso(createdAtMs);
  const isOpen = random.chance(ENDS_AT_MS - createdAtMs < 10 * DAY_MS ? 0.7 : 0.04);
  const closedAt = lastMessageAt > iso(atMs) ? lastMessageAt : iso(atMs);
  const ticket: Ticket = {
    ticketId,
    customerId,
    subject: random.pick(SUBJECTS),
    status: isOpen ? 'OPEN' : 'CLOSED',
    createdAt: iso(createdAtMs),
    ...(!isOpen && { closedAt }),
    ...(assigned !== undefined && { agentId: assigned.agentId, assignedAt: assigned.at }),
    lastMessageAt,
    messageCount: messages.length,
    version: 1 + assignments.length + (isOpen ? 0 : 1),
  };
  return { ticket, messages, assignments };
}

function agentOf(agents: readonly Agent[], random: SeededRandom): string {
  return agents[random.integer(0, agents.length - 1)]?.agentId ?? '';
}

function personName(random: SeededRandom): string {
  return `${random.pick(FIRST_NAMES)} ${random.pick(LAST_NAMES)}`;
}

function idAt(atMs: number, random: SeededRandom): string {
  return encodeKsuid({ epochSeconds: Math.floor(atMs / 1000), payload: random.bytes(16) });
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}
