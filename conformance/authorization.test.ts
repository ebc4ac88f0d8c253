import { createHash, createHmac, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  attachPolicy,
  Authenticator,
  createIdentity,
  IdentityDirectory,
  type NewAccessKey,
  newAuthKeyText,
  noIdentities,
  readAuthKey,
} from '../packages/singlet/src/access/index.ts';
import { createVerifiedDatabase, type Database } from '../packages/singlet/src/database/create-database.ts';
import { actionNames } from '../packages/singlet/src/engine/index.ts';
import { targetOf } from '../packages/singlet/src/server/index.ts';
import {
  authorizationAccount as accountId,
  authorizationRegion as region,
  type AuthorizationRow,
  authorizationRows,
} from './src/authorization-rows.ts';

const authKey = readAuthKey(newAuthKeyText(randomBytes));
const tools = { authKey, random: randomBytes, nowMs: Date.now() };
const user = { accountId, kind: 'user', name: 'ann' } as const;
const made = createIdentity(noIdentities, user, tools);
const accessKey: NewAccessKey = made.accessKey!;
let directory = new IdentityDirectory(made.document, authKey);
let database: Database;

beforeAll(async () => {
  const authenticator = new Authenticator({ directory: () => directory, nowMs: () => Date.now(), region });
  database = await createVerifiedDatabase({ accountId, backgroundWork: 'on-demand' }, { authenticator });
});

afterAll(() => database.close());

/** The user may do only these. */
function allow(asks: readonly string[]): void {
  const Statement = asks.map((ask) => ({
    Effect: 'Allow',
    Action: `dynamodb:${ask.split(' on ')[0]}`,
    Resource: resourceOf(ask),
  }));
  const document =
    Statement.length === 0
      ? made.document
      : attachPolicy(made.document, user, { name: 'policy', policy: { Version: '2012-10-17', Statement } });
  directory = new IdentityDirectory(document, authKey);
}

function resourceOf(ask: string): string {
  const [, resource = ''] = ask.split(' on ');
  return resource === '*' || resource.startsWith('arn:')
    ? resource
    : `arn:aws:dynamodb:${region}:${accountId}:${resource}`;
}

interface Answer {
  readonly name: string;
  readonly message: string;
}

interface SentHeaders {
  readonly [name: string]: string;
}

async function send(headers: SentHeaders, body: string): Promise<Answer> {
  const answer = await database.handle({ method: 'POST', url: '/', headers, body: Buffer.from(body) });
  const text = Buffer.from(answer.body).toString('utf8');
  if (answer.status === 200) return { name: 'done', message: text };
  const { __type = '', message = '', Message = message } = JSON.parse(text) as Record<string, string | undefined>;
  return { name: __type.replace(/^.*#/, ''), message: Message };
}

/** Signature Version 4, written from the documentation without our own code. */
function signedHeaders(action: string, body: string, secret = accessKey.secretAccessKey): SentHeaders {
  const date = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = `${date.slice(0, 8)}/${region}/dynamodb/aws4_request`;
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    host: 'localhost',
    'x-amz-date': date,
    'x-amz-target': targetOf(action),
  };
  const names = Object.keys(headers).join(';');
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const canonical = `POST\n/\n\n${lines.join('')}\n${names}\n${sha256(body)}`;
  const key = scope.split('/').reduce<string | Buffer>((known, part) => hmac(known, part), `AWS4${secret}`);
  const signature = hmac(key, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${sha256(canonical)}`).toString('hex');
  const credential = `Credential=${accessKey.accessKeyId}/${scope}`;
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

async function ask({ action, input }: AuthorizationRow): Promise<Answer> {
  const body = JSON.stringify(input);
  return await send(signedHeaders(action, body), body);
}

const refusedPart =
  /is not authorized to perform: (\S+) on resource: (\S+) because no identity-based policy allows the \S+ action/;

function refusalOf({ action }: AuthorizationRow, { name, message }: Answer): string | undefined {
  // Each statement of a batch is refused individually.
  const isRefused =
    action === 'BatchExecuteStatement' ? message.includes('AccessDenied') : name === 'AccessDeniedException';
  if (!isRefused) return undefined;
  const [, permission = '', resource = ''] = refusedPart.exec(message) ?? [];
  return `${permission.replace('dynamodb:', '')} on ${resource}`;
}

const named = (one: string): string => `${one.split(' on ')[0]} on ${resourceOf(one)}`;

describe('authorization', () => {
  test('has a row for every action, with its source', () => {
    expect([...new Set(authorizationRows.map(({ action }) => action))].toSorted()).toEqual([...actionNames].toSorted());
    for (const { source } of authorizationRows) expect(source).toMatch(/^(AWS documentation: |assumed: )/);
  });

  test.each(authorizationRows)('DB-133 $action asks for $asks', async (one) => {
    allow([]);
    expect(refusalOf(one, await ask(one))).toBe(named(one.asks[0]!));
    allow(one.asks);
    expect(refusalOf(one, await ask(one))).toBeUndefined();
    for (const missing of one.asks) {
      allow(one.asks.filter((each) => each !== missing));
      expect(refusalOf(one, await ask(one))).toBe(named(missing));
    }
  });

  test.each(authorizationRows)(
    'DB-130 $action is not carried out unsigned, or signed with a wrong secret',
    async ({ action, asks, input }) => {
      allow(asks);
      const body = JSON.stringify(input);
      const { authorization: _authorization, ...unsigned } = signedHeaders(action, body);
      expect((await send(unsigned, body)).name).toBe('MissingAuthenticationTokenException');
      expect((await send(signedHeaders(action, body, 'guess'), body)).name).toBe('InvalidSignatureException');
      expect((await send(signedHeaders(action, body), `${body} `)).name).toBe('InvalidSignatureException');
    },
  );
});
