import { oneOf } from '../matchers.ts';
import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { users } from '../fixtures.ts';
import { docs, DYNALITE } from '../sources.ts';
import { get } from '../steps.ts';
import { hashTable, rangeTable, table } from '../tables.ts';
import { L, M, N, S, SS } from '../values.ts';

const GET = docs('API_GetItem');
const alex = users.items[0] ?? {};

export const getItemRows: readonly Row[] = [
  row('get-item/found', 'DB-142', GET, {
    table: users.table,
    items: users.items,
    steps: [get({ Username: S('alexdebrie') }).gives({ Item: alex })],
  }),
  row('get-item/not-found', 'DB-142', GET, {
    table: users.table,
    items: users.items,
    steps: [get({ Username: S('AlexDeBrie') }).gives({})],
  }),
  row('get-item/eventually-consistent', 'DB-142 DB-182', GET, {
    table: users.table,
    items: users.items,
    steps: [get({ Username: S('alexdebrie') }, { ConsistentRead: false }).givesPartly({})],
  }),
  row('get-item/projected', 'DB-142 DB-216', GET, {
    table: users.table,
    items: users.items,
    steps: [
      get({ Username: S('alexdebrie') }, { ProjectionExpression: 'FirstName, LastName, Nickname' }).gives({
        Item: { FirstName: S('Alex'), LastName: S('DeBrie') },
      }),
    ],
  }),
  row('get-item/nothing-of-the-projection-is-there', 'DB-142 DB-216', DYNALITE, {
    table: hashTable,
    items: [{ pk: S('x'), a: N(1) }],
    steps: [get({ pk: S('x') }, { ProjectionExpression: 'b' }).gives({ Item: {} })],
  }),
  row('get-item/number-and-binary-keys', 'DB-142 DB-054', GET, {
    table: table('pk:N / sk:B'),
    items: [{ pk: N('1.0'), sk: { B: 'AAE=' }, a: S('found') }],
    steps: [get({ pk: N('1'), sk: { B: 'AAE=' } }).gives({ Item: { pk: N('1'), sk: { B: 'AAE=' }, a: S('found') } })],
  }),
  row('get-item/item-with-documents', 'DB-142', GET, {
    table: rangeTable,
    items: [{ pk: S('x'), sk: S('y'), d: M({ l: L(N(1), M({ s: SS('a') })) }) }],
    steps: [
      get({ sk: S('y'), pk: S('x') }).gives({
        Item: { pk: S('x'), sk: S('y'), d: M({ l: L(N(1), M({ s: SS('a') })) }) },
      }),
    ],
  }),
  row('get-item/no-key', 'DB-141 DB-273', DYNALITE, {
    table: hashTable,
    steps: [
      get({}, { Key: undefined }).invalid(
        oneOf(
          "Value null at 'key' failed to satisfy constraint: Member must not be null",
          "Value at 'Key' failed to satisfy constraint: Member must not be null",
        ),
      ),
    ],
  }),
  row('get-item/has-no-index', 'DB-065 DB-141', GET, {
    table: table('pk:S', { gsis: { gsi1: 'a:S' } }),
    items: [{ pk: S('x'), a: S('y') }],
    steps: [
      // IndexName is not a parameter of GetItem. It is ignored, and the key is still that of the table.
      get({ a: S('y') }, { IndexName: 'gsi1' }).invalid('The provided key element does not match the schema'),
      get({ pk: S('x') }, { IndexName: 'gsi1' }).gives({ Item: { pk: S('x'), a: S('y') } }),
    ],
  }),
];
