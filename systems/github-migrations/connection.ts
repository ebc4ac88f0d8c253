import { connect, type Connected, type ConnectOptions, type ItemOf } from '@singlet/model';
import type { Clock } from '../clock.ts';
import { githubMigrations } from './model.ts';
import type { Readers } from './readers.ts';

type Entities = typeof githubMigrations.entities;

export type Repo = ItemOf<Entities['Repo']>;
export type CodeOfConduct = NonNullable<Repo['codeOfConduct']>;
export type Gist = ItemOf<Entities['Gist']>;
export type GitHubApp = ItemOf<Entities['GitHubApp']>;
export type Installation = ItemOf<Entities['GitHubAppInstallation']>;

/** An app: unique with the account that owns it. */
export interface AppName {
  readonly account: string;
  /** The letters and digits of its name. */
  readonly app: string;
}

/** The patterns of the migrated model on a table, and the application's other dependencies. */
export interface MigratedConnection {
  readonly db: Connected<Entities, typeof githubMigrations.patterns>;
  /** The time in stored form: UTC with milliseconds. */
  readonly now: () => string;
  /** KSUIDs. */
  readonly newCommentId: () => string;
  readonly newGistId: () => string;
  /** The enabled patterns. Read on each call. */
  readonly readers: Readers;
}

export interface MigratedOptions {
  readonly client: ConnectOptions['client'];
  readonly tableName: string;
  readonly clock: Clock;
  readonly newCommentId: () => string;
  readonly newGistId: () => string;
  readonly readers: Readers;
  /** Seals cursors: the same for all processes that serve one site. */
  readonly cursorSecret?: string;
  /** Called after each request, with the access pattern that made it. */
  readonly onRequest?: ConnectOptions['onRequest'];
}

export function openMigratedConnection(options: MigratedOptions): MigratedConnection {
  const { client, tableName, clock, newCommentId, newGistId, readers, cursorSecret, onRequest } = options;
  const db = connect(githubMigrations, {
    client,
    tables: { GitHubTable: tableName },
    now: () => clock.nowMs(),
    ...(cursorSecret !== undefined && { secret: cursorSecret }),
    ...(onRequest && { onRequest }),
  });
  return { db, now: () => new Date(clock.nowMs()).toISOString(), newCommentId, newGistId, readers };
}
