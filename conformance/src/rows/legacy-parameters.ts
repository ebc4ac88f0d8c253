import { messageContaining } from '../matchers.ts';
import type { JsonObject, Row } from '../row.ts';
import { row } from '../row.ts';
import { ALTERNATOR, docs, DYNALITE } from '../sources.ts';
import { batchGet, call, get, items, put, remove, scan, update } from '../steps.ts';
import type { Call } from '../steps.ts';
import { hashTable, rangeTable } from '../tables.ts';
import { L, N, NULL, S, SS } from '../values.ts';
import type { WireItem, WireValue } from '../values.ts';

const LEGACY = docs('Legacy conditional parameters');
const key = { pk: S('x') };
const MIXED = 'Can not use both expression and non-expression parameters in the same request:';
const INVALID = 'One or more parameter values were invalid:';

const condition = (ComparisonOperator: string, ...AttributeValueList: readonly WireValue[]): JsonObject => ({
  ComparisonOperator,
  AttributeValueList,
});
const legacyQuery = (keyConditions: JsonObject, more: JsonObject = {}): Call =>
  call('Query', { TableName: '$T', ConsistentRead: true, KeyConditions: keyConditions, ...more });

const at = (sk: string, n: number): WireItem => ({ pk: S('x'), sk: S(sk), n: N(n) });
const first = at('a', 0);
const second = at('ab', 1);
const third = at('b', 2);
const fourth = at('c', 3);
const fifth = at('d', 4);
const sixth = at('e', 5);
const six = [first, second, third, fourth, fifth, sixth];

/** A key condition on the sort key and the items it finds. */
function finds(id: string, sort: JsonObject, ...found: readonly WireItem[]): Row {
  return row(`legacy/key-condition-${id}`, 'DB-147 DB-204', LEGACY, {
    table: rangeTable,
    items: six,
    steps: [legacyQuery({ pk: condition('EQ', S('x')), sk: sort }).gives(items(...found))],
  });
}

/** A scan filter over one item, which passes or not. */
function filters(id: string, filter: JsonObject, passes: boolean, more: JsonObject = {}): Row {
  const item: WireItem = { ...key, s: S('hello'), n: N(5), set: SS('a', 'b'), l: L(N(1)), z: NULL };
  return row(`legacy/filter-${id}`, 'DB-147', LEGACY, {
    table: hashTable,
    items: [item],
    steps: [scan({ ScanFilter: filter, ...more, Select: 'COUNT' }).gives({ Count: passes ? 1 : 0, ScannedCount: 1 })],
  });
}

/** A put over an item under a condition, which holds or not. */
function expects(id: string, expected: JsonObject, holds: boolean, more: JsonObject = {}): Row {
  const attempt = put({ ...key, n: N(9) }, { Expected: expected, ...more });
  return row(`legacy/expected-${id}`, 'DB-147', LEGACY, {
    table: hashTable,
    items: [{ ...key, n: N(5), s: S('hello') }],
    steps: [holds ? attempt.gives({}) : attempt.conditionFails()],
  });
}

/** AttributeUpdates and the item before and after (without the key). */
function updates(id: string, before: WireItem | undefined, attributeUpdates: JsonObject, after: WireItem): Row {
  return row(`legacy/update-${id}`, 'DB-147', docs('Legacy conditional parameters, AttributeUpdates'), {
    table: hashTable,
    ...(before === undefined ? {} : { items: [{ ...key, ...before }] }),
    steps: [
      update(key, undefined, { AttributeUpdates: attributeUpdates }).gives({}),
      get(key).gives({ Item: { ...key, ...after } }),
    ],
  });
}

function refused(id: string, source: string, step: ReturnType<Call['invalid']>): Row {
  return row(`legacy/${id}`, 'DB-147', source, { table: rangeTable, steps: [step] });
}

export const legacyParameterRows: readonly Row[] = [
  finds('eq', condition('EQ', S('ab')), second),
  finds('lt', condition('LT', S('b')), first, second),
  finds('le', condition('LE', S('ab')), first, second),
  finds('gt', condition('GT', S('c')), fifth, sixth),
  finds('ge', condition('GE', S('d')), fifth, sixth),
  finds('begins-with', condition('BEGINS_WITH', S('a')), first, second),
  finds('between', condition('BETWEEN', S('b'), S('d')), third, fourth, fifth),
  row('legacy/query-filter', 'DB-147 DB-211', LEGACY, {
    table: rangeTable,
    items: six,
    steps: [
      legacyQuery({ pk: condition('EQ', S('x')) }, { QueryFilter: { n: condition('GT', N(3)) } }).gives({
        Count: 2,
        ScannedCount: 6,
        Items: six.slice(4),
      }),
      legacyQuery(
        { pk: condition('EQ', S('x')) },
        {
          QueryFilter: { n: condition('GT', N(3)), nowhere: condition('NOT_NULL') },
          ConditionalOperator: 'OR',
          Select: 'COUNT',
        },
      ).gives({ Count: 2, ScannedCount: 6 }),
      legacyQuery({ pk: condition('EQ', S('x')) }, { QueryFilter: { sk: condition('EQ', S('a')) } }).invalid(
        'QueryFilter can only contain non-primary key attributes: Primary key attribute: sk',
      ),
    ],
  }),
  row('legacy/attributes-to-get', 'DB-147 DB-216', LEGACY, {
    table: rangeTable,
    items: six.slice(0, 1),
    steps: [
      get({ pk: S('x'), sk: S('a') }, { AttributesToGet: ['n', 'nowhere'] }).gives({ Item: { n: N(0) } }),
      scan({ AttributesToGet: ['sk'] }).gives(items({ sk: S('a') })),
      legacyQuery({ pk: condition('EQ', S('x')) }, { AttributesToGet: ['n'] }).gives(items({ n: N(0) })),
      batchGet([{ pk: S('x'), sk: S('a') }], { AttributesToGet: ['n'] }).gives({
        Responses: { $T: [{ n: N(0) }] },
        UnprocessedKeys: {},
      }),
      get({ pk: S('x'), sk: S('a') }, { AttributesToGet: ['n', 'n'] }).invalid(
        `${INVALID} Duplicate value in attribute name: n`,
      ),
    ],
  }),

  filters('eq', { n: condition('EQ', N(5)) }, true),
  filters('eq-of-sets', { set: condition('EQ', SS('b', 'a')) }, true),
  filters('ne', { n: condition('NE', N(5)) }, false),
  filters('ne-of-a-missing-attribute', { nowhere: condition('NE', N(5)) }, true),
  filters('in', { n: condition('IN', N(1), N(5)) }, true),
  filters('between', { n: condition('BETWEEN', N(6), N(9)) }, false),
  filters('null', { nowhere: condition('NULL') }, true),
  filters('not-null', { z: condition('NOT_NULL') }, true),
  filters('contains-substring', { s: condition('CONTAINS', S('ell')) }, true),
  filters('contains-element', { set: condition('CONTAINS', S('a')) }, true),
  filters('not-contains', { set: condition('NOT_CONTAINS', S('c')) }, true),
  filters('begins-with', { s: condition('BEGINS_WITH', S('hel')) }, true),
  filters('all-by-default', { n: condition('EQ', N(5)), s: condition('EQ', S('no')) }, false),
  filters('any-with-or', { n: condition('EQ', N(5)), s: condition('EQ', S('no')) }, true, {
    ConditionalOperator: 'OR',
  }),
  filters('other-type', { n: condition('EQ', S('5')) }, false),

  expects('value', { n: { Value: N(5) } }, true),
  expects('other-value', { n: { Value: N(6) } }, false),
  expects('exists', { n: { Exists: true, Value: N('5.0') } }, true),
  expects('not-exists', { nowhere: { Exists: false } }, true),
  expects('not-exists-but-does', { n: { Exists: false } }, false),
  expects('comparison', { n: condition('GE', N(5)) }, true),
  expects('comparison-that-fails', { n: condition('LT', N(5)) }, false),
  expects('all-by-default', { n: { Value: N(5) }, s: { Value: S('no') } }, false),
  expects('any-with-or', { n: { Value: N(5) }, s: { Value: S('no') } }, true, { ConditionalOperator: 'OR' }),
  row('legacy/expected-on-update-and-delete', 'DB-147', LEGACY, {
    table: hashTable,
    items: [{ ...key, n: N(1) }],
    steps: [
      update(key, undefined, {
        Expected: { n: { Value: N(2) } },
        AttributeUpdates: { n: { Value: N(3) } },
      }).conditionFails(),
      remove(key, { Expected: { n: { Value: N(2) } } }).conditionFails(),
      update(key, undefined, { Expected: { n: { Value: N(1) } }, AttributeUpdates: { n: { Value: N(3) } } }).gives({}),
      remove(key, { Expected: { n: { Value: N(3) } }, ReturnValues: 'ALL_OLD' }).gives({
        Attributes: { ...key, n: N(3) },
      }),
    ],
  }),

  updates('put', { a: N(1), b: N(2) }, { a: { Action: 'PUT', Value: S('new') } }, { a: S('new'), b: N(2) }),
  updates('put-by-default', undefined, { a: { Value: N(1) } }, { a: N(1) }),
  updates(
    'add-number',
    { n: N(1) },
    { n: { Action: 'ADD', Value: N(-3) }, m: { Action: 'ADD', Value: N(4) } },
    { n: N(-2), m: N(4) },
  ),
  updates('add-to-set', { s: SS('a') }, { s: { Action: 'ADD', Value: SS('a', 'b') } }, { s: SS('a', 'b') }),
  updates('add-to-list', { l: L(N(1)) }, { l: { Action: 'ADD', Value: L(N(2)) } }, { l: L(N(1), N(2)) }),
  updates('delete', { a: N(1), b: N(2) }, { a: { Action: 'DELETE' }, nowhere: { Action: 'DELETE' } }, { b: N(2) }),
  updates('delete-from-set', { s: SS('a', 'b') }, { s: { Action: 'DELETE', Value: SS('a') } }, { s: SS('b') }),
  updates('delete-whole-set', { s: SS('a') }, { s: { Action: 'DELETE', Value: SS('a') } }, {}),
  row('legacy/update-that-does-not-fit', 'DB-147', DYNALITE, {
    table: hashTable,
    items: [{ ...key, a: S('text') }],
    steps: [
      update(key, undefined, { AttributeUpdates: { a: { Action: 'ADD', Value: N(1) } } }).invalid(
        'Type mismatch for attribute to update',
      ),
      update(key, undefined, { AttributeUpdates: { a: { Action: 'ADD', Value: S('x') } } }).invalid(
        `${INVALID} ADD action is not supported for the type S`,
      ),
      update(key, undefined, { AttributeUpdates: { a: { Action: 'DELETE', Value: N(1) } } }).invalid(
        `${INVALID} DELETE action with value is not supported for the type N`,
      ),
      update(key, undefined, { AttributeUpdates: { a: { Action: 'PUT' } } }).invalid(
        `${INVALID} Only DELETE action is allowed when no attribute value is specified`,
      ),
      update(key, undefined, { AttributeUpdates: { pk: { Value: S('y') } } }).invalid(
        `${INVALID} Cannot update attribute pk. This attribute is part of the key`,
      ),
      get(key).gives({ Item: { ...key, a: S('text') } }),
    ],
  }),

  row('legacy/not-together-with-expressions', 'DB-147', DYNALITE, {
    table: hashTable,
    steps: [
      put(key, { Expected: { a: { Exists: false } }, ConditionExpression: 'attribute_not_exists(a)' }).invalid(
        `${MIXED} Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}`,
      ),
      update(key, 'REMOVE a', { AttributeUpdates: { b: { Action: 'DELETE' } } }).invalid(
        `${MIXED} Non-expression parameters: {AttributeUpdates} Expression parameters: {UpdateExpression}`,
      ),
      get(key, { AttributesToGet: ['a'], ProjectionExpression: 'a' }).invalid(
        `${MIXED} Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}`,
      ),
      scan({ ScanFilter: { a: condition('NULL') }, FilterExpression: 'attribute_not_exists(a)' }).invalid(
        `${MIXED} Non-expression parameters: {ScanFilter} Expression parameters: {FilterExpression}`,
      ),
      call('Query', {
        TableName: '$T',
        KeyConditions: { pk: condition('EQ', S('x')) },
        KeyConditionExpression: 'pk = :p',
        ExpressionAttributeValues: { ':p': S('x') },
      }).invalid(`${MIXED} Non-expression parameters: {KeyConditions} Expression parameters: {KeyConditionExpression}`),
      batchGet([key], { AttributesToGet: ['a'], ProjectionExpression: 'a' }).invalid(
        messageContaining('Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}'),
      ),
    ],
  }),
  row('legacy/key-conditions-with-a-filter-expression', 'DB-147', ALTERNATOR, {
    table: rangeTable,
    items: six,
    steps: [
      legacyQuery(
        { pk: condition('EQ', S('x')) },
        { FilterExpression: 'n > :n', ExpressionAttributeValues: { ':n': N(4) } },
      ).gives({ Count: 1, ScannedCount: 6, Items: six.slice(5) }),
    ],
  }),
  refused(
    'key-condition-without-the-partition-key',
    DYNALITE,
    legacyQuery({ sk: condition('EQ', S('a')) }).invalid('Query condition missed key schema element: pk'),
  ),
  refused(
    'key-condition-with-an-operator-that-cannot-be-indexed',
    DYNALITE,
    legacyQuery({ pk: condition('EQ', S('x')), sk: condition('NE', S('a')) }).invalid(
      'Attempted conditional constraint is not an indexable operation',
    ),
  ),
  refused(
    'wrong-number-of-arguments',
    DYNALITE,
    legacyQuery({ pk: condition('EQ', S('x'), S('y')) }).invalid(
      `${INVALID} Invalid number of argument(s) for the EQ ComparisonOperator`,
    ),
  ),
  refused(
    'operator-that-does-not-fit-the-type',
    DYNALITE,
    scan({ ScanFilter: { a: condition('LT', SS('a')) } }).invalid(
      `${INVALID} ComparisonOperator LT is not valid for SS AttributeValue type`,
    ),
  ),
  refused(
    'between-upside-down',
    DYNALITE,
    scan({ ScanFilter: { a: condition('BETWEEN', N(2), N(1)) } }).invalid(
      'The BETWEEN condition was provided a range where the lower bound is greater than the upper bound',
    ),
  ),
  refused(
    'exists-and-comparison',
    DYNALITE,
    put({ pk: S('x'), sk: S('y') }, { Expected: { a: { Exists: true, ...condition('EQ', N(1)) } } }).invalid(
      `${INVALID} Exists and ComparisonOperator cannot be used together for Attribute: a`,
    ),
  ),
  refused(
    'value-missing',
    DYNALITE,
    put({ pk: S('x'), sk: S('y') }, { Expected: { a: { Exists: true } } }).invalid(
      `${INVALID} Value must be provided when Exists is true for Attribute: a`,
    ),
  ),
  refused(
    'value-where-none-may-be',
    DYNALITE,
    put({ pk: S('x'), sk: S('y') }, { Expected: { a: { Exists: false, Value: N(1) } } }).invalid(
      `${INVALID} Value cannot be used when Exists is false for Attribute: a`,
    ),
  ),
  refused(
    'nothing-expected',
    DYNALITE,
    put({ pk: S('x'), sk: S('y') }, { Expected: { a: {} } }).invalid(
      `${INVALID} Value must be provided when Exists is null for Attribute: a`,
    ),
  ),
];
