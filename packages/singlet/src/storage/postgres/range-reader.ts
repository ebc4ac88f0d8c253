/**
 * Ranges: visited page by page, in one snapshot.
 *
 * A page is a statement with a limit on entries and bytes. A range that fits into one short page is that statement alone. Any other is a
 * transaction with one snapshot; its BEGIN is sent together with the first page.
 */
import type { CallerGuard } from '../caller-checks.ts';
import type { RangeEnd, RangeRequest, RangeVisitor } from '../store.ts';
import type { Statement } from './group-statement.ts';
import { bytesOfText, headBytesMax, byteaText, isCut, keyText } from './key-columns.ts';
import type { TextRow } from './lane-session.ts';
import { storageErrorOf } from './postgres-failure.ts';
import type { ReadConnection, ReadConnections } from './read-connections.ts';
import type { TableNames } from './schema.ts';

/**
 * Entries of the page that is tried first, without a transaction. Most ranges fit into it; any other is read again from its beginning, so that all
 * its pages are of one snapshot.
 */
const shortPageEntries = 64;
/** Limits of one page: entries, and bytes of values, which the last entry may exceed. */
const pageEntriesMax = 512;
const pageBytesMax = 1024 * 1024;

/** Where a range continues: after the last visited key, or at the requested bound. */
interface Bounds {
  readonly from: Uint8Array;
  readonly to: Uint8Array;
}

export class RangeReader {
  readonly #connections: ReadConnections;
  readonly #tables: TableNames;
  readonly #guard: CallerGuard;

  constructor(connections: ReadConnections, tables: TableNames, guard: CallerGuard) {
    this.#connections = connections;
    this.#tables = tables;
    this.#guard = guard;
  }

  async range(request: RangeRequest, visit: RangeVisitor): Promise<RangeEnd> {
    // Copied, because the caller may reuse the bytes of the bounds once this function has returned its promise.
    const bounds = { from: Buffer.from(request.from), to: Buffer.from(request.to) };
    if (bounds.from.compare(bounds.to) >= 0) return 'end';
    const visitor = new PageVisitor(visit, request.limit, this.#guard);
    const end =
      (await this.#single(request, bounds, visitor)) ??
      (await this.#connections.run((connection) => this.#pages(connection, request, bounds, visitor)));
    if (visitor.failure !== undefined) throw visitor.failure.error;
    return end;
  }

  /** @returns undefined, before anything is visited, for a range that does not fit into one short page. */
  async #single(request: RangeRequest, bounds: Bounds, visitor: PageVisitor): Promise<RangeEnd | undefined> {
    const entries = Math.min(visitor.left, shortPageEntries);
    const page = await this.#connections.run((connection) => this.#page(connection, request, bounds, entries));
    const isWhole = page.isLast || page.rows.length === visitor.left;
    return isWhole ? (visitor.visit(page) ?? 'end') : undefined;
  }

  async #pages(
    connection: ReadConnection,
    request: RangeRequest,
    bounds: Bounds,
    visitor: PageVisitor,
  ): Promise<RangeEnd> {
    const begun = connection.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // Reported by the page, which fails as well.
    begun.catch(() => undefined);
    let rest = bounds;
    for (;;) {
      const page = await this.#page(connection, request, rest, Math.min(visitor.left, pageEntriesMax)).catch(
        (error: unknown) => {
          // The snapshot of the visited entries is gone: starting over would visit them twice.
          throw visitor.hasBegun ? storageErrorOf(error, 'a range') : error;
        },
      );
      const end = visitor.visit(page) ?? (page.isLast ? 'end' : undefined);
      if (end !== undefined) {
        await connection.end();
        return end;
      }
      rest = restOf(rest, visitor.lastKey, request.reverse ?? false);
    }
  }

  async #page(connection: ReadConnection, request: RangeRequest, bounds: Bounds, entries: number): Promise<Page> {
    const { reverse = false } = request;
    const isShort = Math.max(bounds.from.length, bounds.to.length) <= headBytesMax;
    if (isShort) {
      const page = pageOf(
        await connection.rows(shortStatement(this.#tables, { ...bounds, reverse, entries })),
        entries,
      );
      // The index orders cut keys by their digests.
      if (!page.rows.some(([, tail]) => isCut(tail ?? ''))) return page;
    }
    return pageOf(await connection.rows(exactStatement(this.#tables, { ...bounds, reverse, entries })), entries);
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
  visit({ rows }: Page): 'stopped' | undefined {
    this.hasBegun ||= rows.length > 0;
    try {
      return this.#guard.run((each) => this.#visitAll(each), rows);
    } catch (error) {
      this.failure = { error };
      return 'stopped';
    }
  }

  #visitAll(rows: readonly TextRow[]): 'stopped' | undefined {
    for (const [head, tail, value] of rows) {
      this.lastKey = bytesOfText(keyText(head ?? '', tail ?? ''));
      this.left -= 1;
      if (!this.#visit(this.lastKey, bytesOfText(value ?? '')) || this.left === 0) return 'stopped';
    }
    return undefined;
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
