import { recoveryFollower } from './recovery/recovery-follower.ts';
import { indexFollower } from './indexes/index-follower.ts';
import { destinationFollower } from './kinesis/destination-follower.ts';
import { versionFollower } from './replication/version-follower.ts';
import { streamFollower } from './streams/stream-follower.ts';
import type { Table } from '../catalog/table.ts';
import { expiryFollower } from './expiry/expiry-follower.ts';
import { vectorFollower } from './vectors/vector-follower.ts';
import { collectionSizeFollower } from './collection-size-follower.ts';
import type { ItemFollower } from './item-follower.ts';
import { statisticsFollower } from './statistics-follower.ts';

/**
 * Every kind of follower, in the order in which they run. Each creates a follower for a table that has
 * the feature, and none for others, so that their writes pay nothing for it.
 */
const makers: readonly ((table: Table) => ItemFollower | undefined)[] = [
  indexFollower, // before the followers that count its changes
  versionFollower,
  collectionSizeFollower,
  statisticsFollower,
  vectorFollower,
  expiryFollower,
  recoveryFollower,
  streamFollower,
  destinationFollower,
];

/** The followers of a table. */
export interface Followers {
  readonly all: readonly ItemFollower[];
  /** The followers that check the result of an update. */
  readonly checking: readonly ItemFollower[];
  /** The followers whose keys depend on the item's present state. */
  readonly lookingAhead: readonly ItemFollower[];
}

/** The followers of a table, created when it is first written to. */
export function followersOf(table: Table): Followers {
  return table.derived(compile);
}

function compile(table: Table): Followers {
  const all = makers.flatMap((make) => make(table) ?? []);
  return {
    all,
    checking: all.filter((follower) => 'checkUpdated' in follower),
    lookingAhead: all.filter((follower) => 'keysOfItem' in follower),
  };
}
