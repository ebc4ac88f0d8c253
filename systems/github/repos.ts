import type { Cursor, ReadOptions } from '@singlet/model';
import type { Connection, PageRequest, Repo, RepoName, Star } from './connection.ts';
import { GitHubError, refusing } from './errors.ts';

/** Repositories, their forks and their stars. */
export class Repos {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * @param createdAt - now by default.
   * @throws {GitHubError} `AlreadyExists`; `NotFound` if the owner has no account.
   */
  async create(
    repo: RepoName & { readonly description?: string },
    createdAt: string = this.#connection.now(),
  ): Promise<Repo> {
    return await refusing(this.#connection.db.createRepo({ ...repo, createdAt, updatedAt: createdAt }));
  }

  async find({ owner, repo }: RepoName, options: ReadOptions = {}): Promise<Repo | undefined> {
    return await this.#connection.db.repo({ owner, repo }, options);
  }

  /** Sets the given attributes, and the time of the update. */
  async update({ owner, repo }: RepoName, changes: { readonly description?: string }): Promise<Repo> {
    const { db, now } = this.#connection;
    return await refusing(db.updateRepo({ owner, repo, updatedAt: now(), ...changes }));
  }

  /**
   * Forks a repo: a repo of the same name with another owner.
   *
   * @param createdAt - now by default.
   * @throws {GitHubError} `AlreadyExists` if the new owner has a repo of that name, even if it is the upstream itself;
   *   `NotFound` if the upstream or the owner does not exist.
   */
  async fork(upstream: RepoName, owner: string, createdAt: string = this.#connection.now()): Promise<Repo> {
    const { db } = this.#connection;
    const { repo } = upstream;
    if (owner === upstream.owner) {
      throw new GitHubError((await this.find(upstream)) === undefined ? 'NotFound' : 'AlreadyExists', 'Repo');
    }
    const original = upstream.owner;
    return await refusing(db.forkRepo({ owner, repo, originalOwner: original, createdAt, updatedAt: createdAt }));
  }

  /** The repo, on the first page and unless it is a fork itself, and its forks by the names of their owners. */
  async forksOf(
    { owner, repo }: RepoName,
    page: PageRequest = {},
  ): Promise<{ original: Repo | undefined; forks: readonly Repo[]; cursor: Cursor | undefined }> {
    const { items, cursor } = await this.#connection.db.forksOfRepo({ upstream: owner, repo }, page);
    const isFork = ({ originalOwner }: Repo): boolean => originalOwner !== undefined;
    return { original: items.find((each) => !isFork(each)), forks: items.filter(isFork), cursor };
  }

  /** @throws {GitHubError} `AlreadyDone`; `NotFound` if the repo or the user does not exist. */
  async star({ owner, repo }: RepoName, username: string): Promise<void> {
    const { db, now } = this.#connection;
    await refusing(db.starRepo({ star: { owner, repo, username, createdAt: now() }, user: { name: username } }));
  }

  /** The repo, on the first page, and its stargazers by name. */
  async stargazersOf(
    { owner, repo }: RepoName,
    page: PageRequest = {},
  ): Promise<{ repo: Repo | undefined; stars: readonly Star[]; cursor: Cursor | undefined }> {
    return await this.#connection.db.stargazersOfRepo({ owner, repo }, page);
  }

  /** The numbers of open issues and pull requests. */
  async openItemCountsOf({
    owner,
    repo,
  }: RepoName): Promise<Pick<Repo, 'openIssueCount' | 'openPullRequestCount'> | undefined> {
    return await this.#connection.db.openItemCounts({ owner, repo });
  }

  /**
   * Takes the next number of a repo, as new issues and pull requests do.
   *
   * @throws {GitHubError} `NotFound`
   */
  async takeNumber({ owner, repo }: RepoName): Promise<number> {
    const { issuesAndPullRequestCount } = await refusing(this.#connection.db.takeNumber({ owner, repo }));
    return issuesAndPullRequestCount;
  }
}
