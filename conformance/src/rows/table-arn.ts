import { anyString, messageContaining, partial } from '../matchers.ts';
import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { ACK_2026, docs, EXTENDDB, OUTSIDE_2026 } from '../sources.ts';
import {
  batchGet,
  call,
  check,
  deleteAction,
  describeTable,
  get,
  items,
  put,
  putAction,
  query,
  remove,
  scan,
  transactGet,
  transactWrite,
  update,
} from '../steps.ts';
import { hashTable } from '../tables.ts';
import { N, S } from '../values.ts';

const SOURCE = `${docs('API_GetItem: TableName')}; ${EXTENDDB}`;
const learnArn = describeTable({ saves: { arn: 'Table.TableArn' } }).givesPartly({ Table: partial({}) });
const byArn = { TableName: '$arn' };
const inNowhere = { TableName: 'arn:aws:dynamodb:nowhere-1:000000000000:table/Music' };
const inNoRegion =
  "1 validation error detected: Invalid AWS region in 'arn:aws:dynamodb:nowhere-1:000000000000:table/Music'";
const x = { pk: S('x') };
const malformed = [
  ['arn:moon:dynamodb:us-east-1:000000000000:table/Music', 'Invalid AWS partition in '],
  ['arn:aws:dynamodb:us-east-1:000000000000:tabel/Music', 'Invalid resource type in '],
  ['arn:aws:dynamodb:us-east-1:000000000000', 'Valid ARN format is '],
  ['arn:aws:dynamodb:us-east-1:000000000000:table/Music/index/gsi1', 'Valid ARN format is '],
] as const;

/** Wherever a request names a table, its ARN does as well. */
export const tableArnRows: readonly Row[] = [
  row('table-arn/requests-for-one-item', 'DB-137 DB-141', SOURCE, {
    table: hashTable,
    steps: [
      learnArn,
      put({ ...x, n: N(1) }, byArn).gives({}),
      update(x, 'SET n = n + :one', { ...byArn, ExpressionAttributeValues: { ':one': N(1) } }).gives({}),
      get(x, byArn).gives({ Item: { ...x, n: N(2) } }),
      remove(x, { ...byArn, ReturnValues: 'ALL_OLD' }).gives({ Attributes: { ...x, n: N(2) } }),
    ],
  }),
  row('table-arn/query-and-scan', 'DB-137 DB-180', SOURCE, {
    table: hashTable,
    items: [x],
    steps: [learnArn, query('pk = :p', { ':p': S('x') }, byArn).gives(items(x)), scan(byArn).gives(items(x))],
  }),
  row('table-arn/batch-get-echoes-what-it-was-given', 'DB-137 DB-160', SOURCE, {
    table: hashTable,
    items: [x],
    steps: [
      learnArn,
      call('BatchGetItem', { RequestItems: { $arn: { Keys: [x] } }, ReturnConsumedCapacity: 'TOTAL' }).gives({
        Responses: { $arn: [x] },
        UnprocessedKeys: {},
        ConsumedCapacity: [{ TableName: '$arn', CapacityUnits: 0.5 }],
      }),
      batchGet([x]).gives({ Responses: { $T: [x] }, UnprocessedKeys: {} }),
    ],
  }),
  row('table-arn/transactions', 'DB-137 DB-171', SOURCE, {
    table: hashTable,
    items: [x],
    steps: [
      learnArn,
      transactWrite([putAction({ pk: S('y') }, byArn), deleteAction(x, byArn)]).gives({}),
      transactGet([{ Key: { pk: S('y') }, ...byArn }, { Key: x }]).gives({
        Responses: [{ Item: { pk: S('y') } }, {}],
      }),
    ],
  }),
  row('table-arn/of-something-else', 'DB-137 DB-270', SOURCE, {
    table: hashTable,
    steps: [
      learnArn,
      ...['$arn/index/gsi1', '$arn/stream/2026-01-01T00:00:00.000', 'arn:aws:dynamodb'].map((TableName) =>
        get(x, { TableName }).fails('ValidationException', anyString),
      ),
    ],
  }),
  row('table-arn/of-an-unknown-region', 'DB-137 DB-270', `${ACK_2026}; ${OUTSIDE_2026}`, {
    steps: [
      call('DescribeTable', inNowhere).fails('ValidationException', inNoRegion),
      get(x, inNowhere).fails('ValidationException', inNoRegion),
    ],
  }),
  row('table-arn/of-another-region', 'DB-137 DB-270', ACK_2026, {
    table: hashTable,
    steps: [
      check('the ARN of a table in the next region', async ({ send, succeed, expect }) => {
        const described = (await succeed('DescribeTable', { TableName: '$T' })) as { Table: { TableArn: string } };
        const arn = described.Table.TableArn.replace(/^(arn:[^:]*:dynamodb):[^:]*:/, (_, start: string) => {
          return `${start}:${described.Table.TableArn.includes(':us-west-2:') ? 'us-east-1' : 'us-west-2'}:`;
        });
        const { body } = await send('DescribeTable', { TableName: arn });
        expect('error', body, {
          __type: 'com.amazon.coral.validate#ValidationException',
          message: `1 validation error detected: Invalid AWS region in '${arn}'`,
        });
      }),
    ],
  }),
  row('table-arn/malformed', 'DB-137 DB-270', `${ACK_2026}; ${EXTENDDB}`, {
    steps: malformed.map(([TableName, text]) =>
      call('DescribeTable', { TableName }).fails('ValidationException', messageContaining(text)),
    ),
  }),
];
