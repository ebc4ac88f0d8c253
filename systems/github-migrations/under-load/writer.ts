import { RuleError } from '@singlet/model';
import type { ManualClock } from '../../clock.ts';
import type { SeededRandom } from '../../demo/seeded-random.ts';
import type { Issue, Numbered, RepoName } from '../../github/connection.ts';
import { GitHubError } from '../../github/errors.ts';
import { REACTION_KINDS } from '../../github/model.ts';
import type { MigratedGitHub } from '../migrated-github.ts';
import type { DiscussionKind, MemorySite } from './memory-site.ts';

/** A user of the site: writes at random, and reports its actions to the site in memory. */
export interface WriterOptions {
  readonly site: MigratedGitHub;
  readonly meant: MemorySite;
  readonly random: SeededRandom;
  /** Advances with every action. Shared by all writers. */
  readonly clock: ManualClock;
  /** Which of how many. Actions that two cannot do at once are assigned to one of them. */
  readonly id: number;
  readonly writers: number;
}

/** How often each action succeeded; `refused` by the site's rules. */
export type WriterTally = Record<string, number>;

type Act = (writer: Writing) => Promise<string>;

interface Writing extends WriterOptions {
  readonly count: number;
}

/** How long an action takes on its clock: long enough that ids made of seconds have an order. */
const ACT_MS = 1_000;

/** Performs actions until stopped, one after the other. */
export async function write(options: WriterOptions, goesOn: () => boolean, tally: WriterTally): Promise<void> {
  for (let count = 0; goesOn(); count += 1) {
    options.clock.setToMs(options.clock.nowMs() + ACT_MS);
    const act = ACTS[options.random.weightedIndex(WEIGHTS)]?.[1] ?? list;
    const done = await act({ ...options, count }).catch((error: unknown) => {
      if (error instanceof GitHubError) {
        return 'refused';
      }
      // Too many concurrent requests for the same item. Nothing was written except, perhaps, a number taken.
      if (error instanceof RuleError && error.code === 'busy') {
        return 'busy';
      }
      throw error;
    });
    tally[done] = (tally[done] ?? 0) + 1;
  }
}

const ACTS: readonly (readonly [weight: number, act: Act])[] = [
  [14, async (writer) => await create('issues', writer)],
  [8, async (writer) => await create('pullRequests', writer)],
  [20, async (writer) => await turn('issues', writer)],
  [10, async (writer) => await turn('pullRequests', writer)],
  [6, async (writer) => await remove('issues', writer)],
  [5, async (writer) => await remove('pullRequests', writer)],
  [14, star],
  [8, async (writer) => await comment('issues', writer)],
  [3, async (writer) => await comment('pullRequests', writer)],
  [8, async (writer) => await react('issues', writer)],
  [3, async (writer) => await react('pullRequests', writer)],
  [3, updateRepo],
  [2, createAccount],
  [2, createRepo],
  [1, join],
  [5, createGist],
  [5, createApp],
  [3, install],
  [3, setCodeOfConduct],
  [6, list],
];
const WEIGHTS = ACTS.map(([weight]) => weight);

async function create(kind: DiscussionKind, { site, meant, random, id, count }: Writing): Promise<string> {
  const name = anyRepo(meant, random);
  const title = `Found by ${id} at ${count}`;
  const created = await site[kind].create(name, { title, author: anyUser(meant, random) }).catch((error: unknown) => {
    meant.creationGivenUp(name);
    throw error;
  });
  meant.discussionCreated(kind, created);
  return `created ${kind}`;
}

/** Closes open items, reopens closed ones. */
async function turn(kind: DiscussionKind, writer: Writing): Promise<string> {
  const found = ownDiscussion(kind, writer);
  if (found === undefined) {
    return 'nothing to do';
  }
  const { owner, repo, number } = found;
  const status = found.status === 'Open' ? 'Closed' : 'Open';
  await writer.site[kind].setStatus({ owner, repo, number }, status);
  writer.meant.statusSet(kind, found, status);
  return status === 'Open' ? `reopened ${kind}` : `closed ${kind}`;
}

async function remove(kind: DiscussionKind, writer: Writing): Promise<string> {
  const found = ownDiscussion(kind, writer, ({ status }) => status === 'Open');
  if (found === undefined) {
    return 'nothing to do';
  }
  const { owner, repo, number } = found;
  await writer.site[kind].remove({ owner, repo, number });
  writer.meant.discussionRemoved(kind, found);
  return `removed ${kind}`;
}

async function star({ site, meant, random, clock }: Writing): Promise<string> {
  const name = anyRepo(meant, random);
  const username = anyUser(meant, random);
  const createdAt = timeOf(clock);
  await site.repos.star(name, username);
  meant.starred({ ...name, username, createdAt });
  return 'starred';
}

async function comment(kind: DiscussionKind, { site, meant, random, count }: Writing): Promise<string> {
  const about = anyDiscussion(kind, meant, random);
  if (about === undefined) {
    return 'nothing to do';
  }
  const said = await site[kind].comment(about, { author: anyUser(meant, random), body: `The ${count}th thing said` });
  meant.commented(kind, said);
  return 'commented';
}

async function react(kind: DiscussionKind, { site, meant, random }: Writing): Promise<string> {
  const to = anyDiscussion(kind, meant, random);
  if (to === undefined) {
    return 'nothing to do';
  }
  const reaction = random.pick(REACTION_KINDS);
  await site[kind].react(to, { username: anyUser(meant, random), kind: reaction });
  meant.reacted(kind, to, reaction);
  return 'reacted';
}

async function updateRepo({ site, meant, random, clock, id, writers, count }: Writing): Promise<string> {
  const own = [...meant.repos.values()].filter((_, index) => index % writers === id);
  const found = own[random.integer(0, own.length - 1)]?.repo;
  if (found === undefined) {
    return 'nothing to do';
  }
  const { owner, repo } = found;
  const changes = { description: `Described ${count} times`, updatedAt: timeOf(clock) };
  await site.repos.update({ owner, repo }, { description: changes.description });
  meant.repoUpdated({ owner, repo }, changes);
  return 'updated a repo';
}

async function createAccount({ site, meant, clock, id, count }: Writing): Promise<string> {
  const name = `newcomer-${id}-${count}`;
  if (count % 2 === 0) {
    meant.userCreated(await site.accounts.createUser(name));
    return 'created a user';
  }
  meant.organizationCreated(await site.accounts.createOrganization(name));
  const paymentPlan = { planType: 'Team', planStartDate: timeOf(clock).slice(0, 10) } as const;
  await site.accounts.setPaymentPlan(name, paymentPlan);
  meant.paymentPlanSet(name, paymentPlan);
  return 'created an organization';
}

async function createRepo({ site, meant, random, id, count }: Writing): Promise<string> {
  const owner = anyUser(meant, random);
  if (count % 2 === 0) {
    meant.repoCreated(await site.repos.create({ owner, repo: `new-${id}-${count}` }));
    return 'created a repo';
  }
  meant.repoCreated(await site.repos.fork(anyRepo(meant, random), owner));
  return 'forked a repo';
}

async function join({ site, meant, random, clock }: Writing): Promise<string> {
  const organization = anyOf([...meant.organizations.keys()], random);
  const member = { organization, username: anyUser(meant, random), role: 'Member' } as const;
  const createdAt = timeOf(clock);
  await site.accounts.addMember(member);
  meant.memberAdded({ ...member, createdAt });
  return 'joined an organization';
}

async function createGist({ site, meant, random, count }: Writing): Promise<string> {
  const files = { [`file-${count}.ts`]: 'export {};' };
  meant.gistCreated(await site.gists.create(anyUser(meant, random), { title: `Gist ${count}`, files }));
  return 'created a gist';
}

async function createApp({ site, meant, random, id, count }: Writing): Promise<string> {
  const names = random.chance(0.5) ? meant.users : meant.organizations;
  const account = anyOf([...names.keys()], random);
  meant.appCreated(await site.apps.create(account, { name: `App ${id} ${count}` }));
  return 'created an app';
}

async function install({ site, meant, random }: Writing): Promise<string> {
  if (meant.apps.size === 0) {
    return 'nothing to do';
  }
  const app = anyOf([...meant.apps.values()], random);
  meant.installed(await site.apps.install(app, anyRepo(meant, random)));
  return 'installed an app';
}

async function setCodeOfConduct({ site, meant, random, id, writers, count }: Writing): Promise<string> {
  const own = [...meant.repos.values()].filter((_, index) => index % writers === id);
  const found = own[random.integer(0, own.length - 1)]?.repo;
  if (found === undefined) {
    return 'nothing to do';
  }
  const name = { owner: found.owner, repo: found.repo };
  if (found.codeOfConduct !== undefined) {
    await site.repos.removeCodeOfConduct(name);
    meant.codeOfConductSet(name, undefined);
    return 'removed a code of conduct';
  }
  const conduct = { name: `Be nice, version ${count}`, url: 'https://example.com/nice' };
  await site.repos.setCodeOfConduct(name, conduct);
  meant.codeOfConductSet(name, conduct);
  return 'set a code of conduct';
}

/** Reads lists, which must not fail while they are migrated and switched. */
async function list({ site, meant, random }: Writing): Promise<string> {
  const name = anyRepo(meant, random);
  const status = random.pick(['Open', 'Closed']);
  await site.issues.of(name, { status });
  await site.pullRequests.of(name, { status });
  await site.apps.of(anyUser(meant, random));
  return 'looked';
}

/** The number of attempts to draw an existing number of the writer's own. */
const DRAWS_MAX = 60;

/** A number that no other writer changes: numbers are divided among writers. */
function ownDiscussion(
  kind: DiscussionKind,
  { meant, random, id, writers }: Writing,
  isWanted: (found: Issue) => boolean = () => true,
): Issue | undefined {
  const { repo, [kind]: all } = meant.repoOf(anyRepo(meant, random));
  for (let draw = 0; draw < DRAWS_MAX && all.size > 0; draw += 1) {
    const found = all.get(random.integer(1, repo.issuesAndPullRequestCount));
    if (found !== undefined && found.number % writers === id && isWanted(found)) {
      return found;
    }
  }
  return undefined;
}

function anyDiscussion(kind: DiscussionKind, meant: MemorySite, random: SeededRandom): Numbered | undefined {
  const { repo, [kind]: all } = meant.repoOf(anyRepo(meant, random));
  const found = all.get(random.integer(1, Math.max(1, repo.issuesAndPullRequestCount)));
  return found === undefined ? undefined : { owner: found.owner, repo: found.repo, number: found.number };
}

function anyRepo(meant: MemorySite, random: SeededRandom): RepoName {
  const { owner, repo } = anyOf([...meant.repos.values()], random).repo;
  return { owner, repo };
}

function anyUser(meant: MemorySite, random: SeededRandom): string {
  return anyOf([...meant.users.keys()], random);
}

function anyOf<Value>(values: readonly Value[], random: SeededRandom): Value {
  return random.pick(values as readonly [Value, ...Value[]]);
}

function timeOf(clock: ManualClock): string {
  return new Date(clock.nowMs()).toISOString();
}
