import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';

/**
 * One entity type with a simple primary key, so the key attributes carry their real names. Entries of `UserIndex`
 * hold the two keys only: finding and deleting a user's sessions needs nothing else.
 *
 * `TTL` is the attribute that time to live is enabled on. It is an ordinary attribute here: only key attributes
 * are declared.
 */
export const sessionStoreTable = {
  TableName: 'SessionStore',
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [
    { AttributeName: 'SessionToken', AttributeType: 'S' },
    { AttributeName: 'Username', AttributeType: 'S' },
  ],
  KeySchema: [{ AttributeName: 'SessionToken', KeyType: 'HASH' }],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'UserIndex',
      KeySchema: [{ AttributeName: 'Username', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
  ],
} as const satisfies CreateTableCommandInput;
