import { check, type CheckReport } from '@singlet/model/check';
import type { Model } from '@singlet/model';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findApplications } from './find-applications.ts';
import { type ServedApplication, serving } from './testing/applications.ts';
import { drawn } from './testing/drawn.ts';
import { kindOf, linksOf, signedIn } from './testing/visitor.ts';

// A screen costs no more than its access patterns: each request on its strip is of a pattern that the screen names, has the operation and
// the place that the model proves for it, is made as often as that says, and none is a scan. Screens are found by following links.

const applications = await findApplications();

/** The export names of the models. A later version also has those of the earlier one. */
const MODELS: Readonly<Record<string, string>> = {
  'access-control': 'accessControl',
  'additive-manufacturing': 'additiveManufacturing',
  'big-time-deals': 'bigTimeDeals',
  blog: 'blog',
  'dating-app': 'datingApp',
  'e-commerce': 'shop',
  github: 'github',
  'github-migrations': 'githubMigrations',
  'job-scheduler': 'jobScheduler',
  'lesson-shop': 'lessonShop',
  'session-store': 'sessionStore',
  'support-desk': 'supportDesk',
};

/** Pages of an application that are followed at most: many links lead to the same kind of screen. */
const PAGES_MAX = 60;
/** Of these, with paths that differ only in their parts with a name. */
const PAGES_OF_KIND_MAX = 2;

/** Screens that use a pattern for each of several things. By the heading of the screen: how often. */
const SEVERAL: Readonly<Record<string, number>> = {
  // The orders of the shift: no pattern lists all orders.
  'The floor': 6,
  // The repositories of the sample: no pattern lists all.
  Explore: 6,
  // The users who like one, the faces at the end of the deck, and the newest matches.
  'Likes you': 3,
  // The open ones of a list and the closed ones.
  'Before and after': 2,
};

// With links into a workbench, so that these are looked at, too.
beforeAll(() => {
  vi.stubEnv('WORKBENCH', 'http://127.0.0.1:8111');
});
afterAll(() => {
  vi.unstubAllEnvs();
});

/** A page of a list with a filter is filled by several requests. */
const FILLED_BY_MAX = 4;

interface Request {
  readonly operation: string;
  /** The id of its access pattern, or the name of one without. Empty for a request that no model made. */
  readonly pattern: string;
  readonly place: string;
  readonly read: number;
}

interface Page {
  readonly path: string;
  readonly title: string;
  readonly requests: readonly Request[];
  readonly serves: readonly string[];
  readonly links: readonly string[];
}

/** A model as the checker sees it: what its patterns and procedures ask for. */
interface CheckedModel extends Pick<CheckReport, 'patterns' | 'procedures'> {
  readonly name: string;
}

async function checkedModelOf(application: string): Promise<CheckedModel> {
  const module = (await import(new URL(`${application}/model.ts`, import.meta.url).href)) as Record<string, Model>;
  const model = module[MODELS[application] ?? ''];
  expect(model).toBeDefined();
  return { name: model!.name, ...check(model!) };
}

/**
 * What a pattern may ask for on a screen: nothing unless the screen names it, or a procedure that takes it. A pattern without an id helps the
 * others.
 */
function servedBy({ patterns, procedures }: CheckedModel, asked: string, serves: readonly string[]) {
  const taken = new Set(
    procedures.filter(({ id }) => id !== undefined && serves.includes(id)).flatMap(({ takes }) => takes),
  );
  return patterns
    .filter(({ id, pattern }) => (id ?? pattern) === asked)
    .filter(({ id, pattern }) => id === undefined || serves.includes(id) || taken.has(pattern))
    .flatMap(({ served }) => served ?? []);
}

function pageOf(path: string, receipt: string, body: string): Page {
  const requests = receipt.split(', ').flatMap((part): Request[] => {
    const facts = Object.fromEntries(part.split(';').map((fact) => fact.split('=') as [string, string]));
    const { op, pattern = '', place = '', read = '0' } = facts;
    return op === undefined ? [] : [{ operation: op, pattern, place, read: Number(read) }];
  });
  const listed = /Access patterns: <span class="mono">([^<]*)<\/span>/.exec(body)?.[1] ?? '';
  return {
    path,
    title: /<h1>([^<]*)<\/h1>/.exec(body)?.[1] ?? '',
    requests,
    serves: listed === '' ? [] : listed.split(', '),
    links: linksOf(body),
  };
}

/** Follows the links of an application from its start page. */
async function pagesOf({ url, said }: Pick<ServedApplication, 'url' | 'said'>): Promise<readonly Page[]> {
  const begun = said.length;
  const cookie = await signedIn(url);
  const waiting = ['/'];
  const pages: Page[] = [];
  const known = new Set(waiting);
  const kinds = new Map<string, number>();
  for (let path = waiting.shift(); path !== undefined && pages.length < PAGES_MAX; path = waiting.shift()) {
    const response = await fetch(`${url}${path}`, { headers: cookie === undefined ? {} : { cookie } });
    const body = await response.text();
    expect([path, response.status, said.slice(begun)]).toEqual([path, 200, []]);
    // The cookie is closed to scripts. What a page says is not, nor the address of a page that it links to.
    const token = cookie?.split('=')[1] ?? '';
    expect([path, token !== '' && body.includes(token)]).toEqual([path, false]);
    const page = pageOf(path, response.headers.get('receipt') ?? '', body);
    pages.push(page);
    for (const link of page.links) {
      const kind = kindOf(link);
      if (known.has(link) || /^\/(sign-out|picture|openapi)/.test(link)) continue;
      known.add(link);
      const seen = (kinds.get(kind) ?? 0) + 1;
      kinds.set(kind, seen);
      if (seen <= PAGES_OF_KIND_MAX) waiting.push(link);
    }
  }
  return pages;
}

function faultsOf(page: Page, models: readonly CheckedModel[]): readonly string[] {
  const groups = new Map<string, { readonly last: Request; readonly count: number; readonly read: number }>();
  // In the session store's own application, the first request is the one that asks who the user is.
  const isOfStore = models.some(({ name }) => name === 'session-store');
  const own = page.requests.filter(({ place }, at) => !place.endsWith('-sessions') && !(isOfStore && at === 0));
  for (const request of own) {
    const name = [request.operation, request.place, request.pattern].join(' ');
    const { count, read } = groups.get(name) ?? { count: 0, read: 0 };
    groups.set(name, { last: request, count: count + 1, read: Math.max(read, request.read) });
  }
  const signIns = page.requests.length - own.length;
  const most = SEVERAL[page.title] ?? 1;
  return [
    ...(signIns > 1 ? [`asks ${signIns} times who the user is`] : []),
    ...[...groups.values()].flatMap(({ last, count, read }) => {
      const { operation, pattern, place } = last;
      const name = `${operation} ${place} of ${pattern === '' ? 'no pattern' : pattern}`;
      if (operation === 'Scan') return [`scans ${place}`];
      const at = place.split('/').at(-1) ?? '';
      // A later version has the patterns of the earlier one, too: these are no second allowance.
      const matching = models.map((model) =>
        servedBy(model, pattern, page.serves).filter(
          (served) => served.operation.split(' then ').includes(operation) && served.place.split(' and ').includes(at),
        ),
      );
      const madeBy = ({ requests, filter = [] }: (typeof matching)[number][number]): number =>
        requests * (filter.length > 0 ? FILLED_BY_MAX : 1);
      const times = Math.max(...matching.map((all) => all.reduce((sum, each) => sum + madeBy(each), 0))) * most;
      const limits = matching
        .flat()
        .map(({ limit, filter = [] }) => (limit === undefined || filter.length > 0 ? Number.POSITIVE_INFINITY : limit));
      return [
        ...(count <= times ? [] : [`${count} × ${name}, of ${times} that ${page.serves.join(', ')} make`]),
        // Items that come with the listed ones, such as their owner.
        ...(limits.length > 0 && read > Math.max(...limits) + 1 ? [`reads ${read} items by ${name}`] : []),
      ];
    }),
  ];
}

// A run draws half of the applications.
describe.each(drawn('receipts', [...applications], 2))('%s', (name, { start, usualScale }) => {
  test('every screen costs what its access patterns cost, and none scans', async () => {
    const models = [
      await checkedModelOf(name),
      ...(name === 'github-migrations' ? [await checkedModelOf('github')] : []),
    ];
    await serving(
      start,
      async (served) => {
        const pages = await pagesOf(served);
        expect(pages.length).toBeGreaterThanOrEqual(3);
        expect(pages.filter(({ requests }) => requests.length > 0).length).toBeGreaterThan(0);
        const faults = pages.flatMap((page) => faultsOf(page, models).map((fault) => `${page.path}: ${fault}`));
        expect(faults).toEqual([]);
      },
      { scale: Math.min(usualScale, 0.01) },
    );
  });
});

test('a scan, a request of no pattern, of one that the screen does not name, one too many and a page too long are found', async () => {
  const models = [await checkedModelOf('blog')];
  const page = (serves: readonly string[], ...requests: readonly Request[]): Page => ({
    path: '/',
    title: '',
    links: [],
    serves,
    requests,
  });
  const posts: Request = { operation: 'Query', pattern: 'BL-7', place: 'blog-single-table', read: 5 };
  expect(faultsOf(page(['BL-7'], posts), models)).toEqual([]);
  expect(faultsOf(page([], posts), models)).toHaveLength(1);
  expect(faultsOf(page(['BL-7'], { ...posts, pattern: '' }), models)).toHaveLength(1);
  // The other pattern asks in the same place, and is named here by mistake.
  expect(faultsOf(page(['BL-3'], { ...posts, pattern: 'BL-3' }), models)).toEqual([]);
  expect(faultsOf(page(['BL-7'], { ...posts, pattern: 'BL-3' }), models)).toHaveLength(1);
  expect(faultsOf(page(['BL-7'], posts, posts), models)).toHaveLength(1);
  expect(faultsOf(page(['BL-7'], { ...posts, read: 50 }), models)).toHaveLength(1);
  expect(faultsOf(page(['BL-7'], { ...posts, operation: 'Scan' }), models)).toEqual(['scans blog-single-table']);
  const asked: Request = { operation: 'Query', pattern: 'SS-02', place: 'marginalia-sessions', read: 1 };
  expect(faultsOf(page([], asked), models)).toEqual([]);
  expect(faultsOf(page([], asked, asked), models)).toHaveLength(1);
});
