import type { StoreValue } from '../../../storage/store.ts';
import type { FollowedChange, ItemFollower } from '../item-follower.ts';
import { storedItemUnder } from '../../layout/item-codec.ts';
import type { Table } from '../../catalog/table.ts';
import { decodeHead, encodeHead, OpenChangeLog } from './recovery-log.ts';

/**
 * Keeps what item writes replace, for backups and point-in-time recovery; see `change-log.ts`. All that a decision replaces is
 * logged at one moment, so that no moment divides a transaction.
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
    // Of a change that leaves the item as it is stored, there is nothing to undo.
    if (before === undefined ? after === undefined : after?.json.equals(before.json) === true) return;
    const entryKey = this.#log.entryKey(moment, key.storeKey);
    change.write({ key: entryKey, value: before === undefined ? absent : storedItemUnder(before, entryKey) });
    change.replace(0, encodeHead(moment));
  }
}

const absent = new Uint8Array();
