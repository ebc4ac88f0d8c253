import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { Caller } from '../access/caller.ts';
import { DynamoError } from '../values/service-error.ts';
import { type HttpListener, listen } from './http-server.ts';
import { RequestLimit } from './request-limit.ts';
import { createProbeEngine, type ProbeEngine } from './testing/probe-engine.ts';
import { testOptions, wireRequest } from './testing/wire-client.ts';
import { createWireHandler, type WireRequest, type WireRequester } from './wire.ts';

const listeners: HttpListener[] = [];

afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.close()));
});

/** Uses a header as the identity of the requester. */
function requesterOf({ headers }: WireRequest): WireRequester {
  const name = headers['x-name'];
  if (name === undefined) throw new DynamoError('MissingAuthenticationTokenException', 'Request is missing a name');
  const arn = `arn:aws:iam::000000000000:user/${name}`;
  const caller: Caller = {
    kind: 'user',
    accountId: '000000000000',
    arn,
    principalArn: arn,
    userId: name,
    tags: new Map(),
    policies: [],
  };
  const context = { accountId: '000000000000', region: 'us-east-1', callerArn: arn };
  return { caller, origin: { sourceIp: '127.0.0.1', secureTransport: false }, context };
}

async function serve(requestLimit: RequestLimit): Promise<{ engine: ProbeEngine; listener: HttpListener }> {
  const engine = createProbeEngine();
  const handler = createWireHandler(engine, testOptions({ authenticate: requesterOf, requestLimit }));
  const listener = await listen(handler, { host: '127.0.0.1', port: 0 });
  listeners.push(listener);
  return { engine, listener };
}

interface Answer {
  readonly status: number;
  readonly json: unknown;
}

function ask(
  { port }: HttpListener,
  name: string | undefined,
  { body = '{}', headers = {} }: { readonly body?: string | Buffer; readonly headers?: Record<string, string> } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({
      host: '127.0.0.1',
      port,
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': 'DynamoDB_20120810.ListTables',
        ...(name !== undefined && { 'x-name': name }),
        ...headers,
      },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, json: JSON.parse(text) as unknown });
      });
    });
    outgoing.end(body);
  });
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
}

const throttled: Answer = {
  status: 400,
  json: { __type: 'com.amazon.coral.availability#ThrottlingException', message: 'Rate exceeded' },
};

describe('requests of one identity', () => {
  it('are throttled beyond the limit, while those of others are answered, until one of them is done', async () => {
    const refused: string[] = [];
    const limit = new RequestLimit({ perIdentity: 2, onRefused: (identity) => refused.push(identity) });
    const { engine, listener } = await serve(limit);
    const finish: (() => void)[] = [];
    engine.answers.ListTables = () =>
      new Promise((resolve) => finish.push(() => resolve({ tableNames: [`t${finish.length}`] })));
    const running = [ask(listener, 'ann'), ask(listener, 'ann')];
    await until(() => finish.length === 2);
    expect(await ask(listener, 'ann')).toEqual(throttled);
    // A throttled request is not parsed.
    expect(await ask(listener, 'ann', { body: 'no JSON' })).toEqual(throttled);
    expect(engine.calls).toHaveLength(2);
    const other = ask(listener, 'bob');
    await until(() => finish.length === 3);
    finish[0]?.();
    expect(await Promise.race(running)).toMatchObject({ status: 200 });
    const next = ask(listener, 'ann');
    await until(() => finish.length === 4);
    for (const done of finish) done();
    for (const { status } of await Promise.all([...running, other, next])) expect(status).toBe(200);
    expect(refused).toEqual(Array.from({ length: 2 }, () => 'arn:aws:iam::000000000000:user/ann'));
    expect(limit.identityCount).toBe(0);
  });

  it('are counted until they are answered, however they end', async () => {
    const limit = new RequestLimit({ perIdentity: 1 });
    const { engine, listener } = await serve(limit);
    const gzip = { 'content-encoding': 'gzip' };
    expect(await ask(listener, 'ann')).toMatchObject({ status: 200 });
    expect(await ask(listener, 'ann', { body: 'no JSON' })).toMatchObject({ status: 400 });
    expect(await ask(listener, 'ann', { body: gzipSync('{}'), headers: gzip })).toMatchObject({ status: 200 });
    expect(await ask(listener, 'ann', { body: 'no gzip', headers: gzip })).toMatchObject({ status: 400 });
    expect(await ask(listener, 'ann', { headers: { 'x-amz-target': 'DynamoDB_20120810.Guess' } })).toMatchObject({
      status: 400,
    });
    expect(await ask(listener, undefined)).toMatchObject({ status: 400 });
    engine.answers.ListTables = () => {
      throw new TypeError('a defect');
    };
    expect(await ask(listener, 'ann')).toMatchObject({ status: 500 });
    engine.answers.ListTables = () => Promise.reject(new TypeError('a defect'));
    expect(await ask(listener, 'ann')).toMatchObject({ status: 500 });
    expect(limit.identityCount).toBe(0);
  });
});

describe('bytes in flight of one identity', () => {
  const megabyte = 1024 * 1024;
  const large = '{}'.padEnd(10 * megabyte);
  const ann = 'arn:aws:iam::000000000000:user/ann';

  it('are limited: its next request is throttled, those of others are answered', async () => {
    const refused: string[] = [];
    const limit = new RequestLimit({
      bytesPerIdentity: 32 * megabyte,
      onRefused: (identity) => refused.push(identity),
    });
    const { engine, listener } = await serve(limit);
    const finish: (() => void)[] = [];
    engine.answers.ListTables = () => new Promise((resolve) => finish.push(() => resolve({ tableNames: [] })));
    const running = [ask(listener, 'ann', { body: large }), ask(listener, 'ann', { body: large })];
    await until(() => finish.length === 2);
    // As large bodies run two at a time, this one waits for its turn; it counts nevertheless.
    running.push(ask(listener, 'ann', { body: large }));
    await until(() => limit.bytesOf(ann) === 30 * megabyte);
    expect(await ask(listener, 'ann', { body: large })).toEqual(throttled);
    const small = ask(listener, 'ann');
    const other = ask(listener, 'bob');
    await until(() => finish.length === 4);
    for (const done of finish) done();
    await until(() => finish.length === 5);
    for (const done of finish) done();
    for (const { status } of await Promise.all([...running, small, other])) expect(status).toBe(200);
    expect(refused).toEqual([ann]);
    expect(limit.bytesOf(ann)).toBe(0);
    engine.answers.ListTables = () => ({ tableNames: [] });
    expect(await ask(listener, 'ann', { body: large })).toMatchObject({ status: 200 });
  });

  it('include what a compressed body becomes', async () => {
    const limit = new RequestLimit({ bytesPerIdentity: 32 * megabyte });
    const { engine, listener } = await serve(limit);
    let inFlight = 0;
    engine.answers.ListTables = () => {
      inFlight = limit.bytesOf(ann);
      return { tableNames: [] };
    };
    const options = { body: gzipSync(large), headers: { 'content-encoding': 'gzip' } };
    expect(await ask(listener, 'ann', options)).toMatchObject({ status: 200 });
    expect(inFlight).toBeGreaterThan(10 * megabyte);
    expect(limit.bytesOf(ann)).toBe(0);
  });

  // With the second header node:http reads the request.
  it.each([[[]], [['te: trailers']]])('include answers until they are read: %j', async (headers) => {
    const limit = new RequestLimit({ bytesPerIdentity: 32 * megabyte });
    const { engine, listener } = await serve(limit);
    const tableNames = Array.from({ length: 150_000 }, (_, at) => `table-${at}`.padEnd(255, 'x'));
    engine.answers.ListTables = () => ({ tableNames });
    const socket = connect(listener.port, '127.0.0.1');
    socket.pause();
    const head = [
      'POST / HTTP/1.1',
      'host: localhost',
      'content-type: application/x-amz-json-1.0',
      'x-amz-target: DynamoDB_20120810.ListTables',
      'x-name: ann',
      'content-length: 2',
      ...headers,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n{}`);
    await until(() => limit.bytesOf(ann) > 32 * megabyte);
    expect(await ask(listener, 'ann')).toEqual(throttled);
    expect(limit.identityCount).toBe(0);
    engine.answers.ListTables = () => ({ tableNames: [] });
    expect(await ask(listener, 'bob')).toMatchObject({ status: 200 });
    socket.resume();
    await until(() => limit.bytesOf(ann) === 0);
    expect(await ask(listener, 'ann')).toMatchObject({ status: 200 });
    socket.destroy();
  });
});

// A connection keeps it until its next answer, and with it everything that it refers to.
it('counts the unread answers of a caller with one function', async () => {
  const engine = createProbeEngine();
  engine.answers.ListTables = () => ({ tableNames: [] });
  const known = requesterOf(wireRequest('ListTables', {}, { headers: { 'x-name': 'ann' } }));
  const requestLimit = new RequestLimit({});
  const handler = createWireHandler(engine, testOptions({ authenticate: () => known, requestLimit }));
  const [first, second] = [await handler(wireRequest('ListTables', {})), await handler(wireRequest('ListTables', {}))];
  expect(first.onUnread).toBeTypeOf('function');
  expect(second.onUnread).toBe(first.onUnread);
});

it('counts as a list of what runs does', () => {
  const name = fc.constantFrom('ann', 'bob', 'eve');
  const step = fc.record({ name, begins: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), (steps, perIdentity) => {
      const limit = new RequestLimit({ perIdentity });
      const running: string[] = [];
      for (const { name: identity, begins } of steps) {
        const count = running.filter((other) => other === identity).length;
        if (!begins) {
          if (count === 0) continue;
          running.splice(running.indexOf(identity), 1);
          limit.end(identity, 0);
        } else if (count < perIdentity) {
          limit.check(identity, 0);
          limit.begin(identity, 0);
          running.push(identity);
        } else {
          expect(() => limit.check(identity, 0)).toThrow('Rate exceeded');
        }
        expect(limit.identityCount).toBe(new Set(running).size);
      }
    }),
  );
});
