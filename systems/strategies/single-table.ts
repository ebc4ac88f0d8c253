import { entity, model } from '@singlet/model';
import { z } from 'zod';

const id = z.string().regex(/^[a-z0-9]+$/);

/** Names of organizations are case-insensitive. */
const sameOrganization = { same: { organization: 'upper' } } as const;

/**
 * S-07 Prefixes separate types that share values. S-11 Several types in one table, distinguished by `Type`.
 * S-13 Overloaded keys: PK and SK have a different meaning for each type.
 * S-18 `singlet export --parquet` writes a file for each `Type`, without the keys, which analysts read as a table.
 */
export const tenants = model('tenants')
  .entities({
    Organization: entity({ organization: z.string(), plan: z.string() }, sameOrganization),
    User: entity(
      { organization: z.string(), user: z.string(), role: z.string() },
      { same: { organization: 'upper', user: 'upper' } },
    ),
    Ticket: entity({ organization: z.string(), ticketId: id, subject: z.string() }, sameOrganization),
  })
  .relationships([
    ['Organization', '1:N', 'User'],
    ['Organization', '1:N', 'Ticket'],
  ])
  .patterns({
    found: { creates: 'Organization' },
    join: { creates: 'User' },
    openTicket: { creates: 'Ticket' },
    organizationWithUsers: {
      reads: { organization: 'Organization', users: ['User'] },
      by: ['organization'],
      limit: 50,
      strategy: 'S-13',
    },
    tickets: { reads: ['Ticket'], by: ['organization'], limit: 50, strategy: 'S-11' },
  })
  .tables({ Tenants: { key: ['PK', 'SK'] } })
  .keys({
    Organization: { Tenants: ['ORG#{organization:upper}', 'ORG#{organization:upper}'] },
    User: { Tenants: ['ORG#{organization:upper}', 'USER#{user:upper}'] },
    Ticket: { Tenants: ['ORG#{organization:upper}', '#TICKET#{ticketId}'] },
  })
  .served({
    found: 'PutItem',
    join: 'PutItem',
    openTicket: 'PutItem',
    organizationWithUsers: { query: 'Tenants' },
    tickets: { query: 'Tenants' },
  });

const address = z.object({ street: z.string(), city: z.string() });
const user = entity({
  username: id,
  firstName: z.string(),
  lastName: z.string(),
  addresses: z.record(z.string(), address),
});
const order = entity({
  username: id,
  orderId: id,
  orderDate: z.iso.date(),
  amount: z.number(),
  status: z.enum(['PLACED', 'SHIPPED']),
});

/** S-14 One table: the user and the orders are adjacent and are read together, in one request. */
export const oneTable = model('oneTable')
  .entities({ User: user, Order: order })
  .relationships([['User', '1:N', 'Order']])
  .patterns({
    signUp: { creates: 'User' },
    place: { creates: 'Order' },
    userWithOrders: {
      reads: { user: 'User', orders: ['Order'] },
      by: ['username'],
      volume: { typical: 5, most: 200 },
      strategy: 'S-14',
    },
  })
  .tables({ Shop: { key: ['PK', 'SK'] } })
  .keys({
    User: { Shop: ['USER#{username}', '#PROFILE#{username}'] }, // '#' sorts before 'O'
    Order: { Shop: ['USER#{username}', 'ORDER#{orderId}'] },
  })
  .served({ signUp: 'PutItem', place: 'PutItem', userWithOrders: { query: 'Shop' } });

/**
 * S-16 Several tables: if needs are not known yet, or analytics come first, and a second request does not matter. The export is one
 * to one. S-17 The same serves resolvers of GraphQL, which read type by type anyway.
 */
export const twoTables = model('twoTables')
  .entities({ User: user, Order: order })
  .relationships([['User', '1:N', 'Order']])
  .patterns({
    signUp: { creates: 'User' },
    place: { creates: 'Order' },
    user: { reads: 'User', by: ['username'], strategy: 'S-16' },
    orders: { reads: ['Order'], by: ['username'], volume: { typical: 5, most: 200 }, strategy: 'S-16' },
  })
  .tables({ Users: { key: ['username'] }, Orders: { key: ['username', 'orderId'] } })
  .keys({ User: { Users: ['{username}'] }, Order: { Orders: ['{username}', '{orderId}'] } })
  .served({ signUp: 'PutItem', place: 'PutItem', user: 'GetItem', orders: { query: 'Orders' } });

const status = z.enum(['OPEN', 'CLOSED']);

/** S-12 Each important filter is a key: partition, sort key, composite, sparse index. The rest filters few items. */
export const filters = model('filters')
  .entities({
    Issue: entity({ repo: id, number: z.number().int(), status, label: id, assignee: id, urgent: z.boolean() }),
  })
  .relationships([])
  .patterns({
    open: { creates: 'Issue' },
    ofRepo: { reads: ['Issue'], by: ['repo'], limit: 25, note: 'partition key' },
    since: { reads: ['Issue'], by: ['repo'], range: 'number', limit: 25, note: 'sort key' },
    withStatus: { reads: ['Issue'], by: ['repo', 'status'], range: 'number', limit: 25, note: 'composite sort key' },
    urgent: { reads: ['Issue'], where: { urgent: true }, limit: 25, order: 'number asc', note: 'sparse index' },
    labelled: { reads: ['Issue'], by: ['repo'], filters: ['label'], limit: 25, note: 'filter' },
  })
  .tables({ Issues: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'], GSI2: ['GSI2PK', 'GSI2SK'] } } })
  .keys({
    Issue: {
      Issues: ['REPO#{repo}', 'ISSUE#{number:06}'],
      GSI1: ['REPO#{repo}', '{status}#{number:06}'],
      GSI2: { when: { urgent: true }, key: ['URGENT', '{number:06}#{repo}'] },
    },
  })
  .served({
    open: 'PutItem',
    ofRepo: { query: 'Issues' },
    since: { query: 'Issues' },
    withStatus: { query: 'GSI1' },
    urgent: { query: 'GSI2' },
    labelled: { query: 'Issues', readAhead: 75 },
  });
