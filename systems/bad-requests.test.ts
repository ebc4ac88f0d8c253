import { describe, expect, test } from 'vitest';
import { startBigTimeDeals } from './big-time-deals/http/start.ts';
import { findApplications } from './find-applications.ts';
import { SAMPLE_PASSWORD } from './session-store/http/people.ts';
import { type ServedApplication, serving } from './testing/applications.ts';
import { drawn } from './testing/drawn.ts';
import { formsOf, kindOf, linksOf, type PageForm, signedIn as entered } from './testing/visitor.ts';
import { type DescribedOperation, type DescribedShape, filled, operationsOf } from './testing/described.ts';

// Every operation of every application gets every kind of bad input that its description lets one think of, and every form of its pages,
// too. Each is refused by a 4xx in plain words, and changes nothing. A run draws a third of the values for each place: the same readers and
// validators refuse them everywhere.

const EDITOR_TOKEN = 'a token of editors';

interface Subject {
  readonly start?: Parameters<typeof serving>[0];
  readonly scale?: number;
  /** The caller; absent for applications without sign-in. */
  readonly token?: (served: ServedApplication) => Promise<{ readonly token: string; readonly values?: Values }>;
  /** Things of the sample data, by parameter, that the lists belong to. */
  readonly values?: Values;
}

type Values = Readonly<Record<string, unknown>>;

async function signedIn({ ask }: ServedApplication, body: object): Promise<string> {
  const { status, body: session } = await ask('POST', '/sessions', { body });
  expect(status).toBe(201);
  return String(session['token']);
}

const as =
  (username: string): NonNullable<Subject['token']> =>
  async (served) => ({ token: await signedIn(served, { username }) });

const subjects: Readonly<Record<string, Subject>> = {
  'big-time-deals': {
    start: async (options) => await startBigTimeDeals({ ...options, editorToken: EDITOR_TOKEN }),
    token: as('hunter1'),
    values: { username: 'hunter1', category: 'Tech' },
  },
  blog: { token: as('u000001'), values: { userId: 'u000001' } },
  'dating-app': { scale: 0.0002, token: as('u1') },
  'e-commerce': { token: as('reader00000') },
  github: { token: as('ada-codes-1') },
  'github-migrations': { token: as('ada-codes-1') },
  'lesson-shop': { scale: 0.01, token: as('u00001') },
  'session-store': {
    token: async (served) => ({
      token: await signedIn(served, { username: 'user000001', password: SAMPLE_PASSWORD }),
    }),
  },
  'support-desk': {
    token: async (served) => {
      const { body } = await served.ask('POST', '/customers', { body: { name: 'Ada', email: 'ada@example.org' } });
      const customerId = String(body['customerId']);
      const token = await signedIn(served, { username: `customer:${customerId}` });
      const subject = { subject: 'Help', body: 'It broke.' };
      const ticket = await served.ask('POST', `/customers/${customerId}/tickets`, { token, body: subject });
      return { token, values: { customerId, ticketId: ticket.body['ticketId'] } };
    },
  },
};

/** Words of a validator, of the SDK, of the database or of the language. */
const LEAKS =
  /zod|invalid[_ ](type|input|string)|expected|received|regex|exception|dynamodb|attribute|expression|\bkey condition|\bundefined\b|\bNaN\b|\[object|inputerror|ruleerror|\bat \S+:\d+|node:|\.[tj]s\b/i;

interface Refused {
  readonly status: number;
  readonly body: { readonly code?: unknown; readonly detail?: unknown; readonly fields?: readonly { field: string }[] };
  /** What is wrong with it as a refusal. */
  readonly faults: readonly string[];
}

/**
 * The answers to bad input say what they have written: nothing. That a request with a key has come is noted before anything else, so that it is
 * known when it comes again, whatever becomes of it.
 */
function writesIn(receipt: string | null): boolean {
  return (receipt ?? '')
    .split(', ')
    .some((part) => /;written=[1-9]/.test(part) && !/;place=[\w-]+-requests;/.test(part));
}

interface Sent {
  readonly path: string;
  /** As text, so that it can be no JSON. */
  readonly body?: string;
}

/** Sends bad input to an operation, and looks at the answer. */
type Send = (operation: DescribedOperation, sent: Sent) => Promise<Refused>;

function sender({ url }: ServedApplication, token: string | undefined): Send {
  return async ({ method, path: template }, { path, body }) => {
    const sentToken = template.startsWith('/api/editor') ? EDITOR_TOKEN : token;
    const response = await fetch(`${url}${path}`, {
      method,
      headers: sentToken === undefined ? {} : { authorization: `Bearer ${sentToken}` },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    const { status } = response;
    if (status < 400) return { status, body: {}, faults: [] };
    // Every refusal is an object; if it is none, that is a fault.
    const problem = JSON.parse(text) as Refused['body'] & { readonly status?: number };
    const faults = [
      ...(status >= 500 ? [`is ${status}`] : []),
      ...(response.headers.get('content-type') === 'application/problem+json' ? [] : ['is no problem']),
      ...(problem.status === status ? [] : ['says another status']),
      ...(typeof problem.code === 'string' && /^[a-z-]+$/.test(problem.code) ? [] : ['has no code']),
      ...(typeof problem.detail === 'string' && /^[A-Z\w].*\.$/s.test(problem.detail) ? [] : ['has no sentence']),
      ...(LEAKS.test(text) ? [`says ${text}`] : []),
      ...(writesIn(response.headers.get('receipt')) ? ['writes although it refuses'] : []),
    ];
    return { status, body: problem, faults };
  };
}

/** A path with valid parameters, those of the example unless the sample data has others. */
function validPath({ path, parameters }: DescribedOperation, values: Values): string {
  const examples = Object.fromEntries(
    parameters.filter(({ in: where }) => where === 'path').map(({ name, example }) => [name, textOf(example)]),
  );
  return filled(path, { ...examples, ...values });
}

/** A parameter in an example is what its schema made of it: `{ day, seq }` of an order. */
function textOf(example: unknown): string {
  return typeof example === 'object' && example !== null ? Object.values(example).join('#') : String(example);
}

const NO_BODIES: readonly (readonly [name: string, body: string])[] = [
  ['nothing', ''],
  ['no JSON', '{"half":'],
  ['a list', '[]'],
  ['null', 'null'],
  ['a text', '"text"'],
  ['a number', '7'],
  ['a deep list', '['.repeat(50_000) + ']'.repeat(50_000)],
  ['half a character', '{"name":"\\ud800"}'],
  ['a form', 'name=Ada'],
];

const WRONG: Readonly<Record<string, unknown>> = {
  string: 7,
  number: 'seven',
  integer: 'seven',
  boolean: 'perhaps',
  array: 'list',
  object: 'object',
};

/** Bodies with one property that is missing or of another type. */
function spoilt({ schema, example }: NonNullable<DescribedOperation['body']>): readonly (readonly [string, object])[] {
  if (typeof example !== 'object' || example === null) return [];
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, { type }]: readonly [string, DescribedShape]) => {
    const { [name]: _, ...without } = example as Readonly<Record<string, unknown>>;
    const wrong = type === undefined ? undefined : WRONG[type];
    return [
      ...(required.includes(name) ? [[name, without] as const] : []),
      ...(wrong === undefined ? [] : [[name, { ...without, [name]: wrong }] as const]),
    ];
  });
}

const BAD_CURSORS = ['none', '', '%00', 'eyJhIjoxfQ', 'A'.repeat(1500), 'A'.repeat(5000), '😀', "'", '../..'];

/** As it is in the path. */
const BAD_PARTS = [
  '%E2%82%AC'.repeat(300),
  'a%23b',
  '%00',
  '%ED%A0%80',
  '%zz',
  'x'.repeat(5000),
  '%F0%9F%98%80',
  '..%2F..',
  "'%20OR%201=1",
  '%20',
];

/** Texts that are long, or have what separates the parts of keys, or what a page must not run. */
const ODD_TEXTS = [
  '',
  ' ',
  '#',
  'a#b',
  '\0',
  '<b>"&\'',
  '😀',
  '€'.repeat(300),
  'x'.repeat(10_000),
  '__proto__',
  'z'.repeat(27),
];
const ODD_NUMBERS = [-1, 0, 0.5, 1e300, 2 ** 53];

/** Bad values of other parameters of a query. */
const BAD_TEXTS = ['z'.repeat(27), '', '-1', 'x', '1e999', '%00', '😀', 'x'.repeat(5000), '[object Object]'];

async function refusedBodies(send: Send, operation: DescribedOperation, values: Values): Promise<readonly string[]> {
  const { operationId, body } = operation;
  if (body === undefined) return [];
  const path = validPath(operation, values);
  const faults: string[] = [];
  const note = (what: string, { status, faults: found }: Refused, isRight: boolean): void => {
    if (!isRight) faults.push(`${operationId} with ${what} answers ${status}`);
    faults.push(...found.map((fault) => `${operationId} with ${what} ${fault}`));
  };
  for (const [what, text] of drawn(operationId, NO_BODIES)) {
    const refused = await send(operation, { path, body: text });
    note(what, refused, refused.status === 400);
  }
  const tooLong = await send(operation, { path, body: JSON.stringify({ text: 'x'.repeat(300_000) }) });
  note('300 KB', tooLong, tooLong.status === 413);
  for (const [name, wrong] of spoilt(body)) {
    const refused = await send(operation, { path, body: JSON.stringify(wrong) });
    const fields = (refused.body.fields ?? []).map(({ field }) => field.split('.')[0]);
    note(`a bad ${name}`, refused, refused.status === 400 && fields.includes(name));
  }
  return faults;
}

/** Whatever the fields hold, the answer is an answer: done, or refused in plain words. */
async function oddBodies(send: Send, operation: DescribedOperation, values: Values): Promise<readonly string[]> {
  const { operationId, body } = operation;
  const example = body?.example;
  if (body === undefined || typeof example !== 'object' || example === null) return [];
  const path = validPath(operation, values);
  const faults: string[] = [];
  for (const [name, { type = '' }] of Object.entries(body.schema.properties ?? {})) {
    const odd = type === 'string' ? ODD_TEXTS : /number|integer/.test(type) ? ODD_NUMBERS : [];
    for (const value of drawn<string | number>(`${operationId} ${name}`, odd)) {
      const { faults: found } = await send(operation, { path, body: JSON.stringify({ ...example, [name]: value }) });
      faults.push(...found.map((fault) => `${operationId} with ${name} ${String(value).slice(0, 20)} ${fault}`));
    }
    if (type !== 'string') continue;
    const half = await send(operation, { path, body: JSON.stringify({ ...example, [name]: 'half \ud800' }) });
    if (half.status !== 400) faults.push(`${operationId} with half a character in ${name} answers ${half.status}`);
    faults.push(...half.faults.map((fault) => `${operationId} with half a character in ${name} ${fault}`));
  }
  return faults;
}

/** The pages that the first one links to, with another last part and other values of the query. */
async function brokenPages({ url }: ServedApplication): Promise<readonly string[]> {
  const cookie = await entered(url);
  const headers = cookie === undefined ? {} : { cookie };
  const links = linksOf(await (await fetch(url, { headers })).text());
  const faults: string[] = [];
  // One of each kind: many links lead to the same kind of page.
  const kinds = new Map(links.map((link) => [link.replaceAll(/[^/?=&]{12,}|\d+/g, ''), link]));
  for (const [kind, link] of kinds) {
    const { pathname, searchParams } = new URL(link, url);
    const parts = pathname.split('/');
    const paths = [
      ...(parts.length > 2 ? drawn(kind, BAD_PARTS).map((bad) => [...parts.slice(0, -1), bad].join('/')) : []),
      ...[...searchParams.keys(), 'cursor'].flatMap((name) =>
        drawn(`${kind} ${name}`, BAD_TEXTS).map((bad) => `${pathname}?${name}=${encodeURIComponent(bad)}`),
      ),
    ];
    for (const path of paths) {
      const { status, ...response } = await fetch(`${url}${path}`, { headers, redirect: 'manual' }).then(
        async (answered) => ({ status: answered.status, text: await answered.text() }),
      );
      if (status >= 500) faults.push(`${path.slice(0, 80)} is ${status}`);
      const [, alert = ''] = /role="alert"[^>]*>([\s\S]*?)<\/p>/.exec(response.text) ?? [];
      if (LEAKS.test(alert)) faults.push(`${path.slice(0, 80)} says ${alert}`);
    }
  }
  return faults;
}

/** Pages that are looked at for forms: those that the first one leads to, and those behind them. */
const PAGES_MAX = 40;

/** Where a form is sent, without ids. */
function placeOf({ action }: PageForm): string {
  return action.replaceAll(/[^/]{12,}|\d+/g, '');
}

/** The forms of an application, one of each kind: many are about things of the same kind. */
async function formsIn(url: string, headers: Readonly<Record<string, string>>): Promise<readonly PageForm[]> {
  const waiting = ['/'];
  const known = new Set<string>();
  const forms = new Map<string, PageForm>();
  for (let path = waiting.shift(); path !== undefined && known.size < PAGES_MAX; path = waiting.shift()) {
    if (known.has(kindOf(path))) continue;
    known.add(kindOf(path));
    const page = await (await fetch(`${url}${path}`, { headers })).text();
    waiting.push(...linksOf(page));
    // The visitor stays signed in.
    for (const form of formsOf(page).filter(({ action }) => action !== '/sign-out')) {
      const kind = `${placeOf(form)} ${Object.keys(form.fields).join(' ')}`;
      if (!forms.has(kind)) forms.set(kind, form);
    }
  }
  return [...forms.values()];
}

/** Whatever the fields of a form hold, it is carried out, or the page says in plain words why it is not, and nothing is changed. */
async function brokenForms({ url }: ServedApplication): Promise<readonly string[]> {
  const cookie = await entered(url);
  const headers = cookie === undefined ? {} : { cookie };
  const faults: string[] = [];
  let refused = 0;
  /** @returns the status */
  const post = async (
    what: string,
    { action }: PageForm,
    fields: Readonly<Record<string, string>>,
  ): Promise<number> => {
    const body = new URLSearchParams(fields);
    const response = await fetch(`${url}${action}`, { method: 'POST', headers, body, redirect: 'manual' });
    const { status } = response;
    if (status === 303) return status;
    refused += 1;
    const text = await response.text();
    const [, alert = ''] = /role="alert"[^>]*>([\s\S]*?)<\/p>/.exec(text) ?? [];
    const found = [
      ...(status >= 400 && status < 500 ? [] : [`is ${status}`]),
      ...(/^[A-Z\w][^]*\.$/.test(alert) ? [] : ['has no sentence']),
      ...(LEAKS.test(alert) ? [`says ${alert}`] : []),
      ...(writesIn(response.headers.get('receipt')) ? ['writes although it refuses'] : []),
    ];
    faults.push(...found.map((fault) => `${action} with ${what} ${fault}`));
    return status;
  };
  for (const form of await formsIn(url, headers)) {
    const { key = '', ...fields } = form.fields;
    // It would be carried out again each time that it is sent.
    if ((await post('no key', form, fields)) === 303) faults.push(`${form.action} is carried out without a key`);
    for (const name of Object.keys(fields)) {
      const { [name]: _, ...without } = form.fields;
      // As a whole it may be valid, and does then what it says; with another key it is another request.
      for (const odd of drawn(`${placeOf(form)} ${name}`, ODD_TEXTS))
        await post(`an odd ${name}`, form, { ...form.fields, [name]: odd, key: `${key}${odd.length}` });
      await post(`no ${name}`, form, without);
    }
  }
  if (refused === 0) faults.push('no form was refused');
  return faults;
}

async function refusedCursors(send: Send, operation: DescribedOperation, values: Values): Promise<readonly string[]> {
  const { operationId, parameters } = operation;
  const faults: string[] = [];
  for (const { name, in: where } of parameters) {
    if (where !== 'query') continue;
    const isCursor = name === 'cursor';
    for (const bad of drawn(`${operationId} ${name}`, isCursor ? BAD_CURSORS : BAD_TEXTS)) {
      const path = `${validPath(operation, values)}?${name}=${encodeURIComponent(bad).replaceAll('%25', '%')}`;
      const { status, faults: found } = await send(operation, { path });
      const what = `${name} ${bad.slice(0, 20)}`;
      if (isCursor && status !== 400) faults.push(`${operationId} with ${what} answers ${status}`);
      faults.push(...found.map((fault) => `${operationId} with ${what} ${fault}`));
    }
  }
  return faults;
}

/** A part of the path that is no id is refused, or is that of nothing. Where anything is a name it is one. */
async function refusedParts(send: Send, operation: DescribedOperation, values: Values): Promise<readonly string[]> {
  const { operationId, path: template, parameters, body } = operation;
  const faults: string[] = [];
  const names = parameters.filter(({ in: where }) => where === 'path').map(({ name }) => name);
  for (const name of names) {
    for (const bad of drawn(`${operationId} ${name}`, BAD_PARTS)) {
      const [before = '', after = ''] = template.split(`{${name}}`);
      const at = (part: string): string => validPath({ ...operation, path: part }, values);
      const { status, faults: found } = await send(operation, {
        path: `${at(before)}${bad}${at(after)}`,
        ...(body !== undefined && { body: JSON.stringify(body.example ?? {}) }),
      });
      const what = `${name} ${bad.slice(0, 20)}`;
      if (bad === '%zz' && status !== 400) faults.push(`${operationId} with ${what} answers ${status}`);
      faults.push(...found.map((fault) => `${operationId} with ${what} ${fault}`));
    }
  }
  return faults;
}

// What refuses is in the layer that all have in common. What it is told differs: a run draws half of the applications.
describe.each(drawn('bad requests', [...(await findApplications())], 2))('%s', (name, application) => {
  test('bad input is refused in plain words', async () => {
    const { start = application.start, scale, token: begin, values: stated = {} } = subjects[name] ?? {};
    await serving(
      start,
      async (served) => {
        const { token, values: made } = (await begin?.(served)) ?? { token: undefined };
        const values = { ...stated, ...made };
        const operations = await operationsOf(served.url);
        const send = sender(served, token);
        const faults: string[] = [];
        const before = await served.stored();
        for (const operation of operations) faults.push(...(await refusedBodies(send, operation, values)));
        const stored = await served.stored();
        expect(faults).toEqual([]);
        expect(stored).toEqual(before);
        for (const operation of operations) {
          if (operation.method === 'GET') faults.push(...(await refusedCursors(send, operation, values)));
          faults.push(...(await refusedParts(send, operation, values)));
          faults.push(...(await oddBodies(send, operation, values)));
        }
        faults.push(...(await brokenPages(served)), ...(await brokenForms(served)));
        expect(faults).toEqual([]);
        expect(served.said.filter((line) => /Error|fault/i.test(line))).toEqual([]);
      },
      scale === undefined ? {} : { scale },
    );
  });
});
