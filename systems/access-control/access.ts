import { connect, type ConnectOptions, type ItemOf, type NewItemOf } from '@singlet/model';
import { type Propagation, propagation } from '@singlet/model/propagate';
import type { Clock } from '../clock.ts';
import { accessControl } from './model.ts';

/** The patterns of the model as functions. */
export type AccessDatabase = ReturnType<typeof connected>;

export type Policy = ItemOf<typeof accessControl.entities.Policy>;
export type Job = ItemOf<typeof accessControl.entities.PropagationJob>;
export type NewJob = NewItemOf<typeof accessControl.entities.PropagationJob>;

/** The dependencies of every part of the application. */
export interface Access {
  readonly db: AccessDatabase;
  /** Keeps copies in step with their sources. */
  readonly keeper: Propagation;
  readonly clock: Clock;
  /** Ids that were never used before. */
  readonly newId: () => string;
  readonly pause: (milliseconds: number) => Promise<void>;
}

export interface AccessOptions extends Pick<Access, 'clock' | 'newId' | 'pause'> {
  readonly client: ConnectOptions['client'];
  readonly tableName: string;
  /** Called after each request, with the access pattern that made it. */
  readonly onRequest?: ConnectOptions['onRequest'];
}

export function openAccess({ client, tableName, clock, newId, pause, onRequest }: AccessOptions): Access {
  const tables = { 'access-control': tableName };
  const db = connected({ client, tables, now: () => clock.nowMs(), pause, ...(onRequest && { onRequest }) });
  return { db, keeper: propagation(db), clock, newId, pause };
}

function connected(options: ConnectOptions) {
  return connect(accessControl, options);
}

/** Why a user has a copy of a policy. */
export function reasonOf(roleId: string): string {
  return `role:${roleId}`;
}

/** The reason of a policy that a user has without a role. */
export const DIRECTLY = 'direct';

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The time of a clock in stored form. */
export function timeOf(clock: Clock, afterSeconds = 0): string {
  return new Date(clock.nowMs() + afterSeconds * 1000).toISOString();
}
