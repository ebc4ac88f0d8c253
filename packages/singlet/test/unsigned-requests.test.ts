import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { Authenticator } from '../src/access/authentication/authenticator.ts';
import type { NewAccessKey } from '../src/access/identity/change-identities.ts';
import { TestIdentities } from '../src/access/testing/identities.ts';
import { presignedRequest, signedRequest } from '../src/access/testing/signed-request.ts';
import { type ActionName, actionNames } from '../src/engine/index.ts';
import { targetOf } from '../src/server/operations/index.ts';
import { createProbeEngine, type ProbeEngine } from '../src/server/testing/probe-engine.ts';
import { validRequests } from '../src/server/testing/valid-requests.ts';
import { send, testOptions } from '../src/server/testing/wire-client.ts';
import { createWireHandler, type WireHandler, type WireRequest } from '../src/server/wire.ts';

/** Requests of every action, which reach an operation only with a valid signature. */

const nowMs = Date.UTC(2026, 10, 20, 12);

let identities: TestIdentities;
let key: NewAccessKey;
let engine: ProbeEngine;
let handler: WireHandler;

beforeEach(() => {
  identities = new TestIdentities(nowMs);
  key = identities.user('alice', { accountId: '000000000000' });
  const directory = identities.directory();
  const authenticator = new Authenticator({
    directory: () => directory,
    nowMs: () => identities.nowMs,
    region: 'us-east-1',
  });
  engine = createProbeEngine();
  const authenticate = (request: WireRequest): ReturnType<typeof authenticator.authenticate> =>
    authenticator.authenticate(request, 'dynamodb');
  handler = createWireHandler(engine, testOptions({ authenticate }));
});

function headersOf(action: ActionName): Readonly<Record<string, string>> {
  return { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': targetOf(action) };
}

function signed(action: ActionName, credentials = key, sign = signedRequest): Promise<WireRequest> {
  return sign(credentials, { headers: headersOf(action), body: JSON.stringify(validRequests[action]), nowMs });
}

async function answerTo(request: WireRequest): Promise<{ readonly status: number; readonly type: string }> {
  const { status, text } = await send(handler, request);
  const type = /#(\w+)/.exec(text)?.[1] ?? '';
  return { status, type };
}

describe('DB-130 every action', () => {
  test.each([...actionNames])('%s', async (action) => {
    const right = await signed(action);
    const { authorization: _authorization, ...unsignedHeaders } = right.headers;
    const wrong: readonly (readonly [type: string, request: WireRequest])[] = [
      ['MissingAuthenticationTokenException', { ...right, headers: unsignedHeaders }],
      ['MissingAuthenticationTokenException', { ...right, headers: { ...right.headers, authorization: 'Bearer x' } }],
      ['UnrecognizedClientException', await signed(action, { ...key, accessKeyId: 'AKIAAAAAAAAAAAAAAAAA' })],
      ['InvalidSignatureException', await signed(action, { ...key, secretAccessKey: 'guess' })],
      ['InvalidSignatureException', { ...right, body: Buffer.concat([right.body, Buffer.from(' ')]) }],
      ['InvalidSignatureException', { ...right, headers: { ...right.headers, 'x-amz-target': otherTarget(action) } }],
      ['InvalidSignatureException', await signed(action, { ...key, secretAccessKey: 'guess' }, presignedRequest)],
    ];
    for (const [type, request] of wrong) expect(await answerTo(request)).toEqual({ status: 400, type });
    identities.nowMs = nowMs + 900_001;
    expect(await answerTo(right)).toEqual({ status: 400, type: 'InvalidSignatureException' });
    identities.nowMs = nowMs;
    expect(engine.calls).toEqual([]);
    // The refused request would otherwise have succeeded.
    expect((await answerTo(right)).status).toBe(200);
    expect((await answerTo(await signed(action, key, presignedRequest))).status).toBe(200);
    expect(engine.calls).toHaveLength(2);
    expect(engine.calls[0]).toMatchObject({ action, context: { accountId: '000000000000', region: 'us-east-1' } });
  });
});

function otherTarget(action: ActionName): string {
  return targetOf(action === 'ListTables' ? 'ListBackups' : 'ListTables');
}

describe('what is looked at before the signature, and what is not', () => {
  test('an unknown action is one, whatever the signature', async () => {
    const request = await signed('ListTables');
    const headers = { ...request.headers, 'x-amz-target': 'DynamoDB_20120810.None' };
    expect(await answerTo({ ...request, headers })).toEqual({ status: 400, type: 'UnknownOperationException' });
  });

  test('a body that is not signed is neither inflated nor parsed', async () => {
    const headers = { ...headersOf('PutItem'), 'content-encoding': 'gzip', host: 'localhost' };
    for (const body of [gzipSync('{'), Buffer.from('no gzip'), gzipSync(Buffer.alloc(32 * 1024 * 1024))]) {
      expect(await answerTo({ method: 'POST', url: '/', headers, body })).toEqual({
        status: 400,
        type: 'MissingAuthenticationTokenException',
      });
    }
  });

  test('the signature is over the body as it was sent', async () => {
    const body = gzipSync('{}');
    const headers = { ...headersOf('ListTables'), 'content-encoding': 'gzip' };
    const request = await signedRequest(key, { headers, body, nowMs });
    expect((await answerTo(request)).status).toBe(200);
    expect(await answerTo({ ...request, body: gzipSync('{ }') })).toMatchObject({ type: 'InvalidSignatureException' });
    expect(engine.calls).toHaveLength(1);
  });

  test('bad JSON that is signed is bad JSON', async () => {
    const request = await signedRequest(key, { headers: headersOf('ListTables'), body: '{', nowMs });
    expect(await answerTo(request)).toEqual({ status: 400, type: 'SerializationException' });
  });

  test('what is beside the API is not shown', async () => {
    for (const method of ['GET', 'POST']) {
      const request = { method, url: '/_singlet/capacity/Users', headers: {}, body: Buffer.alloc(0) };
      expect(await answerTo(request)).toEqual({ status: 400, type: 'MissingAuthenticationTokenException' });
    }
    expect(engine.calls).toEqual([]);
  });
});
