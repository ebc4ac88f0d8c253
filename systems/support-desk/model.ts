import { add, entity, model, ref, remove } from '@singlet/model';
import { z } from 'zod';

/** Ids are parts of keys, whose parts are separated by `#`. New ones are KSUIDs, which sort by time of creation. */
const id = z.string().regex(/^[A-Za-z0-9]{1,40}$/);
/** UTC with milliseconds, always: text of fixed width, so that text order is time order. */
const time = z.iso.datetime({ precision: 3 });
const status = z.enum(['OPEN', 'CLOSED']);
const version = z.int().min(1);

/** The desk of a customer support team: customers, their tickets, the messages, and which agent has a ticket. */
export const supportDesk = model('support-desk')
  // 1. What there is, and how it is related
  .entities({
    Customer: entity(
      { customerId: id, name: z.string().min(1), email: z.email(), createdAt: time },
      { expects: { items: 20_000, bytes: 250 } },
    ),
    Agent: entity({ agentId: id, name: z.string().min(1), createdAt: time }, { expects: { items: 50, bytes: 200 } }),
    Ticket: entity(
      {
        ticketId: id,
        customerId: id,
        subject: z.string().min(1),
        status: status.default('OPEN'),
        createdAt: time,
        closedAt: time.optional(),
        agentId: id.optional(),
        assignedAt: time.optional(),
        lastMessageAt: time,
        messageCount: z.int().default(0),
        version: version.default(1),
      },
      { expects: { items: 100_000, bytes: 600 } },
    ),
    Message: entity(
      {
        ticketId: id,
        messageId: id,
        authorType: z.enum(['customer', 'agent']),
        authorId: id,
        body: z.string().min(1),
        sentAt: time,
      },
      { expects: { items: 500_000, bytes: 700 } },
    ),
    Assignment: entity({ ticketId: id, at: time, agentId: id }, { expects: { items: 120_000, bytes: 180 } }),
  })
  .relationships([
    ['Customer', '1:N', 'Ticket', { required: true }],
    ['Ticket', '1:N', 'Message'],
    ['Ticket', '1:N', 'Assignment'],
    ['Agent', '1:N', 'Ticket'],
  ])

  // 2. What the application needs
  .patterns(
    {
      customer: { id: 'SU-1', actor: 'agent', reads: 'Customer', by: ['customerId'], rate: 100 },
      openTicketsOfCustomer: {
        id: 'SU-2',
        actor: 'agent',
        reads: ['Ticket'],
        by: ['customerId'],
        where: { status: 'OPEN' },
        order: 'createdAt desc',
        rate: 50,
        volume: { typical: 2, most: 20 },
      },
      messagesOfTicket: {
        id: 'SU-3',
        actor: 'agent',
        reads: ['Message'],
        by: ['ticketId'],
        order: 'sentAt asc',
        rate: 80,
        volume: { typical: 5, most: 500 },
      },
      ticket: { id: 'SU-4', actor: 'agent', reads: 'Ticket', by: ['ticketId'], rate: 200 },
      ticketsAssignedOn: {
        id: 'SU-5',
        note: 'tickets that are still the agent’s, by an assignment of that day; one handed on has left the list',
        actor: 'agent',
        reads: ['Ticket'],
        by: ['agentId'],
        where: { assignedAt: { exists: true } },
        range: 'assignedAt',
        order: 'assignedAt asc',
        rate: 20,
        volume: { typical: 12, most: 80 },
      },
      latestTicketOfCustomer: {
        id: 'SU-6',
        actor: 'agent',
        reads: ['Ticket'],
        by: ['customerId'],
        order: 'createdAt desc',
        limit: 1,
        rate: 50,
      },
      ticketPage: {
        id: 'SU-7',
        actor: 'agent',
        reads: { ticket: 'Ticket', messages: ['Message'] },
        by: ['ticketId'],
        order: 'sentAt desc',
        limit: 20,
        rate: 150,
        volume: { typical: 5, most: 20 },
      },
      ticketsOfCustomer: {
        id: 'SU-8',
        actor: 'agent',
        reads: ['Ticket'],
        by: ['customerId'],
        order: 'createdAt desc',
        limit: 50,
        rate: 20,
        volume: { typical: 5 },
      },
      agent: { id: 'SU-9', actor: 'agent', reads: 'Agent', by: ['agentId'], rate: 50 },
      openTicketsOfAgent: {
        id: 'SU-10',
        actor: 'agent',
        reads: ['Ticket'],
        by: ['agentId'],
        where: { status: 'OPEN', assignedAt: { exists: true } },
        order: 'assignedAt desc',
        rate: 1,
        volume: { typical: 10 },
        accepts: {
          'filter-selects':
            'asked now and then, over what an agent ended up with. As a daily work queue it would take a fourth, sparse index: AGENT#{agentId} / OPEN#{assignedAt}#{ticketId}',
          'no-limit': 'what is open is read to the end, a page at a time',
        },
      },
      messagesSince: {
        id: 'SU-11',
        actor: 'agent',
        reads: ['Message'],
        by: ['ticketId'],
        range: 'sentAt',
        order: 'sentAt asc',
        rate: 200,
        volume: { typical: 1 },
        accepts: { 'no-limit': 'what came in since one looked last' },
      },
      assignmentsOfTicket: {
        id: 'SU-13',
        actor: 'auditor',
        reads: ['Assignment'],
        by: ['ticketId'],
        order: 'at asc',
        rate: 1,
        volume: { typical: 1, most: 20 },
      },
      createCustomer: { id: 'SU-W1', actor: 'agent', creates: 'Customer', rate: 1 },
      createAgent: { id: 'SU-W1', actor: 'team lead', creates: 'Agent', rate: 0.01 },
      openTicket: {
        id: 'SU-W2',
        actor: 'customer',
        transacts: { ticket: { creates: 'Ticket' }, message: { creates: 'Message' } },
        rate: 5,
      },
      addMessage: {
        id: 'SU-W3',
        actor: 'customer',
        transacts: {
          ticket: { updates: 'Ticket', by: ['ticketId'], sets: ['lastMessageAt'], changes: { messageCount: add(1) } },
          message: { creates: 'Message' },
        },
        rate: 20,
      },
      assignTicket: {
        id: 'SU-W4',
        note: '`seen` is the version that the agent decided on',
        actor: 'agent',
        transacts: {
          agent: { checks: 'Agent', by: ['agentId'] },
          ticket: {
            updates: 'Ticket',
            by: ['ticketId'],
            sets: ['agentId', 'assignedAt'],
            takes: { seen: version },
            changes: { version: add(1) },
            given: { status: 'OPEN', version: ref('seen') },
          },
          assignment: { creates: 'Assignment' },
        },
        rate: 6,
      },
      unassignTicket: {
        id: 'SU-W5',
        actor: 'agent',
        updates: 'Ticket',
        by: ['ticketId'],
        takes: { seen: version },
        changes: { agentId: remove(), assignedAt: remove(), version: add(1) },
        given: { version: ref('seen') },
        rate: 0.5,
      },
      closeTicket: {
        id: 'SU-W6',
        note: 'the agent’s day keeps it: it was assigned then even if it is closed now',
        actor: 'agent',
        updates: 'Ticket',
        by: ['ticketId'],
        sets: ['closedAt'],
        changes: { status: 'CLOSED', version: add(1) },
        given: { status: 'OPEN' },
        rate: 5,
      },
      reopenTicket: {
        id: 'SU-W7',
        actor: 'agent',
        updates: 'Ticket',
        by: ['ticketId'],
        changes: { status: 'OPEN', closedAt: remove(), version: add(1) },
        given: { status: 'CLOSED' },
        rate: 0.3,
        accepts: {
          'serial-requests':
            'the key in the open list takes the stored customer and time of creation; reopening is rare',
        },
      },
    },
    {
      dashboard: {
        id: 'SU-12',
        actor: 'agent',
        takes: ['customer', 'latestTicketOfCustomer', 'openTicketsOfCustomer'],
        note: 'three requests side by side',
      },
    },
  )

  // 3. Keys and indexes
  .tables({
    support: {
      key: ['PK', 'SK'],
      indexes: {
        GSI1: ['GSI1PK', 'GSI1SK'], // the tickets of a customer by time
        GSI2: ['GSI2PK', 'GSI2SK'], // only the open ones
        GSI3: ['GSI3PK', 'GSI3SK'], // an agent's days
      },
      type: 'type',
      stream: 'NEW_AND_OLD_IMAGES',
    },
  })
  .keys({
    Customer: { support: ['CUSTOMER#{customerId}', 'PROFILE'] },
    Agent: { support: ['AGENT#{agentId}', 'PROFILE'] },
    Ticket: {
      support: ['TICKET#{ticketId}', 'METADATA'],
      GSI1: ['CUSTOMER#{customerId}', 'TICKET#{createdAt}#{ticketId}'],
      GSI2: { when: { status: 'OPEN' }, key: ['CUSTOMER#{customerId}', 'OPEN#{createdAt}#{ticketId}'] },
      GSI3: { when: { agentId: { exists: true } }, key: ['AGENT#{agentId}', 'ASSIGNED#{assignedAt}#{ticketId}'] },
    },
    Message: { support: ['TICKET#{ticketId}', 'MESSAGE#{sentAt}#{messageId}'] },
    Assignment: { support: ['TICKET#{ticketId}', 'ASSIGNMENT#{at}#{agentId}'] },
  })

  // 4. How each pattern is served
  .served({
    customer: 'GetItem',
    openTicketsOfCustomer: { query: 'GSI2' },
    messagesOfTicket: { query: 'support' },
    ticket: 'GetItem',
    ticketsAssignedOn: { query: 'GSI3' },
    latestTicketOfCustomer: { query: 'GSI1' },
    ticketPage: { query: 'support' }, // backwards: METADATA, then messages; assignments sort before both
    ticketsOfCustomer: { query: 'GSI1' },
    agent: 'GetItem',
    openTicketsOfAgent: { query: 'GSI3' },
    messagesSince: { query: 'support' },
    assignmentsOfTicket: { query: 'support' },
    createCustomer: 'PutItem',
    createAgent: 'PutItem',
    openTicket: 'TransactWriteItems', // the ticket, its first message, a check of the customer
    addMessage: 'TransactWriteItems',
    assignTicket: 'TransactWriteItems', // a check of the agent, the ticket, an entry in its history
    unassignTicket: 'UpdateItem',
    closeTicket: 'UpdateItem',
    reopenTicket: ['GetItem', 'UpdateItem'],
  });
