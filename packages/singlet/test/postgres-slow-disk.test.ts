/**
 * PostgreSQL on a slow disk: each flush of its log takes a tenth of a second longer. Commits wait for it, and hold their locks meanwhile.
 */
import { CreateTableCommand, DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase } from '../src/database/create-database.ts';
import type { Store } from '../src/storage/store.ts';
import { bytes, entriesOf, put, testKey, textsOf, wholeSpace } from '../src/storage/testing/store-probe.ts';
import { openPostgresStore } from '../src/storage/postgres/postgres-store.ts';
import { ConnectionProxy } from '../src/storage/postgres/testing/connection-proxy.ts';
import { findPostgres, noPostgres, PostgresServer } from '../src/storage/postgres/testing/postgres-server.ts';

const programs = findPostgres();
const title = `PostgreSQL on a slow disk${programs === undefined ? ` (${noPostgres})` : ''}`;

describe.skipIf(programs === undefined)(title, () => {
  let server: PostgresServer;
  let opened: Store[] = [];

  beforeAll(async () => {
    server = await PostgresServer.start(programs!);
    await server.setFlushDelay(100);
  });

  afterEach(async () => {
    await Promise.all(opened.map(async (store) => store.close()));
    opened = [];
  });

  afterAll(async () => server.dispose());

  async function open(options: Partial<Parameters<typeof openPostgresStore>[0]> & { readonly schema: string }) {
    const { schema, ...rest } = options;
    const store = await openPostgresStore({ url: server.url(schema), ...rest });
    opened.push(store);
    return store;
  }

  test('what comes while a commit waits is one group, also of two servers that change the same entries', async () => {
    const stores = [await open({ schema: 'grouped' }), await open({ schema: 'grouped' })];
    const counter = testKey(1, 1);
    const answers = await Promise.all(
      Array.from({ length: 160 }, async (_, at) =>
        stores[at % 2]!.write([counter], ([value]) => {
          const next = Number(value === undefined ? 0 : Buffer.from(value).toString()) + 1;
          return { answer: next, writes: [{ key: counter, value: bytes(`${next}`) }] };
        }),
      ),
    );
    expect(answers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 160 }, (_, at) => at + 1));
    const client = await server.client();
    const { rows } = await client.query<{ groups: number }>('SELECT sum(groups)::int AS groups FROM grouped.lane');
    await client.end();
    // 160 commits one after the other would be 160 flushes.
    expect(rows[0]?.groups).toBeLessThan(20);
  });

  test('a read does not wait for the commit of a write', async () => {
    const store = await open({ schema: 'read' });
    const key = testKey(1, 1);
    await put(store, { key, value: bytes('before') });
    const readDuringCommit = async (): Promise<boolean> => {
      let isWritten = false;
      const writing = put(store, { key, value: bytes('after') }).then(() => (isWritten = true));
      const [text] = await textsOf(store, [key]);
      const { entries } = await entriesOf(store, wholeSpace(1));
      const wasPending = !isWritten;
      await writing;
      expect(['before', 'after']).toContain(text);
      expect(entries).toHaveLength(1);
      return wasPending;
    };
    // On a busy machine a read may take longer than a commit, once.
    await expect.poll(readDuringCommit).toBe(true);
  });

  test('more requests than it can commit are throttled, and every one is answered', async () => {
    const store = await open({ schema: 'throttled', waitingMax: 60 });
    const database = await createDatabase({ store });
    opened = []; // the database closes it
    const client = new DynamoDBClient({ ...database.clientConfig(), maxAttempts: 1 });
    try {
      await client.send(
        new CreateTableCommand({
          TableName: 'Things',
          AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
          KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
          BillingMode: 'PAY_PER_REQUEST',
        }),
      );
      const names = Array.from({ length: 400 }, (_, at) => `${at}`);
      const outcomes = await Promise.allSettled(
        names.map(async (pk) => client.send(new PutItemCommand({ TableName: 'Things', Item: { pk: { S: pk } } }))),
      );
      const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
      expect(refused.length).toBeGreaterThan(100);
      for (const error of refused) expect(error).toMatchObject({ name: 'RequestLimitExceeded' });
      const { Count = 0 } = await client.send(new ScanCommand({ TableName: 'Things', Select: 'COUNT' }));
      expect(Count).toBe(names.length - refused.length);
      expect(Count).toBeGreaterThan(0);
    } finally {
      client.destroy();
      await database.close();
    }
  });

  test('connections that are lost while a commit waits: nothing acknowledged is missing, and nothing is made twice', async () => {
    const proxy = await ConnectionProxy.start(server.port);
    const url = server.url('cut').replace(`:${server.port}/`, `:${proxy.port}/`);
    try {
      const store = await open({ schema: 'cut', url });
      const counter = testKey(1, 1);
      let [round, decisions, cuts] = [0, 0, 0];
      // On a busy machine a commit may be over before it is seen to wait.
      while (cuts < 4) {
        round += 1;
        let isOver = false;
        const writing = store.write([counter], ([value]) => {
          decisions += 1;
          const next = Number(value === undefined ? 0 : Buffer.from(value).toString()) + 1;
          return { answer: next, writes: [{ key: counter, value: bytes(`${next}`) }] };
        });
        void writing.then(() => (isOver = true));
        await expect.poll(async () => isOver || (await flushingCount()) > 0, { interval: 1 }).toBe(true);
        if (!isOver) {
          cuts += 1;
          if (cuts % 2 === 0) proxy.cut();
          else proxy.cutAnswers();
        }
        expect(await writing).toBe(round);
      }
      expect(await textsOf(store, [counter])).toEqual([`${round}`]);
      // PostgreSQL had received all of them.
      expect(decisions).toBe(round);
    } finally {
      await Promise.all(opened.map(async (store) => store.close()));
      await proxy.close();
    }
  });

  /** How many sessions wait for the flush of their commit. */
  async function flushingCount(): Promise<number> {
    const client = await server.client();
    try {
      const text = `SELECT count(*)::int AS flushing FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'WITH lane%'`;
      return (await client.query<{ flushing: number }>(text)).rows[0]?.flushing ?? 0;
    } finally {
      await client.end();
    }
  }
});
