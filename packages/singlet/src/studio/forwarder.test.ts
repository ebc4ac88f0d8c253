import { request as ask } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type Database } from '../database/create-database.ts';
import { type DatabaseServer, serve } from '../database/serve.ts';
import { type Forwarder, startForwarder } from './forwarder.ts';

let database: Database;
let server: DatabaseServer;
let forwarder: Forwarder;

beforeAll(async () => {
  database = await createDatabase();
  server = await serve(database);
  await database.request('CreateTable', {
    TableName: 'Things',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  });
  forwarder = await startForwarder(forwarding(server.url));
});

afterAll(async () => {
  await forwarder.close();
  await server.close();
  await database.close();
});

function forwarding(endpoint: string): Parameters<typeof startForwarder>[0] {
  return {
    endpoint: new URL(endpoint),
    region: 'us-east-1',
    port: 0,
    nowMs: () => 1_767_225_600_000,
    credentials: () => Promise.resolve({ accessKeyId: 'local', secretAccessKey: 'a-secret-that-shows-nowhere' }),
    findPage: () => ({ problem: 'no page here' }),
  };
}

const fine = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-target': 'DynamoDB_20120810.ListTables',
  'x-singlet-studio': '1',
};

interface Sent {
  readonly to?: Forwarder;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

function send({ to = forwarder, method = 'POST', path = '/', headers = fine, body = '{}' }: Sent): Promise<{
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}> {
  const { port } = new URL(to.url);
  return new Promise((resolve, reject) => {
    const sent = ask({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    sent.on('error', reject);
    sent.end(method === 'GET' ? undefined : body);
  });
}

describe('the workbench for another endpoint', () => {
  test('WB-01: its requests reach the endpoint, and answers and errors come back as they are', async () => {
    const listed = await send({});
    expect([listed.status, JSON.parse(listed.text)]).toEqual([200, { TableNames: ['Things'] }]);
    const headers = { ...fine, 'x-amz-target': 'DynamoDB_20120810.DescribeTable' };
    const missing = await send({ headers, body: '{"TableName":"Nothing"}' });
    expect(missing.status).toBe(400);
    expect(missing.text).toContain('ResourceNotFoundException');
    expect((await send({ method: 'GET', path: '/' })).headers['location']).toBe('/studio');
    expect((await send({ method: 'GET', path: '/studio' })).text).toBe('no page here\n');
  });

  describe('WB-58: refuses', () => {
    const port = (): string => new URL(forwarder.url).port;
    test.each<[string, () => Sent, number]>([
      ['a foreign origin', () => ({ headers: { ...fine, origin: 'https://evil.example' } }), 403],
      ['an origin of another port', () => ({ headers: { ...fine, origin: 'http://127.0.0.1:1' } }), 403],
      [
        'an origin that only begins like its own',
        () => ({ headers: { ...fine, origin: `http://127.0.0.1:${port()}.evil.example` } }),
        403,
      ],
      ['the origin of files and frames', () => ({ headers: { ...fine, origin: 'null' } }), 403],
      ['a foreign name for this machine', () => ({ headers: { ...fine, host: `rebound.example:${port()}` } }), 421],
      [
        'its page under a foreign name',
        () => ({ method: 'GET', path: '/studio', headers: { host: 'rebound.example' } }),
        421,
      ],
      ['what a page of another site sends', () => ({ headers: { ...fine, 'sec-fetch-site': 'cross-site' } }), 403],
      ['a form', () => ({ headers: { 'content-type': 'application/x-www-form-urlencoded' } }), 403],
      ['a request without the header of the page', () => ({ headers: { ...fine, 'x-singlet-studio': '' } }), 403],
      ['targets of other services', () => ({ headers: { ...fine, 'x-amz-target': 'AWSIdentity.CreateUser' } }), 403],
      ['other paths', () => ({ path: '/studio/forward' }), 404],
      ['other methods', () => ({ method: 'DELETE' }), 404],
      [
        'permission for other origins',
        () => ({
          method: 'OPTIONS',
          headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
        }),
        403,
      ],
    ])('%s', async (_, request, status) => {
      const answered = await send(request());
      expect(answered.status).toBe(status);
      expect(answered.headers).not.toHaveProperty('access-control-allow-origin');
      expect(answered.text).not.toContain('Things');
    });

    test('a request that is larger than any', async () => {
      expect((await send({ body: ' '.repeat(16 * 1024 * 1024 + 1) })).status).toBe(413);
    });
  });

  test('WB-59: an endpoint that cannot be reached is said so, without a word of the credentials', async () => {
    const lost = await startForwarder(forwarding('http://127.0.0.1:9'));
    const { status, text } = await send({ to: lost });
    await lost.close();
    expect(status).toBe(502);
    expect(JSON.parse(text)).toMatchObject({ __type: 'EndpointUnreachable' });
    expect(text).not.toContain('a-secret-that-shows-nowhere');
  });
});
