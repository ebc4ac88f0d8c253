import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as sdk from '@aws-sdk/client-dynamodb';
import * as streams from '@aws-sdk/client-dynamodb-streams';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signedRequest, type TestCredentials } from '../src/access/testing/signed-request.ts';
import { targetOf } from '../src/server/index.ts';
import { useCommands } from './singlet-commands.ts';
import { SingletProcess } from './singlet-process.ts';
import {
  itemRequest,
  itemsOf,
  ordersTable,
  otherAccount,
  otherRequests,
  secretOf,
  type TenantRequest,
  tenantAccount,
  tenantStatements,
} from './tenant-requests.ts';

/*
 * Two accounts with two tenants each, on a server with identities: sessions of a role with the tenant in a session tag, the unmodified AWS
 * SDK, and requests that try to reach another tenant's data.
 */

let folder: string;
let auth: string;
const command = useCommands();
let server: SingletProcess;
let url: string;
const admins = new Map<string, sdk.DynamoDBClient>();
const sessions = new Map<string, TestCredentials>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'singlet-tenants-'));
  auth = join(folder, 'auth.json');
  const everything = policyFile('everything', { Effect: 'Allow', Action: ['dynamodb:*', 'sts:*'], Resource: '*' });
  const trust = policyFile('trust', {
    Effect: 'Allow',
    Principal: { AWS: tenantAccount },
    Action: ['sts:AssumeRole', 'sts:TagSession'],
  });
  const credentials = new Map<string, TestCredentials>();
  for (const account of [tenantAccount, otherAccount]) {
    const made = await identity('create', 'admin', '--account', account);
    credentials.set(account, made as TestCredentials); // the output of create
    await identity('attach', 'admin', '--account', account, '--policy', everything);
  }
  await identity('create', 'tenant', '--account', tenantAccount, '--kind', 'role', '--trust', trust);
  const own = policyFile('own', ...tenantStatements);
  await identity('attach', 'tenant', '--account', tenantAccount, '--kind', 'role', '--policy', own);

  server = new SingletProcess(['serve', '--auth', auth, '--memory', '--port', '0']);
  url = await server.ready();
  for (const [account, keys] of credentials) {
    const client = new sdk.DynamoDBClient({ endpoint: url, region: 'us-east-1', credentials: keys, maxAttempts: 1 });
    admins.set(account, client);
    await client.send(new sdk.CreateTableCommand(ordersTable));
  }
  const ResourceArn = `arn:aws:dynamodb:us-east-1:${otherAccount}:table/Orders`;
  const shared = {
    Effect: 'Allow',
    Principal: { AWS: tenantAccount },
    Action: 'dynamodb:*',
    Resource: [ResourceArn, `${ResourceArn}/index/*`],
    Condition: { ArnLike: { 'aws:PrincipalArn': `arn:aws:iam::${tenantAccount}:role/*` } },
  };
  const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [shared] });
  await admins.get(otherAccount)!.send(new sdk.PutResourcePolicyCommand({ ResourceArn, Policy }));
  for (const name of ['t1', 't2']) sessions.set(name, await assumeTenant(credentials.get(tenantAccount)!, name));
});

afterAll(async () => {
  for (const client of admins.values()) client.destroy();
  await server.end('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

function policyFile(name: string, ...Statement: readonly object[]): string {
  const path = join(folder, `${name}.json`);
  writeFileSync(path, JSON.stringify({ Version: '2012-10-17', Statement }));
  return path;
}

async function identity(...args: readonly string[]): Promise<unknown> {
  const { code, stdout, stderr } = await command(['identity', ...args, '--auth', auth, '--json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

async function assumeTenant(admin: TestCredentials, tenant: string): Promise<TestCredentials> {
  const parameters = {
    Action: 'AssumeRole',
    Version: '2011-06-15',
    RoleArn: `arn:aws:iam::${tenantAccount}:role/tenant`,
    RoleSessionName: tenant,
    'Tags.member.1.Key': 'tenant',
    'Tags.member.1.Value': tenant,
  };
  const { method, headers, body } = await signedRequest(admin, {
    headers: { host: new URL(url).host, 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    body: new URLSearchParams(parameters).toString(),
    service: 'sts',
    nowMs: Date.now(),
  });
  const answer = await fetch(url, { method, headers: headers as Record<string, string>, body: Buffer.from(body) });
  const text = await answer.text();
  const part = (name: string): string => new RegExp(`<${name}>([^<]+)<`).exec(text)?.[1] ?? '';
  return {
    accessKeyId: part('AccessKeyId'),
    secretAccessKey: part('SecretAccessKey'),
    sessionToken: part('SessionToken'),
  };
}

interface Sent {
  readonly text: string;
  /** The error's name; absent when the request was carried out. */
  readonly error?: string;
}

const commands = { ...sdk, ...streams } as unknown as Readonly<
  Record<string, (new (input: object) => object) | undefined>
>;

/** Sends a request as a tenant: with the SDK, if it has the action. */
async function sendAs(tenant: string, { action, input }: TenantRequest): Promise<Sent> {
  const credentials = sessions.get(tenant)!;
  const Command = commands[`${action}Command`];
  if (Command === undefined) return sendSigned(credentials, action, input);
  const options = { endpoint: url, region: 'us-east-1', credentials, maxAttempts: 1 };
  const isOfStreams = `${action}Command` in streams && !(`${action}Command` in sdk);
  // Both clients send any command of their API. The compiler cannot tell from an action's name which client that is.
  const client = (isOfStreams ? new streams.DynamoDBStreamsClient(options) : new sdk.DynamoDBClient(options)) as {
    send(command: object): Promise<object>;
    destroy(): void;
  };
  try {
    return { text: JSON.stringify(await client.send(new Command(input))) };
  } catch (error) {
    if (!(error instanceof sdk.DynamoDBServiceException || error instanceof streams.DynamoDBStreamsServiceException))
      throw error;
    return { text: `${JSON.stringify(error)} ${error.message}`, error: error.name };
  } finally {
    client.destroy();
  }
}

async function sendSigned(credentials: TestCredentials, action: string, input: object): Promise<Sent> {
  const { method, headers, body } = await signedRequest(credentials, {
    headers: {
      host: new URL(url).host,
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': targetOf(action),
    },
    body: JSON.stringify(input),
    service: 'dynamodb',
    nowMs: Date.now(),
  });
  const answer = await fetch(url, { method, headers: headers as Record<string, string>, body: Buffer.from(body) });
  const text = await answer.text();
  if (answer.status === 200) return { text };
  return { text, error: (JSON.parse(text) as { __type: string }).__type.replace(/^.*#/, '') };
}

async function restore(account: string): Promise<void> {
  const client = admins.get(account)!;
  const { Items = [] } = await client.send(new sdk.ScanCommand({ TableName: 'Orders' }));
  for (const { pk, sk } of Items)
    await client.send(new sdk.DeleteItemCommand({ TableName: 'Orders', Key: { pk: pk!, sk: sk! } }));
  for (const Item of itemsOf(account)) await client.send(new sdk.PutItemCommand({ TableName: 'Orders', Item }));
}

async function itemsOfOthers(account: string, tenant: string): Promise<readonly unknown[]> {
  const { Items = [] } = await admins
    .get(account)!
    .send(new sdk.ScanCommand({ TableName: 'Orders', ConsistentRead: true }));
  return Items.filter(({ pk }) => pk?.S !== tenant);
}

describe('tenants on a server', () => {
  test('read and write their own partitions only', async () => {
    let doneCount = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('t1', 't2'),
        fc.array(itemRequest, { minLength: 25, maxLength: 25 }),
        async (tenant, requests) => {
          await restore(tenantAccount);
          await restore(otherAccount);
          const before = [await itemsOfOthers(tenantAccount, tenant), await itemsOfOthers(otherAccount, tenant)];
          const other = tenant === 't1' ? 't2' : 't1';
          for (const request of requests) {
            const { text, error } = await sendAs(tenant, request);
            for (const account of [tenantAccount, otherAccount]) {
              expect(text, JSON.stringify(request)).not.toContain(secretOf(other, account));
            }
            if (error === undefined) doneCount += 1;
          }
          expect([await itemsOfOthers(tenantAccount, tenant), await itemsOfOthers(otherAccount, tenant)]).toEqual(
            before,
          );
        },
      ),
      { numRuns: 12 },
    );
    expect(doneCount).toBeGreaterThan(20);
  });

  test('see their own items', async () => {
    await restore(tenantAccount);
    for (const tenant of ['t1', 't2']) {
      const request = {
        TableName: 'Orders',
        KeyConditionExpression: 'pk = :p',
        ExpressionAttributeValues: { ':p': { S: tenant } },
      };
      const { text } = await sendAs(tenant, { action: 'Query', input: request });
      expect(text).toContain(secretOf(tenant, tenantAccount));
    }
  });

  test('may do nothing else', async () => {
    const outcomes = new Map<string, string | undefined>();
    for (const request of otherRequests) outcomes.set(request.action, (await sendAs('t1', request)).error);
    expect([...outcomes].filter(([, error]) => error !== 'AccessDeniedException')).toEqual([]);
    expect(outcomes.size).toBeGreaterThan(50);
  });

  test('without their signature have no caller', async () => {
    const body = JSON.stringify({ TableName: 'Orders', Key: { pk: { S: 't1' }, sk: { S: 'a' } } });
    const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': targetOf('GetItem') };
    const answer = await fetch(url, { method: 'POST', headers, body });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      {
        __type: 'com.amazon.coral.service#MissingAuthenticationTokenException',
        message: 'Request is missing Authentication Token',
      },
    ]);
    const forged = { ...sessions.get('t1')!, sessionToken: sessions.get('t2')!.sessionToken! };
    const { error } = await sendSigned(forged, 'GetItem', JSON.parse(body) as object);
    expect(error).toBe('UnrecognizedClientException');
  });
});
