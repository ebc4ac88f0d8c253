import { Table } from 'dynamodb-onetable';
import { batchesOf, type Library, type Place, type Song } from './library.ts';

const schema = {
  format: 'onetable:1.1.0',
  version: '0.0.1',
  indexes: {
    primary: { hash: 'pk', sort: 'sk' },
    charts: { hash: 'gsi1pk', sort: 'gsi1sk', project: 'all' },
  },
  models: {
    Song: {
      pk: { type: String, value: 'artist#${artist}', hidden: true },
      sk: { type: String, value: 'song#${title}', hidden: true },
      gsi1pk: { type: String, value: 'genre#${genre}', hidden: true },
      gsi1sk: { type: String, value: 'plays#${plays:6:0}', hidden: true },
      artist: { type: String, required: true },
      title: { type: String, required: true },
      genre: { type: String, required: true },
      plays: { type: Number, required: true },
      tags: { type: Array, required: true, items: { type: String } },
    },
  },
  params: { isoDates: true, timestamps: false },
} as const;

export async function openOneTable({ client, table: name }: Place): Promise<Library> {
  const table = new Table({ client, name, schema, partial: false });
  await table.createTable();
  const songs = table.getModel('Song');
  const plain = ({ artist, title, genre, plays, tags }: Song): Song => ({ artist, title, genre, plays, tags });
  return {
    add: async (song) => {
      await songs.create({ ...song, tags: [...song.tags] });
    },
    find: async (key) => {
      const found = (await songs.get(key)) as Song | undefined;
      return found && plain(found);
    },
    play: async (key) => {
      const counted = await songs.update(key, { add: { plays: 1 }, partial: true, return: 'get' });
      return (counted as unknown as Song).plays;
    },
    pagesOf: async (artist, limit) => {
      const pages: (readonly Song[])[] = [];
      let next: object | undefined;
      do {
        const page = await songs.find({ artist }, { limit, ...(next && { next }) });
        pages.push((page as unknown as Song[]).map(plain));
        next = page.next;
      } while (next !== undefined);
      return pages;
    },
    charts: async (genre) => {
      const found = await songs.find({ genre }, { index: 'charts', reverse: true });
      return (found as unknown as Song[]).map(({ title }) => title);
    },
    remove: async (key) => {
      await songs.remove(key);
    },
    addAll: async (all) => {
      for (const batchOfSongs of batchesOf(all)) {
        const batch = {};
        for (const song of batchOfSongs) {
          await songs.create({ ...song, tags: [...song.tags] }, { batch, exists: null });
        }
        await table.batchWrite(batch);
      }
    },
    findAll: async (keys) => {
      const batch = {};
      for (const key of keys) await songs.get(key, { batch });
      const found = (await table.batchGet(batch, { parse: true, hidden: false })) as unknown as Song[];
      return found.map(plain);
    },
    replace: async (old, song) => {
      const transaction = {};
      await songs.remove(old, { transaction });
      await songs.create({ ...song, tags: [...song.tags] }, { transaction });
      await table.transact('write', transaction);
    },
    close: () => undefined,
  };
}
