import { crc32, deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { StoredItem } from '../engine/index.ts';
import { DynamoError, ResourceNotFoundException } from '../values/service-error.ts';
import { BrowserRules } from './browser-rules.ts';
import { MemoryBudget } from './memory-budget.ts';
import { createProbeEngine } from './testing/probe-engine.ts';
import { callAction, send, testOptions, type WireAnswer, wireRequest } from './testing/wire-client.ts';
import { type Authorization, createWireHandler, type InternalErrorEvent, type RequestEvent } from './wire.ts';
import { cpuTimeMs } from '../values/testing/cpu-time.ts';

const getItem = { TableName: 'Users', Key: { pk: { S: 'a' } } };
const unknownPage = '<UnknownOperationException/>\n';
const serialization = '{"__type":"com.amazon.coral.service#SerializationException"}';
const unknownOperation = '{"__type":"com.amazon.coral.service#UnknownOperationException"}';

function probe(): { engine: ReturnType<typeof createProbeEngine>; handler: ReturnType<typeof createWireHandler> } {
  const engine = createProbeEngine();
  return { engine, handler: createWireHandler(engine, testOptions()) };
}

function expectEnvelope(answer: WireAnswer): void {
  expect(answer.headers.get('server')).toBe('Server');
  expect(answer.headers.get('x-amzn-requestid')).toMatch(/^[0-9A-Z]{52}$/);
  expect(answer.headers.get('x-amz-crc32')).toBe(String(crc32(answer.body)));
  expect(answer.headers.get('content-length')).toBe(String(answer.body.length));
}

describe('DB-126 the protocol', () => {
  it('runs an action and answers with its result', async () => {
    const { engine, handler } = probe();
    engine.answers.GetItem = { item: new StoredItem(Buffer.from('{"pk":{"S":"a"}}'), 3) };
    const answer = await send(handler, wireRequest('GetItem', getItem));
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('{"Item":{"pk":{"S":"a"}}}');
    expect(answer.headers.get('content-type')).toBe('application/x-amz-json-1.0');
    expectEnvelope(answer);
    expect(engine.calls).toStrictEqual([
      {
        action: 'GetItem',
        request: { tableName: 'Users', key: { pk: { S: 'a' } } },
        context: { accountId: '000000000000', region: 'us-east-1' },
      },
    ]);
  });

  it('answers plain JSON to plain JSON, with parameters or in capitals', async () => {
    const { handler } = probe();
    for (const type of ['application/json', 'application/json; charset=utf-8', ' Application/JSON ']) {
      const answer = await send(handler, wireRequest('ListTables', {}, { headers: { 'content-type': type } }));
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('application/json');
    }
    const withParameter = { 'content-type': 'application/x-amz-json-1.0;charset=utf-8' };
    const answer = await send(handler, wireRequest('ListTables', {}, { headers: withParameter }));
    expect(answer.headers.get('content-type')).toBe('application/x-amz-json-1.0');
  });

  it('answers an action without a result with an empty body', async () => {
    const { handler } = probe();
    const body = { ResourceArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/t', Tags: [] };
    const answer = await send(handler, wireRequest('TagResource', body));
    expect(answer).toMatchObject({ status: 200, text: '' });
    expect(answer.headers.get('x-amz-crc32')).toBe('0');
  });

  it.each(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'])(
    'has no page for %s elsewhere',
    async (method) => {
      const { handler } = probe();
      const answer = await send(handler, { method, url: '/elsewhere', headers: {}, body: Buffer.alloc(0) });
      expect(answer).toMatchObject({ status: 404, text: unknownPage });
      expect(answer.headers.get('x-amz-crc32')).toBe('3552371480');
      expectEnvelope(answer);
    },
  );

  it('answers no action on another path', async () => {
    const { engine, handler } = probe();
    for (const url of ['/elsewhere', '//', '/ping', '', '*', '/elsewhere?/']) {
      const answer = await send(handler, wireRequest('ListTables', {}, { url }));
      expect(answer).toMatchObject({ status: 404, text: unknownPage });
    }
    expect(engine.calls).toHaveLength(0);
    expect(await send(handler, wireRequest('ListTables', {}, { url: '/?X-Amz-Date=1' }))).toMatchObject({
      status: 200,
    });
  });

  it('names the address that the request was sent to as the endpoint', async () => {
    const { engine, handler } = probe();
    await send(handler, wireRequest('DescribeEndpoints', {}, { headers: { host: '10.0.0.7:8000' } }));
    expect(engine.calls[0]?.context).toMatchObject({ region: 'us-east-1', host: '10.0.0.7:8000' });
  });

  it.each([undefined, 'text/plain', 'application/x-amz-json-1.1'])(
    'has no page for a body of type %s',
    async (type) => {
      const { handler } = probe();
      const answer = await send(handler, wireRequest('ListTables', {}, { headers: { 'content-type': type } }));
      expect(answer).toMatchObject({ status: 404, text: unknownPage });
    },
  );

  it('is healthy', async () => {
    const { handler } = probe();
    for (const url of ['/', '/?a', '/ping']) {
      const answer = await send(handler, { method: 'GET', url, headers: {}, body: Buffer.alloc(0) });
      expect(answer).toMatchObject({ status: 200, text: 'healthy: dynamodb.us-east-1.amazonaws.com ' });
      expect(answer.headers.get('x-amz-crc32')).toBe('3128867991');
    }
  });

  it('lets pages of other origins in that are named', async () => {
    const { handler } = probe();
    const browsers = new BrowserRules({ origins: ['*'] });
    const headers = {
      origin: 'http://example.com',
      'access-control-request-headers': 'a, b, c',
      'access-control-request-method': 'POST',
    };
    const preflight = await send(handler, { method: 'OPTIONS', url: '/', headers, body: Buffer.alloc(0), browsers });
    expect(preflight).toMatchObject({ status: 200, text: '' });
    expect(Object.fromEntries(preflight.headers)).toStrictEqual({
      'x-amzn-requestid': expect.any(String) as string,
      'content-length': '0',
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'a, b, c',
      'access-control-allow-methods': 'POST',
      'access-control-expose-headers': 'x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date',
      'access-control-max-age': '172800',
    });
    const answer = await send(
      handler,
      wireRequest('ListTables', {}, { headers: { origin: 'http://example.com' }, browsers }),
    );
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-expose-headers')).toContain('x-amzn-RequestId');
  });

  it('lets pages of this machine in, and runs nothing for others', async () => {
    const { engine, handler } = probe();
    const own = await send(handler, wireRequest('ListTables', {}, { headers: { origin: 'http://localhost:3000' } }));
    expect(own.status).toBe(200);
    expect(own.headers.get('access-control-allow-origin')).toBe('http://localhost:3000');
    expect(own.headers.get('vary')).toBe('Origin');
    const callsOfOwn = engine.calls.length;
    const headers = { origin: 'https://attacker.example', 'access-control-request-method': 'POST' };
    for (const method of ['POST', 'OPTIONS', 'GET', 'PUT']) {
      const answer = await send(handler, wireRequest('ListTables', {}, { method, headers }));
      expect(answer.status).toBe(403);
      expect(JSON.parse(answer.text)).toEqual({
        __type: 'com.amazon.coral.service#AccessDeniedException',
        Message:
          'Pages of https://attacker.example may not use this server: singlet serve --cors names those that may.',
      });
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-allow'))).toEqual([]);
    }
    expect(engine.calls.length).toBe(callsOfOwn);
  });
});

describe('DB-280 what cannot be decoded', () => {
  it.each(['hi', '{', '{"TableName":"a"} x', '[]', '"a"', '1', 'null', 'true', '{"a":01}', '\ufeff{}'])(
    'a body of %j',
    async (body) => {
      const { engine, handler } = probe();
      const answer = await send(handler, wireRequest('GetItem', body));
      expect(answer).toMatchObject({ status: 400, text: serialization });
      expectEnvelope(answer);
      expect(engine.calls).toHaveLength(0);
    },
  );

  it('a body that is no UTF-8', async () => {
    const { handler } = probe();
    const body = Buffer.from([...Buffer.from('{"TableName":"'), 0xff, ...Buffer.from('"}')]);
    expect(await send(handler, wireRequest('DescribeTable', '', { body }))).toMatchObject({ text: serialization });
  });

  it('but half a character can, as U+FFFD', async () => {
    const { engine, handler } = probe();
    await send(
      handler,
      wireRequest('GetItem', String.raw`{"TableName":"abc","Key":{"pk":{"S":"\ud83d\ude00\ud83d"}}}`),
    );
    expect(engine.calls[0]?.request).toMatchObject({ key: { pk: { S: '\u{1f600}\ufffd' } } });
  });

  it('an empty body', async () => {
    const { handler } = probe();
    expect(await send(handler, wireRequest('GetItem', ''))).toMatchObject({ status: 400, text: serialization });
    const withoutType = await send(handler, wireRequest('GetItem', '', { headers: { 'content-type': undefined } }));
    expect(withoutType).toMatchObject({ status: 400, text: serialization });
    expect(withoutType.headers.get('content-type')).toBe('application/json');
  });

  it.each([
    undefined,
    '',
    'whatever',
    'DynamoDB_20120810',
    'DynamoDB_20120810.',
    'DynamoDB_20120810.getItem',
    'DynamoDB_20120810.constructor',
    'DynamoDB_20111205.GetItem',
    'DynamoDBStreams_20120810.ListTables',
  ])('an unknown target: %s', async (target) => {
    const { handler } = probe();
    const request = wireRequest('', {}, { headers: { 'x-amz-target': target } });
    const answer = await send(handler, request);
    expect(answer).toMatchObject({ status: 400, text: unknownOperation });
    expect(answer.headers.get('x-amz-crc32')).toBe('1368724161');
  });

  it('looks at the JSON first, then at the target, then at the lack of a body', async () => {
    const { handler } = probe();
    expect(await send(handler, wireRequest('Nothing', 'hi'))).toMatchObject({ text: serialization });
    expect(await send(handler, wireRequest('Nothing', ''))).toMatchObject({ text: unknownOperation });
  });

  it('tells what is wrong with a member', async () => {
    const { handler } = probe();
    expect(await callAction(handler, 'GetItem', { ...getItem, TableName: 1 })).toStrictEqual({
      status: 400,
      json: {
        __type: 'com.amazon.coral.service#SerializationException',
        Message: 'NUMBER_VALUE cannot be converted to String',
      },
    });
  });
});

describe('DB-124 the size of a request', () => {
  const sixteenMegabytes = 16 * 1024 * 1024;

  it('is at most 16 MB', async () => {
    const { engine, handler } = probe();
    const padded = (bytes: number): string => JSON.stringify(getItem).padEnd(bytes);
    expect((await callAction(handler, 'GetItem', padded(sixteenMegabytes))).status).toBe(200);
    const answer = await send(handler, wireRequest('GetItem', padded(sixteenMegabytes + 1)));
    expect(answer).toMatchObject({ status: 413, text: '' });
    expect(engine.calls).toHaveLength(1);
  });

  it('is at most 16 MB inflated', async () => {
    const { handler } = probe();
    const gzip = { headers: { 'content-encoding': 'gzip' } };
    const send_ = (text: string): Promise<WireAnswer> =>
      send(handler, wireRequest('GetItem', '', { ...gzip, body: gzipSync(Buffer.from(text)) }));
    expect(await send_(JSON.stringify(getItem))).toMatchObject({ status: 200 });
    expect(await send_(JSON.stringify(getItem).padEnd(sixteenMegabytes))).toMatchObject({ status: 200 });
    expect(await send_(JSON.stringify(getItem).padEnd(sixteenMegabytes + 1))).toMatchObject({ status: 413, text: '' });
    expect(await send_('x'.repeat(4 * sixteenMegabytes))).toMatchObject({ status: 413, text: '' });
  });

  it('DB-280 may be compressed', async () => {
    const { handler } = probe();
    const bytes = Buffer.from(JSON.stringify(getItem));
    const encoded = (encoding: string, body: Uint8Array): Promise<WireAnswer> =>
      send(handler, wireRequest('GetItem', '', { headers: { 'content-encoding': encoding }, body }));
    const members = Buffer.concat([gzipSync(bytes.subarray(0, 5)), gzipSync(bytes.subarray(5)), Buffer.from('junk')]);
    expect(await encoded('gzip', members)).toMatchObject({ status: 200 });
    expect(await encoded('deflate', deflateSync(bytes))).toMatchObject({ status: 200 });
    expect(await encoded('identity', bytes)).toMatchObject({ status: 200 });
  });

  it('DB-280 refuses what it cannot inflate', async () => {
    const { handler } = probe();
    const encoded = (encoding: string, body: Uint8Array): Promise<WireAnswer> =>
      send(handler, wireRequest('GetItem', '', { headers: { 'content-encoding': encoding }, body }));
    for (const encoding of ['gzip', 'deflate', 'br']) {
      for (const body of [Buffer.from(JSON.stringify(getItem)), Buffer.alloc(0), gzipSync('{}').subarray(0, 15)]) {
        expect(await encoded(encoding, body)).toMatchObject({ status: 400, text: serialization });
      }
    }
  });
});

describe('what is too much', () => {
  it('of objects is refused before it is parsed', async () => {
    const { engine, handler } = probe();
    const startedMs = cpuTimeMs();
    const answer = await callAction(handler, 'GetItem', `[${'{},'.repeat(5_000_000)}{}]`);
    expect(answer).toEqual({
      status: 400,
      json: {
        __type: 'com.amazon.coral.validate#ValidationException',
        message: 'The request has more than 250000 objects and lists',
      },
    });
    // A hundredth of a second; parsing it takes two seconds.
    expect(cpuTimeMs() - startedMs).toBeLessThan(1000);
    expect(engine.calls).toHaveLength(0);
  });

  it('of items is not taken out of the text', async () => {
    const { engine, handler } = probe();
    const put = '{"PutRequest":{"Item":{"pk":{"S":"a"}}}}';
    const body = `{"RequestItems":{"Users":[${`${put},`.repeat(400_000)}${put}]}}`;
    expect(await callAction(handler, 'BatchWriteItem', body)).toMatchObject({ status: 400 });
    expect(engine.calls).toHaveLength(0);
  });

  it('of memory is answered with 503, and the call is logged', async () => {
    const seen: RequestEvent[] = [];
    const handler = createWireHandler(createProbeEngine(), testOptions({ onRequest: (event) => seen.push(event) }));
    const answer = await send(handler, { ...wireRequest('GetItem', ''), isRefused: true });
    expect(answer).toMatchObject({
      status: 503,
      text: '{"__type":"com.amazonaws.dynamodb.v20120810#ServiceUnavailable","message":"Service Unavailable"}',
    });
    expectEnvelope(answer);
    expect(seen).toMatchObject([{ status: 503, error: 'ServiceUnavailable' }]);
  });

  it('may not come out of a compressed body where there is no memory for it', async () => {
    const { handler } = probe();
    const memory = new MemoryBudget({ waitMs: 5 });
    memory.hold(memory.bytes, '');
    const request = wireRequest('GetItem', '', {
      headers: { 'content-encoding': 'gzip' },
      body: gzipSync(JSON.stringify(getItem)),
      memory,
    });
    expect(await send(handler, request)).toMatchObject({ status: 503 });
    memory.give(memory.bytes, '');
    expect(await send(handler, request)).toMatchObject({ status: 200 });
    expect(memory.usedBytes).toBe(0);
    const bomb = { ...request, body: gzipSync('['.repeat(20_000_000)) };
    expect(await send(handler, bomb)).toMatchObject({ status: 413 });
    expect(await send(handler, { ...request, body: Buffer.from('no gzip') })).toMatchObject({ status: 400 });
    expect(memory.usedBytes).toBe(0);
  });

  it('of members of a gzip file is refused', async () => {
    const { handler } = probe();
    const body = Buffer.concat([...Array.from({ length: 300 }, () => gzipSync('')), gzipSync(JSON.stringify(getItem))]);
    const answer = await send(handler, wireRequest('GetItem', '', { headers: { 'content-encoding': 'gzip' }, body }));
    expect(answer).toMatchObject({ status: 413 });
  });
});

describe('compressed answers', () => {
  const large = Buffer.from(JSON.stringify({ a: { S: 'x'.repeat(20_000) } }));

  async function answered(acceptEncoding: string, json: Buffer): Promise<WireAnswer> {
    const { engine, handler } = probe();
    engine.answers.GetItem = { item: new StoredItem(json, 0) };
    return send(handler, wireRequest('GetItem', getItem, { headers: { 'accept-encoding': acceptEncoding } }));
  }

  it.each(['gzip', 'identity, GZIP;q=0.5', 'gzip, br', 'deflate;q=0.5, gzip;q=0.8', 'gzip, deflate'])(
    'DB-126 for a client that takes %s',
    async (accepted) => {
      const answer = await answered(accepted, large);
      expect(answer.headers.get('content-encoding')).toBe('gzip');
      expect(answer.body.length).toBeLessThan(1000);
      expect(gunzipSync(answer.body).toString()).toBe(`{"Item":${large.toString()}}`);
      expectEnvelope(answer);
    },
  );

  it.each(['deflate', 'deflate, gzip', 'gzip;q=0.5, Deflate', 'gzip;q=0, deflate;q=0.001', 'br,,deflate'])(
    'deflated for a client that takes %s',
    async (accepted) => {
      const answer = await answered(accepted, large);
      expect(answer.headers.get('content-encoding')).toBe('deflate');
      expect(answer.body.length).toBeLessThan(1000);
      expect(inflateSync(answer.body).toString()).toBe(`{"Item":${large.toString()}}`);
      expectEnvelope(answer);
    },
  );

  it.each(['identity', 'br', 'gzip;q=0', '*', '', 'gzip;q=0, deflate;q=0.0', ';;;,,,gzipp'])(
    'not for one that takes %s',
    async (accepted) => {
      const answer = await answered(accepted, large);
      expect(answer.headers.has('content-encoding')).toBe(false);
    },
  );

  it('not where it does not pay', async () => {
    expect((await answered('gzip', Buffer.from('{"a":{"S":"x"}}'))).headers.has('content-encoding')).toBe(false);
  });
});

describe('the request', () => {
  it('DB-125 carries all that is needed: region and account are those of its signature', async () => {
    const engine = createProbeEngine();
    const handler = createWireHandler(engine, testOptions({ accountId: '111122223333', region: 'eu-central-1' }));
    const authorization =
      'AWS4-HMAC-SHA256 Credential=AKID/20260101/ap-south-1/dynamodb/aws4_request, SignedHeaders=host, Signature=00';
    await callAction(handler, 'ListTables', {});
    await callAction(handler, 'ListTables', {}, { headers: { authorization } });
    expect(engine.calls.map((call) => call.context)).toStrictEqual([
      { accountId: '111122223333', region: 'eu-central-1' },
      { accountId: '111122223333', region: 'ap-south-1' },
    ]);
  });

  it('DB-129 is authorised between decoding and running', async () => {
    const engine = createProbeEngine();
    const seen: Authorization[] = [];
    const handler = createWireHandler(
      engine,
      testOptions({
        authorize(authorization) {
          seen.push(authorization);
          if (authorization.call.action === 'GetItem' && authorization.call.request.tableName === 'Secrets') {
            throw new DynamoError('AccessDeniedException', 'no');
          }
        },
      }),
    );
    expect(await callAction(handler, 'GetItem', getItem)).toStrictEqual({ status: 200, json: {} });
    expect(await callAction(handler, 'GetItem', { ...getItem, TableName: 'Secrets' })).toStrictEqual({
      status: 400,
      json: { __type: 'com.amazon.coral.service#AccessDeniedException', Message: 'no' },
    });
    expect(engine.calls).toHaveLength(1);
    expect(seen.map(({ call }) => call.action)).toStrictEqual(['GetItem', 'GetItem']);
  });
});

describe('failures', () => {
  it('DB-127 answers the errors of the engine', async () => {
    const { engine, handler } = probe();
    engine.answers.GetItem = () => {
      throw new ResourceNotFoundException('Requested resource not found');
    };
    expect(await callAction(handler, 'GetItem', getItem)).toStrictEqual({
      status: 400,
      json: {
        __type: 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException',
        message: 'Requested resource not found',
      },
    });
  });

  it('DB-282 hides what is not one of them, and reports it with the request id', async () => {
    const events: InternalErrorEvent[] = [];
    const secret = new TypeError('secret');
    const engine = createProbeEngine({
      Query: () => {
        throw secret;
      },
    });
    const handler = createWireHandler(engine, testOptions({ onInternalError: (event) => events.push(event) }));
    const answer = await send(handler, wireRequest('Query', { TableName: 'Users' }));
    expect(answer).toMatchObject({
      status: 500,
      text: '{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"Internal server error"}',
    });
    expect(events).toStrictEqual([
      { requestId: String(answer.headers.get('x-amzn-requestid')), action: 'Query', error: secret },
    ]);
  });
});

describe('the access log', () => {
  it('has a line for every request', async () => {
    const events: RequestEvent[] = [];
    let nowMs = 100;
    const engine = createProbeEngine({
      PutItem: () => {
        nowMs += 7;
        return {};
      },
    });
    const handler = createWireHandler(
      engine,
      testOptions({ monotonicMs: () => nowMs, onRequest: (event) => events.push(event) }),
    );
    const put = JSON.stringify({ TableName: 'Users', Item: { pk: { S: 'a' } } });
    const answer = await send(handler, wireRequest('PutItem', put));
    await send(handler, wireRequest('PutItem', {}));
    await send(handler, { method: 'GET', url: '/', headers: {}, body: Buffer.alloc(0) });
    expect(events[0]).toStrictEqual({
      requestId: String(answer.headers.get('x-amzn-requestid')),
      region: 'us-east-1',
      action: 'PutItem',
      table: 'Users',
      status: 200,
      error: undefined,
      durationMs: 7,
      requestBytes: put.length,
      responseBytes: 2,
    } satisfies RequestEvent);
    expect(events[1]).toMatchObject({ action: 'PutItem', status: 400, error: 'ValidationException', durationMs: 0 });
    expect(events[2]).toMatchObject({ action: undefined, table: undefined, status: 200, responseBytes: 42 });
  });
});
