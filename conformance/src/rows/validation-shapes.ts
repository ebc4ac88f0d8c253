/** Shape errors: found before any table is looked up, and reported together. */
import { messageContaining, oneOf, someValidationErrors, validationErrors } from '../matchers.ts';
import type { JsonObject, Row } from '../row.ts';
import { row } from '../row.ts';
import { CAPTURED_2026, DYNALITE } from '../sources.ts';
import { call } from '../steps.ts';
import { N, S } from '../values.ts';

const constraint = (value: string, path: string, rule: string): string =>
  `Value ${value} at '${path}' failed to satisfy constraint: Member must ${rule}`;
const missing = (path: string): string => constraint('null', path, 'not be null');
const oneOfSet = (value: string, path: string, set: string): string =>
  constraint(`'${value}'`, path, `satisfy enum value set: [${set}]`);

const CAPACITY = 'INDEXES, TOTAL, NONE';
const METRICS = 'SIZE, NONE';
const RETURN_VALUES = 'ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW';
/** As misspelt by DynamoDB since 2026. */
const RETURN_VALUES_REWORDED = 'ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE';
const OPERATORS = 'IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, BEGINS_WITH, GE, CONTAINS';
const BAD_NAME = 'abc;';
const badName = constraint(`'${BAD_NAME}'`, 'tableName', 'satisfy regular expression pattern: [a-zA-Z0-9_.-]+');

/** An action that reports some of its errors, or all. */
function someOf(id: string, action: string, input: JsonObject, ...errors: readonly string[]): Row {
  return row(`validation/${id}`, 'DB-273', `${DYNALITE}; reworded since (${CAPTURED_2026})`, {
    steps: [call(action, input).invalid(someValidationErrors(...errors))],
  });
}

/** Several errors at once. */
function together(id: string, action: string, input: JsonObject, ...errors: readonly string[]): Row {
  return row(`validation/${id}`, 'DB-273', DYNALITE, {
    needs: ['aggregated-validation'],
    steps: [call(action, input).invalid(validationErrors(...errors))],
  });
}

function single(id: string, source: string, action: string, input: JsonObject, ...wordings: readonly string[]): Row {
  return row(`validation/${id}`, 'DB-273', source, { steps: [call(action, input).invalid(oneOf(...wordings))] });
}

export const validationShapeRows: readonly Row[] = [
  single('no-table-name', CAPTURED_2026, 'PutItem', { Item: { pk: S('x') } }, missing('tableName')),
  single(
    'table-name-too-long',
    CAPTURED_2026,
    'PutItem',
    { TableName: 'a'.repeat(256), Item: {} },
    constraint(`'${'a'.repeat(256)}'`, 'tableName', 'have length less than or equal to 255'),
  ),
  single(
    'table-name-with-other-characters',
    CAPTURED_2026,
    'PutItem',
    { TableName: 'bad table!@#', Item: {} },
    constraint("'bad table!@#'", 'tableName', 'satisfy regular expression pattern: [a-zA-Z0-9_.-]+'),
  ),
  someOf(
    'put-item',
    'PutItem',
    { TableName: BAD_NAME, ReturnConsumedCapacity: 'hi', ReturnItemCollectionMetrics: 'hi', ReturnValues: 'hi' },
    badName,
    missing('item'),
    oneOfSet('hi', 'returnConsumedCapacity', CAPACITY),
    oneOfSet('hi', 'returnItemCollectionMetrics', METRICS),
    oneOfSet('hi', 'returnValues', RETURN_VALUES),
    oneOfSet('hi', 'returnValues', RETURN_VALUES_REWORDED),
  ),
  someOf(
    'get-item',
    'GetItem',
    { TableName: BAD_NAME, ReturnConsumedCapacity: 'hi', AttributesToGet: [] },
    badName,
    missing('key'),
    oneOfSet('hi', 'returnConsumedCapacity', CAPACITY),
    constraint("'[]'", 'attributesToGet', 'have length greater than or equal to 1'),
  ),
  someOf(
    'update-item',
    'UpdateItem',
    { TableName: BAD_NAME, ReturnConsumedCapacity: 'hi', ReturnItemCollectionMetrics: 'hi', ReturnValues: 'hi' },
    badName,
    missing('key'),
    oneOfSet('hi', 'returnConsumedCapacity', CAPACITY),
    oneOfSet('hi', 'returnItemCollectionMetrics', METRICS),
    oneOfSet('hi', 'returnValues', RETURN_VALUES),
    oneOfSet('hi', 'returnValues', RETURN_VALUES_REWORDED),
  ),
  someOf(
    'delete-item',
    'DeleteItem',
    { TableName: BAD_NAME, ReturnConsumedCapacity: 'hi', ReturnItemCollectionMetrics: 'hi', ReturnValues: 'hi' },
    badName,
    missing('key'),
    oneOfSet('hi', 'returnConsumedCapacity', CAPACITY),
    oneOfSet('hi', 'returnItemCollectionMetrics', METRICS),
    oneOfSet('hi', 'returnValues', RETURN_VALUES),
    oneOfSet('hi', 'returnValues', RETURN_VALUES_REWORDED),
  ),
  someOf(
    'query',
    'Query',
    {
      TableName: BAD_NAME,
      IndexName: 'a;',
      Select: 'hi',
      Limit: -1,
      ReturnConsumedCapacity: 'hi',
    },
    badName,
    constraint("'a;'", 'indexName', 'satisfy regular expression pattern: [a-zA-Z0-9_.-]+'),
    constraint("'a;'", 'indexName', 'have length greater than or equal to 3'),
    oneOfSet('hi', 'select', 'SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES'),
    constraint("'-1'", 'limit', 'have value greater than or equal to 1'),
    oneOfSet('hi', 'returnConsumedCapacity', CAPACITY),
  ),
  single(
    'query-conditional-operator',
    CAPTURED_2026,
    'Query',
    { TableName: BAD_NAME, Select: 'hi', ConditionalOperator: 'hi' },
    'Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]',
  ),
  together(
    'scan',
    'Scan',
    {
      TableName: BAD_NAME,
      TotalSegments: -1,
      Segment: -1,
      Limit: -1,
      Select: 'hi',
      ScanFilter: { a: {}, b: { ComparisonOperator: '' } },
    },
    badName,
    constraint("'-1'", 'totalSegments', 'have value greater than or equal to 1'),
    constraint("'-1'", 'segment', 'have value greater than or equal to 0'),
    constraint("'-1'", 'limit', 'have value greater than or equal to 1'),
    oneOfSet('hi', 'select', 'SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES'),
    missing('scanFilter.a.member.comparisonOperator'),
    oneOfSet('', 'scanFilter.b.member.comparisonOperator', OPERATORS),
  ),
  together(
    'list-tables',
    'ListTables',
    { ExclusiveStartTableName: 'a;', Limit: 500 },
    constraint("'a;'", 'exclusiveStartTableName', 'satisfy regular expression pattern: [a-zA-Z0-9_.-]+'),
    constraint("'a;'", 'exclusiveStartTableName', 'have length greater than or equal to 3'),
    constraint("'500'", 'limit', 'have value less than or equal to 100'),
  ),
  together(
    'batch-write-item',
    'BatchWriteItem',
    {
      RequestItems: { abc: [{ PutRequest: {} }, { DeleteRequest: {} }] },
      ReturnConsumedCapacity: 'hi',
      ReturnItemCollectionMetrics: 'hi',
    },
    oneOfSet('hi', 'returnConsumedCapacity', CAPACITY),
    oneOfSet('hi', 'returnItemCollectionMetrics', METRICS),
    missing('requestItems.abc.member.1.member.putRequest.item'),
    missing('requestItems.abc.member.2.member.deleteRequest.key'),
  ),
  together(
    'batch-get-item',
    'BatchGetItem',
    { RequestItems: { abc: {}, abd: { Keys: [] } }, ReturnConsumedCapacity: 'hi' },
    missing('requestItems.abc.member.keys'),
    "Value at 'RequestItems.abd.member.Keys' failed to satisfy constraint: Member must have length greater than or equal to 1",
    oneOfSet('hi', 'returnConsumedCapacity', CAPACITY),
  ),
  together(
    'transact-write-items',
    'TransactWriteItems',
    { TransactItems: [], ReturnConsumedCapacity: 'hi', ReturnItemCollectionMetrics: 'hi' },
    oneOfSet('hi', 'returnConsumedCapacity', CAPACITY),
    oneOfSet('hi', 'returnItemCollectionMetrics', METRICS),
    constraint("'[]'", 'transactItems', 'have length greater than or equal to 1'),
  ),
  someOf(
    'create-table',
    'CreateTable',
    { TableName: BAD_NAME, BillingMode: 'hi' },
    badName,
    missing('attributeDefinitions'),
    missing('keySchema'),
    oneOfSet('hi', 'billingMode', 'PROVISIONED, PAY_PER_REQUEST'),
  ),
  together(
    'create-table-members',
    'CreateTable',
    {
      TableName: 'abc',
      AttributeDefinitions: [{}],
      KeySchema: [{ KeyType: 'hi' }],
      ProvisionedThroughput: { ReadCapacityUnits: -1, WriteCapacityUnits: -2 },
      GlobalSecondaryIndexes: [{ IndexName: 'ab', KeySchema: [] }],
    },
    missing('attributeDefinitions.1.member.attributeName'),
    missing('attributeDefinitions.1.member.attributeType'),
    missing('keySchema.1.member.attributeName'),
    oneOfSet('hi', 'keySchema.1.member.keyType', 'HASH, RANGE'),
    constraint("'-1'", 'provisionedThroughput.readCapacityUnits', 'have value greater than or equal to 1'),
    constraint("'-2'", 'provisionedThroughput.writeCapacityUnits', 'have value greater than or equal to 1'),
    constraint("'ab'", 'globalSecondaryIndexes.1.member.indexName', 'have length greater than or equal to 3'),
    constraint("'[]'", 'globalSecondaryIndexes.1.member.keySchema', 'have length greater than or equal to 1'),
    missing('globalSecondaryIndexes.1.member.projection'),
  ),
  row('validation/no-more-than-ten-errors', 'DB-273', DYNALITE, {
    needs: ['aggregated-validation'],
    steps: [
      call('CreateTable', {
        TableName: BAD_NAME,
        AttributeDefinitions: [{}, {}, {}, {}, {}, {}],
        KeySchema: [],
        BillingMode: 'hi',
      }).invalid(
        validationErrors(
          missing('attributeDefinitions.1.member.attributeName'),
          missing('attributeDefinitions.1.member.attributeType'),
          missing('attributeDefinitions.2.member.attributeName'),
          missing('attributeDefinitions.2.member.attributeType'),
          missing('attributeDefinitions.3.member.attributeName'),
          missing('attributeDefinitions.3.member.attributeType'),
          missing('attributeDefinitions.4.member.attributeName'),
          missing('attributeDefinitions.4.member.attributeType'),
          missing('attributeDefinitions.5.member.attributeName'),
          missing('attributeDefinitions.5.member.attributeType'),
        ),
      ),
    ],
  }),
  row('validation/shape-comes-before-the-table', 'DB-273 DB-129', DYNALITE, {
    steps: [
      call('PutItem', { TableName: '$T', Item: { pk: { S: 'x', N: '1' } } }).invalid(
        'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes',
      ),
      call('UpdateItem', { TableName: '$T', Key: { pk: S('x') }, UpdateExpression: 'SET' }).invalid(
        'Invalid UpdateExpression: Syntax error; token: "<EOF>", near: "SET"',
      ),
      call('Query', {
        TableName: '$T',
        KeyConditionExpression: 'pk = :p OR pk = :p',
        ExpressionAttributeValues: { ':p': N(1) },
      }).invalid(messageContaining('Invalid operator used in KeyConditionExpression: OR')),
      call('GetItem', { TableName: '$T', Key: { pk: S('x') } }).fails(
        'ResourceNotFoundException',
        'Requested resource not found',
      ),
    ],
  }),
  row('validation/mixing-comes-before-values', 'DB-147 DB-273', DYNALITE, {
    steps: [
      call('PutItem', { TableName: '$T', Item: { pk: {} }, Expected: {}, ConditionExpression: 'nonsense' }).invalid(
        'Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}',
      ),
    ],
  }),
];
