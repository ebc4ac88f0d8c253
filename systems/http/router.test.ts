import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { BODY_BYTES_MAX } from './body-text.ts';
import { HttpError } from './http-error.ts';
import { serveHttp } from './node-server.ts';
import { openApiOf } from './open-api.ts';
import { route } from './route.ts';
import { router, type RouterOptions, UndeclaredAnswerError } from './router.ts';

const routes = [
  route({
    method: 'GET',
    path: '/books/{book}',
    operationId: 'getBook',
    summary: 'A book',
    tag: 'Books',
    query: z.object({ pages: z.coerce.number().int().optional() }),
    answers: { 200: { description: 'The book', schema: z.object({ book: z.string(), pages: z.number().optional() }) } },
    handle: async ({ path, query }) => {
      if (path.book === 'none') throw new RangeError('no such book');
      if (path.book === 'broken') throw new TypeError('a fault');
      const more = path.book === 'talkative' ? { shelf: { row: 3 } } : {};
      return { status: path.book === 'odd' ? 202 : 200, body: { book: path.book, pages: query.pages, ...more } };
    },
  }),
  route({
    method: 'PUT',
    path: '/books/{book}',
    operationId: 'putBook',
    summary: 'Write a book',
    tag: 'Books',
    security: 'author',
    body: z.object({ title: z.string() }),
    answers: { 204: { description: 'Written' } },
    handle: async ({ body }) => ({ status: body.title === 'loud' ? 200 : 204 }),
  }),
];

const options: RouterOptions = {
  routes,
  prefix: '/api',
  errorOf: (error) => (error instanceof RangeError ? new HttpError(404, 'no-book', error.message) : undefined),
  authorize: (scheme, request) => {
    if (request.headers.get('authorization') !== scheme) throw new HttpError(401, 'who', 'Say who you are.');
  },
};

const author = { authorization: 'author' };
const put = (body: BodyInit, headers: Record<string, string> = author): RequestInit => ({
  method: 'PUT',
  headers,
  body,
});
type BodyInit = NonNullable<RequestInit['body']>;

async function ask(path: string, init?: RequestInit, more: Partial<RouterOptions> = {}): Promise<[number, unknown]> {
  const response = await router({ ...options, ...more })(new Request(`http://x${path}`, init));
  const text = await response.text();
  return [response.status, text === '' ? undefined : JSON.parse(text)];
}

describe('routes', () => {
  test('get their path, query and body, parsed', async () => {
    expect(await ask('/api/books/a%20b?pages=3')).toEqual([200, { book: 'a b', pages: 3 }]);
    expect(await ask('/api/books/a', put('{"title":"A"}'))).toEqual([204, undefined]);
  });

  test.each([
    ['/books/a', undefined, 404, 'no-such-path'],
    ['/api/books/', undefined, 404, 'no-such-path'],
    ['/api/books/a/b', undefined, 404, 'no-such-path'],
    ['/api/books/a', { method: 'DELETE' }, 405, 'no-such-method'],
    ['/api/books/a?pages=many', undefined, 400, 'invalid'],
    ['/api/books/%E0', undefined, 400, 'invalid'],
    ['/api/books/a', put('{"title":1}'), 400, 'invalid'],
    ['/api/books/a', put('title'), 400, 'not-json'],
    ['/api/books/a', put('x'.repeat(BODY_BYTES_MAX + 1)), 413, 'too-large'],
    ['/api/books/a', put('{"title":"A"}', {}), 401, 'who'],
    ['/api/books/none', undefined, 404, 'no-book'],
    ['/api/books/broken', undefined, 500, 'fault'],
  ])('%s %j is refused', async (path, init, status, code) => {
    const title = expect.any(String) as string;
    expect(await ask(path, init)).toEqual([
      status,
      expect.objectContaining({ type: 'about:blank', title, status, code }),
    ]);
  });

  test('a fault is told to the application and not to the caller', async () => {
    const faults: unknown[][] = [];
    const [, answer] = await ask('/api/books/broken', undefined, {
      onFault: (...fault) => faults.push(fault),
    });
    expect(faults).toEqual([[new TypeError('a fault'), 'GET /api/books/broken']]);
    expect(JSON.stringify(answer)).not.toContain('a fault');
  });

  test('an answer that is not declared is noticed where answers are checked', async () => {
    const checking = { checksAnswers: true };
    expect((await ask('/api/books/a?pages=3', undefined, checking))[0]).toBe(200);
    expect((await ask('/api/books/odd', undefined, checking))[0]).toBe(500);
    expect((await ask('/api/books/talkative', undefined, checking))[0]).toBe(500);
    expect((await ask('/api/books/talkative'))[0]).toBe(200);
    expect((await ask('/api/books/a', put('{"title":"loud"}'), checking))[0]).toBe(500);
  });

  test('a refusal that is not declared is noticed as well, one that follows from what the operation takes is declared', async () => {
    const faults: unknown[] = [];
    const checking = { checksAnswers: true, onFault: (fault: unknown) => faults.push(fault) };
    expect((await ask('/api/books/none'))[0]).toBe(404);
    expect((await ask('/api/books/none', undefined, checking))[0]).toBe(500);
    expect(faults).toEqual([new UndeclaredAnswerError('getBook does not declare 404, no-book')]);
    for (const [init, status] of [
      [put('{"title":1}'), 400],
      [put('{"title":"A"}', {}), 401],
      [put('x'.repeat(BODY_BYTES_MAX + 1)), 413],
    ] as const) {
      expect((await ask('/api/books/a', init, checking))[0]).toBe(status);
    }
  });
});

describe('an operation with schemas for everything', () => {
  const number = z.coerce.number().int().min(1);
  const Page = z.strictObject({ page: number });
  const own = [
    route({
      method: 'POST',
      path: '/pages/{page}',
      pathSchemas: { page: number },
      operationId: 'turn',
      summary: 'Turn a page',
      description: 'To the next one.',
      serves: ['PG-1'],
      body: z.object({ by: z.number().default(1) }),
      answers: { 200: { description: 'The page', schema: Page, headers: { Link: { schema: { type: 'string' } } } } },
      handle: async ({ path, body, request }) => ({
        status: 200,
        body: { page: path.page + body.by },
        headers: { link: `<${new URL(request.url).pathname}>; rel="${request.headers.get('x-rel') ?? 'next'}"` },
      }),
    }),
  ];
  const answer = router({ routes: own });
  const post = (path: string, init: RequestInit = {}): Promise<Response> =>
    answer(new Request(`http://x${path}`, { method: 'POST', ...init }));

  test('gets parts of the path as their schemas make them, and the request', async () => {
    const response = await post('/pages/3', { headers: { 'x-rel': 'prev' }, body: '{}' });
    expect([await response.json(), response.headers.get('link')]).toEqual([{ page: 4 }, '</pages/3>; rel="prev"']);
    expect(await (await post('/pages/3', { body: '{"by":2}' })).json()).toEqual({ page: 5 });
  });

  test.each([
    ['/pages/0', { body: '{}' }, 400, 'invalid'],
    ['/pages/1', { body: '{"by":"x"}' }, 400, 'invalid'],
    ['/pages/1', { body: '{' }, 400, 'not-json'],
    ['/pages/1', {}, 400, 'not-json'],
    ['/pages/%E0', {}, 400, 'invalid'],
    ['/pages/', {}, 404, 'no-such-path'],
  ])('refuses %s %j', async (path, init, status, code) => {
    const response = await post(path, init);
    expect([response.status, await response.json()]).toMatchObject([status, { code }]);
  });

  test('is described with the schemas that check it', () => {
    const description = openApiOf({ title: 'Pages', version: '1', description: 'Some', routes: own });
    const problem = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
    expect(description.paths['/pages/{page}']).toMatchObject({
      post: {
        description: 'To the next one. Access patterns: PG-1.',
        'x-access-patterns': ['PG-1'],
        parameters: [{ name: 'page', in: 'path', schema: { type: 'integer', minimum: 1 } }],
        responses: {
          200: { headers: { Link: {} }, content: { 'application/json': { schema: { required: ['page'] } } } },
          default: { description: 'A refusal', content: problem },
        },
      },
    });
    expect(description.components).toMatchObject({ schemas: { Problem: { type: 'object' } } });
  });
});

interface Operation {
  readonly parameters: unknown;
  readonly security: unknown;
  readonly requestBody: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
}

type Content = Readonly<
  Record<string, { readonly schema: { readonly properties: object; readonly required: unknown } }>
>;

test('the description has every operation, with what it takes and answers', () => {
  const description = openApiOf({ title: 'Books', version: '1', description: 'Some', routes, prefix: '/api' });
  const { get, put: write } = description.paths['/api/books/{book}'] as Record<'get' | 'put', Operation>;
  expect(get.parameters).toEqual([
    { name: 'book', in: 'path', required: true, schema: { type: 'string' } },
    expect.objectContaining({ name: 'pages', in: 'query', required: false }),
  ]);
  expect(get.responses['200']?.content['application/json']?.schema.properties).toMatchObject({
    book: { type: 'string' },
  });
  expect(write.security).toEqual([{ author: [] }]);
  expect(write.requestBody.content['application/json']?.schema.required).toEqual(['title']);
  // With the refusals that follow from what they take.
  expect(Object.keys(get.responses)).toEqual(['200', '400', 'default']);
  expect(Object.keys(write.responses)).toEqual(['204', '400', '401', '413', 'default']);
});

describe('served on a socket', () => {
  test('requests arrive whole, answers go out whole, and a body that is too long does not harm the next request', async () => {
    const server = await serveHttp(router(options), { port: 0 });
    try {
      const url = `${server.url}/api/books/a`;
      expect(await (await fetch(`${url}?pages=1`)).json()).toEqual({ book: 'a', pages: 1 });
      const long = await fetch(url, put('x'.repeat(4 * BODY_BYTES_MAX)));
      expect([long.status, await long.json()]).toEqual([413, expect.objectContaining({ code: 'too-large' })]);
      expect((await fetch(url, put('{"title":"A"}'))).status).toBe(204);
      expect((await fetch(`${server.url}/api/nothing`, put('{}'))).status).toBe(404);
    } finally {
      await server.close();
    }
    await expect(fetch(server.url)).rejects.toThrow();
  });

  test('a port that is taken is an error', async () => {
    const server = await serveHttp(router(options), { port: 0 });
    try {
      await expect(serveHttp(router(options), { port: Number(new URL(server.url).port) })).rejects.toMatchObject({
        code: 'EADDRINUSE',
      });
    } finally {
      await server.close();
    }
  });
});
