/**
 * Makes the decisions of a group, one after the other, from one common read, and plans the one statement that writes the group.
 *
 * Each decision sees the writes of the earlier ones, through an overlay. What it read from the store must still hold when the group is
 * committed, so the plan has a condition for each key:
 *
 *     shared    read and not written: the row has the version that was read
 *     changed   read and written: the row has the version that was read, and gets a new value or none
 *     created   read and missing: no row exists. Without a value, a dead row takes the place during the commit
 *     blind     written and not read: any row is replaced
 *
 * A decision that writes nothing, and has seen no write of the group, is valid as of the read, and needs none of this.
 */
import type { CallerGuard } from '../caller-checks.ts';
import { assertKey } from '../caller-checks.ts';
import type { Decision, StoreValue, StoreWrite } from '../store.ts';
import { byteaText, keyColumns, type KeyColumns } from './key-columns.ts';

/** The row of a key: its version (undefined when there is no row) and value (also undefined when the row is dead). */
export interface StoredRow {
  readonly version: string | undefined;
  readonly value: Buffer | undefined;
}

export const noRow: StoredRow = { version: undefined, value: undefined };

/** A call of `write` that waits to be decided. */
export interface PendingWrite {
  /** `performance.now()` when the call came. */
  readonly sinceMs: number;
  readonly keys: readonly PlannedKey[];
  readonly decide: (values: readonly StoreValue[]) => Decision<unknown>;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface PlannedKey {
  readonly text: string;
  readonly columns: KeyColumns;
}

export function plannedKey(key: Uint8Array): PlannedKey {
  return { text: byteaText(key), columns: keyColumns(key) };
}

export type Outcome = { readonly answer: unknown } | { readonly error: unknown };

/** A key with the version that its row must have, and the text of its new value where it gets one. */
export interface ExpectedRow {
  readonly columns: KeyColumns;
  readonly version: string;
  readonly value: string | undefined;
}

export interface NewRow {
  readonly columns: KeyColumns;
  readonly value: string | undefined;
}

export interface GroupPlan {
  /** In the order of the decisions. */
  readonly outcomes: readonly Outcome[];
  readonly shared: readonly ExpectedRow[];
  readonly changed: readonly ExpectedRow[];
  readonly created: readonly NewRow[];
  readonly blind: readonly NewRow[];
  /** How many decisions were made: the later ones had no room in the group. */
  readonly decidedCount: number;
}

/** Bytes of values after which a group leaves the remaining decisions to the next group. */
const groupBytesMax = 4 * 1024 * 1024;

export interface GroupInput {
  readonly pending: readonly PendingWrite[];
  /** By the text of the key. */
  readonly rows: ReadonlyMap<string, StoredRow>;
  readonly guard: CallerGuard;
  readonly keyBytesMax: number;
}

export function planGroup({ pending, rows, guard, keyBytesMax }: GroupInput): GroupPlan {
  const overlay = new Overlay(rows);
  const outcomes: Outcome[] = [];
  for (const { keys, decide } of pending) {
    if (overlay.bytes >= groupBytesMax) break;
    outcomes.push(decideOne(keys, decide, overlay, guard, keyBytesMax));
  }
  return { outcomes, ...overlay.rows(), decidedCount: outcomes.length };
}

function decideOne(
  keys: readonly PlannedKey[],
  decide: PendingWrite['decide'],
  overlay: Overlay,
  guard: CallerGuard,
  keyBytesMax: number,
): Outcome {
  const sawGroup = keys.some((key) => overlay.has(key));
  try {
    const { answer, writes } = guard.run(
      decide,
      keys.map((key) => overlay.value(key)),
    );
    for (const { key } of writes) assertKey(key, keyBytesMax);
    const isWritten = overlay.write(keys, writes);
    if (isWritten || sawGroup) overlay.expect(keys);
    return { answer };
  } catch (error) {
    if (sawGroup) overlay.expect(keys);
    return { error };
  }
}

interface OverlaidRow {
  readonly key: PlannedKey;
  readonly value: Buffer | undefined;
}

/** The rows that were read, beneath the writes of the group so far. */
class Overlay {
  readonly #stored: ReadonlyMap<string, StoredRow>;
  readonly #written = new Map<string, OverlaidRow>();
  readonly #expected = new Map<string, PlannedKey>();
  bytes = 0;

  constructor(stored: ReadonlyMap<string, StoredRow>) {
    this.#stored = stored;
  }

  has({ text }: PlannedKey): boolean {
    return this.#written.has(text);
  }

  value({ text }: PlannedKey): Buffer | undefined {
    const written = this.#written.get(text);
    return written === undefined ? this.#stored.get(text)?.value : written.value;
  }

  /** @returns whether anything is written: removing a key that is known to be missing writes nothing. */
  write(keys: readonly PlannedKey[], writes: readonly StoreWrite[]): boolean {
    const read = new Set(keys.map(({ text }) => text));
    let isWritten = false;
    for (const { key: bytes, value } of writes) {
      const key = plannedKey(bytes);
      if (value === undefined && read.has(key.text) && this.value(key) === undefined) continue;
      this.#written.set(key.text, { key, value: value && Buffer.from(value) });
      this.bytes += value?.length ?? 0;
      isWritten = true;
    }
    return isWritten;
  }

  /** Requires that what was read from the store under these keys still holds when the group is committed. */
  expect(keys: readonly PlannedKey[]): void {
    for (const key of keys) this.#expected.set(key.text, key);
  }

  rows(): Pick<GroupPlan, 'shared' | 'changed' | 'created' | 'blind'> {
    const shared: ExpectedRow[] = [];
    const changed: ExpectedRow[] = [];
    const created: NewRow[] = [];
    const blind: NewRow[] = [];
    for (const [text, { columns }] of this.#expected) {
      const version = this.#stored.get(text)?.version;
      const written = this.#written.get(text);
      const value = written?.value && byteaText(written.value);
      if (version === undefined) created.push({ columns, value });
      else if (written === undefined) shared.push({ columns, version, value: undefined });
      else changed.push({ columns, version, value });
    }
    for (const [text, { key, value }] of this.#written) {
      if (!this.#expected.has(text)) blind.push({ columns: key.columns, value: value && byteaText(value) });
    }
    return { shared, changed, created, blind };
  }
}
