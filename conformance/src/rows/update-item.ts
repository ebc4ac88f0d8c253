import { oneOf } from '../matchers.ts';
import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { ALTERNATOR, docs, DYNALITE } from '../sources.ts';
import { check, get, items, scan, update } from '../steps.ts';
import { hashTable, rangeTable, table } from '../tables.ts';
import { N, S } from '../values.ts';

const UPDATE = docs('API_UpdateItem');
const key = { pk: S('x') };

export const updateItemRows: readonly Row[] = [
  row('update-item/creates-an-absent-item', 'DB-144 DB-239', UPDATE, {
    table: rangeTable,
    steps: [
      update({ pk: S('x'), sk: S('y') }, 'SET a = :a', { ExpressionAttributeValues: { ':a': N(1) } }).gives({}),
      get({ pk: S('x'), sk: S('y') }).gives({ Item: { pk: S('x'), sk: S('y'), a: N(1) } }),
    ],
  }),
  row('update-item/leaves-the-other-attributes-alone', 'DB-144 DB-238', UPDATE, {
    table: hashTable,
    items: [{ ...key, a: N(1), b: N(2), c: S('same') }],
    steps: [
      update(key, 'SET a = :a REMOVE b', { ExpressionAttributeValues: { ':a': N(3) } }).gives({}),
      get(key).gives({ Item: { ...key, a: N(3), c: S('same') } }),
    ],
  }),
  row('update-item/nothing-but-the-key', 'DB-144', `${UPDATE}; ${ALTERNATOR}`, {
    table: hashTable,
    steps: [
      update(key, undefined).gives({}),
      get(key).gives({ Item: key }),
      update(key, undefined, { ReturnValues: 'ALL_NEW' }).gives({ Attributes: key }),
    ],
  }),
  row(
    'update-item/removing-from-an-absent-item-makes-none',
    'DB-144 DB-243',
    docs('API_UpdateItem, AttributeUpdates'),
    {
      table: hashTable,
      steps: [update(key, 'REMOVE a').gives({}), get(key).gives({})],
    },
  ),
  row('update-item/increments-at-once-all-count', 'DB-146 DB-240', UPDATE, {
    table: hashTable,
    items: [{ ...key, n: N(0), m: N(0) }],
    steps: [
      check('a hundred increments', async ({ send, expect }) => {
        const answers = await Promise.all(
          Array.from({ length: 100 }, () =>
            send('UpdateItem', {
              TableName: '$T',
              Key: key,
              UpdateExpression: 'SET n = n + :one ADD m :two',
              ExpressionAttributeValues: { ':one': N(1), ':two': N(2) },
            }),
          ),
        );
        expect('successes', answers.filter((answer) => answer.status === 200).length, 100);
      }),
      get(key).gives({ Item: { ...key, n: N(100), m: N(200) } }),
    ],
  }),
  row('update-item/condition-guards-creation', 'DB-144 DB-221', UPDATE, {
    table: hashTable,
    steps: [
      update(key, 'SET a = :a', {
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':a': N(1) },
      }).conditionFails(),
      get(key).gives({}),
    ],
  }),
  row('update-item/returns-the-item-that-failed-the-condition', 'DB-176 DB-274', UPDATE, {
    table: hashTable,
    items: [{ ...key, n: N(5) }],
    steps: [
      update(key, 'SET n = n - :n', {
        ConditionExpression: 'n >= :n',
        ExpressionAttributeValues: { ':n': N(7) },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }).conditionFails({ ...key, n: N(5) }),
    ],
  }),
  row('update-item/names-one-item', 'DB-141', UPDATE, {
    table: rangeTable,
    items: [
      { pk: S('x'), sk: S('1') },
      { pk: S('x'), sk: S('2') },
    ],
    steps: [
      update(key, 'SET a = :a', { ExpressionAttributeValues: { ':a': N(1) } }).invalid(
        'The provided key element does not match the schema',
      ),
      update({ pk: S('x'), sk: S('1') }, 'SET a = :a', { ExpressionAttributeValues: { ':a': N(1) } }).gives({}),
      scan().gives(items({ pk: S('x'), sk: S('1'), a: N(1) }, { pk: S('x'), sk: S('2') })),
    ],
  }),
  row('update-item/has-no-index', 'DB-065 DB-141', UPDATE, {
    table: table('pk:S', { gsis: { gsi1: 'a:S' } }),
    items: [{ ...key, a: S('y') }],
    steps: [
      update({ a: S('y') }, 'SET b = :b', { IndexName: 'gsi1', ExpressionAttributeValues: { ':b': N(1) } }).invalid(
        'The provided key element does not match the schema',
      ),
    ],
  }),
  row('update-item/no-key', 'DB-141 DB-273', DYNALITE, {
    table: hashTable,
    steps: [
      update({}, undefined, { Key: undefined }).invalid(
        oneOf(
          "Value null at 'key' failed to satisfy constraint: Member must not be null",
          "Value at 'Key' failed to satisfy constraint: Member must not be null",
        ),
      ),
    ],
  }),
];
