import { describe, expect, test } from 'vitest';
import { declaredIds, useApplication } from '../../testing/applications.ts';
import { keepsExamples } from '../../testing/examples.ts';
import { accessControl } from '../model.ts';
import type { Gatehouse } from './gatehouse.ts';
import { routesOf } from './routes.ts';
import { startAccessControl } from './start.ts';

keepsExamples(new URL('examples.json', import.meta.url));

const served = useApplication(startAccessControl, { scale: 0 });
const documentOf = (effect: 'Allow' | 'Deny', action: string): object => ({
  statements: [{ effect, actions: [action], resources: ['*'] }],
});
/** The machine may be busy with other tests. */

async function ask(method: string, path: string, body?: object) {
  return await served().ask(method, path, body === undefined ? {} : { body });
}

/** Some users with a role of one policy, all of which are new. */
async function team(name: string, size = 2): Promise<{ users: string[]; roleId: string; policyId: string }> {
  const [roleId, policyId] = [`${name}-crew`, `${name}-lift`];
  const users = Array.from({ length: size }, (_, at) => `${name}-${at}`);
  const document = documentOf('Allow', 'cranes:lift');
  expect((await ask('POST', '/policies', { policyId, policyName: 'May lift', document })).status).toBe(201);
  expect((await ask('POST', '/roles', { roleId, roleName: 'Crew' })).status).toBe(201);
  expect((await ask('PUT', `/roles/${roleId}/policies/${policyId}`)).status).toBe(202);
  for (const userId of users) {
    expect((await ask('POST', '/users', { userId, userName: name, org: name })).status).toBe(201);
    expect((await ask('PUT', `/users/${userId}/roles/${roleId}`)).status).toBe(200);
  }
  return { users, roleId, policyId };
}

async function allows(userId: string | undefined, action = 'cranes:lift'): Promise<unknown> {
  return (await ask('POST', '/decisions', { userId, action, resource: 'crane:4' })).body['allow'];
}

async function untilDone(jobId: unknown): Promise<void> {
  await expect
    .poll(async () => (await ask('GET', `/jobs/${encodeURIComponent(String(jobId))}`)).body['status'])
    .toBe('done');
}

async function versionsOf(policyId: string): Promise<unknown[]> {
  const { body } = await ask('GET', `/policies/${policyId}/copies`);
  return (body['items'] as { policyVersion: number }[]).map(({ policyVersion }) => policyVersion);
}

test('every pattern, write and job is served by an operation but the queue elsewhere, which this process has not', () => {
  const ids = routesOf({} as Gatehouse).flatMap(({ serves = [] }) => serves);
  expect(new Set([...ids, 'AC-P8'])).toEqual(declaredIds(accessControl));
});

describe('who may do what', () => {
  test('is decided by one query, and follows roles and policies', async () => {
    const { users, roleId, policyId } = await team('ada');
    const [user = ''] = users;
    const decision = await ask('POST', '/decisions', { userId: user, action: 'cranes:lift', resource: 'crane:4' });
    expect(decision.body).toEqual({ allow: true, because: ['May lift'] });
    expect(decision.receipt).toBe('op=Query;place=access-control;read=1;returned=1;rcu=1;pattern=AC-1, serves=AC-13');
    expect(await allows(user, 'cranes:sell')).toBe(false);
    expect((await ask('GET', `/users/${user}/all`)).body).toMatchObject({
      user: { orgId: 'org:ada' },
      roles: [{ roleId }],
      policies: [{ policyId, policyVersion: 1, because: [`role:${roleId}`] }],
    });
    for (const list of [`/users/${user}/policies`, `/users/${user}/roles`, `/roles/${roleId}/policies`]) {
      expect((await ask('GET', list)).body['items']).toHaveLength(1);
    }
    for (const list of [`/roles/${roleId}/users`, `/orgs/ada/users`, `/policies/${policyId}/copies`]) {
      expect((await ask('GET', list)).body['items']).toHaveLength(2);
    }
    expect((await ask('GET', `/users/${user}/policies/${policyId}`)).body).toMatchObject({
      policyId,
      policyVersion: 1,
    });
    expect((await ask('GET', `/roles/${roleId}`)).body).toMatchObject({ roleId, roleName: 'Crew' });
    expect((await ask('GET', `/policies/${policyId}`)).body).toMatchObject({ policyId, policyName: 'May lift' });
    expect((await ask('GET', `/policies/${policyId}/roles`)).body['items']).toMatchObject([{ roleId }]);
    expect((await ask('DELETE', `/users/${user}/roles/${roleId}`)).status).toBe(200);
    expect(await allows(user)).toBe(false);
    expect((await ask('GET', `/users/${user}/policies/${policyId}`)).status).toBe(404);
    expect((await ask('PUT', `/users/${user}/org`, { org: 'elsewhere' })).status).toBe(204);
    expect((await ask('GET', `/users/${user}`)).body['orgId']).toBe('org:elsewhere');
  });

  test('changes with a policy: at once in one transaction, or by the queue while the worker works', async () => {
    const { users, policyId } = await team('bob');
    const path = `/policies/${policyId}`;
    const change = { document: documentOf('Deny', 'cranes:*'), version: 1, mode: 'immediate' };
    expect((await ask('PUT', path, change)).body).toMatchObject({ version: 2, copies: 3, atomic: true });
    expect(await allows(users[0])).toBe(false);
    // Its answer was lost: the same again. Another change for that version is refused.
    expect(await ask('PUT', path, change)).toMatchObject({
      status: 200,
      body: { version: 2, copies: 3, atomic: true },
    });
    const other = { ...change, document: documentOf('Deny', 'hoists:*') };
    expect(await ask('PUT', path, other)).toMatchObject({ status: 409, body: { code: 'stale' } });
    expect(await ask('PUT', path, { ...change, policyName: 'Other' })).toMatchObject({ status: 409 });
    expect((await ask('GET', path)).body).toMatchObject({ policyVersion: 2, document: change.document });
    expect((await ask('PUT', '/worker', { isOn: false })).status).toBe(204);
    const queued = { document: documentOf('Allow', 'cranes:*'), version: 2, mode: 'queued' };
    const { status, body: begun } = await ask('PUT', path, queued);
    const { jobId } = begun;
    expect(await ask('PUT', path, queued)).toMatchObject({ status, body: begun });
    // The change before that has been replaced.
    expect(await ask('PUT', path, change)).toMatchObject({ status: 409, body: { code: 'stale' } });
    expect(await versionsOf(policyId)).toEqual([2, 2]);
    expect(await allows(users[0])).toBe(false);
    expect((await ask('PUT', '/worker', { isOn: true })).status).toBe(204);
    await untilDone(jobId);
    expect(await versionsOf(policyId)).toEqual([3, 3]);
    expect(await allows(users[0])).toBe(true);
  });

  test('loses what is detached or deleted, and shows a new name, when the job is done', async () => {
    const { users, roleId, policyId } = await team('cyd');
    await untilDone((await ask('PATCH', `/roles/${roleId}`, { roleName: 'Riggers' })).body['jobId']);
    expect((await ask('GET', `/users/${users[0]}/roles`)).body['items']).toMatchObject([{ roleName: 'Riggers' }]);
    await untilDone((await ask('DELETE', `/roles/${roleId}/policies/${policyId}`)).body['jobId']);
    expect(await allows(users[0])).toBe(false);
    const dan = await team('dan');
    expect((await ask('DELETE', `/policies/${dan.policyId}`)).status).toBe(204);
    await expect.poll(async () => await allows(dan.users[0])).toBe(false);
  });
});

test('what is refused says why', async () => {
  const { roleId, policyId } = await team('eve');
  const document = documentOf('Allow', 'x');
  const cases: [string, string, object | undefined, number, string][] = [
    ['POST', '/users', { userId: 'eve-0', userName: 'x', org: 'x' }, 409, 'taken'],
    ['POST', '/users', { userId: 'policy:1', userName: 'x', org: 'x' }, 400, 'invalid'],
    ['POST', '/roles', { roleId: 'direct', roleName: 'x' }, 400, 'invalid'],
    ['POST', '/policies', { policyId: 'x', policyName: 'x', document: { statements: [{}] } }, 400, 'invalid'],
    ['POST', '/decisions', { userId: 'x' }, 400, 'invalid'],
    ['PUT', `/roles/${roleId}/policies/none`, undefined, 404, 'not-found'],
    ['DELETE', `/roles/${roleId}/policies/none`, undefined, 404, 'not-found'],
    ['PUT', `/users/none/roles/${roleId}`, undefined, 404, 'not-found'],
    ['DELETE', '/users/eve-0/roles/none', undefined, 404, 'not-found'],
    ['PUT', '/users/none/org', { org: 'x' }, 404, 'not-found'],
    ['PATCH', '/roles/none', { roleName: 'x' }, 404, 'not-found'],
    ['PUT', '/policies/none', { document, version: 1 }, 404, 'not-found'],
    ['PUT', `/policies/${policyId}`, { document, version: 7 }, 409, 'stale'],
    ['DELETE', '/policies/none', undefined, 404, 'not-found'],
    ['GET', '/jobs/none', undefined, 404, 'not-found'],
    ['GET', '/jobs?state=lost', undefined, 400, 'invalid'],
    ['POST', '/jobs/none/redrive', undefined, 409, 'not-now'],
    ['GET', '/orgs/eve/users?cursor=none', undefined, 400, 'invalid'],
  ];
  for (const [method, path, body, status, code] of cases) {
    const answer = await ask(method, path, body);
    expect([method, path, answer.status, answer.body['code']]).toEqual([method, path, status, code]);
    expect(JSON.stringify(answer.body)).not.toMatch(/Exception|Zod|Invalid|at .*\.ts/);
  }
  for (const state of ['lapsed', 'dead']) {
    expect((await ask('GET', `/jobs?state=${state}`)).body['items']).toEqual([]);
  }
  expect(served().said).toEqual([]);
});
