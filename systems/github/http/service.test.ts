import { InputError } from '@singlet/model';
import { describe, expect, test } from 'vitest';
import { HttpError } from '../../http/http-error.ts';
import { inputRefusal } from '../../http/plain-words.ts';
import { Requests } from '../../http/requests.ts';
import { router } from '../../http/router.ts';
import { expectToSignOut, serving } from '../../testing/applications.ts';
import { countedKsuids } from '../../testing/counted-ksuids.ts';
import { drawn } from '../../testing/drawn.ts';
import { useWorkbench, type Workbench } from '../../testing/workbench.ts';
import { keepsExamples, recordAnswer } from '../../testing/examples.ts';
import { BOOK, databases, openSite, quickDatabase, type Site } from '../fixture.ts';
import { httpRoutes } from './http-routes.ts';
import { Once } from './once.ts';
import { errorOf } from './refusals.ts';
import { routes } from './routes.ts';
import { startGitHub } from './start.ts';

keepsExamples(new URL('examples.json', import.meta.url));

interface Reply {
  readonly status: number;
  readonly body: unknown;
  /** Path and query of the next page. */
  readonly next: string | undefined;
}

/** The API on a site, which records the requested routes and checks every answer against its declaration. */
async function serve(site: Site, { client }: Workbench) {
  const asked = new Set<string>();
  const errors: unknown[] = [];
  const required = async ({ headers }: Pick<Request, 'headers'>): Promise<string> => {
    const user = headers.get('x-user');
    if (user === null) throw new HttpError(401, 'not-signed-in', 'Not signed in.');
    return await Promise.resolve(user);
  };
  const api = router({
    routes: httpRoutes(routes, site, { once: new Once(site, await requestsOf(site, client)), required }),
    errorOf: (error) => (error instanceof InputError ? inputRefusal(error) : errorOf(error)),
    onFault: (error) => errors.push(error),
    checksAnswers: true,
    onAnswer: recordAnswer,
  });
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    user = 'sally-scala',
    key?: string,
  ): Promise<Reply> => {
    const url = new URL(path, 'http://site.test');
    const request = new Request(url, {
      method,
      headers: { ...(user !== '' && { 'x-user': user }), ...(key !== undefined && { 'idempotency-key': key }) },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const response = await api(request, ({ operationId }) => asked.add(operationId));
    const text = await response.text();
    const answer: unknown = text === '' ? undefined : JSON.parse(text);
    const link = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    const next = link === undefined ? undefined : link.slice(url.origin.length);
    return { status: response.status, body: answer, next };
  };
  return { send, asked, errors };
}

async function requestsOf({ clock }: Site, client: Workbench['client']): Promise<Requests> {
  return await Requests.open({ client, clock, newId: countedKsuids(clock), name: 'service' });
}

const REPO = '/repos/alexdebrie/dynamodb-book';

describe.each(drawn('the service', databases))('the service, $name', (database) => {
  const workbench = useWorkbench(database);

  test('every route does what it declares', async () => {
    const { send, asked, errors } = await serve(await openSite(workbench()), workbench());
    const ok = async (method: string, path: string, body?: unknown, user?: string): Promise<unknown> => {
      const reply = await send(method, path, body, user);
      expect([method, path, reply.status < 300, reply.body]).toEqual([method, path, true, reply.body]);
      return reply.body;
    };
    expect(await ok('POST', '/users', { login: 'newcomer' })).toMatchObject({ login: 'newcomer', type: 'User' });
    expect(await ok('POST', '/orgs', { login: 'minicorp' })).toMatchObject({ type: 'Organization', plan: null });
    await ok('PUT', '/users/minicorp/plan', { name: 'Team', start_date: '2020-01-01' });
    expect(await ok('GET', '/users/minicorp')).toMatchObject({ plan: { name: 'Team', start_date: '2020-01-01' } });
    await ok('PUT', '/orgs/minicorp/memberships/sally-scala', { role: 'admin' });
    await ok('PUT', '/orgs/minicorp/memberships/sally-scala', { role: 'admin' });
    expect(await ok('GET', '/orgs/minicorp/members')).toMatchObject([{ login: 'sally-scala', role: 'admin' }]);
    expect(await ok('GET', '/users/sally-scala/orgs')).toEqual([{ login: 'minicorp', role: 'admin' }]);

    expect(await ok('GET', `${REPO}/forks`)).toEqual([]);
    const created = await ok('POST', '/user/repos', { name: 'scala-book', description: 'Another book' });
    expect(created).toMatchObject({ full_name: 'sally-scala/scala-book', fork: false, description: 'Another book' });
    await ok('POST', '/orgs/minicorp/repos', { name: 'tool' });
    expect(await ok('GET', '/orgs/minicorp/repos')).toMatchObject([{ full_name: 'minicorp/tool' }]);
    expect(await ok('PATCH', REPO, { description: 'The book' }, 'alexdebrie')).toMatchObject({
      description: 'The book',
    });
    expect(await ok('POST', `${REPO}/forks`, {})).toMatchObject({ fork: true, parent: 'alexdebrie/dynamodb-book' });
    await ok('POST', `${REPO}/forks`, { organization: 'minicorp' });
    expect(await ok('GET', `${REPO}/forks`)).toMatchObject([{ owner: { login: 'minicorp' } }, { fork: true }]);
    await ok('PUT', '/user/starred/alexdebrie/dynamodb-book');
    await ok('PUT', '/user/starred/alexdebrie/dynamodb-book');
    expect(await ok('GET', `${REPO}/stargazers`)).toMatchObject([{ login: 'sally-scala' }]);
    const repositories = (await ok('GET', '/users/alexdebrie/repos')) as { name: string }[];
    expect(repositories.map(({ name }) => name)).toEqual(['dynamodb-book', 'graphql-demo']);

    for (const [path, number] of [
      ['issues', 1],
      ['pulls', 2],
    ] as const) {
      const item = `${REPO}/${path}/${number}`;
      const opened = await ok('POST', `${REPO}/${path}`, { title: 'A typo', body: 'On page 1' });
      expect(opened).toMatchObject({ number, state: 'open', user: { login: 'sally-scala' } });
      const comment = await ok('POST', `${item}/comments`, { body: 'Indeed' });
      const { id } = comment as { id: string };
      for (const status of [201, 200]) {
        expect((await send('POST', `${item}/reactions`, { content: '+1' })).status).toBe(status);
        expect((await send('POST', `${item}/comments/${id}/reactions`, { content: 'heart' })).status).toBe(status);
      }
      expect(await ok('GET', item)).toMatchObject({ body: 'On page 1', reactions: { '+1': 1, total_count: 1 } });
      expect(await ok('GET', `${item}/comments`)).toMatchObject([{ id, reactions: { heart: 1 } }]);
      expect(await ok('GET', `${REPO}/${path}`)).toMatchObject([{ number }]);
      await ok('PATCH', item, { state: 'closed' });
      await ok('PATCH', item, { state: 'closed' });
      expect(await ok('GET', `${REPO}/${path}?state=open`)).toEqual([]);
      expect(await ok('GET', `${REPO}/${path}?state=all`)).toMatchObject([{ number, state: 'closed' }]);
    }
    expect(await ok('GET', REPO)).toMatchObject({
      stargazers_count: 1,
      forks_count: 2,
      open_issues_count: 0,
      open_pulls_count: 0,
    });
    expect(await ok('GET', `${REPO}/open-counts`)).toEqual({ issues: 0, pulls: 0 });
    expect([...asked].toSorted()).toEqual(routes.map(({ id }) => id).toSorted());
    expect(errors).toEqual([]);
  });
});

describe('the service', () => {
  const workbench = useWorkbench(quickDatabase);

  test('lists continue where the Link header says', async () => {
    const site = await openSite(workbench());
    const { send } = await serve(site, workbench());
    for (let count = 0; count < 5; count += 1) {
      await site.issues.create(BOOK, { title: `${count}`, author: 'sally-scala' });
    }
    const numbers: number[] = [];
    let pages = 0;
    for (let path: string | undefined = `${REPO}/issues?per_page=2&state=open`; path !== undefined; pages += 1) {
      const reply = await send('GET', path);
      numbers.push(...(reply.body as { number: number }[]).map(({ number }) => number));
      path = reply.next;
    }
    expect([numbers, pages]).toEqual([[5, 4, 3, 2, 1], 3]);
    const { next } = await send('GET', `${REPO}/issues?per_page=2`);
    const elsewhere = next!.replace('dynamodb-book', 'graphql-demo');
    expect(await send('GET', elsewhere)).toMatchObject({ status: 400 });
  });

  test.each([
    ['GET', '/nowhere', undefined, 404, 'no-such-path'],
    ['GET', '/users/absent', undefined, 404, 'not-found'],
    ['GET', '/users/absent/repos', undefined, 404, 'not-found'],
    ['GET', '/users/megacorp/orgs', undefined, 404, 'not-found'],
    ['GET', '/orgs/alexdebrie/members', undefined, 404, 'not-found'],
    ['GET', '/repos/alexdebrie/nothing', undefined, 404, 'not-found'],
    ['GET', '/repos/alexdebrie/nothing/issues', undefined, 404, 'not-found'],
    ['GET', `${REPO}/issues/7`, undefined, 404, 'not-found'],
    ['GET', `${REPO}/issues/7/comments`, undefined, 404, 'not-found'],
    ['GET', `${REPO}/pulls/7/comments`, undefined, 404, 'not-found'],
    ['GET', '/repos/alexdebrie/nothing/forks', undefined, 404, 'not-found'],
    ['GET', `${REPO}/issues/seven`, undefined, 400, 'invalid'],
    ['GET', `${REPO}/issues/0`, undefined, 400, 'invalid'],
    ['GET', `${REPO}/issues?state=ajar`, undefined, 400, 'invalid'],
    ['GET', `${REPO}/issues?per_page=1000`, undefined, 400, 'invalid'],
    ['GET', `${REPO}/issues?cursor=made-up`, undefined, 400, 'invalid'],
    ['GET', '/users/%zz', undefined, 400, 'invalid'],
    ['GET', '/users/a%23b', undefined, 400, 'invalid'],
    ['DELETE', REPO, undefined, 405, 'no-such-method'],
    ['POST', '/users', '{', 400, 'not-json'],
    ['POST', '/users', { login: 'a b' }, 400, 'invalid'],
    ['POST', '/users', { login: 'megacorp' }, 409, 'taken'],
    ['POST', '/users', { login: 'x', admin: true }, 400, 'invalid'],
    ['POST', '/users', { login: 'x'.repeat(300_000) }, 413, 'too-large'],
    ['POST', `${REPO}/issues`, {}, 400, 'invalid'],
    ['POST', `${REPO}/issues/7/reactions`, { content: 'shrug' }, 400, 'invalid'],
    ['POST', `${REPO}/issues/7/reactions`, { content: '+1' }, 404, 'not-found'],
    ['POST', '/repos/alexdebrie/nothing/forks', {}, 404, 'not-found'],
    ['PUT', '/orgs/megacorp/memberships/absent', {}, 403, 'not-yours'],
    ['PUT', '/orgs/absent/memberships/sally-scala', {}, 404, 'not-found'],
    ['PUT', '/users/absent/plan', { name: 'Team', start_date: '2020-01-01' }, 404, 'not-found'],
    ['PATCH', `${REPO}/issues/7`, { state: 'closed' }, 404, 'not-found'],
  ])('%s %s is refused (%#)', async (method, path, body, status, code) => {
    const { send, errors } = await serve(await openSite(workbench()), workbench());
    const reply = await send(method, path, body);
    expect([reply.status, (reply.body as { code: string }).code]).toEqual([status, code]);
    expect(errors).toEqual([]);
  });

  test('who acts has to be signed in, and to be a user', async () => {
    const { send } = await serve(await openSite(workbench()), workbench());
    expect(await send('PUT', '/user/starred/alexdebrie/dynamodb-book', undefined, '')).toMatchObject({ status: 401 });
    expect(await send('PUT', '/user/starred/alexdebrie/dynamodb-book', undefined, 'megacorp')).toMatchObject({
      status: 404,
    });
  });

  test('what belongs to another is left alone', async () => {
    const site = await openSite(workbench());
    const { send } = await serve(site, workbench());
    const status = async (user: string, method: string, path: string, body?: object): Promise<number> =>
      (await send(method, path, body, user)).status;
    for (const path of ['issues', 'pulls']) {
      const { body } = await send('POST', `${REPO}/${path}`, { title: 'A typo' }, 'danny-developer');
      const item = `${REPO}/${path}/${(body as { number: number }).number}`;
      expect(await status('sally-scala', 'PATCH', item, { state: 'closed' })).toBe(403);
      expect((await send('GET', item)).body).toMatchObject({ state: 'open' });
      expect(await status('danny-developer', 'PATCH', item, { state: 'closed' })).toBe(204); // its author
      expect(await status('alexdebrie', 'PATCH', item, { state: 'open' })).toBe(204); // the owner of the repository
    }
    const mega = '/repos/megacorp/mega-repo';
    await send('POST', `${mega}/issues`, { title: 'A typo' }, 'danny-developer');
    expect(await status('sally-scala', 'PATCH', `${mega}/issues/1`, { state: 'closed' })).toBe(403);
    expect(await status('alexdebrie', 'PATCH', `${mega}/issues/1`, { state: 'closed' })).toBe(204); // a member

    expect(await status('sally-scala', 'PATCH', REPO, { description: 'Mine' })).toBe(403);
    expect((await send('GET', REPO)).body).not.toMatchObject({ description: 'Mine' });
    expect(await status('sally-scala', 'POST', '/orgs/megacorp/repos', { name: 'tool' })).toBe(403);
    expect(await status('sally-scala', 'POST', `${REPO}/forks`, { organization: 'megacorp' })).toBe(403);
    expect((await send('GET', '/orgs/megacorp/repos')).body).toHaveLength(1);

    const plan = { name: 'Team', start_date: '2020-01-01' };
    expect(await status('sally-scala', 'PUT', '/users/alexdebrie/plan', plan)).toBe(403);
    expect(await status('alexdebrie', 'PUT', '/users/megacorp/plan', plan)).toBe(403); // a member and not an admin
    expect(await status('sally-scala', 'PUT', '/users/sally-scala/plan', plan)).toBe(204);
    expect(await status('sally-scala', 'PUT', '/orgs/megacorp/memberships/sally-scala', { role: 'admin' })).toBe(403);
    expect((await send('GET', '/orgs/megacorp/members')).body).toHaveLength(1);

    // An organization without members has no admin, and does not take one from among its visitors.
    await site.accounts.createOrganization('halfcorp');
    expect(await status('sally-scala', 'PUT', '/orgs/halfcorp/memberships/sally-scala', { role: 'admin' })).toBe(403);
  });

  test('a repeated request opens one issue and writes one comment, and is answered with them', async () => {
    const { send } = await serve(await openSite(workbench()), workbench());
    const post = async (path: string, body: object, key = 'key-of-the-caller', user = 'sally-scala') =>
      await send('POST', `${REPO}${path}`, body, user, key);
    for (const list of ['/issues', '/pulls']) {
      const said = { title: 'It rains in', body: 'Since Monday' };
      const opened = await post(list, said);
      expect(opened.status).toBe(201);
      expect(await post(list, said)).toEqual(opened);
      const { number } = opened.body as { readonly number: number };
      expect((await post(list, said, 'another-key')).body).toMatchObject({ number: number + 1 });
      expect((await post(list, said, 'key-of-the-caller', 'danny-developer')).body).toMatchObject({
        number: number + 2,
      });
      expect((await send('GET', `${REPO}${list}`)).body).toHaveLength(3);
      const comments = `${list}/${number}/comments`;
      const sayings = Array.from({ length: 3 }, async () => await post(comments, { body: 'Here too' }));
      const [first, ...others] = await Promise.all(sayings);
      expect([first?.status, others]).toEqual([201, [first, first]]);
      expect((await post(comments, { body: 'Here too' }, 'another-key')).body).not.toEqual(first?.body);
      expect((await send('GET', `${REPO}${comments}`)).body).toHaveLength(2);
    }
    expect(await post('/issues', { title: 'x' }, 'short')).toMatchObject({ status: 400 });
  });

  test('an attempt that broke off is found, or is begun again by one of its repetitions when it cannot be under way', async () => {
    const site = await openSite(workbench());
    const requests = await requestsOf(site, workbench().client);
    const once = new Once(site, requests);
    const said = { title: 'It rains in', author: 'sally-scala' };
    const scope = ['issues', BOOK.owner, BOOK.repo, said.author];
    const open = async (key: string) => await once.open('issues', BOOK, said, key);

    // The process ended after the issue was written.
    const broken = await requests.attempt(scope, 'ended-after');
    const written = await site.issues.create(BOOK, { ...said, createdAt: broken.at });
    site.clock.setToMs(site.clock.nowMs() + 1000);
    expect((await open('ended-after')).number).toBe(written.number);

    // It ended before that.
    await requests.attempt(scope, 'ended-before');
    await expect(open('ended-before')).rejects.toMatchObject({ status: 503, code: 'busy' });
    site.clock.setToMs(site.clock.nowMs() + 31_000);
    const repetitions = await Promise.allSettled([open('ended-before'), open('ended-before'), open('ended-before')]);
    const [opened, ...others] = repetitions.flatMap((each) => (each.status === 'fulfilled' ? each.value.number : []));
    expect(opened).toBe(written.number + 1);
    expect(others.every((number) => number === opened)).toBe(true);
    expect((await open('ended-before')).number).toBe(opened);
    expect((await site.issues.of(BOOK)).issues.map(({ number }) => number)).toEqual([opened, written.number]);
  });

  test('a fault of ours is told to the operator, not to the visitor', async () => {
    const site = await openSite(workbench());
    const failing = {
      ...site,
      repos: Object.assign(Object.create(site.repos) as typeof site.repos, { find: undefined }),
    };
    const { send, errors } = await serve(failing, workbench());
    expect(await send('GET', REPO)).toMatchObject({ status: 500, body: { code: 'fault' } });
    expect(errors).toHaveLength(1);
  });
});

test('signing out ends a session, and signing out everywhere all of them', async () => {
  await serving(startGitHub, async (served) => await expectToSignOut(served, 'ada-codes-1'), { scale: 0.001 });
});
