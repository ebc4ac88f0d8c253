import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDatabase, type Database, type DatabaseServer, serve } from 'singlet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  findPostgres,
  noPostgres,
  PostgresServer,
} from '../../packages/singlet/src/storage/postgres/testing/postgres-server.ts';
import { drawn } from '../../systems/testing/drawn.ts';
import { openAwsCli } from './aws-cli.ts';
import { openBoto3 } from './boto3.ts';
import { openDynamode } from './dynamode.ts';
import { openDynamoose } from './dynamoose.ts';
import { openElectro } from './electrodb.ts';
import type { Library, OpenLibrary, Song } from './library.ts';
import { openOneTable } from './onetable.ts';
import { type Python, pythonsWith } from './python.ts';
import { openSdk2 } from './sdk-2.ts';
import { openSdk3 } from './sdk-3.ts';
import { openToolbox } from './toolbox.ts';
import { openTypeDorm } from './typedorm.ts';

/*
 * One program, written with each of the popular clients, unchanged and over HTTP: tables, conditions, counters, pages, an index read backwards,
 * batches larger than one request may be, transactions.
 */
const clients: Readonly<Record<string, OpenLibrary | undefined>> = {
  'the document client of the AWS SDK 3': openSdk3,
  'the document client of the AWS SDK 2': openSdk2,
  ElectroDB: openElectro,
  'DynamoDB-Toolbox': openToolbox,
  OneTable: openOneTable,
  Dynamoose: openDynamoose,
  TypeDORM: openTypeDorm,
  Dynamode: openDynamode,
  ...inPython('boto3', pythonsWith('boto3'), openBoto3),
  ...inPython('the AWS CLI', pythonsWith('awscli'), openAwsCli),
};

/** Each version of a client that is installed, or the client as one that is missing. */
function inPython(
  name: string,
  installed: readonly Python[],
  open: (python: Python) => OpenLibrary,
): Readonly<Record<string, OpenLibrary | undefined>> {
  if (installed.length === 0) return { [name]: undefined };
  return Object.fromEntries(installed.map((python) => [`${name} ${python.version}`, open(python)]));
}

const song = (title: string, plays = 0, artist = 'Nina Simone'): Song => ({
  artist,
  title,
  genre: 'soul',
  plays,
  tags: ['live', 'élan'],
});
const keyOf = ({ artist, title }: Song): { artist: string; title: string } => ({ artist, title });

const programs = findPostgres();

const postgresTitle = `PostgreSQL${programs === undefined ? ` (${noPostgres})` : ''}`;

/** A run draws one of the stores for each client, and for each store a third of the clients. */
const stores = ['memory', 'a directory', 'PostgreSQL'];
const turns = drawn('stores of clients', [0, 1, 2]);
const isTried = (client: number, where: string): boolean =>
  turns.some((turn) => stores[(client + turn) % stores.length] === where);

describe.skipIf(programs === undefined)(`on ${postgresTitle}`, () => runClients('PostgreSQL'));
describe.each([['memory'], ['a directory']])('on %s', runClients);

function runClients(where: string): void {
  let directory: string;
  let postgres: PostgresServer | undefined;
  let database: Database;
  let server: DatabaseServer;
  let client: DynamoDBClient;
  const region = 'us-east-1';
  const credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret' };

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'singlet-clients-'));
    if (where === 'PostgreSQL') postgres = await PostgresServer.start(programs!);
    const store = postgres?.url('singlet');
    database = await createDatabase(
      store === undefined ? { directory: where === 'memory' ? undefined : directory } : { store },
    );
    server = await serve(database);
    client = new DynamoDBClient({ endpoint: server.url, region, credentials });
  });

  afterAll(async () => {
    client.destroy();
    await server.close();
    await database.close();
    await postgres?.dispose();
    rmSync(directory, { recursive: true });
  });

  for (const [at, [name, open]] of Object.entries(clients).entries()) {
    if (!isTried(at, where)) continue;
    if (open === undefined) describe.skip(`${name} (not installed)`, () => undefined);
    else describe(name, () => runClient(name, open));
  }

  function runClient(name: string, open: OpenLibrary): void {
    let library: Library;

    beforeAll(async () => {
      const table = `songs on ${where} by ${name}`.replaceAll(/\W+/g, '-');
      library = await open({ endpoint: server.url, region, credentials, client, table });
    });

    afterAll(() => library.close());

    test('adds a song once, and finds it', async () => {
      const added = song('Sinnerman', 3);
      await library.add(added);
      expect(await library.find(keyOf(added))).toEqual(added);
      expect(await library.find({ artist: 'Nina Simone', title: 'Unknown' })).toBeUndefined();
      await expect(library.add(song('Sinnerman', 9))).rejects.toThrow();
      expect((await library.find(keyOf(added)))?.plays).toBe(3);
    });

    test('counts at the same time without losing any', async () => {
      const played = song('Feeling Good');
      await library.add(played);
      const counts = await Promise.all(Array.from({ length: 8 }, async () => library.play(keyOf(played))));
      expect(counts.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    });

    test('reads a collection page by page, and an index backwards', async () => {
      const all = ['A', 'B', 'C', 'D', 'E'].map((title, at) => song(title, 10 - at, 'Paged'));
      const others = all.map((each) => ({ ...each, genre: 'jazz' }));
      for (const each of others) await library.add(each);
      const pages = await library.pagesOf('Paged', 2);
      expect(pages.flat()).toEqual(others);
      expect(pages.every((page) => page.length <= 2)).toBe(true);
      expect(pages.length).toBeGreaterThanOrEqual(3);
      expect(await library.charts('jazz')).toEqual(['A', 'B', 'C', 'D', 'E']);
    });

    test('removes a song', async () => {
      const gone = song('Gone');
      await library.add(gone);
      await library.remove(keyOf(gone));
      expect(await library.find(keyOf(gone))).toBeUndefined();
    });

    test('writes and reads more than one batch takes', async () => {
      const many = Array.from({ length: 30 }, (_, at) => song(`Song ${String(at).padStart(2, '0')}`, at, 'Many'));
      await library.addAll(many);
      const found = await library.findAll(many.map(keyOf));
      expect(found.toSorted((a, b) => a.plays - b.plays)).toEqual(many);
    });

    test('changes two songs or none', async () => {
      if (library.replace === undefined) return;
      const [old, present, next] = [song('Old'), song('Present'), song('Next')];
      await library.add(old);
      await library.add(present);
      await expect(library.replace(keyOf(old), present)).rejects.toThrow();
      expect(await library.find(keyOf(old))).toEqual(old);
      await library.replace(keyOf(old), next);
      expect(await library.find(keyOf(old))).toBeUndefined();
      expect(await library.find(keyOf(next))).toEqual(next);
    });
  }
}
