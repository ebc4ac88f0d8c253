import type { Account } from '../accounts.ts';
import type {
  Issue,
  IssueComment,
  Membership,
  Organization,
  PaymentPlan,
  PullRequest,
  PullRequestComment,
  ReactionKind,
  Repo,
  Role,
  Star,
  Status,
  User,
} from '../connection.ts';
import { REACTION_KINDS } from '../model.ts';
import { type AnswerOf, type Body, REACTION_CONTENTS } from './schemas.ts';

// Conversion of the application's objects to and from wire format.

export function accountAnswer(account: Account): AnswerOf<'Account'> {
  const { name, type, createdAt, paymentPlan } = account;
  const plan = paymentPlan === undefined ? null : { name: paymentPlan.planType, start_date: paymentPlan.planStartDate };
  return { login: name, type, created_at: createdAt, plan };
}

export function userAnswer(user: User): AnswerOf<'Account'> {
  return accountAnswer({ type: 'User', ...user });
}

export function organizationAnswer(organization: Organization): AnswerOf<'Account'> {
  return accountAnswer({ type: 'Organization', ...organization });
}

export function memberAnswer({ username, role, createdAt }: Membership): AnswerOf<'Member'> {
  return { login: username, role: roleAnswer(role), since: createdAt };
}

export function repositoryAnswer(repo: Repo): AnswerOf<'Repository'> {
  const { owner, originalOwner } = repo;
  return {
    full_name: `${owner}/${repo.repo}`,
    name: repo.repo,
    owner: { login: owner },
    description: repo.description ?? null,
    fork: originalOwner !== undefined,
    parent: originalOwner === undefined ? null : `${originalOwner}/${repo.repo}`,
    created_at: repo.createdAt,
    updated_at: repo.updatedAt,
    stargazers_count: repo.starCount,
    forks_count: repo.forkCount,
    open_issues_count: repo.openIssueCount,
    open_pulls_count: repo.openPullRequestCount,
  };
}

export function stargazerAnswer({ username, createdAt }: Star): AnswerOf<'Stargazer'> {
  return { login: username, starred_at: createdAt };
}

/** Issues and pull requests have the same form. */
export function discussionAnswer(item: Issue | PullRequest): AnswerOf<'Issue'> {
  return {
    number: item.number,
    title: item.title,
    body: item.body ?? null,
    user: { login: item.author },
    state: item.status === 'Open' ? 'open' : 'closed',
    created_at: item.createdAt,
    reactions: reactionsAnswer(item.reactionCounts),
  };
}

export function commentAnswer(comment: IssueComment | PullRequestComment): AnswerOf<'Comment'> {
  return {
    id: comment.commentId,
    body: comment.body,
    user: { login: comment.author },
    created_at: comment.createdAt,
    reactions: reactionsAnswer(comment.reactionCounts),
  };
}

function reactionsAnswer(counts: Readonly<Record<ReactionKind, number>>): AnswerOf<'Issue'>['reactions'] {
  return {
    '+1': counts.ThumbsUp,
    '-1': counts.ThumbsDown,
    laugh: counts.Smile,
    hooray: counts.Celebration,
    confused: counts.Disappointed,
    heart: counts.Heart,
    rocket: counts.Rocket,
    eyes: counts.Eyes,
    total_count: REACTION_KINDS.reduce((sum, kind) => sum + counts[kind], 0),
  };
}

export function roleAnswer(role: Role): 'member' | 'admin' {
  return role === 'Admin' ? 'admin' : 'member';
}

export function roleOf({ role }: Body<'Membership'>): Role {
  return role === 'admin' ? 'Admin' : 'Member';
}

export function planOf({ name, start_date }: Body<'Plan'>): PaymentPlan {
  return { planType: name, planStartDate: start_date };
}

export function statusOf({ state }: Body<'StateChange'>): Status {
  return state === 'open' ? 'Open' : 'Closed';
}

export function kindOf({ content }: Body<'NewReaction'>): ReactionKind {
  return REACTION_KINDS[REACTION_CONTENTS.indexOf(content)] ?? 'ThumbsUp';
}
