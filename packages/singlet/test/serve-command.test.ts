import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runningRequest } from './running-request.ts';
import { useCommands } from './singlet-commands.ts';
import { SingletProcess } from './singlet-process.ts';
import { wireCall, wireResult } from './wire-call.ts';

let parent: string;
let data: string;
let started: SingletProcess[];

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'singlet-serve-'));
  data = join(parent, 'data');
  started = [];
});

afterEach(async () => {
  await Promise.all(started.map((process) => process.end('SIGKILL')));
  await rm(parent, { recursive: true });
});

const command = useCommands();

function singlet(...args: readonly string[]): SingletProcess {
  const process = new SingletProcess(args, { cwd: parent });
  started.push(process);
  return process;
}

const ofData = (): readonly string[] => ['serve', '--port', '0', '--data', data];

/** Serves the data directory on any free port. */
function serveData(...args: readonly string[]): SingletProcess {
  return singlet(...ofData(), ...args);
}

const table = {
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

describe('standard output', () => {
  test('holds the ready line and nothing else; what people read is on standard error', async () => {
    const server = serveData('--log-level', 'debug');
    const url = await server.ready();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    await wireResult(url, 'CreateTable', table);
    await wireResult(url, 'PutItem', put('a'));
    expect((await wireCall(url, 'Nonsense', {})).status).toBe(400);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(server.stdout).toBe(`singlet ready on ${url}\n`);
    expect(server.stderr).toContain(url);
    expect(server.stderr).toMatch(/ debug request .*action=PutItem table=Things status=200/);
    expect(server.stderr).toMatch(/ debug request .*status=400/);
    expect(server.stderr).toMatch(/ info {2}stopping/);
  });

  test('names the port that was asked for', async () => {
    const port = await freePort();
    expect(await singlet('serve', '--memory', '--port', `${port}`).ready()).toBe(`http://127.0.0.1:${port}`);
  });

  test('the data is kept in ./singlet-data by default', async () => {
    const server = singlet('serve', '--port', '0');
    await server.ready();
    await server.end('SIGTERM');
    expect(await readdir(parent)).toEqual(['singlet-data']);
  });

  test.each(['--memory', '--store memory:'])('%s leaves nothing behind', async (flags) => {
    const server = singlet('serve', '--port', '0', ...flags.split(' '));
    await wireResult(await server.ready(), 'CreateTable', table);
    expect(await server.end('SIGINT')).toEqual({ code: 0, signal: null });
    expect(await readdir(parent)).toEqual([]);
  });

  test('region and account are in ARNs', async () => {
    const server = singlet('serve', '--port', '0', '--memory', '--region', 'eu-west-3', '--account', '123456789012');
    const { TableDescription } = await wireResult(await server.ready(), 'CreateTable', table);
    expect(TableDescription).toMatchObject({ TableArn: 'arn:aws:dynamodb:eu-west-3:123456789012:table/Things' });
  });

  test('--lifecycle-delay keeps a table in CREATING', async () => {
    const server = singlet('serve', '--port', '0', '--memory', '--lifecycle-delay', '3600000');
    const url = await server.ready();
    await wireResult(url, 'CreateTable', table);
    expect(await wireResult(url, 'DescribeTable', { TableName: 'Things' })).toMatchObject({
      Table: { TableStatus: 'CREATING' },
    });
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});

describe('standard error', () => {
  test('as JSON holds one event a line, and nothing else', async () => {
    const server = serveData('--log-format', 'json', '--log-level', 'debug');
    const url = await server.ready();
    await wireResult(url, 'CreateTable', table);
    await wireCall(url, 'GetItem', { TableName: 'Nothing', Key: {} });
    await server.end('SIGTERM');
    const lines = server.stderr.split('\n');
    expect(lines.pop()).toBe('');
    const events = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    for (const event of events) {
      expect(event).toMatchObject({ level: expect.stringMatching(/^(debug|info)$/), event: expect.any(String) });
      expect(Date.parse(String(event['time']))).toBeGreaterThan(0);
    }
    expect(events).toContainEqual(
      expect.objectContaining({ event: 'request', action: 'CreateTable', table: 'Things', status: 200 }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({ event: 'request', status: 400, error: 'ResourceNotFoundException' }),
    );
    // Rarely needed code is loaded in the background, and may appear at any time.
    const others = events.filter(({ event }) => event !== 'deferred-code-loaded');
    expect(others.at(-1)).toMatchObject({ event: 'stopping', signal: 'SIGTERM' });
  });

  test('may lose its reader without harm', async () => {
    const server = serveData('--log-level', 'debug');
    const url = await server.ready();
    server.closeStderr();
    for (let round = 0; round < 3; round += 1) await wireResult(url, 'ListTables', {});
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});

describe('help', () => {
  test('of the program names its commands', async () => {
    const { code, stdout, stderr } = await command(['--help']);
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^Usage: singlet /);
    expect(stdout).toMatch(/^ {2}serve .*serve a database over HTTP$/m);
  });

  test('of serve names every option, with examples and what to point at it', async () => {
    const { code, stdout, stderr } = await command(['serve', '--help']);
    expect(code).toBe(0);
    expect(stderr).toBe('');
    for (const option of ['port', 'host', 'data', 'memory', 'store', 'region', 'account', 'log-level', 'log-format']) {
      expect(stdout).toContain(`--${option} `);
    }
    expect(stdout).toContain('$ singlet serve --memory --port 0');
    expect(stdout).toContain('aws dynamodb list-tables --region us-east-1 --endpoint-url http://127.0.0.1:8000');
    expect(stdout).toContain('singlet ready on http://HOST:PORT');
  });

  test('--version prints the version', async () => {
    const { code, stdout, stderr } = await command(['--version']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test('comes by itself when no command is named, and that is no success', async () => {
    const { code, stdout, stderr } = await command([], { cwd: parent });
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^Usage: singlet /);
  });
});

describe('a command line that cannot be followed ends with one sentence and exit code 1', () => {
  test.each<[string, RegExp]>([
    ['nothing', /unknown command 'nothing' \(see singlet --help\)/],
    ['serve --nothing', /unknown option '--nothing' \(see singlet serve --help\)/],
    ['serve --prot 0', /unknown option '--prot' \(Did you mean --port\?\)/],
    ['serve here', /too many arguments for 'serve'/],
    ['serve --port', /option '-p, --port <number>' argument missing/],
    ['serve --port many', /--port takes a number from 0 to 65535, not "many"\./],
    ['serve --account 12345678901', /--account takes twelve digits, not "12345678901"\./],
    ['serve --memory --data here', /option '-m, --memory' cannot be used with option '-d, --data <directory>'/],
    ['serve --store mysql://here', /There is no store "mysql:\/\/here"/],
    [
      'serve --port 0 --store postgres://127.0.0.1:1/none',
      /The store at postgres:\/\/127\.0\.0\.1:1\/none cannot be opened/,
    ],
    ['serve --host 0.0.0.0', /listens on this machine only: use --host 127\.0\.0\.1, not 0\.0\.0\.0\./],
  ])('singlet %s', async (line, sentence) => {
    await expectRefusal(line.split(' '), sentence);
    expect(await readdir(parent)).toEqual([]);
  });
});

describe('a place that cannot be used ends with one sentence and exit code 1', () => {
  test('a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    try {
      await once(other, 'listening');
      const { port } = other.address() as AddressInfo;
      const args = ['serve', '--data', data, '--port', `${port}`];
      await expectRefusal(args, new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is in use: choose another with --port`));
    } finally {
      other.close();
    }
    expect(await readdir(parent)).toEqual([]);
  });

  test('a certificate that is none', async () => {
    const letter = join(parent, 'letter.pem');
    await writeFile(letter, 'a letter');
    const args = [...ofData(), '--tls-cert', letter, '--tls-key', letter];
    await expectRefusal(args, /the certificate and its key cannot be used: the certificate is not in PEM/);
    expect(await readdir(parent)).toEqual(['letter.pem']);
  });

  test('a certificate that does not exist', async () => {
    const missing = join(parent, 'missing.pem');
    await expectRefusal([...ofData(), '--tls-cert', missing, '--tls-key', missing], /There is no \S+missing\.pem\./);
    expect(await readdir(parent)).toEqual([]);
  });

  test.each<[string, RegExp]>([
    ['--buckets missing', /There is no missing\./],
    ['--buckets letter', /--buckets takes a directory.*: letter is a file\./],
    ['--buckets letter/buckets', /There is no letter\/buckets\./],
    ['--model missing.ts', /There is no missing\.ts\./],
    ['--read-store postgres://127.0.0.1:1/none', /Only a store in PostgreSQL can have a read store\./],
    ['--backup-to letter', /A backup goes to a directory .*letter is a file or leads through one\./],
    ['--backup-to letter/backup', /A backup goes to a directory .*letter\/backup is a file or leads through one\./],
  ])('%s', async (flags, sentence) => {
    await writeFile(join(parent, 'letter'), 'a letter');
    await expectRefusal([...ofData(), ...flags.split(' ')], sentence);
    expect(await readdir(parent)).toEqual(['letter']);
  });

  test('a directory that is a file', async () => {
    await writeFile(data, 'a letter');
    await expectRefusal(ofData(), /The path \S+ is not a directory/);
  });

  test('a directory below a file', async () => {
    await writeFile(data, 'a letter');
    const below = join(data, 'below');
    await expectRefusal(['serve', '--port', '0', '--data', below], /The path \S+ .*leads through a file/);
  });

  test('a directory below one that does not exist', async () => {
    const below = join(data, 'below');
    await expectRefusal(['serve', '--port', '0', '--data', below], /its parent does not exist/);
    expect(await readdir(parent)).toEqual([]);
  });

  test('a directory where no user may write, not even the superuser', async () => {
    await expectRefusal(['serve', '--port', '0', '--data', '/proc/self/data'], /cannot be created/);
  });

  test('a directory with something else in it, which is left as it is', async () => {
    await mkdir(data);
    await writeFile(join(data, 'letter.txt'), 'dear reader');
    await expectRefusal(ofData(), /holds other files \(letter\.txt\) and no singlet\.json/);
    expect(await readdir(data)).toEqual(['letter.txt']);
  });

  test('data of a newer format, which is left as it is', async () => {
    await mkdir(data);
    await writeFile(join(data, 'singlet.json'), '{"format":3,"kind":"singlet-data","engine":"lmdb"}');
    await expectRefusal(ofData(), /has format 3, and this version of Singlet reads formats 1 and 2/);
    expect(await readdir(data)).toEqual(['singlet.json']);
  });

  test('a data file that is damaged', async () => {
    await mkdir(data);
    await writeFile(join(data, 'singlet.json'), '{"format":1,"kind":"singlet-data","engine":"lmdb"}');
    await writeFile(join(data, 'data.mdb'), Buffer.alloc(65_536, 'damage'));
    await expectRefusal(ofData(), /data\.mdb is not a data file, or is damaged/);
  });
});

describe('two processes on one directory', () => {
  test('see each other’s items and tables at once', async () => {
    const [one, other] = await Promise.all([serveData().ready(), serveData().ready()]);
    await wireResult(one, 'CreateTable', table);
    for (let round = 0; round < 20; round += 1) {
      const [from, to] = round % 2 === 0 ? [one, other] : [other, one];
      await wireResult(from, 'PutItem', put('a', { round: { N: `${round}` } }));
      const read = await wireResult(to, 'GetItem', get('a'));
      expect(read).toEqual({ Item: { pk: { S: 'a' }, round: { N: `${round}` } } });
    }

    // Deleted here and created again there: nothing of the old table is visible anywhere.
    await wireResult(other, 'DeleteTable', { TableName: 'Things' });
    const gone = await wireCall(one, 'GetItem', get('a'));
    expect(gone.body['__type']).toMatch(/#ResourceNotFoundException$/);
    expect(await wireResult(one, 'ListTables', {})).toEqual({ TableNames: [] });
    await wireResult(one, 'CreateTable', table);
    expect(await wireResult(other, 'GetItem', get('a'))).toEqual({});
  });

  test('maintain an index that the other one created', async () => {
    const [one, other] = await Promise.all([serveData().ready(), serveData().ready()]);
    await wireResult(one, 'CreateTable', table);
    await wireResult(other, 'PutItem', put('before', { owner: { S: 'x' } }));
    await wireResult(one, 'UpdateTable', {
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
    await wireResult(other, 'PutItem', put('after', { owner: { S: 'x' } }));
    await Promise.all([indexIsActive(one), indexIsActive(other)]);
    for (const url of [one, other]) {
      const { Items } = await wireResult(url, 'Query', {
        TableName: 'Things',
        IndexName: 'byOwner',
        KeyConditionExpression: '#owner = :x',
        ExpressionAttributeNames: { '#owner': 'owner' },
        ExpressionAttributeValues: { ':x': { S: 'x' } },
      });
      expect(Items).toHaveLength(2);
      expect(Items).toEqual(
        expect.arrayContaining(['before', 'after'].map((pk) => ({ pk: { S: pk }, owner: { S: 'x' } }))),
      );
    }
  });

  test('DB-146 count together', async () => {
    const [one, other] = await Promise.all([serveData().ready(), serveData().ready()]);
    await wireResult(one, 'CreateTable', table);
    const increment = {
      ...get('counter'),
      UpdateExpression: 'ADD hits :one',
      ExpressionAttributeValues: { ':one': { N: '1' } },
    };
    await Promise.all(
      Array.from({ length: 200 }, (_, turn) => wireResult(turn % 2 === 0 ? one : other, 'UpdateItem', increment)),
    );
    expect(await wireResult(one, 'GetItem', get('counter'))).toEqual({
      Item: { pk: { S: 'counter' }, hits: { N: '200' } },
    });
  });
});

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  test('lets a running request finish, takes no more, and ends with exit code 0 and the data kept', async () => {
    const server = serveData();
    const url = await server.ready();
    await wireResult(url, 'CreateTable', table);
    await wireResult(url, 'PutItem', put('before'));
    const running = await runningRequest(url, put('running'));

    server.signal(signal);
    await server.until(() => server.stderr.includes('stopping'));
    await expect(wireCall(url, 'ListTables', {})).rejects.toThrow();
    const [response] = (await Promise.all([once(running.request, 'response'), running.finish()]))[0] as [
      IncomingMessage,
    ];
    expect(response.statusCode).toBe(200);
    response.resume();
    expect(await server.ended).toEqual({ code: 0, signal: null });

    const again = await serveData().ready();
    for (const pk of ['before', 'running']) {
      expect(await wireResult(again, 'GetItem', get(pk))).toEqual({ Item: { pk: { S: pk } } });
    }
  });

  test('ends at once when it comes twice', async () => {
    const server = serveData();
    const url = await server.ready();
    await wireResult(url, 'CreateTable', table);
    const running = await runningRequest(url, put('running'));
    const failed = once(running.request, 'error');

    server.signal(signal);
    await server.until(() => server.stderr.includes('stopping'));
    expect(await server.end(signal)).toEqual({ code: signal === 'SIGINT' ? 130 : 143, signal: null });
    await failed;

    const again = await serveData().ready();
    expect(await wireResult(again, 'GetItem', get('running'))).toEqual({});
  });
});

describe('npx', () => {
  /** What npx starts: a shell, which runs the command and dies of the signal that npx passes on to it. */
  async function fromShell(env: NodeJS.ProcessEnv): Promise<{
    readonly shell: ChildProcess;
    readonly url: string;
    readonly pid: number;
    readonly log: () => string;
  }> {
    const program = fileURLToPath(new URL('../bin/singlet.js', import.meta.url));
    const script = '"$0" "$1" serve --memory --port 0 & echo $! >&2; wait';
    const shell = spawn('sh', ['-c', script, process.execPath, program], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    let stderr = '';
    shell.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
    const [line] = (await once(shell.stdout, 'data')) as [Buffer];
    const url = /http:\S+/.exec(line.toString())?.[0] ?? '';
    await expect.poll(() => stderr).toMatch(/^\d+\n/);
    return { shell, url, pid: Number.parseInt(stderr, 10), log: () => stderr };
  }

  test('ends the server when it is ended', async () => {
    const { shell, log } = await fromShell({ npm_lifecycle_event: 'npx', npm_lifecycle_script: "'singlet'" });
    shell.kill('SIGTERM');
    // The server writes to the same pipes: they are closed when it has ended, too.
    await once(shell, 'close');
    expect(log()).toContain('stopping reason="npx has ended"');
  });

  test('is not confused with a script, which may leave a server in the background', async () => {
    const { shell, url, pid, log } = await fromShell({
      npm_lifecycle_event: 'pretest',
      npm_lifecycle_script: 'singlet serve --memory &',
    });
    shell.kill('SIGTERM');
    await once(shell, 'exit');
    await pause(1000);
    expect(await wireResult(url, 'ListTables', {})).toEqual({ TableNames: [] });
    process.kill(pid, 'SIGTERM');
    await once(shell, 'close');
    expect(log()).toContain('stopping signal=SIGTERM');
  });
});

describe('--throttle', () => {
  const small = {
    ...table,
    BillingMode: 'PROVISIONED',
    ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
  };

  test.each([
    [['--throttle'], true],
    [['--throttle', 'Others', 'Things', '--log-level', 'warn'], true],
    [['--throttle', 'Others'], false],
    [['--throttle-report'], false],
    [[], false],
  ])('%j refuses what is above the throughput: %s', async (args, isThrottled) => {
    const url = await serveData(...args).ready();
    await wireResult(url, 'CreateTable', small);
    // Far more at once than arrive while they are answered.
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => wireCall(url, 'PutItem', put(`k${n}`))));
    const refused = answers.filter(({ status }) => status === 400);
    expect(refused.length > 0).toBe(isThrottled);
    const report = await fetch(`${url}/_singlet/capacity/Things`);
    expect(await report.json()).toMatchObject({
      isThrottled,
      table: { writes: { consumedUnits: 50 - refused.length } },
    });
    const { resources } = (await (await fetch(`${url}/_singlet/throttling`)).json()) as { resources: object[] };
    const isNoted = isThrottled || args.includes('--throttle-report');
    expect(resources).toMatchObject(isNoted ? [{ tableName: 'Things', refused: isThrottled }] : []);
  });
});

/** Asserts a single line on standard error that says what is wrong, without internals of the program. */
async function expectRefusal(args: readonly string[], sentence: RegExp): Promise<void> {
  const { code, stdout, stderr } = await command(args, { cwd: parent });
  expect(code).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^singlet: [^\n]+\n$/);
  expect(stderr).toMatch(sentence);
}

async function indexIsActive(url: string): Promise<void> {
  for (;;) {
    const { Table } = await wireResult(url, 'DescribeTable', { TableName: 'Things' });
    const { GlobalSecondaryIndexes } = Table as { GlobalSecondaryIndexes: readonly { IndexStatus: string }[] };
    if (GlobalSecondaryIndexes.every(({ IndexStatus }) => IndexStatus === 'ACTIVE')) return;
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
