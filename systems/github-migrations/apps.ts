import type { Cursor } from '@singlet/model';
import type { Account } from '../github/accounts.ts';
import type { PageRequest, RepoName } from '../github/connection.ts';
import type { AppName, GitHubApp, Installation, MigratedConnection, Repo } from './connection.ts';
import { refusing } from './errors.ts';
import { accountOf } from './gists.ts';

/** What is said when an app is made. */
export interface NewApp {
  readonly name: string;
  readonly description?: string;
}

/** Apps of users and organizations, and the repos that they are installed in. */
export class Apps {
  readonly #connection: MigratedConnection;

  constructor(connection: MigratedConnection) {
    this.#connection = connection;
  }

  /**
   * Makes an app, under the letters and digits of its name. An account that was never decorated with the keys of its collection is
   * decorated with the same request.
   *
   * @throws {GitHubError} `AlreadyExists` where the account has an app of that name; `NotFound` where there is no such account.
   */
  async create(account: string, { name, description }: NewApp): Promise<GitHubApp> {
    const { db, now } = this.#connection;
    const app = {
      account,
      app: slugOf(name),
      name,
      ...(description !== undefined && { description }),
      createdAt: now(),
    };
    await refusing(db.createApp({ app, account: { name: account } }));
    return app;
  }

  /** @throws {GitHubError} `NotFound` */
  async describe({ account, app }: AppName, description: string): Promise<void> {
    await refusing(this.#connection.db.updateApp({ account, app, description }));
  }

  /** The account, on the first page, and its apps by the letters of their names. */
  async of(
    name: string,
    page: PageRequest = {},
  ): Promise<{ account: Account | undefined; apps: readonly GitHubApp[]; cursor: Cursor | undefined }> {
    const { db, readers } = this.#connection;
    const { apps, cursor, ...found } = await db.accountWithApps({ name }, page);
    let account = accountOf(found);
    if (account === undefined && page.cursor === undefined && !readers.accountWithApps) {
      // Until all accounts have the keys of the collection, one that is missing from it may only not have them yet.
      account = accountOf(await db.account({ name }));
    }
    return { account, apps, cursor };
  }

  /**
   * Installs an app in a repo.
   *
   * @throws {GitHubError} `AlreadyDone`; `NotFound` where there is no such app or repo.
   */
  async install({ account, app }: AppName, { owner, repo }: RepoName): Promise<Installation> {
    const { db, now } = this.#connection;
    return await refusing(db.installApp({ account, app, owner, repo, installedAt: now() }));
  }

  /** The app, on the first page, and where it is installed, by repo. */
  async installationsOf(
    { account, app }: AppName,
    page: PageRequest = {},
  ): Promise<{ app: GitHubApp | undefined; installations: readonly Installation[]; cursor: Cursor | undefined }> {
    return await this.#connection.db.appWithInstallations({ account, app }, page);
  }

  /** The repo, on the first page, and the apps that are installed in it. */
  async installedIn(
    { owner, repo }: RepoName,
    page: PageRequest = {},
  ): Promise<{ repo: Repo | undefined; installations: readonly Installation[]; cursor: Cursor | undefined }> {
    return await this.#connection.db.repoWithApps({ owner, repo }, page);
  }
}

/** The letters and digits of a name, in lower case: what an app is addressed by. */
export function slugOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}
