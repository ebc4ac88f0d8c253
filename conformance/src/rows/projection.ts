import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { CAPTURED_2026, docs, DYNALITE } from '../sources.ts';
import { batchGet, get, items, query, scan, transactGet } from '../steps.ts';
import { hashTable, rangeTable } from '../tables.ts';
import { L, M, N, S, SS } from '../values.ts';
import type { WireItem } from '../values.ts';

const PROJECTIONS = docs('Projection expressions');
const key = { pk: S('x') };
const subject: WireItem = {
  ...key,
  a: M({ b: N(1), c: M({ d: N(2), e: N(3) }) }),
  l: L(N(0), N(1), M({ k: N(2), m: N(3) })),
  s: SS('x', 'y'),
  n: N(7),
};

const overlap = (one: string, two: string): string =>
  `Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [${one}], path two: [${two}]`;

function projects(id: string, covers: string, expression: string, projected: WireItem): Row {
  return row(`projection/${id}`, covers, PROJECTIONS, {
    table: hashTable,
    items: [subject],
    steps: [get(key, { ProjectionExpression: expression }).gives({ Item: projected })],
  });
}

function refused(id: string, source: string, expression: string, message: string): Row {
  return row(`projection/${id}`, 'DB-219', source, {
    table: hashTable,
    items: [subject],
    steps: [get(key, { ProjectionExpression: expression }).invalid(message)],
  });
}

export const projectionRows: readonly Row[] = [
  row('projection/on-every-read', 'DB-216', PROJECTIONS, {
    table: rangeTable,
    items: [{ pk: S('x'), sk: S('y'), a: N(1), b: N(2) }],
    steps: [
      get({ pk: S('x'), sk: S('y') }, { ProjectionExpression: 'a, nowhere' }).gives({ Item: { a: N(1) } }),
      query('pk = :p', { ':p': S('x') }, { ProjectionExpression: 'a, nowhere' }).gives(items({ a: N(1) })),
      scan({ ProjectionExpression: 'a, nowhere' }).gives(items({ a: N(1) })),
      batchGet([{ pk: S('x'), sk: S('y') }], { ProjectionExpression: 'a, nowhere' }).gives({
        Responses: { $T: [{ a: N(1) }] },
        UnprocessedKeys: {},
      }),
      transactGet([{ Key: { pk: S('x'), sk: S('y') }, ProjectionExpression: 'a, nowhere' }]).gives({
        Responses: [{ Item: { a: N(1) } }],
      }),
    ],
  }),
  projects('nested-map', 'DB-217', 'a.b', { a: M({ b: N(1) }) }),
  projects('several-paths-into-one-map', 'DB-217', 'a.c.e, a.b', { a: M({ b: N(1), c: M({ e: N(3) }) }) }),
  projects('list-element', 'DB-217', 'l[0]', { l: L(N(0)) }),
  projects('list-elements-close-up', 'DB-217', 'l[2].k, l[0]', { l: L(N(0), M({ k: N(2) })) }),
  projects('whole-values', 'DB-216', 's,n', { s: SS('x', 'y'), n: N(7) }),
  projects('path-that-leads-nowhere', 'DB-216 DB-217', 'n.a, l.k, a[0], s[7]', {}),
  refused('same-path-twice', CAPTURED_2026, 'n, n', overlap('n', 'n')),
  refused('parent-and-child', CAPTURED_2026, 'a, a.b', overlap('a', 'a, b')),
  refused('child-and-parent', DYNALITE, 'a.b, a', overlap('a, b', 'a')),
  refused('list-and-element', DYNALITE, 'l, l[1]', overlap('l', 'l, [1]')),
  refused(
    'entry-and-element',
    DYNALITE,
    'a.b, a[1]',
    'Invalid ProjectionExpression: Two document paths conflict with each other; must remove or rewrite one of these paths; path one: [a, b], path two: [a, [1]]',
  ),
  row('projection/two-names-of-one-attribute', 'DB-219', CAPTURED_2026, {
    table: hashTable,
    steps: [
      get(key, { ProjectionExpression: '#a, #b', ExpressionAttributeNames: { '#a': 'a', '#b': 'a' } }).invalid(
        overlap('a', 'a'),
      ),
    ],
  }),
  row('projection/reserved-word', 'DB-220', DYNALITE, {
    table: hashTable,
    items: [{ ...key, Year: N(2010) }],
    steps: [
      get(key, { ProjectionExpression: 'pk, Year' }).invalid(
        'Invalid ProjectionExpression: Attribute name is a reserved keyword; reserved keyword: Year',
      ),
      get(key, { ProjectionExpression: 'pk, #y', ExpressionAttributeNames: { '#y': 'Year' } }).gives({
        Item: { ...key, Year: N(2010) },
      }),
    ],
  }),
  row('projection/saves-neither-units-nor-pages', 'DB-218 DB-100', docs('Capacity unit consumption for Query'), {
    table: rangeTable,
    items: [1, 2].map((n) => ({ pk: S('x'), sk: S(String(n)), p: S('x'.repeat(400_000)) })),
    steps: [
      query(
        'pk = :p',
        { ':p': S('x') },
        { ProjectionExpression: 'sk', ReturnConsumedCapacity: 'TOTAL', ConsistentRead: true },
      ).givesPartly({
        Count: 2,
        ConsumedCapacity: { TableName: '$T', CapacityUnits: 196 },
      }),
      get({ pk: S('x'), sk: S('1') }, { ProjectionExpression: 'sk', ReturnConsumedCapacity: 'TOTAL' }).gives({
        Item: { sk: S('1') },
        ConsumedCapacity: { TableName: '$T', CapacityUnits: 98 },
      }),
    ],
  }),
];
