import { assert } from '../../values/assert.ts';
import type { Limits } from '../../values/limits.ts';
import { ValidationException } from '../../values/service-error.ts';
import { decisionUnitsMax, evaluationTooExpensive, evaluationUnits } from '../../values/work-units.ts';
import type { Condition } from '../../expressions/index.ts';
import type { AttributeSource } from '../../expressions/document-path.ts';
import type { StoreValue, StoreWrite } from '../../storage/store.ts';
import type { FollowedChange, ItemFollower, ReplicatedFrom } from '../followers/item-follower.ts';
import type { IndexChange } from '../followers/indexes/index-changes.ts';
import { StaleTableError } from '../catalog/catalog.ts';
import type { EncodedItem } from '../layout/item-codec.ts';
import type { ItemKey } from '../catalog/item-key.ts';
import type { ItemWrite } from '../followers/item-write.ts';
import type { StoredItem } from '../layout/stored-item.ts';

/** The state that all writes of one decision share. */
interface DecisionInput {
  /** The keys that were read, and in `values` the values under them. */
  readonly keys: readonly Buffer[];
  readonly values: readonly StoreValue[];
  /** Places of further keys, by name. */
  readonly lookedAhead: ReadonlyMap<string, number> | undefined;
  /** Whether several writes may need one key. */
  readonly isShared: boolean;
  readonly limits: Limits;
  readonly nowMs: number;
  readonly moment: number;
}

/** The pending writes of one run of a decision. */
export class WriteDraft {
  readonly input: DecisionInput;
  readonly writes: StoreWrite[] = [];
  /** The new values of keys that were read, by their places. A single write shares no keys, and records its writes at once. */
  readonly #replaced: Map<number, Buffer | undefined> | undefined;
  #evaluationUnits = 0;

  constructor(input: DecisionInput) {
    this.input = input;
    this.#replaced = input.isShared ? new Map() : undefined;
  }

  /**
   * Whether a condition holds. A decision cannot be split into turns, so all of its conditions have a common limit.
   *
   * @throws {ValidationException} when all conditions together, or a single one of them, exceed their limit.
   */
  holds(condition: Condition, item: AttributeSource): boolean {
    if (this.#evaluationUnits > decisionUnitsMax) throw new ValidationException(evaluationTooExpensive);
    const holds = condition.evaluate(item);
    this.#evaluationUnits += evaluationUnits();
    return holds;
  }

  read(at: number): StoreValue {
    return this.#replaced?.has(at) === true ? this.#replaced.get(at) : this.input.values[at];
  }

  replace(at: number, value: Buffer | undefined): void {
    if (this.#replaced === undefined) this.writes.push({ key: this.input.keys[at] as Buffer, value });
    else this.#replaced.set(at, value);
  }

  /** All writes of the decision. */
  finish(): StoreWrite[] {
    if (this.#replaced !== undefined) {
      for (const [at, value] of this.#replaced) this.writes.push({ key: this.input.keys[at] as Buffer, value });
    }
    return this.writes;
  }
}

/** The change of one item during a decision. */
export class DecidedChange implements FollowedChange {
  readonly key: ItemKey;
  readonly before: StoredItem | undefined;
  readonly after: EncodedItem | undefined;
  /** The larger of the two sizes, bytes. */
  readonly sizeBytes: number;
  indexChanges: readonly IndexChange[] = noChanges;
  collectionSizeBytes: number | undefined = undefined;
  meteredSizeBytes: number;
  readonly #draft: WriteDraft;
  readonly #places: readonly number[];
  readonly #write: ItemWrite;
  /** Where the places of the present follower begin, and how many it has. */
  #firstPlace = 0;
  #placeCount = 0;

  constructor(
    draft: WriteDraft,
    places: readonly number[],
    write: ItemWrite,
    { before, after }: Pick<FollowedChange, 'before' | 'after'>,
  ) {
    this.#draft = draft;
    this.#places = places;
    this.#write = write;
    this.key = write.key;
    this.before = before;
    this.after = after;
    this.sizeBytes = Math.max(before?.sizeBytes ?? 0, after?.sizeBytes ?? 0);
    this.meteredSizeBytes = this.sizeBytes;
  }

  /** Runs each follower. */
  follow(followers: readonly ItemFollower[]): void {
    for (const follower of followers) {
      this.#placeCount = follower.keyCount;
      follower.follow(this);
      this.#firstPlace += follower.keyCount;
    }
  }

  get nowMs(): number {
    return this.#draft.input.nowMs;
  }

  get moment(): number {
    return this.#draft.input.moment;
  }

  get limits(): Limits {
    return this.#draft.input.limits;
  }

  get byService(): boolean {
    return this.#write.userIdentity !== undefined;
  }

  get replicatedFrom(): ReplicatedFrom | undefined {
    return this.#write.replicatedFrom;
  }

  read(n: number): StoreValue {
    return this.#draft.read(this.#placeOf(n));
  }

  replace(n: number, value: Buffer | undefined): void {
    this.#draft.replace(this.#placeOf(n), value);
  }

  lookUp(key: Buffer): StoreValue {
    const { lookedAhead, values } = this.#draft.input;
    const at = lookedAhead?.get(key.toString('latin1'));
    if (at === undefined) throw new StaleTableError(this.#write.table);
    return values[at];
  }

  write(write: StoreWrite): void {
    this.#draft.writes.push(write);
  }

  #placeOf(n: number): number {
    assert(n < this.#placeCount, 'a follower reads its own keys');
    return this.#places[this.#firstPlace + n] as number; // planned with the same followers
  }
}

const noChanges: readonly IndexChange[] = [];
