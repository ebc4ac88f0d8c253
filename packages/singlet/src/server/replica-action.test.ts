import { describe, expect, test } from 'vitest';
import type { ReplicaMessage } from '../engine/index.ts';
import {
  createReplicaAction,
  encodeReplica,
  replicaSignature,
  replicaSignatureHeader,
  replicaTarget,
} from './replica-action.ts';
import { createProbeEngine } from './testing/probe-engine.ts';
import { testOptions } from './testing/wire-client.ts';
import { createWireHandler, type WireResponse } from './wire.ts';

const secret = 'a secret of some length';
const place = { accountId: '000000000000', region: 'eu-west-1', tableName: 'Things' };
const version = { timeMs: 5, counter: 0, region: 'us-east-1' };
const write: ReplicaMessage = {
  kind: 'write',
  ...place,
  groupId: '00000000-0000-4000-8000-000000000000',
  sender: 'us-east-1',
  changes: [{ key: { pk: { S: 'a' } }, item: { pk: { S: 'a' }, n: { N: '1' } }, version }],
};

async function post(body: Uint8Array, options: { signature?: string; isOn?: boolean } = {}): Promise<WireResponse> {
  const engine = createProbeEngine();
  const action = options.isOn === false ? {} : { replicaAction: createReplicaAction(engine, secret) };
  const handler = createWireHandler(engine, { ...testOptions(), ...action });
  const signature = options.signature ?? replicaSignature(secret, body);
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': replicaTarget,
    [replicaSignatureHeader]: signature,
  };
  return handler({ method: 'POST', url: '/', headers, body });
}

const bodyOf = ({ body }: WireResponse): unknown => JSON.parse(Buffer.from(body).toString('utf8'));

describe('a message of a replica on another server', () => {
  test('is answered to who has the secret', async () => {
    const response = await post(encodeReplica(write));
    expect(response.status).toBe(200);
    expect(bodyOf(response)).toEqual({ protocol: 1, message: { kind: 'written', outcome: 'unknown' } });
  });

  test.each(['', 'x', '0'.repeat(64)])('is refused with the signature "%s"', async (signature) => {
    const response = await post(encodeReplica(write), { signature });
    expect(response.status).toBe(400);
    expect(bodyOf(response)).toMatchObject({ __type: expect.stringContaining('#AccessDeniedException') as string });
  });

  test('is refused when it was changed on its way', async () => {
    const body = encodeReplica(write);
    const signature = replicaSignature(secret, body);
    body[body.length - 3] = 0x20;
    expect((await post(body, { signature })).status).toBe(400);
  });

  test('is none where no secret is configured', async () => {
    const response = await post(encodeReplica(write), { isOn: false });
    expect(bodyOf(response)).toEqual({ __type: 'com.amazon.coral.service#UnknownOperationException' });
  });

  test.each<[string, unknown]>([
    ['no JSON', undefined],
    ['another protocol', { protocol: 2, message: write }],
    ['no message', { protocol: 1 }],
    ['a kind that is unknown', { protocol: 1, message: { ...write, kind: 'drop' } }],
    ['no region', { protocol: 1, message: { ...write, region: '' } }],
    ['a version without time', { protocol: 1, message: { ...write, changes: [{ ...write.changes[0], version: {} }] } }],
    ['changes that are none', { protocol: 1, message: { ...write, changes: {} } }],
    ['an item without types', { protocol: 1, message: { ...write, changes: [{ key: { pk: 'a' }, version }] } }],
    ['no definition', { protocol: 1, message: { ...place, kind: 'define' } }],
  ])('is refused with %s', async (_what, message) => {
    const body = Buffer.from(message === undefined ? '{' : JSON.stringify(message), 'utf8');
    expect((await post(body)).status).toBe(400);
  });
});
