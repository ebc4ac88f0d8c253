import type { StoreValue, StoreWrite } from '../../storage/store.ts';
import { decodeHead, headWrite, type OpenChangeLog } from './change-log.ts';
import { firstMomentOf } from './moment.ts';

/** What one decision adds to the change logs of its tables: all of it at one moment. */
export class LoggedChanges {
  readonly #moment: number;
  /** The logs' own head keys: one object for each bucket. */
  readonly #touched = new Set<Buffer>();

  /**
   * @param nowMs - a time that was taken before the decision: it may run again.
   * @param heads - the heads of all buckets that the decision may add to. What is added comes after each of them.
   */
  constructor(nowMs: number, heads: readonly StoreValue[]) {
    let moment = firstMomentOf(nowMs);
    for (const head of heads) moment = Math.max(moment, decodeHead(head) + 1);
    this.#moment = moment;
  }

  /**
   * The entry of a change; none when nothing changes.
   *
   * @param before - the item as it is stored, and `after`, as it will be.
   */
  record(log: OpenChangeLog, itemKey: Buffer, before: StoreValue, after: Buffer | undefined): readonly StoreWrite[] {
    if (before === undefined ? after === undefined : after?.equals(before) === true) return [];
    this.#touched.add(log.headKeyOf(itemKey));
    return [{ key: log.entryKey(this.#moment, itemKey), value: before ?? absent }];
  }

  /** The heads of the buckets that were added to. */
  get headWrites(): readonly StoreWrite[] {
    return Array.from(this.#touched, (key) => headWrite(key, this.#moment));
  }
}

const absent = new Uint8Array();
