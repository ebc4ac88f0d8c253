import type {
  Issue,
  IssueComment,
  Membership,
  Numbered,
  Organization,
  PaymentPlan,
  PullRequest,
  PullRequestComment,
  ReactionKind,
  RepoName,
  Role,
  Star,
  Status,
  User,
} from '../../github/connection.ts';
import type { SampleSite } from '../../github/sample-site.ts';
import type { AppName, CodeOfConduct, Gist, GitHubApp, Installation, Repo } from '../connection.ts';

/** A repo with all that belongs to it. */
export interface MemoryRepo {
  readonly repo: Repo;
  readonly issues: Map<number, Issue>;
  readonly pullRequests: Map<number, PullRequest>;
  readonly stars: Map<string, Star>;
  /** By the number of their subject, which may have been removed since. */
  readonly issueComments: Map<number, IssueComment[]>;
  readonly pullRequestComments: Map<number, PullRequestComment[]>;
}

export type DiscussionKind = 'issues' | 'pullRequests';

const OPEN_COUNTS = { issues: 'openIssueCount', pullRequests: 'openPullRequestCount' } as const;
const COMMENTS = { issues: 'issueComments', pullRequests: 'pullRequestComments' } as const;

/**
 * The expected site, in plain memory: no keys, no indexes, no table. It records what the application has done and returns the
 * expected answer of each access pattern.
 *
 * Several writers report to it after the fact, in any order: concurrent actions of two writers have the same result in either.
 */
export class MemorySite {
  readonly users = new Map<string, User>();
  readonly organizations = new Map<string, Organization>();
  readonly memberships = new Map<string, Membership[]>();
  readonly repos = new Map<string, MemoryRepo>();
  readonly gists = new Map<string, Gist[]>();
  readonly apps = new Map<string, GitHubApp>();
  readonly installations: Installation[] = [];
  /** Repos whose counter may have advanced without a new item. */
  readonly numbersLost = new Set<string>();

  /** The site of a sample, as `seedGitHub` loads it. */
  constructor(sample: SampleSite) {
    for (const user of sample.users) {
      this.users.set(user.name, structuredClone(user));
    }
    for (const organization of sample.organizations) {
      this.organizations.set(organization.name, structuredClone(organization));
    }
    for (const membership of sample.memberships) {
      listIn(this.memberships, membership.organization).push(membership);
    }
    for (const bundle of sample.repos()) {
      const own = this.#add(bundle.repo);
      bundle.issues.forEach((issue) => own.issues.set(issue.number, issue));
      bundle.pullRequests.forEach((pullRequest) => own.pullRequests.set(pullRequest.number, pullRequest));
      bundle.stars.forEach((star) => own.stars.set(star.username, star));
      bundle.issueComments.forEach((comment) => listIn(own.issueComments, comment.number).push(comment));
      bundle.pullRequestComments.forEach((comment) => listIn(own.pullRequestComments, comment.number).push(comment));
    }
  }

  repoOf(name: RepoName): MemoryRepo {
    const found = this.repos.get(idOf(name));
    if (found === undefined) {
      throw new ReferenceError(`There is no repo ${idOf(name)}`);
    }
    return found;
  }

  // What the application has done

  userCreated(user: User): void {
    this.users.set(user.name, structuredClone(user));
  }

  organizationCreated(organization: Organization): void {
    this.organizations.set(organization.name, structuredClone(organization));
  }

  memberAdded(membership: Membership): void {
    listIn(this.memberships, membership.organization).push(membership);
    const user = this.users.get(membership.username);
    if (user !== undefined) {
      user.organizations[membership.organization] = membership.role;
    }
  }

  paymentPlanSet(name: string, paymentPlan: PaymentPlan): void {
    const account = this.users.get(name) ?? this.organizations.get(name);
    Object.assign(account ?? {}, { paymentPlan });
  }

  repoCreated(repo: Repo): void {
    this.#add(repo);
    const { originalOwner } = repo;
    if (originalOwner !== undefined) {
      this.repoOf({ owner: originalOwner, repo: repo.repo }).repo.forkCount += 1;
    }
  }

  repoUpdated(name: RepoName, changes: Pick<Repo, 'updatedAt' | 'description'>): void {
    Object.assign(this.repoOf(name).repo, changes);
  }

  codeOfConductSet(name: RepoName, codeOfConduct: CodeOfConduct | undefined): void {
    const { repo } = this.repoOf(name);
    if (codeOfConduct === undefined) {
      delete repo.codeOfConduct;
    } else {
      repo.codeOfConduct = codeOfConduct;
    }
  }

  starred(star: Star): void {
    const own = this.repoOf(star);
    own.stars.set(star.username, star);
    own.repo.starCount += 1;
  }

  discussionCreated(kind: DiscussionKind, created: Issue): void {
    const own = this.repoOf(created);
    own[kind].set(created.number, structuredClone(created));
    own.repo[OPEN_COUNTS[kind]] += 1;
    own.repo.issuesAndPullRequestCount = Math.max(own.repo.issuesAndPullRequestCount, created.number);
  }

  /** The creation was given up, before or after a number was taken. */
  creationGivenUp(name: RepoName): void {
    this.numbersLost.add(idOf(name));
  }

  statusSet(kind: DiscussionKind, name: Numbered, status: Status): void {
    const own = this.repoOf(name);
    const discussion = own[kind].get(name.number);
    if (discussion !== undefined) {
      discussion.status = status;
      own.repo[OPEN_COUNTS[kind]] += status === 'Open' ? 1 : -1;
    }
  }

  discussionRemoved(kind: DiscussionKind, name: Numbered): void {
    const own = this.repoOf(name);
    own[kind].delete(name.number);
    own.repo[OPEN_COUNTS[kind]] -= 1;
  }

  commented(kind: DiscussionKind, comment: IssueComment): void {
    listIn(this.repoOf(comment)[COMMENTS[kind]], comment.number).push(comment);
  }

  reacted(kind: DiscussionKind, name: Numbered, reaction: ReactionKind): void {
    const discussion = this.repoOf(name)[kind].get(name.number);
    if (discussion !== undefined) {
      discussion.reactionCounts[reaction] += 1;
    }
  }

  gistCreated(gist: Gist): void {
    listIn(this.gists, gist.username).push(gist);
  }

  appCreated(app: GitHubApp): void {
    this.apps.set(appIdOf(app), app);
  }

  installed(installation: Installation): void {
    this.installations.push(installation);
  }

  // The expected answers

  /** GH-02, GH-33. At least as many numbers were taken as are known. */
  repo(name: RepoName, numbersGivenOut: number | undefined): Repo {
    const { repo } = this.repoOf(name);
    const known = repo.issuesAndPullRequestCount;
    if (numbersGivenOut === undefined || numbersGivenOut < known || !this.numbersLost.has(idOf(name))) {
      return repo;
    }
    return { ...repo, issuesAndPullRequestCount: numbersGivenOut };
  }

  /** GH-22 */
  organizationsOf(username: string): Readonly<Record<string, Role>> | undefined {
    return this.users.get(username)?.organizations;
  }

  /** GH-30 */
  account(name: string): object | undefined {
    const user = this.users.get(name);
    const organization = this.organizations.get(name);
    return user === undefined
      ? organization === undefined
        ? undefined
        : { type: 'Organization', ...organization }
      : { type: 'User', ...user };
  }

  /** GH-21 */
  membersOf(organization: string): Membership[] {
    return by(this.memberships.get(organization) ?? [], ({ username }) => username);
  }

  /** GH-23, GH-24. Those with the same time have no order, so they are sorted by name. */
  reposOf(account: string): Repo[] {
    const own = [...this.repos.values()].map(({ repo }) => repo).filter(({ owner }) => owner === account);
    return by(own, ({ repo }) => repo)
      .toReversed()
      .toSorted((left, right) => order(right.updatedAt, left.updatedAt));
  }

  /** GH-10: the original first, unless it is a fork itself. */
  forksOf({ owner, repo }: RepoName): Repo[] {
    const forks = [...this.repos.values()].map((each) => each.repo);
    return by(
      forks.filter((fork) => fork.originalOwner === owner && fork.repo === repo),
      (fork) => fork.owner,
    );
  }

  /** GH-17 */
  stargazersOf(name: RepoName): Star[] {
    return by([...this.repoOf(name).stars.values()], ({ username }) => username);
  }

  /** GH-05, GH-08, GHM-10 to GHM-13 */
  discussionsOf(kind: DiscussionKind, name: RepoName, status?: Status): Issue[] {
    const all = [...this.repoOf(name)[kind].values()];
    return all
      .filter((each) => status === undefined || each.status === status)
      .toSorted((left, right) => right.number - left.number);
  }

  /** GH-25, GH-26 */
  commentsOf(kind: DiscussionKind, name: Numbered): IssueComment[] {
    return by(this.repoOf(name)[COMMENTS[kind]].get(name.number) ?? [], ({ commentId }) => commentId);
  }

  /** GHM-03 */
  gistsOf(username: string): Gist[] {
    return by(this.gists.get(username) ?? [], ({ gistId }) => gistId).toReversed();
  }

  /** GHM-06 */
  appsOf(account: string): GitHubApp[] {
    return by(
      [...this.apps.values()].filter((app) => app.account === account),
      ({ app }) => app,
    );
  }

  /** GHM-08 */
  installationsOf({ account, app }: AppName): Installation[] {
    const own = this.installations.filter((each) => each.account === account && each.app === app);
    return by(own, ({ owner, repo }) => `${owner}#${repo}`);
  }

  /** GHM-09 */
  installedIn({ owner, repo }: RepoName): Installation[] {
    const own = this.installations.filter((each) => each.owner === owner && each.repo === repo);
    return by(own, ({ account, app }) => `${account}#${app}`);
  }

  #add(repo: Repo): MemoryRepo {
    const added: MemoryRepo = {
      repo: structuredClone(repo),
      issues: new Map(),
      pullRequests: new Map(),
      stars: new Map(),
      issueComments: new Map(),
      pullRequestComments: new Map(),
    };
    this.repos.set(idOf(repo), added);
    return added;
  }
}

function idOf({ owner, repo }: RepoName): string {
  return `${owner}/${repo}`;
}

function appIdOf({ account, app }: AppName): string {
  return `${account}/${app}`;
}

function listIn<Key, Value>(lists: Map<Key, Value[]>, key: Key): Value[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

/** In key order: that of their bytes, which for the letters in use is that of JavaScript. */
function by<Item>(items: readonly Item[], key: (item: Item) => string): Item[] {
  return items.toSorted((left, right) => order(key(left), key(right)));
}

function order(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
