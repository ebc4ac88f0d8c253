import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { HttpServer } from '../http/node-server.ts';
import type { ApplicationStart } from '../http/start-options.ts';
import { openEmbeddedDatabase } from './databases.ts';

/** An application that is served for a test. */
export interface ServedApplication {
  readonly url: string;
  /** What it said, faults among it. */
  readonly said: readonly string[];
  /** An operation under `/api`: status, body and receipt. */
  readonly ask: (method: string, path: string, options?: AskOptions) => Promise<Asked>;
}

interface AskOptions {
  readonly body?: unknown;
  readonly token?: string | undefined;
  readonly key?: string;
}

interface Asked {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly receipt: string;
}

/** Serves an application on a database of its own in this process, checks all its answers, and ends it after the story. */
export async function serving(
  start: (options: ApplicationStart) => Promise<HttpServer>,
  story: (served: ServedApplication) => Promise<void>,
  options: { readonly scale?: number } = {},
): Promise<void> {
  const database = await openEmbeddedDatabase();
  const client = new DynamoDBClient(database.clientConfig);
  const said: string[] = [];
  const server = await start({
    database,
    client,
    port: 0,
    scale: options.scale ?? 0.002,
    say: (line) => said.push(line),
    checksAnswers: true,
  });
  try {
    await story({ url: server.url, said, ask: async (...asked) => await ask(server.url, ...asked) });
  } finally {
    await server.close();
    client.destroy();
    await database.close();
  }
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
