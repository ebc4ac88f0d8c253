import { type Route, route } from '../../http/route.ts';
import { SESSION } from '../../http/sign-in.ts';
import type { PageRequest, SupportDesk } from '../desk.ts';
import { found } from '../errors.ts';
import { type Callers, requireOwn } from './callers.ts';
import type { Once } from './once.ts';
import * as shapes from './shapes.ts';

const done = { description: 'Done' };
const signedOut = { 401: { description: 'Not signed in' } };
const foreign = { 403: { description: 'Of another customer, or only for agents' } };
const noSuch = (what: string): { readonly description: string } => ({ description: `No such ${what}` });

/** Everything that the desk can do, over HTTP. */
export function routesOf(desk: SupportDesk, callers: Callers, once: Once): readonly Route[] {
  return [
    ...customerRoutes(desk, callers, once),
    ...agentRoutes(desk, callers, once),
    ...ticketRoutes(desk, callers, once),
  ];
}

function customerRoutes(desk: SupportDesk, callers: Callers, once: Once): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/customers',
      operationId: 'createCustomer',
      summary: 'Create a customer',
      description: 'With an Idempotency-Key, a repeated request is answered with what the first one has created.',
      takesKey: true,
      tag: 'Customers',
      serves: ['SU-W1'],
      body: shapes.newCustomer,
      answers: { 201: { description: 'The customer', schema: shapes.customer } },
      handle: async ({ body, key }) => ({
        status: 201,
        body: await once.createCustomer(body, key),
      }),
    }),
    route({
      method: 'GET',
      path: '/customers/{customerId}',
      operationId: 'getCustomer',
      summary: 'One customer',
      tag: 'Customers',
      security: SESSION,
      serves: ['SU-1'],
      answers: {
        ...signedOut,
        ...foreign,
        200: { description: 'The customer', schema: shapes.customer },
        404: noSuch('customer'),
      },
      handle: async ({ path, request }) => {
        await callers.ofCustomer(request, path.customerId);
        return {
          status: 200,
          body: found(await desk.findCustomer(path.customerId), 'Customer'),
        };
      },
    }),
    route({
      method: 'GET',
      path: '/customers/{customerId}/dashboard',
      operationId: 'getDashboard',
      summary: 'A customer, the latest ticket and all open ones',
      tag: 'Customers',
      security: SESSION,
      serves: ['SU-12'],
      answers: {
        ...signedOut,
        ...foreign,
        200: { description: 'The dashboard', schema: shapes.dashboard },
        404: noSuch('customer'),
      },
      handle: async ({ path, request }) => {
        await callers.ofCustomer(request, path.customerId);
        const { customer, ...tickets } = await desk.dashboard(path.customerId);
        return { status: 200, body: { customer: found(customer, 'Customer'), ...tickets } };
      },
    }),
    route({
      method: 'POST',
      path: '/customers/{customerId}/tickets',
      operationId: 'openTicket',
      summary: 'Open a ticket with its first message',
      description: 'With an Idempotency-Key, a repeated request is answered with what the first one has created.',
      takesKey: true,
      tag: 'Tickets',
      security: SESSION,
      serves: ['SU-W2'],
      body: shapes.newTicket,
      answers: {
        ...signedOut,
        ...foreign,
        201: { description: 'The ticket', schema: shapes.ticket },
        404: noSuch('customer'),
      },
      handle: async ({ path, request, body, key }) => {
        await callers.ofCustomer(request, path.customerId);
        return {
          status: 201,
          body: await once.openTicket({ customerId: path.customerId, ...body }, key),
        };
      },
    }),
    route({
      method: 'GET',
      path: '/customers/{customerId}/tickets',
      operationId: 'getTicketsOfCustomer',
      summary: 'All tickets of a customer, the newest first',
      tag: 'Customers',
      security: SESSION,
      serves: ['SU-8'],
      query: shapes.pageQuery,
      answers: { ...signedOut, ...foreign, 200: { description: 'A page of tickets', schema: shapes.ticketsPage } },
      handle: async ({ path, request, query }) => {
        await callers.ofCustomer(request, path.customerId);
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
      security: SESSION,
      serves: ['SU-2'],
      answers: { ...signedOut, ...foreign, 200: { description: 'The tickets', schema: shapes.tickets } },
      handle: async ({ path, request }) => {
        await callers.ofCustomer(request, path.customerId);
        return { status: 200, body: { tickets: await desk.openTicketsOf(path.customerId) } };
      },
    }),
    route({
      method: 'GET',
      path: '/customers/{customerId}/latest-ticket',
      operationId: 'getLatestTicket',
      summary: 'The most recent ticket of a customer',
      tag: 'Customers',
      security: SESSION,
      serves: ['SU-6'],
      answers: {
        ...signedOut,
        ...foreign,
        200: { description: 'The ticket', schema: shapes.ticket },
        404: noSuch('ticket'),
      },
      handle: async ({ path, request }) => {
        await callers.ofCustomer(request, path.customerId);
        return {
          status: 200,
          body: found(await desk.latestTicketOf(path.customerId), 'Ticket'),
        };
      },
    }),
  ];
}

function agentRoutes(desk: SupportDesk, callers: Callers, once: Once): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/agents',
      operationId: 'createAgent',
      summary: 'Create an agent',
      description: 'With an Idempotency-Key, a repeated request is answered with what the first one has created.',
      takesKey: true,
      tag: 'Agents',
      serves: ['SU-W1'],
      body: shapes.newAgent,
      answers: { 201: { description: 'The agent', schema: shapes.agent } },
      handle: async ({ body, key }) => ({
        status: 201,
        body: await once.createAgent(body, key),
      }),
    }),
    route({
      method: 'GET',
      path: '/agents/{agentId}',
      operationId: 'getAgent',
      summary: 'One agent',
      tag: 'Agents',
      security: SESSION,
      serves: ['SU-9'],
      answers: {
        ...signedOut,
        ...foreign,
        200: { description: 'The agent', schema: shapes.agent },
        404: noSuch('agent'),
      },
      handle: async ({ path, request }) => {
        await callers.agent(request);
        return { status: 200, body: found(await desk.findAgent(path.agentId), 'Agent') };
      },
    }),
    route({
      method: 'GET',
      path: '/agents/{agentId}/day',
      operationId: 'getDayOfAgent',
      summary: 'The tickets that an agent has by an assignment of that day, closed ones included',
      tag: 'Agents',
      security: SESSION,
      serves: ['SU-5'],
      query: shapes.dayQuery,
      answers: {
        ...signedOut,
        ...foreign,
        200: { description: 'The tickets, by time of assignment', schema: shapes.tickets },
      },
      handle: async ({ path, request, query: { date, timeZone } }) => {
        await callers.agent(request);
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
      security: SESSION,
      serves: ['SU-10'],
      answers: { ...signedOut, ...foreign, 200: { description: 'The tickets', schema: shapes.tickets } },
      handle: async ({ path, request }) => {
        await callers.agent(request);
        return { status: 200, body: { tickets: await desk.openTicketsOfAgent(path.agentId) } };
      },
    }),
  ];
}

function ticketRoutes(desk: SupportDesk, callers: Callers, once: Once): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/tickets/{ticketId}',
      operationId: 'getTicket',
      summary: 'One ticket',
      tag: 'Tickets',
      security: SESSION,
      serves: ['SU-4'],
      answers: {
        ...signedOut,
        ...foreign,
        200: { description: 'The ticket', schema: shapes.ticket },
        404: noSuch('ticket'),
      },
      handle: async ({ path, request }) => ({ status: 200, body: await callers.ticketFor(request, path.ticketId) }),
    }),
    route({
      method: 'GET',
      path: '/tickets/{ticketId}/page',
      operationId: 'getTicketPage',
      summary: 'A ticket and its latest messages, the newest first',
      tag: 'Tickets',
      security: SESSION,
      serves: ['SU-7'],
      query: shapes.pageQuery,
      answers: {
        ...signedOut,
        ...foreign,
        200: { description: 'The page', schema: shapes.ticketPage },
        404: noSuch('ticket'),
      },
      handle: async ({ path, query, request }) => {
        const caller = await callers.required(request);
        const page = await desk.ticketPage(path.ticketId, pageOf(query));
        // Further pages have no ticket, and their cursor is that of a page that was allowed.
        if (query.cursor === undefined) requireOwn(caller, found(page.ticket, 'Ticket'));
        return { status: 200, body: page };
      },
    }),
    route({
      method: 'GET',
      path: '/tickets/{ticketId}/messages',
      operationId: 'getMessages',
      summary: 'What was said, in order: all of it, or what is new',
      tag: 'Tickets',
      security: SESSION,
      serves: ['SU-4', 'SU-3', 'SU-11'],
      query: shapes.sinceQuery,
      answers: {
        ...signedOut,
        ...foreign,
        200: { description: 'The messages', schema: shapes.messages },
        404: noSuch('ticket'),
      },
      handle: async ({ path, request, query: { since, seen } }) => {
        await callers.ticketFor(request, path.ticketId);
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
      description: 'With an Idempotency-Key, a repeated request is answered with what the first one has created.',
      takesKey: true,
      tag: 'Tickets',
      security: SESSION,
      serves: ['SU-4', 'SU-W3'],
      body: shapes.newMessage,
      answers: {
        ...signedOut,
        ...foreign,
        201: { description: 'The message', schema: shapes.message },
        404: noSuch('ticket'),
      },
      handle: async ({ path, body, key, request }) => {
        const author = await callers.authorOn(request, path.ticketId);
        return {
          status: 201,
          body: await once.addMessage(path.ticketId, { ...author, ...body }, key),
        };
      },
    }),
    route({
      method: 'GET',
      path: '/tickets/{ticketId}/assignments',
      operationId: 'getAssignments',
      summary: 'Who was given the ticket when',
      tag: 'Tickets',
      security: SESSION,
      serves: ['SU-13'],
      answers: { ...signedOut, ...foreign, 200: { description: 'The history', schema: shapes.assignments } },
      handle: async ({ path, request }) => {
        await callers.agent(request);
        return { status: 200, body: { assignments: await desk.assignmentsOf(path.ticketId) } };
      },
    }),
    route({
      method: 'PUT',
      path: '/tickets/{ticketId}/assignee',
      operationId: 'assignTicket',
      summary: 'Give the ticket to an agent, if it still has the version that was seen',
      tag: 'Tickets',
      security: SESSION,
      serves: ['SU-W4'],
      body: shapes.newAssignee,
      answers: {
        ...signedOut,
        ...foreign,
        204: done,
        404: noSuch('ticket or agent'),
        409: { description: 'It is closed, or somebody else has changed it' },
      },
      handle: async ({ path, request, body }) => {
        await callers.agent(request);
        await once.assign(path.ticketId, body);
        return { status: 204 };
      },
    }),
    route({
      method: 'DELETE',
      path: '/tickets/{ticketId}/assignee',
      operationId: 'unassignTicket',
      summary: 'Put the ticket back, if it still has the version that was seen',
      tag: 'Tickets',
      security: SESSION,
      serves: ['SU-W5'],
      query: shapes.seenQuery,
      answers: {
        ...signedOut,
        ...foreign,
        204: done,
        404: noSuch('ticket'),
        409: { description: 'Somebody else has changed it' },
      },
      handle: async ({ path, request, query }) => {
        await callers.agent(request);
        await once.unassign(path.ticketId, query);
        return { status: 204 };
      },
    }),
    route({
      method: 'POST',
      path: '/tickets/{ticketId}/close',
      operationId: 'closeTicket',
      summary: 'Close the ticket; one that is closed stays so',
      tag: 'Tickets',
      security: SESSION,
      serves: ['SU-W6'],
      answers: { ...signedOut, ...foreign, 204: done, 404: noSuch('ticket') },
      handle: async ({ path, request }) => {
        await callers.agent(request);
        await once.close(path.ticketId);
        return { status: 204 };
      },
    }),
    route({
      method: 'POST',
      path: '/tickets/{ticketId}/reopen',
      operationId: 'reopenTicket',
      summary: 'Open the ticket again; one that is open stays so',
      tag: 'Tickets',
      security: SESSION,
      serves: ['SU-4', 'SU-W7'],
      answers: { ...signedOut, ...foreign, 204: done, 404: noSuch('ticket') },
      handle: async ({ path, request }) => {
        await callers.ticketFor(request, path.ticketId);
        await once.reopen(path.ticketId);
        return { status: 204 };
      },
    }),
  ];
}

function pageOf({ limit, cursor }: { limit?: number | undefined; cursor?: string | undefined }): PageRequest {
  return { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) };
}
