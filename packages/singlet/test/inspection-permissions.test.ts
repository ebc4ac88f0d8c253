import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Authenticator } from '../src/access/authentication/authenticator.ts';
import type { NewAccessKey } from '../src/access/identity/change-identities.ts';
import { account, otherAccount, TestIdentities } from '../src/access/testing/identities.ts';
import { signedRequest } from '../src/access/testing/signed-request.ts';
import { createVerifiedDatabase, type Database } from '../src/database/create-database.ts';

/*
 * Paths below `/_singlet/` require permissions if the server knows its callers: those in the table of docs/security.md, on its resources.
 */

interface Row {
  readonly method: string;
  readonly path: string;
  readonly permission: string;
  readonly on: string;
}

const rows: readonly Row[] = [
  ...readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8').matchAll(
    /^\| `(GET|POST|PUT) (\/_singlet\/\S*)` *\| `singlet:(\w+)` *\| (\S.*?) *\|$/gm,
  ),
].map(([, method = '', path = '', permission = '', on = '']) => ({ method, path, permission, on }));

const tableArn = `arn:aws:dynamodb:us-east-1:${account}:table/Orders`;
const arns: Readonly<Record<string, string>> = {
  'the table': tableArn,
  'the table, or its index': tableArn,
  'the server': `arn:aws:singlet:us-east-1:${account}:server`,
};

const identities = new TestIdentities(Date.now());
let directory = identities.directory();
let database: Database;
let user: NewAccessKey;
let stranger: NewAccessKey;

beforeAll(async () => {
  user = identities.user('ann');
  stranger = identities.user('eve', { accountId: otherAccount });
  const admin = identities.user('admin');
  identities.attach('admin', { Effect: 'Allow', Action: '*', Resource: '*' });
  identities.attach('eve', { Effect: 'Allow', Action: '*', Resource: '*' }, { accountId: otherAccount });
  directory = identities.directory();
  const authenticator = new Authenticator({ directory: () => directory, nowMs: () => Date.now(), region: 'us-east-1' });
  database = await createVerifiedDatabase({ accountId: account, backgroundWork: 'on-demand' }, { authenticator });
  const definition = {
    TableName: 'Orders',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  };
  const request = await signedRequest(admin, {
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'DynamoDB_20120810.CreateTable' },
    body: JSON.stringify(definition),
    nowMs: Date.now(),
  });
  expect((await database.handle(request)).status).toBe(200);
});

afterAll(() => database.close());

/** The user has the permissions of one statement. */
function allow(...statements: readonly object[]): void {
  identities.attach('ann', statements);
  directory = identities.directory();
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly isDenied: boolean;
}

async function look(
  key: NewAccessKey,
  { method, path }: Pick<Row, 'method' | 'path'>,
  index?: string,
): Promise<Answer> {
  const request = await signedRequest(key, {
    method,
    path: path.replace('TABLE', 'Orders').replace('INDEX', 'byOwner').replace('MODEL', 'shop').replace('SEQ', '1'),
    query: index === undefined ? {} : { index },
    headers: { 'content-type': 'application/json' },
    ...(method !== 'GET' && { body: '{}' }),
    nowMs: Date.now(),
  });
  const { status, body, events } = await database.handle(request);
  const text = events === undefined ? Buffer.from(body).toString('utf8') : 'events';
  return { status, text, isDenied: text.includes('is not authorized to perform') };
}

describe('a look at a server whose callers are known', () => {
  test('has a row for each place', () => {
    expect(rows.length).toBeGreaterThan(18);
    expect(rows.filter(({ on }) => arns[on] === undefined)).toEqual([]);
  });

  test.each(rows)('$method $path asks for singlet:$permission on $on', async (row) => {
    const Resource = `${arns[row.on]}${row.path.endsWith('/INDEX') ? '/index/byOwner' : ''}`;
    allow({ Effect: 'Allow', Action: `singlet:${row.permission}`, Resource });
    expect(await look(user, row)).toMatchObject({ isDenied: false });
    allow(
      { Effect: 'Allow', Action: '*', Resource: '*' },
      { Effect: 'Deny', Action: `singlet:${row.permission}`, Resource },
    );
    const denied = await look(user, row);
    expect(denied).toMatchObject({ status: 400, isDenied: true });
    expect(denied.text).toContain(`singlet:${row.permission} on resource: ${Resource} with an explicit deny`);
    // Other accounts may not see anything about the whole server.
    if (row.on === 'the server') expect(await look(stranger, row)).toMatchObject({ isDenied: true });
  });

  test('of an index asks on the index', async () => {
    allow({ Effect: 'Allow', Action: 'singlet:*', Resource: tableArn });
    const heat = { method: 'GET', path: '/_singlet/heat/TABLE' };
    expect(await look(user, heat)).toMatchObject({ isDenied: false });
    expect((await look(user, heat, 'byOwner')).text).toContain(`on resource: ${tableArn}/index/byOwner`);
  });

  test('is not told without a signature, or with one for another place', async () => {
    allow({ Effect: 'Allow', Action: '*', Resource: '*' });
    const signed = await signedRequest(user, { method: 'GET', path: '/_singlet/info', nowMs: Date.now() });
    const { status, body } = await database.handle(signed);
    expect([status, JSON.parse(Buffer.from(body).toString('utf8'))]).toEqual([
      200,
      expect.objectContaining({ auth: true }),
    ]);
    for (const request of [
      { ...signed, headers: { host: 'localhost' } },
      { ...signed, url: '/_singlet/requests' },
      { ...signed, url: '/_singlet/info?region=eu-west-1' },
    ])
      expect(await database.handle(request)).toMatchObject({ status: 400 });
  });

  test('runs no pattern, which would run with the rights of the server', async () => {
    allow({ Effect: 'Allow', Action: '*', Resource: '*' });
    const run = { method: 'POST', path: '/_singlet/models/MODEL/patterns/customer/run' };
    expect(await look(user, run)).toMatchObject({ status: 404 });
  });
});
