import DynamoDB from 'aws-sdk/clients/dynamodb.js';
import { batchesOf, type Library, type Place, type Song } from './library.ts';
import { songsTable } from './songs-table.ts';

/** The SDK that has had no releases since 2025, and that programs still use. */
export async function openSdk2({ endpoint, region, credentials, table: TableName }: Place): Promise<Library> {
  const service = new DynamoDB({ endpoint, region, credentials: { ...credentials } });
  await service.createTable(songsTable(TableName) as DynamoDB.CreateTableInput).promise();
  const documents = new DynamoDB.DocumentClient({ service });
  const isNew = 'attribute_not_exists(artist)';
  return {
    add: async (Item) => {
      await documents.put({ TableName, Item, ConditionExpression: isNew }).promise();
    },
    find: async (Key) => (await documents.get({ TableName, Key }).promise()).Item as Song | undefined,
    play: async (Key) => {
      const counted = await documents
        .update({
          TableName,
          Key,
          UpdateExpression: 'ADD plays :one',
          ExpressionAttributeValues: { ':one': 1 },
          ReturnValues: 'UPDATED_NEW',
        })
        .promise();
      return (counted.Attributes as Pick<Song, 'plays'>).plays;
    },
    pagesOf: async (artist, Limit) => {
      const pages: (readonly Song[])[] = [];
      let ExclusiveStartKey: DynamoDB.DocumentClient.Key | undefined;
      do {
        const page = await documents
          .query({
            TableName,
            KeyConditionExpression: 'artist = :artist',
            ExpressionAttributeValues: { ':artist': artist },
            Limit,
            ...(ExclusiveStartKey && { ExclusiveStartKey }),
          })
          .promise();
        pages.push((page.Items ?? []) as Song[]);
        ExclusiveStartKey = page.LastEvaluatedKey;
      } while (ExclusiveStartKey !== undefined);
      return pages;
    },
    charts: async (genre) => {
      const { Items } = await documents
        .query({
          TableName,
          IndexName: 'charts',
          KeyConditionExpression: 'genre = :genre',
          ExpressionAttributeValues: { ':genre': genre },
          ScanIndexForward: false,
        })
        .promise();
      return (Items as Song[]).map(({ title }) => title);
    },
    remove: async (Key) => {
      await documents.delete({ TableName, Key }).promise();
    },
    addAll: async (songs) => {
      for (const batchOfSongs of batchesOf(songs)) {
        const puts = batchOfSongs.map((Item) => ({ PutRequest: { Item } }));
        await documents.batchWrite({ RequestItems: { [TableName]: puts } }).promise();
      }
    },
    findAll: async (keys) => {
      const { Responses } = await documents.batchGet({ RequestItems: { [TableName]: { Keys: [...keys] } } }).promise();
      return Responses?.[TableName] as Song[];
    },
    replace: async (Key, Item) => {
      await documents
        .transactWrite({
          TransactItems: [{ Delete: { TableName, Key } }, { Put: { TableName, Item, ConditionExpression: isNew } }],
        })
        .promise();
    },
    close: () => undefined,
  };
}
