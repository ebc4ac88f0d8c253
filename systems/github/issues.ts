import type { Cursor, ReadOptions } from '@singlet/model';
import type {
  Connection,
  Issue,
  IssueComment,
  Numbered,
  PageRequest,
  ReactionKind,
  Repo,
  RepoName,
  Status,
} from './connection.ts';
import { refusing } from './errors.ts';

/** The input for opening an issue or a pull request. */
export interface NewDiscussion {
  readonly title: string;
  readonly body?: string;
  readonly author: string;
  /** The present time if omitted. */
  readonly createdAt?: string;
}

export interface NewComment {
  readonly author: string;
  readonly body: string;
  /** A KSUID; a new one if omitted. */
  readonly commentId?: string;
  /** The present time if omitted. */
  readonly createdAt?: string;
}

/** One of the eight reactions by a user. */
export interface NewReaction {
  readonly username: string;
  readonly kind: ReactionKind;
}

/** Issues, their comments and reactions. */
export class Issues {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Opens an issue under the repo's next number. Issues and pull requests share the numbers.
   *
   * @throws {GitHubError} `NotFound` if the repo does not exist.
   */
  async create({ owner, repo }: RepoName, issue: NewDiscussion): Promise<Issue> {
    const { db, now } = this.#connection;
    return await refusing(db.createIssue({ owner, repo, createdAt: now(), ...issue }));
  }

  async find({ owner, repo, number }: Numbered, options: ReadOptions = {}): Promise<Issue | undefined> {
    return await this.#connection.db.issue({ owner, repo, number }, options);
  }

  /** The repo, on the first page, and its issues, the newest first: those of one status, or all. */
  async of(
    { owner, repo }: RepoName,
    page: PageRequest & { readonly status?: Status } = {},
  ): Promise<{ repo: Repo | undefined; issues: readonly Issue[]; cursor: Cursor | undefined }> {
    const { status, ...rest } = page;
    return await this.#connection.db.issuesOfRepo({ owner, repo, ...(status !== undefined && { status }) }, rest);
  }

  /** @throws {GitHubError} `AlreadyDone` if it has that status, `NotFound`. */
  async setStatus({ owner, repo, number }: Numbered, status: Status): Promise<void> {
    await refusing(
      this.#connection.db.setIssueStatus({
        issue: { owner, repo, number, status },
        repo: { owner, repo, opened: status === 'Open' ? 1 : -1 },
      }),
    );
  }

  /** @throws {GitHubError} `AlreadyDone` if the user has already reacted this way, `NotFound`. */
  async react({ owner, repo, number }: Numbered, { username, kind }: NewReaction): Promise<void> {
    await refusing(
      this.#connection.db.reactToIssue({
        reaction: { owner, repo, number, username, kind },
        target: { owner, repo, number, kind },
      }),
    );
  }

  /** @throws {GitHubError} `NotFound` if the issue does not exist, `AlreadyExists` if a given id is taken. */
  async comment({ owner, repo, number }: Numbered, comment: NewComment): Promise<IssueComment> {
    const { db, now, newCommentId } = this.#connection;
    return await refusing(
      db.commentOnIssue({ owner, repo, number, commentId: newCommentId(), createdAt: now(), ...comment }),
    );
  }

  /** The oldest first. */
  async commentsOf(
    { owner, repo, number }: Numbered,
    page: PageRequest = {},
  ): Promise<{ items: readonly IssueComment[]; cursor: Cursor | undefined }> {
    return await this.#connection.db.commentsOfIssue({ owner, repo, number }, page);
  }

  /** @throws {GitHubError} `AlreadyDone` if the user has already reacted this way, `NotFound`. */
  async reactToComment(
    { owner, repo, number, commentId }: Numbered & { readonly commentId: string },
    { username, kind }: NewReaction,
  ): Promise<void> {
    await refusing(
      this.#connection.db.reactToIssueComment({
        reaction: { owner, repo, number, commentId, username, kind },
        target: { owner, repo, number, commentId, kind },
      }),
    );
  }
}
