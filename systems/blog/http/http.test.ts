import { afterEach, expect, test, vi } from 'vitest';
import type { SignIn } from '../../http/sign-in.ts';
import { expectToSignOut, serving, type ServedApplication } from '../../testing/applications.ts';
import { keepsExamples } from '../../testing/examples.ts';
import { blog } from '../model.ts';
import { type Journal, monthFrom, periodOf } from './journal.ts';
import { routesOf } from './routes.ts';
import { startBlog } from './start.ts';

keepsExamples(new URL('examples.json', import.meta.url));

const POST = { title: 'On keys', body: '<b>One</b>\n\nTwo' };

afterEach(() => vi.unstubAllEnvs());

async function author({ ask }: ServedApplication, userId: string): Promise<string> {
  const body = { userId, name: userId, email: `${userId}@example.org` };
  expect((await ask('POST', '/authors', { body })).status).toBe(201);
  return String((await ask('POST', '/sessions', { body: { username: userId } })).body['token']);
}

test('every pattern is served by an operation', () => {
  const served = routesOf({} as Journal, {} as SignIn).flatMap(({ serves = [] }) => serves);
  const declared = Object.values(blog.patterns).flatMap(({ id }) => id ?? []);
  expect(new Set(served)).toEqual(new Set(declared));
});

test('a post is written once, changed in both copies by its author only, and deleted with its comments', async () => {
  await serving(
    startBlog,
    async (served) => {
      const { ask } = served;
      const [ada, bob] = [await author(served, 'ada'), await author(served, 'bob')];
      const answers = [
        await ask('POST', '/posts', { token: ada, key: 'first-post', body: POST }),
        await ask('POST', '/posts', { token: ada, key: 'first-post', body: POST }),
      ];
      expect(new Set(answers.map(({ body }) => body['postId'])).size).toBe(1);
      const path = `/posts/${String(answers[0]?.body['postId'])}`;
      expect((await ask('GET', '/authors/ada/posts')).body['posts']).toHaveLength(1);

      for (const [method, body] of [
        ['PATCH', { ...POST, title: 'Mine' }],
        ['DELETE', undefined],
      ] as const)
        expect(await ask(method, path, { token: bob, body })).toMatchObject({
          status: 403,
          body: { code: 'not-yours' },
        });
      expect((await ask('PATCH', path, { token: ada, body: { ...POST, title: 'Changed' } })).status).toBe(204);
      const [alone, latest] = [await ask('GET', `${path}/text`), await ask('GET', '/authors/ada')];
      expect([alone.body['title'], latest.body['posts']]).toEqual([
        'Changed',
        [expect.objectContaining({ title: 'Changed' })],
      ]);

      const comment = { token: bob, body: { text: 'Thank you.' } };
      expect((await ask('PUT', `${path}/comments`, comment)).status).toBe(201);
      // Sent again, it is the same comment. Another one is refused.
      expect((await ask('PUT', `${path}/comments`, comment)).status).toBe(201);
      expect(await ask('PUT', `${path}/comments`, { token: bob, body: { text: 'And again.' } })).toMatchObject({
        status: 409,
        body: { code: 'already-done' },
      });
      expect((await ask('POST', `${path}/replies`, comment)).status).toBe(201);
      expect((await ask('GET', `${path}/comments/bob`)).body['text']).toBe('Thank you.');
      const read = await ask('GET', path);
      expect(read.body).toMatchObject({ post: { title: 'Changed' }, comments: [{ userId: 'bob' }] });
      expect(read.receipt).toBe('op=Query;place=blog-single-table;read=2;returned=2;rcu=0.5;pattern=BL-8, serves=BL-8');

      expect((await ask('DELETE', path, { token: ada })).status).toBe(204);
      expect((await ask('GET', `${path}/comments`)).body['comments']).toEqual([]);
      expect((await ask('GET', path)).status).toBe(404);
    },
    { scale: 0 },
  );
});

test('a deletion that broke off before the comments, or before the replies, is continued when it is sent again', async () => {
  let [passes, failures] = [0, 1];
  await serving(
    async (options) => {
      options.client.middlewareStack.add(
        (next, { commandName }) =>
          async (args) => {
            if (commandName !== 'BatchWriteItemCommand' || failures === 0 || passes-- > 0) return await next(args);
            failures -= 1;
            throw new TypeError('fetch failed');
          },
        { step: 'initialize' },
      );
      return await startBlog(options);
    },
    async (served) => {
      const { ask } = served;
      const said = async (): Promise<number> =>
        (await served.stored()).filter((item) => item.includes('COMMENT#')).length;
      const token = await author(served, 'ada');
      const path = `/posts/${String((await ask('POST', '/posts', { token, body: POST })).body['postId'])}`;
      await ask('PUT', `${path}/comments`, { token, body: { text: 'First.' } });
      await ask('POST', `${path}/replies`, { token, body: { text: 'Second.' } });
      expect((await ask('DELETE', path, { token })).status).toBe(500);
      expect(await said()).toBe(2);
      // Breaks off again, between comments and replies.
      passes = 1;
      failures = 1;
      expect((await ask('DELETE', path, { token })).status).toBe(500);
      expect(await said()).toBe(1);
      // What is answered as done has deleted something.
      expect((await ask('DELETE', path, { token })).status).toBe(204);
      expect(await said()).toBe(0);
      expect((await ask('DELETE', path, { token })).status).toBe(404);
    },
    { scale: 0 },
  );
});

test('a cursor continues its own list, and is refused for that of another author or post', async () => {
  await serving(
    startBlog,
    async (served) => {
      const { ask } = served;
      const [ada, bob] = [await author(served, 'ada'), await author(served, 'bob')];
      const ids: string[] = [];
      for (let at = 0; at < 21; at += 1) {
        ids.push(String((await ask('POST', '/posts', { token: ada, body: POST })).body['postId']));
      }
      const first = await ask('GET', '/authors/ada/posts');
      const rest = await ask('GET', `/authors/ada/posts?cursor=${String(first.body['cursor'])}`);
      expect([first.body['posts'], rest.body['posts']].map((page) => (page as unknown[]).length)).toEqual([20, 1]);
      const seen = [first, rest].flatMap(({ body }) => body['posts'] as { readonly postId: string }[]);
      expect(new Set(seen.map(({ postId }) => postId))).toEqual(new Set(ids));
      expect(rest.body['cursor']).toBeUndefined();
      for (const path of ['/authors/bob/posts', `/posts/${ids[0]}`, `/posts/${ids[1]}`]) {
        const foreign = await ask('GET', `${path}?cursor=${String(first.body['cursor'])}`);
        expect([foreign.status, foreign.body['code']]).toEqual([400, 'invalid']);
      }
      const commenters = Array.from({ length: 50 }, (_, at) => `c${at}`);
      for (const userId of commenters) {
        const comment = { token: await author(served, userId), body: { text: 'Yes.' } };
        for (const id of ids.slice(0, 2)) await ask('PUT', `/posts/${id}/comments`, comment);
      }
      const page = await ask('GET', `/posts/${ids[0]}`);
      const more = `?cursor=${String(page.body['cursor'])}`;
      const next = await ask('GET', `/posts/${ids[0]}${more}`);
      const said = [page, next].flatMap(({ body }) => body['comments'] as { readonly userId: string }[]);
      expect(said.map(({ userId }) => userId).toSorted()).toEqual(commenters.toSorted());
      expect([next.body['post'], next.body['cursor']]).toEqual([undefined, undefined]);
      expect((await ask('GET', `/posts/${ids[1]}${more}`)).status).toBe(400);
      // The same key of another author is another post.
      const keyed = { key: 'the-same-key', body: POST };
      const [one, other] = [
        await ask('POST', '/posts', { token: ada, ...keyed }),
        await ask('POST', '/posts', { token: bob, ...keyed }),
      ];
      expect([one.body['userId'], other.body['userId']]).toEqual(['ada', 'bob']);
      expect(one.body['postId']).not.toBe(other.body['postId']);
    },
    { scale: 0 },
  );
});

test('what is refused says why', async () => {
  await serving(
    startBlog,
    async (served) => {
      const { ask, said } = served;
      const token = await author(served, 'ada');
      const cases: [string, string, Parameters<typeof ask>[2], number, string][] = [
        [
          'POST',
          '/authors',
          { body: { userId: 'ada', name: 'x', email: 'x@example.org' } },
          409,
          'There is one of this id already.',
        ],
        [
          'POST',
          '/authors',
          { body: { userId: 'a#b', name: 'x', email: 'x@example.org' } },
          400,
          'userId does not have the right form.',
        ],
        ['POST', '/posts', { body: POST }, 401, 'This takes the token of a session that has not ended.'],
        [
          'POST',
          '/posts',
          { token, body: { ...POST, body: 'x'.repeat(100_001) } },
          400,
          'body has to have at most 100000 characters.',
        ],
        [
          'POST',
          '/posts',
          { token, body: { ...POST, body: 'x'.repeat(400_000) } },
          413,
          'A body has at most 262144 bytes.',
        ],
        ['GET', '/authors/absent', {}, 404, 'There is no such author.'],
        [
          'GET',
          '/authors/ada/posts?from=2024-05-01&to=2024-04-01',
          {},
          400,
          'from and to have to be two dates, the earlier one first.',
        ],
        [
          'GET',
          '/authors/ada/posts?from=2024-05-01&to=2024-05-01',
          {},
          400,
          'from and to have to be two dates, the earlier one first.',
        ],
        [
          'GET',
          '/authors/ada/posts?from=2024-05-01',
          {},
          400,
          'from and to have to be two dates, the earlier one first.',
        ],
        [
          'GET',
          '/authors/ada/posts?to=2024-05-01',
          {},
          400,
          'from and to have to be two dates, the earlier one first.',
        ],
        ['GET', '/authors/ada/posts?from=May', {}, 400, 'from has to be a date such as 2026-01-31.'],
        [
          'GET',
          '/authors/ada/posts?cursor=x',
          {},
          400,
          'The cursor does not belong to this list. Begin at its first page.',
        ],
        ['PUT', '/posts/none/comments', { token, body: { text: 'x' } }, 404, 'There is no such post.'],
        ['DELETE', '/posts/none', { token }, 404, 'There is no such post.'],
      ];
      for (const [method, path, options, status, detail] of cases) {
        const { status: got, body } = await ask(method, path, options);
        expect([method, path, got, body['detail']]).toEqual([method, path, status, detail]);
      }
      expect(said).toEqual([]);
    },
    { scale: 0 },
  );
});

test('a month is from its first day to that of the next', () => {
  expect(periodOf('2024-12')).toEqual({ from: '2024-12-01', to: '2025-01-01' });
  expect([monthFrom('2024-01', -1), monthFrom('2024-02', 1)]).toEqual(['2023-12', '2024-03']);
});

test('signing out ends a session, and signing out everywhere all of them', async () => {
  await serving(
    startBlog,
    async (served) => {
      await author(served, 'ada');
      await expectToSignOut(served, 'ada');
      expect((await served.ask('GET', '/authors/ada/profile')).body).toMatchObject({ name: 'ada' });
    },
    { scale: 0 },
  );
});

test('the strip of costs links to the collections in a workbench, where there is one', async () => {
  const pageOf = async (address: string): Promise<string> => {
    vi.stubEnv('WORKBENCH', address);
    let page = '';
    await serving(
      startBlog,
      async (served) => {
        await author(served, 'ada');
        page = await (await fetch(`${served.url}/authors/ada`)).text();
      },
      { scale: 0 },
    );
    return page;
  };
  const linked = await pageOf('http://127.0.0.1:4000');
  expect(linked).toContain(
    'href="http://127.0.0.1:4000/studio/t/blog-single-table?pk=S%3AUSER%23ada&amp;sk=begins_with%3APOST%23"',
  );
  // Two parts of one collection.
  expect(linked).toContain('/studio/t/blog-single-table?pk=S%3AUSER%23ada&amp;sk=between%3APOST%23%1FPROFILE"');
  expect(await pageOf('')).not.toContain('/studio/');
  await expect(pageOf('javascript:alert(1)')).rejects.toThrow('WORKBENCH is no address of a page');
});
