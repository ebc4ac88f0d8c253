import { expect, test } from 'vitest';
import { serving, type ServedApplication } from '../../testing/applications.ts';
import { keepsExamples } from '../../testing/examples.ts';
import { loseAnswer } from '../../testing/lost-answer.ts';
import { sessionStore } from '../model.ts';
import { SAMPLE_PASSWORD } from './people.ts';
import { type Keyring, routesOf } from './routes.ts';
import { startSessionStore } from './start.ts';

keepsExamples(new URL('examples.json', import.meta.url));

const ada = { username: 'user000001', password: SAMPLE_PASSWORD };

async function tokenOf({ ask }: ServedApplication, key?: string, body: object = ada): Promise<string> {
  const { status, body: session } = await ask('POST', '/sessions', { body, ...(key !== undefined && { key }) });
  expect(status).toBe(201);
  return String(session['token']);
}

test('every pattern is served by an operation', () => {
  const served = routesOf({} as Keyring).flatMap(({ serves = [] }) => serves);
  const declared = [...Object.values(sessionStore.patterns), ...Object.values(sessionStore.procedures ?? {})].flatMap(
    ({ id }) => id ?? [],
  );
  expect(new Set(served)).toEqual(new Set(declared));
});

test('log in, whose token it is, log out; then the token is worth nothing', async () => {
  await serving(startSessionStore, async (served) => {
    const { ask } = served;
    const token = await tokenOf(served);
    const found = await ask('GET', '/session', { token });
    expect([found.status, found.body['username']]).toEqual([200, ada.username]);
    expect(found.receipt).toBe('op=Query;place=SessionStore;read=1;returned=1;rcu=1;pattern=SS-02, serves=SS-02 SS-03');
    expect((await ask('DELETE', '/session', { token })).status).toBe(204);
    const after = await ask('GET', '/session', { token });
    const unknown = await ask('GET', '/session', { token: 'none' });
    expect([after.status, after.body]).toEqual([401, unknown.body]);
  });
});

test('the clock is moved on, and a session that has ended by then is over', async () => {
  await serving(startSessionStore, async (served) => {
    const { ask } = served;
    const token = await tokenOf(served);
    const move = async (at: string) => await ask('POST', '/clock', { body: { at } });
    const { expiresAt } = (await ask('GET', '/session', { token })).body;
    const passed = await move('2020-01-01T00:00:00Z');
    expect(Date.parse(String(passed.body['at']))).toBeLessThan(Date.parse(String(expiresAt)));
    expect((await ask('GET', '/session', { token })).status).toBe(200);
    const moved = await move(String(expiresAt));
    expect([moved.status, Date.parse(String(moved.body['at']))]).toEqual([200, expect.any(Number)]);
    expect((await ask('GET', '/session', { token })).status).toBe(401);
    const far = await move('9999-01-01T00:00:00Z');
    expect([far.status, far.body['code']]).toEqual([400, 'invalid']);
  });
});

test('a log-in whose answer was lost is asked again, and leaves no session behind', async () => {
  await serving(startSessionStore, async (served) => {
    const { ask, url } = served;
    const witness = await tokenOf(served);
    const count = async (): Promise<number> =>
      ((await ask('GET', '/sessions', { token: witness })).body['sessions'] as unknown[]).length;
    const before = await count();
    const lost = await loseAnswer(`${url}/api/sessions`, {
      method: 'POST',
      headers: { 'idempotency-key': 'the-same-key' },
      body: JSON.stringify(ada),
    });
    // The session exists, and no caller knows its token.
    expect([lost, await count()]).toEqual([201, before + 1]);
    const first = await tokenOf(served, 'the-same-key');
    expect(await tokenOf(served, 'the-same-key')).toBe(first);
    expect(await count()).toBe(before + 1);
    expect((await ask('GET', '/session', { token: first })).body['username']).toBe(ada.username);
    expect(await tokenOf(served, 'another-key')).not.toBe(first);
    expect(await tokenOf(served, 'the-same-key', { ...ada, username: 'user000000' })).not.toBe(first);
    expect(await count()).toBe(before + 2);
  });
});

test('log out everywhere: of oneself, or of anyone by an administrator', async () => {
  await serving(startSessionStore, async (served) => {
    const { ask } = served;
    const [token, other, admin] = [
      await tokenOf(served),
      await tokenOf(served, undefined, { ...ada, username: 'user000000' }),
      await tokenOf(served, undefined, { ...ada, username: 'administrator' }),
    ];
    const foreign = await ask('DELETE', `/users/${ada.username}/sessions`, { token: other });
    expect([foreign.status, foreign.body['code']]).toEqual([403, 'not-yours']);
    expect((await ask('GET', '/session', { token })).status).toBe(200);
    expect((await ask('DELETE', `/users/${ada.username}/sessions`, { token: admin })).status).toBe(200);
    expect((await ask('GET', '/session', { token })).status).toBe(401);
    expect((await ask('GET', '/session', { token: other })).status).toBe(200);
  });
});

test('a wrong name and a wrong password read the same, and after ten there is a pause', async () => {
  await serving(startSessionStore, async ({ ask }) => {
    const wrongName = await ask('POST', '/sessions', { body: { ...ada, username: 'absent' } });
    const wrong = { ...ada, password: 'wrong' };
    const wrongPassword = await ask('POST', '/sessions', { body: wrong });
    expect([wrongName.status, wrongName.body]).toEqual([401, wrongPassword.body]);
    for (let n = 1; n < 10; n += 1) expect((await ask('POST', '/sessions', { body: wrong })).status).toBe(401);
    expect(await ask('POST', '/sessions', { body: ada })).toMatchObject({ status: 429, body: { code: 'slow-down' } });
  });
});

test.each([
  [{}, undefined, 'username is missing. password is missing.'],
  [{ username: '', password: 'x' }, undefined, 'username must not be empty.'],
  [ada, 'short', 'The header Idempotency-Key has to have 8 to 100 printable characters without spaces.'],
])('refuses %j', async (body, key, detail) => {
  await serving(startSessionStore, async ({ ask }) => {
    const { status, body: problem } = await ask('POST', '/sessions', { body, ...(key !== undefined && { key }) });
    expect([status, problem['detail']]).toEqual([400, detail]);
  });
});
