import fc from 'fast-check';
import { type ActionName, actionNames } from '../src/engine/index.ts';
import { validRequests } from '../src/server/testing/valid-requests.ts';

/*
 * Requests of a tenant who tries to reach another's data: every action of the API, with keys of both tenants and keys that
 * look alike, in every place where a key can be.
 */

export interface TenantRequest {
  readonly action: ActionName;
  readonly input: object;
}

export const tenantAccount = '111122223333';
export const otherAccount = '444455556666';
export const tenants = ['t1', 't2'] as const;

/** The permissions of the tenants' role: the pattern of the developer guide, with the tenant in a session tag. */
export const tenantStatements: readonly object[] = [
  {
    Sid: 'OwnPartition',
    Effect: 'Allow',
    Action: [
      'dynamodb:BatchGetItem',
      'dynamodb:BatchWriteItem',
      'dynamodb:ConditionCheckItem',
      'dynamodb:DeleteItem',
      'dynamodb:GetItem',
      'dynamodb:PartiQLDelete',
      'dynamodb:PartiQLInsert',
      'dynamodb:PartiQLSelect',
      'dynamodb:PartiQLUpdate',
      'dynamodb:PutItem',
      'dynamodb:Query',
      'dynamodb:Scan',
      'dynamodb:UpdateItem',
    ],
    Resource: ['arn:aws:dynamodb:*:*:table/Orders', 'arn:aws:dynamodb:*:*:table/Orders/index/byStatus'],
    Condition: {
      'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['${aws:PrincipalTag/tenant}'] },
      // A scan has no leading keys, and passes ForAllValues.
      Null: { 'dynamodb:LeadingKeys': 'false' },
    },
  },
];

/** The table of both accounts: its index begins with the tenant, as the table does. */
export const ordersTable = {
  TableName: 'Orders',
  BillingMode: 'PAY_PER_REQUEST' as const,
  AttributeDefinitions: ['pk', 'sk', 'status'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const })),
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' as const },
    { AttributeName: 'sk', KeyType: 'RANGE' as const },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'byStatus',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' as const },
        { AttributeName: 'status', KeyType: 'RANGE' as const },
      ],
      Projection: { ProjectionType: 'ALL' as const },
    },
  ],
};

/** What only the tenant itself may see. No request contains it. */
export const secretOf = (tenant: string, accountId: string): string => `secret of ${tenant} in ${accountId}`;

export function itemsOf(accountId: string): readonly Readonly<Record<string, { readonly S: string }>>[] {
  return tenants.flatMap((tenant) =>
    ['a', 'b'].map((sk) => ({
      pk: { S: tenant },
      sk: { S: sk },
      status: { S: 'OPEN' },
      secret: { S: secretOf(tenant, accountId) },
    })),
  );
}

const tableName = fc.oneof(
  { weight: 6, arbitrary: fc.constant('Orders') },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      `arn:aws:dynamodb:us-east-1:${tenantAccount}:table/Orders`,
      `arn:aws-cn:dynamodb:us-east-1:${tenantAccount}:table/Orders`,
      `arn:aws:dynamodb:us-east-1:${otherAccount}:table/Orders`,
    ),
  },
);
const pk = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom<string>(...tenants) },
  { weight: 2, arbitrary: fc.constantFrom('t1 ', 'T1', 't', '*', 't?', '${aws:PrincipalTag/tenant}', 't1#t2') },
);
const sk = fc.constantFrom('a', 'b');
const S = (text: fc.Arbitrary<string>): fc.Arbitrary<object> => text.map((one) => ({ S: one }));
const key = fc.record({ pk: S(pk), sk: S(sk) });
const item = fc.record({
  pk: S(pk),
  sk: S(sk),
  note: fc.constant({ S: 'x' }),
  status: S(fc.constantFrom('OPEN', 'SENT')),
});
const optional = <T extends object>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<Partial<T>> =>
  fc.option(arbitrary, { nil: {} });

const condition = fc.constantFrom<object>(
  {},
  { ConditionExpression: 'attribute_exists(pk)', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
  { ConditionExpression: 'attribute_not_exists(secret)', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
);
const put = fc
  .record({ TableName: tableName, Item: item })
  .chain((one) => condition.map((more) => ({ ...one, ...more })));
const onKey = fc.record({ TableName: tableName, Key: key });
const remove = onKey.chain((one) => condition.map((more) => ({ ...one, ...more })));
const update = onKey.map((one) => ({
  ...one,
  UpdateExpression: 'SET note = :n',
  ExpressionAttributeValues: { ':n': { S: 'y' } },
}));
const check = onKey.map((one) => ({
  ...one,
  ConditionExpression: 'attribute_not_exists(secret)',
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
}));
const returning = fc.constantFrom<object>({}, { ReturnValues: 'ALL_OLD' });

const keyCondition = fc.oneof(
  S(pk).map((value) => ({ KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': value } })),
  S(pk).map((value) => ({
    KeyConditionExpression: '#k = :p AND sk > :s',
    ExpressionAttributeNames: { '#k': 'pk' },
    ExpressionAttributeValues: { ':p': value, ':s': { S: ' ' } },
  })),
  S(pk).map((value) => ({ KeyConditions: { pk: { ComparisonOperator: 'EQ', AttributeValueList: [value] } } })),
  S(pk).map((value) => ({
    KeyConditionExpression: 'pk = :p',
    FilterExpression: 'pk = :q OR attribute_exists(secret)',
    ExpressionAttributeValues: { ':p': value, ':q': { S: 't2' } },
  })),
  // The start of a page does not count as a requested key. In another partition it is refused.
  fc.record({ value: S(pk), from: key }).map(({ value, from }) => ({
    KeyConditionExpression: 'pk = :p',
    ExpressionAttributeValues: { ':p': value },
    ExclusiveStartKey: from,
  })),
);
const query = fc
  .record({
    TableName: tableName,
    index: fc.boolean(),
    condition: keyCondition,
    select: fc.constantFrom<object>({}, { Select: 'COUNT' }),
  })
  .map(({ TableName, index, condition: keys, select }) => ({
    TableName,
    ...(index && { IndexName: 'byStatus' }),
    ...keys,
    ...select,
  }));
const scan = fc
  .record({
    TableName: tableName,
    more: optional(
      fc.constantFrom<object>(
        { IndexName: 'byStatus' },
        { FilterExpression: 'pk = :p', ExpressionAttributeValues: { ':p': { S: 't1' } } },
      ),
    ),
  })
  .map(({ TableName, more }) => ({ TableName, ...more }));

const quoted = pk.map((text) => `'${text}'`);
const where = fc.oneof(
  quoted.map((value) => `pk = ${value}`),
  quoted.map((value) => `${value} = pk`),
  quoted.map((value) => `pk = ${value} AND sk = 'a'`),
  quoted.map((value) => `pk IN ['t1', ${value}]`),
  quoted.map((value) => `pk = 't1' OR pk = ${value}`),
  quoted.map((value) => `(pk = 't1' AND sk = 'a') OR (pk = ${value} AND sk = 'b')`),
  quoted.map((value) => `pk = 't1' AND pk = ${value}`),
  quoted.map((value) => `NOT pk = ${value}`),
  quoted.map((value) => `pk <> ${value}`),
  quoted.map((value) => `pk >= ${value}`),
  quoted.map((value) => `pk BETWEEN 't1' AND ${value}`),
  fc.constantFrom(`begins_with(pk, 't')`, `sk = 'a'`, `pk = 't1' OR sk = 'a'`, `secret IS NOT MISSING`),
);
const from = fc.constantFrom(
  '"Orders"',
  '"Orders"."byStatus"',
  'Orders',
  `"arn:aws:dynamodb:us-east-1:${otherAccount}:table/Orders"`,
);
const select = fc.oneof(
  fc
    .record({ columns: fc.constantFrom('*', 'secret', 'pk, secret'), from, where })
    .map((one) => `SELECT ${one.columns} FROM ${one.from} WHERE ${one.where}`),
  from.map((one) => `SELECT * FROM ${one}`),
);
const full = quoted.map((value) => `pk = ${value} AND sk = 'a'`);
const write = fc.oneof(
  quoted.map((value) => `INSERT INTO "Orders" VALUE {'pk': ${value}, 'sk': 'n'}`),
  full.map((one) => `UPDATE "Orders" SET note = 'z' WHERE ${one} RETURNING ALL OLD *`),
  full.map((one) => `DELETE FROM "Orders" WHERE ${one} RETURNING ALL OLD *`),
  where.map((one) => `DELETE FROM "Orders" WHERE ${one}`),
);
const statement = fc.oneof(
  fc.oneof(select, write).map((Statement) => ({ Statement })),
  S(pk).map((value) => ({ Statement: 'SELECT * FROM "Orders" WHERE pk = ?', Parameters: [value] })),
);
const exists = full.map((one) => ({ Statement: `EXISTS(SELECT * FROM "Orders" WHERE ${one})` }));
const many = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(one, { minLength: 1, maxLength: 3 });

const itemInputs: Readonly<Partial<Record<ActionName, fc.Arbitrary<object>>>> = {
  GetItem: onKey,
  PutItem: fc.record({ put, returning }).map((one) => ({ ...one.put, ...one.returning })),
  UpdateItem: fc.record({ update, returning }).map((one) => ({ ...one.update, ...one.returning })),
  DeleteItem: fc.record({ remove, returning }).map((one) => ({ ...one.remove, ...one.returning })),
  Query: query,
  Scan: scan,
  BatchGetItem: fc
    .record({ name: tableName, keys: many(key) })
    .map(({ name, keys }) => ({ RequestItems: { [name]: { Keys: keys } } })),
  BatchWriteItem: fc
    .record({
      name: tableName,
      writes: many(
        fc.oneof(
          item.map((Item) => ({ PutRequest: { Item } })),
          key.map((Key) => ({ DeleteRequest: { Key } })),
        ),
      ),
    })
    .map(({ name, writes }) => ({ RequestItems: { [name]: writes } })),
  TransactGetItems: many(onKey.map((Get) => ({ Get }))).map((TransactItems) => ({ TransactItems })),
  TransactWriteItems: many(
    fc.oneof<fc.Arbitrary<object>[]>(
      put.map((Put) => ({ Put })),
      remove.map((Delete) => ({ Delete })),
      update.map((Update) => ({ Update })),
      check.map((ConditionCheck) => ({ ConditionCheck })),
    ),
  ).map((TransactItems) => ({ TransactItems })),
  ExecuteStatement: statement,
  ExplainStatement: statement,
  BatchExecuteStatement: many(statement).map((Statements) => ({ Statements })),
  ExecuteTransaction: fc
    .oneof(
      { weight: 3, arbitrary: many(fc.oneof(statement, exists)) },
      { weight: 1, arbitrary: full.map((one) => [{ Statement: `UPDATE "Orders" SET note = 'z' WHERE ${one}` }]) },
    )
    .map((TransactStatements) => ({ TransactStatements })),
};

/** Actions that the policy allows for some requests. */
export const itemActions: readonly ActionName[] = actionNames.filter((action) => itemInputs[action] !== undefined);

/** All other actions, once each, on the existing table. */
export const otherRequests: readonly TenantRequest[] = actionNames
  .filter((action) => itemInputs[action] === undefined)
  .map((action) => ({
    action,
    input: JSON.parse(
      JSON.stringify(validRequests[action])
        .replaceAll('Users', 'Orders')
        .replaceAll('000000000000', tenantAccount)
        .replace(
          '"iterator"',
          `"arn:aws:dynamodb:us-east-1:${tenantAccount}:table/Orders/stream/2024-01-01T00:00:00.000|1|x"`,
        ),
    ) as object,
  }));

/** A random request on items. */
export const itemRequest: fc.Arbitrary<TenantRequest> = fc
  .constantFrom(...itemActions)
  .chain((action) => (itemInputs[action] ?? fc.constant({})).map((input) => ({ action, input })));
