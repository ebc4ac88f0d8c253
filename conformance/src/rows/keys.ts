import { oneOf } from '../matchers.ts';
import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { organisations, users } from '../fixtures.ts';
import { CAPTURED_2026, docs, DYNALITE, MOTO } from '../sources.ts';
import { batchGet, call, deleteAction, get, items, put, query, remove, scan, transactWrite, update } from '../steps.ts';
import { hashTable, numberRangeTable, rangeTable, table } from '../tables.ts';
import { B, BOOL, L, M, N, NULL, S, SS } from '../values.ts';
import type { WireValue } from '../values.ts';

const PRIMARY_KEY = docs('Core components, primary key');
const SCHEMA_MISMATCH = 'The provided key element does not match the schema';
const missingKey = (name: string): string =>
  `One or more parameter values were invalid: Missing the key ${name} in the item`;
const wrongType = (name: string, expected: string, actual: string): string =>
  `One or more parameter values were invalid: Type mismatch for key ${name} expected: ${expected} actual: ${actual}`;
const emptyKey = (name: string, kind = 'string'): string =>
  `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty ${kind} value. Key: ${name}`;
const PARTITION_KEY_TOO_LONG =
  'One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes';
const SORT_KEY_TOO_LONG =
  'One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of 1024 bytes';

const strings = (...keys: readonly string[]) => keys.map((key) => ({ pk: S('x'), sk: S(key) }));

function nonScalarKey(type: string, value: WireValue): Row {
  return row(`keys/never-a-${type}`, 'DB-037 DB-054', DYNALITE, {
    table: hashTable,
    steps: [
      put({ pk: value }).invalid(wrongType('pk', 'S', type)),
      get({ pk: value }).invalid(SCHEMA_MISMATCH),
      update({ pk: value }, undefined).invalid(SCHEMA_MISMATCH),
      remove({ pk: value }).invalid(SCHEMA_MISMATCH),
    ],
  });
}

export const keyRows: readonly Row[] = [
  row('keys/simple-key-finds-one-item', 'DB-045', PRIMARY_KEY, {
    table: users.table,
    items: users.items,
    steps: [
      query('Username = :u', { ':u': S('dayoneguy') }).gives(items(users.items[1] ?? {})),
      query('Username = :u', { ':u': S('absent') }).gives(items()),
    ],
  }),
  row('keys/composite-key-finds-many-items', 'DB-046 DB-055', PRIMARY_KEY, {
    table: organisations.table,
    items: organisations.items,
    steps: [
      query('PK = :p', { ':p': S('ORG#BERKSHIRE') }).gives(items(...organisations.items.slice(0, 3))),
      query('PK = :p AND begins_with(SK, :u)', { ':p': S('ORG#FACEBOOK'), ':u': S('USER#') }).gives(
        items(...organisations.items.slice(4)),
      ),
    ],
  }),
  row('keys/the-whole-key-is-unique', 'DB-047 DB-049', PRIMARY_KEY, {
    table: rangeTable,
    items: [
      { pk: S('A'), sk: S('1'), n: N(1) },
      { pk: S('A'), sk: S('2'), n: N(2) },
      { pk: S('A'), sk: S('1'), n: N(3) },
    ],
    steps: [scan().gives(items({ pk: S('A'), sk: S('1'), n: N(3) }, { pk: S('A'), sk: S('2'), n: N(2) }))],
  }),
  row('keys/put-needs-the-partition-key', 'DB-048', DYNALITE, {
    table: rangeTable,
    steps: [put({ sk: S('a') }).invalid(missingKey('pk')), put({}).invalid(missingKey('pk'))],
  }),
  row('keys/put-needs-the-sort-key', 'DB-048', DYNALITE, {
    table: rangeTable,
    steps: [put({ pk: S('a') }).invalid(missingKey('sk'))],
  }),
  row('keys/partial-key', 'DB-048 DB-141', DYNALITE, {
    table: rangeTable,
    steps: [
      get({ pk: S('a') }).invalid(SCHEMA_MISMATCH),
      update({ pk: S('a') }, undefined).invalid(SCHEMA_MISMATCH),
      remove({ pk: S('a') }).invalid(SCHEMA_MISMATCH),
      batchGet([{ pk: S('a') }]).invalid(SCHEMA_MISMATCH),
    ],
  }),
  row('keys/key-with-a-further-attribute', 'DB-054 DB-141', DYNALITE, {
    table: hashTable,
    steps: [
      get({ pk: S('a'), b: S('c') }).invalid(SCHEMA_MISMATCH),
      update({ pk: S('a'), b: S('c') }, undefined).invalid(SCHEMA_MISMATCH),
      remove({ pk: S('a'), b: S('c') }).invalid(SCHEMA_MISMATCH),
    ],
  }),
  row('keys/key-of-another-name', 'DB-054', DYNALITE, {
    table: hashTable,
    steps: [get({ id: S('a') }).invalid(SCHEMA_MISMATCH), get({}).invalid(SCHEMA_MISMATCH)],
  }),
  row('keys/type-is-enforced-on-writes', 'DB-054', MOTO, {
    table: numberRangeTable,
    steps: [
      put({ pk: N(1), sk: N(2) }).invalid(wrongType('pk', 'S', 'N')),
      put({ pk: S('1'), sk: S('2') }).invalid(wrongType('sk', 'N', 'S')),
    ],
  }),
  row('keys/type-is-enforced-on-reads', 'DB-054', DYNALITE, {
    table: numberRangeTable,
    steps: [
      get({ pk: N(1), sk: N(2) }).invalid(SCHEMA_MISMATCH),
      get({ pk: S('1'), sk: S('2') }).invalid(SCHEMA_MISMATCH),
      query('pk = :p', { ':p': N(1) }).invalid(
        'One or more parameter values were invalid: Condition parameter type does not match schema type',
      ),
    ],
  }),
  nonScalarKey('BOOL', BOOL(true)),
  nonScalarKey('NULL', NULL),
  nonScalarKey('L', L(S('a'))),
  nonScalarKey('M', M({ a: S('b') })),
  nonScalarKey('SS', SS('a')),
  row('keys/only-scalar-types-can-be-declared', 'DB-037 DB-015', DYNALITE, {
    steps: [
      call('CreateTable', { ...table('pk:BOOL'), TableName: '$T' }).invalid(
        oneOf(
          "1 validation error detected: Value 'BOOL' at 'attributeDefinitions.1.member.attributeType' failed to satisfy constraint: Member must satisfy enum value set: [B, N, S]",
        ),
      ),
    ],
  }),
  row('keys/nested-key-attributes-cannot-be-addressed', 'DB-037', DYNALITE, {
    table: hashTable,
    steps: [
      get({ pk: S('x') }, { ProjectionExpression: 'pk.a' }).invalid(
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: pk",
      ),
    ],
  }),
  row('keys/cannot-be-updated', 'DB-050', `${DYNALITE}; ${CAPTURED_2026}`, {
    table: rangeTable,
    items: [{ pk: S('a'), sk: S('b') }],
    steps: [
      ...['pk', 'sk'].map((name) =>
        update({ pk: S('a'), sk: S('b') }, `SET ${name} = :v`, { ExpressionAttributeValues: { ':v': S('c') } }).invalid(
          `One or more parameter values were invalid: Cannot update attribute ${name}. This attribute is part of the key`,
        ),
      ),
      update({ pk: S('a'), sk: S('b') }, 'REMOVE sk').invalid(
        'One or more parameter values were invalid: Cannot update attribute sk. This attribute is part of the key',
      ),
      scan().gives(items({ pk: S('a'), sk: S('b') })),
    ],
  }),
  row('keys/changed-by-delete-and-put-in-a-transaction', 'DB-050', docs('TransactWriteItems'), {
    table: hashTable,
    items: [{ pk: S('old'), n: N(1) }],
    steps: [
      transactWrite([
        deleteAction({ pk: S('old') }),
        { Put: { TableName: '$T', Item: { pk: S('new'), n: N(1) } } },
      ]).gives({}),
      scan().gives(items({ pk: S('new'), n: N(1) })),
    ],
  }),

  row('keys/strings-sort-by-bytes', 'DB-051', docs('Query'), {
    table: rangeTable,
    items: strings('a', 'Dean', '10', 'DeBrie', '2', '#x', '1', 'A', 'é', 'z', '😃', 'ﬀ', 'a\u0000', '~'),
    steps: [
      // The smiling face is four bytes starting with F0. It follows the ligature, three bytes starting with EF.
      query('pk = :p', { ':p': S('x') }).gives(
        items(...strings('#x', '1', '10', '2', 'A', 'DeBrie', 'Dean', 'a', 'a\u0000', 'z', '~', 'é', 'ﬀ', '😃')),
      ),
    ],
  }),
  row('keys/numbers-sort-by-value', 'DB-051', docs('Query'), {
    table: numberRangeTable,
    items: [2, 10, 1].map((n) => ({ pk: S('x'), sk: N(n) })),
    steps: [query('pk = :p', { ':p': S('x') }).gives(items(...[1, 2, 10].map((n) => ({ pk: S('x'), sk: N(n) }))))],
  }),

  row('keys/longest-partition-key', 'DB-052', `${DYNALITE}; ${docs('Service quotas')}`, {
    table: hashTable,
    steps: [
      put({ pk: S('x'.repeat(2048)) }).gives({}),
      get({ pk: S('x'.repeat(2048)) }).gives({ Item: { pk: S('x'.repeat(2048)) } }),
      put({ pk: S('x'.repeat(2049)) }).invalid(PARTITION_KEY_TOO_LONG),
      get({ pk: S('x'.repeat(2049)) }).invalid(PARTITION_KEY_TOO_LONG),
      put({ pk: S('😃'.repeat(512)) }).gives({}),
      put({ pk: S('😃'.repeat(512) + 'x') }).invalid(PARTITION_KEY_TOO_LONG),
    ],
  }),
  row('keys/longest-sort-key', 'DB-052', `${DYNALITE}; ${docs('Service quotas')}`, {
    table: rangeTable,
    steps: [
      put({ pk: S('a'), sk: S('x'.repeat(1024)) }).gives({}),
      put({ pk: S('a'), sk: S('x'.repeat(1025)) }).invalid(SORT_KEY_TOO_LONG),
      get({ pk: S('a'), sk: S('x'.repeat(1025)) }).invalid(SORT_KEY_TOO_LONG),
    ],
  }),
  row('keys/longest-binary-key', 'DB-052', docs('Service quotas'), {
    table: table('pk:B'),
    steps: [
      put({ pk: B(Array<number>(2048).fill(7)) }).gives({}),
      put({ pk: B(Array<number>(2049).fill(7)) }).invalid(PARTITION_KEY_TOO_LONG),
    ],
  }),
  row('keys/empty-string', 'DB-028 DB-052', CAPTURED_2026, {
    table: rangeTable,
    steps: [
      put({ pk: S(''), sk: S('a') }).invalid(emptyKey('pk')),
      put({ pk: S('a'), sk: S('') }).invalid(emptyKey('sk')),
      get({ pk: S(''), sk: S('a') }).invalid(emptyKey('pk')),
      update({ pk: S(''), sk: S('a') }, undefined).invalid(emptyKey('pk')),
      remove({ pk: S('a'), sk: S('') }).invalid(emptyKey('sk')),
      batchGet([{ pk: S(''), sk: S('a') }]).invalid(emptyKey('pk')),
    ],
  }),
  row('keys/empty-binary', 'DB-030 DB-052', CAPTURED_2026, {
    table: table('pk:B'),
    steps: [
      put({ pk: B([]) }).invalid(emptyKey('pk', 'binary')),
      get({ pk: B([]) }).invalid(emptyKey('pk', 'binary')),
      batchGet([{ pk: B([]) }]).invalid(emptyKey('pk', 'binary')),
    ],
  }),
  row('keys/business-names', 'DB-055', PRIMARY_KEY, {
    table: table('Customer-Id:S / order.time:S'),
    steps: [
      put({ 'Customer-Id': S('c'), 'order.time': S('t') }).gives({}),
      query(
        '#c = :c AND #o = :o',
        { ':c': S('c'), ':o': S('t') },
        {
          ExpressionAttributeNames: { '#c': 'Customer-Id', '#o': 'order.time' },
        },
      ).gives(items({ 'Customer-Id': S('c'), 'order.time': S('t') })),
    ],
  }),
  row('keys/prefixes-keep-entities-apart', 'DB-087', docs('Best practices for modelling relational data'), {
    table: hashTable,
    items: [
      { pk: S('ORG#Keller Williams'), kind: S('Organisation') },
      { pk: S('USER#Keller Williams'), kind: S('User') },
    ],
    steps: [
      get({ pk: S('ORG#Keller Williams') }).gives({ Item: { pk: S('ORG#Keller Williams'), kind: S('Organisation') } }),
      get({ pk: S('USER#Keller Williams') }).gives({ Item: { pk: S('USER#Keller Williams'), kind: S('User') } }),
    ],
  }),
];
