import { SeededRandom } from '../demo/seeded-random.ts';
import { encodeKsuid } from '../ksuid.ts';
import type {
  Issue,
  IssueComment,
  Membership,
  Organization,
  PullRequest,
  PullRequestComment,
  ReactionKind,
  Repo,
  Star,
  User,
} from './connection.ts';
import { REACTION_KINDS } from './model.ts';

// A site after a few years, the same in every run. Every stored count agrees with the counted items:
// stars, forks, open issues, reactions. A few repositories have most of everything.

/** The number of each at scale 1. */
export const VOLUMES = {
  users: 20_000,
  organizations: 50,
  memberships: 1_000,
  repos: 1_000,
  issues: 200_000,
  pullRequests: 50_000,
  comments: 25_000,
  reactions: 400_000,
  stars: 600_000,
} as const;

const SEED = 20_191_011;
const STARTS_AT_MS = Date.parse('2017-01-01T09:00:00Z');
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** The most popular repo comes first; the r-th has this power of r of its share. */
const SKEW = 0.7;
const FORKS_SHARE = 0.1;
/** The maximum share of the users that star any repo. */
const STARRED_SHARE = 0.6;

const FIRST = [
  'ada',
  'alan',
  'barbara',
  'bjarne',
  'danny',
  'edsger',
  'frances',
  'grace',
  'guido',
  'ken',
  'leslie',
  'radia',
];
const SECOND = [
  'codes',
  'compiles',
  'debugs',
  'deploys',
  'designs',
  'developer',
  'merges',
  'reviews',
  'scala',
  'tests',
];
const ADJECTIVES = ['brisk', 'clever', 'durable', 'eager', 'fluent', 'gentle', 'hidden', 'ideal', 'jolly', 'keen'];
const THINGS = [
  'book',
  'cache',
  'client',
  'compiler',
  'demo',
  'engine',
  'index',
  'parser',
  'queue',
  'router',
  'store',
  'table',
];
const DOES = [
  'crashes',
  'hangs',
  'is slow',
  'leaks memory',
  'fails on Windows',
  'loses the last line',
  'needs documentation',
];
const WHEN = ['at start-up', 'under load', 'when offline', 'after a retry', 'with an empty input', 'on large tables'];
const SAYS = ['I see this too.', 'Cannot reproduce it.', 'Fixed on main, please try.', 'Thanks!', 'Any news?'];

/** One repo with all that belongs to it. */
export interface RepoBundle {
  readonly repo: Repo;
  readonly issues: readonly Issue[];
  readonly pullRequests: readonly PullRequest[];
  readonly issueComments: readonly IssueComment[];
  readonly pullRequestComments: readonly PullRequestComment[];
  readonly issueReactions: readonly Reaction[];
  readonly pullRequestReactions: readonly Reaction[];
  readonly issueCommentReactions: readonly CommentReaction[];
  readonly pullRequestCommentReactions: readonly CommentReaction[];
  readonly stars: readonly Star[];
}

export interface Reaction {
  readonly owner: string;
  readonly repo: string;
  readonly number: number;
  readonly username: string;
  readonly reactions: Set<ReactionKind>;
}

export type CommentReaction = Reaction & { readonly commentId: string };

/** A site: its accounts, and its repos one after the other, each generated on demand. */
export interface SampleSite {
  readonly users: readonly User[];
  readonly organizations: readonly Organization[];
  readonly memberships: readonly Membership[];
  readonly repoCount: number;
  readonly repos: () => Generator<RepoBundle>;
}

/**
 * @param scale - a share of {@link VOLUMES}, but at least one of everything.
 * @param options.repos - the number of repos to distribute that over, if not the same share of them.
 */
export function sampleSite(scale: number, { repos }: { readonly repos?: number | undefined } = {}): SampleSite {
  const volume = (name: keyof typeof VOLUMES): number =>
    name === 'repos' && repos !== undefined ? repos : Math.max(1, Math.round(VOLUMES[name] * scale));
  const organizations = Array.from({ length: volume('organizations') }, (_, index): Organization => {
    const paymentPlan = { planType: 'Enterprise', planStartDate: '2019-04-01' } as const;
    return {
      name: `${THINGS[index % THINGS.length]}-corp-${index + 1}`,
      createdAt: timeOf(STARTS_AT_MS + index * DAY_MS),
      ...(index % 3 === 0 && { paymentPlan }),
    };
  });
  const usernames = Array.from({ length: volume('users') }, (_, index) => usernameOf(index));
  const memberships = membershipsOf(organizations, usernames, volume('memberships'));
  const rolesOf = new Map<string, User['organizations']>();
  for (const { username, organization, role } of memberships) {
    rolesOf.set(username, { ...rolesOf.get(username), [organization]: role });
  }
  const users = usernames.map((name, index): User => ({
    name,
    createdAt: timeOf(STARTS_AT_MS + index * 20 * MINUTE_MS),
    organizations: rolesOf.get(name) ?? {},
    ...(index % 10 === 0 && { paymentPlan: { planType: 'Pro', planStartDate: '2019-10-05' } as const }),
  }));
  const plans = repoPlans(volume, usernames, organizations);
  return {
    users,
    organizations,
    memberships,
    repoCount: plans.length,
    *repos() {
      for (const plan of plans) {
        yield bundleOf(plan, usernames);
      }
    },
  };
}

function membershipsOf(
  organizations: readonly Organization[],
  usernames: readonly string[],
  count: number,
): Membership[] {
  const perOrganization = apportion(
    count,
    organizations.map(() => 1),
    usernames.length,
  );
  return organizations.flatMap(({ name, createdAt }, index) =>
    Array.from({ length: perOrganization[index] ?? 0 }, (_, member) => ({
      organization: name,
      username: usernames[(index * 7 + member) % usernames.length] ?? '',
      role: member === 0 ? ('Admin' as const) : ('Member' as const),
      createdAt,
    })),
  );
}

/** The number of items of each kind in one repo. */
interface RepoPlan {
  readonly index: number;
  readonly owner: string;
  readonly repo: string;
  readonly originalOwner: string | undefined;
  readonly forkCount: number;
  readonly issues: number;
  readonly pullRequests: number;
  readonly comments: number;
  readonly reactions: number;
  readonly stars: number;
}

function repoPlans(
  volume: (name: keyof typeof VOLUMES) => number,
  usernames: readonly string[],
  organizations: readonly Organization[],
): RepoPlan[] {
  const repos = volume('repos');
  const forks = Math.floor(repos * FORKS_SHARE);
  const originals = repos - forks;
  const nameOf = (index: number): string =>
    `${ADJECTIVES[index % ADJECTIVES.length]}-${THINGS[Math.floor(index / ADJECTIVES.length) % THINGS.length]}-${index + 1}`;
  const ownerOf = (index: number): string =>
    (index % 4 === 0 ? organizations[index % organizations.length]?.name : undefined) ??
    usernames[(index * 13) % usernames.length] ??
    '';
  // The most popular is forked most. Forks of the same repo have different owners.
  const forked = Array.from({ length: forks }, (_, fork) => Math.floor((fork * fork) / (4 * forks + 1)) % originals);
  const weights = Array.from({ length: repos }, (_, index) => (index + 1) ** -SKEW);
  const shares = {
    issues: apportion(volume('issues'), weights, Number.MAX_SAFE_INTEGER),
    pullRequests: apportion(volume('pullRequests'), weights, Number.MAX_SAFE_INTEGER),
    comments: apportion(volume('comments'), weights, Number.MAX_SAFE_INTEGER),
    reactions: apportion(volume('reactions'), weights, Number.MAX_SAFE_INTEGER),
    stars: apportion(volume('stars'), weights, Math.ceil(STARRED_SHARE * usernames.length)),
  };
  return Array.from({ length: repos }, (_, index): RepoPlan => {
    const upstream = index < originals ? undefined : forked[index - originals];
    return {
      index,
      owner: upstream === undefined ? ownerOf(index) : (usernames[(index * 17 + 5) % usernames.length] ?? ''),
      repo: nameOf(upstream ?? index),
      originalOwner: upstream === undefined ? undefined : ownerOf(upstream),
      forkCount: forked.filter((each) => each === index).length,
      issues: shares.issues[index] ?? 0,
      pullRequests: shares.pullRequests[index] ?? 0,
      comments: shares.comments[index] ?? 0,
      reactions: shares.reactions[index] ?? 0,
      stars: shares.stars[index] ?? 0,
    };
  });
}

function bundleOf(plan: RepoPlan, usernames: readonly string[]): RepoBundle {
  const random = new SeededRandom(SEED + plan.index);
  const { owner, repo } = plan;
  const numbers = plan.issues + plan.pullRequests;
  const createdAtMs = STARTS_AT_MS + plan.index * 6 * 60 * MINUTE_MS;
  const issues: Issue[] = [];
  const pullRequests: PullRequest[] = [];
  for (let number = 1; number <= numbers; number += 1) {
    const isPullRequest =
      Math.floor((number * plan.pullRequests) / numbers) > Math.floor(((number - 1) * plan.pullRequests) / numbers);
    (isPullRequest ? pullRequests : issues).push({
      owner,
      repo,
      number,
      title: `${capital(random.pick(['It', 'The build', 'The client', 'The server']))} ${pickFrom(random, DOES)} ${pickFrom(random, WHEN)}`,
      body: `Seen with version ${random.integer(0, 9)}.${random.integer(0, 30)}. ${'Steps to reproduce are below. '.repeat(random.integer(1, 8))}`,
      author: pickFrom(random, usernames),
      // Most old ones are closed.
      status: random.chance(0.1 + (0.5 * number) / numbers) ? 'Open' : 'Closed',
      createdAt: timeOf(createdAtMs + number * 47 * MINUTE_MS),
      reactionCounts: noReactions(),
    });
  }
  const discussions = [...issues, ...pullRequests].toSorted((left, right) => left.number - right.number);
  const isIssue = new Set(issues.map(({ number }) => number));
  const comments = commentsOf(discussions, plan.comments, random, usernames);
  const toComments = comments.length === 0 ? 0 : Math.floor(plan.reactions / 40);
  const reactions = reactionsTo(discussions, plan.reactions - toComments, random, usernames).map(
    ({ target: { number }, username, reactions: kinds }): Reaction => ({
      owner,
      repo,
      number,
      username,
      reactions: kinds,
    }),
  );
  const commentReactions = reactionsTo(comments, toComments, random, usernames).map(
    ({ target: { number, commentId }, username, reactions: kinds }): CommentReaction => ({
      owner,
      repo,
      number,
      commentId,
      username,
      reactions: kinds,
    }),
  );
  const issueComments = comments.filter(({ number }) => isIssue.has(number));
  return {
    repo: {
      owner,
      repo,
      ...(plan.originalOwner !== undefined && { originalOwner: plan.originalOwner }),
      description: `${capital(repo.replaceAll('-', ' '))}, as small as it can be`,
      createdAt: timeOf(createdAtMs),
      updatedAt: timeOf(createdAtMs + random.integer(0, 900) * DAY_MS),
      starCount: plan.stars,
      forkCount: plan.forkCount,
      issuesAndPullRequestCount: numbers,
      openIssueCount: issues.filter(({ status }) => status === 'Open').length,
      openPullRequestCount: pullRequests.filter(({ status }) => status === 'Open').length,
    },
    issues,
    pullRequests,
    issueReactions: reactions.filter(({ number }) => isIssue.has(number)),
    pullRequestReactions: reactions.filter(({ number }) => !isIssue.has(number)),
    issueCommentReactions: commentReactions.filter(({ number }) => isIssue.has(number)),
    pullRequestCommentReactions: commentReactions.filter(({ number }) => !isIssue.has(number)),
    issueComments,
    pullRequestComments: comments.filter(({ number }) => !isIssue.has(number)),
    stars: consecutive(usernames, random, plan.stars).map((username, which) => ({
      owner,
      repo,
      username,
      createdAt: timeOf(createdAtMs + which * 11 * MINUTE_MS),
    })),
  };
}

function commentsOf(
  discussions: readonly Issue[],
  count: number,
  random: SeededRandom,
  usernames: readonly string[],
): IssueComment[] {
  if (discussions.length === 0) {
    return [];
  }
  return Array.from({ length: count }, (_, which): IssueComment => {
    const { owner, repo, number, createdAt } = pickFrom(random, discussions);
    const atMs = Date.parse(createdAt) + (which + 1) * MINUTE_MS;
    return {
      owner,
      repo,
      number,
      commentId: encodeKsuid({ epochSeconds: Math.floor(atMs / 1000), payload: random.bytes(16) }),
      author: pickFrom(random, usernames),
      body: pickFrom(random, SAYS),
      createdAt: timeOf(atMs),
      reactionCounts: noReactions(),
    };
  });
}

/** Reactions to targets, a few of which get most of them. The targets have their counts. */
function reactionsTo<Target extends Pick<Issue, 'reactionCounts'>>(
  targets: readonly Target[],
  count: number,
  random: SeededRandom,
  usernames: readonly string[],
): { readonly target: Target; readonly username: string; readonly reactions: Set<ReactionKind> }[] {
  const weights = targets.map((_, index) => (index + 1) ** -SKEW);
  const counts = apportion(count, weights, usernames.length);
  return targets.flatMap((target, index) =>
    consecutive(usernames, random, counts[index] ?? 0).map((username) => {
      const reactions = new Set<ReactionKind>(
        random.chance(0.1) ? ['Heart', 'Rocket'] : [pickFrom(random, REACTION_KINDS)],
      );
      for (const kind of reactions) {
        target.reactionCounts[kind] += 1;
      }
      return { target, username, reactions };
    }),
  );
}

/** Shares of a whole number, in proportion to the weights, none above `most`. The first gets the remainder. */
export function apportion(total: number, weights: readonly number[], most: number): number[] {
  if (weights.length === 0) {
    return [];
  }
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const shares = weights.map((weight) => Math.min(most, Math.floor((total * weight) / sum)));
  let left = Math.min(total, most * weights.length) - shares.reduce((all, share) => all + share, 0);
  while (left > 0) {
    for (let index = 0; index < shares.length && left > 0; index += 1) {
      const more = Math.min(left, most - (shares[index] ?? 0), Math.max(1, Math.floor(left / shares.length)));
      shares[index] = (shares[index] ?? 0) + more;
      left -= more;
    }
  }
  return shares;
}

/** The given number of different users, beginning anywhere. */
function consecutive(usernames: readonly string[], random: SeededRandom, count: number): string[] {
  const start = random.integer(0, usernames.length - 1);
  return Array.from(
    { length: Math.min(count, usernames.length) },
    (_, which) => usernames[(start + which) % usernames.length] ?? '',
  );
}

function usernameOf(index: number): string {
  return `${FIRST[index % FIRST.length]}-${SECOND[Math.floor(index / FIRST.length) % SECOND.length]}-${index + 1}`;
}

function noReactions(): Record<ReactionKind, number> {
  return { ThumbsUp: 0, ThumbsDown: 0, Smile: 0, Celebration: 0, Disappointed: 0, Heart: 0, Rocket: 0, Eyes: 0 };
}

function pickFrom<Value>(random: SeededRandom, values: readonly Value[]): Value {
  return random.pick(values as readonly [Value, ...Value[]]);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function timeOf(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
