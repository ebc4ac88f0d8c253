import { describe, expect, it } from 'vitest';
import { ValidationException } from '../values/service-error.ts';
import { BrowserRules } from './browser-rules.ts';
import type { InspectionRequest } from './inspection.ts';
import { createProbeEngine } from './testing/probe-engine.ts';
import { send, testOptions, type WireAnswer } from './testing/wire-client.ts';
import { createWireHandler, type WireOptions } from './wire.ts';

const browsers = new BrowserRules({ listensOn: '127.0.0.1' });

function open(options: Partial<WireOptions> = {}) {
  const asked: InspectionRequest[] = [];
  const inspect = async (request: InspectionRequest): Promise<{ status: number; json: object } | undefined> => {
    if (request.path[0] !== 'mirror') return undefined;
    asked.push(request);
    return { status: 200, json: { fine: true } };
  };
  const handler = createWireHandler(createProbeEngine(), testOptions({ inspect, ...options }));
  const ask = (url: string, headers: Record<string, string> = {}, method = 'GET', body = ''): Promise<WireAnswer> =>
    send(handler, { method, url, headers, body: Buffer.from(body), browsers });
  return { ask, asked };
}

const json = { 'content-type': 'application/json' };

describe('inspection', () => {
  it('is given what was asked, decoded', async () => {
    const { ask, asked } = open();
    const answer = await ask('/_singlet/mirror/a%2Fb/c?x=1&region=eu-west-1', json, 'POST', '{"deep":[1]}');
    expect(answer).toMatchObject({ status: 200, text: '{"fine":true}' });
    expect(asked[0]).toMatchObject({
      method: 'POST',
      path: ['mirror', 'a/b', 'c'],
      json: { deep: [1] },
      context: { accountId: '000000000000', region: 'eu-west-1' },
    });
    expect(asked[0]?.query.get('x')).toBe('1');
  });

  it("is refused to a name that is not the server's", async () => {
    const { ask, asked } = open();
    expect((await ask('/_singlet/mirror', { host: 'localhost:8000' })).status).toBe(200);
    expect((await ask('/_singlet/mirror', { host: 'evil.example' })).status).toBe(403);
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['http://localhost:5173', 200],
    ['http://127.0.0.1:8000', 200],
    ['https://evil.example', 403],
    ['http://localhost.evil.example', 403],
    ['null', 403],
    ['', 403],
  ])('answers a page of %j with %i, and lets no page read it from elsewhere', async (origin, status) => {
    const { ask, asked } = open();
    for (const method of ['GET', 'POST']) {
      const answer = await ask('/_singlet/mirror', { ...json, origin, host: 'localhost' }, method, '{}');
      expect(answer.status).toBe(status);
      expect(answer.headers.has('access-control-allow-origin')).toBe(false);
    }
    expect(asked).toHaveLength(status === 200 ? 2 : 0);
  });

  it('refuses what a browser says to come from another site', async () => {
    const { ask } = open();
    expect((await ask('/_singlet/mirror', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await ask('/_singlet/mirror', { 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });

  it('gives a preflight nothing that would let another page ask', async () => {
    const { ask } = open();
    const headers = { origin: 'http://evil.example', 'access-control-request-method': 'POST' };
    const answer = await ask('/_singlet/mirror', headers, 'OPTIONS');
    expect(answer.status).toBe(403);
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it.each(['', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonp'])(
    'takes no body of type %j, which a form could send',
    async (contentType) => {
      const { ask, asked } = open();
      const answer = await ask('/_singlet/mirror', { 'content-type': contentType }, 'POST', '{}');
      expect(answer.status).toBe(415);
      expect(asked).toHaveLength(0);
    },
  );

  it.each(['', '{', 'nothing', '[1,]', '\u0000'])('refuses the body %j', async (body) => {
    const { ask } = open();
    expect(await ask('/_singlet/mirror', json, 'POST', body)).toMatchObject({
      status: 400,
      text: expect.stringContaining('SerializationException') as string,
    });
  });

  it('refuses a body that is too large, or too full', async () => {
    const { ask } = open();
    expect((await ask('/_singlet/mirror', json, 'POST', ' '.repeat(16 * 1024 * 1024 + 1))).status).toBe(413);
    expect((await ask('/_singlet/mirror', json, 'POST', `[${'{},'.repeat(300_000)}{}]`)).status).toBe(400);
  });

  it('answers refusals by name, failures without details, and nothing where there is nothing', async () => {
    const refusing = open({ inspect: () => Promise.reject(new ValidationException('no such step')) });
    expect(await refusing.ask('/_singlet/x')).toMatchObject({
      status: 400,
      text: '{"error":"ValidationException","message":"no such step"}',
    });
    const failing = await open({ inspect: () => Promise.reject(new Error('secret')) }).ask('/_singlet/x');
    expect(failing.status).toBe(500);
    expect(failing.text).not.toContain('secret');
    expect((await open().ask('/_singlet/elsewhere')).status).toBe(404);
    expect((await open().ask('/_singlet/mirror%E0%A4%A')).status).toBe(404);
  });

  it('is off where calls have to be authorised', async () => {
    const { ask, asked } = open({ authorize: () => undefined });
    expect((await ask('/_singlet/mirror')).status).toBe(404);
    expect((await ask('/_singlet/mirror', json, 'POST', '{}')).status).toBe(404);
    expect(asked).toEqual([]);
  });
});
