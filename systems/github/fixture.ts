import { type Model, tableDefinitions } from '@singlet/model';
import { ManualClock } from '../clock.ts';
import { countedKsuids } from '../testing/counted-ksuids.ts';
import { databasesUnderTest, type DatabaseUnderTest } from '../testing/databases.ts';
import type { RawTable } from '../testing/raw-table.ts';
import type { LoggedClient, Workbench } from '../testing/workbench.ts';
import type { GitHubOptions } from './connection.ts';
import { type GitHub, openGitHub } from './github.ts';
import { github } from './model.ts';

/** Over HTTP and stored in LMDB, and in this process and in memory; or the endpoint that is named from outside. */
export const databases: readonly DatabaseUnderTest[] = databasesUnderTest.filter(
  ({ name }) => name !== 'HTTP and memory' && name !== 'in process and LMDB',
);

/** The one for what takes long: of one database at least there is a last. */
export const quickDatabase = databases.at(-1) as DatabaseUnderTest;

export const BOOK = { owner: 'alexdebrie', repo: 'dynamodb-book' };
export const GRAPHQL_DEMO = { owner: 'alexdebrie', repo: 'graphql-demo' };
export const MEGA_REPO = { owner: 'megacorp', repo: 'mega-repo' };

const USERS = ['alexdebrie', 'danny-developer', 'sally-scala', 'golang-gertrude', 'happy-harry'];

/** The counts of what has no reactions. */
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

/** A site with a table of its own, and what a test looks at it with. */
export interface Site extends GitHub {
  readonly table: RawTable;
  readonly clock: ManualClock;
  /** The same site, served by another process. */
  readonly another: () => GitHub;
  /** The same site, with every request written down. */
  readonly logged: () => GitHub & Pick<LoggedClient, 'requests' | 'operations'>;
}

/** An application that the tests are about. */
export interface Tested {
  readonly model: Model;
  readonly open: (options: GitHubOptions) => GitHub;
  /** A table as the tests are to see it. */
  readonly view?: (table: RawTable, workbench: Workbench) => RawTable;
}

let tested: Tested = { model: github, open: openGitHub };

/** Has the tests be about another application that does all that this one does: a later version of it. */
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

/** What an organization of issues looks like as a list: the repo's name, then numbers. */
export function listed(
  repo: { readonly repo: string } | undefined,
  items: readonly { readonly number: number }[],
): (string | number)[] {
  return [...(repo === undefined ? [] : [repo.repo]), ...items.map(({ number }) => number)];
}
