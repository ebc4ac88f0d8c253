import { describe, expect, it } from 'vitest';
import { ResourceNotFoundException } from '../values/service-error.ts';
import { createProbeEngine, type ProbeEngine } from '../server/testing/probe-engine.ts';
import { send, testOptions, type WireAnswer } from '../server/testing/wire-client.ts';
import { createWireHandler, type WireOptions } from '../server/wire.ts';
import { createInspect } from './index.ts';
import { RequestLog } from './requests/request-log.ts';

function open(engine: ProbeEngine = createProbeEngine(), options: Partial<WireOptions> = {}) {
  const nowMs = (): number => 0;
  const inspect = createInspect({
    engine,
    nowMs,
    call: () => Promise.reject(new TypeError('reports call no action')),
    pause: () => Promise.resolve(),
    about: { store: 'memory', accountId: '000000000000', workers: 1 },
    requests: new RequestLog({ nowMs, worker: 0, isAlwaysOn: false }),
    models: undefined,
    peers: undefined,
  });
  const handler = createWireHandler(engine, testOptions({ inspect, ...options }));
  return (url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<WireAnswer> =>
    send(handler, { method, url, headers, body: Buffer.alloc(0) });
}

describe('reports', () => {
  it('of capacity and of keys are JSON', async () => {
    const get = open();
    const capacity = await get('/_singlet/capacity/Users');
    expect(capacity.status).toBe(200);
    expect(capacity.headers.get('content-type')).toBe('application/json');
    expect(JSON.parse(capacity.text)).toMatchObject({ tableName: 'Users', table: { partitions: [] } });
    const insights = await get('/_singlet/contributor-insights/Users/byCity');
    expect(JSON.parse(insights.text)).toMatchObject({ tableName: 'Users', rules: [] });
  });

  it('are of the region of the credentials, or of the one that is asked for', async () => {
    const engine = createProbeEngine();
    const regions: string[] = [];
    const get = open({
      ...engine,
      capacityReport: (request, context) => {
        regions.push(context.region);
        return engine.capacityReport(request, context);
      },
    });
    const authorization = 'AWS4-HMAC-SHA256 Credential=AKID/20260101/eu-west-1/dynamodb/aws4_request, Signature=x';
    await get('/_singlet/capacity/Users');
    await get('/_singlet/capacity/Users', { authorization });
    await get('/_singlet/capacity/Users?region=ap-south-1', { authorization });
    expect(regions).toEqual(['us-east-1', 'eu-west-1', 'ap-south-1']);
  });

  it.each([
    '/_singlet/',
    '/_singlet/capacity',
    '/_singlet/capacity/',
    '/_singlet/capacity/Users/byCity',
    '/_singlet/contributor-insights/Users/byCity/more',
    '/_singlet/elsewhere/Users',
    '/_singlet/capacity/%E0%A4%A',
  ])('there is none at %s', async (url) => {
    const answer = await open()(url);
    expect(answer).toMatchObject({ status: 404, text: '<UnknownOperationException/>\n' });
  });

  it('of no table are not found, and a failure shows nothing of itself', async () => {
    const engine = createProbeEngine();
    const absent = open({ ...engine, capacityReport: () => Promise.reject(new ResourceNotFoundException('no table')) });
    expect(await absent('/_singlet/capacity/Users')).toMatchObject({
      status: 404,
      text: '{"error":"ResourceNotFoundException","message":"no table"}',
    });
    const failing = open({ ...engine, capacityReport: () => Promise.reject(new Error('secret')) });
    const failed = await failing('/_singlet/capacity/Users');
    expect(failed.status).toBe(500);
    expect(failed.text).not.toContain('secret');
  });

  it('are for pages of this server only, and only to look at', async () => {
    const get = open();
    const elsewhere = await get('/_singlet/capacity/Users', { origin: 'http://elsewhere.example' });
    expect(elsewhere.status).toBe(403);
    const answer = await get('/_singlet/capacity/Users', { origin: 'http://localhost:3000' });
    for (const { headers } of [elsewhere, answer]) expect(headers.has('access-control-allow-origin')).toBe(false);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    const json = { 'content-type': 'application/json' };
    for (const method of ['PUT', 'DELETE']) {
      expect((await get('/_singlet/capacity/Users', json, method)).status).not.toBe(200);
    }
  });

  it('are not handed out where calls have to be authorised', async () => {
    const get = open(createProbeEngine(), { authorize: () => undefined });
    expect((await get('/_singlet/capacity/Users')).status).toBe(404);
  });
});
