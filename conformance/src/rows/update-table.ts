import { anyNumber, messageContaining, oneOf, partial } from '../matchers.ts';
import type { JsonObject, Row } from '../row.ts';
import { row } from '../row.ts';
import { ACK_2026, ALTERNATOR, assumed, docs, DYNALITE, OUTSIDE_2026 } from '../sources.ts';
import { call, check, describeTable, items, put, query, scan, update } from '../steps.ts';
import type { Call } from '../steps.ts';
import { hashTable, rangeTable, table, throughputOf } from '../tables.ts';
import { N, S } from '../values.ts';

const UPDATE_TABLE = docs('API_UpdateTable');
const INVALID = 'One or more parameter values were invalid:';

const updateTable = (input: JsonObject): Call => call('UpdateTable', { TableName: '$T', ...input });

/** An index to create, in the notation of `table`. */
function indexCreation(name: string, spec: string): JsonObject {
  const definition = table('unused:S', { gsis: { [name]: spec } });
  const attributes = definition['AttributeDefinitions'] as readonly JsonObject[];
  const [index] = definition['GlobalSecondaryIndexes'] as readonly JsonObject[];
  return {
    AttributeDefinitions: attributes.filter((attribute) => attribute['AttributeName'] !== 'unused'),
    GlobalSecondaryIndexUpdates: [{ Create: index }],
  };
}

const attributeOf = (AttributeName: string, AttributeType: string): JsonObject => ({ AttributeName, AttributeType });

const indexDeletion = (name: string): JsonObject => ({
  GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: name } }],
});

const active = describeTable({ eventually: true }).givesPartly({ Table: partial({ TableStatus: 'ACTIVE' }) });
const indexActive = describeTable({ eventually: true }).givesPartly({
  Table: partial({ TableStatus: 'ACTIVE', GlobalSecondaryIndexes: [partial({ IndexStatus: 'ACTIVE' })] }),
});
const noIndex = describeTable({ eventually: true }).givesPartly({
  Table: partial({ TableStatus: 'ACTIVE', GlobalSecondaryIndexes: oneOf(undefined) }),
});

export const updateTableRows: readonly Row[] = [
  row('update-table/read-units-alone', 'DB-102 DB-137 DB-007', UPDATE_TABLE, {
    table: table('pk:S', { throughput: [5, 5] }),
    steps: [
      updateTable({ ProvisionedThroughput: throughputOf([7, 5]) }).givesPartly({
        TableDescription: partial({ TableStatus: 'UPDATING' }),
      }),
      active,
      describeTable().givesPartly({
        Table: partial({
          ProvisionedThroughput: partial({
            ReadCapacityUnits: 7,
            WriteCapacityUnits: 5,
            LastIncreaseDateTime: anyNumber,
            NumberOfDecreasesToday: 0,
          }),
        }),
      }),
    ],
  }),
  row('update-table/decrease-is-counted', 'DB-106 DB-137', DYNALITE, {
    table: table('pk:S', { throughput: [5, 5] }),
    steps: [
      updateTable({ ProvisionedThroughput: throughputOf([5, 4]) }).succeeds(),
      active,
      describeTable().givesPartly({
        Table: partial({
          ProvisionedThroughput: partial({
            WriteCapacityUnits: 4,
            LastDecreaseDateTime: anyNumber,
            NumberOfDecreasesToday: 1,
          }),
        }),
      }),
    ],
  }),
  row('update-table/throughput-that-does-not-change', 'DB-137', DYNALITE, {
    table: table('pk:S', { throughput: [5, 6] }),
    steps: [
      updateTable({ ProvisionedThroughput: throughputOf([5, 6]) }).invalid(
        'The provisioned throughput for the table will not change. The requested value equals the current value. ' +
          'Current ReadCapacityUnits provisioned for the table: 5. Requested ReadCapacityUnits: 5. ' +
          'Current WriteCapacityUnits provisioned for the table: 6. Requested WriteCapacityUnits: 6. ' +
          'Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.',
      ),
    ],
  }),
  row('update-table/to-on-demand', 'DB-104 DB-137', `${UPDATE_TABLE}; ${DYNALITE}`, {
    table: table('pk:S', { throughput: [5, 5] }),
    steps: [
      updateTable({ BillingMode: 'PAY_PER_REQUEST' }).givesPartly({
        TableDescription: partial({
          TableStatus: 'UPDATING',
          BillingModeSummary: partial({ BillingMode: 'PAY_PER_REQUEST' }),
        }),
      }),
      active,
      describeTable().givesPartly({
        Table: partial({
          BillingModeSummary: partial({ BillingMode: 'PAY_PER_REQUEST', LastUpdateToPayPerRequestDateTime: anyNumber }),
          ProvisionedThroughput: partial({ ReadCapacityUnits: 0, WriteCapacityUnits: 0 }),
        }),
      }),
      put({ pk: S('x') }).gives({}),
    ],
  }),
  row('update-table/to-provisioned', 'DB-104 DB-137', DYNALITE, {
    table: hashTable,
    steps: [
      updateTable({ BillingMode: 'PROVISIONED' }).invalid(
        `${INVALID} ProvisionedThroughput must be specified when BillingMode is PROVISIONED`,
      ),
      updateTable({ BillingMode: 'PROVISIONED', ProvisionedThroughput: throughputOf([3, 4]) }).succeeds(),
      active,
      describeTable().givesPartly({
        Table: partial({
          BillingModeSummary: partial({ BillingMode: 'PROVISIONED' }),
          ProvisionedThroughput: partial({ ReadCapacityUnits: 3, WriteCapacityUnits: 4 }),
        }),
      }),
    ],
  }),
  row('update-table/on-demand-takes-no-throughput', 'DB-103 DB-137', DYNALITE, {
    table: hashTable,
    steps: [
      updateTable({ ProvisionedThroughput: throughputOf([1, 1]) }).invalid(
        `${INVALID} Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST`,
      ),
      updateTable({ BillingMode: 'PAY_PER_REQUEST', ProvisionedThroughput: throughputOf([1, 1]) }).invalid(
        messageContaining('be specified when BillingMode is PAY_PER_REQUEST'),
      ),
    ],
  }),
  row('update-table/deletion-protection', 'DB-136 DB-137', UPDATE_TABLE, {
    table: hashTable,
    steps: [
      updateTable({ DeletionProtectionEnabled: true }).succeeds(),
      describeTable({ eventually: true }).givesPartly({
        Table: partial({ TableStatus: 'ACTIVE', DeletionProtectionEnabled: true }),
      }),
      call('DeleteTable', { TableName: '$T' }).invalid(
        messageContaining(
          'Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.',
        ),
      ),
      updateTable({ DeletionProtectionEnabled: false }).succeeds(),
      active,
    ],
  }),
  row('update-table/nothing-to-do', 'DB-137', DYNALITE, {
    table: hashTable,
    steps: [
      updateTable({}).invalid(
        oneOf(
          'At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required',
          messageContaining('At least one of ProvisionedThroughput'),
        ),
      ),
    ],
  }),
  row('update-table/missing-table', 'DB-275', DYNALITE, {
    steps: [
      updateTable({ BillingMode: 'PAY_PER_REQUEST' }).fails(
        'ResourceNotFoundException',
        'Requested resource not found: Table: $T not found',
      ),
    ],
  }),
  row('update-table/key-schema-is-not-a-parameter', 'DB-044', UPDATE_TABLE, {
    table: hashTable,
    steps: [
      // Unknown members are ignored, so nothing remains to change.
      updateTable({ KeySchema: [{ AttributeName: 'other', KeyType: 'HASH' }] }).invalid(
        messageContaining('At least one of ProvisionedThroughput'),
      ),
      describeTable().givesPartly({ Table: partial({ KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }] }) }),
    ],
  }),
  row('update-table/no-local-indexes', 'DB-058', UPDATE_TABLE, {
    table: rangeTable,
    steps: [
      updateTable({
        LocalSecondaryIndexUpdates: [{ Create: { IndexName: 'lsi1' } }],
        LocalSecondaryIndexes: [{ IndexName: 'lsi1' }],
      }).invalid(messageContaining('At least one of ProvisionedThroughput')),
    ],
  }),

  row(
    'update-table/index-is-created-and-filled',
    'DB-018 DB-059 DB-137 DB-056',
    docs('Managing global secondary indexes'),
    {
      table: hashTable,
      items: [
        { pk: S('1'), a: S('x'), n: N(1) },
        { pk: S('2'), a: S('y') },
        { pk: S('3'), n: N(3) },
      ],
      steps: [
        updateTable(indexCreation('gsi1', 'a:S')).givesPartly({
          TableDescription: partial({
            TableStatus: 'UPDATING',
            AttributeDefinitions: oneOf(
              [
                { AttributeName: 'pk', AttributeType: 'S' },
                { AttributeName: 'a', AttributeType: 'S' },
              ],
              [
                { AttributeName: 'a', AttributeType: 'S' },
                { AttributeName: 'pk', AttributeType: 'S' },
              ],
            ),
            GlobalSecondaryIndexes: [partial({ IndexName: 'gsi1', IndexStatus: 'CREATING' })],
          }),
        }),
        indexActive,
        query('a = :a', { ':a': S('x') }, { IndexName: 'gsi1' }).gives(items({ pk: S('1'), a: S('x'), n: N(1) })),
        scan({ IndexName: 'gsi1', Select: 'COUNT' }).gives({ Count: 2, ScannedCount: 2 }),
        put({ pk: S('4'), a: S('x') }).gives({}),
        query('a = :a', { ':a': S('x') }, { IndexName: 'gsi1', Select: 'COUNT' }).gives({ Count: 2, ScannedCount: 2 }),
      ],
    },
  ),
  row('update-table/a-thousand-items-are-filled-in', 'DB-059', docs('Managing global secondary indexes'), {
    table: hashTable,
    steps: [
      check('items', async ({ succeed }) => {
        for (let start = 0; start < 1000; start += 25) {
          const requests = Array.from({ length: 25 }, (_, index) => ({
            PutRequest: { Item: { pk: S(`item-${start + index}`), a: S(`group-${(start + index) % 10}`) } },
          }));
          await succeed('BatchWriteItem', { RequestItems: { $T: requests } });
        }
      }),
      updateTable(indexCreation('gsi1', 'a:S / pk:S | KEYS_ONLY')).succeeds(),
      indexActive,
      query('a = :a', { ':a': S('group-7') }, { IndexName: 'gsi1', Select: 'COUNT' }).gives({
        Count: 100,
        ScannedCount: 100,
      }),
    ],
  }),
  row(
    'update-table/items-that-do-not-fit-stay-out-of-a-new-index',
    'DB-059 DB-070',
    docs('Managing global secondary indexes, detecting and correcting index key violations'),
    {
      table: hashTable,
      items: [
        { pk: S('1'), a: S('text') },
        { pk: S('2'), a: N(2) },
      ],
      steps: [
        updateTable(indexCreation('gsi1', 'a:N')).succeeds(),
        indexActive,
        scan({ IndexName: 'gsi1' }).gives(items({ pk: S('2'), a: N(2) })),
        scan({ Select: 'COUNT' }).gives({ Count: 2, ScannedCount: 2 }),
      ],
    },
  ),
  row('update-table/index-is-deleted', 'DB-059 DB-137', UPDATE_TABLE, {
    table: table('pk:S', { gsis: { gsi1: 'a:S' } }),
    items: [{ pk: S('1'), a: S('x') }],
    steps: [
      updateTable(indexDeletion('gsi1')).givesPartly({
        TableDescription: partial({
          GlobalSecondaryIndexes: [partial({ IndexName: 'gsi1', IndexStatus: 'DELETING' })],
        }),
      }),
      noIndex,
      query('a = :a', { ':a': S('x') }, { IndexName: 'gsi1' }).invalid(
        'The table does not have the specified index: gsi1',
      ),
      // The attribute is no longer a key, so any type is allowed.
      update({ pk: S('1') }, 'SET a = :n', { ExpressionAttributeValues: { ':n': N(1) } }).gives({}),
    ],
  }),
  row('update-table/index-to-delete-is-missing', 'DB-275', UPDATE_TABLE, {
    table: hashTable,
    steps: [updateTable(indexDeletion('gsi1')).fails('ResourceNotFoundException', messageContaining('gsi1'))],
  }),
  row('update-table/index-to-create-exists', 'DB-137', `${UPDATE_TABLE}; ${assumed('the message')}`, {
    table: table('pk:S', { gsis: { gsi1: 'a:S' } }),
    steps: [updateTable(indexCreation('gsi1', 'a:S')).invalid(messageContaining('index'))],
  }),
  row('update-table/two-indexes-at-once', 'DB-073', DYNALITE, {
    table: hashTable,
    steps: [
      updateTable({
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'a', AttributeType: 'S' },
        ],
        GlobalSecondaryIndexUpdates: ['gsi1', 'gsi2'].map((name) => ({
          Create: {
            IndexName: name,
            KeySchema: [{ AttributeName: 'a', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'ALL' },
          },
        })),
      }).fails(
        'LimitExceededException',
        'Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table',
      ),
    ],
  }),
  row('update-table/one-index-twice', 'DB-137', DYNALITE, {
    table: table('pk:S', { gsis: { gsi1: 'a:S' } }),
    steps: [
      updateTable({
        GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'gsi1' } }, { Delete: { IndexName: 'gsi1' } }],
      }).invalid(`${INVALID} Only one global secondary index update per index is allowed simultaneously. Index: gsi1`),
    ],
  }),
  row('update-table/empty-index-update', 'DB-137', DYNALITE, {
    table: hashTable,
    steps: [
      updateTable({ GlobalSecondaryIndexUpdates: [{}] }).invalid(
        `${INVALID} One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null`,
      ),
    ],
  }),
  row('update-table/new-index-key-not-defined', 'DB-053', ALTERNATOR, {
    table: hashTable,
    steps: [
      updateTable({
        ...indexCreation('gsi1', 'a:S'),
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      }).invalid(messageContaining('AttributeDefinitions')),
    ],
  }),
  row('update-table/attribute-of-another-type', 'DB-053 DB-137', OUTSIDE_2026, {
    table: table('pk:S', { gsis: { gsi1: 'a:S / b:N' } }),
    steps: [
      updateTable({ ...indexCreation('gsi2', 'pk:N / c:S') }).invalid(
        messageContaining('Attributes cannot be redefined.'),
      ),
      updateTable({ ...indexCreation('gsi2', 'c:S / b:S') }).invalid(
        messageContaining('Attributes cannot be redefined.'),
      ),
      updateTable({
        ...indexCreation('gsi2', 'c:S'),
        AttributeDefinitions: [attributeOf('a', 'N'), attributeOf('c', 'S')],
      }).invalid(messageContaining('Attributes cannot be redefined.')),
      describeTable().givesPartly({
        Table: partial({ TableStatus: 'ACTIVE', GlobalSecondaryIndexes: [partial({ IndexName: 'gsi1' })] }),
      }),
    ],
  }),
  row('update-table/definitions-without-a-new-index-are-ignored', 'DB-053 DB-137', ACK_2026, {
    table: hashTable,
    steps: [
      updateTable({ DeletionProtectionEnabled: false, AttributeDefinitions: [attributeOf('pk', 'N')] }).succeeds(),
      describeTable().givesPartly({ Table: partial({ AttributeDefinitions: [attributeOf('pk', 'S')] }) }),
    ],
  }),
  row('update-table/new-index-without-throughput', 'DB-137', ACK_2026, {
    table: table('pk:S', { throughput: [1, 1] }),
    steps: [
      updateTable(indexCreation('gsi1', 'a:S')).invalid(
        `${INVALID} Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: gsi1`,
      ),
    ],
  }),
  row('update-table/attribute-defined-twice', 'DB-053 DB-137', assumed('as CreateTable refuses it'), {
    table: hashTable,
    steps: [
      updateTable({
        ...indexCreation('gsi1', 'a:S'),
        AttributeDefinitions: [attributeOf('a', 'S'), attributeOf('a', 'N')],
      }).invalid('Attribute Name is duplicated: a'),
    ],
  }),
  row('update-table/index-throughput', 'DB-062 DB-102', DYNALITE, {
    table: table('pk:S', { throughput: [5, 5], gsis: { gsi1: 'a:S' } }),
    steps: [
      updateTable({
        GlobalSecondaryIndexUpdates: [{ Update: { IndexName: 'gsi1', ProvisionedThroughput: throughputOf([8, 9]) } }],
      }).succeeds(),
      indexActive,
      describeTable().givesPartly({
        Table: partial({
          ProvisionedThroughput: partial({ ReadCapacityUnits: 5, WriteCapacityUnits: 5 }),
          GlobalSecondaryIndexes: [
            partial({ ProvisionedThroughput: partial({ ReadCapacityUnits: 8, WriteCapacityUnits: 9 }) }),
          ],
        }),
      }),
    ],
  }),
];
