import { createRequire } from 'node:module';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import type { Library, Place, Song as PlainSong } from './library.ts';
import { composedTable } from './songs-table.ts';

/*
 * Node cannot load TypeDORM's modules, and its types name files that do not exist. It is therefore loaded as CommonJS, and the types that we use are
 * declared here.
 */
interface Common {
  readonly Attribute: () => (target: object, name: string) => void;
  readonly Entity: (options: object) => (target: object) => void;
  readonly INDEX_TYPE: { readonly GSI: string };
  readonly Table: new (options: object) => object;
}

interface Manager {
  create(song: Song): Promise<unknown>;
  findOne(entity: object, key: object): Promise<Song | undefined>;
  update(entity: object, key: object, changes: object): Promise<Song | undefined>;
  find(entity: object, partition: object, options: object): Promise<{ items: Song[]; cursor?: object | undefined }>;
  delete(entity: object, key: object): Promise<unknown>;
}

interface Core {
  readonly createConnection: (options: object) => {
    readonly entityManager: Manager;
    readonly batchManager: {
      write(batch: object): Promise<unknown>;
      read(batch: object): Promise<{ items: Song[] }>;
    };
    readonly transactionManger: { write(transaction: object): Promise<unknown> };
  };
  readonly ReadBatch: new () => { add(gets: readonly object[]): object };
  readonly WriteBatch: new () => { addCreateItem(song: Song): object };
  readonly WriteTransaction: new () => {
    addDeleteItem(entity: object, key: object): { addCreateItem(song: Song): object };
  };
}

const require = createRequire(import.meta.url);
void require('reflect-metadata');
const { Attribute, Entity, INDEX_TYPE, Table } = require('@typedorm/common') as Common;
const { createConnection, ReadBatch, WriteBatch, WriteTransaction } = require('@typedorm/core') as Core;
const { DocumentClientV3 } = require('@typedorm/document-client') as {
  readonly DocumentClientV3: new (client: object) => object;
};

class Song implements PlainSong {
  artist = '';
  title = '';
  genre = '';
  plays = 0;
  tags: readonly string[] = [];
}

/** What TypeScript would emit for the decorators. */
const { defineMetadata } = Reflect as unknown as {
  readonly defineMetadata: (name: string, type: unknown, target: object, attribute: string) => void;
};
for (const [name, value] of Object.entries(new Song())) {
  defineMetadata('design:type', (value as object).constructor, Song.prototype, name);
  Attribute()(Song.prototype, name);
}
Entity({
  name: 'song',
  primaryKey: { partitionKey: 'ARTIST#{{artist}}', sortKey: 'SONG#{{title}}' },
  indexes: { charts: { partitionKey: 'GENRE#{{genre}}', sortKey: 'TITLE#{{title}}', type: INDEX_TYPE.GSI } },
})(Song);

export async function openTypeDorm({ client, table: name }: Place): Promise<Library> {
  await client.send(new CreateTableCommand(composedTable(name)));
  const table = new Table({
    name,
    partitionKey: 'pk',
    sortKey: 'sk',
    indexes: { charts: { type: INDEX_TYPE.GSI, partitionKey: 'gsi1pk', sortKey: 'gsi1sk' } },
  });
  const connection = createConnection({
    name: `${name}-${Math.random()}`,
    table,
    entities: [Song],
    documentClient: new DocumentClientV3(client),
  });
  const { entityManager: songs } = connection;
  const entityOf = (song: PlainSong): Song => Object.assign(new Song(), song);
  const plain = (song: Song): PlainSong => Object.assign({}, song);
  return {
    add: async (song) => {
      await songs.create(entityOf(song));
    },
    find: async (key) => {
      const found = await songs.findOne(Song, key);
      return found && plain(found);
    },
    play: async (key) => {
      const counted = await songs.update(Song, key, { plays: { ADD: 1 } });
      return counted?.plays ?? Number.NaN;
    },
    pagesOf: async (artist, limit) => {
      const pages: (readonly PlainSong[])[] = [];
      let cursor: object | undefined;
      do {
        const page: { items: Song[]; cursor?: object | undefined } = await songs.find(
          Song,
          { artist },
          { limit, ...(cursor && { cursor }) },
        );
        pages.push(page.items.map(plain));
        cursor = page.cursor;
      } while (cursor !== undefined);
      return pages;
    },
    charts: async (genre) => {
      // A counter cannot be part of a key, so the index is by title, read backwards.
      const { items } = await songs.find(Song, { genre }, { queryIndex: 'charts', orderBy: 'DESC' });
      return items.toReversed().map(({ title }) => title);
    },
    remove: async (key) => {
      await songs.delete(Song, key);
    },
    addAll: async (all) => {
      const batch = new WriteBatch();
      for (const song of all) batch.addCreateItem(entityOf(song));
      await connection.batchManager.write(batch);
    },
    findAll: async (keys) => {
      const batch = new ReadBatch().add(keys.map((primaryKey) => ({ item: Song, primaryKey })));
      return (await connection.batchManager.read(batch)).items.map(plain);
    },
    replace: async (old, song) => {
      const transaction = new WriteTransaction().addDeleteItem(Song, old).addCreateItem(entityOf(song));
      await connection.transactionManger.write(transaction);
    },
    close: () => undefined,
  };
}
