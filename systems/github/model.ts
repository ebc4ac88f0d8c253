import { add, entity, include, model, ref } from '@singlet/model';
import { z } from 'zod';

/** Names are parts of keys, whose parts are separated by `#`. */
const name = z.string().regex(/^[A-Za-z0-9._-]{1,100}$/);
/** UTC with milliseconds, always: text of fixed width, so that text order is time order. */
const time = z.iso.datetime({ precision: 3 });
/** In table and index keys numbers have seven digits. */
const number = z.int().min(1).max(9_999_999);
const count = z.int().default(0);

/** The eight reactions, in the order in which they are shown. */
export const REACTION_KINDS = [
  'ThumbsUp',
  'ThumbsDown',
  'Smile',
  'Celebration',
  'Disappointed',
  'Heart',
  'Rocket',
  'Eyes',
] as const;

const kind = z.enum(REACTION_KINDS);
const reactionCounts = z
  .record(kind, z.int())
  .default({ ThumbsUp: 0, ThumbsDown: 0, Smile: 0, Celebration: 0, Disappointed: 0, Heart: 0, Rocket: 0, Eyes: 0 });
const status = z.enum(['Open', 'Closed']);
const role = z.enum(['Member', 'Admin']);
const plan = z.object({ planType: z.enum(['Free', 'Pro', 'Team', 'Enterprise']), planStartDate: z.iso.date() });

/** The organizations of a user are on the user's item, which must have room for them all. */
export const ORGANIZATIONS_MAX = 40;

const repoName = { owner: name, repo: name };
const discussion = {
  ...repoName,
  number,
  title: z.string().min(1),
  body: z.string().optional(),
  author: name,
  status: status.default('Open'),
  createdAt: time,
  reactionCounts,
};
const comment = {
  ...repoName,
  number,
  commentId: z.string(),
  author: name,
  body: z.string(),
  createdAt: time,
  reactionCounts,
};
const reaction = { ...repoName, number, username: name, reactions: z.set(kind).optional() };
const commentReaction = {
  ...repoName,
  number,
  commentId: z.string(),
  username: name,
  reactions: z.set(kind).optional(),
};

const storedRepo = { owner: 'RepoOwner', repo: 'RepoName' };
const storedDiscussion = {
  ...storedRepo,
  title: 'Title',
  body: 'Body',
  author: 'Author',
  status: 'Status',
  createdAt: 'CreatedAt',
  reactionCounts: 'ReactionCounts',
};
const storedComment = {
  ...storedRepo,
  commentId: 'CommentId',
  author: 'Author',
  body: 'Body',
  createdAt: 'CreatedAt',
  reactionCounts: 'ReactionCounts',
};
const storedReaction = { ...storedRepo, commentId: 'CommentId', username: 'Username', reactions: 'Reactions' };

const oneNamespace = {
  'key-collision': 'users and organizations share one namespace: a name that one of them has, the other cannot take',
  'no-sort-discriminator': 'an account is a user or an organization, never both, and is alone under its key',
  'undeclared-duplicate': 'users and organizations have a plan each; neither is a copy of the other',
};
const caseOfNames = { 'mixed-case': 'the site tells names apart by their case, as their owners wrote them' };
const byWholeKey = { 'unpadded-number': 'a reaction is found by its whole key only: nothing is sorted by the number' };
const eightKinds = { 'unbounded-attribute': 'there are eight kinds of reactions' };
const countsTheOpen = {
  'count-not-kept': 'the number is that of the open ones, and each change of the status counts in its transaction',
};
const takesNumber = {
  'serial-requests': 'the number is a part of the key. One that is taken and not used leaves a gap, which does no harm',
};

/** Repositories, accounts, issues, pull requests, comments, reactions and stars of a GitHub-like site. */
export const github = model('github')
  // 1. What there is, and how it is related
  .entities({
    User: entity(
      {
        name,
        createdAt: time,
        organizations: z.record(z.string(), role).default({}),
        paymentPlan: plan.optional(),
      },
      { expects: { items: 20_000, bytes: 300 } },
    ),
    Organization: entity(
      { name, createdAt: time, paymentPlan: plan.optional() },
      { expects: { items: 50, bytes: 250 } },
    ),
    Membership: entity(
      { organization: name, username: name, role, createdAt: time },
      { expects: { items: 1_000, bytes: 200 } },
    ),
    Repo: entity(
      {
        ...repoName,
        originalOwner: name.optional(),
        description: z.string().optional(),
        createdAt: time,
        updatedAt: time,
        starCount: count,
        forkCount: count,
        issuesAndPullRequestCount: count,
        openIssueCount: count,
        openPullRequestCount: count,
      },
      { expects: { items: 1_000, bytes: 600 } },
    ),
    Issue: entity(discussion, {
      sequence: { number: 'Repo.issuesAndPullRequestCount' },
      expects: { items: 200_000, bytes: 700 },
    }),
    PullRequest: entity(discussion, {
      sequence: { number: 'Repo.issuesAndPullRequestCount' },
      expects: { items: 50_000, bytes: 800 },
    }),
    IssueComment: entity(comment, { expects: { items: 20_000, bytes: 600 } }),
    PRComment: entity(comment, { expects: { items: 5_000, bytes: 600 } }),
    IssueReaction: entity(reaction, { expects: { items: 350_000, bytes: 250 } }),
    PRReaction: entity(reaction, { expects: { items: 40_000, bytes: 250 } }),
    IssueCommentReaction: entity(commentReaction, { expects: { items: 8_000, bytes: 300 } }),
    PRCommentReaction: entity(commentReaction, { expects: { items: 2_000, bytes: 300 } }),
    Star: entity({ ...repoName, username: name, createdAt: time }, { expects: { items: 600_000, bytes: 180 } }),
  })
  .relationships([
    ['User', 'N:M', 'Organization', { through: 'Membership' }],
    ['Repo', '1:N', 'Repo', { count: 'forkCount', by: { owner: 'originalOwner' } }],
    // One namespace: both kinds of owner accounts have the same key.
    ['User', '1:N', 'Repo', { required: true, by: { name: 'owner' } }],
    ['Organization', '1:N', 'Repo', { required: true, by: { name: 'owner' } }],
    ['Repo', '1:N', 'Star', { count: 'starCount' }],
    // New ones are open; closing and reopening keep the count in setIssueStatus and setPullRequestStatus.
    ['Repo', '1:N', 'Issue', { count: 'openIssueCount' }],
    ['Repo', '1:N', 'PullRequest', { count: 'openPullRequestCount' }],
    ['Issue', '1:N', 'IssueComment', { required: true }],
    ['PullRequest', '1:N', 'PRComment', { required: true }],
    ['Issue', '1:N', 'IssueReaction'],
    ['PullRequest', '1:N', 'PRReaction'],
    ['IssueComment', '1:N', 'IssueCommentReaction'],
    ['PRComment', '1:N', 'PRCommentReaction'],
  ])

  // 2. What the application needs
  .patterns({
    createRepo: { id: 'GH-01', actor: 'user', creates: 'Repo', rate: 5 },
    repo: { id: 'GH-02', actor: 'visitor', reads: 'Repo', by: ['owner', 'repo'], rate: 2_000 },
    createIssue: { id: 'GH-03', actor: 'user', creates: 'Issue', rate: 20, accepts: takesNumber },
    issue: { id: 'GH-04', actor: 'visitor', reads: 'Issue', by: ['owner', 'repo', 'number'], rate: 800 },
    issuesOfRepo: {
      id: 'GH-05',
      actor: 'visitor',
      reads: { repo: 'Repo', issues: ['Issue'] },
      by: ['owner', 'repo'],
      filters: ['status'],
      order: 'number desc',
      limit: 25,
      rate: 500,
      volume: { typical: 25 },
    },
    createPullRequest: { id: 'GH-06', actor: 'user', creates: 'PullRequest', rate: 10, accepts: takesNumber },
    pullRequest: {
      id: 'GH-07',
      actor: 'visitor',
      reads: 'PullRequest',
      by: ['owner', 'repo', 'number'],
      rate: 400,
    },
    pullRequestsOfRepo: {
      id: 'GH-08',
      actor: 'visitor',
      reads: { repo: 'Repo', pullRequests: ['PullRequest'] },
      by: ['owner', 'repo'],
      filters: ['status'],
      order: 'number desc',
      limit: 25,
      rate: 200,
      volume: { typical: 25 },
    },
    forkRepo: { id: 'GH-09', actor: 'user', creates: 'Repo', rate: 2 },
    forksOfRepo: {
      id: 'GH-10',
      note: 'the original repo is the first of the first page',
      actor: 'visitor',
      reads: ['Repo'],
      by: ['repo'],
      aka: { upstream: 'originalOwner' },
      unproven: 'the repo that was forked has no upstream, and is beside its forks under its own name',
      order: 'owner asc',
      limit: 50,
      rate: 20,
    },
    commentOnIssue: { id: 'GH-11', actor: 'user', creates: 'IssueComment', rate: 40 },
    commentOnPullRequest: { id: 'GH-12', actor: 'user', creates: 'PRComment', rate: 30 },
    reactToIssue: {
      id: 'GH-13',
      actor: 'user',
      accepts: eightKinds,
      transacts: {
        reaction: {
          updates: 'IssueReaction',
          by: ['owner', 'repo', 'number', 'username'],
          orCreates: true,
          takes: { kind },
          changes: { reactions: include(ref('kind')) },
          given: { reactions: { lacks: ref('kind') } },
        },
        target: {
          updates: 'Issue',
          by: ['owner', 'repo', 'number'],
          takes: { kind },
          changes: { 'reactionCounts.{kind}': add(1) },
        },
      },
      rate: 60,
    },
    reactToPullRequest: {
      id: 'GH-14',
      actor: 'user',
      accepts: eightKinds,
      transacts: {
        reaction: {
          updates: 'PRReaction',
          by: ['owner', 'repo', 'number', 'username'],
          orCreates: true,
          takes: { kind },
          changes: { reactions: include(ref('kind')) },
          given: { reactions: { lacks: ref('kind') } },
        },
        target: {
          updates: 'PullRequest',
          by: ['owner', 'repo', 'number'],
          takes: { kind },
          changes: { 'reactionCounts.{kind}': add(1) },
        },
      },
      rate: 20,
    },
    reactToIssueComment: {
      id: 'GH-15',
      actor: 'user',
      accepts: eightKinds,
      transacts: {
        reaction: {
          updates: 'IssueCommentReaction',
          by: ['owner', 'repo', 'number', 'commentId', 'username'],
          orCreates: true,
          takes: { kind },
          changes: { reactions: include(ref('kind')) },
          given: { reactions: { lacks: ref('kind') } },
        },
        target: {
          updates: 'IssueComment',
          by: ['owner', 'repo', 'number', 'commentId'],
          takes: { kind },
          changes: { 'reactionCounts.{kind}': add(1) },
        },
      },
      rate: 30,
    },
    reactToPullRequestComment: {
      id: 'GH-15',
      actor: 'user',
      accepts: eightKinds,
      transacts: {
        reaction: {
          updates: 'PRCommentReaction',
          by: ['owner', 'repo', 'number', 'commentId', 'username'],
          orCreates: true,
          takes: { kind },
          changes: { reactions: include(ref('kind')) },
          given: { reactions: { lacks: ref('kind') } },
        },
        target: {
          updates: 'PRComment',
          by: ['owner', 'repo', 'number', 'commentId'],
          takes: { kind },
          changes: { 'reactionCounts.{kind}': add(1) },
        },
      },
      rate: 10,
    },
    starRepo: {
      id: 'GH-16',
      actor: 'user',
      transacts: {
        star: { creates: 'Star' },
        user: { checks: 'User', by: ['name'] },
      },
      rate: 50,
    },
    stargazersOfRepo: {
      id: 'GH-17',
      actor: 'visitor',
      reads: { repo: 'Repo', stars: ['Star'] },
      by: ['owner', 'repo'],
      order: 'username asc',
      limit: 100,
      rate: 30,
    },
    createUser: { id: 'GH-18', actor: 'visitor', creates: 'User', rate: 2 },
    createOrganization: { id: 'GH-19', actor: 'user', creates: 'Organization', rate: 0.1 },
    addMember: {
      id: 'GH-20',
      actor: 'organization',
      transacts: {
        membership: { creates: 'Membership' },
        user: {
          updates: 'User',
          by: ['name'],
          takes: { organization: name, role },
          changes: { 'organizations.{organization}': ref('role') },
          given: { organizations: { size: { below: ORGANIZATIONS_MAX } } },
        },
        organization: { checks: 'Organization', by: ['name'] },
      },
      rate: 1,
    },
    foundOrganization: {
      id: 'GH-20',
      note: 'with GH-19: an organization and its first admin, both or neither',
      actor: 'user',
      transacts: {
        organization: { creates: 'Organization' },
        membership: { creates: 'Membership' },
        user: {
          updates: 'User',
          by: ['name'],
          takes: { organization: name, role },
          changes: { 'organizations.{organization}': ref('role') },
          given: { organizations: { size: { below: ORGANIZATIONS_MAX } } },
        },
      },
      rate: 0.1,
    },
    membersOfOrganization: {
      id: 'GH-21',
      note: 'a user has no members: under its name only the user comes',
      actor: 'visitor',
      reads: { user: 'User', organization: 'Organization', memberships: ['Membership'] },
      aka: { name: ['name', 'organization'] },
      order: 'username asc',
      limit: 100,
      rate: 10,
    },
    organizationsOfUser: {
      id: 'GH-22',
      note: 'all of them are on the user',
      actor: 'visitor',
      reads: { user: 'User', organization: 'Organization' },
      by: ['name'],
      rate: 50,
    },
    reposOfUser: {
      id: 'GH-23',
      note: 'the same request as GH-24: the caller need not know which kind of account it is',
      actor: 'visitor',
      reads: { user: 'User', organization: 'Organization', repos: ['Repo'] },
      aka: { name: ['name', 'owner'] },
      order: 'updatedAt desc',
      limit: 30,
      rate: 200,
    },
    reposOfOrganization: {
      id: 'GH-24',
      note: 'the same request as GH-23',
      actor: 'visitor',
      reads: { user: 'User', organization: 'Organization', repos: ['Repo'] },
      aka: { name: ['name', 'owner'] },
      order: 'updatedAt desc',
      limit: 30,
      rate: 100,
    },
    commentsOfIssue: {
      id: 'GH-25',
      actor: 'visitor',
      reads: ['IssueComment'],
      by: ['owner', 'repo', 'number'],
      order: 'commentId asc',
      limit: 50,
      rate: 800,
    },
    commentsOfPullRequest: {
      id: 'GH-26',
      actor: 'visitor',
      reads: ['PRComment'],
      by: ['owner', 'repo', 'number'],
      order: 'commentId asc',
      limit: 50,
      rate: 400,
    },
    setIssueStatus: {
      id: 'GH-27',
      note: 'closes and reopens; `opened` is -1 or 1',
      actor: 'user',
      accepts: countsTheOpen,
      transacts: {
        issue: {
          updates: 'Issue',
          by: ['owner', 'repo', 'number'],
          sets: ['status'],
          given: { status: { not: ref('status') } },
        },
        repo: {
          updates: 'Repo',
          by: ['owner', 'repo'],
          takes: { opened: z.union([z.literal(1), z.literal(-1)]) },
          changes: { openIssueCount: add(ref('opened')) },
        },
      },
      rate: 10,
    },
    setPullRequestStatus: {
      id: 'GH-28',
      note: 'closes and reopens; `opened` is -1 or 1',
      actor: 'user',
      accepts: countsTheOpen,
      transacts: {
        pullRequest: {
          updates: 'PullRequest',
          by: ['owner', 'repo', 'number'],
          sets: ['status'],
          given: { status: { not: ref('status') } },
        },
        repo: {
          updates: 'Repo',
          by: ['owner', 'repo'],
          takes: { opened: z.union([z.literal(1), z.literal(-1)]) },
          changes: { openPullRequestCount: add(ref('opened')) },
        },
      },
      rate: 10,
    },
    updateRepo: {
      id: 'GH-29',
      actor: 'user',
      updates: 'Repo',
      by: ['owner', 'repo'],
      sets: ['updatedAt'],
      maySet: ['description'],
      returns: 'new',
      rate: 10,
    },
    account: {
      id: 'GH-30',
      actor: 'visitor',
      reads: { user: 'User', organization: 'Organization' },
      by: ['name'],
      rate: 300,
    },
    setPaymentPlan: {
      id: 'GH-31',
      note: 'of a user; if there is none of that name, of an organization',
      actor: 'billing',
      updates: 'User',
      by: ['name'],
      sets: ['paymentPlan'],
      rate: 0.5,
    },
    setOrganizationPaymentPlan: {
      id: 'GH-31',
      actor: 'billing',
      updates: 'Organization',
      by: ['name'],
      sets: ['paymentPlan'],
      rate: 0.1,
    },
    takeNumber: {
      id: 'GH-32',
      note: 'the first request of GH-03 and GH-06',
      actor: 'user',
      updates: 'Repo',
      by: ['owner', 'repo'],
      changes: { issuesAndPullRequestCount: add(1) },
      returns: 'new',
    },
    openItemCounts: {
      id: 'GH-33',
      note: 'kept by GH-03, GH-06, GH-27 and GH-28',
      actor: 'visitor',
      reads: 'Repo',
      by: ['owner', 'repo'],
      attributes: ['openIssueCount', 'openPullRequestCount'],
      rate: 100,
    },
  })

  // 3. Keys and indexes: the entity chart
  .tables({
    GitHubTable: {
      key: ['PK', 'SK'],
      indexes: {
        GSI1: ['GSI1PK', 'GSI1SK'],
        GSI2: ['GSI2PK', 'GSI2SK'],
        GSI3: ['GSI3PK', 'GSI3SK'],
      },
    },
  })
  .keys(
    {
      User: {
        GitHubTable: ['ACCOUNT#{name}', 'ACCOUNT#{name}'],
        GSI3: ['ACCOUNT#{name}', 'ACCOUNT#{name}'],
      },
      Organization: {
        GitHubTable: ['ACCOUNT#{name}', 'ACCOUNT#{name}'],
        GSI3: ['ACCOUNT#{name}', 'ACCOUNT#{name}'],
      },
      Membership: { GitHubTable: ['ACCOUNT#{organization}', 'MEMBERSHIP#{username}'] },
      Repo: {
        GitHubTable: ['REPO#{owner}#{repo}', 'REPO#{owner}#{repo}'],
        GSI1: ['REPO#{owner}#{repo}', 'REPO#{owner}#{repo}'],
        GSI2: [
          { when: { originalOwner: { exists: false } }, key: ['REPO#{owner}#{repo}', '#REPO#{owner}#{repo}'] },
          { when: { originalOwner: { exists: true } }, key: ['REPO#{originalOwner}#{repo}', 'FORK#{owner}'] },
        ],
        GSI3: ['ACCOUNT#{owner}', '#{updatedAt}'],
      },
      Issue: { GitHubTable: ['REPO#{owner}#{repo}', 'ISSUE#{number:07}'] },
      PullRequest: {
        GitHubTable: ['PR#{owner}#{repo}#{number:07}', 'PR#{owner}#{repo}#{number:07}'],
        GSI1: ['REPO#{owner}#{repo}', 'PR#{number:07}'],
      },
      IssueComment: { GitHubTable: ['ISSUECOMMENT#{owner}#{repo}#{number}', 'ISSUECOMMENT#{commentId}'] },
      PRComment: { GitHubTable: ['PRCOMMENT#{owner}#{repo}#{number}', 'PRCOMMENT#{commentId}'] },
      IssueReaction: {
        GitHubTable: [
          'ISSUEREACTION#{owner}#{repo}#{number}#{username}',
          'ISSUEREACTION#{owner}#{repo}#{number}#{username}',
        ],
      },
      PRReaction: {
        GitHubTable: ['PRREACTION#{owner}#{repo}#{number}#{username}', 'PRREACTION#{owner}#{repo}#{number}#{username}'],
      },
      IssueCommentReaction: {
        GitHubTable: [
          'ISSUECOMMENTREACTION#{owner}#{repo}#{number}#{commentId}#{username}',
          'ISSUECOMMENTREACTION#{owner}#{repo}#{number}#{commentId}#{username}',
        ],
      },
      PRCommentReaction: {
        GitHubTable: [
          'PRCOMMENTREACTION#{owner}#{repo}#{number}#{commentId}#{username}',
          'PRCOMMENTREACTION#{owner}#{repo}#{number}#{commentId}#{username}',
        ],
      },
      Star: { GitHubTable: ['REPO#{owner}#{repo}', 'STAR#{username}'] },
    },
    {
      User: {
        stored: {
          name: 'Username',
          createdAt: 'CreatedAt',
          organizations: 'Organizations',
          paymentPlan: 'PaymentPlan',
        },
        accepts: { ...oneNamespace, ...caseOfNames },
      },
      Organization: {
        stored: { name: 'OrganizationName', createdAt: 'CreatedAt', paymentPlan: 'PaymentPlan' },
        accepts: { ...oneNamespace, ...caseOfNames },
      },
      Membership: {
        stored: { organization: 'OrganizationName', username: 'Username', role: 'Role', createdAt: 'CreatedAt' },
      },
      Repo: {
        stored: {
          ...storedRepo,
          originalOwner: 'OriginalOwner',
          description: 'Description',
          createdAt: 'CreatedAt',
          updatedAt: 'UpdatedAt',
          starCount: 'StarCount',
          forkCount: 'ForkCount',
          issuesAndPullRequestCount: 'IssuesAndPullRequestCount',
          openIssueCount: 'OpenIssueCount',
          openPullRequestCount: 'OpenPullRequestCount',
        },
      },
      Issue: { stored: { ...storedDiscussion, number: 'IssueNumber' } },
      PullRequest: { stored: { ...storedDiscussion, number: 'PullRequestNumber' } },
      IssueComment: { stored: { ...storedComment, number: 'IssueNumber' } },
      PRComment: { stored: { ...storedComment, number: 'PullRequestNumber' } },
      IssueReaction: { stored: { ...storedReaction, number: 'IssueNumber' }, accepts: byWholeKey },
      PRReaction: { stored: { ...storedReaction, number: 'PullRequestNumber' }, accepts: byWholeKey },
      IssueCommentReaction: { stored: { ...storedReaction, number: 'IssueNumber' }, accepts: byWholeKey },
      PRCommentReaction: { stored: { ...storedReaction, number: 'PullRequestNumber' }, accepts: byWholeKey },
      Star: { stored: { ...storedRepo, username: 'StarringUser', createdAt: 'CreatedAt' } },
    },
  )

  // 4. How each pattern is served
  .served({
    createRepo: 'TransactWriteItems', // the repo and a check of its owner's account
    repo: 'GetItem',
    createIssue: ['UpdateItem', 'TransactWriteItems'], // the number; the issue and the count of open ones
    issue: 'GetItem',
    issuesOfRepo: { query: 'GitHubTable', readAhead: 76 }, // backwards: the repo, then issues; 75 of them at first
    createPullRequest: ['UpdateItem', 'TransactWriteItems'],
    pullRequest: 'GetItem',
    pullRequestsOfRepo: { query: 'GSI1', readAhead: 76 },
    forkRepo: 'TransactWriteItems', // the fork, the upstream's count, a check of the forker's account
    forksOfRepo: { query: 'GSI2' },
    commentOnIssue: 'TransactWriteItems', // the comment and a check of the issue
    commentOnPullRequest: 'TransactWriteItems',
    reactToIssue: 'TransactWriteItems',
    reactToPullRequest: 'TransactWriteItems',
    reactToIssueComment: 'TransactWriteItems',
    reactToPullRequestComment: 'TransactWriteItems',
    starRepo: 'TransactWriteItems', // the star, the repo's count, a check of the user
    stargazersOfRepo: { query: 'GitHubTable' }, // forwards: the repo, then stars
    createUser: 'PutItem',
    createOrganization: 'PutItem',
    addMember: 'TransactWriteItems',
    foundOrganization: 'TransactWriteItems',
    membersOfOrganization: { query: 'GitHubTable' },
    organizationsOfUser: 'GetItem',
    reposOfUser: { query: 'GSI3' },
    reposOfOrganization: { query: 'GSI3' },
    commentsOfIssue: { query: 'GitHubTable' },
    commentsOfPullRequest: { query: 'GitHubTable' },
    setIssueStatus: 'TransactWriteItems',
    setPullRequestStatus: 'TransactWriteItems',
    updateRepo: 'UpdateItem',
    account: 'GetItem',
    setPaymentPlan: 'UpdateItem',
    setOrganizationPaymentPlan: 'UpdateItem',
    takeNumber: 'UpdateItem',
    openItemCounts: 'GetItem',
  });
