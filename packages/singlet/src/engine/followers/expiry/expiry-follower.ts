import type { FollowedChange, ItemFollower } from '../item-follower.ts';
import type { ExpiryIndex, Table } from '../../catalog/table.ts';
import { expiryChanges } from './expiry-index.ts';

/** Maintains the expiry index of a table, if time to live is enabled or being enabled. */
export function expiryFollower({ expiryIndex }: Table): ItemFollower | undefined {
  return expiryIndex && new ExpiryFollower(expiryIndex);
}

class ExpiryFollower implements ItemFollower {
  readonly keyCount = 0;
  readonly #index: ExpiryIndex;

  constructor(index: ExpiryIndex) {
    this.#index = index;
  }

  follow(change: FollowedChange): void {
    const { key, before, after } = change;
    for (const write of expiryChanges(this.#index, key.storeKey, before, after)) change.write(write);
  }
}
