import { Accounts } from './accounts.ts';
import { type Connection, type GitHubOptions, openConnection } from './connection.ts';
import { Issues } from './issues.ts';
import { PullRequests } from './pull-requests.ts';
import { Repos } from './repos.ts';

/** The site: everything that the application can do, by subject. */
export interface GitHub {
  readonly accounts: Accounts;
  readonly repos: Repos;
  readonly issues: Issues;
  readonly pullRequests: PullRequests;
}

/** Opens the site on an existing table. */
export function openGitHub(options: GitHubOptions): GitHub {
  return siteOn(openConnection(options));
}

/** The site on a connection: that of this model, or of a later one that also has its patterns. */
export function siteOn(connection: Connection): GitHub {
  return {
    accounts: new Accounts(connection),
    repos: new Repos(connection),
    issues: new Issues(connection),
    pullRequests: new PullRequests(connection),
  };
}
