/**
 * `singlet serve --workers`: several processes behind one address, as clients and operators see them. The processes are real,
 * and so are the signals that end them.
 */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CreateTableCommand, DynamoDBClient, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { earlyEndsMax } from '../src/cli/workers/restart-limit.ts';
import { Catalog } from '../src/engine/catalog/catalog.ts';
import { findInconsistencies } from '../src/engine/testing/consistency.ts';
import { openLmdbStore } from '../src/storage/lmdb/lmdb-store.ts';
import { SeededRandom } from '../src/randomness/seeded-random.ts';
import { crashTableName, CrashWriter, itemName, type Items, type WireItem } from './crash-writer.ts';
import { runningRequest } from './running-request.ts';
import { SingletProcess } from './singlet-process.ts';
import { wireResult } from './wire-call.ts';

let parent: string;
let started: SingletProcess[];
let closing: (() => void)[];

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'singlet-workers-'));
  started = [];
  closing = [];
});

afterEach(async () => {
  for (const close of closing) close();
  // The end of a primary also ends its workers, and closes what they have open.
  await Promise.all(started.map((server) => server.end('SIGKILL')));
  await rm(parent, { recursive: true });
});

/** A server with its log as events. */
class WorkerServer extends SingletProcess {
  readonly #events: LogEvent[] = [];
  #parsed = 0;

  /** Everything logged so far. */
  get events(): readonly LogEvent[] {
    const end = this.stderr.lastIndexOf('\n') + 1;
    const lines = this.stderr.slice(this.#parsed, end).split('\n');
    this.#parsed = end;
    for (const line of lines) if (line.startsWith('{')) this.#events.push(JSON.parse(line) as LogEvent);
    return this.#events;
  }

  logged(name: string): readonly LogEvent[] {
    return this.events.filter(({ event }) => event === name);
  }

  /** Resolves when this many such events have been logged. */
  async untilLogged(name: string, count: number): Promise<readonly LogEvent[]> {
    await this.until(() => this.logged(name).length >= count);
    return this.logged(name);
  }

  /** The workers that listen. */
  get workers(): readonly number[] {
    const lost = new Set(this.logged('worker-lost').map(({ pid }) => pid));
    return this.logged('worker-listening').flatMap(({ pid }) => (lost.has(pid) ? [] : [pid]));
  }

  /** The worker that has the background work. */
  get caretaker(): number {
    return this.logged('background-work-assigned').at(-1)!.pid;
  }

  /** Kills a worker and waits until the primary notices. */
  async killWorker(pid: number): Promise<void> {
    process.kill(pid, 'SIGKILL');
    await this.until(() => this.logged('worker-lost').some((event) => event.pid === pid));
  }
}

interface LogEvent {
  readonly level: string;
  readonly event: string;
  readonly pid: number;
  readonly [detail: string]: unknown;
}

function serveWith(workers: number, ...args: readonly string[]): WorkerServer {
  const always = ['--port', '0', '--data', join(parent, 'data'), '--log-format', 'json', '--log-level', 'debug'];
  const server = new WorkerServer(['serve', '--workers', `${workers}`, ...always, ...args], { cwd: parent });
  started.push(server);
  return server;
}

const things = {
  TableName: 'Things',
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  BillingMode: 'PAY_PER_REQUEST',
};

const put = (pk: string, attributes: object = {}): object => ({
  TableName: 'Things',
  Item: { pk: { S: pk }, ...attributes },
});

const get = (pk: string): object => ({ TableName: 'Things', Key: { pk: { S: pk } } });

describe('connections of one address', () => {
  test('are limited by all workers together', async () => {
    const server = serveWith(2, '--connections-per-address', '2');
    const port = Number(new URL(await server.ready()).port);
    const held: Socket[] = [];
    closing.push(() => held.forEach((socket) => socket.destroy()));
    const open = async (): Promise<Socket> => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      held.push(socket);
      await once(socket, 'connect');
      return socket;
    };
    const kept = [await open(), await open()];
    // Each worker would have room for two. Once they have told each other about these two, every further one is refused.
    const furtherRefused = async (): Promise<boolean> => {
      const further = await open();
      const refused = once(further, 'close').then(() => true);
      const served = once(further, 'data').then(() => false);
      further.write('GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n');
      const isRefused = await Promise.race([refused, served]);
      further.destroy();
      return isRefused;
    };
    await expect.poll(async () => [await furtherRefused(), await furtherRefused()]).toEqual([true, true]);
    const [refused] = await server.untilLogged('connections-refused', 1);
    expect(refused).toMatchObject({ level: 'warn', address: '127.0.0.1', count: 1 });
    // A killed worker has no connections any more.
    for (const pid of server.workers) await server.killWorker(pid);
    await expect.poll(furtherRefused).toBe(false);
    expect(kept.every(({ destroyed }) => destroyed)).toBe(true);
  });
});

describe('throughput', () => {
  test('is that of all workers together', async () => {
    const server = serveWith(2, '--throttle');
    const url = await server.ready();
    await wireResult(url, 'CreateTable', {
      ...things,
      BillingMode: 'PROVISIONED',
      ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
    });
    // More than three hundred units, at one a second. The other worker has no debt of its own.
    await wireResult(url, 'PutItem', put('large', { data: { S: 'x'.repeat(350_000) } }));
    const refusing = (): ReadonlySet<number> =>
      new Set(server.logged('request').flatMap(({ pid, status }) => (status === 400 ? [pid] : [])));
    // Connections are distributed in turn, so that both workers get one, and both learn of it some milliseconds later.
    while (refusing().size < 2) await callAlone(url, 'PutItem', put('small'));
  });
});

describe('reports', () => {
  test('are the sum over all workers, whichever is asked', async () => {
    const server = serveWith(2, '--log-requests');
    const url = await server.ready();
    await wireResult(url, 'CreateTable', things);
    const ContributorInsightsAction = 'ENABLE';
    await wireResult(url, 'UpdateContributorInsights', { TableName: 'Things', ContributorInsightsAction });
    const page = async <Page>(path: string): Promise<Page> => (await callAlone(`${url}/_singlet/${path}`)).json as Page;
    await page('heat/Things'); // recorded from now on
    const writers = (): readonly number[] =>
      server.logged('request').flatMap(({ pid, action }) => (action === 'PutItem' ? [pid] : []));
    let count = 0;
    while (count < 8 || new Set(writers()).size < 2) {
      expect(await callAlone(url, 'PutItem', put('hot', { n: { N: `${count}` } }))).toMatchObject({ status: 200 });
      count += 1;
    }
    // Both are asked, and give the same answer.
    for (let times = 0; times < 4; times += 1) {
      const { table } = await page<Reported>('capacity/Things');
      expect(table.writes.consumedUnits).toBe(count);
      expect(table.partitions.reduce((sum, { writes }) => sum + writes.consumedUnits, 0)).toBe(count);
      const { rules } = await page<Reported>('contributor-insights/Things');
      expect(rules[0]?.contributors).toMatchObject([{ key: { pk: { S: 'hot' } }, writes: count }]);
      const { rows } = await page<Reported>('heat/Things');
      expect(rows.flatMap(({ writes }) => writes).reduce((sum, units) => sum + units * 5, 0)).toBeCloseTo(count, 3);
      const { requests } = await page<Reported>('requests');
      const logged = requests.filter(({ action }) => action === 'PutItem');
      expect(logged).toHaveLength(count);
      expect(requests.map(({ seq }) => seq)).toEqual(requests.map(({ seq }) => seq).toSorted((a, b) => a - b));
      expect(await page(`requests/${logged[times]?.seq}`)).toMatchObject({
        action: 'PutItem',
        bodies: { request: expect.stringContaining('hot') as string },
      });
    }
  });

  test('on requests continue behind any number, without a gap and without a repetition', async () => {
    const server = serveWith(2, '--log-requests');
    const url = await server.ready();
    await wireResult(url, 'CreateTable', things);
    const told: string[] = [];
    let after = 0;
    for (let round = 0; round < 12; round += 1) {
      await Promise.all([0, 1, 2].map((n) => callAlone(url, 'PutItem', put(`${round} ${n}`))));
      const { json } = await callAlone(`${url}/_singlet/requests?limit=2&after=${after}`);
      const { last, dropped, requests } = json as Reported & { readonly last: number; readonly dropped: number };
      expect(dropped).toBe(0);
      told.push(...requests.map(({ seq }) => `${seq}`));
      after = last;
    }
    await expect
      .poll(async () => {
        const { json } = await callAlone(`${url}/_singlet/requests?limit=1000&after=${after}`);
        const { last, requests } = json as Reported & { readonly last: number };
        told.push(...requests.map(({ seq }) => `${seq}`));
        after = last;
        return told.length;
      })
      .toBe(37);
    expect(new Set(told).size).toBe(37);
  });

  test('on events bring the requests of all', async () => {
    const server = serveWith(2);
    const url = await server.ready();
    await wireResult(url, 'CreateTable', things);
    const stop = new AbortController();
    closing.push(() => stop.abort());
    const stream = await fetch(`${url}/_singlet/events?topics=request`, { signal: stop.signal });
    let text = '';
    void (async () => {
      for await (const part of stream.body!.pipeThrough(new TextDecoderStream())) text += part;
    })().catch(() => undefined);
    await expect.poll(() => text).toContain('event: open');
    const asked = (): ReadonlySet<number> =>
      new Set(server.logged('request').flatMap(({ pid, action }) => (action === 'PutItem' ? [pid] : [])));
    let count = 0;
    for (; count < 4 || asked().size < 2; count += 1) await callAlone(url, 'PutItem', put(`${count}`));
    await expect.poll(() => text.match(/"action":"PutItem"/g)).toHaveLength(count);
  });
});

/** Members of several reports. */
interface Reported {
  readonly table: { readonly writes: Consumed; readonly partitions: readonly { readonly writes: Consumed }[] };
  readonly rules: readonly { readonly contributors: readonly object[] }[];
  readonly rows: readonly { readonly writes: readonly number[] }[];
  readonly requests: readonly { readonly action: string; readonly seq: number }[];
}

interface Consumed {
  readonly consumedUnits: number;
}

describe('requests', () => {
  test('of the SDK are answered as ever, and the ready line comes once', async () => {
    const server = serveWith(2);
    const url = await server.ready();
    const client = new DynamoDBClient({
      endpoint: url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    });
    closing.push(() => client.destroy());
    await client.send(
      new CreateTableCommand({
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'owner', AttributeType: 'S' },
        ],
        TableName: 'Things',
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        BillingMode: 'PAY_PER_REQUEST',
        GlobalSecondaryIndexes: [
          {
            IndexName: 'byOwner',
            KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'KEYS_ONLY' },
          },
        ],
      }),
    );
    await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        client.send(new PutItemCommand({ TableName: 'Things', Item: { pk: { S: `${at}` }, owner: { S: 'x' } } })),
      ),
    );
    const { Count } = await client.send(
      new QueryCommand({
        TableName: 'Things',
        IndexName: 'byOwner',
        KeyConditionExpression: '#owner = :x',
        ExpressionAttributeNames: { '#owner': 'owner' },
        ExpressionAttributeValues: { ':x': { S: 'x' } },
      }),
    );
    expect(Count).toBe(40);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(server.stdout).toBe(`singlet ready on ${url}\n`);
  });

  test('see what any other connection was told is written, at once, and each worker has its share of them', async () => {
    const server = serveWith(2);
    const url = await server.ready();
    const connections: Connection[] = [];
    for (let opened = 0; opened < 4; opened += 1) {
      const connection = new Connection(url);
      closing.push(() => connection.close());
      connections.push(connection);
      await connection.call('ListTables', {}); // the next one is for the next worker
    }
    await connections[0]!.call('CreateTable', things);
    for (let round = 0; round < 20; round += 1) {
      const writer = connections[round % connections.length]!;
      await writer.call('PutItem', put('a', { round: { N: `${round}` } }));
      const read = await Promise.all(connections.map((reader) => reader.call('GetItem', get('a'))));
      for (const answer of read) expect(answer).toEqual({ Item: { pk: { S: 'a' }, round: { N: `${round}` } } });
    }
    // All workers know a token: the second request finds that it has been executed.
    const once = { TransactItems: [{ Update: { ...get('hits'), ...addOne } }], ClientRequestToken: 'one' };
    for (const connection of connections) await connection.call('TransactWriteItems', once);
    expect(await connections[1]!.call('GetItem', get('hits'))).toMatchObject({ Item: { hits: { N: '1' } } });
    await connections[2]!.call('DeleteTable', { TableName: 'Things' });
    for (const connection of connections) {
      expect(await connection.call('ListTables', {})).toEqual({ TableNames: [] });
    }
    await server.end('SIGTERM');
    const reads = server.logged('request').filter(({ action }) => action === 'GetItem');
    // Two of the four connections each, or nearly so.
    for (const worker of server.workers) {
      expect(reads.filter(({ pid }) => pid === worker).length).toBeGreaterThanOrEqual(20);
    }
  });
});

const addOne = { UpdateExpression: 'ADD hits :one', ExpressionAttributeValues: { ':one': { N: '1' } } };

describe('a worker that is killed', () => {
  const killCount = 4;
  const seed = Math.floor(Math.random() * 1e9);

  test(`takes nothing with it that was answered, and is replaced (seed ${seed})`, async () => {
    const server = serveWith(2, '--log-level', 'info');
    const url = await server.ready();
    await wireResult(url, 'CreateTable', crashTable);
    const random = new SeededRandom(seed);
    const writers = Array.from({ length: 6 }, (_, id) => new CrashWriter(id, new SeededRandom(seed + id)));
    let unanswered = 0;
    for (let round = 0; round < killCount; round += 1) {
      await writeAndKill(server, url, { writers, random });
      // A write that was just about to be answered becomes visible with the next write of any client.
      await wireResult(url, 'DeleteItem', { TableName: crashTableName, Key: { pk: { S: 'absent' }, sk: { S: '0' } } });
      const found = await allItems(url);
      expect(writers.flatMap((writer) => writer.brokenPromises(found))).toEqual([]);
      unanswered += writers.filter((writer) => writer.unanswered !== undefined).length;
      for (const writer of writers) writer.accept(found);
    }
    expect(server.logged('worker-lost')).toHaveLength(killCount);
    for (const lost of server.logged('worker-lost')) expect(lost).toMatchObject({ level: 'warn', signal: 'SIGKILL' });
    expect(server.workers).toHaveLength(2);
    expect(unanswered).toBeGreaterThan(0);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(server.stdout).toBe(`singlet ready on ${url}\n`);
    await expectConsistent(crashTableName);
  });

  test('leaves no unread connection behind', async () => {
    const server = serveWith(2, '--log-level', 'info');
    const url = await server.ready();
    const over = new AbortController();
    const outcomes = new Set<string>();
    const clients = Array.from({ length: 16 }, async () => {
      while (!over.signal.aborted) outcomes.add(await onNewConnection(url));
    });
    for (let killed = 0; killed < 4; killed += 1) {
      await server.until(() => server.workers.length === 2);
      await delay(50); // connections come and go
      await server.killWorker(server.workers[0]!);
    }
    over.abort();
    // Each must end, or this test does not.
    await Promise.all(clients);
    expect(outcomes).toContain('200');
    for (const outcome of outcomes) expect(['200', 'ECONNRESET', 'ECONNREFUSED', 'EPIPE']).toContain(outcome);
  });

  test('leaves its background work to another: items expire, and an index is filled', async () => {
    const server = serveWith(2, '--expiry-sweep', '20');
    const url = await server.ready();
    await wireResult(url, 'CreateTable', things);
    await wireResult(url, 'UpdateTimeToLive', {
      TableName: 'Things',
      TimeToLiveSpecification: { Enabled: true, AttributeName: 'expires' },
    });
    const expired = { expires: { N: `${Math.floor(Date.now() / 1000) - 60}` } };
    for (const pk of ['before', 'after']) {
      await wireResult(url, 'PutItem', put(pk, expired));
      await until(async () => (await wireResult(url, 'GetItem', get(pk)))['Item'] === undefined);
      if (pk === 'before') await server.killWorker(server.caretaker);
    }
    const owners = server.logged('background-work-assigned').map(({ pid }) => pid);
    expect(new Set(owners).size).toBe(2);
    for (const sweep of server.logged('expired-items-swept')) expect(owners).toContain(sweep.pid);

    for (let from = 0; from < 1000; from += 25) {
      const puts = Array.from({ length: 25 }, (_, at) => ({
        PutRequest: { Item: { pk: { S: `${from + at}` }, owner: { S: 'x' } } },
      }));
      await wireResult(url, 'BatchWriteItem', { RequestItems: { Things: puts } });
    }
    await wireResult(url, 'UpdateTable', {
      TableName: 'Things',
      AttributeDefinitions: [{ AttributeName: 'owner', AttributeType: 'S' }],
      GlobalSecondaryIndexUpdates: [
        {
          Create: {
            IndexName: 'byOwner',
            KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'KEYS_ONLY' },
          },
        },
      ],
    });
    // Whichever process was filling the index, all of them end, and with them the listening socket.
    await Promise.all(server.workers.map((pid) => server.killWorker(pid)));
    await until(async () => {
      const { Table } = await wireResult(url, 'DescribeTable', { TableName: 'Things' });
      const { GlobalSecondaryIndexes } = Table as { GlobalSecondaryIndexes: readonly { IndexStatus: string }[] };
      return GlobalSecondaryIndexes[0]!.IndexStatus === 'ACTIVE';
    });
    await server.end('SIGTERM');
    await expectConsistent('Things');
  });

  test('again and again, right after its start, is replaced no more', async () => {
    const server = serveWith(2);
    for (let killed = 0; killed < earlyEndsMax; killed += 1) {
      const { pid } = (await server.untilLogged('worker-started', killed + 1))[killed]!;
      await server.killWorker(pid).catch(() => undefined); // with the last one, the server ends
    }
    expect(await server.ended).toEqual({ code: 1, signal: null });
    expect(server.stderr).toMatch(
      /\nsinglet: 10 workers in a row exited right after their start, the last one by SIGKILL\. .+\n$/,
    );
  });
});

describe('a signal to the primary', () => {
  test('lets running requests finish, and ends with exit code 0', async () => {
    const server = serveWith(2);
    const url = await server.ready();
    await wireResult(url, 'CreateTable', things);
    const running = [await runningRequest(url, put('one')), await runningRequest(url, put('two'))];
    server.signal('SIGTERM');
    await until(() => takesNoMore(url));
    for (const { request, finish } of running) {
      const [[response]] = (await Promise.all([once(request, 'response'), finish()])) as [[IncomingMessage], void];
      expect(response.statusCode).toBe(200);
      response.resume();
    }
    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect(server.logged('worker-lost')).toEqual([]);
  });

  test('that comes before the workers listen ends them, too', async () => {
    const server = serveWith(2);
    await server.untilLogged('worker-started', 2);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(server.stdout).toBe('');
  });

  test('that comes twice ends all at once', async () => {
    const server = serveWith(2);
    const url = await server.ready();
    await wireResult(url, 'CreateTable', things);
    const { request } = await runningRequest(url, put('running'));
    const failed = once(request, 'error');
    server.signal('SIGINT');
    await server.untilLogged('stopping', 1);
    expect(await server.end('SIGINT')).toEqual({ code: 130, signal: null });
    await failed;
  });

  test('that kills it ends its workers', async () => {
    const server = serveWith(2);
    await server.ready();
    // They hold the awaited pipes open.
    expect(await server.end('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
  });
});

describe('what is in the way from the beginning is said once, with exit code 1', () => {
  test('a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    closing.push(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await expectRefusal(serveWith(2, '--port', `${port}`), `Port ${port} on 127.0.0.1 is in use: choose another with`);
  });

  test('a directory that is a file', async () => {
    await writeFile(join(parent, 'data'), 'a letter');
    await expectRefusal(serveWith(2), 'is not a directory');
  });
});

/** A connection that arrives while the last worker stops listening is accepted, and never answered. */
async function takesNoMore(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(2000) }).then(
    () => false,
    () => true,
  );
}

async function expectRefusal(server: WorkerServer, sentence: string): Promise<void> {
  expect(await server.ended).toEqual({ code: 1, signal: null });
  expect(server.stdout).toBe('');
  const lines = server.stderr.split('\n').filter((line) => !line.startsWith('{"'));
  expect(lines).toEqual([expect.stringMatching(/^singlet: /), '']);
  expect(lines[0]).toContain(sentence);
}

/** Like the table of the crash test, as far as it matters here. */
const crashTable = {
  TableName: crashTableName,
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
    { AttributeName: 'rank', AttributeType: 'N' },
    { AttributeName: 'owner', AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  LocalSecondaryIndexes: [
    {
      IndexName: 'byRank',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'rank', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'byOwner',
      KeySchema: [
        { AttributeName: 'owner', KeyType: 'HASH' },
        { AttributeName: 'rank', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
  BillingMode: 'PAY_PER_REQUEST',
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
};

/** Ends a writer, or all of them, after an answer. */
class Enough extends Error {}

/** Kills one worker while all write. The writers connected to the other one continue for a while. */
async function writeAndKill(
  server: WorkerServer,
  url: string,
  { writers, random }: { readonly writers: readonly CrashWriter[]; readonly random: SeededRandom },
): Promise<void> {
  const answersUntilKill = random.integer(1, 80);
  let answers = 0;
  let kill = (): void => undefined;
  const killed = new Promise<void>((resolve) => (kill = resolve)).then(async () => {
    await delay(random.next() * 4);
    const workers = server.workers;
    await server.killWorker(workers[random.integer(0, workers.length - 1)]!);
  });
  let isOver = false;
  const writing = writers.map(async (writer) => {
    try {
      await writer.writeUntilKilled(url, () => {
        answers += 1;
        if (answers === answersUntilKill) kill();
        if (isOver) throw new Enough();
      });
    } catch (error) {
      if (!(error instanceof Enough)) throw error;
    }
  });
  await Promise.race([killed, Promise.all(writing)]);
  await killed;
  isOver = true;
  await Promise.all(writing);
  // The service continues, whether or not the replacement has started.
  await wireResult(url, 'PutItem', {
    TableName: crashTableName,
    Item: { pk: { S: 'bystander' }, sk: { S: `${answers}` } },
  });
  await server.until(() => server.workers.length === 2);
}

async function allItems(url: string): Promise<Items> {
  const items = new Map<string, WireItem>();
  let startKey: object = {};
  for (;;) {
    const page = (await wireResult(url, 'Scan', { TableName: crashTableName, ConsistentRead: true, ...startKey })) as {
      readonly Items: readonly WireItem[];
      readonly LastEvaluatedKey?: WireItem;
    };
    for (const item of page.Items) items.set(itemName(item), item);
    if (page.LastEvaluatedKey === undefined) return items;
    startKey = { ExclusiveStartKey: page.LastEvaluatedKey };
  }
}

/** Checks the directory, which no process has open any more. */
async function expectConsistent(tableName: string): Promise<void> {
  const store = await openLmdbStore({ directory: join(parent, 'data') });
  try {
    const place = { accountId: '000000000000', region: 'us-east-1' };
    const table = await new Catalog(store, { nowMs: () => Date.now() }).load(place, tableName);
    expect(await findInconsistencies(store, table!)).toEqual([]);
  } finally {
    await store.close();
  }
}

/** Repeats until the condition holds. It does not while no worker listens. The test's own time limit ends it. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (;;) {
    const answer = await isSo().catch((error: unknown) => {
      if (error instanceof TypeError) return false;
      throw error;
    });
    if (answer) return;
    await delay(5);
  }
}

/** @returns the status, or the code of the error that ended it. Waits without a limit, as clients do. */
async function onNewConnection(url: string): Promise<string> {
  return new Promise((resolve) => {
    const request = httpRequest(url, { method: 'GET', agent: false, path: '/' }, (response) => {
      response.resume().on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
      response.on('end', () => resolve(String(response.statusCode)));
    });
    request.on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
    request.end();
  });
}

/** One keep-alive connection, and so one worker. */
class Connection {
  readonly #url: string;
  readonly #agent: Agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(url: string) {
    this.#url = url;
  }

  /** Calls an action that must succeed. */
  async call(action: string, input: object): Promise<unknown> {
    const request = httpRequest(this.#url, {
      method: 'POST',
      agent: this.#agent,
      headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${action}` },
    });
    request.end(JSON.stringify(input));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
    if (response.statusCode !== 200) throw new Error(`${action} answered ${response.statusCode}: ${text}`);
    return JSON.parse(text);
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Calls an action, or reads a page, over a new connection, because the primary distributes connections in turn. */
async function callAlone(url: string, action?: string, input?: object): Promise<{ status: number; json: unknown }> {
  const post = {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${action}` },
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(url, { agent: false, ...(action !== undefined && post) }, resolve)
      .on('error', reject)
      .end(input === undefined ? undefined : JSON.stringify(input));
  });
  const json: unknown = JSON.parse((await response.setEncoding('utf8').toArray()).join(''));
  return { status: response.statusCode ?? 0, json };
}
