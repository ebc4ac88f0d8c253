import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:https';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { ApplicationAutoScalingClient, RegisterScalableTargetCommand } from '@aws-sdk/client-application-auto-scaling';
import {
  BatchWriteItemCommand,
  CreateTableCommand,
  DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { signedRequest, targetHeaders, type TestCredentials } from '../src/access/testing/signed-request.ts';
import { type CommandEnd, useCommands } from './singlet-commands.ts';
import { SingletProcess } from './singlet-process.ts';

/** Servers that identify their callers, with unmodified clients. */

const testdata = fileURLToPath(new URL('testdata/tls/', import.meta.url));
/** Without the credentials of a developer, which clients would use: a session's token belongs to its own key. */
const bare = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('AWS_')));

let folder: string;
let auth: string;
let alice: TestCredentials;
let guest: TestCredentials;
const command = useCommands();
const servers: SingletProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'singlet-auth-'));
  auth = join(folder, 'auth.json');
  alice = await create('alice');
  guest = await create('guest');
  policyFile('all', { Effect: 'Allow', Action: ['dynamodb:*', 'sts:*'], Resource: '*' });
  await identity('attach', 'alice', '--policy', join(folder, 'all.json'));
  policyFile('tenant', {
    Effect: 'Allow',
    Action: ['dynamodb:GetItem', 'dynamodb:PutItem'],
    Resource: 'arn:aws:dynamodb:*:*:table/Shop',
    Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['${aws:PrincipalTag/tenant}'] } },
  });
  policyFile('trust', {
    Effect: 'Allow',
    Principal: { AWS: '000000000000' },
    Action: ['sts:AssumeRole', 'sts:TagSession'],
  });
  await identity('create', 'tenant', '--kind', 'role', '--trust', join(folder, 'trust.json'));
  await identity('attach', 'tenant', '--kind', 'role', '--policy', join(folder, 'tenant.json'));
});

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.end('SIGTERM')));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function policyFile(name: string, statement: object): void {
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ Version: '2012-10-17', Statement: statement }));
}

async function identity(...args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await command(['identity', ...args, '--auth', auth, '--json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, unknown>;
}

async function create(name: string): Promise<TestCredentials> {
  return (await identity('create', name)) as unknown as TestCredentials; // the output of create
}

const serveWithAuth = (): readonly string[] => ['serve', '--auth', auth, '--memory', '--port', '0'];

function start(...args: readonly string[]): SingletProcess {
  const server = new SingletProcess([...serveWithAuth(), ...args]);
  servers.push(server);
  return server;
}

function clientOf(endpoint: string, credentials: TestCredentials): DynamoDBClient {
  return new DynamoDBClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
}

async function createShop(url: string): Promise<DynamoDBClient> {
  const client = clientOf(url, alice);
  await client.send(
    new CreateTableCommand({
      TableName: 'Shop',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    }),
  );
  return client;
}

async function assumeTenant(url: string, tenant: string): Promise<TestCredentials> {
  const parameters = {
    Action: 'AssumeRole',
    Version: '2011-06-15',
    RoleArn: 'arn:aws:iam::000000000000:role/tenant',
    RoleSessionName: `session-${tenant}`,
    'Tags.member.1.Key': 'tenant',
    'Tags.member.1.Value': tenant,
  };
  const { method, headers, body } = await signedRequest(alice, {
    headers: { host: new URL(url).host, 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    body: new URLSearchParams(parameters).toString(),
    service: 'sts',
    nowMs: Date.now(),
  });
  const answer = await fetch(url, { method, headers: headers as Record<string, string>, body: Buffer.from(body) });
  const text = await answer.text();
  expect(text).toContain('<AssumeRoleResult>');
  const part = (name: string): string => new RegExp(`<${name}>([^<]*)<`).exec(text)?.[1] ?? '';
  return {
    accessKeyId: part('AccessKeyId'),
    secretAccessKey: part('SecretAccessKey'),
    sessionToken: part('SessionToken'),
  };
}

test('a form with the target of DynamoDB is answered as without --auth, and not by STS', async () => {
  const post = async (url: string, target: string | undefined): Promise<readonly [number, string]> => {
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      ...(target !== undefined && { 'x-amz-target': target }),
    };
    const answer = await fetch(url, { method: 'POST', headers, body: '{}' });
    return [answer.status, await answer.text()];
  };
  const [guarded, open] = [start(), new SingletProcess(['serve', '--memory', '--port', '0'])];
  servers.push(open);
  const target = 'DynamoDB_20120810.ListTables';
  expect(await post(await guarded.ready(), target)).toEqual(await post(await open.ready(), target));
  expect((await post(await guarded.ready(), undefined))[1]).toContain('sts.amazonaws.com');
});

test('WB-59: neither the log of a server nor what it keeps of requests has a secret of a caller', async () => {
  policyFile('inspect', { Effect: 'Allow', Action: 'singlet:*', Resource: '*' });
  await identity('attach', 'alice', '--policy', join(folder, 'inspect.json'));
  const audit = join(folder, 'secrets-audit.jsonl');
  const planted = 'wJalrXUtnFEMI/K7MDENG+bPlantedSECRET0789';
  const env = { ...process.env, AWS_SECRET_ACCESS_KEY: planted };
  const flags = ['--log-level', 'debug', '--log-format', 'json', '--log-requests', '--audit-log', audit];
  const server = new SingletProcess(['serve', '--auth', auth, '--memory', '--port', '0', ...flags], { env });
  servers.push(server);
  const url = await server.ready();
  const client = await createShop(url);
  await client.send(new PutItemCommand({ TableName: 'Shop', Item: { pk: { S: 'red' } } }));
  const session = await assumeTenant(url, 'red');
  await expect(
    clientOf(url, session).send(new GetItemCommand({ TableName: 'Shop', Key: { pk: { S: 'blue' } } })),
  ).rejects.toThrow();
  const wrong = { ...alice, secretAccessKey: planted };
  await expect(clientOf(url, wrong).send(new ListTablesCommand({}))).rejects.toThrow();
  // Callers that put their credentials where they do not belong.
  const misplaced = await fetch(`${url}/?secret=${encodeURIComponent(planted)}`, {
    method: 'POST',
    headers: { ...targetHeaders('ListTables'), authorization: `Basic ${btoa(`me:${planted}`)}` },
    body: '{}',
  });
  expect(misplaced.status).toBe(400);
  const { method, headers } = await signedRequest(alice, {
    method: 'GET',
    path: '/_singlet/requests',
    headers: { host: new URL(url).host },
    nowMs: Date.now(),
  });
  const kept = await fetch(`${url}/_singlet/requests`, { method, headers: headers as Record<string, string> });
  const text = await kept.text();
  const { requests } = JSON.parse(text) as { requests: readonly { seq: number; action: string | null }[] };
  expect(requests.length).toBeGreaterThan(4);
  const bodies = await Promise.all(
    requests.map(async ({ seq }) => {
      const path = `/_singlet/requests/${seq}`;
      const host = new URL(url).host;
      const one = await signedRequest(alice, { method: 'GET', path, headers: { host }, nowMs: Date.now() });
      const answer = await fetch(`${url}${path}`, { method: 'GET', headers: one.headers as Record<string, string> });
      expect(answer.status).toBe(200);
      return await answer.text();
    }),
  );
  await server.end('SIGTERM');
  const texts = { log: server.stdout + server.stderr, kept: text + bodies.join(), audit: readFileSync(audit, 'utf8') };
  expect(texts.log).toContain('"level":"info"');
  // What is no secret is found.
  expect(texts.kept).toContain(alice.accessKeyId);
  const secrets = [
    planted,
    alice.secretAccessKey,
    guest.secretAccessKey,
    session.secretAccessKey,
    session.sessionToken ?? '',
  ];
  for (const secret of secrets) {
    for (const form of [secret, encodeURIComponent(secret), btoa(secret).replaceAll('=', '')]) {
      for (const [place, each] of Object.entries(texts))
        expect({ place, has: each.includes(form) }).toEqual({ place, has: false });
    }
  }
});

describe('the AWS SDK', () => {
  test('may do what policies allow, and is told what they do not', async () => {
    const url = await start().ready();
    const client = await createShop(url);
    await client.send(new PutItemCommand({ TableName: 'Shop', Item: { pk: { S: 'red' }, n: { N: '1' } } }));
    const denied = clientOf(url, guest).send(new GetItemCommand({ TableName: 'Shop', Key: { pk: { S: 'red' } } }));
    await expect(denied).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message:
        'User: arn:aws:iam::000000000000:user/guest is not authorized to perform: dynamodb:GetItem on resource: arn:aws:dynamodb:us-east-1:000000000000:table/Shop because no identity-based policy allows the dynamodb:GetItem action',
    });
    const unknown = clientOf(url, { ...alice, accessKeyId: 'AKIAAAAAAAAAAAAAAAAA' }).send(new ListTablesCommand({}));
    await expect(unknown).rejects.toMatchObject({ name: 'UnrecognizedClientException' });
    const wrong = clientOf(url, { ...alice, secretAccessKey: 'guess' }).send(new ListTablesCommand({}));
    await expect(wrong).rejects.toMatchObject({ name: 'InvalidSignatureException' });
    // Auto scaling requests are signed for another service, and need the permissions of the table.
    const scale = async (credentials: TestCredentials, command: RegisterScalableTargetCommand): Promise<string> => {
      const scaling = new ApplicationAutoScalingClient({ endpoint: url, region: 'us-east-1', credentials });
      const answer = await scaling.send(command).then(() => 'done', String);
      scaling.destroy();
      return answer;
    };
    const target = { ResourceId: 'table/Shop', ScalableDimension: 'dynamodb:table:ReadCapacityUnits' } as const;
    const register = new RegisterScalableTargetCommand({
      ServiceNamespace: 'dynamodb',
      ...target,
      MinCapacity: 1,
      MaxCapacity: 2,
    });
    expect(await scale(alice, register)).toMatch(/^ValidationException: DynamoDB table is in PAY_PER_REQUEST/);
    expect(await scale(guest, register)).toMatch(
      /^AccessDeniedException: .* perform: dynamodb:UpdateTable on resource: \S+table\/Shop /,
    );
    expect(await scale({ ...alice, secretAccessKey: 'guess' }, register)).toMatch(/^InvalidSignatureException/);
  });

  test('sessions of two tenants see their own partitions only, also after a restart', async () => {
    const data = join(folder, 'data');
    const serve = (): SingletProcess => {
      const server = new SingletProcess(['serve', '--auth', auth, '--data', data, '--port', '0']);
      servers.push(server);
      return server;
    };
    const first = serve();
    const url = await first.ready();
    await createShop(url);
    const sessions = await Promise.all(['red', 'blue'].map((tenant) => assumeTenant(url, tenant)));
    const [red, blue] = sessions as [TestCredentials, TestCredentials];
    const put = (endpoint: string, credentials: TestCredentials, pk: string): Promise<unknown> =>
      clientOf(endpoint, credentials).send(new PutItemCommand({ TableName: 'Shop', Item: { pk: { S: pk } } }));
    await put(url, red, 'red');
    await put(url, blue, 'blue');
    await expect(put(url, red, 'blue')).rejects.toMatchObject({ name: 'AccessDeniedException' });
    await expect(put(url, { ...red, sessionToken: blue.sessionToken ?? '' }, 'blue')).rejects.toMatchObject({
      name: 'UnrecognizedClientException',
    });
    await first.end('SIGTERM');
    const again = await serve().ready();
    await put(again, red, 'red');
    await expect(put(again, red, 'blue')).rejects.toMatchObject({ name: 'AccessDeniedException' });
  });
});

describe('identities that change', () => {
  test('take effect without a restart; a broken file changes nothing, and is in the log', async () => {
    const server = start();
    const url = await server.ready();
    const carol = await create('carol');
    const list = async (): Promise<string> => {
      try {
        await clientOf(url, carol).send(new ListTablesCommand({}));
        return 'listed';
      } catch (error) {
        return (error as Error).name;
      }
    };
    await server.until(() => server.stderr.includes('identities-read'));
    expect(await list()).toBe('AccessDeniedException');
    await identity('attach', 'carol', '--policy', join(folder, 'all.json'));
    await server.until(() => (server.stderr.match(/identities-read/g) ?? []).length >= 2);
    expect(await list()).toBe('listed');
    const good = readFileSync(auth);
    writeFileSync(auth, '{"format":1,');
    await server.until(() => server.stderr.includes('identities-unreadable'));
    expect(await list()).toBe('listed');
    writeFileSync(auth, good);
    await identity('revoke', 'carol');
    // The good file may be read alone before, or together with the revocation.
    const reads = (): number => (server.stderr.match(/identities-read /g) ?? []).length;
    for (let seen = reads(); (await list()) !== 'UnrecognizedClientException'; seen = reads()) {
      const before = seen;
      await server.until(() => reads() > before);
    }
  });
});

describe('limits', () => {
  test('hold back one identity that asks for too much at a time, and one address that connects too often', async () => {
    const server = start('--requests-per-identity', '1', '--connections-per-address', '8');
    const url = await server.ready();
    const client = await createShop(url);
    const item = { pk: { S: 'a' }, text: { S: 'x'.repeat(300_000) } };
    const put = async (): Promise<string> => {
      try {
        await client.send(new PutItemCommand({ TableName: 'Shop', Item: item }));
        return 'put';
      } catch (error) {
        const { name, message } = error as Error;
        return name === 'ThrottlingException' ? `${name}: ${message}` : name;
      }
    };
    const seen = new Set<string>();
    while (seen.size < 2) for (const outcome of await Promise.all([put(), put(), put(), put()])) seen.add(outcome);
    expect(seen).toEqual(new Set(['put', 'ThrottlingException: Rate exceeded']));
    expect(await put()).toBe('put');
    await server.until(() => server.stderr.includes('requests-refused'));
    expect(server.stderr).toContain('identity=arn:aws:iam::000000000000:user/alice');
    client.destroy();
    const { port } = new URL(url);
    const sockets = Array.from({ length: 9 }, () => connect(Number(port), '127.0.0.1').on('error', () => undefined));
    await Promise.race(sockets.map((socket) => once(socket, 'close')));
    await server.until(() => server.stderr.includes('connections-refused'));
    expect(server.stderr).toContain('address=127.0.0.1');
    for (const socket of sockets) socket.destroy();
  });

  test('hold back an identity, and an address, that sends too much a second; SIGUSR2 changes the level of the log', async () => {
    const server = start('--requests-per-second-per-identity', '1', '--requests-per-second-per-address', '1000');
    const url = await server.ready();
    const client = clientOf(url, alice);
    const list = (): Promise<string> =>
      client.send(new ListTablesCommand({})).then(
        () => 'listed',
        (error: Error) => `${error.name}: ${error.message}`,
      );
    const seen = new Set<string>();
    while (seen.size < 2) for (const outcome of await Promise.all([list(), list(), list()])) seen.add(outcome);
    expect(seen).toEqual(new Set(['listed', 'ThrottlingException: Rate exceeded']));
    await server.until(() => server.stderr.includes('rate-exceeded caller=arn:aws:iam::000000000000:user/alice'));
    const logged = (): number => server.stderr.split(' request ').length - 1;
    expect(logged()).toBe(0);
    server.signal('SIGUSR2');
    await server.until(() => server.stderr.includes('log-level-changed present=debug'));
    await list();
    await server.until(() => logged() === 1);
    expect(server.stderr).toMatch(/ request .*action=ListTables/);
    server.signal('SIGUSR2');
    await server.until(() => server.stderr.includes('log-level-changed present=info'));
    await list();
    client.destroy();
    // Everything before this line has been logged.
    server.signal('SIGUSR2');
    await server.until(() => server.stderr.split('present=debug').length === 3);
    expect(logged()).toBe(1);
  });

  test('hold back an identity whose requests are large together', async () => {
    const server = start('--memory-budget', '128', '--memory-per-address', '128', '--memory-per-identity', '32');
    const client = await createShop(await server.ready());
    const text = { S: 'x'.repeat(300_000) };
    const Shop = Array.from({ length: 8 }, (_, at) => ({ PutRequest: { Item: { pk: { S: `a${at}` }, text } } }));
    const put = (): Promise<string> =>
      client.send(new BatchWriteItemCommand({ RequestItems: { Shop } })).then(
        () => 'put',
        (error: Error) => `${error.name}: ${error.message}`,
      );
    const seen = new Set<string>();
    while (seen.size < 2) for (const outcome of await Promise.all(Array.from({ length: 8 }, put))) seen.add(outcome);
    expect(seen).toEqual(new Set(['put', 'ThrottlingException: Rate exceeded']));
    expect(await put()).toBe('put');
    await server.until(() => server.stderr.includes('requests-refused'));
    client.destroy();
  });

  test('keep memory for others while one address sends large bodies slowly', async () => {
    const server = start();
    const { port } = new URL(await server.ready());
    const megabyte = 1024 * 1024;
    const head =
      'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-amz-json-1.0\r\n' +
      `x-amz-target: DynamoDB_20120810.ListTables\r\ncontent-length: ${10 * megabyte}\r\n\r\n`;
    const ask = async (localAddress: string, body: string): Promise<Socket> => {
      const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress }).on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(head + body);
      return socket;
    };
    const slow = await Promise.all(Array.from({ length: 8 }, () => ask('127.0.0.1', '{')));
    const other = await ask('127.0.0.2', '{}'.padEnd(10 * megabyte));
    expect(String(await once(other, 'data'))).toContain('MissingAuthenticationToken');
    for (const socket of [...slow, other]) socket.destroy();
  });

  test('hold back an address before its signatures are looked at', async () => {
    const server = start('--requests-per-second-per-address', '1');
    const url = await server.ready();
    const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'DynamoDB_20120810.ListTables' };
    const ask = async (): Promise<string> => {
      const answer = await fetch(url, { method: 'POST', headers, body: '{}' });
      return ((await answer.json()) as { __type: string }).__type;
    };
    const seen = new Set<string>();
    while (seen.size < 2) for (const type of await Promise.all([ask(), ask(), ask()])) seen.add(type);
    expect(seen).toEqual(
      new Set([
        'com.amazon.coral.service#MissingAuthenticationTokenException',
        'com.amazon.coral.availability#ThrottlingException',
      ]),
    );
    await server.until(() => server.stderr.includes('rate-exceeded caller=127.0.0.1'));
  });
});

describe('TLS', () => {
  test('serves with a certificate, and with another one once it is renewed', async () => {
    const cert = join(folder, 'cert.pem');
    const key = join(folder, 'key.pem');
    const use = (name: string): void => {
      copyFileSync(join(testdata, `${name}.cert.pem`), cert);
      copyFileSync(join(testdata, `${name}.key.pem`), key);
    };
    use('first');
    const server = start('--tls-cert', cert, '--tls-key', key);
    const url = await server.ready();
    expect(url).toMatch(/^https:/);
    expect(await commonName(url)).toBe('first');
    writeFileSync(key, 'no key');
    await server.until(() => server.stderr.includes('certificate-unusable'));
    expect(await commonName(url)).toBe('first');
    use('second');
    await server.until(() => server.stderr.includes('certificate-read'));
    expect(await commonName(url)).toBe('second');
    const program = `
      const { DynamoDBClient, ListTablesCommand } = require('@aws-sdk/client-dynamodb');
      const client = new DynamoDBClient({ endpoint: '${url}', region: 'us-east-1', credentials: ${JSON.stringify(alice)} });
      client.send(new ListTablesCommand({})).then(() => client.send(new ListTablesCommand({}))).then((answer) => console.log(JSON.stringify(answer.TableNames)));`;
    const client = await output(process.execPath, ['-e', program], {
      ...bare,
      NODE_EXTRA_CA_CERTS: join(testdata, 'second.cert.pem'),
    });
    expect(client).toMatchObject({ code: 0, stdout: '[]\n' });
  });
});

/** The name in the certificate that a server shows. */
function commonName(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const agent = new Agent({ rejectUnauthorized: false });
    get(url, { agent }, (response) => {
      const { socket } = response as unknown as { socket: TLSSocket }; // of an https request
      resolve(socket.getPeerCertificate().subject.CN as string); // each has one
      response.resume();
      agent.destroy();
    }).on('error', reject);
  });
}

function output(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

describe('health', () => {
  test('is told to those who watch over the server, without a signature, and nothing else is', async () => {
    const url = await start().ready();
    for (const [path, text] of [
      ['live', 'live\n'],
      ['ready', 'ready\n'],
    ] as const) {
      const answer = await fetch(`${url}/health/${path}`);
      expect({ status: answer.status, text: await answer.text() }).toEqual({ status: 200, text });
    }
    expect((await fetch(`${url}/health/other`)).status).toBe(404);
    const look = await fetch(`${url}/_singlet/info`);
    expect([look.status, await look.text()]).toEqual([400, expect.stringContaining('MissingAuthenticationToken')]);
    expect((await fetch(`${url}/health/ready`, { headers: { origin: 'https://attacker.example' } })).status).toBe(403);
  });
});

describe('the command line', () => {
  test.each<[string, readonly string[], RegExp]>([
    [
      'beyond this machine without TLS',
      ['--host', '0.0.0.0'],
      /others on the network could read the data.*--plaintext/,
    ],
    ['a certificate without its key', ['--tls-cert', 'x'], /--tls-cert and --tls-key belong together/],
    ['plain text and TLS', ['--tls-cert', 'x', '--tls-key', 'y', '--plaintext'], /--plaintext is for servers without/],
    [
      'an audit log in a missing folder',
      ['--audit-log', 'none/audit.log'],
      /audit\.log cannot be used: there is no such/,
    ],
    ['an audit log that is a folder', ['--audit-log', '.'], /\. cannot be used: it is a directory, not a file/],
    ['files that are missing', ['--tls-cert', 'none.pem', '--tls-key', 'none.pem'], /There is no none\.pem\./],
  ])('%s is refused', async (_what, args, problem) => {
    const { code, stderr } = await command([...serveWithAuth(), ...args]);
    expect(code).toBe(1);
    expect(stderr).toMatch(problem);
  });

  test.each<[string, readonly string[], RegExp]>([
    ['another address without --auth', ['--host', '0.0.0.0'], /listens on this machine only/],
    ['--plaintext without --auth', ['--plaintext'], /without TLS: add --auth/],
    ['--auth-key without --auth', ['--auth-key', 'x'], /give both/],
    ['--audit-log without --auth', ['--audit-log', 'x'], /so it needs --auth/],
    ['identities that are missing', ['--auth', 'none.json'], /There is no none\.json: singlet identity create/],
  ])('%s is refused', async (_what, args, problem) => {
    const { code, stderr } = await command(['serve', '--memory', '--port', '0', ...args]);
    expect(code).toBe(1);
    expect(stderr).toMatch(problem);
  });

  test('with --plaintext any address is listened on', async () => {
    const url = await start('--host', '0.0.0.0', '--plaintext').ready();
    const { port } = new URL(url);
    const answer = await clientOf(`http://127.0.0.1:${port}`, alice).send(new ListTablesCommand({}));
    expect(answer.TableNames).toEqual([]);
  });

  test('the audit log has changes and refusals, and neither secrets nor items', async () => {
    const audit = join(folder, 'audit.log');
    const server = start('--audit-log', audit);
    const url = await server.ready();
    const client = await createShop(url);
    await client.send(new PutItemCommand({ TableName: 'Shop', Item: { pk: { S: 'private' } } }));
    await expect(
      clientOf(url, guest).send(new GetItemCommand({ TableName: 'Shop', Key: { pk: { S: 'private' } } })),
    ).rejects.toThrow('not authorized');
    await assumeTenant(url, 'red');
    await fetch(url, {
      method: 'POST',
      headers: { 'x-amz-target': 'DynamoDB_20120810.ListTables', 'content-type': 'application/x-amz-json-1.0' },
      body: '{}',
    });
    await server.end('SIGTERM');
    const text = readFileSync(audit, 'utf8');
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toMatchObject([
      {
        kind: 'request',
        action: 'CreateTable',
        table: 'Shop',
        status: 200,
        caller: 'arn:aws:iam::000000000000:user/alice',
        sourceIp: '127.0.0.1',
      },
      {
        kind: 'denial',
        caller: 'arn:aws:iam::000000000000:user/guest',
        permission: 'dynamodb:GetItem',
        outcome: 'implicit-deny',
      },
      {
        kind: 'request',
        action: 'GetItem',
        error: 'AccessDeniedException',
        caller: 'arn:aws:iam::000000000000:user/guest',
      },
      { kind: 'request', action: 'AssumeRole', status: 200, caller: 'arn:aws:iam::000000000000:user/alice' },
      { kind: 'request', action: 'ListTables', error: 'MissingAuthenticationTokenException' },
    ]);
    for (const secret of ['private', alice.secretAccessKey, guest.secretAccessKey]) expect(text).not.toContain(secret);
  });
});

const hasCli = spawnSync('aws', ['--version']).status === 0;
const hasBoto3 = spawnSync('python3', ['-c', 'import boto3']).status === 0;

describe('other clients', () => {
  test.runIf(hasCli)('the AWS CLI, with a profile that assumes a role (runs where the CLI is installed)', async () => {
    const url = await start().ready();
    await createShop(url);
    const config = join(folder, 'config');
    const credentials = join(folder, 'credentials');
    writeFileSync(
      credentials,
      `[alice]\naws_access_key_id = ${alice.accessKeyId}\naws_secret_access_key = ${alice.secretAccessKey}\n`,
    );
    writeFileSync(config, '[profile alice]\nregion = us-east-1\n');
    const env = {
      ...bare,
      AWS_CONFIG_FILE: config,
      AWS_SHARED_CREDENTIALS_FILE: credentials,
      AWS_PROFILE: 'alice',
    };
    const aws = async (...args: readonly string[]): Promise<unknown> => {
      const { code, stdout, stderr } = await output('aws', [...args, '--endpoint-url', url, '--output', 'json'], env);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return JSON.parse(stdout) as unknown;
    };
    expect(await aws('dynamodb', 'list-tables')).toEqual({ TableNames: ['Shop'] });
    expect(await aws('sts', 'get-caller-identity')).toMatchObject({ Arn: 'arn:aws:iam::000000000000:user/alice' });
    expect(
      await aws(
        'sts',
        'assume-role',
        '--role-arn',
        'arn:aws:iam::000000000000:role/tenant',
        '--role-session-name',
        'cli',
      ),
    ).toMatchObject({ AssumedRoleUser: { Arn: 'arn:aws:sts::000000000000:assumed-role/tenant/cli' } });
    const wrong = await output('aws', ['dynamodb', 'list-tables', '--endpoint-url', url], {
      ...env,
      AWS_ACCESS_KEY_ID: alice.accessKeyId,
      AWS_SECRET_ACCESS_KEY: 'guess',
      AWS_PROFILE: undefined,
      AWS_DEFAULT_REGION: 'us-east-1',
    });
    expect(wrong.stderr).toContain('(InvalidSignatureException)');
  });

  test.runIf(hasBoto3)('boto3, with a session of a role (runs where boto3 is installed)', async () => {
    const url = await start().ready();
    await createShop(url);
    const program = `
import boto3, json, sys
alice = json.loads(sys.argv[2])
common = dict(endpoint_url=sys.argv[1], region_name='us-east-1')
keys = dict(aws_access_key_id=alice['accessKeyId'], aws_secret_access_key=alice['secretAccessKey'])
sts = boto3.client('sts', **common, **keys)
given = sts.assume_role(RoleArn='arn:aws:iam::000000000000:role/tenant', RoleSessionName='py', Tags=[{'Key': 'tenant', 'Value': 'red'}])['Credentials']
db = boto3.client('dynamodb', **common, aws_access_key_id=given['AccessKeyId'], aws_secret_access_key=given['SecretAccessKey'], aws_session_token=given['SessionToken'])
db.put_item(TableName='Shop', Item={'pk': {'S': 'red'}})
try:
    db.put_item(TableName='Shop', Item={'pk': {'S': 'blue'}})
except db.exceptions.ClientError as error:
    print(error.response['Error']['Code'])
`;
    const { code, stdout, stderr } = await output('python3', ['-c', program, url, JSON.stringify(alice)], bare);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'AccessDeniedException\n', stderr: '' });
  });
});

test('singlet doctor signs its requests, and says what a server with identities refuses', async () => {
  const doctor = await create('doctor');
  policyFile('scrub', { Effect: 'Allow', Action: ['singlet:StartScrub', 'singlet:GetScrub'], Resource: '*' });
  await identity('attach', 'doctor', '--policy', join(folder, 'scrub.json'));
  const server = start();
  const url = await server.ready();
  const examine = async (credentials?: TestCredentials): Promise<CommandEnd> => {
    const env =
      credentials === undefined
        ? bare
        : {
            ...bare,
            AWS_ACCESS_KEY_ID: credentials.accessKeyId,
            AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
          };
    return command(['doctor', '--endpoint', url], { env });
  };
  expect((await examine(doctor)).stdout).toMatch(/entries checked: all is sound\.\n$/);
  expect((await examine()).stderr).toContain(`The server at ${url} requires credentials: set AWS_ACCESS_KEY_ID`);
  expect((await examine(guest)).stderr).toContain('is not authorized to perform: singlet:StartScrub');
  expect(server.stderr).toContain('AWS_ACCESS_KEY_ID=KEY AWS_SECRET_ACCESS_KEY=SECRET');
});
