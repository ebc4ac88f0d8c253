import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LambdaRecord } from '../src/consumer/index.ts';
import { createDatabase, type Database, type DatabaseServer, serve } from '../src/index.ts';
import { useCommands } from './singlet-commands.ts';
import { SingletProcess } from './singlet-process.ts';

/** `singlet consume` as installed, against a server. Needs `npm run build`. */

let database: Database;
let server: DatabaseServer;
let folder: string;
let started: SingletProcess[];

beforeEach(async () => {
  database = await createDatabase();
  server = await serve(database);
  folder = await mkdtemp(join(tmpdir(), 'singlet-consume-'));
  started = [];
  await createTable('Orders', { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' });
});

afterEach(async () => {
  await Promise.all(started.map((process) => process.end('SIGKILL')));
  await server.close();
  await database.close();
  await rm(folder, { recursive: true });
});

async function createTable(TableName: string, StreamSpecification?: object): Promise<void> {
  await database.request('CreateTable', {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    ...(StreamSpecification && { StreamSpecification }),
  });
}

async function put(...ids: readonly string[]): Promise<void> {
  for (const id of ids) await database.request('PutItem', { TableName: 'Orders', Item: { id: { S: id } } });
}

const command = useCommands();
const commandLine = (args: readonly string[]): readonly string[] => ['consume', '--endpoint', server.url, ...args];

function consume(...args: readonly string[]): SingletProcess {
  const process = new SingletProcess(commandLine(args), { cwd: folder });
  started.push(process);
  return process;
}

function recordsIn(text: string): readonly LambdaRecord[] {
  // The last line may be incomplete.
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as LambdaRecord);
}

const idsOf = (records: readonly LambdaRecord[]): readonly string[] =>
  records.map(({ dynamodb }) => String(dynamodb.Keys?.['id']?.['S'])).toSorted();

describe('DB-251 singlet consume', () => {
  test('prints a line of JSON for each record, and continues where it was stopped', async () => {
    await put('a', 'b', 'c');
    const first = consume('Orders');
    await first.until(() => recordsIn(first.stdout).length === 3);
    expect(await first.end('SIGTERM')).toEqual({ code: 0, signal: null });
    const records = recordsIn(first.stdout);
    expect(idsOf(records)).toEqual(['a', 'b', 'c']);
    expect(records[0]).toMatchObject({
      eventName: 'INSERT',
      eventSource: 'aws:dynamodb',
      eventVersion: '1.1',
      awsRegion: 'us-east-1',
      eventSourceARN: expect.stringContaining('table/Orders/stream/'),
      dynamodb: { StreamViewType: 'NEW_IMAGE', ApproximateCreationDateTime: expect.any(Number) },
    });
    await put('d');
    const second = consume('Orders');
    await second.until(() => recordsIn(second.stdout).length === 1);
    expect(await second.end('SIGINT')).toEqual({ code: 0, signal: null });
    expect(idsOf(recordsIn(second.stdout))).toEqual(['d']);
    expect(second.stderr).toMatch(/consuming .*Orders/);
  });

  test('runs a command for each batch, again when it fails', async () => {
    await writeFile(
      join(folder, 'command.mjs'),
      `import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
       const event = readFileSync(0, 'utf8');
       if (!existsSync('failed')) { writeFileSync('failed', ''); process.exit(3); }
       for (const record of JSON.parse(event).Records) appendFileSync('seen', JSON.stringify(record) + '\\n');
       console.log('done');`,
    );
    await put('a');
    const process = consume('Orders', '--exec', 'node command.mjs');
    await process.until(() => process.stdout.includes('done'));
    expect(process.stderr).toMatch(/ batch-failed .* error="CommandFailed: exit code 3"\n/);
    expect((await process.end('SIGTERM')).code).toBe(0);
    expect(idsOf(recordsIn(await readFile(join(folder, 'seen'), 'utf8')))).toEqual(['a']);
  });

  test('calls a Lambda function as it is, believes its failures, and keeps what is given up', async () => {
    await writeFile(
      join(folder, 'handler.cjs'),
      `exports.handler = async (event, context) => {
         const bad = event.Records.filter(({ dynamodb }) => dynamodb.Keys.id.S === 'poison');
         for (const record of event.Records) if (!bad.includes(record)) console.log(record.dynamodb.Keys.id.S);
         return { batchItemFailures: bad.map(({ dynamodb }) => ({ itemIdentifier: dynamodb.SequenceNumber })) };
       };`,
    );
    await put('a', 'poison', 'b');
    const args = ['--module', 'handler.cjs', '--bisect', '--retries', '1', '--dead-letter', 'lost.ndjson'];
    const process = consume('Orders', ...args);
    await process.until(() => process.stderr.includes('records-given-up'));
    await process.until(() => ['a\n', 'b\n'].every((line) => process.stdout.includes(line)));
    expect((await process.end('SIGTERM')).code).toBe(0);
    const lost = (await readFile(join(folder, 'lost.ndjson'), 'utf8')).trim().split('\n');
    expect(lost).toHaveLength(1);
    expect(JSON.parse(lost[0] ?? '')).toMatchObject({
      reason: 'RetryAttemptsExhausted',
      failureCount: 2,
      record: { dynamodb: { Keys: { id: { S: 'poison' } } } },
    });
  });

  test.each(['http://127.0.0.1:PORT/', 'opensearch+http://127.0.0.1:PORT/orders'])(
    '%s does not answer',
    async (url) => {
      const closed = createServer().listen(0, '127.0.0.1');
      await once(closed, 'listening');
      const { port } = closed.address() as AddressInfo;
      closed.close();
      await put('a');
      const process = consume(
        'Orders',
        '--to',
        url.replace('PORT', `${port}`),
        '--retries',
        '1',
        '--dead-letter',
        'lost',
      );
      await process.until(() => process.stderr.includes('records-given-up'));
      const reason = `127.0.0.1:${port} does not answer: connect ECONNREFUSED 127.0.0.1:${port}`;
      expect(process.stderr).toContain(` error="DeliveryError: ${reason}"\n`);
      await process.end('SIGTERM');
      expect(JSON.parse(await readFile(join(folder, 'lost'), 'utf8'))).toMatchObject({ error: reason });
    },
  );

  test('keeps a copy up to date by the module of docs/moving.md, binary values included', async () => {
    const page = await readFile(new URL('../../../docs/moving.md', import.meta.url), 'utf8');
    const [, module = ''] = /```js\n *\/\/ apply\.mjs\n([\s\S]*?)```/.exec(page) ?? [];
    const copy = await createDatabase({ region: 'eu-west-1' });
    const copyServer = await serve(copy);
    const itemsOf = async (of: Database): Promise<unknown> =>
      ((await of.request('Scan', { TableName: 'Shop' })) as { readonly Items: unknown }).Items;
    try {
      await copy.request('CreateTable', {
        TableName: 'Shop',
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'B' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      });
      await database.request('CreateTable', {
        TableName: 'Shop',
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'B' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
      });
      const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');
      const set = { BS: [base64('a'), base64('b')] };
      const Item = {
        id: { B: base64('kept') },
        set,
        list: { L: [{ M: { deep: { B: base64('\0ÿ') } } }, { N: '1.5' }, { NULL: true }] },
        map: { M: { set, words: { SS: ['x', 'y'] }, yes: { BOOL: true } } },
      };
      await database.request('PutItem', { TableName: 'Shop', Item });
      await copy.request('PutItem', { TableName: 'Shop', Item: { id: { B: base64('gone') } } });
      await database.request('PutItem', { TableName: 'Shop', Item: { id: { B: base64('gone') } } });
      await database.request('DeleteItem', { TableName: 'Shop', Key: { id: { B: base64('gone') } } });
      // A project has its packages; this one has those of the workspace.
      await symlink(fileURLToPath(new URL('../../../node_modules', import.meta.url)), join(folder, 'node_modules'));
      await writeFile(join(folder, 'apply.mjs'), module.replace('http://127.0.0.1:8000', copyServer.url));
      const process = consume('Shop', '--from', 'trim-horizon', '--module', './apply.mjs');
      await expect.poll(async () => await itemsOf(copy)).toEqual(await itemsOf(database));
      expect((await process.end('SIGTERM')).code).toBe(0);
    } finally {
      await copyServer.close();
      await copy.close();
    }
  });

  test('prints only what a filter lets through', async () => {
    await put('a-1', 'b-1', 'a-2', 'c-1');
    const filterOf = (prefix: string): string => JSON.stringify({ dynamodb: { Keys: { id: { S: [{ prefix }] } } } });
    const process = consume('Orders', '--filter', filterOf('a'), '--filter', filterOf('c'));
    await process.until(() => recordsIn(process.stdout).length === 3);
    expect((await process.end('SIGTERM')).code).toBe(0);
    expect(idsOf(recordsIn(process.stdout))).toEqual(['a-1', 'a-2', 'c-1']);
  });

  test('ends when the stream is disabled and has been read', async () => {
    await put('a');
    const process = consume('Orders');
    await process.until(() => recordsIn(process.stdout).length === 1);
    await database.request('UpdateTable', { TableName: 'Orders', StreamSpecification: { StreamEnabled: false } });
    expect(await process.ended).toEqual({ code: 0, signal: null });
  });
});

describe('what cannot begin says so in one line', () => {
  test.each([
    ['no table', ['Nothing'], ' in the region us-east-1.'],
    ['no stream', ['Plain'], 'The table Plain has no stream. To switch one on: aws dynamodb update-table'],
    ['no server', ['Orders', '--endpoint', 'http://127.0.0.1:1'], 'Nothing answers at http://127.0.0.1:1.'],
    ['no function', ['Orders', '--module', 'none.mjs'], 'The module none.mjs cannot be loaded'],
    ['no number', ['Orders', '--parallel', '11'], '--parallel takes a whole number from 1 to 10, not "11".'],
    ['no time', ['Orders', '--from', 'yesterday'], '--from takes trim-horizon, latest, or a time'],
    [
      'no pattern',
      ['Orders', '--filter', '{"eventName":"INSERT"}'],
      'filter.eventName must be a list of rules or an object of fields',
    ],
    ['no JSON', ['Orders', '--filter', 'x'], '--filter takes JSON'],
    ['no place for dead letters', ['Orders', '--dead-letter', 'no/such/folder'], 'no/such/folder'],
    ['two ways', ['Orders', '--exec', 'x', '--module', 'y'], 'cannot be used with option'],
  ])('%s', async (_what, args, problem) => {
    await createTable('Plain');
    const { code, stderr } = await command(commandLine(args), { cwd: folder });
    expect(code).toBe(1);
    expect(stderr).toContain(problem);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toMatch(/^singlet: /);
  });
});

describe('a webhook', () => {
  interface Posted {
    readonly headers: IncomingHttpHeaders;
    readonly body: string;
  }

  let posted: Posted[];
  let answer: (
    number: number,
    body: string,
  ) => { readonly status: number; readonly text?: string; readonly to?: string };
  let webhook: Server;
  let url: string;

  beforeEach(async () => {
    posted = [];
    answer = () => ({ status: 204 });
    webhook = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        posted.push({ headers: request.headers, body });
        const { status, text, to } = answer(posted.length, body);
        response.writeHead(status, to === undefined ? {} : { location: to }).end(text);
        webhook.emit('posted');
      });
    });
    webhook.listen(0, '127.0.0.1');
    await once(webhook, 'listening');
    url = `http://127.0.0.1:${(webhook.address() as AddressInfo).port}/changes`;
  });
  afterEach(async () => {
    webhook.closeAllConnections();
    await new Promise((resolve) => webhook.close(resolve));
  });

  const recordsOf = ({ body }: Posted): readonly LambdaRecord[] =>
    (JSON.parse(body) as { readonly Records: readonly LambdaRecord[] }).Records;
  const allIds = (): readonly string[] => idsOf(posted.flatMap(recordsOf));

  async function untilPosted(condition: () => boolean): Promise<void> {
    while (!condition()) await once(webhook, 'posted');
  }

  test('is posted every change, signed', async () => {
    const secret = randomBytes(24).toString('base64');
    await writeFile(join(folder, 'secret'), `whsec_${secret}\n`);
    await put('a', 'b', 'c');
    const consumer = consume('Orders', '--to', url, '--secret-file', 'secret');
    await untilPosted(() => new Set(allIds()).size === 3);
    expect((await consumer.end('SIGTERM')).code).toBe(0);
    for (const { headers, body } of posted) {
      const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers;
      const content = `${String(id)}.${String(timestamp)}.${body}`;
      const expected = createHmac('sha256', Buffer.from(secret, 'base64')).update(content).digest('base64');
      expect(signature).toBe(`v1,${expected}`);
      expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(600);
    }
  });

  test('is posted again what it has refused, under the same id, until it takes it', async () => {
    answer = (number) => ({ status: number < 3 ? 500 : 200, text: 'thanks' });
    await put('a');
    const consumer = consume('Orders', '--to', url);
    await untilPosted(() => posted.length === 3);
    expect((await consumer.end('SIGTERM')).code).toBe(0);
    expect(allIds()).toEqual(['a', 'a', 'a']);
    expect(new Set(posted.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(posted[0]?.headers).not.toHaveProperty('webhook-signature');
  });

  test.each<[string, () => ReturnType<typeof answer>]>([
    ['refuses', () => ({ status: 503 })],
    ['redirects', () => ({ status: 307, to: url })],
    ['answers too much', () => ({ status: 200, text: 'x'.repeat(300_000) })],
    [
      'takes nothing of',
      () => ({ status: 200, text: JSON.stringify({ batchItemFailures: [{ itemIdentifier: '' }] }) }),
    ],
  ])('that %s a batch has it given up, to the file of dead letters', async (_, refusal) => {
    answer = refusal;
    await put('a');
    const consumer = consume('Orders', '--to', url, '--retries', '1', '--dead-letter', 'lost.ndjson');
    const lost = join(folder, 'lost.ndjson');
    await consumer.until(() => consumer.stderr.includes('records-given-up'));
    expect((await consumer.end('SIGTERM')).code).toBe(0);
    expect(posted).toHaveLength(2);
    const [line = ''] = (await readFile(lost, 'utf8')).split('\n');
    expect(JSON.parse(line)).toMatchObject({ record: { dynamodb: { Keys: { id: { S: 'a' } } } } });
  });

  test.each([
    [['--to', 'ftp://example.com'], '--to takes a URL such as'],
    [['--to', 'http://user:secret@example.com'], 'without a user name and password'],
    [['--to', 'http://127.0.0.1:1', '--secret-file', 'missing'], 'There is no missing.'],
    [['--secret-file', 'missing'], 'name one with --to'],
  ])('%j is refused', async (flags, message) => {
    const { code, stderr } = await command(commandLine(['Orders', ...flags]), { cwd: folder });
    expect(code).not.toBe(0);
    expect(stderr).toContain(message);
  });
});
