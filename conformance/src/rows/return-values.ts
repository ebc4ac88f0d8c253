import { messageContaining, oneOf } from '../matchers.ts';
import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { ALTERNATOR, docs, DYNALITE } from '../sources.ts';
import { put, remove, update } from '../steps.ts';
import { hashTable } from '../tables.ts';
import { L, M, N, S, SS } from '../values.ts';
import type { WireItem } from '../values.ts';

const RETURN_VALUES = docs('API_UpdateItem, ReturnValues');
const key = { pk: S('x') };

/** One update in one mode. */
function mode(
  id: string,
  source: string,
  item: WireItem | undefined,
  expression: string,
  values: WireItem,
  more: string,
  attributes: WireItem | undefined,
): Row {
  return row(`return-values/${id}`, 'DB-183 DB-185', source, {
    table: hashTable,
    ...(item === undefined ? {} : { items: [{ ...key, ...item }] }),
    steps: [
      update(key, expression, {
        ...(Object.keys(values).length === 0 ? {} : { ExpressionAttributeValues: values }),
        ReturnValues: more,
      }).gives(attributes === undefined ? {} : { Attributes: attributes }),
    ],
  });
}

const before = { a: N(1), b: S('same'), c: S('gone') };
const expression = 'SET a = :a, d = :d REMOVE c';
const values = { ':a': N(2), ':d': S('new') };

export const returnValueRows: readonly Row[] = [
  mode('none', RETURN_VALUES, before, expression, values, 'NONE', undefined),
  mode('all-old', RETURN_VALUES, before, expression, values, 'ALL_OLD', { ...key, ...before }),
  mode('updated-old', RETURN_VALUES, before, expression, values, 'UPDATED_OLD', { a: N(1), c: S('gone') }),
  mode('all-new', RETURN_VALUES, before, expression, values, 'ALL_NEW', { ...key, a: N(2), b: S('same'), d: S('new') }),
  mode('updated-new', RETURN_VALUES, before, expression, values, 'UPDATED_NEW', { a: N(2), d: S('new') }),

  mode('all-old-of-a-new-item', ALTERNATOR, undefined, 'SET a = :a', { ':a': N(1) }, 'ALL_OLD', undefined),
  mode('updated-old-of-a-new-item', ALTERNATOR, undefined, 'SET a = :a', { ':a': N(1) }, 'UPDATED_OLD', undefined),
  mode(
    'updated-old-of-a-new-attribute',
    ALTERNATOR,
    { b: N(1) },
    'SET a = :a',
    { ':a': N(1) },
    'UPDATED_OLD',
    undefined,
  ),
  mode('updated-new-of-a-removed-attribute', ALTERNATOR, { a: N(1) }, 'REMOVE a', {}, 'UPDATED_NEW', undefined),
  mode(
    'updated-new-of-a-nested-path',
    ALTERNATOR,
    { a: M({ b: N(1), c: N(2) }) },
    'SET a.b = :v',
    { ':v': N(9) },
    'UPDATED_NEW',
    { a: M({ b: N(9) }) },
  ),
  mode(
    'updated-old-of-a-nested-path',
    ALTERNATOR,
    { a: M({ b: N(1), c: N(2) }) },
    'SET a.b = :v',
    { ':v': N(9) },
    'UPDATED_OLD',
    { a: M({ b: N(1) }) },
  ),
  mode(
    'updated-new-of-list-elements',
    ALTERNATOR,
    { a: L(S('0'), S('1'), S('2')) },
    'SET a[0] = :v, a[2] = :v',
    { ':v': S('new') },
    'UPDATED_NEW',
    { a: L(S('new'), S('new')) },
  ),
  mode(
    'updated-new-of-several-nested-paths',
    ALTERNATOR,
    { a: M({ b: M({ c: N(1), d: N(2) }), e: N(3) }) },
    'SET a.b.c = :v, a.e = :v',
    { ':v': N(9) },
    'UPDATED_NEW',
    { a: M({ b: M({ c: N(9) }), e: N(9) }) },
  ),
  mode('updated-new-of-a-set', RETURN_VALUES, { a: SS('x') }, 'ADD a :v', { ':v': SS('y') }, 'UPDATED_NEW', {
    a: SS('x', 'y'),
  }),
  mode(
    'value-that-does-not-change-is-returned',
    RETURN_VALUES,
    { a: N(1) },
    'SET a = :v',
    { ':v': N(1) },
    'UPDATED_NEW',
    { a: N(1) },
  ),

  row('return-values/put-takes-two', 'DB-184', DYNALITE, {
    table: hashTable,
    steps: ['ALL_NEW', 'UPDATED_OLD', 'UPDATED_NEW'].map((value) =>
      put(key, { ReturnValues: value }).invalid('ReturnValues can only be ALL_OLD or NONE'),
    ),
  }),
  row('return-values/delete-takes-two', 'DB-184', ALTERNATOR, {
    table: hashTable,
    steps: ['ALL_NEW', 'UPDATED_OLD', 'UPDATED_NEW'].map((value) =>
      remove(key, { ReturnValues: value }).invalid(messageContaining('ReturnValues can only be ALL_OLD or NONE')),
    ),
  }),
  row('return-values/unknown-value', 'DB-183 DB-273', `${DYNALITE}; reworded since 2026`, {
    table: hashTable,
    steps: [
      update(key, undefined, { ReturnValues: 'SOME' }).invalid(
        oneOf(
          "Value 'SOME' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]",
          messageContaining(
            'Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]',
          ),
        ),
      ),
    ],
  }),
  row('return-values/cost-nothing', 'DB-185 DB-191', RETURN_VALUES, {
    table: hashTable,
    items: [{ ...key, a: S('x'.repeat(3000)) }],
    steps: [
      update(key, 'SET b = :b', {
        ExpressionAttributeValues: { ':b': N(1) },
        ReturnValues: 'ALL_OLD',
        ReturnConsumedCapacity: 'TOTAL',
      }).gives({
        Attributes: { ...key, a: S('x'.repeat(3000)) },
        ConsumedCapacity: { TableName: '$T', CapacityUnits: 3 },
      }),
    ],
  }),
];
