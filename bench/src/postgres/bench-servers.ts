import { randomUUID } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { ConnectionProxy } from '../../../packages/singlet/src/storage/postgres/testing/connection-proxy.ts';
import { BenchError } from '../bench-error.ts';
import { cpuMicroseconds } from '../process-cpu.ts';
import { singletProgram } from '../servers.ts';
import { textTable } from '../text-table.ts';

/*
 * Two servers over one store against one server. Each has the same number of requests at a time. Every answer of PostgreSQL is delayed, so that
 * neither PostgreSQL nor the processors of this machine are the limit: what two servers cost each other then shows in the rate (they
 * wait for each other, or repeat decisions) and in the CPU time that the servers need for a request.
 */

export const serversHelpText = `Compares two servers over one PostgreSQL with one server.

  npm run bench -- postgres-servers --url postgres://HOST/DATABASE [options]

  --url URL        a database in which a schema may be created and dropped
  --seconds N      of each measurement (4)
  --rounds N       measurements of each (3)
  --flying N       concurrent requests at each server (32)
  --delay N        milliseconds by which each answer of PostgreSQL is delayed (40)
`;

/** Two servers answer at least this many times the requests of one. */
const leastRatio = 1.6;

const collectionCount = 200;
const collectionSize = 20;
const data = 'x'.repeat(300);
const TableName = 'Bench';

type Call = () => readonly [action: string, body: object];

const works: Readonly<Record<string, Call>> = {
  get: () => ['GetItem', { TableName, Key: anyKey(), ConsistentRead: true }],
  put: () => ['PutItem', { TableName, Item: { ...anyKey(), version: { N: '0' }, data: { S: data } } }],
  'conditional update': () => [
    'UpdateItem',
    {
      TableName,
      Key: anyKey(),
      UpdateExpression: 'ADD version :one',
      ConditionExpression: 'attribute_exists(version)',
      ExpressionAttributeValues: { ':one': { N: '1' } },
    },
  ],
  'query of 20': () => [
    'Query',
    {
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': anyKey().pk },
      ConsistentRead: true,
    },
  ],
};

interface Options {
  readonly url: string;
  readonly seconds: number;
  readonly rounds: number;
  readonly flying: number;
  readonly delayMs: number;
}

interface Figures {
  readonly ratePerSecond: number;
  /** CPU time of all servers, for one request. */
  readonly cpuMicroseconds: number;
}

/** `npm run bench -- postgres-servers`. @returns the exit code: 1 if a ratio is too small. */
export async function benchServers(argv: readonly string[]): Promise<number> {
  const options = optionsOf(argv);
  if (options === 'help') {
    process.stdout.write(serversHelpText);
    return 0;
  }
  const schema = `bench_servers_${randomUUID().slice(0, 8)}`;
  const store = new URL(options.url);
  const proxy = await ConnectionProxy.start(Number(store.port === '' ? 5432 : store.port));
  proxy.setDelay(options.delayMs);
  store.port = `${proxy.port}`;
  store.searchParams.set('schema', schema);
  const servers: Server[] = [];
  try {
    for (let at = 0; at < 2; at += 1) servers.push(await Server.start(store.href));
    await fill(servers[0] as Server); // just started
    return report(await measure(servers, options), options) ? 0 : 1;
  } finally {
    for (const server of servers) await server.stop();
    await proxy.close();
    const admin = new pg.Client({ connectionString: options.url });
    await admin.connect();
    await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  }
}

function optionsOf(argv: readonly string[]): Options | 'help' {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      url: { type: 'string' },
      seconds: { type: 'string', default: '4' },
      rounds: { type: 'string', default: '3' },
      flying: { type: 'string', default: '32' },
      delay: { type: 'string', default: '40' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  if (values.url === undefined) throw new BenchError('usage', '--url names the database to measure on');
  if (new URL(values.url).hostname !== '127.0.0.1') {
    throw new BenchError('usage', '--url names a PostgreSQL at 127.0.0.1, because its answers are delayed on the way');
  }
  const numberOf = (flag: 'seconds' | 'rounds' | 'flying' | 'delay'): number => {
    const value = Number(values[flag]);
    if (value > 0) return value;
    throw new BenchError('usage', `--${flag} takes a number above 0`);
  };
  return {
    url: values.url,
    seconds: numberOf('seconds'),
    rounds: numberOf('rounds'),
    flying: numberOf('flying'),
    delayMs: numberOf('delay'),
  };
}

class Server {
  readonly #process: ChildProcess;
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true });

  private constructor(child: ChildProcess, port: number) {
    this.#process = child;
    this.#port = port;
  }

  static async start(store: string): Promise<Server> {
    const child = spawn(process.execPath, [singletProgram(), 'serve', '--port', '0', '--store', store], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    for await (const line of createInterface(child.stdout)) {
      const port = /127\.0\.0\.1:(\d+)/.exec(line)?.[1];
      if (port === undefined) continue;
      child.stdout.resume();
      return new Server(child, Number(port));
    }
    throw new BenchError('process', 'singlet serve ended before it accepted requests');
  }

  get cpuMicroseconds(): number {
    return cpuMicroseconds(this.#process.pid ?? 0) ?? Number.NaN;
  }

  async send(action: string, body: object): Promise<void> {
    const sent = request({
      port: this.#port,
      host: '127.0.0.1',
      method: 'POST',
      agent: this.#agent,
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDB_20120810.${action}`,
        authorization:
          'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
      },
    });
    // Reported by the answer, which is missing then.
    sent.on('error', () => undefined);
    sent.end(JSON.stringify(body));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk as string;
    if (response.statusCode !== 200) throw new BenchError('wrong-answer', `${action} was answered with ${text}`);
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await ended;
  }
}

async function fill(server: Server): Promise<void> {
  await server.send('CreateTable', {
    TableName,
    AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    BillingMode: 'PAY_PER_REQUEST',
  });
  const keys = Array.from({ length: collectionCount * collectionSize }, (_, at) => keyOf(at));
  const fillOne = (key: object): Promise<void> =>
    server.send('PutItem', { TableName, Item: { ...key, version: { N: '0' }, data: { S: data } } });
  for (let at = 0; at < keys.length; at += 100) await Promise.all(keys.slice(at, at + 100).map(fillOne));
}

function anyKey(): ReturnType<typeof keyOf> {
  return keyOf(Math.floor(Math.random() * collectionCount * collectionSize));
}

function keyOf(at: number): { readonly pk: object; readonly sk: object } {
  return { pk: { S: `partition ${at % collectionCount}` }, sk: { S: `position ${Math.floor(at / collectionCount)}` } };
}

/** By the work and the number of servers. */
async function measure(servers: readonly Server[], { rounds, ...options }: Options): Promise<Map<string, Figures[]>> {
  const figures = new Map<string, Figures[]>();
  for (const [work, call] of Object.entries(works)) {
    for (let round = 0; round <= rounds; round += 1) {
      for (const count of [1, 2]) {
        const measured = await figuresOf(servers.slice(0, count), call, options);
        const name = `${work} ${count}`;
        // The first round warms up.
        if (round > 0) figures.set(name, [...(figures.get(name) ?? []), measured]);
      }
    }
  }
  return figures;
}

async function figuresOf(
  servers: readonly Server[],
  call: Call,
  { seconds, flying }: Pick<Options, 'seconds' | 'flying'>,
): Promise<Figures> {
  const cpu = (): number => servers.reduce((sum, server) => sum + server.cpuMicroseconds, 0);
  const [startMs, startCpu] = [performance.now(), cpu()];
  let count = 0;
  const caller = async (server: Server): Promise<void> => {
    while (performance.now() - startMs < seconds * 1000) {
      await server.send(...call());
      count += 1;
    }
  };
  await Promise.all(servers.flatMap((server) => Array.from({ length: flying }, () => caller(server))));
  return {
    ratePerSecond: (count * 1000) / (performance.now() - startMs),
    cpuMicroseconds: (cpu() - startCpu) / count,
  };
}

function report(figures: ReadonlyMap<string, readonly Figures[]>, { rounds, flying, delayMs }: Options): boolean {
  const median = (name: string, figure: keyof Figures): number => {
    const sorted = (figures.get(name) ?? []).map((each) => each[figure]).toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
  };
  let isEnough = true;
  const rows = Object.keys(works).map((work) => {
    const [one, two] = [1, 2].map((count) => median(`${work} ${count}`, 'ratePerSecond'));
    const ratio = (two ?? 0) / (one ?? 1);
    isEnough &&= ratio >= leastRatio;
    return [
      work,
      ...[one, two].map((rate) => (rate ?? 0).toFixed(0)),
      ratio.toFixed(2),
      ...[1, 2].map((count) => median(`${work} ${count}`, 'cpuMicroseconds').toFixed(0)),
      ratio >= leastRatio ? 'yes' : 'no',
    ];
  });
  const header = ['', '1 server /s', '2 servers /s', 'ratio', '1: µs CPU', '2: µs CPU', `at least ${leastRatio}`];
  process.stdout.write(
    `${textTable(header, rows)}\nMedian of ${rounds}, ${flying} requests at a time at each server, each answer of PostgreSQL ${delayMs} ms late.\n`,
  );
  return isEnough;
}
