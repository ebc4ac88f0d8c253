import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type {
  DynamoDBClient,
  GetItemCommandInput,
  QueryCommandInput,
  QueryCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startBigTimeDeals } from './big-time-deals/http/start.ts';
import { ManualClock } from './clock.ts';
import { findApplications } from './find-applications.ts';
import { startScheduler } from './job-scheduler/http/start.ts';
import { createKsuidGenerator } from './ksuid.ts';
import { SAMPLE_PASSWORD } from './session-store/http/people.ts';
import {
  type Asked,
  type AskOptions,
  itemsIn,
  type ServedApplication,
  serving,
  type StoredItem,
} from './testing/applications.ts';
import { type DescribedOperation, filled, operationsOf } from './testing/described.ts';
import { loseAnswer } from './testing/lost-answer.ts';

// A caller whose answer was lost sends the request again. Of every POST and PUT the answer is lost here and the request repeated, the
// second time to another process: nothing is stored twice, and the caller gets the lost answer. A name that another request has taken
// stays taken.

const EDITOR_TOKEN = 'a token of editors';
const NOW = '2026-03-02T08:00:00Z';

// As it is set where an application is restarted, or runs in several processes.
beforeAll(() => {
  vi.stubEnv('CURSOR_SECRET', 'a secret of several processes');
});
afterAll(() => {
  vi.unstubAllEnvs();
});

interface Details extends Omit<AskOptions, 'key'> {
  readonly path?: Readonly<Record<string, unknown>>;
  /** Nothing is compared with what is stored: work that the request has begun continues. */
  readonly continues?: true;
}

interface Caller {
  /** Sends a request whose answer is lost, and repeats it. @returns the repeated answer */
  readonly post: (operationId: string, details: Details) => Promise<Asked['body']>;
  /** For what has to be there first. @throws an assertion error if it is refused */
  readonly ask: (method: string, path: string, options?: AskOptions) => Promise<Asked['body']>;
}

interface Story {
  readonly start?: Parameters<typeof serving>[0];
  readonly scale?: number;
  /** Kinds of items that are written after the answer. */
  readonly later?: RegExp;
  /** Keys, if not any text will do. */
  readonly newKey?: () => string;
  readonly tell: (caller: Caller) => Promise<void>;
}

const signedIn = async ({ ask }: Caller, username: string): Promise<string> =>
  String((await ask('POST', '/sessions', { body: { username } }))['token']);

/** What the site of the first year and that of a year later have in common. */
async function github(caller: Caller, [user, other]: readonly [string, string]): Promise<string> {
  const { post, ask } = caller;
  await post('createUser', { body: { login: user } });
  await ask('POST', '/users', { body: { login: other } });
  await post('signIn', { body: { username: user } });
  const [token, others] = [await signedIn(caller, user), await signedIn(caller, other)];
  await post('createOrganization', { body: { login: `${user}-org` }, token });
  const plan = { name: 'Team', start_date: '2026-03-01' };
  await post('setPlan', { path: { username: `${user}-org` }, body: plan, token });
  await post('addMember', { path: { org: `${user}-org`, username: other }, body: { role: 'member' }, token });
  await post('createRepo', { body: { name: 'notes' }, token });
  await post('createRepoOfOrganization', { path: { org: `${user}-org` }, body: { name: 'tool' }, token });
  const repo = { owner: user, repo: 'notes' };
  await post('forkRepo', { path: repo, body: {}, token: others });
  await post('starRepo', { path: repo, token: others });
  for (const [kind, of] of [
    ['issues', 'Issue'],
    ['pulls', 'PullRequest'],
  ] as const) {
    const { number } = await post(`create${of}`, { path: repo, body: { title: 'It rains in' }, token });
    const subject = { ...repo, number };
    await post(`reactTo${of}`, { path: subject, body: { content: 'heart' }, token });
    await post(`commentOn${of}`, { path: subject, body: { body: 'Here, too.' }, token });
    const listed = await ask('GET', `/repos/${user}/notes/${kind}/${String(number)}/comments`);
    const [{ id } = { id: '' }] = listed as unknown as { readonly id: string }[];
    await post(`reactToCommentOn${of}`, { path: { ...subject, comment_id: id }, body: { content: 'heart' }, token });
  }
  return token;
}

const stories: Readonly<Record<string, Story>> = {
  'access-control': {
    tell: async ({ post }) => {
      await post('decide', { body: { userId: 'user-1', action: 'cranes:lift', resource: 'crane:4' } });
      await post('createUser', { body: { userId: 'nora', userName: 'Nora', org: 'yard' } });
      await post('createRole', { body: { roleId: 'crew', roleName: 'Crew' } });
      const statements = [{ effect: 'Allow', actions: ['cranes:lift'], resources: ['*'] }];
      const document = { statements };
      await post('createPolicy', { body: { policyId: 'lift', policyName: 'May lift', document } });
      await post('updatePolicy', { path: { policyId: 'lift' }, body: { document, version: 1 }, continues: true });
      await post('attachPolicy', { path: { roleId: 'crew', policyId: 'lift' }, continues: true });
      await post('assignRole', { path: { userId: 'nora', roleId: 'crew' }, continues: true });
      await post('moveUser', { path: { userId: 'nora' }, body: { org: 'dock' } });
      await post('switchWorker', { body: { isOn: true }, continues: true });
    },
  },
  'additive-manufacturing': {
    later: /CountedEvent|MaterialStats|lease/i,
    tell: async ({ post }) => {
      const measures = { massG: 85, volumeCm3: 17, densityGcm3: 5 };
      const materials = [{ materialId: 'tin', ...measures }];
      await post('gatherMaterials', { body: { orderId: 'order-t', recipes: { mixing: 'slow' }, materials } });
      const path = { orderId: 'order-t' };
      const partIds = ['part-b', 'part-a'];
      await post('recordMixing', { path, body: measures });
      const print = { bedTemp: 80, materialTemp: 900, adhesionSurface: 'tape' };
      await post('recordPrinting', { path, body: { ...print, partIds } });
      await post('recordBaking', { path, body: { ovenTemp: 1200, durationMin: 90 } });
      const parts = partIds.map((partId) => ({ partId, porosityPct: 12, massG: 40 }));
      await post('recordQuality', { path, body: { methods: ['microscopy'], passed: true, parts } });
    },
  },
  'big-time-deals': {
    start: async (options) => await startBigTimeDeals({ ...options, editorToken: EDITOR_TOKEN }),
    scale: 0,
    // What the stream of changes writes, except messages to everybody: there is no watcher.
    later: /Copy|Cache|lease/i,
    tell: async (caller) => {
      const { post, ask } = caller;
      const token = EDITOR_TOKEN;
      await post('signUp', { body: { username: 'sally', email: 'sally@x.org' } });
      await post('signIn', { body: { username: 'sally' } });
      await post('createBrand', { body: { brand: 'Alder' }, token });
      await post('createCategory', { body: { category: 'Tech' }, token });
      const deal = { title: 'Tea', link: 'https://x.org/', price: 5, category: 'Tech', brand: 'Alder' };
      const { dealId } = await post('createDeal', { body: deal, token });
      const featuredDeals = Array.from({ length: 6 }, (_, at) => ({
        id: String(dealId),
        name: `Tea ${at}`,
        price: 5,
        link: 'https://x.org/',
      }));
      await post('setFrontPage', { body: { featuredDeals }, token });
      await post('setCategoryFeatured', { path: { category: 'Tech' }, body: { featuredDeals }, token });
      await post('setEditorsChoice', { body: { featuredDeals }, token });
      await post('tellEverybody', { body: { subject: 'Hot', body: 'Very' }, token });
      const own = await signedIn(caller, 'sally');
      for (const deed of ['like', 'watch']) {
        await post(`${deed}Brand`, { path: { brand: 'Alder', username: 'sally' }, token: own });
        await post(`${deed}Category`, { path: { category: 'Tech', username: 'sally' }, token: own });
      }
      const { messages } = await ask('GET', '/users/sally/messages', { token: own });
      const [{ messageId } = { messageId: '' }] = messages as { readonly messageId: string }[];
      await post('markMessageRead', { path: { username: 'sally', messageId }, token: own });
    },
  },
  blog: {
    scale: 0,
    tell: async (caller) => {
      const { post } = caller;
      await post('createAuthor', { body: { userId: 'ada', name: 'Ada', email: 'ada@example.org' } });
      await post('signIn', { body: { username: 'ada' } });
      const token = await signedIn(caller, 'ada');
      const { postId } = await post('writePost', { body: { title: 'On keys', body: 'One' }, token });
      await post('addReply', { path: { postId }, body: { text: 'Thank you.' }, token });
      await post('addComment', { path: { postId }, body: { text: 'Thank you.' }, token });
    },
  },
  'dating-app': {
    scale: 0.0002,
    tell: async (caller) => {
      const { post, ask } = caller;
      await post('signIn', { body: { username: 'u1' } });
      const token = await signedIn(caller, 'u1');
      const { items } = await ask('GET', '/matches', { token });
      const [{ matchId } = { matchId: '' }] = items as { readonly matchId: string }[];
      await post('seeMatch', { path: { matchId }, token });
      const { cards } = await ask('GET', '/deck', { token });
      const [{ userId } = { userId: '' }] = cards as { readonly userId: string }[];
      await post('like', { path: { userId }, token });
      await post('sweep', {});
    },
  },
  'e-commerce': {
    scale: 0,
    newKey: createKsuidGenerator({ clock: { nowMs: Date.now }, randomBytes }),
    tell: async (caller) => {
      const { post, ask } = caller;
      await post('signUp', { body: { username: 'ada', email: 'ada@example.org', name: 'Ada' } });
      await post('signIn', { body: { username: 'ada' } });
      const token = await signedIn(caller, 'ada');
      const address = { street: '1 Elm', city: 'Lincoln', state: 'NE' };
      await post('saveAddress', { path: { name: 'Home' }, body: address, token });
      const payment = { brand: 'Visa', lastFour: '8873' };
      const wanted = { lines: [{ bookId: 'walden', quantity: 2 }], address: 'Home', payment };
      await post('placeOrder', { body: wanted, token });
      await post('changeEmail', { body: { email: 'countess@example.org', current: 'ada@example.org' }, token });
      const { orders } = await ask('GET', '/account', { token });
      const [{ orderId } = { orderId: '' }] = orders as { readonly orderId: string }[];
      await post('changeStatus', { path: { username: 'ada', orderId }, body: { from: 'ACCEPTED', to: 'SHIPPED' } });
    },
  },
  github: { scale: 0, tell: async (caller) => void (await github(caller, ['gina', 'hugo'])) },
  'github-migrations': {
    scale: 0.001,
    tell: async (caller) => {
      const { post, ask } = caller;
      const token = await github(caller, ['gina', 'hugo']);
      await post('createGist', { body: { title: 'Notes', files: { 'a.md': '# One' } }, token });
      await post('createApp', { path: { username: 'gina' }, body: { name: 'Counts' }, token });
      const notes = { owner: 'gina', repo: 'notes' };
      await post('installApp', { path: { account: 'gina', app: 'counts', ...notes }, token });
      await post('setCodeOfConduct', { path: notes, body: { name: 'Kind', url: 'https://x.org/' }, token });
      const stateOf = async (id: string): Promise<unknown> =>
        ((await ask('GET', '/migrations'))['items'] as { id: string; state: string }[]).find((each) => each.id === id)
          ?.state;
      const reaches = async (id: string, state: string): Promise<void> => {
        await expect.poll(async () => await stateOf(id)).toBe(state);
      };
      const continues = true;
      await post('runMigration', { path: { id: 'MIG-1' }, body: {}, continues });
      await reaches('MIG-1', 'done');
      for (const id of ['MIG-2', 'MIG-3']) {
        await ask('POST', `/migrations/${id}/run`, { body: {} });
        await reaches(id, 'done');
      }
      // So slow that it can be interrupted.
      const fourth = { path: { id: 'MIG-4' }, body: {}, continues } as const;
      await ask('POST', '/migrations/MIG-4/run', { body: { writeUnits: 1 } });
      await post('interruptMigration', { path: { id: 'MIG-4' }, continues });
      await post('resumeMigration', fourth);
      await reaches('MIG-4', 'done');
      await post('verifyMigration', fourth);
      await reaches('MIG-4', 'verified');
      await post('switchReader', { path: { list: 'openIssues' }, body: { byKey: false }, continues });
      await post('undoMigration', fourth);
      await reaches('MIG-4', 'ready');
    },
  },
  'job-scheduler': {
    start: async (options) => await startScheduler({ ...options, base: new ManualClock(NOW) }),
    scale: 0,
    tell: async ({ post, ask }) => {
      await post('schedule', { body: { name: 'Verbatim', due: NOW } });
      for (const how of ['complete', 'fail']) {
        const { id } = await ask('POST', '/jobs', { body: { name: 'Verbatim', due: NOW } });
        const { lease } = await ask('POST', `/jobs/${String(id)}/claim`, { body: { seen: NOW } });
        await post(how, { path: { lease } });
      }
      const { id } = await ask('POST', '/jobs', { body: { name: 'Verbatim', due: NOW } });
      await post('claim', { path: { id }, body: { seen: NOW } });
      const waits = await ask('POST', '/jobs', { body: { name: 'Verbatim', due: NOW } });
      await post('reschedule', { path: { id: waits['id'] }, body: { due: '2026-03-02T09:00:00Z' } });
    },
  },
  'lesson-shop': {
    scale: 0.01,
    tell: async (caller) => {
      await caller.post('signIn', { body: { username: 'u00001' } });
      const token = await signedIn(caller, 'u00001');
      await caller.post('placeOrder', { body: { lines: [{ productId: 'p0001', quantity: 2 }] }, token });
      const { items } = await caller.ask('GET', '/me/orders', { token });
      const [{ orderId } = { orderId: '' }] = items as { readonly orderId: string }[];
      const shipped = await caller.post('setStatus', { path: { orderId }, body: { status: 'SHIPPED' } });
      expect(shipped['status']).toBe('SHIPPED');
      const review = { rating: 5, text: 'Good.' };
      await caller.post('reviewProduct', { path: { productId: 'p0002' }, body: review, token });
    },
  },
  'session-store': {
    tell: async ({ post }) => {
      await post('logIn', { body: { username: 'user000001', password: SAMPLE_PASSWORD } });
      await post('moveClock', { body: { at: new Date().toISOString() } });
    },
  },
  'support-desk': {
    scale: 0,
    tell: async (caller) => {
      const { post } = caller;
      const { customerId } = await post('createCustomer', { body: { name: 'Ada', email: 'ada@example.org' } });
      const { agentId } = await post('createAgent', { body: { name: 'Ben' } });
      await post('signIn', { body: { username: `customer:${String(customerId)}` } });
      const token = await signedIn(caller, `customer:${String(customerId)}`);
      const subject = { subject: 'Help', body: 'It broke.' };
      const { ticketId } = await post('openTicket', { path: { customerId }, body: subject, token });
      const ticket = { path: { ticketId }, token };
      await post('addMessage', { ...ticket, body: { body: 'Are you there?' } });
      const agents = await signedIn(caller, `agent:${String(agentId)}`);
      const { version } = await caller.ask('GET', `/tickets/${String(ticketId)}`, { token });
      await post('assignTicket', { ...ticket, body: { agentId, seen: version }, token: agents });
      await post('closeTicket', { ...ticket, token: agents });
      await post('reopenTicket', ticket);
    },
  },
};

/**
 * `redrive` takes a job that has failed until it is dead, which only a storm brings about; a job that is not dead is refused. `beginExport` needs a
 * bucket: the factory's own test repeats it.
 */
const UNREPEATED: ReadonlySet<string> = new Set(['redrive', 'beginExport']);

/**
 * POSTs that name a state which they end: the due time of a job, a lease, a step of a migration. After the first request that state is no
 * more, which the second reads, unless it has the key of the first. A PUT says what shall be, and is answered as the first one.
 */
const ENDS_A_STATE: ReadonlySet<string> = new Set([
  'claim',
  'complete',
  'fail',
  ...['run', 'interrupt', 'resume', 'undo'].map((act) => `${act}Migration`),
]);

/** Operations that are refused while they run. If they have ended before the second request, it begins them again, which changes nothing. */
const RUNS_AGAIN: ReadonlySet<string> = new Set(['verifyMigration']);

/** Answers that say to the second caller what the first one did, instead of repeating it. */
const SAYS_SO: ReadonlySet<string> = new Set([
  'tellEverybody',
  'sweep',
  'like',
  'attachPolicy',
  'moveClock',
  ...reactions(),
]);

/** Operations whose caller chooses a name. With another key, the name is taken. */
const NAMED: ReadonlySet<string> = new Set([
  'createUser',
  'createOrganization',
  'createRepo',
  'createRepoOfOrganization',
  'forkRepo',
  'createApp',
  'signUp',
  'createAuthor',
  'createBrand',
  'createCategory',
]);

function reactions(): readonly string[] {
  return ['Issue', 'PullRequest'].flatMap((of) => [`reactTo${of}`, `reactToCommentOn${of}`]);
}

/**
 * Reads that are not consistent may miss what the lost request has written. While a request is repeated, all of them do: a GetItem returns
 * the item as it was before, and a Query of a table lacks the items that have changed.
 */
class Past {
  #client: DynamoDBClient | undefined;
  #items: readonly StoredItem[] | undefined;
  #isPast = false;

  startOf(start: NonNullable<Story['start']>): NonNullable<Story['start']> {
    return async (options) => {
      this.#client ??= options.client;
      options.client.middlewareStack.add(
        (next, { commandName }) =>
          async (args) => {
            const result = await next(args);
            const { IndexName, ConsistentRead } = args.input as Partial<QueryCommandInput>;
            if (!this.#isPast || IndexName !== undefined || ConsistentRead === true) return result;
            if (commandName === 'GetItemCommand') {
              Object.assign(result.output, { Item: this.#before(args.input as GetItemCommandInput) });
            } else if (commandName === 'QueryCommand') {
              const { Items = [] } = result.output as QueryCommandOutput;
              Object.assign(result.output, { Items: Items.filter((item) => this.#has(item)) });
            }
            return result;
          },
        { step: 'initialize' },
      );
      return await start(options);
    };
  }

  #before({ TableName, Key = {} }: GetItemCommandInput): StoredItem['item'] | undefined {
    return this.#items?.find(
      ({ table, item }) =>
        table === TableName && Object.entries(Key).every(([name, value]) => isDeepStrictEqual(item[name], value)),
    )?.item;
  }

  #has(read: StoredItem['item']): boolean {
    return (
      this.#items?.some(({ item }) =>
        Object.entries(read).every(([name, value]) => isDeepStrictEqual(item[name], value)),
      ) === true
    );
  }

  async remember(): Promise<void> {
    this.#items = this.#client && (await itemsIn(this.#client));
  }

  async during<Result>(run: () => Promise<Result>): Promise<Result> {
    this.#isPast = true;
    try {
      return await run();
    } finally {
      this.#isPast = false;
    }
  }
}

/** Tells a story. @returns the operations whose answers were lost */
async function repeated(served: ServedApplication, story: Story, past: Past): Promise<ReadonlySet<string>> {
  const operations = new Map((await operationsOf(served.url)).map((each) => [each.operationId, each]));
  const restarted = await served.another();
  const told = new Set<string>();
  const kinds = async (): Promise<unknown> =>
    Object.fromEntries([...(await served.kinds())].filter(([kind]) => story.later?.test(kind) !== true));
  const newKey = story.newKey ?? (() => crypto.randomUUID());
  const post: Caller['post'] = async (operationId, { path = {}, body, token, continues = false }) => {
    told.add(operationId);
    const operation = operations.get(operationId);
    if (operation === undefined) throw new RangeError(`There is no operation ${operationId}`);
    const to = filled(operation.path, path);
    const key = newKey();
    await past.remember();
    const lost = await loseAnswer(`${served.url}${to}`, {
      method: operation.method,
      headers: { 'idempotency-key': key, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect([operationId, lost]).toEqual([operationId, expect.toBeOneOf([200, 201, 202, 204])]);
    const before = continues ? undefined : await kinds();
    const again = async (sent: string, process: Pick<ServedApplication, 'ask'> = served): Promise<Asked> =>
      await process.ask(operation.method, to.slice('/api'.length), {
        key: sent,
        ...(token !== undefined && { token }),
        ...(body !== undefined && { body }),
      });
    const [answer, last] = await past.during(async () => [await again(key), await again(key, restarted)] as const);
    if (!continues) expect([operationId, await kinds()]).toEqual([operationId, before]);
    if (takesKey(operation)) {
      // The lost answer itself, and that of the key.
      expect([operationId, answer.status, last.status]).toEqual([operationId, lost, lost]);
      if (!SAYS_SO.has(operationId)) expect([operationId, last.body]).toEqual([operationId, answer.body]);
      const other = await again(newKey());
      const code = NAMED.has(operationId) ? 'taken' : ENDS_A_STATE.has(operationId) ? 'stale' : undefined;
      expect([operationId, other.status, other.body['code']]).toEqual([operationId, code ? 409 : lost, code]);
      expect([operationId, other.body]).not.toEqual([operationId, answer.body]);
    } else if (ENDS_A_STATE.has(operationId)) {
      expect([operationId, answer.status, answer.body['code']]).toEqual([
        operationId,
        409,
        expect.toBeOneOf(['stale', 'not-now']),
      ]);
    } else if (RUNS_AGAIN.has(operationId)) {
      expect([operationId, answer.status]).toEqual([operationId, expect.toBeOneOf([409, lost])]);
    } else if (SAYS_SO.has(operationId)) {
      expect([operationId, answer.status]).toEqual([operationId, expect.toBeOneOf([200, lost])]);
    } else {
      expect([operationId, answer.status, last.status]).toEqual([operationId, lost, lost]);
      expect([operationId, last.body]).toEqual([operationId, answer.body]);
    }
    return answer.body;
  };
  await story.tell({
    post,
    ask: async (...asked) => {
      const { status, body } = await served.ask(...asked);
      expect([asked[0], asked[1], status]).toEqual([asked[0], asked[1], expect.toBeOneOf([200, 201, 202, 204])]);
      return body;
    },
  });
  return told;
}

function takesKey({ parameters }: DescribedOperation): boolean {
  return parameters.some(({ name, in: where }) => where === 'header' && name === 'Idempotency-Key');
}

describe.each([...(await findApplications())])('%s', (name, application) => {
  test('a request whose answer was lost is repeated without harm', async () => {
    const story = stories[name] ?? { tell: async () => await Promise.resolve() };
    const past = new Past();
    await serving(
      past.startOf(story.start ?? application.start),
      async (served) => {
        const told = await repeated(served, story, past);
        const posts = (await operationsOf(served.url)).filter(({ method }) => method === 'POST' || method === 'PUT');
        expect(
          posts.map(({ operationId }) => operationId).filter((id) => !told.has(id) && !UNREPEATED.has(id)),
        ).toEqual([]);
      },
      story.scale === undefined ? {} : { scale: story.scale },
    );
  });
});
