/**
 * Several `singlet serve` over one PostgreSQL, as clients and operators see them: real processes, a real PostgreSQL, and kills.
 */
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Catalog } from '../src/engine/catalog/catalog.ts';
import { restOf, space, spaceStart, storeKey } from '../src/engine/layout/spaces.ts';
import { findInconsistencies } from '../src/engine/testing/consistency.ts';
import { openPostgresStore } from '../src/storage/postgres/postgres-store.ts';
import { findPostgres, freePort, noPostgres, PostgresServer } from '../src/storage/postgres/testing/postgres-server.ts';
import { things } from './indexed-things.ts';
import { type CommandEnd, useCommands } from './singlet-commands.ts';
import { SingletProcess } from './singlet-process.ts';
import { wireCall, wireResult } from './wire-call.ts';

const programs = findPostgres();
const title = `servers over one PostgreSQL${programs === undefined ? ` (${noPostgres})` : ''}`;

const pk = { AttributeName: 'pk', AttributeType: 'S' };

const oneUnit = { ReadCapacityUnits: 1, WriteCapacityUnits: 1 };
const provisioned = {
  BillingMode: 'PROVISIONED',
  ProvisionedThroughput: oneUnit,
  GlobalSecondaryIndexes: things.GlobalSecondaryIndexes.map((index) => ({ ...index, ProvisionedThroughput: oneUnit })),
};

describe.skipIf(programs === undefined)(title, () => {
  const command = useCommands();
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

  function serve(schema: string, ...flags: readonly string[]): SingletProcess {
    const port = flags.includes('--port') ? [] : ['--port', '0'];
    const store = ['--store', postgres.url(schema)];
    const server = new SingletProcess(['serve', ...port, ...store, '--log-format', 'json', ...flags]);
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
    const run = async (...args: readonly string[]): Promise<CommandEnd> => command(['store', ...args]);
    const url = postgres.url('operated');
    const missing = await run('status', '--store', url);
    expect(missing.stderr).toMatch(/There is no store in schema operated of .*: singlet store init creates one\./);
    expect((await run('init', '--store', url)).stdout).toBe('The store has been created.\n');
    expect((await run('init', '--store', url)).stdout).toBe('The store was there already.\n');
    expect((await run('init', '--store', 'memory:')).stderr).toContain(
      '--store takes the URL of a store in PostgreSQL',
    );
    const verified = await run('verify', '--store', url, '--seconds', '2', '--json');
    expect(verified.code, verified.stderr).toBe(0);
    const report = JSON.parse(verified.stdout) as { readonly registerOperations: { readonly ok: number } };
    expect(report).toMatchObject({ anomalies: [], undecidedKeys: [] });
    expect(report.registerOperations.ok).toBeGreaterThan(0);
    const status = await run('status', '--store', url, '--json');
    expect(JSON.parse(status.stdout)).toMatchObject({ schema: 'operated', format: 1 });
    expect((await run('status', '--store', url)).stdout).toMatch(
      /^store +postgres:\/\/singlet@.*, schema operated, format 1\n/,
    );
  });

  test('a role that needs a password is told where to write it', async () => {
    const rules = join(postgres.dataDirectory, 'pg_hba.conf');
    writeFileSync(rules, `host all guest all scram-sha-256\n${readFileSync(rules, 'utf8')}`);
    const admin = await postgres.client();
    await admin.query(`CREATE ROLE guest LOGIN PASSWORD 'secret'; SELECT pg_reload_conf()`);
    await admin.end();
    const url = new URL(postgres.url('guests'));
    url.username = 'guest';
    const env = { ...process.env, PGPASSWORD: '', PGPASSFILE: '/dev/null' };
    const refused = async (): Promise<string> => {
      const { code, stderr } = await command(['serve', '--port', '0', '--store', url.href], { env });
      expect(code).toBe(1);
      return stderr;
    };
    await expect
      .poll(refused)
      .toMatch(/cannot be opened \(a password is required: write it in the URL, the environment/);
    url.password = 'wrong';
    expect(await refused()).toContain('cannot be opened (password authentication failed for user "guest").');
  });

  test('`store status` says which server does which background work', async () => {
    const url = postgres.url('leased');
    const status = async (...flags: readonly string[]): Promise<string> =>
      (await command(['store', 'status', '--store', url, ...flags])).stdout;
    const server = serve('leased');
    const expiring = { ...things, TableName: 'Expiring' };
    const endpoint = await server.ready();
    await wireResult(endpoint, 'CreateTable', expiring);
    const ttl = { Enabled: true, AttributeName: 'endsAt' };
    await wireResult(endpoint, 'UpdateTimeToLive', { TableName: 'Expiring', TimeToLiveSpecification: ttl });
    const leases = async (): Promise<unknown> => (JSON.parse(await status('--json')) as { leases: unknown }).leases;
    await expect
      .poll(leases)
      .toContainEqual({ work: 'expiry sweep', holder: expect.stringMatching(/./), token: expect.any(Number) });
    expect(await status()).toMatch(/\n {2}expiry sweep +server \S+, token 1\n/);
  });

  test('share the throughput of a table, and report what all have consumed', async () => {
    const [first, second] = [serve('metered', '--throttle'), serve('metered', '--throttle')];
    const [one, two] = await Promise.all([first.ready(), second.ready()]);
    const report = async (url: string): Promise<number> => {
      const answer = await fetch(`${url}/_singlet/capacity/Things`);
      const { table } = (await answer.json()) as { readonly table: { readonly writes: { consumedUnits: number } } };
      return table.writes.consumedUnits;
    };
    await wireResult(one, 'CreateTable', { ...things, ...provisioned });
    const data = { S: 'x'.repeat(350_000) };
    const put = (pk: string, more: object = {}): object => ({
      TableName: 'Things',
      Item: { pk: { S: pk }, owner: { S: 'x' }, ...more },
    });
    await wireResult(one, 'PutItem', put('large', { data }));
    const consumed = await report(one);
    expect(consumed).toBeGreaterThan(300);
    // The other has no debt of its own.
    await expect.poll(async () => (await wireCall(two, 'PutItem', put('small'))).status).toBe(400);
    const refused = await wireCall(two, 'PutItem', put('small'));
    expect(refused.body['__type']).toContain('ProvisionedThroughputExceededException');
    await expect
      .poll(async () => (await report(two)) >= consumed && (await report(one)) === (await report(two)))
      .toBe(true);
  });

  test('one takes over the unfinished work of another that was killed', async () => {
    const [first, second] = [serve('handed'), serve('handed')];
    const [one, two] = await Promise.all([first.ready(), second.ready()]);
    await wireResult(one, 'CreateTable', { ...things, GlobalSecondaryIndexes: undefined, AttributeDefinitions: [pk] });
    const count = 4_000;
    for (let from = 0; from < count; from += 25) {
      const requests = Array.from({ length: 25 }, (_, at) => ({
        PutRequest: { Item: { pk: { S: `${from + at}` }, owner: { S: `${(from + at) % 7}` } } },
      }));
      await wireResult(from % 2 === 0 ? one : two, 'BatchWriteItem', { RequestItems: { Things: requests } });
    }
    await wireResult(one, 'UpdateTable', {
      TableName: 'Things',
      AttributeDefinitions: things.AttributeDefinitions,
      GlobalSecondaryIndexUpdates: [{ Create: things.GlobalSecondaryIndexes[0] }],
    });
    await first.end('SIGKILL');
    const indexOf = async (): Promise<unknown> => {
      const { Table } = await wireResult(two, 'DescribeTable', { TableName: 'Things' });
      return (Table as { readonly GlobalSecondaryIndexes: readonly object[] }).GlobalSecondaryIndexes[0];
    };
    await expect.poll(indexOf).toMatchObject({ IndexStatus: 'ACTIVE' });
    await second.end('SIGTERM');
    await expectConsistent('handed');
  });

  test('leave regular work to one of them, and another takes it over when that one is killed', async () => {
    const [first, second] = [serve('regular'), serve('regular')];
    const [one, two] = await Promise.all([first.ready(), second.ready()]);
    await wireResult(one, 'CreateTable', things);
    await wireResult(one, 'UpdateTimeToLive', {
      TableName: 'Things',
      TimeToLiveSpecification: { Enabled: true, AttributeName: 'until' },
    });
    const store = await openPostgresStore({ url: postgres.url('regular') });
    try {
      const key = storeKey(space.workLeases, undefined, Buffer.from('expiry sweep'));
      const holder = async (): Promise<string | undefined> =>
        store.read([key], ([value]) => /"holder":"([0-9a-f]+)"/.exec(Buffer.from(value ?? []).toString('latin1'))?.[1]);
      const beats = async (): Promise<readonly string[]> => {
        const ids: string[] = [];
        await store.range({ from: spaceStart(space.servers), to: spaceStart(space.servers + 1) }, (entry) => {
          if (restOf(entry).length === 16) ids.push(Buffer.from(restOf(entry)).toString('hex'));
          return true;
        });
        return ids;
      };
      const expired = async (url: string, name: string): Promise<void> => {
        const Item = { pk: { S: name }, owner: { S: 'x' }, until: { N: `${Math.floor(Date.now() / 1000) - 60}` } };
        await wireResult(url, 'PutItem', { TableName: 'Things', Item });
        const isThere = async (): Promise<boolean> => {
          const input = { TableName: 'Things', Key: { pk: { S: name } }, ConsistentRead: true };
          return 'Item' in (await wireResult(url, 'GetItem', input));
        };
        await expect.poll(isThere).toBe(false);
      };
      await expired(one, 'before');
      const before = await holder();
      await expect.poll(beats).toHaveLength(2);
      expect(await beats()).toContain(before);
      // Only the store knows which of the two it is: the one whose beat ends with it.
      await first.end('SIGKILL');
      await expect.poll(beats).toHaveLength(1);
      const [survivor] = await beats();
      await expired(two, 'after');
      expect(await holder()).toBe(survivor);
    } finally {
      await store.close();
    }
    await second.end('SIGTERM');
    await expectConsistent('regular');
  });

  test('are restarted one after the other under load, without an error that an SDK does not absorb', async () => {
    const ports = [await freePort(), await freePort()];
    const start = async (index: number): Promise<SingletProcess> => {
      const server = serve('rolling', '--port', `${ports[index]}`);
      await server.ready();
      return server;
    };
    const servers = [await start(0), await start(1)];
    const client = new DynamoDBClient({
      region: 'us-east-1',
      endpoint: `http://127.0.0.1:${ports[0]}`,
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
      maxAttempts: 5,
    });
    // A client that has the addresses of both: each attempt goes to the next one.
    let next = 0;
    client.middlewareStack.add(
      (handle, context) => async (args) => {
        const turn = ((context['turn'] as number | undefined) ?? next++) + 1;
        context['turn'] = turn;
        Object.assign(args.request as object, { port: ports[turn % ports.length] });
        return await handle(args);
      },
      { step: 'finalizeRequest', priority: 'low', name: 'balance' },
    );
    await client.send(new CreateTableCommand(things as CreateTableCommandInput));
    const failures: unknown[] = [];
    let done = 0;
    let isOver = false;
    const caller = async (writer: number): Promise<number> => {
      for (let step = 0; ; step += 1) {
        if (isOver) return step;
        // Without it the callers take both cores while a server starts.
        await pause(10);
        try {
          const Item = { pk: { S: `${writer}-${step}` }, owner: { S: `${writer}` } };
          await client.send(new PutItemCommand({ TableName: 'Things', Item }));
          done += 1;
        } catch (error) {
          failures.push(error);
        }
      }
    };
    const callers = Array.from({ length: 6 }, async (_, writer) => caller(writer));
    for (let round = 0; round < 4; round += 1) {
      const before = done;
      await expect.poll(() => done).toBeGreaterThan(before + 30);
      const index = round % 2;
      expect(await servers[index]!.end('SIGTERM')).toEqual({ code: 0, signal: null });
      const without = done;
      await expect.poll(() => done).toBeGreaterThan(without + 10);
      servers[index] = await start(index);
    }
    isOver = true;
    const steps = await Promise.all(callers);
    expect(failures).toEqual([]);
    const { Count } = await client.send(new ScanCommand({ TableName: 'Things', Select: 'COUNT' }));
    expect(Count).toBe(steps.reduce((sum, each) => sum + each, 0));
    client.destroy();
    await Promise.all(servers.map((server) => server.end('SIGTERM')));
    await expectConsistent('rolling');
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
