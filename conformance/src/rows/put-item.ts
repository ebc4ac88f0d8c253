import { oneOf } from '../matchers.ts';
import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { ALTERNATOR, CAPTURED_2026, docs, LOCALSTACK } from '../sources.ts';
import { check, get, put, update } from '../steps.ts';
import { hashTable, rangeTable } from '../tables.ts';
import { L, M, N, S } from '../values.ts';

const PUT = docs('API_PutItem');
const key = { pk: S('x') };

export const putItemRows: readonly Row[] = [
  row('put-item/answers-with-nothing', 'DB-143', LOCALSTACK, {
    table: hashTable,
    steps: [put(key).gives({}), put(key).gives({})],
  }),
  row('put-item/replaces-the-whole-item', 'DB-049 DB-143', PUT, {
    table: hashTable,
    items: [{ ...key, a: N(1), b: N(2) }],
    steps: [put({ ...key, c: N(3) }).gives({}), get(key).gives({ Item: { ...key, c: N(3) } })],
  }),
  row('put-item/guarded-put-does-not-overwrite', 'DB-049 DB-232', PUT, {
    table: rangeTable,
    items: [{ pk: S('x'), sk: S('1'), n: N(1) }],
    steps: [
      put({ pk: S('x'), sk: S('1'), n: N(2) }, { ConditionExpression: 'attribute_not_exists(pk)' }).conditionFails(),
      get({ pk: S('x'), sk: S('1') }).gives({ Item: { pk: S('x'), sk: S('1'), n: N(1) } }),
      // The condition refers to this item, not to the item collection.
      put({ pk: S('x'), sk: S('2'), n: N(2) }, { ConditionExpression: 'attribute_not_exists(pk)' }).gives({}),
    ],
  }),
  row('put-item/one-of-many-guarded-puts-succeeds', 'DB-146', PUT, {
    table: hashTable,
    steps: [
      check('a hundred puts at once', async ({ send, expect }) => {
        const answers = await Promise.all(
          Array.from({ length: 100 }, (_, n) =>
            send('PutItem', {
              TableName: '$T',
              Item: { ...key, n: N(n) },
              ConditionExpression: 'attribute_not_exists(pk)',
            }),
          ),
        );
        expect('successes', answers.filter((answer) => answer.status === 200).length, 1);
        expect('failures', answers.filter((answer) => answer.status === 400).length, 99);
      }),
    ],
  }),
  row('put-item/return-values', 'DB-143 DB-184', LOCALSTACK, {
    table: hashTable,
    steps: [
      put({ ...key, a: N(1) }, { ReturnValues: 'ALL_OLD' }).gives({}),
      put({ ...key, a: N(2) }, { ReturnValues: 'ALL_OLD' }).gives({ Attributes: { ...key, a: N(1) } }),
      put({ ...key, a: N(3) }, { ReturnValues: 'NONE' }).gives({}),
      put({ ...key, a: N(3) }, { ReturnValues: 'ALL_OLD' }).gives({ Attributes: { ...key, a: N(3) } }),
    ],
  }),
  row('put-item/documents-are-replaced-not-merged', 'DB-143', PUT, {
    table: hashTable,
    items: [{ ...key, m: M({ a: N(1), b: L(N(1)) }) }],
    steps: [put({ ...key, m: M({ c: N(2) }) }).gives({}), get(key).gives({ Item: { ...key, m: M({ c: N(2) }) } })],
  }),
  row('put-item/empty-item', 'DB-048', ALTERNATOR, {
    table: hashTable,
    steps: [put({}).invalid('One or more parameter values were invalid: Missing the key pk in the item')],
  }),
  row('put-item/no-item', 'DB-273', `${CAPTURED_2026}; classic text recorded by dynalite`, {
    table: hashTable,
    steps: [
      put(key, { Item: undefined }).invalid(
        oneOf(
          "Value null at 'item' failed to satisfy constraint: Member must not be null",
          "Value at 'Item' failed to satisfy constraint: Member must not be null",
        ),
      ),
    ],
  }),
  row('put-item/condition-sees-the-old-item', 'DB-143 DB-221', PUT, {
    table: hashTable,
    items: [{ ...key, version: N(1) }],
    steps: [
      put(
        { ...key, version: N(2) },
        { ConditionExpression: 'version = :v', ExpressionAttributeValues: { ':v': N(1) } },
      ).gives({}),
      put(
        { ...key, version: N(2) },
        { ConditionExpression: 'version = :v', ExpressionAttributeValues: { ':v': N(1) } },
      ).conditionFails(),
    ],
  }),
  row('put-item/returns-the-item-that-failed-the-condition', 'DB-176 DB-274', LOCALSTACK, {
    table: hashTable,
    items: [{ ...key, a: N(1) }],
    steps: [
      put(
        { ...key, a: N(2) },
        {
          ConditionExpression: 'attribute_not_exists(pk)',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      ).conditionFails({ ...key, a: N(1) }),
      put(
        { ...key, a: N(2) },
        {
          ConditionExpression: 'attribute_not_exists(pk)',
          ReturnValuesOnConditionCheckFailure: 'NONE',
        },
      ).conditionFails(),
      put(
        { pk: S('new') },
        { ConditionExpression: 'attribute_exists(pk)', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
      ).conditionFails(),
    ],
  }),
  row('put-item/then-update-continues-from-it', 'DB-143 DB-144', PUT, {
    table: hashTable,
    steps: [
      put({ ...key, n: N(1) }).gives({}),
      update(key, 'ADD n :one', { ExpressionAttributeValues: { ':one': N(1) }, ReturnValues: 'UPDATED_NEW' }).gives({
        Attributes: { n: N(2) },
      }),
    ],
  }),
];
