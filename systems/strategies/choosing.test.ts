import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { connect } from '@singlet/model';
import { documentOf } from '@singlet/model/docs';
import { expect, test } from 'vitest';
import { createTables, errorOf, type ExampleDatabase, openExample } from '../testing/example-database.ts';
import { filterStrategy, manyToManyStrategy, oneToManyStrategy } from './advice.ts';
import {
  billing,
  byPrice,
  enrolments,
  filteredOrders,
  invoices,
  type Measured,
  priceOf,
  slots,
  slotsByLevel,
  strategySeen,
} from './choosing.ts';
import { graph } from './many-to-many.ts';

/** The price of a million of each call, one call after the other. */
async function measured<Need extends string>(
  { requests }: Pick<ExampleDatabase, 'requests'>,
  calls: Readonly<Partial<Record<Need, () => Promise<unknown>>>>,
): Promise<Measured<Need>> {
  const prices: Partial<Record<Need, number>> = {};
  for (const need of Object.keys(calls) as Need[]) {
    requests();
    await calls[need]?.();
    prices[need] = priceOf(requests());
  }
  return prices;
}

/** A measurement is taken once, by the first test that asks for it. */
function once<Result>(measure: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined;
  return () => (result ??= measure());
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n + 10);

test('S-26 each pattern uses the strategy that it claims, and the decision record lists them by table', async () => {
  const example = await openExample(billing);
  const db = connect(billing, { client: example.client });
  await db.signUp({ username: 'alex', addresses: { home: { street: '1122 1st Avenue' } } });
  for (const n of numbers(6)) {
    await db.order({ username: 'alex', orderId: `o${n}`, isDisputed: n === 12 });
    await db.send({ username: 'alex', invoiceId: `i${n}`, isPaid: n !== 13 });
  }
  const reads = {
    customer: () => db.customer({ username: 'alex' }),
    customerWithOrders: () => db.customerWithOrders({ username: 'alex' }),
    disputed: () => db.disputed({ username: 'alex', isDisputed: true }),
    invoicesOf: () => db.invoicesOf({ username: 'alex' }),
    unpaid: () => db.unpaid({}),
  };
  const seen: Record<string, string | undefined> = {};
  for (const [pattern, read] of Object.entries(reads)) {
    example.requests();
    await read();
    const [request] = example.requests();
    const index = request?.input['IndexName'] as string | undefined;
    const entries = index === undefined ? 0 : (await example.stored('Billing', index)).length;
    seen[pattern] = strategySeen(request!, { items: 6, entries });
  }
  const { patternChart, decisions } = documentOf(billing);
  const column = (name: string) => patternChart.columns.indexOf(name);
  const claimed = patternChart.rows
    .filter((row) => (row[column('Pattern')] ?? '') in reads)
    .map((row) => [row[column('Pattern')], /S-\d\d/.exec(row[column('Notes')] ?? '')?.[0]]);
  expect(Object.fromEntries(claimed)).toEqual(seen);
  expect(decisions).toContain('Strategies in Billing: S-27, S-29, S-30, S-43, S-45, S-74.');
});

type InvoiceNeed = 'invoice and lines' | 'line of invoice' | 'line alone' | 'line and customer' | 'add' | 'rename';

/** Twenty lines of one invoice, stored in each way, and what each need costs there. */
async function measuredInvoices(): Promise<ReadonlyMap<'S-27' | 'S-28' | 'S-29' | 'S-30', Measured<InvoiceNeed>>> {
  const example = await openExample(invoices);
  const db = connect(invoices, { client: example.client });
  const invoiceId = 'i1';
  const customer = 'Alex';
  const line = { sku: 'sku12345', text: 'x'.repeat(150) };
  await db.openEmbedded({ invoiceId, customer, lines: {} });
  await db.open({ invoiceId, customer });
  await db.openIndexed({ invoiceId, customer });
  for (const n of numbers(20)) {
    const lineId = `l${n}`;
    await db.embedLine({ invoiceId, lineId, line });
    await db.addCopy({ invoiceId, lineId, ...line, customer });
    await db.add({ invoiceId, lineId, ...line });
    await db.addIndexed({ invoiceId, lineId, ...line });
  }
  const one = { invoiceId, lineId: 'l15' };
  const added = { invoiceId, lineId: 'l99' };
  const read = {
    embedded: await db.embedded({ invoiceId }),
    copies: (await db.copies({ invoiceId })).items,
    collection: await db.withLines({ invoiceId }),
    indexed: await db.indexedWithLines({ invoiceId }),
  };
  // All ways answer alike.
  expect(Object.keys(read.embedded?.lines ?? {}).sort()).toEqual(read.copies.map(({ lineId }) => lineId));
  expect(read.collection.lines).toEqual(read.indexed.lines);
  expect(read.collection.lines.map(({ lineId }) => lineId)).toEqual(read.copies.map(({ lineId }) => lineId));
  return new Map([
    [
      'S-27',
      await measured<InvoiceNeed>(example, {
        'invoice and lines': () => db.embedded({ invoiceId }),
        add: () => db.embedLine({ ...added, line }),
        rename: () => db.renameEmbedded({ invoiceId, customer: 'Alexa' }),
      }),
    ],
    [
      'S-28',
      await measured<InvoiceNeed>(example, {
        'invoice and lines': () => db.copies({ invoiceId }),
        'line of invoice': () => db.copy(one),
        'line and customer': () => db.copy(one),
        add: () => db.addCopy({ ...added, ...line, customer }),
        rename: async () => {
          for (const { lineId } of (await db.copies({ invoiceId })).items) {
            await db.renameCopy({ invoiceId, lineId, customer: 'Alexa' });
          }
        },
      }),
    ],
    [
      'S-29',
      await measured<InvoiceNeed>(example, {
        'invoice and lines': () => db.withLines({ invoiceId }),
        'line of invoice': () => db.line(one),
        'line and customer': () => Promise.all([db.line(one), db.invoice({ invoiceId })]),
        add: () => db.add({ ...added, ...line }),
        rename: () => db.rename({ invoiceId, customer: 'Alexa' }),
      }),
    ],
    [
      'S-30',
      await measured<InvoiceNeed>(example, {
        'invoice and lines': () => db.indexedWithLines({ invoiceId }),
        'line of invoice': () => db.indexedLine(one),
        'line alone': () => db.indexedLine({ lineId: one.lineId }),
        'line and customer': () => Promise.all([db.indexedLine(one), db.indexedInvoice({ invoiceId })]),
        add: () => db.addIndexed({ ...added, ...line }),
        rename: () => db.renameIndexed({ invoiceId, customer: 'Alexa' }),
      }),
    ],
  ]);
}

const invoicesOnce = once(measuredInvoices);

test.each([
  [
    'S-27',
    { bounded: true, directAccess: false, primaryKeyFree: true, levelsSearched: 1 },
    { 'invoice and lines': 100, add: 1 },
  ],
  [
    'S-28',
    { bounded: false, directAccess: true, stableParentCopies: 20, primaryKeyFree: true, levelsSearched: 1 },
    { 'line and customer': 1000, add: 10, rename: 1 },
  ],
  [
    'S-29',
    { bounded: false, directAccess: true, primaryKeyFree: true, levelsSearched: 1 },
    { 'invoice and lines': 10, 'line of invoice': 10, add: 5, rename: 1 },
  ],
  [
    'S-30',
    { bounded: false, directAccess: true, primaryKeyFree: false, levelsSearched: 2 },
    { 'invoice and lines': 10, 'line alone': 10, add: 5 },
  ],
] as const)('S-32 the advised strategy is the cheapest that serves the patterns: %s', async (strategy, need, calls) => {
  const [cheapest, second] = byPrice(await invoicesOnce(), calls);
  expect([cheapest?.strategy, oneToManyStrategy(need)]).toEqual([strategy, strategy]);
  if (second !== undefined) expect(second.price).toBeGreaterThan(cheapest!.price);
});

test('S-32 S-31 is advised for three levels, where an index for each costs more', async () => {
  const example = await openExample(slots);
  await createTables(example.client, slotsByLevel);
  const ways = { 'S-31': connect(slots, example), 'S-30': connect(slotsByLevel, example) } as const;
  const measurements = new Map<keyof typeof ways, Measured<'add' | 'site' | 'hall' | 'shelf'>>();
  for (const [strategy, db] of Object.entries(ways) as (readonly ['S-31', (typeof ways)['S-31']])[]) {
    for (const n of numbers(12)) {
      await db.add({ site: 's1', hall: `h${n % 2}`, shelf: `f${n % 3}`, slotId: `p${n}` });
    }
    const shelf = { site: 's1', hall: 'h1', shelf: 'f1' };
    expect((await db.inSite(shelf)).items).toHaveLength(12);
    expect((await db.inHall(shelf)).items).toHaveLength(6);
    expect((await db.inShelf(shelf)).items.map(({ slotId }) => slotId)).toEqual(['p13', 'p19']);
    const prices = await measured(example, {
      add: () => db.add({ ...shelf, slotId: 'p99' }),
      site: () => db.inSite(shelf),
      hall: () => db.inHall(shelf),
      shelf: () => db.inShelf(shelf),
    });
    measurements.set(strategy, prices);
  }
  const [cheapest, second] = byPrice(measurements, { add: 1, site: 1, hall: 1, shelf: 1 });
  expect(second?.price).toBeGreaterThan(cheapest!.price);
  const need = { bounded: false, directAccess: true, primaryKeyFree: false, levelsSearched: 3 };
  expect([cheapest?.strategy, oneToManyStrategy(need)]).toEqual(['S-31', 'S-31']);
});

type ClassNeed = 'names of a class' | 'classes of a student' | 'rename';

/** Forty students in one class, one of them in five, stored in each way. */
async function measuredEnrolments(): Promise<ReadonlyMap<'S-33' | 'S-34' | 'S-37', Measured<ClassNeed>>> {
  const example = await openExample(enrolments);
  const db = connect(enrolments, { client: example.client });
  const names = numbers(40).map((n) => `Student number ${n} of this class`);
  await db.openClass({ classId: 'c1', students: names });
  for (const [at, name] of names.entries()) {
    const username = `s${at + 10}`;
    await db.signUp({ username, name });
    await db.enrol({ classId: 'c1', username, name });
    await db.join({ classId: 'c1', username });
  }
  const others = ['c2', 'c3', 'c4', 'c5'];
  for (const classId of others) {
    await db.enrol({ classId, username: 's10', name: names[0]! });
    await db.join({ classId, username: 's10' });
  }
  const normalisedNames = async () => {
    const { items } = await db.members({ classId: 'c1' });
    const students = await db.students(items.map(({ username }) => ({ username })));
    return students.map((student) => student?.name);
  };
  // All ways answer alike.
  expect((await db.classWithNames({ classId: 'c1' }))?.students).toEqual(names);
  expect((await db.enrolments({ classId: 'c1' })).items.map(({ name }) => name)).toEqual(names);
  expect(await normalisedNames()).toEqual(names);
  const classes = (await db.enrolmentsOf({ username: 's10' })).items.map(({ classId }) => classId);
  expect(classes).toEqual(['c1', ...others]);
  expect((await db.membershipsOf({ username: 's10' })).items.map(({ classId }) => classId)).toEqual(classes);
  return new Map([
    ['S-33', await measured<ClassNeed>(example, { 'names of a class': () => db.classWithNames({ classId: 'c1' }) })],
    [
      'S-34',
      await measured<ClassNeed>(example, {
        'names of a class': () => db.enrolments({ classId: 'c1' }),
        'classes of a student': () => db.enrolmentsOf({ username: 's10' }),
        rename: async () => {
          for (const { classId } of (await db.enrolmentsOf({ username: 's10' })).items) {
            await db.renameEnrolled({ classId, username: 's10', name: 'Student X' });
          }
        },
      }),
    ],
    [
      'S-37',
      await measured<ClassNeed>(example, {
        'names of a class': normalisedNames,
        'classes of a student': () => db.membershipsOf({ username: 's10' }),
        rename: () => db.rename({ username: 's10', name: 'Student X' }),
      }),
    ],
  ]);
}

const enrolmentsOnce = once(measuredEnrolments);

test.each([
  ['S-33', { facts: 'few and immutable', changes: 'rarely', kinds: 1 }, { 'names of a class': 10 }],
  [
    'S-34',
    { facts: 'more', changes: 'rarely', kinds: 1 },
    { 'names of a class': 100, 'classes of a student': 100, rename: 1 },
  ],
  [
    'S-37',
    { facts: 'more', changes: 'often', kinds: 1 },
    { 'names of a class': 1, 'classes of a student': 1, rename: 10 },
  ],
] as const)('S-38 the advised strategy is the cheapest that serves the patterns: %s', async (strategy, need, calls) => {
  const [cheapest, second] = byPrice(await enrolmentsOnce(), calls);
  expect([cheapest?.strategy, manyToManyStrategy(need)]).toEqual([strategy, strategy]);
  expect(second?.price).toBeGreaterThan(cheapest!.price);
});

test('S-38 S-36 is advised for many kinds: one index serves them all, and one for each is refused at 21', async () => {
  const { client, operations } = await openExample(graph);
  const db = connect(graph, { client });
  await db.addPerson({ nodeId: '156', name: 'Alex DeBrie' });
  await db.addEvent({ nodeId: '156', date: '2011-05-28', event: 'MARRIED' });
  await db.addJob({ nodeId: '156', title: 'Developer', employer: 'DeBrie, LLC' });
  operations();
  const event = (await db.eventsOn({ date: '2011-05-28' })).items;
  const job = (await db.withJob({ title: 'Developer' })).items;
  expect([...event, ...job].map(({ nodeId }) => nodeId)).toEqual(['156', '156']);
  expect([operations(), Object.keys(graph.tables.Graph.indexes)]).toEqual([['Query', 'Query'], ['GSI1']]);

  const indexes = (count: number) =>
    new CreateTableCommand({
      TableName: `Kinds${count}`,
      KeySchema: [{ AttributeName: 'PK', KeyType: 'HASH' }],
      AttributeDefinitions: ['PK', ...numbers(count).map((n) => `kind${n}`)].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S',
      })),
      GlobalSecondaryIndexes: numbers(count).map((n) => ({
        IndexName: `Kind${n}`,
        KeySchema: [{ AttributeName: `kind${n}`, KeyType: 'HASH' }],
        Projection: { ProjectionType: 'ALL' },
      })),
      BillingMode: 'PAY_PER_REQUEST',
    });
  await client.send(indexes(20));
  expect(await errorOf(client.send(indexes(21)))).toBeInstanceOf(Error);
  expect(manyToManyStrategy({ facts: 'more', changes: 'rarely', kinds: 21 })).toBe('S-36');
});

type OrderNeed = 'of a customer' | 'of a time' | 'of a status and time' | 'cancelled' | 'most' | 'any column' | 'place';

/** Two hundred orders of two customers, four of them cancelled, stored in each way, and what each filter costs. */
async function measuredOrders() {
  const example = await openExample(filteredOrders);
  const db = connect(filteredOrders, { client: example.client });
  const order = (n: number) => ({
    customerId: n % 2 === 0 ? 'c1' : 'c2',
    orderId: `o${n}`,
    status: n % 50 === 0 ? ('CANCELLED' as const) : ('SHIPPED' as const),
    orderDate: new Date(Date.UTC(2026, 0, n - 99)).toISOString().slice(0, 10),
    city: `city${n % 7}`,
    note: 'x'.repeat(300),
  });
  for (let n = 100; n < 300; n += 1) {
    await Promise.all([
      db.place(order(n)),
      db.placeDated(order(n)),
      db.placeStatus(order(n)),
      db.placeSparse(order(n)),
    ]);
  }
  const january = { from: '2026-01-01', to: '2026-01-20' };
  const c1 = { customerId: 'c1' };
  const all = async () => (await db.ofCustomer(c1)).items;
  const inJanuary = <Item extends { readonly orderDate: string }>(items: readonly Item[]) =>
    items.filter(({ orderDate }) => orderDate >= january.from && orderDate <= january.to);
  const everything = async () => {
    const items = [];
    for await (const item of db.everyOrder.each({})) items.push(item);
    return items;
  };
  const ids = (items: readonly { readonly orderId: string }[]) => items.map(({ orderId }) => orderId).sort();
  const dated = async () => (await db.dated({ ...c1, orderDate: january })).items;
  const statusDated = async (status: 'SHIPPED' | 'CANCELLED') =>
    (await db.statusDated({ ...c1, status, orderDate: january })).items;
  const cancelled = async () => (await db.cancelled({})).items;
  const shippedOnly = async () => (await dated()).filter(({ status }) => status === 'CANCELLED');

  // All ways answer alike.
  expect(ids(await all())).toEqual(ids((await everything()).filter(({ customerId }) => customerId === 'c1')));
  expect(ids(await dated())).toEqual(ids(inJanuary(await all())));
  expect(ids(await dated())).toHaveLength(10);
  expect(ids(await statusDated('CANCELLED'))).toEqual(ids(await shippedOnly()));
  expect(ids(await cancelled())).toEqual(ids((await everything()).filter(({ status }) => status === 'CANCELLED')));
  expect(ids(await cancelled())).toEqual(['o100', 'o150', 'o200', 'o250']);

  const added = { ...order(100), orderId: 'o999', status: 'SHIPPED' as const };
  return new Map([
    [
      'scan',
      await measured<OrderNeed>(example, {
        'of a customer': everything,
        'of a time': everything,
        'of a status and time': everything,
        cancelled: everything,
        'any column': everything,
        place: () => db.place(added),
      }),
    ],
    [
      'S-39',
      await measured<OrderNeed>(example, {
        'of a customer': all,
        'of a time': all,
        'of a status and time': all,
        place: () => db.place({ ...added, orderId: 'o998' }),
      }),
    ],
    [
      'S-40',
      await measured<OrderNeed>(example, {
        'of a time': dated,
        'of a status and time': shippedOnly,
        place: () => db.placeDated(added),
      }),
    ],
    [
      'S-42',
      await measured<OrderNeed>(example, {
        'of a status and time': () => statusDated('CANCELLED'),
        most: () => statusDated('SHIPPED'),
        place: () => db.placeStatus(added),
      }),
    ],
    ['S-43', await measured<OrderNeed>(example, { cancelled, place: () => db.placeSparse(added) })],
    [
      'S-45',
      await measured<OrderNeed>(example, {
        most: () => db.withStatus({ ...c1, status: 'SHIPPED' }),
        place: () => db.place({ ...added, orderId: 'o997' }),
      }),
    ],
    [
      'S-46',
      await measured<OrderNeed>(example, { 'any column': all, place: () => db.place({ ...added, orderId: 'o996' }) }),
    ],
  ] as const);
}

const ordersOnce = once(measuredOrders);

test.each([
  ['S-39', 'first segmentation', { 'of a customer': 1 }],
  ['S-40', 'range in a collection', { 'of a time': 10, place: 1 }],
  ['S-42', 'two or more attributes', { 'of a status and time': 100, place: 1 }],
  ['S-43', 'condition over all items', { cancelled: 1, place: 1 }],
  ['S-45', 'drop a few', { most: 1, place: 1 }],
  ['S-46', 'flexible', { 'any column': 1, place: 1 }],
] as const)('S-47 the advised filter is the cheapest: %s for %s', async (strategy, need, calls) => {
  const prices = byPrice<string, OrderNeed>(await ordersOnce(), calls);
  expect([prices[0]?.strategy, filterStrategy(need, { bytes: 200_000 })]).toEqual([strategy, strategy]);
  expect(prices[1]?.price).toBeGreaterThan(prices[0]!.price);
});
