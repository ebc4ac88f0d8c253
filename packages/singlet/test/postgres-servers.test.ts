/**
 * Several `singlet serve` over one PostgreSQL, as clients and operators see them: real processes, a real PostgreSQL, and kills.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Catalog } from '../src/engine/catalog/catalog.ts';
import { findInconsistencies } from '../src/engine/testing/consistency.ts';
import { openPostgresStore } from '../src/storage/postgres/postgres-store.ts';
import { findPostgres, noPostgres, PostgresServer } from '../src/storage/postgres/testing/postgres-server.ts';
import { SingletProcess } from './singlet-process.ts';
import { wireCall, wireResult } from './wire-call.ts';

const programs = findPostgres();
const title = `servers over one PostgreSQL${programs === undefined ? ` (${noPostgres})` : ''}`;

const things = {
  TableName: 'Things',
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'owner', AttributeType: 'S' },
  ],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'byOwner',
      KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  BillingMode: 'PAY_PER_REQUEST',
};

describe.skipIf(programs === undefined)(title, () => {
  let postgres: PostgresServer;
  let started: SingletProcess[] = [];

  beforeAll(async () => {
    postgres = await PostgresServer.start(programs!);
  });

  afterEach(async () => {
    await Promise.all(started.map((server) => server.end('SIGKILL')));
    started = [];
  });

  afterAll(async () => postgres.dispose());

  function serve(schema: string): SingletProcess {
    const server = new SingletProcess([
      'serve',
      '--port',
      '0',
      '--store',
      postgres.url(schema),
      '--log-format',
      'json',
    ]);
    started.push(server);
    return server;
  }

  test('see what the other has acknowledged, count together, and one continues when the other is killed', async () => {
    const [first, second] = [serve('shared'), serve('shared')];
    const [one, two] = await Promise.all([first.ready(), second.ready()]);
    await wireResult(one, 'CreateTable', things);
    await wireResult(two, 'PutItem', {
      TableName: 'Things',
      Item: { pk: { S: 'count' }, owner: { S: 'both' }, n: { N: '0' } },
    });
    const increment = async (url: string): Promise<void> => {
      await wireResult(url, 'UpdateItem', {
        TableName: 'Things',
        Key: { pk: { S: 'count' } },
        UpdateExpression: 'ADD n :one',
        ExpressionAttributeValues: { ':one': { N: '1' } },
      });
    };
    await Promise.all(Array.from({ length: 60 }, async (_, at) => increment(at % 2 === 0 ? one : two)));
    for (const url of [one, two]) {
      const { Item } = await wireResult(url, 'GetItem', {
        TableName: 'Things',
        Key: { pk: { S: 'count' } },
        ConsistentRead: true,
      });
      expect(Item).toMatchObject({ n: { N: '60' } });
    }

    const acknowledged: string[] = [];
    const write = async (url: string, writer: number, steps: number): Promise<void> => {
      for (let step = 0; step < steps; step += 1) {
        const pk = `${writer}-${step}`;
        const input = { TableName: 'Things', Item: { pk: { S: pk }, owner: { S: `${writer}` } } };
        const answer = await wireCall(url, 'PutItem', input).catch(() => undefined);
        if (answer?.status !== 200) return;
        acknowledged.push(pk);
      }
    };
    const writing = [write(one, 0, 5_000), write(one, 1, 5_000), write(two, 2, 40)];
    await expect.poll(() => acknowledged.length).toBeGreaterThan(20);
    expect(await first.end('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
    await Promise.all(writing.slice(0, 2));
    await write(two, 3, 20);
    await writing[2];
    const { Items } = await wireResult(two, 'Scan', { TableName: 'Things', ProjectionExpression: 'pk' });
    const found = new Set((Items as readonly { readonly pk: { readonly S: string } }[]).map(({ pk }) => pk.S));
    expect(acknowledged.filter((pk) => !found.has(pk))).toEqual([]);
    expect(await second.end('SIGTERM')).toEqual({ code: 0, signal: null });
    await expectConsistent('shared');
  });

  test('PostgreSQL is killed and comes back: requests that SDKs would repeat, and then all is well', async () => {
    const server = serve('restarted');
    const url = await server.ready();
    await wireResult(url, 'CreateTable', things);
    const put = { TableName: 'Things', Item: { pk: { S: 'a' }, owner: { S: 'x' } } };
    await wireResult(url, 'PutItem', put);
    await postgres.kill();
    const during = wireCall(url, 'PutItem', put);
    await postgres.start();
    expect([200, 500]).toContain((await during).status);
    await expect.poll(async () => (await wireCall(url, 'PutItem', put)).status).toBe(200);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    await expectConsistent('restarted');
  });

  test('`store init` creates a store, `store status` tells of it, `store verify` checks servers over it', async () => {
    const run = async (...args: readonly string[]): Promise<SingletProcess> => {
      const command = new SingletProcess(['store', ...args]);
      await command.ended;
      return command;
    };
    const url = postgres.url('operated');
    const missing = await run('status', '--store', url);
    expect(missing.stderr).toMatch(/There is no store in schema operated of .*: singlet store init creates one\./);
    expect((await run('init', '--store', url)).stdout).toBe('The store has been created.\n');
    expect((await run('init', '--store', url)).stdout).toBe('The store was there already.\n');
    expect((await run('init', '--store', 'memory:')).stderr).toContain(
      '--store takes the URL of a store in PostgreSQL',
    );
    const verified = await run('verify', '--store', url, '--seconds', '4', '--json');
    expect(await verified.ended).toEqual({ code: 0, signal: null });
    const report = JSON.parse(verified.stdout) as { readonly registerOperations: { readonly ok: number } };
    expect(report).toMatchObject({ anomalies: [], undecidedKeys: [] });
    expect(report.registerOperations.ok).toBeGreaterThan(0);
    const status = await run('status', '--store', url, '--json');
    expect(JSON.parse(status.stdout)).toMatchObject({ schema: 'operated', format: 1 });
    expect((await run('status', '--store', url)).stdout).toMatch(
      /^store +postgres:\/\/singlet@.*, schema operated, format 1\n/,
    );
  });

  /** Checks the store itself, which no server has open any more: items, indexes, counts and the stream agree. */
  async function expectConsistent(schema: string): Promise<void> {
    const store = await openPostgresStore({ url: postgres.url(schema) });
    try {
      const place = { accountId: '000000000000', region: 'us-east-1' };
      const table = await new Catalog(store, { nowMs: () => Date.now() }).load(place, 'Things');
      expect(await findInconsistencies(store, table!)).toEqual([]);
    } finally {
      await store.close();
    }
  }
});
