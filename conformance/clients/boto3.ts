import type { Library, OpenLibrary, Song, SongKey } from './library.ts';
import { type Python, PythonProgram } from './python.ts';
import { songsTable } from './songs-table.ts';

/** boto3, in a process of its own. */
export function openBoto3(python: Python): OpenLibrary {
  return async ({ endpoint, region, credentials, table }): Promise<Library> => {
    const settings = { endpoint, region, credentials, table: songsTable(table) };
    const program = new PythonProgram(python, 'boto3_songs.py', settings);
    return {
      add: async (song) => void (await program.call('add', song)),
      find: async (key) => ((await program.call('find', key)) ?? undefined) as Song | undefined,
      play: async (key) => (await program.call('play', key)) as number,
      pagesOf: async (artist, pageSize) => (await program.call('pagesOf', artist, pageSize)) as Song[][],
      charts: async (genre) => (await program.call('charts', genre)) as string[],
      remove: async (key) => void (await program.call('remove', key)),
      addAll: async (songs) => void (await program.call('addAll', songs)),
      findAll: async (keys) => (await program.call('findAll', keys)) as Song[],
      replace: async (old: SongKey, song: Song) => void (await program.call('replace', old, song)),
      close: () => program.close(),
    };
  };
}
