import { entity, model } from '@singlet/model';
import { z } from 'zod';

const id = z.string().regex(/^[a-z0-9]+$/);
const capitals = z.string().regex(/^[A-Z0-9]+$/);
const time = z.iso.datetime({ precision: 0 });

/** P-10 Expiring items: DynamoDB deletes them some time after they expire, and until then they are not returned. */
export const notes = model('notes')
  .entities({ Note: entity({ user: id, note: id, ttl: z.int().max(9_999_999_999).optional() }, { expires: 'ttl' }) })
  .relationships([])
  .patterns({
    write: { creates: 'Note' },
    notes: { reads: ['Note'], by: ['user'], limit: 25, strategy: 'P-10' },
  })
  .tables({ Notes: { key: ['PK', 'SK'], stream: 'NEW_AND_OLD_IMAGES' } })
  .keys({ Note: { Notes: ['USER#{user}', 'NOTE#{note}'] } })
  .served({ write: 'PutItem', notes: { query: 'Notes' } });

const status = z.enum(['AWAITING_PAYMENT', 'AWAITING_SHIPMENT', 'SHIPPED', 'RETURNED']);

/** P-13 A sparse index: contains only shipped orders, by customer and date. It stays small enough to be scanned. */
export const shipments = model('shipments')
  .entities({ Order: entity({ order: id, customer: capitals, status, shipDate: time.optional() }) })
  .relationships([])
  .patterns({
    place: { creates: 'Order' },
    ship: {
      updates: 'Order',
      by: ['order', 'customer'],
      sets: ['shipDate'],
      changes: { status: 'SHIPPED' },
      given: { status: 'AWAITING_SHIPMENT' },
      strategy: 'P-13',
    },
    takeBack: { updates: 'Order', by: ['order', 'customer', 'shipDate'], changes: { status: 'RETURNED' } },
    shipped: { reads: ['Order'], where: { status: 'SHIPPED', shipDate: { exists: true } } },
    shippedTo: {
      reads: ['Order'],
      by: ['customer'],
      where: { status: 'SHIPPED', shipDate: { exists: true } },
      range: 'shipDate',
      order: 'shipDate desc',
      limit: 10,
      strategy: 'P-13',
    },
  })
  .tables({ Orders: { key: ['PK'], indexes: { Shipped: ['ShippedPK', 'ShippedSK'] } } })
  .keys({
    Order: {
      Orders: ['ORDER#{order}'],
      Shipped: { when: { status: 'SHIPPED' }, key: ['CUSTOMER#{customer}', '{shipDate:seconds}'] },
    },
  })
  .served({
    place: 'PutItem',
    ship: 'UpdateItem',
    takeBack: 'UpdateItem',
    shipped: { scan: 'Shipped', because: 'few are shipped and not yet archived' },
    shippedTo: { query: 'Shipped' },
  });

/** P-46 Status and date in one sort key: the attribute with few values first. The key changes with the status. */
export const orderFilter = model('orderFilter')
  .entities({ Order: entity({ order: id, customer: id, status, createdAt: time }) })
  .relationships([])
  .patterns({
    place: { creates: 'Order' },
    setStatus: { updates: 'Order', by: ['order', 'customer', 'createdAt'], sets: ['status'] },
    withStatus: { reads: ['Order'], by: ['customer', 'status'], range: 'createdAt', limit: 25, strategy: 'P-46' },
  })
  .tables({ Orders: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    Order: {
      Orders: ['ORDER#{order}', 'ORDER#{order}'],
      GSI1: ['CUSTOMER#{customer}', '{status}#{createdAt:seconds}#{order}'],
    },
  })
  .served({ place: 'PutItem', setStatus: 'UpdateItem', withStatus: { query: 'GSI1' } });

/** P-47 A few of one kind among very many: administrators have index keys, others do not. */
export const admins = model('admins')
  .entities({ User: entity({ organization: id, user: id, isAdmin: z.boolean() }) })
  .relationships([])
  .patterns({
    save: { puts: ['User'], accepts: { 'put-replaces': 'an import writes what it has' } },
    setAdmin: { updates: 'User', by: ['organization', 'user'], sets: ['isAdmin'], strategy: 'P-47' },
    admins: { reads: ['User'], by: ['organization'], where: { isAdmin: true }, limit: 25, strategy: 'P-47' },
  })
  .tables({ Users: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    User: {
      Users: ['ORG#{organization}', 'USER#{user}'],
      GSI1: { when: { isAdmin: true }, key: ['ORG#{organization}', 'ADMIN#{user}'] },
    },
  })
  .served({ save: 'BatchWriteItem', setAdmin: 'UpdateItem', admins: { query: 'GSI1' } });

/** P-48 An index that holds one type of item. For warehouses rather than for applications. */
export const oneType = model('oneType')
  .entities({ Customer: entity({ customer: id }), Event: entity({ event: id }) })
  .relationships([['Customer', '1:N', 'Event']])
  .patterns({
    addCustomers: { puts: ['Customer'], accepts: { 'put-replaces': 'an import writes what it has' } },
    addEvents: { puts: ['Event'], accepts: { 'put-replaces': 'an import writes what it has' } },
    customers: {
      reads: ['Customer'],
      accepts: { scan: 'the index holds what is wanted and nothing else' },
      strategy: 'P-48',
    },
    customersOfTable: { reads: ['Customer'], accepts: { scan: 'only to compare with' } },
  })
  .tables({ Mixed: { key: ['PK', 'SK'], indexes: { Customers: ['CustomerIndexId'] } } })
  .keys({
    Customer: { Mixed: ['CUSTOMER#{customer}', 'CUSTOMER#{customer}'], Customers: ['CUSTOMER#{customer}'] },
    Event: { Mixed: ['EVENT#{event}', 'EVENT#{event}'] },
  })
  .served({
    addCustomers: 'BatchWriteItem',
    addEvents: 'BatchWriteItem',
    customers: { scan: 'Customers', because: 'a warehouse takes all customers' },
    customersOfTable: { scan: 'Mixed', because: 'to see what it costs' },
  });

/** P-49 Latest updated first: the index key follows the update, which a primary key cannot. */
export const latestTickets = model('latestTickets')
  .entities({ Ticket: entity({ ticket: id, organization: id, updatedAt: time }) })
  .relationships([])
  .patterns({
    open: { creates: 'Ticket' },
    touch: { updates: 'Ticket', by: ['ticket', 'organization'], sets: ['updatedAt'] },
    latest: { reads: ['Ticket'], by: ['organization'], order: 'updatedAt desc', limit: 10, strategy: 'P-49' },
  })
  .tables({ Tickets: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    Ticket: {
      Tickets: ['TICKET#{ticket}', 'TICKET#{ticket}'],
      GSI1: ['ORG#{organization}', '{updatedAt:seconds}#{ticket}'],
    },
  })
  .served({ open: 'PutItem', touch: 'UpdateItem', latest: { query: 'GSI1' } });
