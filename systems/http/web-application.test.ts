import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Costs } from './costs.ts';
import { faultText } from './faults.ts';
import { HttpError } from './http-error.ts';
import { idempotencyKeyOf } from './idempotency.ts';
import { html } from './markup.ts';
import { field, form, type Place } from './page-frame.ts';
import { pictureOf } from './pictures.ts';
import { receiptHeader } from './receipt.ts';
import { typeText } from './reference.ts';
import { route } from './route.ts';
import type { Handler } from './router.ts';
import { action, screen } from './screens.ts';
import { opened, sealed } from './sealed.ts';
import { webApplication } from './web-application.ts';

const stored: string[] = [];
const faults: string[] = [];

async function open(places: readonly Place[] = [{ path: '/notes', label: 'Notes' }]): Promise<Handler> {
  stored.length = 0;
  faults.length = 0;
  return await webApplication({
    frame: { name: 'Notes', voice: 'reading', places, signInPath: '/sign-in' },
    description: 'Notes',
    tint: { hue: 1, strength: 1 },
    routes: [
      route({
        method: 'POST',
        path: '/notes',
        operationId: 'write',
        summary: 'Write',
        serves: ['N-1'],
        body: z.object({
          text: z.string().min(1).max(5),
          tags: z.array(z.string()).max(2).default([]),
          kind: z.enum(['a', 'b']).default('a'),
          email: z.email().optional(),
          count: z.int().min(1).optional(),
        }),
        answers: { 204: { description: 'Written' } },
        handle: async () => await Promise.resolve({ status: 204 }),
      }),
    ],
    screens: [
      screen({
        path: '/notes',
        serves: ['N-2'],
        show: async ({ refused }) =>
          await Promise.resolve({
            title: 'Notes',
            main: html`<p>${stored}</p>
              ${form('/notes', html`${field('text', 'Text', { refused })}<button>Write</button>`)}`,
          }),
      }),
      screen({
        path: '/mine',
        serves: [],
        signedIn: true,
        show: async () => await Promise.resolve({ title: 'Mine', main: html`` }),
      }),
      screen({ path: '/broken', serves: [], show: async () => await Promise.reject(new RangeError('a secret')) }),
    ],
    actions: [
      action({
        path: '/drafts/send',
        of: '/notes',
        form: z.object({ text: z.string().min(1) }),
        act: async () => await Promise.resolve({ to: '/notes' }),
      }),
      action({
        path: '/notes',
        of: '/notes',
        form: z.object({ text: z.string().min(1).max(20) }),
        act: async ({ form: { text } }) => {
          if (text === 'broken') throw new RangeError('a secret', { cause: new TypeError('its cause') });
          if (text === 'busy')
            throw Object.assign(new Error('all shards'), { name: 'ProvisionedThroughputExceededException' });
          if (text === 'taken')
            throw new HttpError(409, 'taken', 'It is taken.', {}, [{ field: 'text', detail: 'is taken' }]);
          stored.push(text);
          return await Promise.resolve({ to: '/notes' });
        },
      }),
    ],
    costs: new Costs(),
    errorOf: () => undefined,
    onFault: (error, where) => faults.push(faultText(error, where)),
  });
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

async function post(handler: Handler, body: string, headers: Record<string, string> = FORM): Promise<Response> {
  return await handler(new Request('http://x/notes', { method: 'POST', headers, body }));
}

async function get(handler: Handler, path: string): Promise<Response> {
  return await handler(new Request(`http://x${path}`));
}

describe('a page', () => {
  test('shows markup that was typed as text, and leads on after a form', async () => {
    const handler = await open();
    const text = `<b a='"'>&`;
    const written = await post(handler, new URLSearchParams({ key: 'k', text }).toString());
    expect([written.status, written.headers.get('location')]).toEqual([303, '/notes']);
    const page = await (await get(handler, '/notes')).text();
    expect(page).toContain('&lt;b a=&#39;&quot;&#39;&gt;&amp;');
    expect(page).not.toContain('<b a');
  });

  test.each([
    ['key=k&text=taken', 409, 'It is taken.', 'value="taken"'],
    ['key=k&text=', 422, 'Text must not be empty.', 'aria-invalid="true"'],
    ['key=k', 422, 'Text is missing.', 'aria-invalid="true"'],
    [`key=k&text=${'x'.repeat(21)}`, 422, 'Text has to have at most 20 characters.', 'x'.repeat(21)],
    ['text=x', 400, 'The form has no key.', 'value="x"'],
  ])('says beside the field what was refused, and keeps what was typed: %s', async (body, status, detail, kept) => {
    const handler = await open();
    const response = await post(handler, body);
    const page = await response.text();
    expect(response.status).toBe(status);
    expect(page).toContain(detail);
    expect(page).toContain(kept);
    expect(stored).toEqual([]);
  });

  test.each([
    ['another site', { ...FORM, origin: 'http://elsewhere' }, 403],
    ['a program', { 'content-type': 'application/json' }, 415],
  ])('takes no form from %s', async (_, headers, status) => {
    const handler = await open();
    expect((await post(handler, 'key=k&text=x', headers)).status).toBe(status);
    expect(stored).toEqual([]);
  });

  test.each([
    ['/nothing', 404],
    ['/notes/', 404],
    ['/broken', 500],
    ['/picture/face/%FF.svg', 400],
    ['/picture/none/x.svg', 404],
    ['/picture/constructor/x.svg', 404],
  ])('%s is %i and says nothing of the inside', async (path, status) => {
    const response = await get(await open(), path);
    expect(response.status).toBe(status);
    expect(await response.text()).not.toMatch(/secret|at .*\.ts/);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  test('tells the operator once what a fault was, where, and why', async () => {
    const handler = await open();
    expect((await get(handler, '/broken?word=typed')).status).toBe(500);
    expect(faults).toEqual([expect.stringMatching(/^Fault in GET \/broken: RangeError: a secret\n +at .*test\.ts/)]);
    const response = await post(handler, 'key=k&text=broken');
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringMatching(/secret|cause/)]);
    expect(faults.slice(1)).toEqual([
      expect.stringMatching(
        /^Fault in POST \/notes: RangeError: a secret\n[^]* at [^]*\nCaused by TypeError: its cause\n +at /,
      ),
    ]);
    await get(handler, '/nothing');
    expect(faults).toHaveLength(2);
  });

  test('is the one with the form where that was refused, whatever the path that the form was sent to', async () => {
    const handler = await open([
      { path: '/notes', label: 'Notes' },
      { path: '/drafts', label: 'Drafts' },
    ]);
    const response = await handler(
      new Request('http://x/drafts/send', { method: 'POST', headers: FORM, body: 'key=k&text=' }),
    );
    expect(response.status).toBe(422);
    expect(await response.text()).toMatch(/<a href="\/notes" aria-current="page">Notes/);
  });

  test('says where the table is too busy that one may try again, and when', async () => {
    const handler = await open();
    const response = await post(handler, 'key=k&text=busy');
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    const text = await response.text();
    expect(text).toContain('Too many are writing here at once. Try again in a moment.');
    expect(text).not.toMatch(/Throughput|shards/);
    expect(faults).toEqual([]);
  });

  test('comes with its typefaces from its own origin, script and style small enough for a telephone', async () => {
    const handler = await open();
    const page = await get(handler, '/notes');
    expect(page.headers.get('content-security-policy')).toContain("font-src 'self'");
    const parts = [...(await page.text()).matchAll(/(?:src|href)="(\/[\w-]+\.(?:js|css))"/g)].map(
      ([, path = '']) => path,
    );
    const sizes = { js: 0, css: 0 };
    let style = '';
    for (const path of parts) {
      const text = await (await get(handler, path)).text();
      const kind = path.endsWith('.js') ? 'js' : 'css';
      sizes[kind] += gzipSync(text).length;
      if (kind === 'css') style += text;
    }
    expect(sizes.js).toBeGreaterThan(0);
    expect(sizes.js).toBeLessThan(16 * 1024);
    expect(sizes.css).toBeLessThan(14 * 1024);
    const typefaces = [...style.matchAll(/url\('([^']+)'\)/g)].map(([, path = '']) => path);
    expect(typefaces).toEqual(['/font/geist.woff2', '/font/geist-mono.woff2', '/font/newsreader.woff2']);
    for (const path of typefaces) {
      const response = await get(handler, path);
      const bytes = Buffer.from(await response.arrayBuffer());
      expect([path, response.headers.get('content-type'), bytes.subarray(0, 4).toString()]).toEqual([
        path,
        'font/woff2',
        'wOF2',
      ]);
      expect(bytes.length).toBeLessThan(60_000);
    }
    expect((await get(handler, '/font/none.woff2')).status).toBe(404);
  });

  test('sends those who are not signed in to where one signs in', async () => {
    const response = await get(await open(), '/mine');
    expect([response.status, response.headers.get('location')]).toEqual([303, '/sign-in']);
  });
});

describe('an operation', () => {
  test.each([
    [{}, 'text is missing.'],
    [{ text: 5 }, 'text has to be text.'],
    [{ text: '123456' }, 'text has to have at most 5 characters.'],
    [{ text: 'x', tags: ['a', 'b', 'c'] }, 'tags has to have at most 2 entries.'],
    [{ text: 'x', kind: 'c' }, 'kind has to be one of a, b.'],
    [{ text: 'x', email: 'nowhere' }, 'email has to be an e-mail address.'],
    [{ text: 'x', count: 0.5 }, 'count has to be a whole number.'],
    [{ text: 'x', count: 0 }, 'count has to be at least 1.'],
    [[], 'body has to be an object.'],
  ])('refuses %j in plain words', async (body, detail) => {
    const handler = await open();
    const response = await handler(new Request('http://x/api/notes', { method: 'POST', body: JSON.stringify(body) }));
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'invalid', detail }),
    ]);
  });

  test('refuses half of a character, however deep it is', async () => {
    const handler = await open();
    const deep = `{"text":${'['.repeat(50_000)}"\\ud800"${']'.repeat(50_000)}}`;
    for (const body of ['{"text":"\\ud800"}', deep]) {
      const response = await handler(new Request('http://x/api/notes', { method: 'POST', body }));
      expect([response.status, ((await response.json()) as { detail: string }).detail]).toEqual([
        400,
        'The body has half of a character, which no text can hold.',
      ]);
    }
  });

  test('is described with the access patterns it is made of', async () => {
    const description: unknown = await (await get(await open(), '/openapi.json')).json();
    expect(description).toMatchObject({ paths: { '/api/notes': { post: { description: 'Access patterns: N-1.' } } } });
  });
});

test('a receipt says what each request was and cost, and where there were too many', () => {
  const query = {
    operation: 'Query',
    place: 'T GSI1',
    itemsRead: 3,
    itemsReturned: 2,
    itemsWritten: 0,
    readUnits: 0.5,
  };
  const rest = { writeUnits: 0, collection: undefined, items: [], isBackwards: true, isRefused: false };
  const cost = { ...query, ...rest, pattern: undefined };
  expect(receiptHeader([cost], ['N-1'])).toBe('op=Query;place=T/GSI1;read=3;returned=2;rcu=0.5, serves=N-1');
  const asked = { name: 'notesOf', id: 'N-1', strategy: undefined };
  expect(receiptHeader([{ ...cost, pattern: asked }])).toMatch(/^op=Query;place=T.*;rcu=0.5;pattern=N-1$/);
  expect(receiptHeader([{ ...cost, pattern: { ...asked, id: undefined } }])).toMatch(/;pattern=notesOf$/);
  const put = { ...cost, operation: 'PutItem', place: 'T', itemsWritten: 1, writeUnits: 2, isRefused: true };
  expect(receiptHeader([put])).toBe('op=PutItem;place=T;written=1;wcu=2;refused');
  expect(receiptHeader(Array.from({ length: 23 }, () => cost)).endsWith('more=3')).toBe(true);
});

test('a cursor is good for its list and its person only', () => {
  const cursor = sealed('secret', ['orders', 'ada'], 'place');
  expect(opened('secret', ['orders', 'ada'], cursor)).toBe('place');
  const foreign: [string, string[], string][] = [
    ['secret', ['orders', 'bob'], cursor],
    ['secret', ['likes', 'ada'], cursor],
    ['other', ['orders', 'ada'], cursor],
    ['secret', ['orders', 'ada'], ''],
    ['secret', ['orders', 'ada'], `${cursor.slice(0, -2)}AA`],
    ['secret', ['orders', 'ada'], 'no cursor at all'],
  ];
  for (const each of foreign) expect(() => opened(...each)).toThrow(HttpError);
});

test('an idempotency key has a length and no spaces', () => {
  const keyOf = (key?: string) =>
    idempotencyKeyOf(new Request('http://x', key === undefined ? {} : { headers: { 'idempotency-key': key } }));
  expect([keyOf(), keyOf('12345678')]).toEqual([undefined, '12345678']);
  for (const key of ['1234567', 'two words', 'x'.repeat(101)]) expect(() => keyOf(key)).toThrow(HttpError);
});

test('pictures are pure, small and mostly different', () => {
  for (const kind of ['face', 'key', 'mark', 'cover', 'landscape', 'spines']) {
    const pictures = Array.from({ length: 300 }, (_, i) => pictureOf(kind, `seed${i}:5`) ?? '');
    expect(pictures).toEqual(Array.from({ length: 300 }, (_, i) => pictureOf(kind, `seed${i}:5`)));
    for (const each of pictures) {
      expect(each.length).toBeLessThan(6_000);
      expect(each).not.toMatch(/undefined|NaN/);
      expect(each.match(/<(?!\/|\w+[^>]*\/>)\w+/g)?.length).toBe(each.match(/<\//g)?.length);
    }
    if (kind !== 'mark') expect(new Set(pictures).size).toBeGreaterThan(150);
  }
});

test('a header has room for four places', async () => {
  const places = (count: number): Place[] =>
    Array.from({ length: count }, (_, at) => ({ path: `/place-${at}`, label: 'Place' }));
  expect((await get(await open(places(4)), '/notes')).status).toBe(200);
  await expect(open(places(5))).rejects.toThrow('4 places');
});

test('a cover bears its title and its author, as text', () => {
  const drawn = pictureOf('cover', 'Salt & <Pepper>, Ada Byron') ?? '';
  expect(drawn.match(/(?<=>)[^<>]+(?=<\/text>)/g)).toEqual(['Salt &#38;', '&#60;Pepper&#62;', 'Ada Byron']);
  expect(pictureOf('cover', 'Emma, Jane Austen')).toContain('>Emma</text>');
  expect(pictureOf('cover', `${'W'.repeat(200)}\0`)).not.toMatch(/\0|W{45}/);
});

test('no text that is put into a template becomes markup', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(html`<i title="${text}">${[text]}</i>`.text.replaceAll(/&(amp|lt|gt|quot|#39);/g, '')).not.toMatch(
        /<(?!i title="|\/i>)|"(?!>|<)[^">]*"[^>]*"/,
      );
    }),
  );
});

describe('the reference of the operations', () => {
  test('is a page made from their description', async () => {
    const answer = await open();
    const response = await answer(new Request('http://notes/api'));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/html');
    const text = await response.text();
    expect(text).toContain('<code>POST /api/notes</code>');
    expect(text).toContain('Write. Access patterns: N-1.');
    expect(text).toContain('email?: string (email)');
    expect(text).toContain('kind?: &quot;a&quot; | &quot;b&quot;');
    expect(text).toContain('204: Written');
  });

  test.each<[object, string]>([
    [{ type: 'array', items: { enum: ['a', 1] } }, '("a" | 1)[]'],
    [{ type: 'array', items: { type: 'integer' } }, 'number[]'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string | null'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ $ref: '#/components/schemas/Problem' }, 'Problem'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, '{ [name]: number }'],
    [{ type: 'object', properties: { a: { const: true } }, required: ['a'] }, '{\n  a: true\n}'],
    [{ type: 'object' }, '{}'],
    [{}, 'unknown'],
  ])('has the type of %j', (shape, text) => {
    expect(typeText(shape)).toBe(text);
  });
});
