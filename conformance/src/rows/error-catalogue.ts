import { messageContaining } from '../matchers.ts';
import type { Row } from '../row.ts';
import { row } from '../row.ts';
import { docs, DYNALITE, LOCALSTACK, MOTO } from '../sources.ts';
import { call, cancelled, check, conditionReason, createTable, get, put, putAction, transactWrite } from '../steps.ts';
import { hashTable } from '../tables.ts';
import { S } from '../values.ts';

const ERRORS = docs('Error handling with DynamoDB');
const key = { pk: S('x') };

/** One row for each error that a request can trigger. */
export const errorCatalogueRows: readonly Row[] = [
  row('errors/validation', 'DB-273', DYNALITE, {
    table: hashTable,
    steps: [get({}).fails('ValidationException', 'The provided key element does not match the schema')],
  }),
  row('errors/conditional-check-failed', 'DB-274', LOCALSTACK, {
    table: hashTable,
    items: [key],
    steps: [
      put(key, { ConditionExpression: 'attribute_not_exists(pk)' }).fails(
        'ConditionalCheckFailedException',
        'The conditional request failed',
      ),
    ],
  }),
  row('errors/resource-not-found', 'DB-275', DYNALITE, {
    steps: [
      get(key).fails('ResourceNotFoundException', 'Requested resource not found'),
      call('DescribeTable', { TableName: '$T' }).fails(
        'ResourceNotFoundException',
        'Requested resource not found: Table: $T not found',
      ),
    ],
  }),
  row('errors/resource-in-use', 'DB-275', LOCALSTACK, {
    table: hashTable,
    steps: [createTable(hashTable).fails('ResourceInUseException', 'Table already exists: $T')],
  }),
  row('errors/transaction-canceled', 'DB-278', MOTO, {
    table: hashTable,
    items: [key],
    steps: [
      transactWrite([putAction(key, { ConditionExpression: 'attribute_not_exists(pk)' })]).answers(
        cancelled(conditionReason()),
      ),
    ],
  }),
  row('errors/idempotent-parameter-mismatch', 'DB-278', ERRORS, {
    table: hashTable,
    steps: [
      check('token of another request', async ({ send, expect, tableName }) => {
        const ClientRequestToken = `${tableName('T')}-mismatch`.slice(-36);
        await send('TransactWriteItems', { TransactItems: [putAction(key)], ClientRequestToken });
        const answer = await send('TransactWriteItems', {
          TransactItems: [putAction({ pk: S('y') })],
          ClientRequestToken,
        });
        expect('status', answer.status, 400);
        expect(
          'type',
          (answer.body as Record<string, unknown>)['__type'],
          'com.amazonaws.dynamodb.v20120810#IdempotentParameterMismatchException',
        );
      }),
    ],
  }),
  row('errors/serialization', 'DB-280', MOTO, {
    table: hashTable,
    steps: [
      put({ pk: { S: 123 } }).fails('SerializationException', 'NUMBER_VALUE cannot be converted to String'),
      put({ pk: { S: { S: 'asdf' } } }).fails(
        'SerializationException',
        'Start of structure or map found where not expected',
      ),
    ],
  }),
  row('errors/unknown-operation', 'DB-280', DYNALITE, {
    steps: [call('MergeTables', {}).fails('UnknownOperationException', undefined)],
  }),
  row('errors/limit-exceeded', 'DB-281', DYNALITE, {
    table: hashTable,
    steps: [
      call('UpdateTable', {
        TableName: '$T',
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'a', AttributeType: 'S' },
        ],
        GlobalSecondaryIndexUpdates: ['gsi1', 'gsi2', 'gsi3'].map((name) => ({
          Create: {
            IndexName: name,
            KeySchema: [{ AttributeName: 'a', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'ALL' },
          },
        })),
      }).fails('LimitExceededException', messageContaining('Subscriber limit exceeded')),
    ],
  }),
];
