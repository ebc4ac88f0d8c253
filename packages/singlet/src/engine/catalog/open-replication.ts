import { assert } from '../../values/assert.ts';
import type { StoreValue } from '../../storage/store.ts';
import { hashOf, restOf, storeKey } from '../layout/spaces.ts';
import { decodeMark } from './item-version.ts';
import type { MemberRecord, ReplicationRecord } from './replication-record.ts';

/** The replication of a table, as item writes see it. Immutable: a change of the global table creates a new table record. */
export class OpenReplication {
  /** The region of this replica. */
  readonly region: string;
  readonly record: ReplicationRecord;

  constructor(region: string, record: ReplicationRecord) {
    this.region = region;
    this.record = record;
  }

  /** This replica. */
  get self(): MemberRecord {
    const self = memberOf(this.record, this.region);
    assert(self !== undefined, 'a replica is a member of its own global table');
    return self;
  }

  /**
   * Whether this replica is the one that deletes an item when it expires. The others receive an ordinary deletion: it is the
   * service's own in one region only. That replica is the one in which the item was last written.
   *
   * @param mark - the value under the item's version key.
   */
  isExpiredHere(mark: StoreValue): boolean {
    const writtenIn = mark === undefined ? '' : decodeMark(mark).version.region;
    if (writtenIn === this.region) return true;
    const present = this.record.members.filter(({ state }) => state === 'active').map(({ regionName }) => regionName);
    // If the item is older than all replicas, or its region no longer has one, the first replica by name deletes it.
    return !present.includes(writtenIn) && present.toSorted()[0] === this.region;
  }

  /** The key of an item's version, which has the item's own hash and sort key. */
  versionKey(itemKey: Uint8Array): Buffer {
    return storeKey(this.record.versionSpace, hashOf(itemKey), restOf(itemKey));
  }

  /** The key of the item to which a version, or a pending change, belongs. */
  static itemKey(itemSpace: number, entryKey: Uint8Array): Buffer {
    return storeKey(itemSpace, hashOf(entryKey), restOf(entryKey));
  }

  /** The key of the entry that marks an item as pending for a region. */
  pendingKey(owedSpace: number, itemKey: Uint8Array): Buffer {
    return storeKey(owedSpace, hashOf(itemKey), restOf(itemKey));
  }
}

export function memberOf({ members }: ReplicationRecord, regionName: string): MemberRecord | undefined {
  return members.find((member) => member.regionName === regionName);
}

/** The other regions that have a replica, or will get one. */
export function otherMembers({ members }: ReplicationRecord, regionName: string): readonly MemberRecord[] {
  return members.filter((member) => member.regionName !== regionName && member.state !== 'gone');
}
