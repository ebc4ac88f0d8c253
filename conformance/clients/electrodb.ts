import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { Entity, Service } from 'electrodb';
import type { Library, Place, Song } from './library.ts';
import { composedTable } from './songs-table.ts';

export async function openElectro({ client, table }: Place): Promise<Library> {
  await client.send(new CreateTableCommand(composedTable(table)));
  const songs = new Entity(
    {
      model: { entity: 'song', version: '1', service: 'library' },
      attributes: {
        artist: { type: 'string', required: true },
        title: { type: 'string', required: true },
        genre: { type: 'string', required: true },
        plays: { type: 'number', required: true, padding: { length: 6, char: '0' } },
        tags: { type: 'list', items: { type: 'string' }, required: true },
      },
      indexes: {
        byArtist: {
          pk: { field: 'pk', composite: ['artist'], casing: 'none' },
          sk: { field: 'sk', composite: ['title'], casing: 'none' },
        },
        charts: {
          index: 'charts',
          pk: { field: 'gsi1pk', composite: ['genre'] },
          sk: { field: 'gsi1sk', composite: ['plays'] },
        },
      },
    },
    { client, table },
  );
  const service = new Service({ songs }, { client, table });
  return {
    add: async (song) => {
      await songs.create({ ...song, tags: [...song.tags] }).go();
    },
    find: async (key) => ((await songs.get(key).go()).data as Song | null as Song | undefined) ?? undefined,
    play: async (key) => {
      // A key of the index contains the plays, which an update of a counter does not know, so the key does not change.
      const { data } = await songs.patch(key).add({ plays: 1 }).go({ response: 'updated_new' });
      return data.plays as number;
    },
    pagesOf: async (artist, limit) => {
      const pages: (readonly Song[])[] = [];
      let cursor: string | null = null;
      do {
        const page: { data: unknown; cursor: string | null } = await songs.query
          .byArtist({ artist })
          .go({ limit, cursor });
        pages.push(page.data as Song[]);
        cursor = page.cursor;
      } while (cursor !== null);
      return pages;
    },
    charts: async (genre) => (await songs.query.charts({ genre }).go({ order: 'desc' })).data.map(({ title }) => title),
    remove: async (key) => {
      await songs.delete(key).go();
    },
    addAll: async (all) => {
      await songs.put(all.map((song) => ({ ...song, tags: [...song.tags] }))).go();
    },
    findAll: async (keys) => (await songs.get([...keys]).go()).data,
    replace: async (old, song) => {
      const { canceled } = await service.transaction
        .write(({ songs: inTransaction }) => [
          inTransaction.delete(old).commit(),
          inTransaction.create({ ...song, tags: [...song.tags] }).commit(),
        ])
        .go();
      if (canceled) throw new Error('the transaction was cancelled');
    },
    close: () => undefined,
  };
}
