import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** A song, as all clients store it. */
export interface Song {
  readonly artist: string;
  readonly title: string;
  readonly genre: string;
  readonly plays: number;
  readonly tags: readonly string[];
}

export type SongKey = Pick<Song, 'artist' | 'title'>;

/** What a program does with a table, implemented with one client. */
export interface Library {
  /** Fails when the song exists. */
  readonly add: (song: Song) => Promise<void>;
  readonly find: (key: SongKey) => Promise<Song | undefined>;
  /** Counts a play, without reading first. */
  readonly play: (key: SongKey) => Promise<number>;
  /** All songs of an artist by title, page by page. */
  readonly pagesOf: (artist: string, pageSize: number) => Promise<readonly (readonly Song[])[]>;
  /** Titles of a genre, the most played first, from an index. */
  readonly charts: (genre: string) => Promise<readonly string[]>;
  readonly remove: (key: SongKey) => Promise<void>;
  readonly addAll: (songs: readonly Song[]) => Promise<void>;
  readonly findAll: (keys: readonly SongKey[]) => Promise<readonly Song[]>;
  /** In one transaction: deletes one song and adds another, which must not exist. Absent if the client has no transactions. */
  readonly replace?: (old: SongKey, song: Song) => Promise<void>;
  readonly close: () => void;
}

/** Where a client finds the database. */
export interface Place {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** An SDK client for it. */
  readonly client: DynamoDBClient;
  /** The name of the table to create. */
  readonly table: string;
}

/** Creates its table, and implements a {@link Library} with the client. */
export type OpenLibrary = (place: Place) => Promise<Library>;

/** Items that one BatchWriteItem takes. */
const batchMax = 25;

/** The songs in groups that one request takes, for clients that leave the division to the program. */
export function* batchesOf(songs: readonly Song[]): Generator<readonly Song[]> {
  for (let from = 0; from < songs.length; from += batchMax) yield songs.slice(from, from + batchMax);
}
