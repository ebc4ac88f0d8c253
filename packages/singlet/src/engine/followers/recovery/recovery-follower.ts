import type { StoreValue } from '../../../storage/store.ts';
import type { FollowedChange, ItemFollower } from '../item-follower.ts';
import { storedItemUnder } from '../../layout/item-codec.ts';
import type { Table } from '../../catalog/table.ts';
import { decodeHead, encodeHead, OpenChangeLog } from './recovery-log.ts';

/**
 * Logs the former states of written items, for backups and point-in-time recovery; see `recovery-log.ts`. All changes of a decision
 * are logged at one moment, so that no moment divides a transaction.
 */
export function recoveryFollower({ record: { changeLog } }: Table): ItemFollower | undefined {
  return changeLog && new RecoveryFollower(new OpenChangeLog(changeLog.space));
}

class RecoveryFollower implements ItemFollower {
  /** The head of the item's bucket. */
  readonly keyCount = 1;
  readonly #log: OpenChangeLog;

  constructor(log: OpenChangeLog) {
    this.#log = log;
  }

  keyOf(itemKey: Buffer): Buffer {
    return this.#log.headKeyOf(itemKey);
  }

  momentSeen(head: StoreValue): number {
    return decodeHead(head);
  }

  follow(change: FollowedChange): void {
    const { key, before, after, moment } = change;
    // A change that leaves the stored item equal needs no undoing.
    if (before === undefined ? after === undefined : after?.json.equals(before.json) === true) return;
    const entryKey = this.#log.entryKey(moment, key.storeKey);
    change.write({ key: entryKey, value: before === undefined ? absent : storedItemUnder(before, entryKey) });
    change.replace(0, encodeHead(moment));
  }
}

const absent = new Uint8Array();
