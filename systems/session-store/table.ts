import type { CreateTableCommandInput, UpdateTimeToLiveCommandInput } from '@aws-sdk/client-dynamodb';

/**
 * One entity type with a simple primary key, so the key attributes carry their real names. Entries of `UserIndex`
 * hold the two keys only: finding and deleting a user's sessions needs nothing else.
 *
 * `TTL`, which {@link sessionStoreTimeToLive} names, is an ordinary attribute here: only key attributes are declared.
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

/** SS-03: sessions are deleted some time after the second that their `TTL` names. */
export const sessionStoreTimeToLive = {
  TableName: sessionStoreTable.TableName,
  TimeToLiveSpecification: { AttributeName: 'TTL', Enabled: true },
} as const satisfies UpdateTimeToLiveCommandInput;
