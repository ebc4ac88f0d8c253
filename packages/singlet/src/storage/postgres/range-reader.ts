/**
 * Ranges, each in one snapshot. A short one is a part of a statement (`short-ranges.ts`). Any other is a transaction, and is visited page by page: a
 * page is a statement with a limit on entries and bytes. Its BEGIN and its guard are sent together with the first page.
 */
import { assertKey, type CallerGuard } from '../caller-checks.ts';
import { StorageError } from '../storage-error.ts';
import type { RangeEnd, RangeRequest, RangeVisitor, StoreValue } from '../store.ts';
import { plannedKey } from './group-plan.ts';
import type { Statement } from './group-statement.ts';
import { bytesOfText, headBytesMax, byteaText, isCut, keyText } from './key-columns.ts';
import type { TextRow } from './lane-session.ts';
import { storageErrorOf } from './postgres-failure.ts';
import type { ReadConnection, ReadConnections } from './read-connections.ts';
import type { TableNames } from './schema.ts';
import { ShortRanges } from './short-ranges.ts';
import { readStatement } from './write-lane.ts';

/** Limits of one page: entries, and bytes of values, which the last entry may exceed. */
const pageEntriesMax = 512;
const pageBytesMax = 1024 * 1024;

/** Where a range continues: after the last visited key, or at the requested bound. */
interface Bounds {
  readonly from: Uint8Array;
  readonly to: Uint8Array;
}

export interface RangeReaderOptions {
  readonly connections: ReadConnections;
  readonly tables: TableNames;
  readonly guard: CallerGuard;
  readonly keyBytesMax: number;
  /** How many ranges may be open. */
  readonly waitingMax: number;
}

export class RangeReader {
  readonly #options: RangeReaderOptions;
  readonly #short: ShortRanges;
  readonly #open = new Set<Promise<unknown>>();

  constructor(options: RangeReaderOptions) {
    this.#options = options;
    this.#short = new ShortRanges(options);
  }

  /** @throws {StorageError} `io`, `busy`. */
  range(request: RangeRequest, visit: RangeVisitor): Promise<RangeEnd> {
    const { waitingMax, keyBytesMax } = this.#options;
    for (const key of request.guard?.keys ?? []) assertKey(key, keyBytesMax);
    if (this.#open.size >= waitingMax) {
      throw new StorageError('busy', `${this.#open.size} ranges wait for PostgreSQL, and no more are taken`);
    }
    const running = this.#range(request, visit);
    const settled = running.catch(() => undefined).finally(() => this.#open.delete(settled));
    this.#open.add(settled);
    return running;
  }

  /** Waits for the open ranges. */
  async close(): Promise<void> {
    await Promise.all([...this.#open, this.#short.close()]);
  }

  async #range(request: RangeRequest, visit: RangeVisitor): Promise<RangeEnd> {
    // Copied, because the caller may reuse the bytes of the bounds once this function has returned its promise.
    const bounds = { from: Buffer.from(request.from), to: Buffer.from(request.to) };
    const isEmpty = bounds.from.compare(bounds.to) >= 0;
    if (isEmpty && request.guard === undefined) return 'end';
    const { guard, connections } = this.#options;
    const visitor = new PageVisitor(visit, request.limit, guard);
    const end =
      (await this.#atOnce(request, bounds, visitor)) ??
      (await connections.run((connection) => this.#pages(connection, request, bounds, visitor)));
    if (visitor.failure !== undefined) throw visitor.failure.error;
    return end;
  }

  /** @returns undefined, before anything is visited, for a range that is not a short one. */
  async #atOnce(request: RangeRequest, bounds: Bounds, visitor: PageVisitor): Promise<RangeEnd | undefined> {
    const result = await this.#short.read({
      ...bounds,
      reverse: request.reverse === true,
      limit: visitor.left,
      guardKeys: request.guard?.keys ?? [],
    });
    if (result === undefined) return undefined;
    this.#check(request, result.guarded, visitor);
    return visitor.visit(result.entries) ?? 'end';
  }

  #check({ guard }: RangeRequest, values: readonly StoreValue[], visitor: PageVisitor): void {
    if (guard !== undefined) visitor.attempt(() => this.#options.guard.run(guard.check, values));
  }

  async #pages(
    connection: ReadConnection,
    request: RangeRequest,
    bounds: Bounds,
    visitor: PageVisitor,
  ): Promise<RangeEnd> {
    const begun = connection.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const guarded = this.#guarded(connection, request.guard?.keys ?? []);
    // Reported by the page, which fails as well.
    for (const sent of [begun, guarded]) sent.catch(() => undefined);
    let rest = bounds;
    for (;;) {
      const page = await this.#page(connection, request, rest, Math.min(visitor.left, pageEntriesMax)).catch(
        (error: unknown) => {
          // The snapshot of the visited entries is gone: starting over would visit them twice.
          throw visitor.hasBegun ? storageErrorOf(error, 'a range') : error;
        },
      );
      if (!visitor.hasBegun) this.#check(request, await guarded, visitor);
      const end = visitor.visit(entriesOf(page)) ?? (page.isLast ? 'end' : undefined);
      if (end !== undefined) {
        await connection.end();
        return end;
      }
      rest = restOf(rest, visitor.lastKey, request.reverse ?? false);
    }
  }

  async #guarded(connection: ReadConnection, keys: readonly Uint8Array[]): Promise<readonly StoreValue[]> {
    if (keys.length === 0) return [];
    const planned = keys.map(plannedKey);
    const columns = planned.map((key) => key.columns);
    const rows = await connection.rows(readStatement(this.#options.tables, columns, { withVersions: false }));
    const values = new Map(rows.map(([head, tail, value]) => [keyText(head ?? '', tail ?? ''), value]));
    return planned.map(({ text }) => {
      const value = values.get(text);
      return value === null || value === undefined ? undefined : bytesOfText(value);
    });
  }

  async #page(connection: ReadConnection, request: RangeRequest, bounds: Bounds, entries: number): Promise<Page> {
    const { reverse = false } = request;
    const isShort = Math.max(bounds.from.length, bounds.to.length) <= headBytesMax;
    if (isShort) {
      const page = pageOf(
        await connection.rows(shortStatement(this.#options.tables, { ...bounds, reverse, entries })),
        entries,
      );
      // The index orders cut keys by their digests.
      if (!page.rows.some(([, tail]) => isCut(tail ?? ''))) return page;
    }
    return pageOf(
      await connection.rows(exactStatement(this.#options.tables, { ...bounds, reverse, entries })),
      entries,
    );
  }
}

interface Page {
  readonly rows: readonly TextRow[];
  /** Whether this is the last page of the range. */
  readonly isLast: boolean;
}

/** A page ends early when its byte limit is reached: its last row then indicates that. */
function pageOf(rows: readonly TextRow[], entries: number): Page {
  const [, , , isCutShort] = rows.at(-1) ?? [];
  return { rows, isLast: rows.length < entries && isCutShort !== 't' };
}

/** Passes entries to the caller's visitor, and counts them. */
class PageVisitor {
  readonly #visit: RangeVisitor;
  readonly #guard: CallerGuard;
  left: number;
  lastKey: Buffer = Buffer.alloc(0);
  hasBegun = false;
  /** The error that the caller's visitor threw. */
  failure: { readonly error: unknown } | undefined;

  constructor(visit: RangeVisitor, limit: number | undefined, guard: CallerGuard) {
    this.#visit = visit;
    this.left = limit ?? Infinity;
    this.#guard = guard;
  }

  /** @returns why the visit is over; undefined when it continues with the next page. */
  visit(entries: Iterable<Entry>): 'stopped' | undefined {
    let end: 'stopped' | undefined;
    this.attempt(() => {
      end = this.#guard.run((each) => this.#visitAll(each), entries);
    });
    return this.failure === undefined ? end : 'stopped';
  }

  /** Runs a function of the caller. After one has failed, no other runs. */
  attempt(body: () => void): void {
    this.hasBegun = true;
    if (this.failure !== undefined) return;
    try {
      body();
    } catch (error) {
      this.failure = { error };
    }
  }

  #visitAll(entries: Iterable<Entry>): 'stopped' | undefined {
    for (const { key, value } of entries) {
      this.lastKey = key;
      this.left -= 1;
      if (!this.#visit(key, value) || this.left === 0) return 'stopped';
    }
    return undefined;
  }
}

interface Entry {
  readonly key: Buffer;
  readonly value: Buffer;
}

function* entriesOf({ rows }: Page): Iterable<Entry> {
  for (const [head, tail, value] of rows) {
    yield { key: bytesOfText(keyText(head ?? '', tail ?? '')), value: bytesOfText(value ?? '') };
  }
}

function restOf({ from, to }: Bounds, lastKey: Buffer, reverse: boolean): Bounds {
  return reverse ? { from, to: lastKey } : { from: Buffer.concat([lastKey, Uint8Array.of(0)]), to };
}

interface PageRequest extends Bounds {
  readonly reverse: boolean;
  readonly entries: number;
}

/** Entries between bounds that are no longer than a head, so that comparing heads is comparing keys. In index order. */
function shortStatement({ kv }: TableNames, { from, to, reverse, entries }: PageRequest): Statement {
  const order = reverse ? 'head DESC, digest DESC' : 'head, digest';
  return {
    name: reverse ? 'page_back' : 'page',
    text: withinBytes(
      `SELECT head, digest, tail, value FROM ${kv} WHERE head >= $1::bytea AND head < $2::bytea AND NOT dead ORDER BY ${order} LIMIT $3`,
      order,
    ),
    values: [byteaText(from), byteaText(to), entries],
  };
}

/** Entries between any bounds, in their exact order: by head, then by tail. */
function exactStatement({ kv }: TableNames, { from, to, reverse, entries }: PageRequest): Statement {
  const order = reverse ? 'head DESC, tail DESC' : 'head, tail';
  const [fromHead, fromTail] = cutBound(from);
  const [toHead, toTail] = cutBound(to);
  const where = `head >= $1::bytea AND head <= $3::bytea AND (head, tail) >= ($1::bytea, $2::bytea) AND (head, tail) < ($3::bytea, $4::bytea) AND NOT dead`;
  return {
    name: reverse ? 'exact_page_back' : 'exact_page',
    text: withinBytes(`SELECT head, digest, tail, value FROM ${kv} WHERE ${where} ORDER BY ${order} LIMIT $5`, order),
    values: [fromHead, fromTail, toHead, toTail, entries],
  };
}

function cutBound(bound: Uint8Array): readonly [head: string, tail: string] {
  return [byteaText(bound.subarray(0, headBytesMax)), byteaText(bound.subarray(headBytesMax))];
}

/** Ends with the entry that reaches the byte limit. PostgreSQL knows the length of a value without fetching it. */
function withinBytes(select: string, order: string): string {
  const before = `sum(octet_length(value)) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)`;
  return `SELECT head, tail, value, total >= ${pageBytesMax} AS full FROM (SELECT *, ${before} AS total FROM (${select}) AS entry) AS page
  WHERE total - octet_length(value) < ${pageBytesMax} ORDER BY ${order}`;
}
