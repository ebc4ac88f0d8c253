import { anyString, messageContaining } from '../matchers.ts';
import type { JsonObject, Row } from '../row.ts';
import { row } from '../row.ts';
import { billingDetails } from '../fixtures.ts';
import { ALTERNATOR, CAPTURED_2026, docs, EXTENDDB, LOCALSTACK, MOTO } from '../sources.ts';
import {
  cancelled,
  check,
  checkAction,
  conditionReason,
  deleteAction,
  error,
  get,
  items,
  put,
  putAction,
  query,
  scan,
  transactGet,
  transactWrite,
  updateAction,
  validationReason,
} from '../steps.ts';
import { hashTable, rangeTable, table } from '../tables.ts';
import { L, N, S, SS } from '../values.ts';
import type { WireValue } from '../values.ts';

const TRANSACTIONS = docs('DynamoDB transactions: how it works');
const key = (name: string) => ({ pk: S(name) });
const NOT_EXISTS = { ConditionExpression: 'attribute_not_exists(pk)' };
const TWICE = 'Transaction request cannot include multiple operations on one item';

/** A transaction of one action that is cancelled because of its key. */
function cancelledKey(type: string, value: WireValue): Row {
  const mismatch = 'The provided key element does not match the schema';
  return row(`transact-write/key-may-not-be-${type}`, 'DB-175 DB-054', CAPTURED_2026, {
    table: hashTable,
    steps: [
      transactWrite([putAction({ pk: value })]).answers(
        cancelled(
          validationReason(
            `One or more parameter values were invalid: Type mismatch for key pk expected: S actual: ${type}`,
          ),
        ),
      ),
      ...[
        updateAction({ pk: value }, 'SET a = :a', { ExpressionAttributeValues: { ':a': N(1) } }),
        deleteAction({ pk: value }),
        checkAction({ pk: value }, 'attribute_not_exists(pk)'),
      ].map((action) => transactWrite([action]).answers(cancelled(validationReason(mismatch)))),
    ],
  });
}

function refused(
  id: string,
  covers: string,
  source: string,
  actions: readonly JsonObject[],
  message: Parameters<ReturnType<typeof transactWrite>['invalid']>[0],
): Row {
  return row(`transact-write/${id}`, covers, source, {
    table: hashTable,
    steps: [transactWrite(actions).invalid(message), scan().gives(items())],
  });
}

export const transactWriteRows: readonly Row[] = [
  row('transact-write/every-kind-of-action', 'DB-171', TRANSACTIONS, {
    tables: { T: hashTable, U: rangeTable },
    itemsOf: { T: [{ ...key('updated'), n: N(1) }, key('deleted'), { ...key('checked'), ok: N(1) }] },
    steps: [
      transactWrite([
        putAction({ pk: S('put'), sk: S('s') }, { TableName: '$U' }),
        updateAction(key('updated'), 'SET n = n + :one', { ExpressionAttributeValues: { ':one': N(1) } }),
        deleteAction(key('deleted')),
        checkAction(key('checked'), 'ok = :one', { ExpressionAttributeValues: { ':one': N(1) } }),
      ]).gives({}),
      get({ pk: S('put'), sk: S('s') }, { TableName: '$U' }).gives({ Item: { pk: S('put'), sk: S('s') } }),
      get(key('updated')).gives({ Item: { ...key('updated'), n: N(2) } }),
      get(key('deleted')).gives({}),
      get(key('checked')).gives({ Item: { ...key('checked'), ok: N(1) } }),
    ],
  }),
  row('transact-write/all-or-nothing', 'DB-170', LOCALSTACK, {
    table: hashTable,
    items: [key('2')],
    steps: [
      transactWrite([putAction(key('1')), putAction({ ...key('2'), a: N(1) }, NOT_EXISTS)]).answers(
        cancelled(undefined, conditionReason()),
      ),
      scan().gives(items(key('2'))),
    ],
  }),
  row('transact-write/reasons-in-request-order', 'DB-175 DB-278', ALTERNATOR, {
    table: hashTable,
    items: [key('3')],
    steps: [
      transactWrite([
        putAction(key('1')),
        putAction(key('2'), NOT_EXISTS),
        putAction(key('3'), NOT_EXISTS),
        deleteAction(key('4')),
      ]).answers(cancelled(undefined, undefined, conditionReason(), undefined)),
      transactWrite([
        putAction(key('3'), NOT_EXISTS),
        putAction(key('1')),
        checkAction(key('absent'), 'attribute_exists(pk)'),
        updateAction(key('3'), 'SET a = :a', {
          ExpressionAttributeValues: { ':a': N(1) },
          ConditionExpression: 'a = :a',
        }),
      ]).invalid(TWICE),
      transactWrite([
        putAction(key('3'), NOT_EXISTS),
        putAction(key('1')),
        checkAction(key('absent'), 'attribute_exists(pk)'),
      ]).answers(cancelled(conditionReason(), undefined, conditionReason())),
      scan().gives(items(key('3'))),
    ],
  }),
  row('transact-write/returns-the-items-that-failed-the-condition', 'DB-176', MOTO, {
    table: hashTable,
    items: ['put', 'update', 'delete', 'check'].map((name) => ({ ...key(name), a: N(1) })),
    steps: [
      transactWrite([
        putAction(key('put'), { ...NOT_EXISTS, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
        updateAction(key('update'), 'SET a = :b', {
          ConditionExpression: 'a = :b',
          ExpressionAttributeValues: { ':b': N(2) },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
        deleteAction(key('delete'), { ...NOT_EXISTS, ReturnValuesOnConditionCheckFailure: 'NONE' }),
        checkAction(key('check'), 'attribute_not_exists(pk)', { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
        putAction(key('absent'), {
          ConditionExpression: 'attribute_exists(pk)',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      ]).answers(
        cancelled(
          conditionReason({ ...key('put'), a: N(1) }),
          conditionReason({ ...key('update'), a: N(1) }),
          conditionReason(),
          conditionReason({ ...key('check'), a: N(1) }),
          conditionReason(),
        ),
      ),
    ],
  }),
  row('transact-write/permission-check-across-items', 'DB-171 DB-234 DB-181', docs('Transactions, permission checks'), {
    tables: { T: table('PK:S'), U: billingDetails.table },
    itemsOf: { U: [{ PK: S('Amazon'), Admins: SS('Jeff Bezos', 'Andy Jassy') }], T: [{ PK: S('BILLING#Amazon') }] },
    steps: [
      ...(
        [
          ['Larry Ellison', cancelled(conditionReason(), undefined)],
          ['Andy Jassy', undefined],
        ] as const
      ).map(([user, outcome]) => {
        const attempt = transactWrite([
          {
            ConditionCheck: {
              TableName: '$U',
              Key: { PK: S('Amazon') },
              ConditionExpression: 'contains(#a, :user)',
              ExpressionAttributeNames: { '#a': 'Admins' },
              ExpressionAttributeValues: { ':user': S(user) },
            },
          },
          deleteAction({ PK: S('BILLING#Amazon') }),
        ]);
        return outcome === undefined ? attempt.gives({}) : attempt.answers(outcome);
      }),
      get({ PK: S('BILLING#Amazon') }).gives({}),
    ],
  }),
  row('transact-write/two-unique-attributes', 'DB-181 DB-232', docs('Transactions, uniqueness'), {
    table: hashTable,
    steps: [
      transactWrite([putAction(key('USER#alex'), NOT_EXISTS), putAction(key('EMAIL#alex@x'), NOT_EXISTS)]).gives({}),
      transactWrite([putAction(key('USER#alexander'), NOT_EXISTS), putAction(key('EMAIL#alex@x'), NOT_EXISTS)]).answers(
        cancelled(undefined, conditionReason()),
      ),
      get(key('USER#alexander')).gives({}),
    ],
  }),
  row('transact-write/conditions-see-the-state-before', 'DB-170 DB-171', TRANSACTIONS, {
    table: hashTable,
    steps: [
      transactWrite([
        putAction(key('1')),
        checkAction(key('2'), 'attribute_not_exists(pk)'),
        putAction(key('3'), NOT_EXISTS),
      ]).gives({}),
      scan({ Select: 'COUNT' }).gives({ Count: 2, ScannedCount: 2 }),
    ],
  }),
  row('transact-write/reads-see-all-of-it-or-none', 'DB-179 DB-170', TRANSACTIONS, {
    table: table('pk:S', { gsis: { gsi1: 'a:S' } }),
    steps: [
      transactWrite([putAction({ ...key('1'), a: S('v') }), putAction({ ...key('2'), a: S('v') })]).gives({}),
      transactGet([{ Key: key('1') }, { Key: key('2') }]).gives({
        Responses: [{ Item: { ...key('1'), a: S('v') } }, { Item: { ...key('2'), a: S('v') } }],
      }),
      query('a = :a', { ':a': S('v') }, { IndexName: 'gsi1', Select: 'COUNT' }).gives({ Count: 2, ScannedCount: 2 }),
    ],
  }),
  row('transact-write/has-no-index', 'DB-065 DB-179', TRANSACTIONS, {
    table: table('pk:S', { gsis: { gsi1: 'a:S' } }),
    items: [{ ...key('1'), a: S('v') }],
    steps: [
      transactWrite([deleteAction({ a: S('v') }, { IndexName: 'gsi1' })]).answers(
        cancelled(validationReason('The provided key element does not match the schema')),
      ),
    ],
  }),
  row('transact-write/a-hundred-actions', 'DB-119 DB-172', CAPTURED_2026, {
    table: hashTable,
    steps: [
      transactWrite(Array.from({ length: 100 }, (_, n) => putAction(key(`item-${n}`)))).gives({}),
      scan({ Select: 'COUNT' }).gives({ Count: 100, ScannedCount: 100 }),
    ],
  }),
  refused(
    'a-hundred-and-one-actions',
    'DB-119 DB-172',
    CAPTURED_2026,
    Array.from({ length: 101 }, (_, n) => putAction(key(`item-${n}`))),
    messageContaining(
      "at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to 100",
    ),
  ),
  refused(
    'no-actions',
    'DB-273',
    CAPTURED_2026,
    [],
    "Value '[]' at 'transactItems' failed to satisfy constraint: Member must have length greater than or equal to 1",
  ),
  row('transact-write/four-megabytes', 'DB-119', ALTERNATOR, {
    table: hashTable,
    steps: [
      transactWrite(
        Array.from({ length: 30 }, (_, n) => putAction({ ...key(`item-${n}`), p: S('x'.repeat(100_000)) })),
      ).gives({}),
      transactWrite(
        Array.from({ length: 50 }, (_, n) => putAction({ ...key(`more-${n}`), p: S('x'.repeat(100_000)) })),
      ).invalid(messageContaining('size cannot exceed')),
      scan({
        Select: 'COUNT',
        FilterExpression: 'begins_with(pk, :m)',
        ExpressionAttributeValues: { ':m': S('more') },
      }).givesPartly({ Count: 0 }),
    ],
  }),
  row('transact-write/what-is-deleted-does-not-count', 'DB-119', ALTERNATOR, {
    table: hashTable,
    steps: [
      ...[0, 1].map((half) =>
        transactWrite(
          Array.from({ length: 25 }, (_, n) => putAction({ ...key(`${half}-${n}`), p: S('x'.repeat(100_000)) })),
        ).gives({}),
      ),
      transactWrite(
        [0, 1].flatMap((half) => Array.from({ length: 25 }, (_, n) => deleteAction(key(`${half}-${n}`)))),
      ).gives({}),
      scan().gives(items()),
    ],
  }),
  row('transact-write/names-and-values-without-an-expression', 'DB-171', EXTENDDB, {
    table: hashTable,
    steps: [
      transactWrite([
        putAction(key('a'), { ExpressionAttributeNames: { '#n': 'n' }, ExpressionAttributeValues: { ':n': N(1) } }),
        deleteAction(key('b'), { ExpressionAttributeNames: { '#n': 'n' } }),
      ]).gives({}),
      transactGet([{ Key: key('a'), ExpressionAttributeNames: { '#n': 'n' } }]).gives({
        Responses: [{ Item: key('a') }],
      }),
      transactWrite([putAction(key('a'), { ...NOT_EXISTS, ExpressionAttributeNames: { '#n': 'n' } })]).invalid(
        `Value provided in ExpressionAttributeNames unused in expressions: keys: {#n}`,
      ),
    ],
  }),
  row('transact-write/one-item-twice', 'DB-173', `${MOTO}; ${ALTERNATOR}`, {
    tables: { T: hashTable, U: rangeTable },
    steps: [
      transactWrite([putAction(key('1')), putAction(key('1'))]).invalid(TWICE),
      transactWrite([putAction(key('1')), deleteAction(key('1'))]).invalid(TWICE),
      transactWrite([putAction(key('1')), checkAction(key('1'), 'attribute_not_exists(pk)')]).invalid(TWICE),
      transactWrite([
        putAction({ pk: S('x'), sk: S('y'), a: N(1) }, { TableName: '$U' }),
        deleteAction({ sk: S('y'), pk: S('x') }, { TableName: '$U' }),
      ]).invalid(TWICE),
      scan().gives(items()),
    ],
  }),
  row('transact-write/same-key-in-two-tables', 'DB-173', TRANSACTIONS, {
    tables: { T: hashTable, U: hashTable },
    steps: [
      transactWrite([putAction(key('1')), putAction(key('1'), { TableName: '$U' })]).gives({}),
      scan({ TableName: '$U' }).gives(items(key('1'))),
    ],
  }),
  refused(
    'two-actions-in-one',
    'DB-171',
    docs('API_TransactWriteItem'),
    [{ ...putAction(key('1')), ...deleteAction(key('2')) }],
    'TransactItems can only contain one of Check, Put, Update or Delete',
  ),
  refused('no-action-in-one', 'DB-171', docs('API_TransactWriteItem'), [{}], anyString),
  refused(
    'check-without-a-condition',
    'DB-171',
    ALTERNATOR,
    [{ ConditionCheck: { TableName: '$T', Key: key('1') } }],
    messageContaining('onditionExpression'),
  ),
  refused(
    'expression-is-checked-first',
    'DB-175 DB-273',
    ALTERNATOR,
    [putAction(key('1')), putAction(key('2'), { ConditionExpression: 'hello!' })],
    messageContaining('Syntax error'),
  ),
  refused(
    'name-not-defined',
    'DB-175 DB-198',
    ALTERNATOR,
    [putAction(key('1'), { ConditionExpression: 'attribute_exists(#xyz)' })],
    'Invalid ConditionExpression: An expression attribute name used in the document path is not defined; attribute name: #xyz',
  ),
  refused(
    'value-not-used',
    'DB-175 DB-198',
    ALTERNATOR,
    [putAction(key('1'), { ConditionExpression: 'attribute_exists(pk)', ExpressionAttributeValues: { ':xyz': N(7) } })],
    'Value provided in ExpressionAttributeValues unused in expressions: keys: {:xyz}',
  ),
  refused(
    'empty-values',
    'DB-198',
    MOTO,
    [putAction(key('1'), { ...NOT_EXISTS, ExpressionAttributeValues: {} })],
    'ExpressionAttributeValues must not be empty',
  ),
  refused(
    'verb-twice',
    'DB-237',
    MOTO,
    [updateAction(key('1'), 'SET a = :a SET b = :a', { ExpressionAttributeValues: { ':a': N(1) } })],
    'Invalid UpdateExpression: The "SET" section can only be used once in an update expression;',
  ),
  refused(
    'unknown-return-values',
    'DB-176',
    ALTERNATOR,
    [putAction(key('1'), { ...NOT_EXISTS, ReturnValuesOnConditionCheckFailure: 'dog' })],
    messageContaining('eturnValuesOnConditionCheckFailure'),
  ),
  refused(
    'empty-key',
    'DB-028',
    CAPTURED_2026,
    [putAction(key(''))],
    'One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: pk',
  ),
  refused(
    'empty-key-to-update',
    'DB-028',
    MOTO,
    [updateAction(key(''), 'SET a = :a', { ExpressionAttributeValues: { ':a': N(0) } })],
    'One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: pk',
  ),
  cancelledKey('N', N(5)),
  cancelledKey('L', L(S('x'))),
  row('transact-write/only-the-first-invalid-action-is-named', 'DB-175', ALTERNATOR, {
    table: hashTable,
    steps: [
      transactWrite([
        putAction({ pk: N(7) }),
        putAction({ pk: N(8) }),
        putAction(key('1'), { ConditionExpression: 'attribute_exists(pk)' }),
      ]).answers(
        cancelled(
          validationReason('One or more parameter values were invalid: Type mismatch for key pk expected: S actual: N'),
          undefined,
          undefined,
        ),
      ),
    ],
  }),
  row('transact-write/update-that-does-not-fit-the-item', 'DB-175 DB-240', TRANSACTIONS, {
    table: hashTable,
    items: [{ ...key('1'), a: S('text') }],
    steps: [
      transactWrite([
        putAction(key('2')),
        updateAction(key('1'), 'SET a = a + :one', { ExpressionAttributeValues: { ':one': N(1) } }),
      ]).answers(
        cancelled(undefined, validationReason('An operand in the update expression has an incorrect data type')),
      ),
      transactWrite([
        updateAction(key('1'), 'SET m.b = :one', { ExpressionAttributeValues: { ':one': N(1) } }),
      ]).answers(
        cancelled(validationReason('The document path provided in the update expression is invalid for update')),
      ),
      scan().gives(items({ ...key('1'), a: S('text') })),
    ],
  }),
  row(
    'transact-write/key-cannot-be-updated',
    'DB-050 DB-175',
    `${docs('API_TransactWriteItems')}; whether up front or as a reason is not documented`,
    {
      table: hashTable,
      steps: [
        transactWrite([updateAction(key('1'), 'SET pk = :a', { ExpressionAttributeValues: { ':a': S('2') } })]).answers(
          cancelled(
            validationReason(
              'One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key',
            ),
          ),
          error(
            'ValidationException',
            'One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key',
          ),
        ),
      ],
    },
  ),
  row('transact-write/missing-table', 'DB-275', CAPTURED_2026, {
    table: hashTable,
    steps: [
      transactWrite([putAction(key('1')), putAction(key('1'), { TableName: '$U' })]).fails(
        'ResourceNotFoundException',
        'Requested resource not found',
      ),
      scan().gives(items()),
    ],
  }),
  row('transact-write/overlapping-transactions-have-a-serial-outcome', 'DB-178 DB-094', TRANSACTIONS, {
    table: hashTable,
    items: [{ ...key('n'), n: N(0) }],
    steps: [
      check('fifty increments, each tried until it is through', async ({ send, expect, tableName }) => {
        const increment = async (n: number): Promise<void> => {
          for (let attempt = 0; attempt < 200; attempt++) {
            const answer = await send('TransactWriteItems', {
              TransactItems: [
                updateAction(key('n'), 'SET n = n + :one', { ExpressionAttributeValues: { ':one': N(1) } }),
                putAction(key(`log-${n}`), NOT_EXISTS),
              ],
            });
            if (answer.status === 200) return;
            const reasons =
              (answer.body as { CancellationReasons?: readonly { Code: string }[] }).CancellationReasons ?? [];
            expect(
              'only conflicts',
              reasons.every(({ Code }) => Code === 'None' || Code === 'TransactionConflict'),
              true,
            );
          }
          expect(`increment ${n} of ${tableName('T')}`, 'never through', 'through');
        };
        await Promise.all(Array.from({ length: 50 }, (_, n) => increment(n)));
      }),
      get(key('n')).gives({ Item: { ...key('n'), n: N(50) } }),
      scan({ Select: 'COUNT' }).gives({ Count: 51, ScannedCount: 51 }),
    ],
  }),
  row('transact-write/condition-on-what-is-put', 'DB-171 DB-222', TRANSACTIONS, {
    table: hashTable,
    items: [{ ...key('1'), version: N(3) }],
    steps: [
      transactWrite([
        putAction(
          { ...key('1'), version: N(4) },
          { ConditionExpression: 'version = :v', ExpressionAttributeValues: { ':v': N(3) } },
        ),
      ]).gives({}),
      put(
        { ...key('1'), version: N(5) },
        { ConditionExpression: 'version = :v', ExpressionAttributeValues: { ':v': N(4) } },
      ).gives({}),
    ],
  }),
];
