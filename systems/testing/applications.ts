import { type AttributeValue, DynamoDBClient, ListTablesCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { Model } from '@singlet/model';
import { afterAll, beforeAll, expect } from 'vitest';
import { faultText } from '../http/faults.ts';
import type { HttpServer } from '../http/node-server.ts';
import type { ApplicationStart } from '../http/start-options.ts';
import { openEmbeddedDatabase } from './databases.ts';
import { recordAnswer } from './examples.ts';

/** The machine may be busy with other tests. */
const STARTS_IN_MS_MAX = 120_000;

/** An application that is served for a test. */
export interface ServedApplication {
  readonly url: string;
  /** Its output, including faults. */
  readonly said: readonly string[];
  /** An operation under `/api`: status, body and receipt. */
  readonly ask: (method: string, path: string, options?: AskOptions) => Promise<Asked>;
  /** Starts another process of the application on the same database, or the same one after a restart. It ends with the first. */
  readonly another: () => Promise<Pick<ServedApplication, 'url' | 'ask'>>;
  /** How many items of each kind there are, in all tables. */
  readonly kinds: () => Promise<ReadonlyMap<string, number>>;
  /** All items of all tables, as text, sorted. Without what passes by itself: the leases of consumers. */
  readonly stored: () => Promise<readonly string[]>;
}

export interface AskOptions {
  readonly body?: unknown;
  readonly token?: string | undefined;
  readonly key?: string;
}

export interface Asked {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly receipt: string;
}

type Start = (options: ApplicationStart) => Promise<HttpServer>;

interface ServingOptions {
  readonly scale?: number;
  /** Buckets of the database. */
  readonly buckets?: readonly string[];
}

/** Serves an application for all tests of the surrounding `describe`. */
export function useApplication(start: Start, options: ServingOptions = {}): () => ServedApplication {
  let served: (ServedApplication & { readonly close: () => Promise<void> }) | undefined;
  beforeAll(async () => {
    served = await open(start, options);
  }, STARTS_IN_MS_MAX);
  afterAll(async () => await served?.close());
  return () => {
    if (served === undefined) throw new ReferenceError('The application is there once the tests run');
    return served;
  };
}

/** Serves an application on its own database in this process, checks all its answers, and ends it after the story. */
export async function serving(
  start: Start,
  story: (served: ServedApplication) => Promise<void>,
  options: ServingOptions = {},
): Promise<void> {
  const served = await open(start, options);
  try {
    await story(served);
  } finally {
    await served.close();
  }
}

/** What signing out does in every application whose users sign in: it ends this session, or all of the user. */
export async function expectToSignOut({ ask }: Pick<ServedApplication, 'ask'>, username: string): Promise<void> {
  const begin = async (): Promise<string> =>
    String((await ask('POST', '/sessions', { body: { username } })).body['token']);
  const end = async (path: string, token: string): Promise<number> => (await ask('DELETE', path, { token })).status;
  const [first, second, third] = [await begin(), await begin(), await begin()];
  expect([await end('/session', first), await end('/session', first)]).toEqual([204, 401]);
  expect([await end('/sessions', second), await end('/session', third)]).toEqual([204, 401]);
  expect((await ask('DELETE', '/session')).status).toBe(401);
}

/** The ids of what a model declares: patterns, writes and jobs. */
export function declaredIds({ patterns, procedures = {} }: Model): ReadonlySet<string> {
  const all: readonly { readonly id?: string }[] = [...Object.values(patterns), ...Object.values(procedures)];
  return new Set(all.flatMap(({ id }) => id ?? []));
}

async function open(
  start: Start,
  options: ServingOptions,
): Promise<ServedApplication & { readonly close: () => Promise<void> }> {
  const database = await openEmbeddedDatabase(options.buckets);
  const said: string[] = [];
  const running: { readonly client: DynamoDBClient; readonly server: HttpServer }[] = [];
  const begin = async () => {
    const client = new DynamoDBClient(database.clientConfig);
    const server = await start({
      database,
      client,
      port: 0,
      scale: options.scale ?? 0.002,
      say: (line) => said.push(line),
      onFault: (error, where) => said.push(faultText(error, where)),
      checksAnswers: true,
      onAnswer: recordAnswer,
    });
    running.push({ client, server });
    const { url } = server;
    return { client, url, ask: async (...asked: Parameters<ServedApplication['ask']>) => await ask(url, ...asked) };
  };
  const { client, ...first } = await begin();
  return {
    ...first,
    said,
    another: begin,
    kinds: async () => await kindsIn(client),
    stored: async () =>
      (await itemsIn(client))
        .map(itemText)
        .filter((text) => !/lease/i.test(text))
        .toSorted(),
    close: async () => {
      for (const each of running) {
        await each.server.close();
        each.client.destroy();
      }
      await database.close();
    },
  };
}

/** An item of a table, as it is stored. */
export interface StoredItem {
  readonly table: string;
  readonly item: Readonly<Record<string, AttributeValue>>;
}

/** Every item of every table. */
export async function itemsIn(client: DynamoDBClient): Promise<readonly StoredItem[]> {
  const { TableNames = [] } = await client.send(new ListTablesCommand({})); // fewer than a page
  const items: StoredItem[] = [];
  for (const TableName of TableNames) {
    let ExclusiveStartKey: Record<string, AttributeValue> | undefined;
    do {
      const page = await client.send(
        new ScanCommand({ TableName, ConsistentRead: true, ...(ExclusiveStartKey && { ExclusiveStartKey }) }),
      );
      items.push(...(page.Items ?? []).map((item) => ({ table: TableName, item })));
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey !== undefined);
  }
  return items;
}

/** The attributes in one order, which DynamoDB does not promise. */
function itemText({ table, item }: StoredItem): string {
  const attributes = Object.entries(item).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `${table} ${JSON.stringify(attributes)}`;
}

async function kindsIn(client: DynamoDBClient): Promise<ReadonlyMap<string, number>> {
  const kinds = new Map<string, number>();
  for (const { table, item } of await itemsIn(client)) {
    const kind = `${table} ${(item['Type'] ?? item['type'])?.S ?? ''}`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return kinds;
}

async function ask(url: string, method: string, path: string, { body, token, key }: AskOptions = {}): Promise<Asked> {
  const response = await fetch(`${url}/api${path}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    // Every body of an operation is an object.
    body: (text === '' ? {} : JSON.parse(text)) as Asked['body'],
    receipt: response.headers.get('receipt') ?? '',
  };
}
