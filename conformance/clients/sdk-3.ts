import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  paginateQuery,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { batchesOf, type Library, type Place, type Song } from './library.ts';
import { songsTable } from './songs-table.ts';

export async function openSdk3({ client, table: TableName }: Place): Promise<Library> {
  await client.send(new CreateTableCommand(songsTable(TableName)));
  const documents = DynamoDBDocumentClient.from(client);
  const isNew = 'attribute_not_exists(artist)';
  return {
    add: async (Item) => {
      await documents.send(new PutCommand({ TableName, Item, ConditionExpression: isNew }));
    },
    find: async (Key) => (await documents.send(new GetCommand({ TableName, Key }))).Item as Song | undefined,
    play: async (Key) => {
      const UpdateExpression = 'ADD plays :one';
      const ExpressionAttributeValues = { ':one': 1 };
      const update = new UpdateCommand({
        TableName,
        Key,
        UpdateExpression,
        ExpressionAttributeValues,
        ReturnValues: 'UPDATED_NEW',
      });
      return ((await documents.send(update)).Attributes as Pick<Song, 'plays'>).plays;
    },
    pagesOf: async (artist, pageSize) => {
      const query = {
        TableName,
        KeyConditionExpression: 'artist = :artist',
        ExpressionAttributeValues: { ':artist': artist },
      };
      const pages: (readonly Song[])[] = [];
      for await (const { Items = [] } of paginateQuery({ client: documents, pageSize }, query))
        pages.push(Items as Song[]);
      return pages;
    },
    charts: async (genre) => {
      const query = new QueryCommand({
        TableName,
        IndexName: 'charts',
        KeyConditionExpression: 'genre = :genre',
        ExpressionAttributeValues: { ':genre': genre },
        ScanIndexForward: false,
      });
      return ((await documents.send(query)).Items as Song[]).map(({ title }) => title);
    },
    remove: async (Key) => {
      await documents.send(new DeleteCommand({ TableName, Key }));
    },
    addAll: async (songs) => {
      for (const batchOfSongs of batchesOf(songs)) {
        const puts = batchOfSongs.map((Item) => ({ PutRequest: { Item } }));
        await documents.send(new BatchWriteCommand({ RequestItems: { [TableName]: puts } }));
      }
    },
    findAll: async (keys) => {
      const { Responses } = await documents.send(
        new BatchGetCommand({ RequestItems: { [TableName]: { Keys: [...keys] } } }),
      );
      return Responses?.[TableName] as Song[];
    },
    replace: async (Key, Item) => {
      const TransactItems = [{ Delete: { TableName, Key } }, { Put: { TableName, Item, ConditionExpression: isNew } }];
      await documents.send(new TransactWriteCommand({ TransactItems }));
    },
    close: () => documents.destroy(),
  };
}
