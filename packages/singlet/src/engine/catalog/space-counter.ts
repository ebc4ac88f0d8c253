import { assert } from '../../values/assert.ts';
import type { StoreValue, StoreWrite } from '../../storage/store.ts';
import { checkedHeaderBytes, SealedKind } from '../layout/sealed-value.ts';
import { firstDataSpace, space, storeKey } from '../layout/spaces.ts';

const counters = new SealedKind('The number of the next space');
const olderBytes = 4;

export const spaceCounterKey: Buffer = storeKey(space.counters);

/** Allocates space ids within one decision. */
export class SpaceCounter {
  readonly #first: number;
  #next: number;

  /** @param value - the value read under {@link spaceCounterKey}. */
  constructor(value: StoreValue) {
    this.#first =
      value === undefined
        ? firstDataSpace
        : counters.open(value, (older) => older.length === olderBytes, 0).getUint32(0);
    assert(this.#first >= firstDataSpace, 'a space id of the internal lists is never handed out');
    this.#next = this.#first;
  }

  next(): number {
    const id = this.#next++;
    assert(id < 0xffff_ffff, 'there are space ids left');
    return id;
  }

  /** The write that the decision must make so that no id is allocated twice. */
  get writes(): readonly StoreWrite[] {
    if (this.#next === this.#first) return [];
    const value = counters.allocate(4);
    value.writeUInt32BE(this.#next, checkedHeaderBytes);
    return [{ key: spaceCounterKey, value: counters.seal(value) }];
  }
}
