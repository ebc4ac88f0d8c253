import type { Route } from '../../http/route.ts';
import { route } from '../../http/route.ts';
import type { PageRequest, SupportDesk } from '../desk.ts';
import { found } from '../errors.ts';
import * as shapes from './shapes.ts';

/** The prefix of the paths of all operations. */
export const PREFIX = '/api';

const done = { description: 'Done' };
const noSuch = (what: string): { readonly description: string } => ({ description: `No such ${what}` });

/** Everything that the desk can do, over HTTP. */
export function routesOf(desk: SupportDesk): readonly Route[] {
  return [...customerRoutes(desk), ...agentRoutes(desk), ...ticketRoutes(desk)];
}

function customerRoutes(desk: SupportDesk): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/customers',
      operationId: 'createCustomer',
      summary: 'Create a customer',
      tag: 'Customers',
      body: shapes.newCustomer,
      answers: { 201: { description: 'The customer', schema: shapes.customer } },
      handle: async ({ body }) => ({ status: 201, body: await desk.createCustomer(body) }),
    }),
    route({
      method: 'GET',
      path: '/customers/{customerId}',
      operationId: 'getCustomer',
      summary: 'One customer',
      tag: 'Customers',
      answers: { 200: { description: 'The customer', schema: shapes.customer }, 404: noSuch('customer') },
      handle: async ({ path }) => ({
        status: 200,
        body: found(await desk.findCustomer(path.customerId), 'Customer'),
      }),
    }),
    route({
      method: 'GET',
      path: '/customers/{customerId}/dashboard',
      operationId: 'getDashboard',
      summary: 'A customer, the latest ticket and all open ones',
      tag: 'Customers',
      answers: { 200: { description: 'The dashboard', schema: shapes.dashboard }, 404: noSuch('customer') },
      handle: async ({ path }) => {
        const { customer, ...tickets } = await desk.dashboard(path.customerId);
        return { status: 200, body: { customer: found(customer, 'Customer'), ...tickets } };
      },
    }),
    route({
      method: 'POST',
      path: '/customers/{customerId}/tickets',
      operationId: 'openTicket',
      summary: 'Open a ticket with its first message',
      tag: 'Tickets',
      body: shapes.newTicket,
      answers: { 201: { description: 'The ticket', schema: shapes.ticket }, 404: noSuch('customer') },
      handle: async ({ path, body }) => ({
        status: 201,
        body: await desk.openTicket({ customerId: path.customerId, ...body }),
      }),
    }),
    route({
      method: 'GET',
      path: '/customers/{customerId}/tickets',
      operationId: 'getTicketsOfCustomer',
      summary: 'All tickets of a customer, the newest first',
      tag: 'Customers',
      query: shapes.pageQuery,
      answers: { 200: { description: 'A page of tickets', schema: shapes.ticketsPage } },
      handle: async ({ path, query }) => {
        const { items, cursor } = await desk.ticketsOf(path.customerId, pageOf(query));
        return { status: 200, body: { tickets: items, cursor } };
      },
    }),
    route({
      method: 'GET',
      path: '/customers/{customerId}/open-tickets',
      operationId: 'getOpenTicketsOfCustomer',
      summary: 'The open tickets of a customer, the newest first',
      tag: 'Customers',
      answers: { 200: { description: 'The tickets', schema: shapes.tickets } },
      handle: async ({ path }) => ({ status: 200, body: { tickets: await desk.openTicketsOf(path.customerId) } }),
    }),
    route({
      method: 'GET',
      path: '/customers/{customerId}/latest-ticket',
      operationId: 'getLatestTicket',
      summary: 'The most recent ticket of a customer',
      tag: 'Customers',
      answers: { 200: { description: 'The ticket', schema: shapes.ticket }, 404: noSuch('ticket') },
      handle: async ({ path }) => ({
        status: 200,
        body: found(await desk.latestTicketOf(path.customerId), 'Ticket'),
      }),
    }),
  ];
}

function agentRoutes(desk: SupportDesk): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/agents',
      operationId: 'createAgent',
      summary: 'Create an agent',
      tag: 'Agents',
      body: shapes.newAgent,
      answers: { 201: { description: 'The agent', schema: shapes.agent } },
      handle: async ({ body }) => ({ status: 201, body: await desk.createAgent(body) }),
    }),
    route({
      method: 'GET',
      path: '/agents/{agentId}',
      operationId: 'getAgent',
      summary: 'One agent',
      tag: 'Agents',
      answers: { 200: { description: 'The agent', schema: shapes.agent }, 404: noSuch('agent') },
      handle: async ({ path }) => ({ status: 200, body: found(await desk.findAgent(path.agentId), 'Agent') }),
    }),
    route({
      method: 'GET',
      path: '/agents/{agentId}/day',
      operationId: 'getDayOfAgent',
      summary: 'The tickets that an agent has by an assignment of that day, closed ones included',
      tag: 'Agents',
      query: shapes.dayQuery,
      answers: { 200: { description: 'The tickets, by time of assignment', schema: shapes.tickets } },
      handle: async ({ path, query: { date, timeZone } }) => {
        const day = { ...(date !== undefined && { date }), ...(timeZone !== undefined && { timeZone }) };
        return { status: 200, body: { tickets: await desk.assignedOn(path.agentId, day) } };
      },
    }),
    route({
      method: 'GET',
      path: '/agents/{agentId}/open-tickets',
      operationId: 'getOpenTicketsOfAgent',
      summary: 'All open tickets that an agent has, the latest assignment first',
      tag: 'Agents',
      answers: { 200: { description: 'The tickets', schema: shapes.tickets } },
      handle: async ({ path }) => ({ status: 200, body: { tickets: await desk.openTicketsOfAgent(path.agentId) } }),
    }),
  ];
}

function ticketRoutes(desk: SupportDesk): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/tickets/{ticketId}',
      operationId: 'getTicket',
      summary: 'One ticket',
      tag: 'Tickets',
      answers: { 200: { description: 'The ticket', schema: shapes.ticket }, 404: noSuch('ticket') },
      handle: async ({ path }) => ({ status: 200, body: found(await desk.findTicket(path.ticketId), 'Ticket') }),
    }),
    route({
      method: 'GET',
      path: '/tickets/{ticketId}/page',
      operationId: 'getTicketPage',
      summary: 'A ticket and its latest messages, the newest first',
      tag: 'Tickets',
      query: shapes.pageQuery,
      answers: { 200: { description: 'The page', schema: shapes.ticketPage }, 404: noSuch('ticket') },
      handle: async ({ path, query }) => {
        const page = await desk.ticketPage(path.ticketId, pageOf(query));
        if (query.cursor === undefined) found(page.ticket, 'Ticket');
        return { status: 200, body: page };
      },
    }),
    route({
      method: 'GET',
      path: '/tickets/{ticketId}/messages',
      operationId: 'getMessages',
      summary: 'What was said, in order: all of it, or what is new',
      tag: 'Tickets',
      query: shapes.sinceQuery,
      answers: { 200: { description: 'The messages', schema: shapes.messages } },
      handle: async ({ path, query: { since, seen } }) => {
        const messages =
          since === undefined
            ? await desk.conversation(path.ticketId)
            : await desk.messagesSince(path.ticketId, { at: since, seen: new Set(seen?.split(',')) });
        return { status: 200, body: { messages } };
      },
    }),
    route({
      method: 'POST',
      path: '/tickets/{ticketId}/messages',
      operationId: 'addMessage',
      summary: 'Write a message',
      tag: 'Tickets',
      body: shapes.newMessage,
      answers: { 201: { description: 'The message', schema: shapes.message }, 404: noSuch('ticket') },
      handle: async ({ path, body }) => ({ status: 201, body: await desk.addMessage(path.ticketId, body) }),
    }),
    route({
      method: 'GET',
      path: '/tickets/{ticketId}/assignments',
      operationId: 'getAssignments',
      summary: 'Who was given the ticket when',
      tag: 'Tickets',
      answers: { 200: { description: 'The history', schema: shapes.assignments } },
      handle: async ({ path }) => ({ status: 200, body: { assignments: await desk.assignmentsOf(path.ticketId) } }),
    }),
    route({
      method: 'PUT',
      path: '/tickets/{ticketId}/assignee',
      operationId: 'assignTicket',
      summary: 'Give the ticket to an agent, if it still has the version that was seen',
      tag: 'Tickets',
      body: shapes.newAssignee,
      answers: {
        204: done,
        404: noSuch('ticket or agent'),
        409: { description: 'It is closed, or somebody else has changed it' },
      },
      handle: async ({ path, body }) => {
        await desk.assign(path.ticketId, body);
        return { status: 204 };
      },
    }),
    route({
      method: 'DELETE',
      path: '/tickets/{ticketId}/assignee',
      operationId: 'unassignTicket',
      summary: 'Put the ticket back, if it still has the version that was seen',
      tag: 'Tickets',
      query: shapes.seenQuery,
      answers: { 204: done, 404: noSuch('ticket'), 409: { description: 'Somebody else has changed it' } },
      handle: async ({ path, query }) => {
        await desk.unassign(path.ticketId, query);
        return { status: 204 };
      },
    }),
    route({
      method: 'POST',
      path: '/tickets/{ticketId}/close',
      operationId: 'closeTicket',
      summary: 'Close the ticket',
      tag: 'Tickets',
      answers: { 204: done, 404: noSuch('ticket'), 409: { description: 'It is closed' } },
      handle: async ({ path }) => {
        await desk.close(path.ticketId);
        return { status: 204 };
      },
    }),
    route({
      method: 'POST',
      path: '/tickets/{ticketId}/reopen',
      operationId: 'reopenTicket',
      summary: 'Open the ticket again',
      tag: 'Tickets',
      answers: { 204: done, 404: noSuch('ticket'), 409: { description: 'It is open' } },
      handle: async ({ path }) => {
        await desk.reopen(path.ticketId);
        return { status: 204 };
      },
    }),
  ];
}

function pageOf({ limit, cursor }: { limit?: number | undefined; cursor?: string | undefined }): PageRequest {
  return { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) };
}
