import { type Model, tableDefinitions } from '@singlet/model';
import { ManualClock } from '../clock.ts';
import { countedKsuids } from '../testing/counted-ksuids.ts';
import { databasesUnderTest, type DatabaseUnderTest } from '../testing/databases.ts';
import type { RawTable } from '../testing/raw-table.ts';
import type { LoggedClient, Workbench } from '../testing/workbench.ts';
import type { GitHubOptions } from './connection.ts';
import { type GitHub, openGitHub } from './github.ts';
import { github } from './model.ts';

/** Over HTTP and stored in LMDB, and in this process and in memory; or the endpoint given in the environment. */
export const databases: readonly DatabaseUnderTest[] = databasesUnderTest.filter(
  ({ name }) => name !== 'HTTP and memory' && name !== 'in process and LMDB',
);

/** The last one, for slow tests. There is always at least one. */
export const quickDatabase = databases.at(-1) as DatabaseUnderTest;

export const BOOK = { owner: 'alexdebrie', repo: 'dynamodb-book' };
export const GRAPHQL_DEMO = { owner: 'alexdebrie', repo: 'graphql-demo' };
export const MEGA_REPO = { owner: 'megacorp', repo: 'mega-repo' };

const USERS = ['alexdebrie', 'danny-developer', 'sally-scala', 'golang-gertrude', 'happy-harry'];

/** The counts of an item without reactions. */
export const NO_REACTIONS = {
  ThumbsUp: 0,
  ThumbsDown: 0,
  Smile: 0,
  Celebration: 0,
  Disappointed: 0,
  Heart: 0,
  Rocket: 0,
  Eyes: 0,
};

/** A site with its own table, and the means to inspect it in a test. */
export interface Site extends GitHub {
  readonly table: RawTable;
  readonly clock: ManualClock;
  /** The same site, served by another process. */
  readonly another: () => GitHub;
  /** The same site, with every request recorded. */
  readonly logged: () => GitHub & Pick<LoggedClient, 'requests' | 'operations'>;
}

/** The application under test. */
export interface Tested {
  readonly model: Model;
  readonly open: (options: GitHubOptions) => GitHub;
  /** The table in the form that the tests expect. */
  readonly view?: (table: RawTable, workbench: Workbench) => RawTable;
}

let tested: Tested = { model: github, open: openGitHub };

/** Runs the tests against another application with all features of this one: a later version of it. */
export function setTested(other: Tested): void {
  tested = other;
}

/** Opens an empty site. */
export async function openEmptySite(workbench: Workbench): Promise<Site> {
  const { model, open, view } = tested;
  const [definition] = tableDefinitions(model);
  const created = await workbench.createTable({ TableName: 'GitHubTable', ...definition });
  const table = view?.(created, workbench) ?? created;
  const clock = new ManualClock('2019-10-01T00:00:00Z');
  const common = { tableName: table.name, clock, newCommentId: countedKsuids(clock, { backwards: true }) };
  const siteFor = (client: Workbench['client']): GitHub => open({ ...common, client });
  return {
    ...siteFor(workbench.client),
    table,
    clock,
    another: () => siteFor(workbench.newClient()),
    logged: () => {
      const { client, requests, operations } = workbench.newLoggedClient();
      return { ...siteFor(client), requests, operations };
    },
  };
}

/** Opens the site of the examples: five users, an organization with a member, three repos. */
export async function openSite(workbench: Workbench): Promise<Site> {
  const site = await openEmptySite(workbench);
  await Promise.all([
    ...USERS.map((name) => site.accounts.createUser(name)),
    site.accounts.createOrganization('megacorp'),
  ]);
  await site.accounts.addMember({ organization: 'megacorp', username: 'alexdebrie', role: 'Member' });
  for (const [repo, at] of [
    [BOOK, '2019-10-11T14:11:17Z'],
    [GRAPHQL_DEMO, '2019-10-30T06:38:40Z'],
    [MEGA_REPO, '2019-11-02T08:00:00Z'],
  ] as const) {
    site.clock.setToMs(Date.parse(at));
    await site.repos.create(repo);
  }
  return site;
}

/** Takes numbers until the next one is `number`. */
export async function skipTo(site: GitHub, repo: { owner: string; repo: string }, number: number): Promise<void> {
  while ((await site.repos.takeNumber(repo)) < number - 1);
}

/** The expected list form of a collection of issues: the repo's name, then numbers. */
export function listed(
  repo: { readonly repo: string } | undefined,
  items: readonly { readonly number: number }[],
): (string | number)[] {
  return [...(repo === undefined ? [] : [repo.repo]), ...items.map(({ number }) => number)];
}
