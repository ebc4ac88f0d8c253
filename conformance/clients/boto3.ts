import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Library, Place, Song, SongKey } from './library.ts';
import { songsTable } from './songs-table.ts';

const program = fileURLToPath(new URL('boto3_songs.py', import.meta.url));

/** Whether Python has boto3. */
export const hasBoto3: boolean = spawnSync('python3', ['-c', 'import boto3']).status === 0;

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  /** The code of the service's error. */
  readonly error?: string;
}

/** boto3, in a process of its own: the calls are lines of JSON. */
export async function openBoto3({ endpoint, region, credentials, table }: Place): Promise<Library> {
  const settings = JSON.stringify({ endpoint, region, credentials, table: songsTable(table) });
  const calls = new Calls(spawn('python3', [program, settings]));
  return {
    add: async (song) => void (await calls.make('add', song)),
    find: async (key) => ((await calls.make('find', key)) ?? undefined) as Song | undefined,
    play: async (key) => (await calls.make('play', key)) as number,
    pagesOf: async (artist, pageSize) => (await calls.make('pagesOf', artist, pageSize)) as Song[][],
    charts: async (genre) => (await calls.make('charts', genre)) as string[],
    remove: async (key) => void (await calls.make('remove', key)),
    addAll: async (songs) => void (await calls.make('addAll', songs)),
    findAll: async (keys) => (await calls.make('findAll', keys)) as Song[],
    replace: async (old: SongKey, song: Song) => void (await calls.make('replace', old, song)),
    close: () => calls.close(),
  };
}

class Calls {
  readonly #python: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  #stderr = '';
  #count = 0;

  constructor(python: ChildProcessWithoutNullStreams) {
    this.#python = python;
    python.stderr.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    createInterface({ input: python.stdout }).on('line', (line) => this.#read(line));
    python.once('close', () => this.#fail(`Python ended: ${this.#stderr}`));
  }

  async make(name: string, ...args: readonly unknown[]): Promise<unknown> {
    const id = (this.#count += 1);
    return await new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#python.stdin.write(`${JSON.stringify({ id, name, args })}\n`);
    });
  }

  #read(line: string): void {
    try {
      this.#settle(JSON.parse(line) as Answer);
    } catch {
      this.#fail(`Python answered ${line}`);
    }
  }

  #fail(message: string): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(message));
    this.#waiting.clear();
  }

  #settle({ id, value, error }: Answer): void {
    const call = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) call?.resolve(value);
    else call?.reject(new Error(error));
  }

  close(): void {
    this.#python.stdin.end();
  }
}
