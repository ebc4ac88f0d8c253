import { expect, test } from 'vitest';
import { useApplication } from '../../testing/applications.ts';
import { startMigrations } from './start.ts';

const served = useApplication(startMigrations, { scale: 0.001 });
/** The machine may be busy with other tests. */

interface Compared {
  readonly list: string;
  readonly status: string;
  readonly before: { readonly read: number; readonly shown: number; readonly numbers: readonly number[] };
  readonly after?: Compared['before'];
}

async function ask(method: string, path: string, body?: object) {
  return await served().ask(method, path, body === undefined ? {} : { body });
}

async function stateOf(id: string): Promise<unknown> {
  const { body } = await ask('GET', '/migrations');
  return (body['items'] as { id: string; state: string }[]).find((each) => each.id === id)?.state;
}

async function act(id: string, what: string, then: string, body: object = {}): Promise<void> {
  expect((await ask('POST', `/migrations/${id}/${what}`, body)).status).toBe(202);
  await expect.poll(async () => await stateOf(id)).toBe(then);
}

async function compared(): Promise<readonly Compared[]> {
  const { status, body } = await ask('GET', '/compare?owner=book-corp-1&repo=brisk-book-1');
  expect(status).toBe(200);
  return body['items'] as Compared[];
}

test('migrations run in their order, are interrupted and resumed, verified, switched and undone', async () => {
  expect(await ask('POST', '/migrations/MIG-4/run', {})).toMatchObject({ status: 409, body: { code: 'not-now' } });
  for (const id of ['MIG-1', 'MIG-2', 'MIG-3']) await act(id, 'run', 'done');
  const before = await compared();
  expect(before.map(({ after }) => after)).toEqual([undefined, undefined, undefined, undefined]);

  // So slow that it is still running when it is interrupted.
  expect((await ask('POST', '/migrations/MIG-4/run', { writeUnits: 1 })).status).toBe(202);
  expect(await ask('POST', '/migrations/MIG-4/run', {})).toMatchObject({ status: 409 });
  expect(await ask('POST', '/migrations/MIG-5/run', {})).toMatchObject({ status: 409 });
  expect((await ask('POST', '/migrations/MIG-4/interrupt')).body['state']).toBe('interrupted');
  expect(await ask('POST', '/migrations/MIG-4/verify', {})).toMatchObject({ status: 409 });
  await act('MIG-4', 'resume', 'done');
  expect(await ask('PUT', '/readers/openIssues', { byKey: true })).toMatchObject({ status: 409 });
  await act('MIG-4', 'verify', 'verified');
  await act('MIG-5', 'run', 'done');
  await act('MIG-5', 'verify', 'verified');

  for (const { list, status, before: filtered, after } of await compared()) {
    expect([list, status, after?.numbers]).toEqual([list, status, filtered.numbers]);
    expect(after?.read).toBeLessThanOrEqual(filtered.read);
    // The items read are exactly those shown, and the repository.
    expect(after?.read).toBeLessThanOrEqual(filtered.shown + 1);
  }
  expect((await ask('PUT', '/readers/openPullRequests', { byKey: true })).status).toBe(204);
  expect(await ask('POST', '/migrations/MIG-4/undo', {})).toMatchObject({ status: 409 });
  expect(await ask('POST', '/migrations/MIG-5/undo', {})).toMatchObject({ status: 409 });
  expect((await ask('PUT', '/readers/openPullRequests', { byKey: false })).status).toBe(204);
  await act('MIG-5', 'undo', 'ready');
  expect((await compared()).map(({ after }) => after === undefined)).toEqual([false, false, true, true]);
  expect(served().said.slice(1)).toEqual([]);
});

test.each([
  ['POST', '/migrations/MIG-6/run', {}, 400, 'invalid'],
  ['POST', '/migrations/MIG-1/run', { writeUnits: 0 }, 400, 'invalid'],
  ['POST', '/migrations/MIG-1/interrupt', undefined, 409, 'not-now'],
  ['PUT', '/readers/none', { byKey: true }, 400, 'invalid'],
  ['GET', '/compare?owner=a%23b&repo=x', undefined, 400, 'invalid'],
])('refuses %s %s', async (method, path, body, status, code) => {
  expect(await ask(method, path, body)).toMatchObject({ status, body: { code } });
});
