import { SeededRandom } from '../../demo/seeded-random.ts';

/** The figures of one kind of request. */
export interface LoadFigures {
  readonly name: string;
  readonly requests: number;
  /** Answers with a status of 400 and above. */
  readonly refused: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

export interface LoadResult {
  readonly seconds: number;
  readonly requests: number;
  readonly kinds: readonly LoadFigures[];
}

export interface LoadOptions {
  /** Where the application is. */
  readonly url: string;
  /** Concurrent visitors, each with one request in flight. */
  readonly clients: number;
  /** Ends the load after this many requests, or once `until` returns true. */
  readonly requestsMax: number;
  readonly until?: () => boolean;
}

interface Kind {
  readonly name: string;
  /** How often, relative to the others. */
  readonly weight: number;
  readonly request: (at: Visited) => readonly [method: string, path: string, body?: object];
}

interface Visited {
  readonly repo: string;
  readonly owner: string;
  readonly number: number;
  readonly content: string;
}

/** Mostly reads, as on any such site. */
const KINDS: readonly Kind[] = [
  { name: 'repository', weight: 20, request: ({ repo }) => ['GET', `/repos/${repo}`] },
  { name: 'open issues', weight: 20, request: ({ repo }) => ['GET', `/repos/${repo}/issues`] },
  { name: 'closed issues', weight: 5, request: ({ repo }) => ['GET', `/repos/${repo}/issues?state=closed`] },
  { name: 'pull requests', weight: 8, request: ({ repo }) => ['GET', `/repos/${repo}/pulls`] },
  { name: 'issue', weight: 15, request: ({ repo, number }) => ['GET', `/repos/${repo}/issues/${number}`] },
  { name: 'comments', weight: 10, request: ({ repo, number }) => ['GET', `/repos/${repo}/issues/${number}/comments`] },
  { name: 'stargazers', weight: 3, request: ({ repo }) => ['GET', `/repos/${repo}/stargazers`] },
  { name: 'forks', weight: 2, request: ({ repo }) => ['GET', `/repos/${repo}/forks`] },
  { name: 'account', weight: 4, request: ({ owner }) => ['GET', `/users/${owner}`] },
  { name: 'repositories', weight: 4, request: ({ owner }) => ['GET', `/users/${owner}/repos`] },
  {
    name: 'new issue',
    weight: 2,
    request: ({ repo }) => ['POST', `/repos/${repo}/issues`, { title: 'Found under load' }],
  },
  {
    name: 'new comment',
    weight: 3,
    request: ({ repo, number }) => ['POST', `/repos/${repo}/issues/${number}/comments`, { body: 'Seen here, too' }],
  },
  {
    name: 'reaction',
    weight: 3,
    request: ({ repo, number, content }) => ['POST', `/repos/${repo}/issues/${number}/reactions`, { content }],
  },
  { name: 'star', weight: 1, request: ({ repo }) => ['PUT', `/user/starred/${repo}`] },
];

const CONTENTS = ['+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes'] as const;

/** Sends visitors to the application: the same requests in every run, as fast as they are answered. */
export async function sendVisitors(options: LoadOptions): Promise<LoadResult> {
  const { url, clients, requestsMax, until = () => false } = options;
  const { user, repositories } = await suggestionsOf(url);
  const token = await tokenOf(url, user);
  const issues = new Map<string, readonly number[]>();
  for (const repo of repositories) issues.set(repo, await openIssuesOf(url, repo));
  const latencies = new Map(KINDS.map(({ name }) => [name, [] as number[]]));
  const refused = new Map<string, number>();
  let left = requestsMax;
  const startedAtMs = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      const random = new SeededRandom(client + 1);
      while (left > 0 && !until()) {
        left -= 1;
        const kind = KINDS[random.weightedIndex(KINDS.map(({ weight }) => weight))] ?? KINDS[0];
        const repo = repositories[Math.floor(random.fraction() ** 2 * repositories.length)] ?? '';
        const [owner = ''] = repo.split('/');
        if (kind === undefined) return;
        const numbers = issues.get(repo) ?? [];
        const number = numbers[random.integer(0, numbers.length - 1)] ?? 1;
        const place = { repo, owner, number, content: random.pick(CONTENTS) };
        const [method, path, body] = kind.request(place);
        const sentAtMs = performance.now();
        const response = await fetch(`${url}/api${path}`, {
          method,
          headers: { authorization: `Bearer ${token}` },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        await response.arrayBuffer();
        latencies.get(kind.name)?.push(performance.now() - sentAtMs);
        if (response.status >= 400) refused.set(kind.name, (refused.get(kind.name) ?? 0) + 1);
      }
    }),
  );
  return {
    seconds: (performance.now() - startedAtMs) / 1000,
    requests: requestsMax - left,
    kinds: KINDS.map(({ name }) => figuresOf(name, latencies.get(name) ?? [], refused.get(name) ?? 0)),
  };
}

function figuresOf(name: string, latencies: readonly number[], refused: number): LoadFigures {
  const sorted = latencies.toSorted((left, right) => left - right);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { name, requests: sorted.length, refused, medianMs: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) };
}

/** The numbers on the first page, which visitors read. */
async function openIssuesOf(url: string, repo: string): Promise<readonly number[]> {
  const response = await fetch(`${url}/api/repos/${repo}/issues`);
  return ((await response.json()) as { readonly number: number }[]).map(({ number }) => number);
}

/** The names on the start page. */
async function suggestionsOf(url: string): Promise<{ user: string; repositories: readonly string[] }> {
  const html = await (await fetch(url)).text();
  const all = (pattern: RegExp): string[] => [...html.matchAll(pattern)].map(([, name = '']) => name);
  const [user = ''] = all(/href="\/accounts\/([^"]+)"/g);
  const repositories = all(/href="\/repos\/([^"/]+\/[^"/]+)"/g);
  if (repositories.length === 0) {
    throw new RangeError(`The application on ${url} has no sample data to visit`);
  }
  return { user, repositories };
}

async function tokenOf(url: string, username: string): Promise<string> {
  const response = await fetch(`${url}/api/sessions`, { method: 'POST', body: JSON.stringify({ username }) });
  return ((await response.json()) as { readonly token: string }).token;
}
