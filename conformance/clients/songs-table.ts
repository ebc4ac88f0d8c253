import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';

/** The table of clients that use attributes as keys unchanged, with an index by genre and plays. */
export function songsTable(TableName: string): CreateTableCommandInput {
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: 'artist', AttributeType: 'S' },
      { AttributeName: 'title', AttributeType: 'S' },
      { AttributeName: 'genre', AttributeType: 'S' },
      { AttributeName: 'plays', AttributeType: 'N' },
    ],
    KeySchema: [
      { AttributeName: 'artist', KeyType: 'HASH' },
      { AttributeName: 'title', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'charts',
        KeySchema: [
          { AttributeName: 'genre', KeyType: 'HASH' },
          { AttributeName: 'plays', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
  };
}

/** The table of clients that compose keys: partition and sort keys of text, in the table and in an index. */
export function composedTable(TableName: string): CreateTableCommandInput {
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['pk', 'sk', 'gsi1pk', 'gsi1sk'].map((AttributeName) => ({
      AttributeName,
      AttributeType: 'S',
    })),
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'charts',
        KeySchema: [
          { AttributeName: 'gsi1pk', KeyType: 'HASH' },
          { AttributeName: 'gsi1sk', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
  };
}
