import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../clock.ts';
import { declaredIds, useApplication } from '../../testing/applications.ts';
import { keepsExamples } from '../../testing/examples.ts';
import { jobScheduler } from '../model.ts';
import type { Office } from './office.ts';
import { routesOf } from './routes.ts';
import { startScheduler } from './start.ts';

keepsExamples(new URL('examples.json', import.meta.url));

const clock = new ManualClock('2026-03-02T08:00:00Z');
const NOW = '2026-03-02T08:00:00Z';
const LATER = '2026-03-02T09:00:00Z';
const LEASE_MS = 21_000;
const served = useApplication(async (options) => await startScheduler({ ...options, base: clock }), { scale: 0 });

interface Scheduled {
  readonly id: string;
  readonly due: string;
}

async function scheduled(more: object = {}, key?: string): Promise<Scheduled> {
  const body = { name: 'Verbatim', due: NOW, ...more };
  const answer = await served().ask('POST', '/jobs', { body, ...(key !== undefined && { key }) });
  expect(answer.status).toBe(201);
  return answer.body as unknown as Scheduled;
}

async function claimed({ id, due }: Scheduled): Promise<string> {
  const { status, body } = await served().ask('POST', `/jobs/${id}/claim`, { body: { seen: due } });
  expect(status).toBe(201);
  return String(body['lease']);
}

test('every pattern is served by an operation', () => {
  const ids = routesOf({} as Office).flatMap(({ serves = [] }) => serves);
  expect(new Set(ids)).toEqual(declaredIds(jobScheduler));
});

describe('a job over HTTP', () => {
  test('is scheduled once by one key, found by its time, claimed, and done', async () => {
    const { ask } = served();
    const [first, again] = [await scheduled({}, 'the-same-key'), await scheduled({}, 'the-same-key')];
    expect(again).toEqual(first);
    const due = await ask('GET', '/jobs/due');
    expect((due.body['jobs'] as Scheduled[]).map(({ id }) => id)).toEqual([first.id]);
    expect(due.receipt.match(/op=Query;place=jobs\/GSI_1/g)).toHaveLength(4);
    expect((await ask('GET', '/jobs/next')).body).toEqual({ due: NOW });
    const lease = await claimed(first);
    expect(await ask('GET', `/jobs/${first.id}`)).toMatchObject({ body: { status: 'running', attempts: 1 } });
    expect((await ask('GET', '/jobs/due')).body['jobs']).toEqual([]);
    expect(await ask('POST', `/leases/${lease}/complete`)).toMatchObject({ status: 200, body: { status: 'done' } });
    expect(await ask('GET', `/jobs?from=${NOW}&to=${LATER}`)).toMatchObject({ body: { jobs: [] } });
  });

  test('comes again where it is recurring, later where it has failed, and is moved and cancelled while it waits', async () => {
    const { ask } = served();
    const hourly = await scheduled({ every: 3600 });
    const next = await ask('POST', `/leases/${await claimed(hourly)}/complete`);
    expect(next.body).toMatchObject({ status: 'queued', due: LATER, attempts: 0 });
    const failed = await ask('POST', `/leases/${await claimed({ ...hourly, due: LATER })}/fail`);
    expect(failed.body).toMatchObject({ status: 'queued', due: '2026-03-02T08:00:02Z' });
    const path = `/jobs/${hourly.id}`;
    expect((await ask('PUT', `${path}/due`, { body: { due: LATER } })).body['due']).toBe(LATER);
    expect((await ask('DELETE', path)).status).toBe(204);
    expect((await ask('GET', path)).body['status']).toBe('cancelled');
    for (const [method, of, body] of [
      ['DELETE', path, undefined],
      ['PUT', `${path}/due`, { due: NOW }],
      ['POST', `${path}/claim`, { seen: NOW }],
    ] as const) {
      expect(await ask(method, of, { body })).toMatchObject({ status: 409, body: { code: 'not-now' } });
    }
  });

  test('whose lease has passed on is not ended by the worker that had it, be it recurring or not', async () => {
    const { ask } = served();
    for (const more of [{}, { every: 60 }]) {
      const job = await scheduled(more);
      const old = await claimed(job);
      clock.setToMs(clock.nowMs() + LEASE_MS);
      const [taken] = (await ask('GET', '/jobs/due')).body['jobs'] as Scheduled[];
      expect(taken?.id).toBe(job.id);
      const lease = await claimed(taken ?? job);
      for (const how of ['complete', 'fail']) {
        expect(await ask('POST', `/leases/${old}/${how}`)).toMatchObject({ status: 409, body: { code: 'stale' } });
      }
      expect(await ask('GET', `/jobs/${job.id}`)).toMatchObject({ body: { status: 'running', attempts: 2 } });
      expect((await ask('POST', `/leases/${lease}/complete`)).status).toBe(200);
      await ask('DELETE', `/jobs/${job.id}`);
    }
  });

  test('that kills its workers is dead at the third claim too many', async () => {
    const { ask } = served();
    const job = await scheduled({ id: 'poison' });
    let { due } = job;
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await claimed({ ...job, due });
      due = String((await ask('GET', '/jobs/poison')).body['due']);
      clock.setToMs(clock.nowMs() + LEASE_MS);
    }
    expect(await ask('POST', '/jobs/poison/claim', { body: { seen: due } })).toMatchObject({
      status: 409,
      body: { code: 'limit' },
    });
    expect((await ask('GET', '/jobs/poison')).body['status']).toBe('dead');
  });
});

test('what is refused says why, and changes nothing', async () => {
  const { ask, said } = served();
  const { id, due } = await scheduled({ id: 'known', due: LATER });
  const before = await ask('GET', `/jobs/${id}`);
  const cases: [string, string, object | undefined, number, string, string][] = [
    ['POST', '/jobs', { id, name: 'x', due }, 409, 'taken', 'id'],
    ['POST', '/jobs', { id: 'a/b', name: 'x', due }, 400, 'invalid', 'id'],
    ['POST', '/jobs', { name: ' ', due }, 400, 'invalid', 'name'],
    ['POST', '/jobs', { name: 'x', due: 'tomorrow' }, 400, 'invalid', 'due'],
    ['POST', '/jobs', { name: 'x', due: '2026-02-30T00:00:00Z' }, 400, 'invalid', 'due'],
    ['POST', '/jobs', { name: 'x', due, every: 0 }, 400, 'invalid', 'every'],
    ['POST', '/jobs', { name: 'x'.repeat(10_000), due }, 400, 'invalid', 'name'],
    ['GET', '/jobs?from=1', undefined, 400, 'invalid', 'from,to'],
    ['GET', '/jobs/due?limit=0', undefined, 400, 'invalid', 'limit'],
    ['GET', '/jobs/none', undefined, 404, 'not-found', ''],
    ['DELETE', '/jobs/none', undefined, 404, 'not-found', ''],
    ['POST', `/jobs/${id}/claim`, { seen: NOW }, 409, 'stale', ''],
    ['POST', '/leases/none/complete', undefined, 404, 'not-found', 'lease'],
    ['POST', '/jobs/%00/claim', { seen: NOW }, 400, 'invalid', 'id'],
  ];
  for (const [method, path, body, status, code, fields] of cases) {
    const answer = await ask(method, path, body === undefined ? {} : { body });
    const named = ((answer.body['fields'] ?? []) as { field: string }[]).map(({ field }) => field).join(',');
    expect([method, path, answer.status, answer.body['code'], named]).toEqual([method, path, status, code, fields]);
    expect(JSON.stringify(answer.body)).not.toMatch(/Exception|Zod|Invalid|at .*\.ts/);
  }
  expect(await ask('GET', `/jobs/${id}`)).toEqual(before);
  expect(said).toEqual([]);
});

test('a job of 1970 is due at once', async () => {
  const { ask } = served();
  const { id } = await scheduled({ due: '1970-01-01T00:00:00Z' });
  expect((await ask('GET', '/jobs/due')).body['jobs']).toEqual([expect.objectContaining({ id })]);
  expect((await ask('DELETE', `/jobs/${id}`)).status).toBe(204);
});
