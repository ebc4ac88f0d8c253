import { anything, messageContaining, partial } from '../matchers.ts';
import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { assumed, docs } from '../sources.ts';
import { cancelled, check, conditionReason, get, validationReason } from '../steps.ts';
import { hashTable, rangeTable, table } from '../tables.ts';
import { N, S, SS } from '../values.ts';
import {
  executeBatch,
  executeTransaction,
  notWellFormed,
  PARTIQL_2026,
  PARTIQL_FLOCI_2026,
} from './partiql-notation.ts';

const key = (name: string) => ({ pk: S(name) });
const invalid = (Message: string) => ({ Error: { Code: 'ValidationError', Message } });
const batchNeedsKey =
  'Select statements within BatchExecuteStatement must specify the primary key in the where clause.';
const mismatch = 'The provided key element does not match the schema';
const inStatement = (at: number, message: string): string =>
  `Validation failed in TransactStatements[${at}]: ${message}`;
const transactionNeedsKey = inStatement(
  0,
  'Select statements within ExecuteTransaction must specify the primary key in the where clause.',
);
const missing = `UPDATE "$T-never-created" SET a = 1 WHERE pk = 'x'`;
const notFound = { Code: 'ResourceNotFound', Message: 'Requested resource not found' };

/** BatchExecuteStatement and ExecuteTransaction. */
export const partiqlSeveralRows: readonly Row[] = [
  row('partiql-batch/reads', 'DB-139', `${PARTIQL_2026}; ${PARTIQL_FLOCI_2026}`, {
    table: rangeTable,
    items: [{ pk: S('x'), sk: S('1'), flag: S('one') }],
    steps: [
      executeBatch([
        `SELECT sk FROM "$T" WHERE pk IN ['x'] AND sk = '1'`,
        `SELECT * FROM "$T" WHERE pk = 'x' AND sk = 'none'`,
        `SELECT * FROM "$T" WHERE pk = 'x' AND sk = '1' AND flag = 'one'`,
        `SELECT * FROM "$T" WHERE pk = 'x'`,
        `SLECT * FROM "$T" WHERE pk = 'x'`,
        `SELECT * FROM "$T" WHERE`,
        { Statement: `SELECT * FROM "$T" WHERE pk = ?`, Parameters: [N('abc')] },
      ]).gives({
        Responses: [
          { TableName: '$T', Item: { sk: S('1') } },
          { TableName: '$T' },
          invalid(batchNeedsKey),
          invalid(batchNeedsKey),
          invalid(notWellFormed('Expected data manipulation')),
          invalid(notWellFormed('Unexpected term')),
          invalid('The parameter cannot be converted to a numeric value: abc'),
        ],
      }),
      executeBatch([`SELECT * FROM "$T-never-created" WHERE pk = 'x'`]).gives({
        Responses: [{ Error: { Code: 'ResourceNotFound', Message: anything } }],
      }),
    ],
  }),
  row('partiql-batch/reads-of-indexes', 'DB-139', PARTIQL_2026, {
    table: table('pk:S', { gsis: { gsi1: 'g:S', gsi2: 'g:S h:S' } }),
    steps: [
      executeBatch([
        `SELECT * FROM "$T"."gsi1" WHERE g = 'a'`,
        `SELECT * FROM "$T"."gsi2" WHERE g = 'a' AND h = 'b'`,
      ]).gives({
        Responses: [
          invalid(batchNeedsKey),
          invalid(
            'PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys.',
          ),
        ],
      }),
    ],
  }),
  row('partiql-batch/writes', 'DB-139', PARTIQL_2026, {
    table: hashTable,
    items: [
      { ...key('u'), data: S('before') },
      { ...key('d'), data: S('gone') },
      key('dup'),
      { ...key('e'), data: S('old') },
    ],
    steps: [
      executeBatch([
        `INSERT INTO "$T" VALUE {'pk': 'i', 'data': 'new'}`,
        `UPDATE "$T" SET data = 'after' WHERE pk = 'u' RETURNING MODIFIED NEW *`,
        `DELETE FROM "$T" WHERE pk = 'd' RETURNING ALL OLD *`,
        `INSERT INTO "$T" VALUE {'pk': 'dup'}`,
        `UPDATE "$T" SET a = 1 WHERE pk = 'absent'`,
        `UPDATE "$T" REMOVE data WHERE pk = 'e' RETURNING MODIFIED NEW *`,
        `DELETE FROM "$T" WHERE pk = 'x' RETURNING MODIFIED OLD *`,
      ]).gives({
        Responses: [
          { TableName: '$T' },
          { TableName: '$T', Item: { data: S('after') } },
          { TableName: '$T', Item: { ...key('d'), data: S('gone') } },
          { TableName: '$T', Error: { Code: 'DuplicateItem', Message: 'Duplicate primary key exists in table' } },
          { TableName: '$T', Error: { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed' } },
          { TableName: '$T' },
          invalid(
            'Invalid returning clause: RETURNING MODIFIED OLD *. Only RETURNING ALL OLD * is allowed in DELETE statements.',
          ),
        ],
      }),
      get(key('i')).gives({ Item: { ...key('i'), data: S('new') } }),
    ],
  }),
  row('partiql-batch/one-kind', 'DB-273', assumed('documented; the texts are those of neighbouring actions'), {
    table: hashTable,
    steps: [
      executeBatch([`SELECT * FROM "$T" WHERE pk = 'a'`, `DELETE FROM "$T" WHERE pk = 'b'`]).invalid(
        messageContaining('does not support both read and write operations'),
      ),
      executeBatch([`SELECT * FROM "$T" WHERE pk = 'a'`, `SELECT pk FROM "$T" WHERE pk = 'a'`]).invalid(
        messageContaining('duplicates'),
      ),
    ],
  }),
  row('partiql-batch/empty', 'DB-273', PARTIQL_2026, {
    table: hashTable,
    steps: [executeBatch([]).invalid(messageContaining('Member must have length greater than or equal to 1'))],
  }),
  row('partiql-transactions/reads', 'DB-278', PARTIQL_FLOCI_2026, {
    table: rangeTable,
    items: [
      { pk: S('x'), sk: S('1'), flag: S('right') },
      { pk: S('x'), sk: S('2') },
    ],
    steps: [
      executeTransaction([
        `SELECT flag FROM "$T" WHERE (sk='1') AND pk='x' AND pk='x'`,
        `SELECT sk FROM "$T" WHERE pk IN ['x'] AND sk IN ['2']`,
      ]).gives({ Responses: [{ Item: { flag: S('right') } }, { Item: { sk: S('2') } }] }),
      ...[
        `pk='x' AND sk='1' AND flag='right'`,
        `pk='x' AND sk='1' AND pk='y'`,
        `pk='x'`,
        `pk IN ['y'] AND pk='x' AND sk='1'`,
      ].map((where) => executeTransaction([`SELECT * FROM "$T" WHERE ${where}`]).invalid(transactionNeedsKey)),
      executeTransaction([`SELECT * FROM "$T" WHERE pk IN ['x','x'] AND sk='1'`]).invalid(
        inStatement(0, 'Overlapping conditions with range keys are not supported in where clause'),
      ),
      executeTransaction([`SELECT * FROM "$T"."idx" WHERE pk='x' AND sk='1'`]).invalid(
        inStatement(0, 'Reads on indices are not supported within transactions.'),
      ),
      executeTransaction(['SELECT * FROM "$T" WHERE']).invalid(inStatement(0, notWellFormed('Unexpected term'))),
      executeTransaction([
        `SELECT * FROM "$T" WHERE pk='x' AND sk='1'`,
        `SELECT flag FROM "$T" WHERE sk='1' AND pk='x'`,
      ]).invalid('Transaction request cannot include multiple operations on one item'),
      executeTransaction([
        `SELECT * FROM "$T" WHERE pk='x' AND sk='1'`,
        `SELECT * FROM "$T" WHERE pk=1 AND sk='1'`,
      ]).answers(cancelled(undefined, validationReason(mismatch))),
    ],
  }),
  row('partiql-transactions/writes', 'DB-278', `${PARTIQL_2026}; ${PARTIQL_FLOCI_2026}`, {
    table: hashTable,
    items: [key('u'), key('d'), { ...key('x'), free: S('y') }, { ...key('x3'), Awards: N(1) }],
    steps: [
      executeTransaction([
        `INSERT INTO "$T" VALUE {'pk': 'i'}`,
        `UPDATE "$T" SET ss = set_add(ss, <<'t'>>) WHERE pk = 'u' AND attribute_exists(pk)`,
        `DELETE FROM "$T" WHERE pk = 'd'`,
        `EXISTS(SELECT * FROM "$T" WHERE pk = 'x' AND Awards IS MISSING)`,
      ]).gives({ Responses: [] }),
      get(key('u')).gives({ Item: { ...key('u'), ss: SS('t') } }),
      executeTransaction([
        `EXISTS(SELECT * FROM "$T" WHERE pk = 'x3' AND Awards IS MISSING)`,
        `UPDATE "$T" SET touched = 1 WHERE pk = 'u'`,
      ]).answers(cancelled(conditionReason(), undefined)),
      executeTransaction([
        `EXISTS(SELECT * FROM "$T" WHERE pk = 'x')`,
        `UPDATE "$T" SET touched = 1 WHERE pk = 'u'`,
      ]).invalid(inStatement(0, 'EXISTS() must contain a single item read with additional condition')),
      get(key('u')).gives({ Item: { ...key('u'), ss: SS('t') } }),
      executeTransaction([`UPDATE "$T" SET n = 1 WHERE pk = 'u'`], { ReturnConsumedCapacity: 'TOTAL' }).gives({
        Responses: [],
        ConsumedCapacity: [partial({ TableName: '$T', CapacityUnits: 2 })],
      }),
    ],
  }),
  row('partiql-transactions/order-of-refusals', 'DB-278', PARTIQL_FLOCI_2026, {
    table: rangeTable,
    steps: [
      executeTransaction([
        'SELECT',
        { Statement: `UPDATE "$T" SET a = ? WHERE pk = 'x' AND sk = '1'`, Parameters: [SS('a', 'a')] },
      ]).invalid('One or more parameter values were invalid: Input collection [a, a] contains duplicates.'),
      executeTransaction([
        `SELECT * FROM "$T" WHERE pk='x' AND sk='1'`,
        `DELETE FROM "$T" WHERE pk='y' AND sk='1'`,
      ]).invalid('ExecuteTransaction API does not support both read and write operations in the same request.'),
      executeTransaction([missing, `UPDATE "$T" SET a=1 WHERE pk='x' AND sk='1' RETURNING ALL NEW *`]).invalid(
        inStatement(1, 'RETURNING clause is not supported in ExecuteTransaction.'),
      ),
      executeTransaction([`${missing} RETURNING ALL NEW *`, `DELETE FROM "$T-never-created" WHERE pk='y'`]).answers(
        cancelled(notFound, notFound),
      ),
      executeTransaction([
        `UPDATE "$T" SET a=1 WHERE pk='keys'`,
        `UPDATE "$T" SET a=1 WHERE pk='keys' AND sk=1`,
        `INSERT INTO "$T" VALUE {'pk':'keys-insert'}`,
        `UPDATE "$T" SET a=1 WHERE pk='keys' AND sk='1'`,
      ]).answers(
        cancelled(
          validationReason(mismatch),
          validationReason(mismatch),
          validationReason('One or more parameter values were invalid: Missing the key sk in the item'),
          undefined,
        ),
      ),
    ],
  }),
  row('partiql-transactions/client-token', 'DB-174', docs('API_ExecuteTransaction'), {
    table: hashTable,
    items: [{ ...key('x'), n: N(1) }],
    steps: [
      check('three times', async ({ succeed, tableName }) => {
        for (let time = 0; time < 3; time += 1) {
          await succeed('ExecuteTransaction', {
            TransactStatements: [{ Statement: `UPDATE "$T" SET n = n + 1 WHERE pk = 'x'` }],
            ClientRequestToken: `${tableName('T')}-ql`.slice(-36),
          });
        }
      }),
      get(key('x')).gives({ Item: { ...key('x'), n: N(2) } }),
    ],
  }),
];
