import type { Cursor } from '@singlet/model';
import type { Issue, Numbered, PageRequest, RepoName, Status } from '../github/connection.ts';
import { Issues } from '../github/issues.ts';
import type { MigratedConnection, Repo } from './connection.ts';
import { refusing } from './errors.ts';
import { chooseReader, readByKey } from './readers.ts';

/** Issues. Those of one status are listed by key if that is enabled, otherwise with the filter. */
export class MigratedIssues extends Issues {
  readonly #connection: MigratedConnection;

  constructor(connection: MigratedConnection) {
    super(connection);
    this.#connection = connection;
  }

  override async of(
    { owner, repo }: RepoName,
    page: PageRequest & { readonly status?: Status } = {},
  ): Promise<{ repo: Repo | undefined; issues: readonly Issue[]; cursor: Cursor | undefined }> {
    const { status, ...rest } = page;
    if (status === undefined) {
      return await super.of({ owner, repo }, rest);
    }
    const { db, readers } = this.#connection;
    const { byKey, cursor } = chooseReader(status === 'Open' ? readers.openIssues : readers.closedIssues, page.cursor);
    if (!byKey) {
      return await super.of({ owner, repo }, page);
    }
    const read = status === 'Open' ? db.openIssuesOfRepo : db.closedIssuesOfRepo;
    return readByKey(await read({ owner, repo }, { ...rest, cursor }));
  }

  /**
   * Removes an open issue, as moderators do with spam. Its number is not used again.
   *
   * @throws {GitHubError} `AlreadyDone` if it is closed, `NotFound`.
   */
  async remove({ owner, repo, number }: Numbered): Promise<void> {
    await refusing(this.#connection.db.removeIssue({ owner, repo, number }));
  }
}
