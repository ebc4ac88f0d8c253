import { DynamoDB } from '@aws-sdk/client-dynamodb';
import dynamoose from 'dynamoose';
import { batchesOf, type Library, type Place, type Song } from './library.ts';

export async function openDynamoose({ endpoint, region, credentials, table }: Place): Promise<Library> {
  const service = new DynamoDB({ endpoint, region, credentials });
  dynamoose.aws.ddb.set(service);
  const schema = new dynamoose.Schema({
    artist: { type: String, hashKey: true },
    title: { type: String, rangeKey: true },
    genre: { type: String, index: { name: 'charts', type: 'global', rangeKey: 'plays' } },
    plays: Number,
    tags: { type: Array, schema: [String] },
  });
  const songs = dynamoose.model(table, schema);
  const made = new dynamoose.Table(table, [songs], { throughput: 'ON_DEMAND', initialize: false });
  await made.initialize();
  const plain = (found: unknown): Song => ({ ...(found as { toJSON: () => Song }).toJSON() });
  return {
    add: async (song) => {
      await songs.create({ ...song, tags: [...song.tags] }, { overwrite: false });
    },
    find: async (key) => {
      const found: unknown = await songs.get(key);
      return found === undefined ? undefined : plain(found);
    },
    play: async (key) => ((await songs.update(key, { $ADD: { plays: 1 } })) as unknown as Song).plays,
    pagesOf: async (artist, limit) => {
      const pages: (readonly Song[])[] = [];
      let last: object | undefined;
      do {
        const query = songs.query('artist').eq(artist).limit(limit);
        const page = await (last === undefined ? query : query.startAt(last)).exec();
        pages.push([...page].map(plain));
        last = page.lastKey;
      } while (last !== undefined);
      return pages;
    },
    charts: async (genre) => {
      const found = await songs.query('genre').eq(genre).using('charts').sort('descending').exec();
      return [...found].map((each) => plain(each).title);
    },
    remove: async (key) => {
      await songs.delete(key);
    },
    addAll: async (all) => {
      for (const batchOfSongs of batchesOf(all)) {
        await songs.batchPut(batchOfSongs.map((song) => ({ ...song, tags: [...song.tags] })));
      }
    },
    findAll: async (keys) => [...(await songs.batchGet([...keys]))].map(plain),
    replace: async (old, song) => {
      await dynamoose.transaction([
        songs.transaction.delete(old),
        songs.transaction.create({ ...song, tags: [...song.tags] }),
      ]);
    },
    close: () => service.destroy(),
  };
}
