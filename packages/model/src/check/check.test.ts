import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { shop } from '../../test/shop.model.ts';
import { entity, type Model, model, remove } from '../index.ts';
import { resolve } from '../resolve/resolve.ts';
import { check, placeInFile } from './index.ts';

test('the shop is proven: one bounded operation for each pattern', () => {
  const { ok, patterns } = check(shop);
  expect(ok).toBe(true);
  expect(patterns.map(({ id, served, verdict }) => [id, served?.operation, served?.place, verdict])).toEqual([
    ['EC-01', 'TransactWriteItems', 'Shop', 'served'],
    ['EC-02', 'UpdateItem', 'Shop', 'served'],
    ['EC-04', 'TransactWriteItems', 'Shop', 'served'],
    ['EC-05', 'UpdateItem', 'Shop', 'served'],
    ['EC-06', 'Query', 'Shop', 'served'],
    ['EC-07', 'Query', 'Shop', 'served'],
    ['EC-08', 'Query', 'GSI1', 'remarked'],
    ['EC-09', 'GetItem', 'Shop', 'served'],
    ['EC-11', 'GetItem then TransactWriteItems', 'Shop', 'served'],
    ['EC-12', 'UpdateItem', 'Shop', 'served'],
  ]);
  const orders = patterns.find(({ pattern }) => pattern === 'customerWithOrders');
  expect(orders?.served).toEqual({
    operation: 'Query',
    place: 'Shop',
    requests: 1,
    keyCondition: 'PK = CUSTOMER#{username} AND SK BETWEEN #ORDER# AND CUSTOMER#{username}',
    order: 'descending',
    limit: 10,
  });
});

test('sort keys that begin with a value are read as a whole partition', () => {
  const item = entity({ repo: z.string(), number: z.int().min(0).max(999) });
  const work = model('work')
    .entities({ Issue: item, PullRequest: item })
    .relationships([['Issue', '1:1', 'PullRequest']])
    .patterns({
      work: {
        reads: { issues: ['Issue'], pullRequests: ['PullRequest'] },
        by: ['repo'],
        order: 'number asc',
        limit: 25,
      },
    })
    .tables({ Work: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
    .keys({
      Issue: { Work: ['ISSUES#{repo}', '{number:03}'], GSI1: ['REPO#{repo}', '{number:03}'] },
      PullRequest: { Work: ['PRS#{repo}', '{number:03}'], GSI1: ['REPO#{repo}', '{number:03}'] },
    })
    .served({ work: { query: 'GSI1' } });
  expect(check(work).patterns[0]?.served?.keyCondition).toBe('GSI1PK = REPO#{repo}');
});

/** Tickets in a table that has only its primary key. */
const support = (served: object) =>
  model('support')
    .entities({
      Ticket: entity({
        customerId: z.string(),
        ticketId: z.string(),
        agentId: z.string(),
        assignedAt: z.iso.datetime(),
      }),
    })
    .relationships([])
    .patterns({
      ticket: { reads: 'Ticket', by: ['ticketId'] },
      ofCustomer: { reads: ['Ticket'], by: ['customerId'], order: 'ticketId desc', limit: 20 },
      ofAgent: { reads: ['Ticket'], by: ['agentId'], range: 'assignedAt', order: 'assignedAt desc', limit: 20 },
    })
    .tables({ Support: { key: ['PK', 'SK'] } })
    .keys({ Ticket: { Support: ['CUSTOMER#{customerId}', 'TICKET#{ticketId}'] } })
    .served(served as never);

test('what is not served says why, and what the smallest fix is', () => {
  const { ok, patterns, findings } = check(
    support({ ticket: 'GetItem', ofCustomer: { query: 'Support' }, ofAgent: { query: 'Support' } }),
  );
  expect(ok).toBe(false);
  expect(patterns.map(({ pattern, verdict }) => [pattern, verdict])).toEqual([
    ['ticket', 'refused'],
    ['ofCustomer', 'served'],
    ['ofAgent', 'refused'],
  ]);
  const remedies = findings.filter(({ code }) => code === 'not-served').map(({ path, remedy }) => [path, remedy]);
  expect(remedies).toEqual([
    [
      'served.ticket',
      "Add an index GSI1 to Support, give Ticket the key `GSI1: ['TICKET#{ticketId}', 'TICKET#{customerId}']` and serve the pattern by `{ query: 'GSI1' }`. As several Ticket may have these values, read them all, `reads: ['Ticket']`, or declare what is unique, `unique: ['ticketId']`.",
    ],
    [
      'served.ofAgent',
      "Add an index GSI1 to Support, give Ticket the key `GSI1: ['TICKET#{agentId}', '{assignedAt:utc}#{customerId}#{ticketId}']` and serve the pattern by `{ query: 'GSI1' }`.",
    ],
  ]);
});

describe('the key that is proposed for a pattern serves it, and nothing is found in it', () => {
  const text = z.string().min(1);
  const line = {
    org: text,
    line: text,
    free: z.string(),
    price: z.number(),
    rank: z.int().min(0).max(500),
    count: z.int().min(0),
    at: z.iso.datetime(),
    state: z.enum(['OPEN', 'DONE']),
  };
  const lines = (given: object, tenant: object, proposed?: { readonly sort: string; readonly key: unknown }) =>
    model('lines')
      .entities({ Line: entity(line) })
      .relationships([])
      .patterns({ more: { reads: ['Line'], limit: 10, ...given }, add: { creates: 'Line' } } as never)
      .tables({
        Lines: { key: ['PK', 'SK'], ...tenant, ...(proposed && { indexes: { GSI1: ['GSI1PK', proposed.sort] } }) },
      } as never)
      .keys({
        Line: { Lines: ['ORG#{org}#{state}', 'LINE#{line}'], ...(proposed && { GSI1: proposed.key }) },
      } as never)
      .served({ more: { query: proposed === undefined ? 'Lines' : 'GSI1' }, add: 'PutItem' } as never);

  test.each<[given: object, key: string, sort?: string, tenant?: object]>([
    [{ by: ['free'] }, "['LINE#{free}', '{org}#{state}#{line}']"],
    [{ by: ['line', 'state'] }, "['LINE#{line}#{state}', '{org}']"],
    [{ by: ['line'], order: 'free asc' }, "['LINE#{line}', 'LINE#{free}']"],
    [{ by: ['free'], order: 'price desc' }, "['LINE#{free}', '{price}']", 'price:N'],
    [{ by: ['free'], range: 'rank' }, "['LINE#{free}', '{rank:03}#{org}#{state}#{line}']"],
    [{ by: ['free'], order: 'count asc' }, "['LINE#{free}', '{count:016}#{org}#{state}#{line}']"],
    [{ where: { state: 'OPEN' }, order: 'at desc' }, "['LINE#{state}', '{at:utc}#{org}#{line}']"],
    [{ by: ['free', 'org'] }, "['LINE#{org}#{free}', '{state}#{line}']", 'GSI1SK', { tenant: 'org' }],
  ])('%j: %s', (given, key, sort = 'GSI1SK', tenant = {}) => {
    const remedyOf = (model: Model): string | undefined =>
      check(model).findings.find(({ code }) => code === 'not-served')?.remedy;
    const layout = sort === 'GSI1SK' ? '' : ` with the keys \`['GSI1PK', '${sort}']\``;
    expect(remedyOf(lines(given, tenant))).toBe(
      `Add an index GSI1${layout} to Lines, give Line the key \`GSI1: ${key}\` and serve the pattern by \`{ query: 'GSI1' }\`.`,
    );
    const proposed = { sort, key: JSON.parse(key.replaceAll("'", '"')) as unknown };
    const { patterns, findings } = check(lines(given, tenant, proposed));
    expect(patterns.find(({ pattern }) => pattern === 'more')?.verdict).toBe('served');
    expect(findings.filter(({ level, path }) => level === 'error' || path.includes('GSI1'))).toEqual([]);
  });

  test('one item has all of its key, or is one of several', () => {
    const one = lines({ reads: 'Line', limit: undefined, by: ['org', 'state'] }, {});
    const { remedy } = check({ ...one, served: { more: 'GetItem', add: 'PutItem' } }).findings[0] ?? {};
    expect(remedy).toBe(
      "Let the caller give line as well: add it to `by`; or read them all, `reads: ['Line']`, by `{ query: 'Lines' }`.",
    );
  });

  test('an empty text is not a key, and all items are not one partition', () => {
    const pk = (given: object, attributes: object = {}, tenant: object = {}): string | undefined =>
      check({
        ...lines(given, tenant),
        entities: { Line: entity({ ...line, ...attributes }) },
      }).findings.find(({ code }) => code === 'not-served')?.remedy;
    expect(pk({ by: ['line', 'state'] }, { org: z.string() })).toContain("['LINE#{line}#{state}', 'LINE#{org}']");
    expect(pk({})).toBe(
      "Name what the items have in common: add it to `by`, or to `where` with its value; or read the whole table, with the reason: `{ scan: 'Lines', because: '…' }`.",
    );
    expect(pk({ order: 'at desc' })).toBe(
      'Name what the items have in common: add it to `by`, or to `where` with its value.',
    );
    expect(pk({ by: ['free'] }, {}, { tenant: 'org' })).toBe('Let the caller give org as well: add it to `by`.');
  });
});

test('a finding that is meant is listed with its reason and fails nothing', () => {
  const scanned = (accepts: Record<string, string>) =>
    model('log')
      .entities({ Line: entity({ lineId: z.string().min(1) }) })
      .relationships([])
      .patterns({ all: { reads: ['Line'], accepts }, add: { creates: 'Line' } })
      .tables({ Log: { key: ['lineId'] } })
      .keys({ Line: { Log: ['{lineId}'] } })
      .served({ all: { scan: 'Log', because: 'exported once a year' }, add: 'PutItem' });
  expect(check(scanned({})).findings.map(({ code, level }) => [code, level])).toEqual([['scan', 'warning']]);
  const accepted = check(scanned({ scan: 'exported once a year' }));
  expect(accepted.findings).toMatchObject([{ code: 'scan', level: 'accepted', because: 'exported once a year' }]);
  expect(accepted.patterns[0]?.verdict).toBe('served');
});

test('a path of a finding is a place in the source', () => {
  const source = readFileSync(new URL('../../test/shop.model.ts', import.meta.url), 'utf8');
  const lines = source.split('\n');
  const lineOf = (path: string): string | undefined => lines[(placeInFile(source, path)?.line ?? 0) - 1]?.trim();
  expect(lineOf('patterns.orderWithItems')).toBe('orderWithItems: {');
  expect(lineOf('served.orderWithItems')).toBe("orderWithItems: { query: 'GSI1' },");
  expect(lineOf('keys.OrderItem.GSI1')).toBe("GSI1: ['ORDER#{orderId}', 'ITEM#{itemId}'],");
  expect(lineOf('entities.Order.amount')).toBe('amount: z.number(),');
  expect(placeInFile('export default shop', 'served.x')).toBeUndefined();
});

test('a path is a place in the pattern of that name, and not in a property of that name of another one', () => {
  const source = [
    "model('shop').entities({",
    "  Order: entity({ id: z.string().regex(/^'[{]$/), by: z.string() }), // by: {",
    '})',
    '.patterns({',
    "  account: { reads: ['Order'], note: 'range: {', by: ['id'], where: { 'note': 'x' }, order: 'id desc' },",
    "  order: { reads: 'Order', by: ['id'] },",
    "  'by': { reads: ['Order'], by: ['id'], range: 'id' },",
    '})',
    ".keys({}).served({ order: 'GetItem' })",
  ].join('\n');
  const placeOf = (path: string): unknown => Object.values(placeInFile(source, path) ?? {});
  expect(placeOf('entities.Order.by')).toEqual([2, 51]);
  expect(placeOf('patterns.order')).toEqual([6, 3]);
  expect(placeOf('patterns.order.by')).toEqual([6, 28]);
  expect(placeOf('patterns.account.order')).toEqual([5, 86]);
  expect(placeOf('patterns.by.range')).toEqual([7, 41]);
  // What is not written out is where the nearest of it is.
  expect(placeOf('patterns.order.range')).toEqual([6, 3]);
  expect(placeOf('served.order')).toEqual([9, 20]);
});

test('a path is a place in the model that has it, of several in one file', () => {
  const source = [
    "export const orders = model('orders')",
    '  .served({ one: null })',
    "export const bills = model('bills')",
    '  .served({ one: null })',
  ].join('\n');
  expect(placeInFile(source, 'served.one', 'orders')?.line).toBe(2);
  expect(placeInFile(source, 'served.one', 'bills')?.line).toBe(4);
  // The name may be computed.
  expect(placeInFile(source, 'served.one', 'elsewhere')?.line).toBe(2);
});

test('removing an element by its name lets nothing grow', () => {
  const takes = { label: z.string() };
  const drop = { updates: 'Customer', by: ['username'], takes, changes: { 'addresses.{label}': remove() } } as const;
  const { findings } = check({
    ...shop,
    patterns: { ...shop.patterns, drop },
    served: { ...shop.served, drop: 'UpdateItem' },
  });
  expect(findings.filter(({ path }) => path.includes('drop'))).toEqual([]);
});

test('a procedure is as good as its worst pattern', () => {
  const procedures = {
    order: { id: 'EC-20', actor: 'customer', takes: ['customer', 'placeOrder'], note: 'twice at most' },
    change: { takes: ['customer', 'orderWithItems'] },
    lost: { takes: ['customer', 'nowhere'] },
    export: { takes: [], scans: { Shop: 'everything, once a night' } },
  };
  expect(check({ ...shop, procedures: { order: procedures.order } }).ok).toBe(true);
  const report = check({ ...shop, procedures });
  expect(report.ok).toBe(false);
  expect(report.procedures).toEqual([
    { procedure: 'order', ...procedures.order, verdict: 'served' },
    { procedure: 'change', takes: ['customer', 'orderWithItems'], verdict: 'remarked' },
    { procedure: 'lost', takes: ['customer', 'nowhere'], verdict: 'refused' },
    { procedure: 'export', takes: [], scans: { Shop: 'everything, once a night' }, verdict: 'served' },
  ]);
});

test('a procedure scans what there is', () => {
  const scanning = (scans: Record<string, string>) => resolve({ ...shop, procedures: { job: { takes: [], scans } } });
  expect(scanning({ Shop: 'a migration' }).problems).toEqual([]);
  expect(scanning({ Shops: 'a migration' }).problems).toMatchObject([
    { code: 'unknown-place', path: 'procedures.job', message: 'there is no table or index Shops to scan' },
  ]);
});

test.each<[string, object, string]>([
  ['no need', { patterns: { x: null } }, 'patterns.x'],
  ['a name for a list', { patterns: { x: { reads: 'Line', by: 'line' } } }, 'patterns.x.by'],
  ['a list of numbers', { patterns: { x: { reads: 'Line', by: [1] } } }, 'patterns.x.by'],
  ['a number of parts', { patterns: { x: { reads: { lines: 5 } } } }, 'patterns.x.reads'],
  ['a part of a transaction', { patterns: { x: { transacts: { a: { updates: 'Line', by: 'line' } } } } }, 'patterns.x.transacts.a.by'], // prettier-ignore
  ['a text for a limit', { patterns: { x: { reads: ['Line'], limit: '5' } } }, 'patterns.x.limit'],
  ['no conditions', { patterns: { x: { reads: ['Line'], where: 5 } } }, 'patterns.x.where'],
  ['a big integer', { patterns: { x: { reads: ['Line'], where: { line: 5n } } } }, 'patterns.x.where.line'],
  ['one in a list', { patterns: { x: { reads: ['Line'], where: { line: ['a', 5n] } } } }, 'patterns.x.where.line'],
  ['a set', { patterns: { x: { reads: ['Line'], where: { line: { not: new Set(['a']) } } } } }, 'patterns.x.where.line.not'], // prettier-ignore
  ['no number', { patterns: { x: { reads: ['Line'], where: { line: Number.NaN } } } }, 'patterns.x.where.line'],
  ['a list of no values', { patterns: { x: { reads: ['Line'], where: { line: [] } } } }, 'patterns.x.where.line'],
  ['a test of nothing', { patterns: { x: { checks: 'Line', given: { line: {} } } } }, 'patterns.x.given.line'],
  ['a form for a date', { keys: { Line: { Lines: { when: { line: new Date() }, key: ['a'] } } } }, 'keys.Line.Lines'],
  ['no schema', { entities: { Line: { attributes: { line: 'text' }, rules: {} } } }, 'entities.Line.line'],
  [
    'a text for what is generated',
    { entities: { Line: { attributes: {}, rules: { generated: 'line' } } } },
    'entities.Line.generated',
  ],
  ['no entity', { entities: { Line: null } }, 'entities.Line'],
  ['a relationship of two', { relationships: [['A', 'B']] }, 'relationships'],
  ['no keys of a table', { tables: { Lines: {} } }, 'tables.Lines.key'],
  ['a key that is a text', { tables: { Lines: { key: 'PK' } } }, 'tables.Lines.key'],
  [
    'an index that is a text',
    { tables: { Lines: { key: ['PK'], indexes: { GSI1: 'A' } } } },
    'tables.Lines.indexes.GSI1',
  ],
  ['no templates', { keys: { Line: { Lines: null } } }, 'keys.Line.Lines'],
  ['templates of two kinds', { keys: { Line: { Lines: ['{line}', 5] } } }, 'keys.Line.Lines'],
  ['a condition without a key', { keys: { Line: { Lines: { when: {} } } } }, 'keys.Line.Lines'],
  [
    'a condition on the key of a table',
    { keys: { Line: { Lines: { when: { line: 'a' }, key: ['LINE#{line}'] } } } },
    'keys.Line.Lines',
  ],
  ['two keys of a table', { keys: { Line: { Lines: [{ when: { line: 'a' }, key: ['A'] }] } } }, 'keys.Line.Lines'],
  ['a list of two entities', { patterns: { x: { reads: ['Line', 'Other'] } } }, 'patterns.x.reads'],
  ['an entity under two names', { patterns: { x: { reads: { a: ['Line'], b: 'Line' } } } }, 'patterns.x.reads'],
  ['no operation', { served: { x: null } }, 'served.x'],
  ['a query of a number', { served: { x: { query: 5 } } }, 'served.x'],
  ['no section', { served: undefined }, 'served'],
])('a malformed model is a finding, not a crash: %s', (_, parts, path) => {
  const whole = {
    name: 'lines',
    entities: { Line: entity({ line: z.string().min(1) }) },
    relationships: [],
    patterns: {},
    tables: { Lines: { key: ['PK'] } },
    keys: { Line: { Lines: ['LINE#{line}'] } },
    storage: {},
    served: {},
  };
  const { ok, findings } = check({ ...whole, ...parts } as unknown as Model);
  expect(ok).toBe(false);
  expect(findings.map(({ code, level, path: place }) => `${level} ${code} ${place}`)).toEqual([
    `error bad-declaration ${path}`,
  ]);
});
