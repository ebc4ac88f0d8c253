import { entity, model } from '@singlet/model';
import { z } from 'zod';

const capitals = z.string().regex(/^[A-Z]+$/);
const number = z.number().int();

/**
 * P-03 Parent and children in one collection. The orders' prefix sorts after their customer, so the numbers are inverted: after
 * the customer, the newest comes first.
 */
export const customerOrders = model('customerOrders')
  .entities({
    Customer: entity({ customer: capitals, name: z.string() }),
    Order: entity({ customer: capitals, order: number }),
  })
  .relationships([['Customer', '1:N', 'Order', { required: true }]])
  .patterns({
    signUp: { creates: 'Customer' },
    place: { creates: 'Order' },
    customer: { reads: 'Customer', by: ['customer'] },
    customerWithOrders: {
      reads: { customer: 'Customer', orders: ['Order'] },
      by: ['customer'],
      order: 'order desc',
      limit: 10,
      strategy: 'P-03',
    },
    orders: { reads: ['Order'], by: ['customer'], order: 'order asc', limit: 10 },
    order: { reads: 'Order', by: ['customer', 'order'] },
  })
  .tables({ Shop: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    Customer: { Shop: ['CUSTOMER#{customer}', 'CUSTOMER#{customer}'] },
    Order: { Shop: ['CUSTOMER#{customer}', 'ORDER#{order:tens5}'], GSI1: ['CUSTOMER#{customer}', 'ORDER#{order:05}'] },
  })
  .served({
    signUp: 'PutItem',
    place: 'TransactWriteItems',
    customer: 'GetItem',
    customerWithOrders: { query: 'Shop' },
    orders: { query: 'GSI1' },
    order: 'GetItem',
  });

/** P-04 The second level of a hierarchy has its collection in an index. */
export const orderLogs = model('orderLogs')
  .entities({
    Order: entity({ customer: capitals, order: number }),
    Log: entity({ log: number, customer: capitals, order: number }),
  })
  .relationships([['Order', '1:N', 'Log']])
  .patterns({
    place: { creates: 'Order' },
    write: { creates: 'Log' },
    orderWithLogs: {
      reads: { order: 'Order', logs: ['Log'] },
      by: ['customer', 'order'],
      order: 'log desc',
      limit: 20,
      strategy: 'P-04',
    },
    logs: { reads: ['Log'], by: ['customer', 'order'], order: 'log asc', limit: 20 },
    log: { reads: 'Log', by: ['log'] },
  })
  .tables({ Shop: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    Order: {
      Shop: ['CUSTOMER#{customer}', 'ORDER#{order:05}'],
      GSI1: ['CUSTOMER#{customer}#ORDER#{order:05}', 'ORDER#{order:05}'],
    },
    Log: { Shop: ['LOG#{log:05}', 'LOG#{log:05}'], GSI1: ['CUSTOMER#{customer}#ORDER#{order:05}', 'LOG#{log:05}'] },
  })
  .served({
    place: 'PutItem',
    write: 'PutItem',
    orderWithLogs: { query: 'GSI1' },
    logs: { query: 'GSI1' },
    log: 'GetItem',
  });

/** P-05 Two sets around their parent: one before it, read backwards; one after it with inverted numbers, read forwards. */
export const questionsAndOrders = model('questionsAndOrders')
  .entities({
    Customer: entity({ customer: capitals }),
    Question: entity({ customer: capitals, question: number }),
    Order: entity({ customer: capitals, order: number }),
  })
  .relationships([
    ['Customer', '1:N', 'Question'],
    ['Customer', '1:N', 'Order'],
  ])
  .patterns({
    signUp: { creates: 'Customer' },
    ask: { creates: 'Question' },
    place: { creates: 'Order' },
    customer: { reads: 'Customer', by: ['customer'] },
    withOrders: {
      reads: { customer: 'Customer', orders: ['Order'] },
      by: ['customer'],
      order: 'order desc',
      limit: 10,
      strategy: 'P-05',
    },
    withQuestions: {
      reads: { customer: 'Customer', questions: ['Question'] },
      by: ['customer'],
      order: 'question desc',
      limit: 10,
      strategy: 'P-05',
    },
    questions: { reads: ['Question'], by: ['customer'], order: 'question desc', limit: 10 },
    all: {
      reads: { questions: ['Question'], customer: 'Customer', orders: ['Order'] },
      by: ['customer'],
      unproven: 'all is read to its end, and the customer is between the questions and the orders',
      volume: { typical: 10, most: 100 },
    },
  })
  .tables({ Shop: { key: ['PK', 'SK'] } })
  .keys({
    Customer: { Shop: ['CUSTOMER#{customer}', 'CUSTOMER#{customer}'] },
    Question: { Shop: ['CUSTOMER#{customer}', '#QUESTION#{question:05}'] },
    Order: { Shop: ['CUSTOMER#{customer}', 'ORDER#{order:tens5}'] },
  })
  .served({
    signUp: 'PutItem',
    ask: 'PutItem',
    place: 'PutItem',
    customer: 'GetItem',
    withOrders: { query: 'Shop' },
    withQuestions: { query: 'Shop' },
    questions: { query: 'Shop' },
    all: { query: 'Shop' },
  });

const id = z.string().regex(/^[A-Z0-9]+$/);

/** P-40 Organization, users, tickets: tickets are outside the users' collection, and with their user in an index. */
export const threeLevels = model('threeLevels')
  .entities({
    Organization: entity({ organization: id }),
    User: entity({ organization: id, user: id }),
    Ticket: entity({ ticket: id, organization: id, user: id }),
  })
  .relationships([
    ['Organization', '1:N', 'User'],
    ['User', '1:N', 'Ticket'],
  ])
  .patterns({
    found: { creates: 'Organization' },
    join: { creates: 'User' },
    open: { creates: 'Ticket' },
    users: { reads: ['User'], by: ['organization'], limit: 25, strategy: 'P-40' },
    ticket: { reads: 'Ticket', by: ['ticket'] },
    tickets: { reads: ['Ticket'], by: ['organization', 'user'], order: 'ticket desc', limit: 25 },
    userWithTickets: {
      reads: { user: 'User', tickets: ['Ticket'] },
      by: ['organization', 'user'],
      order: 'ticket desc',
      limit: 25,
      strategy: 'P-40',
    },
  })
  .tables({ Saas: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    Organization: { Saas: ['ORG#{organization}', 'ORG#{organization}'] },
    User: { Saas: ['ORG#{organization}', 'USER#{user}'], GSI1: ['ORG#{organization}#USER#{user}', 'USER#{user}'] },
    Ticket: {
      Saas: ['TICKET#{ticket}', 'TICKET#{ticket}'],
      GSI1: ['ORG#{organization}#USER#{user}', 'TICKET#{ticket}'],
    },
  })
  .served({
    found: 'PutItem',
    join: 'PutItem',
    open: 'PutItem',
    users: { query: 'Saas' },
    ticket: 'GetItem',
    tickets: { query: 'GSI1' },
    userWithTickets: { query: 'GSI1' },
  });
