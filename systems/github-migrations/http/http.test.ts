import { expect, test } from 'vitest';
import { expectToSignOut, useApplication } from '../../testing/applications.ts';
import { keepsExamples } from '../../testing/examples.ts';
import { startMigrations } from './start.ts';

keepsExamples(new URL('examples.json', import.meta.url));

const served = useApplication(startMigrations, { scale: 0.001 });

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

test('gists, apps and codes of conduct over HTTP, and the operations of the year before', async () => {
  const signIn = async (username: string): Promise<string> =>
    String((await served().ask('POST', '/sessions', { body: { username } })).body['token']);
  const as =
    (token: string) =>
    async (method: string, path: string, body?: object): Promise<Awaited<ReturnType<typeof ask>>> =>
      await served().ask(method, path, { token, ...(body !== undefined && { body }) });
  for (const login of ['gina', 'otto']) expect((await ask('POST', '/users', { login })).status).toBe(201);
  const [gina, otto] = [as(await signIn('gina')), as(await signIn('otto'))];

  const { status, body: gist } = await gina('POST', '/user/gists', { title: 'Notes', files: { 'a.md': '# One' } });
  const path = `/users/gina/gists/${String(gist['gistId'])}`;
  expect([status, (await ask('GET', path)).body]).toEqual([201, gist]);
  expect((await ask('GET', '/users/gina/gists')).body['gists']).toEqual([gist]);
  const shared = {
    body: { title: 'Once', files: { 'b.md': '# Two' } },
    token: await signIn('otto'),
    key: 'key-of-the-caller',
  };
  const [first, second] = [
    await served().ask('POST', '/user/gists', shared),
    await served().ask('POST', '/user/gists', shared),
  ];
  expect([first.status, second.body]).toEqual([201, first.body]);
  expect((await ask('GET', '/users/otto/gists')).body['gists']).toEqual([first.body]);
  expect((await otto('PATCH', path, { title: 'Mine' })).status).toBe(403);
  expect((await gina('PATCH', path, { title: 'Two' })).body).toMatchObject({
    title: 'Two',
    files: { 'a.md': '# One' },
  });

  const made = await gina('POST', '/users/gina/apps', { name: 'Git-Hub Analytics!' });
  expect(made).toMatchObject({ status: 201, body: { app: 'githubanalytics' } });
  expect((await gina('POST', '/users/gina/apps', { name: 'github analytics' })).status).toBe(409);
  expect((await gina('PATCH', '/apps/gina/githubanalytics', { description: 'Counts' })).status).toBe(204);
  expect((await ask('GET', '/users/gina/apps')).body['apps']).toMatchObject([{ description: 'Counts' }]);
  expect((await gina('POST', '/user/repos', { name: 'notes' })).status).toBe(201);
  const installation = '/apps/gina/githubanalytics/installations/gina/notes';
  const installed = await gina('PUT', installation);
  expect(installed.status).toBe(201);
  // Sent again, it is the same installation.
  expect(await gina('PUT', installation)).toMatchObject({ status: 201, body: installed.body });
  const [bySide, byRepo] = [
    await ask('GET', '/apps/gina/githubanalytics/installations'),
    await ask('GET', '/repos/gina/notes/apps'),
  ];
  expect(bySide.body).toMatchObject({ app: { name: 'Git-Hub Analytics!' }, installations: [{ repo: 'notes' }] });
  expect(byRepo.body['installations']).toEqual(bySide.body['installations']);

  const conduct = '/repos/gina/notes/code-of-conduct';
  const code = { name: 'Be kind', url: 'https://example.org/kind' };
  expect((await ask('GET', conduct)).status).toBe(404);
  expect((await gina('PUT', conduct, code)).status).toBe(204);
  expect((await ask('GET', conduct)).body).toEqual(code);
  expect((await gina('DELETE', conduct)).status).toBe(204);
  expect((await ask('GET', conduct)).status).toBe(404);

  // What belongs to others: refused, and nothing is changed.
  expect((await gina('PUT', conduct, code)).status).toBe(204);
  const foreign = '/apps/gina/githubanalytics/installations/book-corp-1/brisk-book-1';
  for (const [who, method, at, body] of [
    [otto, 'PUT', conduct, { ...code, name: 'Be quick' }],
    [otto, 'DELETE', conduct, undefined],
    [otto, 'POST', '/users/gina/apps', { name: 'Another' }],
    [otto, 'POST', '/users/book-corp-1/apps', { name: 'Another' }],
    [otto, 'PATCH', '/apps/gina/githubanalytics', { description: 'Counts nothing' }],
    [gina, 'PUT', foreign, undefined],
  ] as const)
    expect([method, at, await who(method, at, body)]).toMatchObject([
      method,
      at,
      { status: 403, body: { code: 'not-yours' } },
    ]);
  expect((await ask('GET', conduct)).body).toEqual(code);
  expect((await ask('GET', '/users/gina/apps')).body['apps']).toMatchObject([{ description: 'Counts' }]);
  expect((await ask('GET', '/users/book-corp-1/apps')).body['apps']).toEqual([]);
  expect((await ask('GET', '/repos/book-corp-1/brisk-book-1/apps')).body['installations']).toEqual([]);

  const opened = await otto('POST', '/repos/book-corp-1/brisk-book-1/issues', { title: 'It rains in' });
  expect(opened).toMatchObject({ status: 201, body: { user: { login: 'otto' } } });
  for (const [method, at, body] of [
    ['POST', '/user/gists', { title: 'x' }],
    ['PUT', installation, undefined],
    ['DELETE', conduct, undefined],
  ] as const)
    expect([at, (await ask(method, at, body)).status]).toEqual([at, 401]);
  expect((await ask('GET', '/users/gina/gists/none')).status).toBe(400);
  expect((await ask('GET', '/users/absent/gists')).status).toBe(404);
  expect(served().said.slice(1)).toEqual([]);
});

test('signing out ends a session, and signing out everywhere all of them', async () => {
  await expectToSignOut(served(), 'ada-codes-1');
});
