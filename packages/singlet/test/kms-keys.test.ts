import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SingletProcess } from './singlet-process.ts';
import { wireResult } from './wire-call.ts';

/** Keys that KMS has encrypted, with a server that implements as much of its protocol as needed. Needs `npm run build`. */

interface Decryption {
  readonly CiphertextBlob: string;
  readonly EncryptionContext?: object;
}

let folder: string;
let kms: Server;
let asked: { readonly target: unknown; readonly body: Decryption }[];
/** Keys by their ciphertext, all as base64. */
let keys: Map<string, string>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'singlet-kms-'));
  asked = [];
  keys = new Map();
  kms = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const body = JSON.parse(text) as Decryption;
      asked.push({ target: request.headers['x-amz-target'], body });
      const Plaintext = keys.get(body.CiphertextBlob);
      response.writeHead(Plaintext === undefined ? 400 : 200, { 'content-type': 'application/x-amz-json-1.1' });
      response.end(JSON.stringify(Plaintext === undefined ? { __type: 'InvalidCiphertextException' } : { Plaintext }));
    });
  });
  kms.listen(0, '127.0.0.1');
  await once(kms, 'listening');
});

afterEach(async () => {
  kms.closeAllConnections();
  kms.close();
  await rm(folder, { recursive: true, force: true });
});

/** A key as KMS returns it: encrypted. */
function newKey(): string {
  const blob = randomBytes(60).toString('base64');
  keys.set(blob, randomBytes(32).toString('base64'));
  return blob;
}

function run(...args: readonly string[]): SingletProcess {
  const env = {
    ...process.env,
    AWS_ENDPOINT_URL_KMS: `http://127.0.0.1:${(kms.address() as AddressInfo).port}`,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  };
  return new SingletProcess(args, { cwd: folder, env });
}

async function serving<T>(use: (url: string) => Promise<T>): Promise<T> {
  const server = run('serve', '--data', 'data', '--port', '0', '--encryption-key', 'keys');
  try {
    return await use(await server.ready());
  } finally {
    await server.end('SIGTERM');
  }
}

test('a server has its keys decrypted at its start, and rotates to another one', async () => {
  const [first, second] = [newKey(), newKey()];
  await writeFile(join(folder, 'keys'), `kms:${first}\n`);
  await serving(async (url) => {
    await wireResult(url, 'CreateTable', {
      TableName: 'Letters',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      SSESpecification: { Enabled: true },
    });
    await wireResult(url, 'PutItem', { TableName: 'Letters', Item: { id: { S: 'a' }, text: { S: 'secret' } } });
  });
  expect(asked).toEqual([
    {
      target: 'TrentService.Decrypt',
      body: { CiphertextBlob: first, EncryptionContext: { singlet: 'wrapping-key' } },
    },
  ]);
  await writeFile(join(folder, 'keys'), `kms:${second}\nkms:${first}\n`);
  expect(await run('rotate-keys', 'data', '--encryption-key', 'keys').ended).toMatchObject({ code: 0 });
  await writeFile(join(folder, 'keys'), `kms:${second}\n`);
  const { Item } = await serving((url) =>
    wireResult(url, 'GetItem', { TableName: 'Letters', Key: { id: { S: 'a' } } }),
  );
  expect(Item).toMatchObject({ text: { S: 'secret' } });
});

test('a key that KMS does not decrypt is said in one line', async () => {
  await writeFile(join(folder, 'keys'), `kms:${randomBytes(60).toString('base64')}\n`);
  const server = run('serve', '--data', 'data', '--port', '0', '--encryption-key', 'keys');
  expect((await server.ended).code).toBe(1);
  expect(server.stderr).toContain('KMS does not decrypt a key of keys (InvalidCiphertextException');
});
