import assert from 'node:assert/strict';
import { type Cursor, tableDefinitions } from '@singlet/model';
import { ManualClock } from '../clock.ts';
import type { AccessPattern, Demo, Stage } from '../demo/demo.ts';
import { SeededRandom } from '../demo/seeded-random.ts';
import { playEvents } from '../demo/schedule.ts';
import { createKsuidGenerator } from '../ksuid.ts';
import type { RepoName } from './connection.ts';
import { DAY_STARTS_AT, planDay } from './demo-day.ts';
import { type GitHub, openGitHub } from './github.ts';
import { github } from './model.ts';
import { sampleSite } from './sample-site.ts';
import { seedGitHub } from './seed.ts';

const SEED = 42;
/** Ten repos with 2,000 issues. */
const SCALE = 0.01;

const PATTERNS: readonly AccessPattern[] = [
  { id: 'GH-01', title: 'Create repo' },
  { id: 'GH-02', title: 'Repo' },
  { id: 'GH-03', title: 'Create issue' },
  { id: 'GH-04', title: 'Issue' },
  { id: 'GH-05', title: 'Issues of a repo' },
  { id: 'GH-06', title: 'Create pull request' },
  { id: 'GH-07', title: 'Pull request' },
  { id: 'GH-08', title: 'Pull requests of a repo' },
  { id: 'GH-09', title: 'Fork repo' },
  { id: 'GH-10', title: 'Forks of a repo' },
  { id: 'GH-11', title: 'Comment on issue' },
  { id: 'GH-12', title: 'Comment on pull request' },
  { id: 'GH-13', title: 'React to issue' },
  { id: 'GH-14', title: 'React to pull request' },
  { id: 'GH-15', title: 'React to comment' },
  { id: 'GH-16', title: 'Star repo' },
  { id: 'GH-17', title: 'Stargazers' },
  { id: 'GH-18', title: 'Create user' },
  { id: 'GH-19', title: 'Create organization' },
  { id: 'GH-20', title: 'Add user to organization' },
  { id: 'GH-21', title: 'Users of an organization' },
  { id: 'GH-22', title: 'Organizations of a user' },
  { id: 'GH-23', title: 'Repos of a user' },
  { id: 'GH-24', title: 'Repos of an organization' },
  { id: 'GH-25', title: 'Comments of an issue' },
  { id: 'GH-26', title: 'Comments of a pull request' },
  { id: 'GH-27', title: 'Close or reopen issue' },
  { id: 'GH-28', title: 'Close or reopen pull request' },
  { id: 'GH-29', title: 'Update repo' },
  { id: 'GH-30', title: 'Account' },
  { id: 'GH-31', title: 'Set payment plan' },
  { id: 'GH-32', title: 'Next number' },
  { id: 'GH-33', title: 'Open items' },
];

export interface GitHubDemoOptions {
  readonly visits: number;
  /** The scale of the site in the morning. */
  readonly scale?: number;
}

/** A day on a site with a few years of data; the same day in every run. */
export function githubDemo({ visits, scale = SCALE }: GitHubDemoOptions): Demo {
  const [table] = tableDefinitions(github);
  assert(table !== undefined, 'the model has a table');
  return {
    title: 'GitHub: a day on the site',
    table,
    patterns: PATTERNS,
    play: async (stage) => {
      await play(stage, { visits, scale });
    },
  };
}

async function play(stage: Stage, { visits, scale }: Required<GitHubDemoOptions>): Promise<void> {
  const { terminal, client, tableName } = stage;
  const seeded = await seedGitHub({ client, tableName, scale });
  const items = Object.values(seeded).reduce((sum, count) => sum + count, 0);
  terminal.line(
    `Repos: ${seeded['Repo']}, with ${seeded['Issue']} issues and ${seeded['Star']} stars: ${items} items.`,
  );
  const clock = new ManualClock(DAY_STARTS_AT);
  const random = new SeededRandom(SEED);
  const newCommentId = createKsuidGenerator({ clock, randomBytes: (count) => random.bytes(count) });
  const site = openGitHub({ client, tableName, clock, newCommentId });
  const day = planDay({ site, sample: sampleSite(scale), random: new SeededRandom(SEED + 1), visits });

  terminal.line(`People come by ${visits} times: they look, star, fork, open issues, talk and react.`);
  await playEvents(day.events, { ...stage, clock });

  const { tally } = day;
  terminal.line();
  terminal.line(
    `${tally.opened} issues and pull requests were opened, ${tally.closed} closed; ` +
      `${tally.comments} comments and ${tally.reactions} reactions were made, ${tally.stars} stars given.`,
  );
  terminal.line(`${tally.refused} requests were refused, as they had to be: done already, or a name was taken.`);

  const counted = await countAgain(stage, site, day.repos);
  terminal.line(
    `Counted again at midnight: ${counted.stars} stars, ${counted.openIssues} open issues on all pages of ` +
      `${day.repos.length} repos, as the repos themselves say.`,
  );
}

/** Pages through stars and open issues, and compares with the numbers on the repos. */
async function countAgain(
  { ledger }: Stage,
  site: GitHub,
  names: readonly RepoName[],
): Promise<{ stars: number; openIssues: number }> {
  const sum = { stars: 0, openIssues: 0 };
  for (const name of names) {
    const repo = await ledger.during('GH-02', async () => await site.repos.find(name));
    const stars = await countPages(async (cursor) => {
      const page = await ledger.during('GH-17', async () => await site.repos.stargazersOf(name, { cursor }));
      return { count: page.stars.length, cursor: page.cursor };
    });
    const openIssues = await countPages(async (cursor) => {
      const page = await ledger.during('GH-05', async () => await site.issues.of(name, { status: 'Open', cursor }));
      return { count: page.issues.length, cursor: page.cursor };
    });
    assert.equal(stars, repo?.starCount, `${name.owner}/${name.repo} has as many stars as it says`);
    assert.equal(openIssues, repo?.openIssueCount, `${name.owner}/${name.repo} has as many open issues as it says`);
    sum.stars += stars;
    sum.openIssues += openIssues;
  }
  return sum;
}

async function countPages(
  read: (cursor: Cursor | undefined) => Promise<{ readonly count: number; readonly cursor: Cursor | undefined }>,
): Promise<number> {
  let sum = 0;
  let cursor: Cursor | undefined;
  do {
    const page = await read(cursor);
    sum += page.count;
    ({ cursor } = page);
  } while (cursor !== undefined);
  return sum;
}
