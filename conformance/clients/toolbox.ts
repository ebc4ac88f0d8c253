import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { $add, Entity, item, list, number, string, Table } from 'dynamodb-toolbox';
import { BatchGetRequest } from 'dynamodb-toolbox/entity/actions/batchGet';
import { BatchPutRequest } from 'dynamodb-toolbox/entity/actions/batchPut';
import { DeleteItemCommand } from 'dynamodb-toolbox/entity/actions/delete';
import { GetItemCommand } from 'dynamodb-toolbox/entity/actions/get';
import { PutItemCommand } from 'dynamodb-toolbox/entity/actions/put';
import { DeleteTransaction } from 'dynamodb-toolbox/entity/actions/transactDelete';
import { PutTransaction } from 'dynamodb-toolbox/entity/actions/transactPut';
import { execute } from 'dynamodb-toolbox/entity/actions/transactWrite';
import { UpdateItemCommand } from 'dynamodb-toolbox/entity/actions/update';
import { BatchGetCommand, execute as executeGets } from 'dynamodb-toolbox/table/actions/batchGet';
import { BatchWriteCommand, execute as executeWrites } from 'dynamodb-toolbox/table/actions/batchWrite';
import { QueryCommand } from 'dynamodb-toolbox/table/actions/query';
import { batchesOf, type Library, type Place, type Song } from './library.ts';
import { songsTable } from './songs-table.ts';

export async function openToolbox({ client, table: name }: Place): Promise<Library> {
  await client.send(new CreateTableCommand(songsTable(name)));
  const table = new Table({
    documentClient: DynamoDBDocumentClient.from(client),
    name,
    partitionKey: { name: 'artist', type: 'string' },
    sortKey: { name: 'title', type: 'string' },
    indexes: {
      charts: {
        type: 'global',
        partitionKey: { name: 'genre', type: 'string' },
        sortKey: { name: 'plays', type: 'number' },
      },
    },
  });
  const songs = new Entity({
    name: 'Song',
    table,
    timestamps: false,
    schema: item({
      artist: string().key(),
      title: string().key(),
      genre: string(),
      plays: number(),
      tags: list(string()),
    }),
  });
  const isNew = { condition: { attr: 'artist', exists: false } } as const;
  const writable = (song: Song): { artist: string; title: string; genre: string; plays: number; tags: string[] } => ({
    ...song,
    tags: [...song.tags],
  });
  return {
    add: async (song) => {
      await songs.build(PutItemCommand).item(writable(song)).options(isNew).send();
    },
    find: async (key) => (await songs.build(GetItemCommand).key(key).send()).Item,
    play: async (key) => {
      const update = songs.build(UpdateItemCommand).item({ ...key, plays: $add(1) });
      return (await update.options({ returnValues: 'UPDATED_NEW' }).send()).Attributes?.plays ?? Number.NaN;
    },
    pagesOf: async (artist, limit) => {
      const pages: (readonly Song[])[] = [];
      let exclusiveStartKey: Record<string, unknown> | undefined;
      do {
        const query = table.build(QueryCommand).query({ partition: artist }).entities(songs);
        const page = await query.options({ limit, ...(exclusiveStartKey && { exclusiveStartKey }) }).send();
        pages.push(page.Items ?? []);
        exclusiveStartKey = page.LastEvaluatedKey;
      } while (exclusiveStartKey !== undefined);
      return pages;
    },
    charts: async (genre) => {
      const query = table.build(QueryCommand).query({ index: 'charts', partition: genre }).entities(songs);
      return ((await query.options({ reverse: true }).send()).Items ?? []).map(({ title }) => title);
    },
    remove: async (key) => {
      await songs.build(DeleteItemCommand).key(key).send();
    },
    addAll: async (all) => {
      for (const batchOfSongs of batchesOf(all)) {
        const puts = batchOfSongs.map((song) => songs.build(BatchPutRequest).item(writable(song)));
        await executeWrites(table.build(BatchWriteCommand).requests(...puts));
      }
    },
    findAll: async (keys) => {
      const gets = keys.map((key) => songs.build(BatchGetRequest).key(key));
      const { Responses } = await executeGets(table.build(BatchGetCommand).requests(...gets));
      return (Responses?.[0] ?? []) as Song[];
    },
    replace: async (old, song) => {
      await execute(
        songs.build(DeleteTransaction).key(old),
        songs.build(PutTransaction).item(writable(song)).options(isNew),
      );
    },
    close: () => undefined,
  };
}
