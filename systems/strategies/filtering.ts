import { entity, model } from '@singlet/model';
import { z } from 'zod';

const id = z.string().regex(/^[a-z0-9-]+$/);
const name = z.string().regex(/^[A-Z]\w+$/);

/** S-40 A sort key with its own meaning, here a time, that is queried by range. All times have one format. */
export const orderTimes = model('orderTimes')
  .entities({ Order: entity({ customerId: id, orderTime: z.iso.datetime({ precision: 0 }), amount: z.number() }) })
  .relationships([])
  .patterns({
    place: { creates: 'Order' },
    between: { reads: ['Order'], by: ['customerId'], range: 'orderTime', limit: 50, strategy: 'S-40' },
  })
  .tables({ Orders: { key: ['customerId', 'SK'] } })
  .keys(
    { Order: { Orders: ['{customerId}', '{orderTime:seconds}'] } },
    {
      Order: {
        accepts: {
          'time-only-sort-key': 'a customer places one order a second at most',
          'only-in-key': 'the key is the attribute',
        },
      },
    },
  )
  .served({ place: 'PutItem', between: { query: 'Orders' } });

/** S-41 Types arranged around their parent: the prefixes put one kind of children before it and the other after it. */
export const repos = model('repos')
  .entities({
    Repo: entity({ owner: id, repo: id }),
    Issue: entity({ owner: id, repo: id, number: z.number().int(), status: z.enum(['Open', 'Closed']) }),
    Star: entity({ owner: id, repo: id, username: id }),
  })
  .relationships([
    ['Repo', '1:N', 'Issue'],
    ['Repo', '1:N', 'Star'],
  ])
  .patterns({
    create: { creates: 'Repo' },
    openIssue: { creates: 'Issue' },
    star: { creates: 'Star' },
    repoWithIssues: {
      reads: { repo: 'Repo', issues: ['Issue'] },
      by: ['owner', 'repo'],
      order: 'number desc',
      limit: 25,
      strategy: 'S-41',
    },
    repoWithStars: {
      reads: { repo: 'Repo', stars: ['Star'] },
      by: ['owner', 'repo'],
      order: 'username asc',
      limit: 25,
      strategy: 'S-41',
    },
  })
  .tables({ Repos: { key: ['PK', 'SK'] } })
  .keys({
    Repo: { Repos: ['REPO#{owner}#{repo}', 'REPO#{owner}#{repo}'] },
    Issue: { Repos: ['REPO#{owner}#{repo}', 'ISSUE#{number:07}'] },
    Star: { Repos: ['REPO#{owner}#{repo}', 'STAR#{username}'] },
  })
  .served({
    create: 'PutItem',
    openIssue: 'PutItem',
    star: 'PutItem',
    repoWithIssues: { query: 'Repos' },
    repoWithStars: { query: 'Repos' },
  });

const status = z.enum(['PLACED', 'SHIPPED', 'DELIVERED', 'CANCELLED']);

/** S-42 A composite sort key: the attribute with few values first, the range last. */
export const orderStatus = model('orderStatus')
  .entities({ Order: entity({ customerId: id, orderId: id, amount: z.number(), status, orderDate: z.iso.date() }) })
  .relationships([])
  .patterns({
    place: { creates: 'Order' },
    setStatus: {
      updates: 'Order',
      by: ['customerId', 'orderId'],
      sets: ['status'],
      accepts: { 'serial-requests': 'the date, which is in the index key as well, is read first' },
    },
    withStatus: {
      reads: ['Order'],
      by: ['customerId', 'status'],
      range: 'orderDate',
      limit: 10,
      strategy: 'S-42',
    },
  })
  .tables({ Orders: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    Order: {
      Orders: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'],
      GSI1: ['CUSTOMER#{customerId}', '{status}#{orderDate}'],
    },
  })
  .served({ place: 'PutItem', setStatus: ['GetItem', 'UpdateItem'], withStatus: { query: 'GSI1' } });

/**
 * S-43 A sparse index as a condition: only administrators have its keys. All organizations are in the same index, in one partition,
 * which is appropriate as long as they are few.
 */
export const administrators = model('administrators')
  .entities({
    Organization: entity({ organization: z.string().min(1), plan: z.string() }, { same: { organization: 'upper' } }),
    User: entity(
      { organization: z.string(), user: z.string(), role: z.enum(['Admin', 'Member']) },
      { same: { organization: 'upper', user: 'upper' } },
    ),
  })
  .relationships([['Organization', '1:N', 'User']])
  .patterns({
    found: { creates: 'Organization' },
    join: { creates: 'User' },
    setRole: { updates: 'User', by: ['organization', 'user'], sets: ['role'] },
    adminsOf: { reads: ['User'], by: ['organization'], where: { role: 'Admin' }, limit: 25, strategy: 'S-43' },
    organizations: { reads: ['Organization'], order: 'organization asc', limit: 25, strategy: 'S-43' },
  })
  .tables({ Saas: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    Organization: {
      Saas: ['ORG#{organization:upper}', 'ORG#{organization:upper}'],
      GSI1: ['ORGANIZATIONS', '{organization:upper}'],
    },
    User: {
      Saas: ['ORG#{organization:upper}', 'USER#{user:upper}'],
      GSI1: { when: { role: 'Admin' }, key: ['ORG#{organization:upper}', 'Admin'] },
    },
  })
  .served({
    found: 'PutItem',
    join: 'PutItem',
    setRole: 'UpdateItem',
    adminsOf: { query: 'GSI1' },
    organizations: { query: 'GSI1' },
  });

/** S-44 A sparse index that holds one type of item, to be scanned: its key attribute is on customers only. */
export const mailing = model('mailing')
  .entities({
    Customer: entity({ name: z.string().min(1), joinedAt: z.iso.datetime() }, { same: { name: 'upper' } }),
    Order: entity({ orderId: name, customer: z.string() }),
    InventoryItem: entity({ itemId: name, title: z.string(), price: z.number() }),
  })
  .relationships([['Customer', '1:N', 'Order', { by: { name: 'customer' } }]])
  .patterns({
    signUp: { creates: 'Customer' },
    order: { creates: 'Order' },
    stock: { creates: 'InventoryItem' },
    everyCustomer: {
      reads: ['Customer'],
      accepts: { scan: 'the index holds what is wanted and nothing else' },
      strategy: 'S-44',
    },
  })
  .tables({
    Shop: { key: ['PK', 'SK'], indexes: { CustomerIndex: ['CustomerIndexId'] } },
  })
  .keys({
    Customer: { Shop: ['CUSTOMER#{name:upper}', 'CUSTOMER#{name:upper}'], CustomerIndex: ['{name}'] },
    Order: { Shop: ['ORDER#{orderId}', 'ORDER#{orderId}'] },
    InventoryItem: { Shop: ['INVENTORY#{itemId}', 'INVENTORY#{itemId}'] },
  })
  .served({
    signUp: 'PutItem',
    order: 'PutItem',
    stock: 'PutItem',
    everyCustomer: {
      scan: 'CustomerIndex',
      because: 'a mailing goes to all customers, and the index holds nothing else',
    },
  });

/** S-45 A filter removes a few items of a narrow result. Items read are charged, and reading continues until the page is full. */
export const tickets = model('tickets')
  .entities({ Ticket: entity({ user: id, ticketId: id, open: z.boolean() }) })
  .relationships([])
  .patterns({
    create: { creates: 'Ticket' },
    openTickets: { reads: ['Ticket'], by: ['user'], filters: ['open'], limit: 10, strategy: 'S-45' },
    openByKey: { reads: ['Ticket'], by: ['user'], where: { open: true }, limit: 10, strategy: 'S-42' },
  })
  .tables({ Tickets: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    Ticket: {
      Tickets: ['USER#{user}', 'TICKET#{ticketId}'],
      GSI1: { when: { open: true }, key: ['USER#{user}', 'OPEN#{ticketId}'] },
    },
  })
  .served({ create: 'PutItem', openTickets: { query: 'Tickets', readAhead: 25 }, openByKey: { query: 'GSI1' } });

/** S-46 Filtering in the application: one small query reads everything, and no key could answer the search. */
export const appointments = model('appointments')
  .entities({ Appointment: entity({ person: id, date: z.iso.date(), from: z.string(), to: z.string() }) })
  .relationships([])
  .patterns({
    book: { creates: 'Appointment' },
    ofDay: { reads: ['Appointment'], by: ['person', 'date'], volume: { typical: 6, most: 40 }, strategy: 'S-46' },
  })
  .tables({ Calendar: { key: ['PK', 'SK'] } })
  .keys({ Appointment: { Calendar: ['PERSON#{person}#{date}', 'FROM#{from}'] } })
  .served({ book: 'PutItem', ofDay: { query: 'Calendar' } });

export interface Slot {
  readonly from: string;
  readonly to: string;
}

/** S-46 Gaps between appointments of a day, in order of time. Times are `hh:mm`. */
export function freeSlots(booked: readonly Slot[], day: Slot, minutesMin: number): readonly Slot[] {
  const free: Slot[] = [];
  let { from } = day;
  for (const each of [...booked, { from: day.to, to: day.to }]) {
    if (minutes(each.from) - minutes(from) >= minutesMin) free.push({ from, to: each.from });
    if (each.to > from) from = each.to;
  }
  return free;
}

function minutes(time: string): number {
  const [hours = 0, rest = 0] = time.split(':').map(Number);
  return hours * 60 + rest;
}

const BYTES_MAX = 1024 * 1024;

/**
 * S-46 A table view with a filter on any column.
 * @throws {RangeError} for a megabyte of rows or more: a set of that size needs a key instead.
 */
export function rowsWith<Row extends object>(rows: readonly Row[], filters: Partial<Row>): readonly Row[] {
  if (Buffer.byteLength(JSON.stringify(rows)) >= BYTES_MAX) {
    throw new RangeError('These are too many rows to be filtered in the application');
  }
  const wanted = Object.entries(filters);
  return rows.filter((row) => wanted.every(([column, value]) => new Map(Object.entries(row)).get(column) === value));
}
