import { anyNumber, anyString, partial } from '../matchers.ts';
import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { ALTERNATOR, assumed, docs, DYNALITE } from '../sources.ts';
import {
  batchGet,
  batchWrite,
  call,
  check,
  createTable,
  describeTable,
  error,
  get,
  put,
  putAction,
  putRequest,
  query,
  remove,
  response,
  scan,
  transactGet,
  transactWrite,
  update,
} from '../steps.ts';
import { hashTable, table } from '../tables.ts';
import { S } from '../values.ts';

const NOT_FOUND = 'Requested resource not found';
const TABLE_NOT_FOUND = 'Requested resource not found: Table: $T not found';
const key = { pk: S('x') };

export const listDescribeDeleteRows: readonly Row[] = [
  row('describe-table/active-table', 'DB-136 DB-140', docs('API_DescribeTable'), {
    table: table('pk:S / sk:N', { throughput: [2, 3] }),
    steps: [
      describeTable().givesPartly({
        Table: partial({
          TableName: '$T',
          TableStatus: 'ACTIVE',
          ItemCount: anyNumber,
          TableSizeBytes: anyNumber,
          TableArn: anyString,
          TableId: anyString,
          CreationDateTime: anyNumber,
          DeletionProtectionEnabled: false,
          ProvisionedThroughput: { NumberOfDecreasesToday: 0, ReadCapacityUnits: 2, WriteCapacityUnits: 3 },
        }),
      }),
    ],
  }),
  row('describe-table/missing', 'DB-136 DB-275', DYNALITE, {
    steps: [describeTable().fails('ResourceNotFoundException', TABLE_NOT_FOUND)],
  }),
  row('describe-table/no-name', 'DB-273', DYNALITE, {
    steps: [
      call('DescribeTable', {}).invalid("The parameter 'TableName' is required but was not present in the request"),
    ],
  }),
  row('delete-table/answers-with-the-table', 'DB-136', docs('API_DeleteTable'), {
    table: hashTable,
    items: [key],
    steps: [
      call('DeleteTable', { TableName: '$T' }).givesPartly({
        TableDescription: partial({ TableName: '$T', TableStatus: 'DELETING' }),
      }),
      call('DescribeTable', { TableName: '$T' }, { eventually: true }).fails(
        'ResourceNotFoundException',
        TABLE_NOT_FOUND,
      ),
      get(key).fails('ResourceNotFoundException', NOT_FOUND),
    ],
  }),
  row('delete-table/missing', 'DB-136 DB-275', DYNALITE, {
    steps: [call('DeleteTable', { TableName: '$T' }).fails('ResourceNotFoundException', TABLE_NOT_FOUND)],
  }),
  row('delete-table/name-can-be-used-again', 'DB-136', docs('API_DeleteTable'), {
    table: hashTable,
    items: [key],
    steps: [
      call('DeleteTable', { TableName: '$T' }).succeeds(),
      call('CreateTable', { TableName: '$T', ...hashTable }, { eventually: true }).succeeds(),
      describeTable({ eventually: true }).givesPartly({ Table: partial({ TableStatus: 'ACTIVE' }) }),
      get(key).gives({}),
      scan().gives({ Count: 0, ScannedCount: 0, Items: [] }),
    ],
  }),
  row('delete-table/while-it-is-being-created', 'DB-136 DB-275', DYNALITE, {
    steps: [
      createTable(hashTable).succeeds(),
      // A table that is ready immediately can be deleted immediately.
      call('DeleteTable', { TableName: '$T' }).answers(
        error(
          'ResourceInUseException',
          'Attempt to change a resource which is still in use: Table is being created: $T',
        ),
        response(partial({ TableDescription: partial({ TableStatus: 'DELETING' }) })),
      ),
    ],
  }),
  row('missing-table/every-item-action', 'DB-136 DB-275', DYNALITE, {
    steps: [
      get(key).fails('ResourceNotFoundException', NOT_FOUND),
      put(key).fails('ResourceNotFoundException', NOT_FOUND),
      update(key, undefined).fails('ResourceNotFoundException', NOT_FOUND),
      remove(key).fails('ResourceNotFoundException', NOT_FOUND),
      query('pk = :p', { ':p': S('x') }).fails('ResourceNotFoundException', NOT_FOUND),
      scan().fails('ResourceNotFoundException', NOT_FOUND),
      batchGet([key]).fails('ResourceNotFoundException', NOT_FOUND),
      batchWrite([putRequest(key)]).fails('ResourceNotFoundException', NOT_FOUND),
      transactWrite([putAction(key)]).fails('ResourceNotFoundException', NOT_FOUND),
      transactGet([{ Key: key }]).fails('ResourceNotFoundException', NOT_FOUND),
    ],
  }),
  row('list-tables/pages', 'DB-136', docs('API_ListTables'), {
    tables: { T: hashTable, U: hashTable, V: hashTable },
    steps: [
      check('every page size finds the tables, in order', async ({ succeed, tableName, expect }) => {
        const ours = ['T', 'U', 'V'].map(tableName).toSorted();
        for (const limit of [1, 2, 100]) {
          const found: string[] = [];
          // Other tables come and go. Only the names from our first to our last matter.
          let start: string | undefined = ours[0]?.slice(0, -1);
          while (start !== undefined && start < (ours[2] ?? '')) {
            const page: { TableNames?: readonly string[]; LastEvaluatedTableName?: string } = await succeed(
              'ListTables',
              {
                Limit: limit,
                ExclusiveStartTableName: start,
              },
            );
            found.push(...(page.TableNames ?? []));
            start = page.LastEvaluatedTableName;
          }
          expect(
            `our tables, ${limit} a page`,
            found.filter((name) => ours.includes(name)),
            ours,
          );
        }
      }),
    ],
  }),
  row('list-tables/last-page-has-no-key', 'DB-136', DYNALITE, {
    table: hashTable,
    steps: [call('ListTables', { ExclusiveStartTableName: 'zzz' }).gives({ TableNames: [] })],
  }),
  row('list-tables/limit', 'DB-136', DYNALITE, {
    steps: [
      call('ListTables', { Limit: 0 }).invalid(
        "Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1",
      ),
      call('ListTables', { Limit: 101 }).invalid(
        "Value '101' at 'limit' failed to satisfy constraint: Member must have value less than or equal to 100",
      ),
    ],
  }),
  row('describe-limits/answers', 'DB-139', docs('API_DescribeLimits'), {
    steps: [
      call('DescribeLimits', {}).givesPartly({
        AccountMaxReadCapacityUnits: anyNumber,
        AccountMaxWriteCapacityUnits: anyNumber,
        TableMaxReadCapacityUnits: anyNumber,
        TableMaxWriteCapacityUnits: anyNumber,
      }),
    ],
  }),
  row('describe-endpoints/answers', 'DB-139', ALTERNATOR, {
    steps: [
      call('DescribeEndpoints', {}).givesPartly({
        Endpoints: [partial({ Address: anyString, CachePeriodInMinutes: anyNumber })],
      }),
    ],
  }),
  row('describe-table/active-means-usable', 'DB-136', assumed('a table that is described as active can be used'), {
    steps: [
      createTable(hashTable).succeeds(),
      describeTable({ eventually: true }).givesPartly({ Table: partial({ TableStatus: 'ACTIVE' }) }),
      put(key).gives({}),
      get(key).gives({ Item: key }),
    ],
  }),
];
