import type { Attempt, Requests } from '../../http/requests.ts';
import type {
  Issue,
  IssueComment,
  Numbered,
  PageRequest,
  PullRequest,
  PullRequestComment,
  RepoName,
} from '../connection.ts';
import { GitHubError } from '../errors.ts';
import type { GitHub } from '../github.ts';
import type { NewComment, NewDiscussion } from '../issues.ts';
import { found } from './found.ts';

/** Issues or pull requests, which are numbered together. */
type Kind = 'issues' | 'pulls';

/** Pages of a list in which the result of an earlier attempt is looked for. */
const PAGES_MAX = 8;
const COMMENT_PAGES_MAX = 50;

/** Opens issues and pull requests and comments on them once for each idempotency key, whatever becomes of the answers. */
export class Once {
  readonly #site: GitHub;
  readonly #requests: Requests;

  constructor(site: GitHub, requests: Requests) {
    this.#site = site;
    this.#requests = requests;
  }

  /**
   * GH-03 and GH-06. The number is not known before it is taken, so a repetition reads the number that the first attempt has
   * kept or, if its process ended before that, looks for what has its author and its time.
   *
   * @throws {GitHubError} `NotFound`; {HttpError} 503 while the first attempt may be under way.
   */
  async open(kind: Kind, repo: RepoName, said: NewDiscussion, key: string | undefined): Promise<Issue | PullRequest> {
    const items = kind === 'issues' ? this.#site.issues : this.#site.pullRequests;
    let attempt = await this.#requests.attempt([kind, repo.owner, repo.repo, said.author], key);
    if (attempt.isRepeated) {
      const number = attempt.result === undefined ? undefined : Number(attempt.result);
      const earlier =
        number === undefined
          ? await this.#openedBefore(kind, repo, said, attempt)
          : await items.find({ ...repo, number });
      if (earlier !== undefined) return earlier;
      attempt = await this.#requests.beginAgain(attempt);
    }
    const opened = await items.create(repo, { ...said, createdAt: attempt.at });
    await this.#requests.settle(attempt, String(opened.number));
    return opened;
  }

  /** GH-11 and GH-12. @throws {GitHubError} `NotFound` */
  async comment(
    kind: Kind,
    subject: Numbered,
    comment: NewComment,
    key: string | undefined,
  ): Promise<IssueComment | PullRequestComment> {
    const items = kind === 'issues' ? this.#site.issues : this.#site.pullRequests;
    const scope = ['comment', kind, subject.owner, subject.repo, String(subject.number), comment.author];
    const { id: commentId, at: createdAt } = await this.#requests.attempt(scope, key);
    try {
      return await items.comment(subject, { ...comment, commentId, createdAt });
    } catch (error) {
      if (!(error instanceof GitHubError && error.code === 'AlreadyExists')) throw error;
      const pages = pagesOf(COMMENT_PAGES_MAX, async (page) => await items.commentsOf(subject, page));
      return found(await firstOf(pages, (each) => each.commentId === commentId), 'comment');
    }
  }

  async #openedBefore(
    kind: Kind,
    repo: RepoName,
    { author }: NewDiscussion,
    { at }: Attempt,
  ): Promise<Issue | PullRequest | undefined> {
    const { issues, pullRequests } = this.#site;
    const newestFirst = pagesOf<Issue | PullRequest>(PAGES_MAX, async (page) => {
      if (kind === 'issues') {
        const list = await issues.of(repo, page);
        return { items: list.issues, cursor: list.cursor };
      }
      const list = await pullRequests.of(repo, page);
      return { items: list.pullRequests, cursor: list.cursor };
    });
    return await firstOf(newestFirst, (each) => each.author === author && each.createdAt === at);
  }
}

async function* pagesOf<Item>(
  pagesMax: number,
  read: (page: PageRequest) => Promise<{ readonly items: readonly Item[]; readonly cursor: PageRequest['cursor'] }>,
): AsyncGenerator<Item> {
  let cursor: PageRequest['cursor'];
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const page = await read(cursor === undefined ? {} : { cursor });
    yield* page.items;
    if (page.cursor === undefined) return;
    cursor = page.cursor;
  }
}

async function firstOf<Item>(all: AsyncIterable<Item>, is: (item: Item) => boolean): Promise<Item | undefined> {
  for await (const each of all) if (is(each)) return each;
  return undefined;
}
