/**
 * Moves a table while clients write to it:
 *
 *     begin to collect the keys of changed items (stream of the source)
 *     copy      scan the source, write to the target
 *     follow    items that have changed meanwhile are read from the source, and written or deleted
 *     cut over  the clients are stopped; what they changed last is followed until nothing is left
 *     compare   every item, in both directions
 *
 * The target ends up equal because each change of an item is followed by a read of that item, and all writes of a key are made one after the
 * other: the copy is complete before the first change is applied. So the last write of a key follows its last change.
 *
 * Decision 0072 says why.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { ChangedKeys } from './changed-keys.ts';
import { compareTables, type TableDifference } from './compare-tables.ts';
import { type Item, itemsAt, keyOf, type PlacedTable, scanTable, textOf, writeItems } from './table-items.ts';

/** Pause between two readings of a quiet stream, milliseconds. */
const quietMs = 200;
/** Fewer changes than this in one reading: the target has caught up, and the clients may be stopped. */
const caughtUpKeys = 100;
/** How many changed keys are applied at a time. */
const keysAtOnce = 500;

export interface MoveTableOptions {
  readonly source: PlacedTable;
  readonly target: PlacedTable;
  readonly streamArn: string;
  /** Parts of the table that are read in parallel. */
  readonly segments: number;
  /** Whether the target may hold items already: those that are not in the source are deleted. */
  readonly targetHasItems: boolean;
  /** Called as items are copied, followed and compared. */
  readonly onProgress: (step: MoveStep, count: number) => void;
}

export type MoveStep = 'copied' | 'followed' | 'compared';

export class TableMove {
  readonly #options: MoveTableOptions;
  readonly #changed: ChangedKeys;
  #followedCount = 0;

  private constructor(options: MoveTableOptions, changed: ChangedKeys) {
    this.#options = options;
    this.#changed = changed;
  }

  /** Begins to collect changes. */
  static async begin(options: MoveTableOptions): Promise<TableMove> {
    return new TableMove(options, await ChangedKeys.from(options.source.place, options.streamArn));
  }

  /** Copies all items. Changes are collected meanwhile, so that iterators do not expire, and applied later. */
  async copy(): Promise<void> {
    const { source, target, segments, onProgress } = this.#options;
    let count = 0;
    const copied = new AbortController();
    const collecting = (async () => {
      while (!copied.signal.aborted) {
        const read = await this.#changed.read();
        if (read === 0 && !copied.signal.aborted) await delay(quietMs);
      }
    })();
    const copying = scanTable(source, segments, async (items) => {
      await writeItems(target, { puts: items, deletes: [] });
      count += items.length;
      onProgress('copied', count);
    }).finally(() => copied.abort());
    await Promise.all([copying, collecting]);
    if (this.#options.targetHasItems) await this.#removeExtra();
  }

  /** Applies changes until few are left. */
  async catchUp(): Promise<void> {
    for (;;) {
      await this.#changed.read();
      const count = this.#changed.size;
      await this.#apply();
      if (count < caughtUpKeys) return;
    }
  }

  /**
   * Applies the last changes, after the clients have stopped.
   *
   * @param settleMs - ends when nothing has changed for so long: records may appear in a stream some time after the write.
   */
  async finish(settleMs: number): Promise<void> {
    let quietSinceMs = performance.now();
    while (performance.now() - quietSinceMs < settleMs) {
      if ((await this.#changed.read()) > 0) quietSinceMs = performance.now();
      else await delay(Math.min(quietMs, settleMs));
      await this.#apply();
    }
  }

  async compare(): Promise<TableDifference> {
    const { source, target, segments, onProgress } = this.#options;
    let count = 0;
    return compareTables(source, target, segments, (itemCount) => onProgress('compared', (count += itemCount)));
  }

  async #apply(): Promise<void> {
    const { source, target, onProgress } = this.#options;
    const keys = this.#changed.take();
    for (let from = 0; from < keys.length; from += keysAtOnce) {
      const some = keys.slice(from, from + keysAtOnce);
      const puts = await itemsAt(source, some);
      const present = new Set(puts.map((item) => textOf(keyOf(source, item))));
      const deletes = some.filter((key) => !present.has(textOf(key)));
      await writeItems(target, { puts, deletes });
      this.#followedCount += some.length;
      onProgress('followed', this.#followedCount);
    }
  }

  /** Items that an earlier move has left, and that have been deleted from the source since. */
  async #removeExtra(): Promise<void> {
    const { source, target, segments } = this.#options;
    await scanTable(target, segments, async (items) => {
      const keys = items.map((item): Item => keyOf(source, item));
      const there = new Set((await itemsAt(source, keys)).map((item) => textOf(keyOf(source, item))));
      await writeItems(target, { puts: [], deletes: keys.filter((key) => !there.has(textOf(key))) });
    });
  }
}
