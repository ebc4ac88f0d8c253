import type { Cursor } from '@singlet/model';
import type { PullRequest, Numbered, PageRequest, RepoName, Status } from '../github/connection.ts';
import { PullRequests } from '../github/pull-requests.ts';
import type { MigratedConnection, Repo } from './connection.ts';
import { refusing } from './errors.ts';
import { chooseReader, readByKey } from './readers.ts';

/** Pull requests. Those of one status are listed by key if that is enabled, otherwise with the filter. */
export class MigratedPullRequests extends PullRequests {
  readonly #connection: MigratedConnection;

  constructor(connection: MigratedConnection) {
    super(connection);
    this.#connection = connection;
  }

  override async of(
    { owner, repo }: RepoName,
    page: PageRequest & { readonly status?: Status } = {},
  ): Promise<{ repo: Repo | undefined; pullRequests: readonly PullRequest[]; cursor: Cursor | undefined }> {
    const { status, ...rest } = page;
    if (status === undefined) {
      return await super.of({ owner, repo }, rest);
    }
    const { db, readers } = this.#connection;
    const { byKey, cursor } = chooseReader(
      status === 'Open' ? readers.openPullRequests : readers.closedPullRequests,
      page.cursor,
    );
    if (!byKey) {
      return await super.of({ owner, repo }, page);
    }
    const read = status === 'Open' ? db.openPullRequestsOfRepo : db.closedPullRequestsOfRepo;
    return readByKey(await read({ owner, repo }, { ...rest, cursor }));
  }

  /**
   * Removes an open pull request, as moderators do with spam. Its number is not used again.
   *
   * @throws {GitHubError} `AlreadyDone` if it is closed, `NotFound`.
   */
  async remove({ owner, repo, number }: Numbered): Promise<void> {
    await refusing(this.#connection.db.removePullRequest({ owner, repo, number }));
  }
}
