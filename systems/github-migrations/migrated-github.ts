import { Accounts } from '../github/accounts.ts';
import { Apps } from './apps.ts';
import { type MigratedConnection, type MigratedOptions, openMigratedConnection } from './connection.ts';
import { Gists } from './gists.ts';
import { MigratedIssues } from './issues.ts';
import { MigratedPullRequests } from './pull-requests.ts';
import { MigratedRepos } from './repos.ts';

/** The site a year later. Its writers write the keys of the new model, regardless of which of its readers are enabled. */
export interface MigratedGitHub {
  readonly accounts: Accounts;
  readonly repos: MigratedRepos;
  readonly issues: MigratedIssues;
  readonly pullRequests: MigratedPullRequests;
  readonly gists: Gists;
  readonly apps: Apps;
}

/** Opens the site on an existing table, migrated or not. */
export function openMigratedGitHub(options: MigratedOptions): MigratedGitHub {
  const connection: MigratedConnection = openMigratedConnection(options);
  return {
    accounts: new Accounts(connection),
    repos: new MigratedRepos(connection),
    issues: new MigratedIssues(connection),
    pullRequests: new MigratedPullRequests(connection),
    gists: new Gists(connection),
    apps: new Apps(connection),
  };
}
