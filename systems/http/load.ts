import { randomUUID } from 'node:crypto';
import type { SeededRandom } from '../demo/seeded-random.ts';
import { IDEMPOTENCY_HEADER } from './idempotency.ts';

// Callers that act on an application, and what must hold afterwards. Decision 0115 says why there is one program for all.

/** An action that callers repeat. */
export interface LoadAction {
  readonly name: string;
  /** How often, compared with the others. */
  readonly weight: number;
  readonly act: () => Promise<Response>;
  /** Statuses that are not failures although they are not success, for example of a repeated action. */
  readonly allows?: readonly number[];
}

/** A stored item of any table of an application, with plain values. */
export type StoredItem = Readonly<Record<string, unknown>>;

/** What callers do with an application, and what must hold afterwards. */
export interface ApplicationLoad {
  /** What holds afterwards, as a sentence. */
  readonly holds: string;
  /** Looks for what it needs in the sample data, and says what callers do. */
  readonly open: (site: LoadSite) => Promise<OpenLoad>;
}

export interface OpenLoad {
  readonly actions: readonly LoadAction[];
  /**
   * Compares the stored items of all tables with one another and with the answers to the callers.
   *
   * @returns a line for each violation of {@link ApplicationLoad.holds}.
   */
  readonly faultsIn: (items: readonly StoredItem[]) => readonly string[];
  /** Finishes what callers left, before the stored items are compared. */
  readonly settle?: () => Promise<void>;
}

export interface LoadRequest {
  /** The user in whose name it is sent; signed in when first used. */
  readonly as?: string;
  readonly body?: object;
  /** Another token than that of a user. */
  readonly token?: string;
}

/** A request without an answer is repeated this often, where the application may be killed and started again. */
const ATTEMPTS_MAX = 600;
const ATTEMPT_EVERY_MS = 100;

interface LoadSiteOptions extends Pick<LoadSite, 'url' | 'scale' | 'random'> {
  /** Whether the application may be killed: callers then repeat a request that had no answer, with the same key. */
  readonly isKilled?: boolean;
}

/** The served application, as callers reach it. */
export class LoadSite {
  readonly url: string;
  /** Of the sample data that it was filled with. */
  readonly scale: number;
  readonly random: SeededRandom;
  readonly #isKilled: boolean;
  readonly #repeated = new WeakSet<Response>();
  readonly #tokens = new Map<string, Promise<string>>();

  constructor({ url, scale, random, isKilled = false }: LoadSiteOptions) {
    this.url = url;
    this.scale = scale;
    this.random = random;
    this.#isKilled = isKilled;
  }

  /** Whether an answer is that to a repeated request, whose first attempt may have been carried out. */
  wasRepeated(response: Response): boolean {
    return this.#repeated.has(response);
  }

  /** Sends a request for an operation below `/api`. */
  async ask(method: string, path: string, { as, body, token: given }: LoadRequest = {}): Promise<Response> {
    const token = as === undefined ? given : await this.#tokenOf(as);
    return await this.send(`/api${path}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(this.#isKilled && { [IDEMPOTENCY_HEADER]: randomUUID() }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  /** Sends a request for any path of the application. */
  async send(path: string, init: RequestInit = {}): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const response = await fetch(`${this.url}${path}`, init);
        if (!this.#isKilled) return response;
        const bytes = await response.arrayBuffer();
        const whole = new Response(bytes.byteLength === 0 ? null : bytes, response);
        if (attempt > 1) this.#repeated.add(whole);
        return whole;
      } catch (error) {
        if (!this.#isKilled || attempt === ATTEMPTS_MAX) throw error;
        await new Promise((resolve) => setTimeout(resolve, ATTEMPT_EVERY_MS));
      }
    }
  }

  /** The answer to a request that must succeed, such as one for the ids of the sample data. @throws {LoadError} if it does not */
  async read<Answer>(path: string, request: LoadRequest = {}): Promise<Answer> {
    const response = await this.ask('GET', path, request);
    if (!response.ok) throw new LoadError(`${path} answers ${response.status}: ${await response.text()}`);
    return (await response.json()) as Answer; // the operation's own description has its schema
  }

  /** One of several, by the seed. @throws {LoadError} if there are none, since then the application has no sample data */
  oneOf<Each>(all: readonly Each[]): Each {
    const one = all[this.random.integer(0, all.length - 1)];
    if (one === undefined) throw new LoadError('The application has no sample data: start it with a --scale above 0');
    return one;
  }

  async #tokenOf(username: string): Promise<string> {
    const known = this.#tokens.get(username) ?? this.#signIn(username);
    this.#tokens.set(username, known);
    return await known;
  }

  async #signIn(username: string): Promise<string> {
    const response = await this.ask('POST', '/sessions', { body: { username } });
    if (!response.ok) throw new LoadError(`${username} cannot sign in: ${await response.text()}`);
    return ((await response.json()) as { readonly token: string }).token;
  }
}

/** The load cannot begin or continue. */
export class LoadError extends Error {
  override readonly name = 'LoadError';
}

export interface LoadOptions {
  readonly actions: readonly LoadAction[];
  /** Concurrent callers. Each waits for its answer before it continues. */
  readonly callers: number;
  /** No caller begins another action once it returns true. It receives the number of answers so far. */
  readonly until: (answers: number) => boolean;
  readonly random: Pick<SeededRandom, 'weightedIndex'>;
  /** For a site that may be killed: a repeated request may be refused, because its first attempt was carried out. */
  readonly site?: Pick<LoadSite, 'wasRepeated'>;
}

interface ActionFigures {
  readonly name: string;
  /** Ascending: milliseconds until the body arrived. */
  readonly latenciesMs: readonly number[];
  readonly failures: number;
}

export interface LoadResult {
  readonly durationMs: number;
  readonly actions: readonly ActionFigures[];
  readonly failures: number;
  /** The first failures, as lines. */
  readonly firstFailures: readonly string[];
}

const FAILURES_SHOWN_MAX = 5;
const ANSWER_SHOWN_MAX = 300;

/** Lets callers act, and records the latency of each answer. An answer that is neither 2xx nor allowed, or none, is a failure. */
export async function runLoad({ actions, callers, until, random, site }: LoadOptions): Promise<LoadResult> {
  const figures = actions.map(({ name }) => ({ name, latenciesMs: [] as number[], failures: 0 }));
  const weights = actions.map(({ weight }) => weight);
  const firstFailures: string[] = [];
  const startedAtMs = performance.now();
  let begun = 0;
  const call = async (): Promise<void> => {
    while (!until(begun)) {
      begun += 1;
      const index = random.weightedIndex(weights);
      const [action, figure] = [actions[index], figures[index]];
      if (action === undefined || figure === undefined) return;
      const sentAtMs = performance.now();
      const failure = await failureOf(action, site);
      figure.latenciesMs.push(performance.now() - sentAtMs);
      if (failure === undefined) continue;
      figure.failures += 1;
      if (firstFailures.length < FAILURES_SHOWN_MAX) firstFailures.push(`${action.name}: ${failure}`);
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  for (const { latenciesMs } of figures) latenciesMs.sort((left, right) => left - right);
  const failures = figures.reduce((sum, each) => sum + each.failures, 0);
  return { durationMs: performance.now() - startedAtMs, actions: figures, failures, firstFailures };
}

async function failureOf({ act, allows = [] }: LoadAction, site: LoadOptions['site']): Promise<string | undefined> {
  try {
    const response = await act();
    const text = response.bodyUsed ? '' : await response.text();
    if (response.ok || allows.includes(response.status)) return undefined;
    if (response.status < 500 && site?.wasRepeated(response) === true) return undefined;
    return `${response.status} ${text.slice(0, ANSWER_SHOWN_MAX)}`;
  } catch (error) {
    return String(error);
  }
}

/** A line of figures for each action, one for all together, and the first failures. */
export function loadReport({ actions, durationMs, firstFailures }: LoadResult): string {
  const all = {
    name: 'together',
    latenciesMs: actions.flatMap(({ latenciesMs }) => latenciesMs).sort((left, right) => left - right),
    failures: actions.reduce((sum, { failures }) => sum + failures, 0),
  };
  const rows = [...actions, all].map(({ name, latenciesMs, failures }) => [
    name,
    String(latenciesMs.length),
    (latenciesMs.length / (durationMs / 1000)).toFixed(0),
    ...[0.5, 0.99, 1].map((share) => quantile(latenciesMs, share).toFixed(1)),
    String(failures),
  ]);
  const header = ['action', 'requests', 'per second', 'p50 ms', 'p99 ms', 'longest ms', 'failures'];
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const table = [header, ...rows].map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  );
  return [...table, ...firstFailures].join('\n');
}

function quantile(ascending: readonly number[], share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? 0;
}
