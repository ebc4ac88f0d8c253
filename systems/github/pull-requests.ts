import type { Cursor, ReadOptions } from '@singlet/model';
import type {
  Connection,
  PullRequest,
  PullRequestComment,
  Numbered,
  PageRequest,
  Repo,
  RepoName,
  Status,
} from './connection.ts';
import { refusing } from './errors.ts';
import type { NewComment, NewDiscussion, NewReaction } from './issues.ts';

/** Pull requests, their comments and reactions. */
export class PullRequests {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Opens a pull request under the repo's next number. Issues and pull requests share the numbers.
   *
   * @throws {GitHubError} `NotFound` if the repo does not exist.
   */
  async create({ owner, repo }: RepoName, pullRequest: NewDiscussion): Promise<PullRequest> {
    const { db, now } = this.#connection;
    return await refusing(db.createPullRequest({ owner, repo, createdAt: now(), ...pullRequest }));
  }

  async find({ owner, repo, number }: Numbered, options: ReadOptions = {}): Promise<PullRequest | undefined> {
    return await this.#connection.db.pullRequest({ owner, repo, number }, options);
  }

  /** The repo, on the first page, and its pull requests, the newest first: those of one status, or all. */
  async of(
    { owner, repo }: RepoName,
    page: PageRequest & { readonly status?: Status } = {},
  ): Promise<{ repo: Repo | undefined; pullRequests: readonly PullRequest[]; cursor: Cursor | undefined }> {
    const { status, ...rest } = page;
    return await this.#connection.db.pullRequestsOfRepo({ owner, repo, ...(status !== undefined && { status }) }, rest);
  }

  /** @throws {GitHubError} `AlreadyDone` if it has that status, `NotFound`. */
  async setStatus({ owner, repo, number }: Numbered, status: Status): Promise<void> {
    await refusing(
      this.#connection.db.setPullRequestStatus({
        pullRequest: { owner, repo, number, status },
        repo: { owner, repo, opened: status === 'Open' ? 1 : -1 },
      }),
    );
  }

  /** @throws {GitHubError} `AlreadyDone` if the user has already reacted this way, `NotFound`. */
  async react({ owner, repo, number }: Numbered, { username, kind }: NewReaction): Promise<void> {
    await refusing(
      this.#connection.db.reactToPullRequest({
        reaction: { owner, repo, number, username, kind },
        target: { owner, repo, number, kind },
      }),
    );
  }

  /** @throws {GitHubError} `NotFound` if the pull request does not exist. */
  async comment({ owner, repo, number }: Numbered, comment: NewComment): Promise<PullRequestComment> {
    const { db, now, newCommentId } = this.#connection;
    return await refusing(
      db.commentOnPullRequest({ owner, repo, number, commentId: newCommentId(), createdAt: now(), ...comment }),
    );
  }

  /** The oldest first. */
  async commentsOf(
    { owner, repo, number }: Numbered,
    page: PageRequest = {},
  ): Promise<{ items: readonly PullRequestComment[]; cursor: Cursor | undefined }> {
    return await this.#connection.db.commentsOfPullRequest({ owner, repo, number }, page);
  }

  /** @throws {GitHubError} `AlreadyDone` if the user has already reacted this way, `NotFound`. */
  async reactToComment(
    { owner, repo, number, commentId }: Numbered & { readonly commentId: string },
    { username, kind }: NewReaction,
  ): Promise<void> {
    await refusing(
      this.#connection.db.reactToPullRequestComment({
        reaction: { owner, repo, number, commentId, username, kind },
        target: { owner, repo, number, commentId, kind },
      }),
    );
  }
}
