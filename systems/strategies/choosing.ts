import { entity, model, ref } from '@singlet/model';
import { type Prices, prices as published } from '@singlet/model/cost';
import { z } from 'zod';
import type { ObservedRequest } from '../measurement/observe-requests.ts';

/**
 * Choices between strategies, by measurement. Each model here stores one relationship in the ways of several strategies, each in a table
 * of its own. Its test calls them in a database and adds up the units that the answers report.
 */

const id = z.string().regex(/^[a-z0-9]+$/);

/** What a call of each need costs with one strategy: dollars for a million calls. A need that it does not serve is absent. */
export type Measured<Need extends string> = Readonly<Partial<Record<Need, number>>>;

/** The price of requests, from the capacity in their answers: dollars for a million times the same. */
export function priceOf(requests: readonly ObservedRequest[], prices: Prices = published): number {
  return requests.reduce((sum, { operation, output }) => {
    const capacity = [output?.['ConsumedCapacity'] ?? []].flat() as readonly { readonly CapacityUnits?: number }[];
    const units = capacity.reduce((total, { CapacityUnits = 0 }) => total + CapacityUnits, 0);
    const isRead = /^(?:GetItem|BatchGetItem|Query|Scan)$/.test(operation);
    return sum + units * (isRead ? prices.millionReadUnits : prices.millionWriteUnits);
  }, 0);
}

/**
 * S-32 S-38 S-47 The strategies that serve a workload, cheapest first.
 * @param calls - how many calls of each need.
 */
export function byPrice<Strategy extends string, Need extends string>(
  measured: ReadonlyMap<Strategy, Measured<Need>>,
  calls: Readonly<Partial<Record<Need, number>>>,
): readonly { readonly strategy: Strategy; readonly price: number }[] {
  const needs = Object.keys(calls) as Need[];
  return [...measured]
    .filter(([, prices]) => needs.every((need) => prices[need] !== undefined))
    .map(([strategy, prices]) => ({
      strategy,
      price: needs.reduce((sum, need) => sum + (calls[need] ?? 0) * (prices[need] ?? 0), 0),
    }))
    .sort((one, other) => one.price - other.price);
}

const line = { sku: id, text: z.string().max(200) };

/** S-32 Invoices and their lines, once in the way of each strategy. */
export const invoices = model('invoices')
  .entities({
    // S-27: the lines are a map on the invoice.
    InvoiceWithLines: entity({
      invoiceId: id,
      customer: z.string(),
      lines: z.record(id, z.object(line)).default({}),
    }),
    // S-28: each line has a copy of the customer's name.
    LineWithCustomer: entity({ invoiceId: id, lineId: id, ...line, customer: z.string() }),
    // S-29: invoice and lines are one item collection.
    Invoice: entity({ invoiceId: id, customer: z.string() }),
    Line: entity({ invoiceId: id, lineId: id, ...line }),
    // S-30: a line has a key of its own, and an index has the collection.
    IndexedInvoice: entity({ invoiceId: id, customer: z.string() }),
    IndexedLine: entity({ invoiceId: id, lineId: id, ...line }),
  })
  .relationships([
    ['Invoice', '1:N', 'Line'],
    ['IndexedInvoice', '1:N', 'IndexedLine'],
  ])
  .patterns({
    openEmbedded: { creates: 'InvoiceWithLines' },
    embedded: { reads: 'InvoiceWithLines', by: ['invoiceId'], strategy: 'S-27' },
    embedLine: {
      updates: 'InvoiceWithLines',
      by: ['invoiceId'],
      takes: { lineId: id, line: z.object(line) },
      changes: { 'lines.{lineId}': ref('line') },
      given: { lines: { size: { below: 50 } } },
    },
    renameEmbedded: { updates: 'InvoiceWithLines', by: ['invoiceId'], sets: ['customer'] },

    addCopy: { creates: 'LineWithCustomer' },
    copies: { reads: ['LineWithCustomer'], by: ['invoiceId'], limit: 50, strategy: 'S-28' },
    copy: { reads: 'LineWithCustomer', by: ['invoiceId', 'lineId'], strategy: 'S-28' },
    renameCopy: { updates: 'LineWithCustomer', by: ['invoiceId', 'lineId'], sets: ['customer'] },

    open: { creates: 'Invoice' },
    add: { creates: 'Line' },
    withLines: {
      reads: { invoice: 'Invoice', lines: ['Line'] },
      by: ['invoiceId'],
      limit: 50,
      strategy: 'S-29',
    },
    invoice: { reads: 'Invoice', by: ['invoiceId'] },
    line: { reads: 'Line', by: ['invoiceId', 'lineId'], strategy: 'S-29' },
    rename: { updates: 'Invoice', by: ['invoiceId'], sets: ['customer'] },

    openIndexed: { creates: 'IndexedInvoice' },
    addIndexed: { creates: 'IndexedLine' },
    indexedWithLines: {
      reads: { invoice: 'IndexedInvoice', lines: ['IndexedLine'] },
      by: ['invoiceId'],
      limit: 50,
      strategy: 'S-30',
    },
    indexedInvoice: { reads: 'IndexedInvoice', by: ['invoiceId'] },
    indexedLine: { reads: 'IndexedLine', by: ['lineId'], strategy: 'S-30' },
    renameIndexed: { updates: 'IndexedInvoice', by: ['invoiceId'], sets: ['customer'] },
  })
  .tables({
    Embedded: { key: ['PK', 'SK'] },
    Copies: { key: ['PK', 'SK'] },
    Collection: { key: ['PK', 'SK'] },
    Indexed: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } },
  })
  .keys({
    InvoiceWithLines: { Embedded: ['INVOICE#{invoiceId}', 'INVOICE#{invoiceId}'] },
    LineWithCustomer: { Copies: ['INVOICE#{invoiceId}', 'LINE#{lineId}'] },
    Invoice: { Collection: ['INVOICE#{invoiceId}', 'INVOICE#{invoiceId}'] },
    Line: { Collection: ['INVOICE#{invoiceId}', 'LINE#{lineId}'] },
    IndexedInvoice: {
      Indexed: ['INVOICE#{invoiceId}', 'INVOICE#{invoiceId}'],
      GSI1: ['INVOICE#{invoiceId}', 'INVOICE#{invoiceId}'],
    },
    IndexedLine: {
      Indexed: ['LINE#{lineId}', 'LINE#{lineId}'],
      GSI1: ['INVOICE#{invoiceId}', 'LINE#{lineId}'],
    },
  })
  .served({
    openEmbedded: 'PutItem',
    embedded: 'GetItem',
    embedLine: 'UpdateItem',
    renameEmbedded: 'UpdateItem',
    addCopy: 'PutItem',
    copies: { query: 'Copies' },
    copy: 'GetItem',
    renameCopy: 'UpdateItem',
    open: 'PutItem',
    add: 'PutItem',
    withLines: { query: 'Collection' },
    invoice: 'GetItem',
    line: 'GetItem',
    rename: 'UpdateItem',
    openIndexed: 'PutItem',
    addIndexed: 'PutItem',
    indexedWithLines: { query: 'GSI1' },
    indexedInvoice: 'GetItem',
    indexedLine: 'GetItem',
    renameIndexed: 'UpdateItem',
  });

const slot = { site: id, hall: id, shelf: id, slotId: id };

/** S-32 Slots of a warehouse, searched at three levels with one composite sort key. */
export const slots = model('slots')
  .entities({ Slot: entity(slot) })
  .relationships([])
  .patterns({
    add: { creates: 'Slot' },
    inSite: { reads: ['Slot'], by: ['site'], limit: 50, strategy: 'S-31' },
    inHall: { reads: ['Slot'], by: ['site', 'hall'], limit: 50, strategy: 'S-31' },
    inShelf: { reads: ['Slot'], by: ['site', 'hall', 'shelf'], limit: 50, strategy: 'S-31' },
  })
  .tables({ Slots: { key: ['PK', 'SK'] } })
  .keys({ Slot: { Slots: ['SITE#{site}', '{hall}#{shelf}#{slotId}'] } })
  .served({ add: 'PutItem', inSite: { query: 'Slots' }, inHall: { query: 'Slots' }, inShelf: { query: 'Slots' } });

/** S-32 The same slots with an index for each further level. */
export const slotsByLevel = model('slotsByLevel')
  .entities({ Slot: entity(slot) })
  .relationships([])
  .patterns({
    add: { creates: 'Slot' },
    inSite: { reads: ['Slot'], by: ['site'], limit: 50, strategy: 'S-29' },
    inHall: { reads: ['Slot'], by: ['site', 'hall'], limit: 50, strategy: 'S-30' },
    inShelf: { reads: ['Slot'], by: ['site', 'hall', 'shelf'], limit: 50, strategy: 'S-30' },
  })
  .tables({
    Levels: { key: ['PK', 'SK'], indexes: { Halls: ['HallPK', 'HallSK'], Shelves: ['ShelfPK', 'ShelfSK'] } },
  })
  .keys({
    Slot: {
      Levels: ['SITE#{site}', 'SLOT#{slotId}'],
      Halls: ['SITE#{site}#HALL#{hall}', 'SLOT#{slotId}'],
      Shelves: ['SITE#{site}#HALL#{hall}#SHELF#{shelf}', 'SLOT#{slotId}'],
    },
  })
  .served({ add: 'PutItem', inSite: { query: 'Levels' }, inHall: { query: 'Halls' }, inShelf: { query: 'Shelves' } });

/** S-38 Classes and their students, once in the way of each strategy. */
export const enrolments = model('enrolments')
  .entities({
    // S-33: the class has the students' names.
    ClassWithNames: entity({ classId: id, students: z.array(z.string()).max(40) }),
    // S-34: the enrolment is an item, with the name that a class shows.
    Enrolment: entity({ classId: id, username: id, name: z.string() }),
    // S-37: the name is on the student alone.
    Student: entity({ username: id, name: z.string() }),
    Membership: entity({ classId: id, username: id }),
  })
  .relationships([['Student', '1:N', 'Membership']])
  .patterns({
    openClass: { creates: 'ClassWithNames' },
    classWithNames: { reads: 'ClassWithNames', by: ['classId'], strategy: 'S-33' },

    enrol: { creates: 'Enrolment' },
    enrolments: { reads: ['Enrolment'], by: ['classId'], limit: 50, strategy: 'S-34' },
    enrolmentsOf: { reads: ['Enrolment'], by: ['username'], limit: 50, strategy: 'S-34' },
    renameEnrolled: { updates: 'Enrolment', by: ['classId', 'username'], sets: ['name'] },

    signUp: { creates: 'Student' },
    join: { creates: 'Membership' },
    members: { reads: ['Membership'], by: ['classId'], limit: 50, strategy: 'S-37' },
    membershipsOf: { reads: ['Membership'], by: ['username'], limit: 50, strategy: 'S-37' },
    students: { reads: 'Student', by: ['username'], each: true, volume: { typical: 20, most: 50 }, strategy: 'S-37' },
    rename: { updates: 'Student', by: ['username'], sets: ['name'] },
  })
  .tables({
    Names: { key: ['PK', 'SK'] },
    Adjacency: { key: ['PK', 'SK'], indexes: { AdjacencyInverted: ['GSI1PK', 'GSI1SK'] } },
    Normalised: { key: ['PK', 'SK'], indexes: { NormalisedInverted: ['GSI1PK', 'GSI1SK'] } },
  })
  .keys({
    ClassWithNames: { Names: ['CLASS#{classId}', 'CLASS#{classId}'] },
    Enrolment: {
      Adjacency: ['CLASS#{classId}', 'STUDENT#{username}'],
      AdjacencyInverted: ['STUDENT#{username}', 'CLASS#{classId}'],
    },
    Student: { Normalised: ['STUDENT#{username}', 'STUDENT#{username}'] },
    Membership: {
      Normalised: ['CLASS#{classId}', 'STUDENT#{username}'],
      NormalisedInverted: ['STUDENT#{username}', 'CLASS#{classId}'],
    },
  })
  .served({
    openClass: 'PutItem',
    classWithNames: 'GetItem',
    enrol: 'PutItem',
    enrolments: { query: 'Adjacency' },
    enrolmentsOf: { query: 'AdjacencyInverted' },
    renameEnrolled: 'UpdateItem',
    signUp: 'PutItem',
    join: 'PutItem',
    members: { query: 'Normalised' },
    membershipsOf: { query: 'NormalisedInverted' },
    students: 'BatchGetItem',
    rename: 'UpdateItem',
  });

const order = {
  customerId: id,
  orderId: id,
  status: z.enum(['PLACED', 'SHIPPED', 'CANCELLED']),
  orderDate: z.iso.date(),
  city: id,
  note: z.string(),
};

/** S-47 Orders of customers, once in the way of each filter. */
export const filteredOrders = model('filteredOrders')
  .entities({
    Customer: entity({ customerId: id }),
    // S-39, S-45, S-46: the key has the customer and no more.
    Order: entity(order),
    // S-40: the sort key begins with the date.
    DatedOrder: entity(order),
    // S-42: the status comes before the date.
    StatusOrder: entity(order),
    // S-43: an index that only cancelled orders are in.
    SparseOrder: entity(order),
  })
  .relationships([['Customer', '1:N', 'Order']])
  .patterns({
    signUp: { creates: 'Customer' },
    place: { creates: 'Order' },
    ofCustomer: { reads: ['Order'], by: ['customerId'], limit: 200, strategy: 'S-39' },
    withStatus: { reads: ['Order'], by: ['customerId'], filters: ['status'], limit: 10, strategy: 'S-45' },
    everyOrder: { reads: ['Order'], accepts: { scan: 'what an index saves is measured against it' } },

    placeDated: { creates: 'DatedOrder' },
    dated: { reads: ['DatedOrder'], by: ['customerId'], range: 'orderDate', limit: 200, strategy: 'S-40' },

    placeStatus: { creates: 'StatusOrder' },
    statusDated: {
      reads: ['StatusOrder'],
      by: ['customerId', 'status'],
      range: 'orderDate',
      limit: 200,
      strategy: 'S-42',
    },

    placeSparse: { creates: 'SparseOrder' },
    cancelled: { reads: ['SparseOrder'], where: { status: 'CANCELLED' }, limit: 200, strategy: 'S-43' },
  })
  .tables({
    Plain: { key: ['PK', 'SK'] },
    Dated: { key: ['PK', 'SK'] },
    ByStatus: { key: ['PK', 'SK'], indexes: { StatusIndex: ['GSI1PK', 'GSI1SK'] } },
    Sparse: { key: ['PK', 'SK'], indexes: { CancelledIndex: ['GSI1PK', 'GSI1SK'] } },
  })
  .keys({
    Customer: { Plain: ['CUSTOMER#{customerId}', 'CUSTOMER#{customerId}'] },
    Order: { Plain: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'] },
    DatedOrder: { Dated: ['CUSTOMER#{customerId}', '{orderDate}#{orderId}'] },
    StatusOrder: {
      ByStatus: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'],
      StatusIndex: ['CUSTOMER#{customerId}', '{status}#{orderDate}'],
    },
    SparseOrder: {
      Sparse: ['CUSTOMER#{customerId}', 'ORDER#{orderId}'],
      CancelledIndex: { when: { status: 'CANCELLED' }, key: ['CANCELLED', 'ORDER#{orderId}'] },
    },
  })
  .served({
    signUp: 'PutItem',
    place: 'PutItem',
    ofCustomer: { query: 'Plain' },
    withStatus: { query: 'Plain', readAhead: 25 },
    everyOrder: { scan: 'Plain', because: 'what an index saves is measured against it' },
    placeDated: 'PutItem',
    dated: { query: 'Dated' },
    placeStatus: 'PutItem',
    statusDated: { query: 'StatusIndex' },
    placeSparse: 'PutItem',
    cancelled: { query: 'CancelledIndex' },
  });

/** S-26 One table in which each pattern has the strategy that fits it, and says so. */
export const billing = model('billing')
  .entities({
    Customer: entity({
      username: id,
      addresses: z.record(z.string(), z.object({ street: z.string() })).default({}),
    }),
    Order: entity({ username: id, orderId: id, isDisputed: z.boolean() }),
    Invoice: entity({ username: id, invoiceId: id, isPaid: z.boolean() }),
  })
  .relationships([
    ['Customer', '1:N', 'Order'],
    ['Customer', '1:N', 'Invoice'],
  ])
  .patterns({
    signUp: { creates: 'Customer', strategy: 'S-74' },
    order: { creates: 'Order', strategy: 'S-74' },
    send: { creates: 'Invoice', strategy: 'S-74' },
    customer: { reads: 'Customer', by: ['username'], strategy: 'S-27' },
    customerWithOrders: {
      reads: { customer: 'Customer', orders: ['Order'] },
      by: ['username'],
      limit: 20,
      strategy: 'S-29',
    },
    disputed: { reads: ['Order'], by: ['username'], filters: ['isDisputed'], limit: 20, strategy: 'S-45' },
    invoicesOf: { reads: ['Invoice'], by: ['username'], limit: 20, strategy: 'S-30' },
    unpaid: { reads: ['Invoice'], where: { isPaid: false }, limit: 20, strategy: 'S-43' },
  })
  .tables({
    Billing: {
      key: ['PK', 'SK'],
      indexes: { CustomerIndex: ['GSI1PK', 'GSI1SK'], UnpaidIndex: ['GSI2PK', 'GSI2SK'] },
    },
  })
  .keys({
    Customer: { Billing: ['CUSTOMER#{username}', 'CUSTOMER#{username}'] },
    Order: { Billing: ['CUSTOMER#{username}', 'ORDER#{orderId}'] },
    Invoice: {
      Billing: ['INVOICE#{invoiceId}', 'INVOICE#{invoiceId}'],
      CustomerIndex: ['CUSTOMER#{username}', 'INVOICE#{invoiceId}'],
      UnpaidIndex: { when: { isPaid: false }, key: ['UNPAID', 'INVOICE#{invoiceId}'] },
    },
  })
  .served({
    signUp: 'PutItem',
    order: 'PutItem',
    send: 'PutItem',
    customer: 'GetItem',
    customerWithOrders: { query: 'Billing' },
    disputed: { query: 'Billing', readAhead: 20 },
    invoicesOf: { query: 'CustomerIndex' },
    unpaid: { query: 'UnpaidIndex' },
  });

/**
 * S-26 The strategy that a read used, from its request and its answer: what a pattern's `strategy` claims can be compared with it.
 * @param items - items of the entity that the pattern reads.
 * @param entries - entries of the index that was read, 0 for the table.
 */
export function strategySeen(
  { operation, input, output }: ObservedRequest,
  { items, entries }: { readonly items: number; readonly entries: number },
): 'S-27' | 'S-29' | 'S-30' | 'S-43' | 'S-45' | undefined {
  if (operation === 'GetItem') {
    const attributes = Object.values((output?.['Item'] ?? {}) as Readonly<Record<string, object>>);
    return attributes.some((value) => 'M' in value || 'L' in value) ? 'S-27' : undefined;
  }
  if (operation !== 'Query') return undefined;
  if (input['IndexName'] !== undefined) return entries < items ? 'S-43' : 'S-30';
  const { Count, ScannedCount } = output as { readonly Count: number; readonly ScannedCount: number };
  return Count < ScannedCount ? 'S-45' : 'S-29';
}
