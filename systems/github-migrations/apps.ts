import type { Cursor } from '@singlet/model';
import type { Account } from '../github/accounts.ts';
import type { PageRequest, RepoName } from '../github/connection.ts';
import { forEither } from '../github/errors.ts';
import type { AppName, GitHubApp, Installation, MigratedConnection, Repo } from './connection.ts';
import { refusing } from './errors.ts';
import { accountOf } from './gists.ts';

/** The input for creating an app. */
export interface NewApp {
  readonly name: string;
  readonly description?: string;
}

/** Apps of users and organizations, and the repos where they are installed. */
export class Apps {
  readonly #connection: MigratedConnection;

  constructor(connection: MigratedConnection) {
    this.#connection = connection;
  }

  /**
   * Creates an app, under the letters and digits of its name. If the account does not have the keys of its collection yet, the
   * same request adds them.
   *
   * @param createdAt - now by default.
   * @throws {GitHubError} `AlreadyExists` if the account has an app of that name; `NotFound` if the account does not exist.
   */
  async create(
    account: string,
    { name, description }: NewApp,
    createdAt: string = this.#connection.now(),
  ): Promise<GitHubApp> {
    const { db } = this.#connection;
    const app = {
      account,
      app: slugOf(name),
      name,
      ...(description !== undefined && { description }),
      createdAt,
    };
    const input = { app, account: { name: account } };
    await forEither(
      async () => refusing(db.createApp(input)),
      async () => refusing(db.createOrganizationApp(input)),
    );
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
      // Until all accounts have the keys of the collection, an account that is missing from it may just lack them.
      account = accountOf(await db.account({ name }));
    }
    return { account, apps, cursor };
  }

  /**
   * Installs an app in a repo.
   *
   * @throws {GitHubError} `AlreadyDone`; `NotFound` if the app or the repo does not exist.
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

/** The letters and digits of a name, in lower case: the address of an app. */
export function slugOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}
