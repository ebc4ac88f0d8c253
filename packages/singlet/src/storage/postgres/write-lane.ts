/**
 * Writes: decisions are collected into groups, and a group is read, decided and committed in two round trips.
 *
 * One group is in flight at a time: two groups of one process would only conflict with each other. Other processes may change what a group has read.
 * In that case its statement fails as a whole, and the group is decided again, on rows that were locked first.
 *
 * Every call ends. Within `patienceMs` a write is committed, is refused, or fails with an unknown outcome.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { assertKey, type CallerGuard } from '../caller-checks.ts';
import { StorageError } from '../storage-error.ts';
import type { Decision, StoreValue } from '../store.ts';
import type { PostgresUrl } from './connection-settings.ts';
import { noRow, plannedKey, planGroup, type GroupPlan, type PendingWrite, type StoredRow } from './group-plan.ts';
import { groupStatement, type Statement } from './group-statement.ts';
import { bytesOfText, keyText, type KeyColumns } from './key-columns.ts';
import { groupsAfter, LaneSession, newLaneId, type TextRow } from './lane-session.ts';
import type { PgPackage } from './load-pg.ts';
import { failureKind, messageOf, storageErrorOf } from './postgres-failure.ts';
import type { TableNames } from './schema.ts';

/** Most decisions of one group, and most keys that they read. */
const groupDecisionsMax = 96;
const groupKeysMax = 2_000;
/** Backoff before the second attempt of a group, milliseconds; it doubles up to the longest. Each is shortened at random. */
const firstPauseMs = 1;
const longestPauseMs = 64;
/** Pause before another connection is tried, milliseconds. */
const reconnectMs = 100;

export interface WriteLaneOptions {
  readonly pg: PgPackage;
  readonly url: PostgresUrl;
  readonly tables: TableNames;
  readonly guard: CallerGuard;
  readonly keyBytesMax: number;
  /** How many decisions may wait. */
  readonly waitingMax: number;
  /** How long a decision may wait for PostgreSQL, milliseconds. */
  readonly patienceMs: number;
  /** Called when a commit has left dead rows. */
  readonly onDeadRows: () => void;
}

export class WriteLane {
  readonly #options: WriteLaneOptions;
  #waiting: PendingWrite[] = [];
  #session: LaneSession | undefined;
  #laneId = newLaneId();
  #running: Promise<void> | undefined;

  constructor(options: WriteLaneOptions) {
    this.#options = options;
  }

  write<T>(keys: readonly Uint8Array[], decide: (values: readonly StoreValue[]) => Decision<T>): Promise<T> {
    for (const key of keys) assertKey(key, this.#options.keyBytesMax);
    if (this.#waiting.length >= this.#options.waitingMax) return Promise.reject(busy(this.#waiting.length));
    const planned = keys.map(plannedKey);
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        sinceMs: performance.now(),
        keys: planned,
        decide,
        // The answer of this same decision: the plan keeps the two together.
        resolve: (answer) => resolve(answer as T),
        reject,
      });
      this.#running ??= this.#run();
    });
  }

  /** Finishes the waiting writes, and ends the connection. */
  async close(): Promise<void> {
    await this.#running;
    await this.#session?.close(this.#options.tables);
  }

  async #run(): Promise<void> {
    // Other writes of this turn of the event loop go into the same group.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) await this.#commit(this.#takeGroup());
    this.#running = undefined;
  }

  #takeGroup(): readonly PendingWrite[] {
    let keyCount = 0;
    let count = 0;
    for (const { keys } of this.#waiting) {
      keyCount += keys.length;
      if (count > 0 && (count >= groupDecisionsMax || keyCount > groupKeysMax)) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  /** Settles every decision of a group, or puts back those that had no room. */
  async #commit(group: readonly PendingWrite[]): Promise<void> {
    let locked: readonly LockedRow[] = [];
    for (let attempt = 1; ; attempt += 1) {
      const result = await this.#attempt(group, locked);
      switch (result.kind) {
        case 'done':
          this.#waiting.unshift(...group.slice(result.plan.decidedCount));
          settle(group, result.plan);
          if (leavesDeadRows(result.plan)) this.#options.onDeadRows();
          return;
        case 'again':
          if (this.#isOverdue(group)) return this.#giveUp(group, result.error);
          locked = result.locked;
          await delay(result.pauseMs ?? pauseMs(attempt));
          break;
        case 'failed':
          if (group.length === 1 || !result.isWorthSplitting) return rejectAll(group, result.error);
          // PostgreSQL rejects one of them: the others need not fail with it.
          for (const pending of group) await this.#commit([pending]);
          return;
      }
    }
  }

  async #attempt(group: readonly PendingWrite[], locked: readonly LockedRow[]): Promise<AttemptResult> {
    let session: LaneSession;
    try {
      session = await this.#connect();
    } catch (error) {
      return { kind: 'again', locked, error: unreachable(error), pauseMs: reconnectMs };
    }
    let sent: GroupPlan | undefined;
    const decideAndCommit = async (): Promise<GroupPlan> => {
      const plan = await this.#decide(session, group);
      const version = `${randomBytes(8).readBigInt64BE() >> 1n}`;
      if (isEmpty(plan)) return plan;
      sent = plan;
      await session.rows(groupStatement(this.#options.tables, plan, session.position, version));
      return plan;
    };
    try {
      if (locked.length === 0) return this.#done(session, await decideAndCommit());
      const plan = await session.transaction(async () => {
        await session.rows(lockStatement(this.#options.tables, locked));
        return decideAndCommit();
      });
      return this.#done(session, plan);
    } catch (error) {
      return this.#afterFailure(session, sent, locked, error);
    }
  }

  #done(session: LaneSession, plan: GroupPlan): AttemptResult {
    if (!isEmpty(plan)) this.#session = session.advanced();
    return { kind: 'done', plan };
  }

  async #afterFailure(
    session: LaneSession,
    sent: GroupPlan | undefined,
    locked: readonly LockedRow[],
    error: unknown,
  ): Promise<AttemptResult> {
    switch (failureKind(error)) {
      case 'conflict':
        return { kind: 'again', locked: sent === undefined ? locked : rowsToLock(sent), error: conflict(error) };
      case 'lane':
        this.#dropSession(session);
        return { kind: 'again', locked, error: conflict(error) };
      case 'lost':
        this.#dropSession(session);
        if (sent !== undefined) return this.#resolve(session, sent, locked, error);
        return { kind: 'again', locked, error: unreachable(error), pauseMs: reconnectMs };
      case 'unavailable':
        this.#dropSession(session);
        return { kind: 'again', locked, error: unreachable(error), pauseMs: reconnectMs };
      case 'refused':
        return { kind: 'failed', error: storageErrorOf(error, 'a commit'), isWorthSplitting: true };
    }
  }

  /** Finds out whether a group was committed after its connection was lost. */
  async #resolve(
    { position }: LaneSession,
    plan: GroupPlan,
    locked: readonly LockedRow[],
    lost: unknown,
  ): Promise<AttemptResult> {
    const untilMs = performance.now() + this.#options.patienceMs;
    for (;;) {
      try {
        const session = await this.#connect();
        if (session.isNew) return { kind: 'failed', error: unknownOutcome(lost), isWorthSplitting: false };
        if (session.position.groups === groupsAfter(position)) return { kind: 'done', plan };
        return { kind: 'again', locked, error: unreachable(lost) };
      } catch (error) {
        if (performance.now() >= untilMs) {
          // This row is never used again: a new lane begins with its own row.
          this.#laneId = newLaneId();
          return { kind: 'failed', error: unknownOutcome(error), isWorthSplitting: false };
        }
        await delay(reconnectMs);
      }
    }
  }

  async #connect(): Promise<LaneSession> {
    const { pg, url, tables } = this.#options;
    if (this.#session?.isLost === true) this.#dropSession(this.#session);
    this.#session ??= await LaneSession.open(pg, url, tables, this.#laneId);
    return this.#session;
  }

  #dropSession(session: LaneSession): void {
    session.drop();
    this.#session = undefined;
  }

  /** Whether a group has waited long enough. */
  #isOverdue([first]: readonly PendingWrite[]): boolean {
    return first !== undefined && performance.now() - first.sinceMs >= this.#options.patienceMs;
  }

  /** Overdue writes after a group that could not be sent get the same error: otherwise their retries would add up. */
  #giveUp(group: readonly PendingWrite[], error: StorageError): void {
    rejectAll(group, error);
    if (error.code !== 'io') return;
    // They are in the order of their arrival.
    const firstInTime = this.#waiting.findIndex((pending) => !this.#isOverdue([pending]));
    rejectAll(this.#waiting.splice(0, firstInTime < 0 ? this.#waiting.length : firstInTime), error);
  }

  async #decide(session: LaneSession, pending: readonly PendingWrite[]): Promise<GroupPlan> {
    const { tables, guard, keyBytesMax } = this.#options;
    const keys = new Map(pending.flatMap((each) => each.keys.map(({ text, columns }) => [text, columns] as const)));
    const rows =
      keys.size === 0 ? [] : await session.rows(readStatement(tables, [...keys.values()], { withVersions: true }));
    return planGroup({ pending, rows: storedRows(keys.keys(), rows), guard, keyBytesMax });
  }
}

type AttemptResult =
  | { readonly kind: 'done'; readonly plan: GroupPlan }
  | {
      readonly kind: 'again';
      /** The rows to lock before the next attempt reads. */
      readonly locked: readonly LockedRow[];
      /** The error for the callers when there is no time for another attempt. */
      readonly error: StorageError;
      readonly pauseMs?: number;
    }
  | { readonly kind: 'failed'; readonly error: StorageError; readonly isWorthSplitting: boolean };

/** Reads rows by their keys, all from one snapshot. */
export function readStatement(
  { kv }: TableNames,
  columns: readonly KeyColumns[],
  { withVersions }: { readonly withVersions: boolean },
): Statement {
  return {
    name: withVersions ? 'rows_with_versions' : 'rows',
    // The limit keeps PostgreSQL from planning a join, which might scan the whole table.
    text: `SELECT row.* FROM unnest($1::bytea[], $2::bytea[]) AS k (head, digest)
  CROSS JOIN LATERAL (SELECT e.head, e.tail, e.value${withVersions ? ', e.version' : ''} FROM ${kv} AS e WHERE e.head = k.head AND e.digest = k.digest LIMIT 1) AS row`,
    values: [columns.map(({ head }) => head), columns.map(({ digest }) => digest)],
  };
}

/** A row that is locked before it is read. */
interface LockedRow {
  readonly columns: KeyColumns;
  /** Whether others are kept from sharing it, too. */
  readonly changes: boolean;
}

/**
 * Locks rows before they are read, so that the second attempt of a group does not fail like the first. These are all rows that the group depends
 * on, in the order of their keys like those of every other group: if it locked only those that it changes, it would take its other locks
 * out of order, and wait for a group that waits for it.
 */
function lockStatement({ kv }: TableNames, rows: readonly LockedRow[]): Statement {
  const row = `FROM ${kv} AS e WHERE e.head = k.head AND e.digest = k.digest`;
  return {
    name: 'lock',
    text: `SELECT 1 FROM (SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::boolean[]) AS u (head, digest, changes) ORDER BY head, digest) AS k
  LEFT JOIN LATERAL (SELECT true AS found ${row} AND k.changes FOR NO KEY UPDATE) AS changed ON true
  LEFT JOIN LATERAL (SELECT true AS found ${row} AND NOT k.changes FOR SHARE) AS shared ON true
  WHERE changed.found OR shared.found`,
    values: [
      rows.map(({ columns }) => columns.head),
      rows.map(({ columns }) => columns.digest),
      rows.map(({ changes }) => changes),
    ],
  };
}

function storedRows(keys: Iterable<string>, rows: readonly TextRow[]): ReadonlyMap<string, StoredRow> {
  const stored = new Map<string, StoredRow>();
  for (const key of keys) stored.set(key, noRow);
  for (const [head, tail, value, version] of rows) {
    stored.set(keyText(head ?? '', tail ?? ''), {
      version: version ?? undefined,
      value: value === null || value === undefined ? undefined : bytesOfText(value),
    });
  }
  return stored;
}

function settle(group: readonly PendingWrite[], { outcomes }: GroupPlan): void {
  for (const [index, outcome] of outcomes.entries()) {
    const pending = group[index];
    if ('error' in outcome) pending?.reject(outcome.error);
    else pending?.resolve(outcome.answer);
  }
}

function rejectAll(group: readonly PendingWrite[], error: StorageError): void {
  for (const { reject } of group) reject(error);
}

function isEmpty({ shared, changed, created, blind }: GroupPlan): boolean {
  return shared.length + changed.length + created.length + blind.length === 0;
}

function rowsToLock({ shared, changed, created, blind }: GroupPlan): readonly LockedRow[] {
  return [
    ...shared.map(({ columns }) => ({ columns, changes: false })),
    ...[...changed, ...created, ...blind].map(({ columns }) => ({ columns, changes: true })),
  ];
}

function leavesDeadRows({ changed, created, blind }: GroupPlan): boolean {
  return [...changed, ...created, ...blind].some(({ value }) => value === undefined);
}

function pauseMs(attempt: number): number {
  return Math.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** attempt);
}

function busy(waitingCount: number): StorageError {
  return new StorageError('busy', `${waitingCount} writes wait for PostgreSQL, and no more are taken`);
}

function conflict(cause: unknown): StorageError {
  return new StorageError('conflict', 'concurrent writes kept changing its inputs; nothing was written', { cause });
}

function unreachable(cause: unknown): StorageError {
  return new StorageError('io', `PostgreSQL cannot be reached (${messageOf(cause)}); nothing was written`, { cause });
}

function unknownOutcome(cause: unknown): StorageError {
  return new StorageError(
    'unknown-outcome',
    `the connection to PostgreSQL was lost during a commit, which may have been made (${messageOf(cause)})`,
    { cause },
  );
}
