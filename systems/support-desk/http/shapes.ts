import { z } from 'zod';
import { supportDesk } from '../model.ts';

// The wire format is the model's: one set of schemas checks both.

const { Customer, Agent, Ticket, Message, Assignment } = supportDesk.entities;

export const customer = z.object(Customer.attributes);
export const agent = z.object(Agent.attributes);
export const ticket = z.object(Ticket.attributes);
export const message = z.object(Message.attributes);
export const assignment = z.object(Assignment.attributes);

export const newCustomer = z.strictObject({
  name: Customer.attributes.name,
  email: Customer.attributes.email,
});
export const newAgent = z.strictObject({ name: Agent.attributes.name });
export const newTicket = z.strictObject({ subject: Ticket.attributes.subject.max(200), body: body() });
export const newMessage = z.strictObject({ body: body() });
export const newAssignee = z.strictObject({ agentId: Agent.attributes.agentId, seen: seen() });

export const tickets = z.object({ tickets: z.array(ticket) });
export const messages = z.object({ messages: z.array(message) });
export const assignments = z.object({ assignments: z.array(assignment) });
const cursor = z.string().optional().meta({ description: 'Where the next page begins; absent on the last one' });
export const ticketsPage = z.object({ tickets: z.array(ticket), cursor });
export const ticketPage = z.object({
  ticket: ticket.optional().meta({ description: 'On the first page only' }),
  messages: z.array(message),
  cursor,
});
export const dashboard = z.object({ customer, latestTicket: ticket.optional(), openTickets: z.array(ticket) });

const limit = z.coerce.number().int().min(1).max(100).optional();
export const pageQuery = z.strictObject({ limit, cursor: z.string().optional() });
export const dayQuery = z.strictObject({
  date: z.iso.date().optional().meta({ description: 'Today, where it is left out' }),
  timeZone: z
    .string()
    .refine(isTimeZone, 'is not a time zone')
    .optional()
    .meta({ description: 'A name such as America/Anchorage; UTC where it is left out' }),
});
export const sinceQuery = z.strictObject({
  since: z.iso
    .datetime({ precision: 3 })
    .optional()
    .meta({ description: 'From this time on; the whole conversation where it is left out' }),
  seen: z.string().optional().meta({ description: 'Ids of messages not to return again, separated by commas' }),
});
export const seenQuery = z.strictObject({ seen: seen() });

function body() {
  return z.string().min(1).max(20_000);
}

/** The version of the ticket on which a decision was based. */
function seen() {
  return z.coerce.number().int().min(1);
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
