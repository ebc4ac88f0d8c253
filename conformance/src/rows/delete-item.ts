import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { docs, OUTSIDE_2026 } from '../sources.ts';
import { check, get, items, remove, scan } from '../steps.ts';
import { hashTable, rangeTable, table } from '../tables.ts';
import { N, nestedList, S } from '../values.ts';

const DELETE = docs('API_DeleteItem');
const key = { pk: S('x') };

export const deleteItemRows: readonly Row[] = [
  row('delete-item/removes-one-item', 'DB-145', DELETE, {
    table: rangeTable,
    items: [
      { pk: S('x'), sk: S('1') },
      { pk: S('x'), sk: S('2') },
    ],
    steps: [remove({ pk: S('x'), sk: S('1') }).gives({}), scan().gives(items({ pk: S('x'), sk: S('2') }))],
  }),
  row('delete-item/is-idempotent', 'DB-145', DELETE, {
    table: hashTable,
    items: [{ ...key, a: N(1) }],
    steps: [
      remove(key, { ReturnValues: 'ALL_OLD' }).gives({ Attributes: { ...key, a: N(1) } }),
      remove(key, { ReturnValues: 'ALL_OLD' }).gives({}),
      remove(key).gives({}),
      get(key).gives({}),
    ],
  }),
  row('delete-item/conditioned', 'DB-145 DB-221', DELETE, {
    table: hashTable,
    items: [{ ...key, n: N(1) }],
    steps: [
      remove(key, { ConditionExpression: 'n > :n', ExpressionAttributeValues: { ':n': N(1) } }).conditionFails(),
      get(key).gives({ Item: { ...key, n: N(1) } }),
      remove(key, { ConditionExpression: 'n = :n', ExpressionAttributeValues: { ':n': N(1) } }).gives({}),
      remove(key, { ConditionExpression: 'attribute_exists(pk)' }).conditionFails(),
    ],
  }),
  row('delete-item/returns-the-item-that-failed-the-condition', 'DB-176 DB-274', DELETE, {
    table: hashTable,
    items: [{ ...key, n: N(1) }],
    steps: [
      remove(key, {
        ConditionExpression: 'n > :n',
        ExpressionAttributeValues: { ':n': N(1) },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }).conditionFails({ ...key, n: N(1) }),
    ],
  }),
  row('delete-item/refusals-beside-a-deep-value-are-counted', 'DB-145 DB-270', OUTSIDE_2026, {
    table: hashTable,
    steps: [
      check('the message says how many errors there are', async ({ send, expect }) => {
        for (const ReturnValues of ['UPDATED_NEW', 'NONE']) {
          const answer = await send('DeleteItem', {
            TableName: '$T',
            Key: key,
            ReturnValues,
            ConditionExpression: 'a = :deep',
            ExpressionAttributeValues: { ':deep': nestedList(100) },
          });
          const { __type, message } = answer.body as { readonly __type: string; readonly message: string };
          expect('error', __type.split('#')[1], 'ValidationException');
          expect('envelope', message.startsWith('1 validation error detected: '), true);
        }
      }),
    ],
  }),
  row('delete-item/has-no-index', 'DB-065 DB-141', DELETE, {
    table: table('pk:S', { gsis: { gsi1: 'a:S' } }),
    items: [{ ...key, a: S('y') }],
    steps: [
      remove({ a: S('y') }, { IndexName: 'gsi1' }).invalid('The provided key element does not match the schema'),
      get(key).gives({ Item: { ...key, a: S('y') } }),
    ],
  }),
];
