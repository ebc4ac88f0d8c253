import type { ScheduledEvent } from '../demo/schedule.ts';
import type { SeededRandom } from '../demo/seeded-random.ts';
import type { Numbered, ReactionKind, RepoName } from './connection.ts';
import { GitHubError } from './errors.ts';
import type { GitHub } from './github.ts';
import type { NewComment, NewDiscussion } from './issues.ts';
import { REACTION_KINDS } from './model.ts';
import type { SampleSite } from './sample-site.ts';

export const DAY_STARTS_AT = '2020-02-01T00:00:00Z';
const DAY_STARTS_AT_MS = Date.parse(DAY_STARTS_AT);
const DAY_MS = 24 * 60 * 60 * 1000;
/** The time from one action of a visit to the next. */
const STEP_MS = 45_000;

/** The actions, and how often the site refused. */
export interface DayTally {
  opened: number;
  closed: number;
  comments: number;
  reactions: number;
  stars: number;
  refused: number;
}

export interface Day {
  readonly events: readonly ScheduledEvent[];
  readonly tally: DayTally;
  /** The repos that exist in the morning. */
  readonly repos: readonly RepoName[];
}

interface DayOptions {
  readonly site: GitHub;
  readonly sample: SampleSite;
  readonly random: SeededRandom;
  readonly visits: number;
}

/** One action of a visitor, by access pattern. */
type Act = readonly [patternId: string, act: () => Promise<unknown>];

/** The visitors, and the items that they choose. */
interface Visit {
  readonly site: GitHub;
  readonly count: number;
  readonly username: string;
  readonly organization: string;
  readonly repo: RepoName;
  readonly issue: Numbered;
  readonly pullRequest: Numbered;
  readonly kind: ReactionKind;
  /** Runs a write that the site may refuse, and counts it. */
  readonly tried: (count: keyof DayTally, write: () => Promise<unknown>) => () => Promise<void>;
}

/** Plans a day: visits of known users to repos, popular ones more often, spread over the hours. */
export function planDay({ site, sample, random, visits }: DayOptions): Day {
  const people = sample.users.map(({ name }) => ({ name }));
  const organizations = sample.organizations.map(({ name }) => name);
  const repos = [...sample.repos()].map(({ repo, issues, pullRequests }) => ({
    name: { owner: repo.owner, repo: repo.repo },
    issues: issues.map(({ number }) => number),
    pullRequests: pullRequests.map(({ number }) => number),
  }));
  const someOf = <Value>(values: readonly Value[]): Value => random.pick(values as readonly [Value, ...Value[]]);
  const tally: DayTally = { opened: 0, closed: 0, comments: 0, reactions: 0, stars: 0, refused: 0 };
  const tried: Visit['tried'] = (count, write) => async () => {
    try {
      await write();
      tally[count] += 1;
    } catch (error) {
      if (!(error instanceof GitHubError)) {
        throw error;
      }
      tally.refused += 1;
    }
  };
  const events: ScheduledEvent[] = [];
  for (let count = 0; count < visits; count += 1) {
    const person = someOf(people);
    const { name, issues, pullRequests } = repos[Math.floor(random.fraction() ** 2 * repos.length)] ?? someOf(repos);
    const acts = (count % 20 === 19 ? someOf(RARE_VISITS) : someOf(USUAL_VISITS))({
      site,
      count,
      username: person.name,
      organization: someOf(organizations),
      repo: name,
      issue: { ...name, number: someOf(issues) },
      pullRequest: { ...name, number: someOf(pullRequests) },
      kind: someOf(REACTION_KINDS),
      tried,
    });
    const startsAtMs = DAY_STARTS_AT_MS + Math.floor(((count + random.fraction()) / visits) * (DAY_MS - 10 * STEP_MS));
    for (const [step, [patternId, act]] of acts.entries()) {
      events.push({ atMs: startsAtMs + step * STEP_MS, patternId, person, act });
    }
  }
  return { events, tally, repos: repos.map(({ name }) => name) };
}

const USUAL_VISITS: readonly ((visit: Visit) => readonly Act[])[] = [
  ({ site: { repos, issues }, repo, issue }) => [
    ['GH-02', async () => await repos.find(repo)],
    ['GH-33', async () => await repos.openItemCountsOf(repo)],
    ['GH-05', async () => await issues.of(repo, { status: 'Open' })],
    ['GH-04', async () => await issues.find(issue)],
    ['GH-25', async () => await issues.commentsOf(issue)],
  ],
  ({ site: { pullRequests }, repo, pullRequest }) => [
    ['GH-08', async () => await pullRequests.of(repo, { status: 'Open' })],
    ['GH-07', async () => await pullRequests.find(pullRequest)],
    ['GH-26', async () => await pullRequests.commentsOf(pullRequest)],
  ],
  ({ site: { repos }, repo, username, tried }) => [
    ['GH-17', async () => await repos.stargazersOf(repo)],
    ['GH-16', tried('stars', async () => await repos.star(repo, username))],
  ],
  ({ site: { issues }, issue, username, kind, count, tried }) => [
    ['GH-13', tried('reactions', async () => await issues.react(issue, { username, kind }))],
    ['GH-11', tried('comments', async () => await issues.comment(issue, said(username, count)))],
    [
      'GH-15',
      tried('reactions', async () => {
        const [first] = (await issues.commentsOf(issue, { limit: 1 })).items;
        if (first !== undefined) {
          await issues.reactToComment(first, { username, kind });
        }
      }),
    ],
  ],
  ({ site: { pullRequests }, pullRequest, username, kind, count, tried }) => [
    ['GH-14', tried('reactions', async () => await pullRequests.react(pullRequest, { username, kind }))],
    ['GH-12', tried('comments', async () => await pullRequests.comment(pullRequest, said(username, count)))],
  ],
  ({ site: { issues }, repo, issue, username, count, tried }) => [
    ['GH-03', tried('opened', async () => await issues.create(repo, found(username, count)))],
    ['GH-27', tried('closed', async () => await issues.setStatus(issue, 'Closed'))],
  ],
  ({ site: { pullRequests }, repo, pullRequest, username, count, tried }) => [
    ['GH-06', tried('opened', async () => await pullRequests.create(repo, found(username, count)))],
    ['GH-28', tried('closed', async () => await pullRequests.setStatus(pullRequest, 'Closed'))],
  ],
  ({ site: { accounts, repos }, repo, username }) => [
    ['GH-30', async () => await accounts.find(repo.owner)],
    ['GH-23', async () => await accounts.reposOf(username)],
    ['GH-22', async () => await accounts.organizationsOf(username)],
    ['GH-10', async () => await repos.forksOf(repo)],
  ],
  ({ site: { accounts }, organization }) => [
    ['GH-24', async () => await accounts.reposOfOrganization(organization)],
    ['GH-21', async () => await accounts.membersOf(organization)],
  ],
];

const RARE_VISITS: readonly ((visit: Visit) => readonly Act[])[] = [
  ({ site: { accounts, repos }, count }) => {
    const owner = `newcomer-${count}`;
    const hello = { owner, repo: 'hello' };
    const plan = { planType: 'Pro', planStartDate: '2020-02-01' } as const;
    return [
      ['GH-18', async () => await accounts.createUser(owner)],
      ['GH-31', async () => await accounts.setPaymentPlan(owner, plan)],
      ['GH-01', async () => await repos.create(hello)],
      ['GH-29', async () => await repos.update(hello, { description: 'A first step' })],
      ['GH-32', async () => await repos.takeNumber(hello)],
    ];
  },
  ({ site: { accounts, repos }, repo, username, count }) => {
    const organization = `club-${count}`;
    return [
      ['GH-19', async () => await accounts.createOrganization(organization)],
      ['GH-20', async () => await accounts.addMember({ organization, username, role: 'Admin' })],
      ['GH-09', async () => await repos.fork(repo, organization)],
    ];
  },
];

function said(author: string, count: number): NewComment {
  return { author, body: `Seen by ${author}, the ${count + 1}th to come by.` };
}

function found(author: string, count: number): NewDiscussion {
  return { author, title: `Something that the ${count + 1}th to come by has found` };
}
