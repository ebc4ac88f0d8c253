import { DynamoDB } from '@aws-sdk/client-dynamodb';
import dynamode from 'dynamode';
import { batchesOf, type Library, type Place, type Song as PlainSong } from './library.ts';

const { attribute, Dynamode, Entity, TableManager, transactionWrite } = dynamode;

class Song extends Entity implements PlainSong {
  artist: string;
  title: string;
  genre: string;
  plays: number;
  tags: string[];

  constructor({ artist, title, genre, plays, tags }: PlainSong) {
    super();
    this.artist = artist;
    this.title = title;
    this.genre = genre;
    this.plays = plays;
    this.tags = [...tags];
  }
}

attribute.partitionKey.string()(Song.prototype, 'artist');
attribute.sortKey.string()(Song.prototype, 'title');
attribute.gsi.partitionKey.string({ indexName: 'charts' })(Song.prototype, 'genre');
attribute.gsi.sortKey.number({ indexName: 'charts' })(Song.prototype, 'plays');
attribute.array()(Song.prototype, 'tags');

/** A class has one table in the whole program. */
const table = new TableManager(Song, {
  tableName: 'songs-of-Dynamode',
  partitionKey: 'artist',
  sortKey: 'title',
  indexes: { charts: { partitionKey: 'genre', sortKey: 'plays' } },
});

export async function openDynamode({ endpoint, region, credentials }: Place): Promise<Library> {
  const service = new DynamoDB({ endpoint, region, credentials });
  Dynamode.ddb.set(service);
  await table.createTable();
  const songs = table.entityManager();
  const plain = ({ artist, title, genre, plays, tags }: PlainSong): PlainSong => ({
    artist,
    title,
    genre,
    plays,
    tags: [...tags],
  });
  return {
    add: async (song) => {
      await songs.create(new Song(song));
    },
    find: async (key) => {
      try {
        return plain(await songs.get(key));
      } catch (error) {
        if ((error as Error).name === 'NotFoundError') return undefined;
        throw error;
      }
    },
    play: async (key) => (await songs.update(key, { add: { plays: 1 } })).plays,
    pagesOf: async (artist, limit) => {
      const pages: (readonly PlainSong[])[] = [];
      let last: object | undefined;
      do {
        const query = songs.query().partitionKey('artist').eq(artist).limit(limit);
        const page = await (last === undefined ? query : query.startAt(last as never)).run();
        pages.push(page.items.map(plain));
        last = page.lastKey;
      } while (last !== undefined);
      return pages;
    },
    charts: async (genre) => {
      const { items } = await songs
        .query()
        .partitionKey('genre')
        .eq(genre)
        .indexName('charts')
        .sort('descending')
        .run();
      return items.map(({ title }) => title);
    },
    remove: async (key) => {
      await songs.delete(key);
    },
    addAll: async (all) => {
      for (const batchOfSongs of batchesOf(all)) {
        await songs.batchPut(batchOfSongs.map((song) => new Song(song)));
      }
    },
    findAll: async (keys) => (await songs.batchGet([...keys])).items.map(plain),
    replace: async (old, song) => {
      await transactionWrite([songs.transaction.delete(old), songs.transaction.create(new Song(song))]);
    },
    close: () => service.destroy(),
  };
}
