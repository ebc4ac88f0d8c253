import { connect, type Connected, type ConnectOptions, type Cursor, type ItemOf, ksuid } from '@singlet/model';
import type { Clock } from '../clock.ts';
import { bigTimeDeals } from './model.ts';

type Entities = (typeof bigTimeDeals)['entities'];
export type Deal = ItemOf<Entities['Deal']>;
export type Brand = ItemOf<Entities['Brand']>;
export type Category = ItemOf<Entities['Category']>;
export type User = ItemOf<Entities['User']>;
export type Message = ItemOf<Entities['Message']>;
export type FeaturedDeal = ItemOf<Entities['FrontPage']>['featuredDeals'][number];

export interface SiteOptions {
  readonly client: ConnectOptions['client'];
  readonly tableName?: string;
  readonly clock?: Clock;
  /** From 0 up to 1: chooses among copies. */
  readonly random?: () => number;
  /** Makes an id for something that begins at a given time: a KSUID. */
  readonly newId?: (atMs: number) => string;
  /** Waits before a retry. */
  readonly pause?: (delayMs: number) => Promise<void>;
  /** Seals cursors; the same for every process that serves them. */
  readonly cursorSecret?: string;
  /** Reads brands, front page and editors' choice from copies, for loads that exceed one partition. */
  readonly readsCopies?: boolean;
  /** Called after each request, with the access pattern that made it. */
  readonly onRequest?: ConnectOptions['onRequest'];
}

/** The state that all parts of the site share. */
export interface Connection {
  readonly db: Connected<Entities, (typeof bigTimeDeals)['patterns']>;
  readonly clock: Clock;
  readonly newId: (atMs: number) => string;
  readonly readsCopies: boolean;
}

/** Where an endless list of deals continues: after a deal, or at the end of the previous page. */
export interface ListPosition {
  readonly lastDealId?: string | undefined;
  readonly cursor?: Cursor | undefined;
}

export function openConnection(options: SiteOptions): Connection {
  const { client, tableName, random, pause, cursorSecret, onRequest } = options;
  const { clock = { nowMs: () => Date.now() }, newId = (at: number) => ksuid({ at }), readsCopies = false } = options;
  const db = connect(bigTimeDeals, {
    client,
    now: () => clock.nowMs(),
    ...(tableName !== undefined && { tables: { BigTimeDeals: tableName } }),
    ...(random && { random }),
    ...(pause && { pause }),
    ...(cursorSecret !== undefined && { secret: cursorSecret }),
    ...(onRequest && { onRequest }),
  });
  return { db, clock, newId, readsCopies };
}
