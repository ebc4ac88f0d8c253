/**
 * Short ranges: those of one turn of the event loop share a statement and so a snapshot, like point reads (`point-reads.ts`). Their guards are read
 * by the same statement, so that a Query with the fence of its table is one round trip.
 *
 * The entries of a range are packed into one row. The client makes objects of each row and each column, which would cost more than the
 * entries themselves.
 *
 * A range that is too long or too large for that has no result here, and is read page by page (`range-reader.ts`).
 *
 * Decision 0074 says why.
 */
import type { StoreValue } from '../store.ts';
import { plannedKey, type PlannedKey } from './group-plan.ts';
import type { Statement } from './group-statement.ts';
import { bytesOfText, byteaText, headBytesMax } from './key-columns.ts';
import type { TextRow } from './lane-session.ts';
import type { ReadConnections } from './read-connections.ts';
import type { TableNames } from './schema.ts';
import { TurnGroups } from './turn-groups.ts';

/** Limits of one short range: entries, and bytes of values, of which each entry may have its share. */
const rangeEntriesMax = 64;
const rangeBytesMax = 256 * 1024;
/** Most ranges of one statement. All their entries are in memory at once. */
const statementRangesMax = 32;

export interface ShortRange {
  /** First key, inclusive, and last, exclusive. */
  readonly from: Uint8Array;
  readonly to: Uint8Array;
  readonly reverse: boolean;
  /** Entries that are wanted at most. */
  readonly limit: number;
  readonly guardKeys: readonly Uint8Array[];
}

/** All entries of a short range, in its order, or the first `limit` of them. */
export interface ShortRangeResult {
  readonly entries: readonly { readonly key: Buffer; readonly value: Buffer }[];
  /** One for each key of the guard. */
  readonly guarded: readonly StoreValue[];
}

interface PendingRange extends Omit<ShortRange, 'guardKeys'> {
  readonly guardKeys: readonly PlannedKey[];
  /** Passes undefined when the range is not a short one. */
  readonly resolve: (result: ShortRangeResult | undefined) => void;
  readonly reject: (error: unknown) => void;
}

export interface ShortRangesOptions {
  readonly connections: ReadConnections;
  readonly tables: TableNames;
  /** How many ranges may wait. */
  readonly waitingMax: number;
}

export class ShortRanges {
  readonly #options: ShortRangesOptions;
  readonly #groups: TurnGroups<PendingRange>;

  constructor(options: ShortRangesOptions) {
    this.#options = options;
    this.#groups = new TurnGroups({
      what: 'ranges',
      runningMax: options.connections.count,
      waitingMax: options.waitingMax,
      take: groupSize,
      run: (group) => this.#readTogether(group),
    });
  }

  /**
   * @returns undefined for a range that has to be read page by page.
   * @throws {StorageError} `io`, `busy`.
   */
  read(range: ShortRange): Promise<ShortRangeResult | undefined> {
    // The statement compares heads only, which is comparing keys as long as no key is longer than a head.
    if (Math.max(range.from.length, range.to.length) > headBytesMax) return Promise.resolve(undefined);
    const guardKeys = range.guardKeys.map(plannedKey);
    return new Promise((resolve, reject) => {
      this.#groups.add({ ...range, guardKeys, resolve, reject });
    });
  }

  close(): Promise<void> {
    return this.#groups.close();
  }

  /** Never rejects: each call gets its own result. */
  async #readTogether(group: readonly PendingRange[]): Promise<void> {
    try {
      const guardKeys = [...new Map(group.flatMap((each) => each.guardKeys.map((key) => [key.text, key]))).values()];
      const statement = groupStatement(this.#options.tables, group, guardKeys);
      const rows = await this.#options.connections.run((connection) => connection.rows(statement));
      const guarded = new Map<string, Buffer>();
      const pages = new Map<number, TextRow>();
      for (const row of rows) {
        const at = Number(row[0]);
        if (at > 0) pages.set(at - 1, row);
        else guarded.set(guardKeys[-at]?.text ?? '', bytesOfText(row[3] ?? ''));
      }
      for (const [at, { guardKeys: keys, resolve }] of group.entries()) {
        const entries = entriesOf(pages.get(at));
        resolve(entries && { entries, guarded: keys.map(({ text }) => guarded.get(text)) });
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}

/** A statement has one direction. */
function groupSize(waiting: readonly PendingRange[]): number {
  const other = waiting.findIndex(({ reverse }) => reverse !== waiting[0]?.reverse);
  return Math.min(other < 0 ? waiting.length : other, statementRangesMax);
}

/**
 * One row for each range, numbered from 1, and one for each key of a guard that has a value, numbered from 0 downwards.
 *
 * The size of a range is limited by the size of each of its values, because adding them up from row to row would cost PostgreSQL a fifth more.
 *
 * The limit of the guards keeps PostgreSQL from planning a join for them, which might scan the whole table.
 */
function groupStatement(
  { kv }: TableNames,
  group: readonly PendingRange[],
  guardKeys: readonly PlannedKey[],
): Statement {
  const isReverse = group[0]?.reverse === true;
  const order = isReverse ? 'head DESC, digest DESC' : 'head, digest';
  const text = `SELECT k.at, page.* FROM unnest($1::bytea[], $2::bytea[], $3::int8[]) WITH ORDINALITY AS k (low, high, entries, at)
  CROSS JOIN LATERAL (
    SELECT string_agg(head, ''::bytea), string_agg(int4send(octet_length(head)) || int4send(octet_length(value)), ''::bytea),
      string_agg(CASE WHEN octet_length(value) * k.entries <= ${rangeBytesMax} THEN value END, ''::bytea),
      NOT bool_and(tail = ''::bytea AND octet_length(value) * k.entries <= ${rangeBytesMax}) OR count(*) > ${rangeEntriesMax}
    FROM (SELECT head, tail, value FROM ${kv} WHERE head >= k.low AND head < k.high AND NOT dead ORDER BY ${order} LIMIT k.entries) AS entry
  ) AS page
UNION ALL SELECT 1 - g.at, NULL, NULL, guarded.value, NULL FROM unnest($4::bytea[], $5::bytea[]) WITH ORDINALITY AS g (head, digest, at)
  CROSS JOIN LATERAL (SELECT e.value FROM ${kv} AS e WHERE e.head = g.head AND e.digest = g.digest AND NOT e.dead LIMIT 1) AS guarded`;
  return {
    name: isReverse ? 'ranges_back' : 'ranges',
    text,
    values: [
      group.map(({ from }) => byteaText(from)),
      group.map(({ to }) => byteaText(to)),
      // One more than fits shows that there are more.
      group.map(({ limit }) => Math.min(limit, rangeEntriesMax + 1)),
      guardKeys.map(({ columns }) => columns.head),
      guardKeys.map(({ columns }) => columns.digest),
    ],
  };
}

/** @returns undefined when the row does not have the whole range. */
function entriesOf(row: TextRow | undefined): ShortRangeResult['entries'] | undefined {
  if (row === undefined) return undefined;
  const [, heads, lengths, values, isCutShort] = row;
  if (isCutShort === 't') return undefined;
  if (heads === null || heads === undefined) return [];
  const [keyBytes, lengthBytes, valueBytes] = [heads, lengths, values].map((text) => bytesOfText(text ?? '')) as [
    Buffer,
    Buffer,
    Buffer,
  ]; // of three texts
  const entries: { readonly key: Buffer; readonly value: Buffer }[] = [];
  let [keyAt, valueAt] = [0, 0];
  for (let at = 0; at < lengthBytes.length; at += 8) {
    const [keyEnd, valueEnd] = [keyAt + lengthBytes.readUInt32BE(at), valueAt + lengthBytes.readUInt32BE(at + 4)];
    entries.push({ key: keyBytes.subarray(keyAt, keyEnd), value: valueBytes.subarray(valueAt, valueEnd) });
    [keyAt, valueAt] = [keyEnd, valueEnd];
  }
  return entries;
}
