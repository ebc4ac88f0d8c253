import { CONSISTENTLY, orAlready } from '../../http/or-already.ts';
import type { Attempt, Requests } from '../../http/requests.ts';
import type {
  Issue,
  IssueComment,
  Numbered,
  Organization,
  PageRequest,
  PullRequest,
  PullRequestComment,
  Repo,
  RepoName,
  User,
} from '../connection.ts';
import { GitHubError } from '../errors.ts';
import type { Account } from '../accounts.ts';
import type { GitHub } from '../github.ts';
import type { NewComment, NewDiscussion } from '../issues.ts';
import { found } from './found.ts';

/** Issues or pull requests, which are numbered together. */
type Kind = 'issues' | 'pulls';

/** Pages of a list in which the result of an earlier attempt is looked for. */
const PAGES_MAX = 8;
const COMMENT_PAGES_MAX = 50;

/** Creates accounts, repositories, issues, pull requests and comments once for each idempotency key, whatever becomes of the answers. */
export class Once {
  readonly #site: GitHub;
  readonly #requests: Requests;

  constructor(site: GitHub, requests: Requests) {
    this.#site = site;
    this.#requests = requests;
  }

  /** GH-18. @throws {GitHubError} `AlreadyExists` */
  async createUser(name: string, key: string | undefined): Promise<User> {
    const { accounts } = this.#site;
    return await this.#requests.createNamed(['user', name], key, {
      create: async (at) => await accounts.createUser(name, at),
      isTaken,
      find: async () => accountOf('User', await accounts.find(name, CONSISTENTLY)),
    });
  }

  /** GH-19 and GH-20. @throws {GitHubError} `AlreadyExists`; `LimitExceeded` */
  async foundOrganization(name: string, admin: string, key: string | undefined): Promise<Organization> {
    const { accounts } = this.#site;
    return await this.#requests.createNamed(['organization', name, admin], key, {
      create: async (at) => await accounts.foundOrganization(name, admin, at),
      isTaken,
      find: async () => accountOf('Organization', await accounts.find(name, CONSISTENTLY)),
    });
  }

  /** GH-01. @throws {GitHubError} `AlreadyExists` */
  async createRepo(
    repo: RepoName & { readonly description?: string },
    creator: string,
    key: string | undefined,
  ): Promise<Repo> {
    const { repos } = this.#site;
    return await this.#requests.createNamed(['repo', repo.owner, repo.repo, creator], key, {
      create: async (at) => await repos.create(repo, at),
      isTaken,
      find: async () => await repos.find(repo, CONSISTENTLY),
    });
  }

  /** GH-09. @throws {GitHubError} `AlreadyExists`; `NotFound` */
  async fork(upstream: RepoName, owner: string, key: string | undefined): Promise<Repo> {
    const { repos } = this.#site;
    return await this.#requests.createNamed(['fork', upstream.owner, upstream.repo, owner], key, {
      create: async (at) => await repos.fork(upstream, owner, at),
      isTaken,
      find: async () => await repos.find({ owner, repo: upstream.repo }, CONSISTENTLY),
    });
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
          : await items.find({ ...repo, number }, CONSISTENTLY);
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
    return await orAlready(items.comment(subject, { ...comment, commentId, createdAt }), isTaken, async () => {
      const pages = pagesOf(COMMENT_PAGES_MAX, async (page) => await items.commentsOf(subject, page));
      return found(await firstOf(pages, (each) => each.commentId === commentId), 'comment');
    });
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

function isTaken(error: unknown): boolean {
  return error instanceof GitHubError && error.code === 'AlreadyExists';
}

/** An account, if it is of that kind. */
function accountOf<Type extends Account['type']>(
  type: Type,
  account: Account | undefined,
): Extract<Account, { readonly type: Type }> | undefined {
  return account?.type === type ? (account as Extract<Account, { readonly type: Type }>) : undefined;
}

async function* pagesOf<Item>(
  pagesMax: number,
  read: (page: PageRequest) => Promise<{ readonly items: readonly Item[]; readonly cursor: PageRequest['cursor'] }>,
): AsyncGenerator<Item> {
  let cursor: PageRequest['cursor'];
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const page = await read({ ...CONSISTENTLY, cursor });
    yield* page.items;
    if (page.cursor === undefined) return;
    cursor = page.cursor;
  }
}

async function firstOf<Item>(all: AsyncIterable<Item>, is: (item: Item) => boolean): Promise<Item | undefined> {
  for await (const each of all) if (is(each)) return each;
  return undefined;
}
