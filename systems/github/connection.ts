import {
  connect,
  type Connected,
  type ConnectOptions,
  type Cursor,
  type ItemOf,
  type ReadOptions,
} from '@singlet/model';
import type { Clock } from '../clock.ts';
import { github, type REACTION_KINDS } from './model.ts';

type Entities = typeof github.entities;

export type User = ItemOf<Entities['User']>;
export type Organization = ItemOf<Entities['Organization']>;
export type Membership = ItemOf<Entities['Membership']>;
export type Role = Membership['role'];
export type PaymentPlan = NonNullable<User['paymentPlan']>;
export type Repo = ItemOf<Entities['Repo']>;
export type Issue = ItemOf<Entities['Issue']>;
export type PullRequest = ItemOf<Entities['PullRequest']>;
export type Status = Issue['status'];
export type IssueComment = ItemOf<Entities['IssueComment']>;
export type PullRequestComment = ItemOf<Entities['PRComment']>;
export type Star = ItemOf<Entities['Star']>;
export type ReactionKind = (typeof REACTION_KINDS)[number];

/** A repo's name: unique with its owner's. */
export interface RepoName {
  readonly owner: string;
  readonly repo: string;
}

/** An issue or a pull request by its number. */
export interface Numbered extends RepoName {
  readonly number: number;
}

/** Where a list continues, and the length of a page. */
export interface PageRequest extends ReadOptions {
  readonly cursor?: Cursor | undefined;
  readonly limit?: number;
}

/** The model's patterns on a table, and the application's other dependencies. */
export interface Connection {
  readonly db: Connected<Entities, typeof github.patterns>;
  /** The time in stored form: UTC with milliseconds. */
  readonly now: () => string;
  /** KSUIDs. */
  readonly newCommentId: () => string;
}

export interface GitHubOptions {
  readonly client: ConnectOptions['client'];
  readonly tableName: string;
  readonly clock: Clock;
  readonly newCommentId: () => string;
  /** Seals cursors: the same for all processes that serve one site. */
  readonly cursorSecret?: string;
  /** Called after each request, with the access pattern that made it. */
  readonly onRequest?: ConnectOptions['onRequest'];
}

export function openConnection(options: GitHubOptions): Connection {
  const { client, tableName, clock, newCommentId, cursorSecret, onRequest } = options;
  const db = connect(github, {
    client,
    tables: { GitHubTable: tableName },
    now: () => clock.nowMs(),
    ...(cursorSecret !== undefined && { secret: cursorSecret }),
    ...(onRequest && { onRequest }),
  });
  return { db, now: () => new Date(clock.nowMs()).toISOString(), newCommentId };
}
