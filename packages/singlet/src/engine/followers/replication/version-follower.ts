import type { FollowedChange, ItemFollower } from '../item-follower.ts';
import type { Table } from '../../catalog/table.ts';
import type { OpenReplication } from '../../catalog/open-replication.ts';
import { replicatedWrites } from './replicated-write.ts';

/** Maintains the versions of items in a table with replicas, and marks items as pending for each other region. */
export function versionFollower({ replication }: Table): ItemFollower | undefined {
  return replication && new VersionFollower(replication);
}

class VersionFollower implements ItemFollower {
  readonly keyCount = 1;
  readonly #replication: OpenReplication;

  constructor(replication: OpenReplication) {
    this.#replication = replication;
  }

  keyOf(itemKey: Buffer): Buffer {
    return this.#replication.versionKey(itemKey);
  }

  follow(change: FollowedChange): void {
    const { key, before, after, nowMs, replicatedFrom } = change;
    const presence = { wasThere: before !== undefined, isThere: after !== undefined, nowMs };
    for (const write of replicatedWrites(this.#replication, key, change.read(0), presence, replicatedFrom)) {
      change.write(write);
    }
  }
}
