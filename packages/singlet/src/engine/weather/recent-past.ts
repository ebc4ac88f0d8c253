/**
 * A store that remembers the former values of its keys for a while, so that reads can be given an earlier state.
 *
 * Every state it shows has existed: all writes up to some moment and none after it. Strong reads and decisions use the store
 * itself. It is used only to expose an application to stale reads.
 */
import { compareBytes } from '../../storage/byte-order.ts';
import type {
  Decision,
  RangeEnd,
  RangeRequest,
  RangeVisitor,
  Store,
  StoreManifest,
  StoreValue,
} from '../../storage/store.ts';
import type { Clock } from '../environment.ts';
import { firstDataSpace } from '../layout/spaces.ts';

/** The value of a key before a write. */
interface Former {
  readonly atMs: number;
  readonly key: Uint8Array;
  readonly value: StoreValue;
}

/** The maximum number of remembered writes. Above it, older states are forgotten early, and reads are fresher than requested. */
const formersMax = 50_000;

export type Reads = Pick<Store, 'read' | 'range'>;

export class RecentPast implements Store {
  readonly manifest: StoreManifest;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #rememberMs: () => number;
  /** In the order of writes. */
  #formers: Former[] = [];

  /** @param rememberMs - returns how long states are kept; called with each write. */
  constructor(store: Store, clock: Clock, rememberMs: () => number) {
    this.manifest = store.manifest;
    this.#store = store;
    this.#clock = clock;
    this.#rememberMs = rememberMs;
  }

  read<T>(keys: readonly Uint8Array[], body: (values: readonly StoreValue[]) => T): T | Promise<T> {
    return this.#store.read(keys, body);
  }

  range(request: RangeRequest, visit: RangeVisitor): RangeEnd | Promise<RangeEnd> {
    return this.#store.range(request, visit);
  }

  async write<T>(keys: readonly Uint8Array[], decide: (values: readonly StoreValue[]) => Decision<T>): Promise<T> {
    if (this.#rememberMs() === 0) return this.#store.write(keys, decide);
    const all = [...keys, ...(await this.#keysWrittenBlindly(keys, decide))];
    let formers: readonly Former[] = [];
    const answer = await this.#store.write(all, (values) => {
      // Only the last run of a decision counts.
      if (formers.length > 0) this.#formers = this.#formers.filter((former) => !formers.includes(former));
      const decision = decide(values.slice(0, keys.length));
      const atMs = this.#clock.nowMs();
      formers = decision.writes.flatMap(({ key }) => {
        const at = isData(key) ? all.findIndex((other) => compareBytes(other, key) === 0) : -1;
        const value = values[at];
        return at < 0 ? [] : [{ atMs, key: Uint8Array.from(key), value: value && Uint8Array.from(value) }];
      });
      this.#formers.push(...formers);
      return decision;
    });
    this.#forget();
    return answer;
  }

  close(): Promise<void> {
    this.#formers = [];
    return this.#store.close();
  }

  /** The state at some moment, as far as it is remembered. */
  at(momentMs: number): Reads {
    const overlay = new Map<string, Former>();
    for (const former of this.#formers) {
      const name = nameOf(former.key);
      // The first write after the moment replaced the value at that moment.
      if (former.atMs > momentMs && !overlay.has(name)) overlay.set(name, former);
    }
    if (overlay.size === 0) return this.#store;
    return {
      read: (keys, body) =>
        this.#store.read(keys, (values) =>
          body(
            values.map((value, at) => {
              const former = overlay.get(nameOf(keys[at] ?? new Uint8Array()));
              return former === undefined ? value : former.value;
            }),
          ),
        ),
      range: (request, visit) => this.#rangeOver(overlay, request, visit),
    };
  }

  /** The current and former entries in one order, each key once. */
  async #rangeOver(
    overlay: ReadonlyMap<string, Former>,
    { from, to, reverse = false, limit, guard }: RangeRequest,
    visit: RangeVisitor,
  ): Promise<RangeEnd> {
    const sign = reverse ? -1 : 1;
    const formers = [...overlay.values()]
      .filter(({ key }) => compareBytes(key, from) >= 0 && compareBytes(key, to) < 0)
      .toSorted((a, b) => sign * compareBytes(a.key, b.key));
    let next = 0;
    let left = limit ?? Infinity;
    let isStopped = false;
    const show = (key: Uint8Array, value: Uint8Array): boolean => {
      left -= 1;
      isStopped = !visit(key, value) || left <= 0;
      return !isStopped;
    };
    const showFormersBefore = (key: Uint8Array | undefined): boolean => {
      for (; next < formers.length; next += 1) {
        const former = formers[next];
        if (former === undefined || (key !== undefined && sign * compareBytes(former.key, key) >= 0)) break;
        if (former.value !== undefined && !show(former.key, former.value)) {
          next += 1;
          return false;
        }
      }
      return true;
    };
    // What the engine stores about tables has no earlier state here, and so neither has a guard.
    await this.#store.range({ from, to, reverse, ...(guard && { guard }) }, (key, value) => {
      if (!showFormersBefore(key)) return false;
      const former = overlay.get(nameOf(key));
      if (former === undefined) return show(key, value);
      next += 1;
      return former.value === undefined || show(key, former.value);
    });
    if (!isStopped) showFormersBefore(undefined);
    return isStopped ? 'stopped' : 'end';
  }

  /** Reads the keys that a decision writes without having read them, because their former values are needed. */
  async #keysWrittenBlindly<T>(
    keys: readonly Uint8Array[],
    decide: (values: readonly StoreValue[]) => Decision<T>,
  ): Promise<readonly Uint8Array[]> {
    const known = new Set(keys.map(nameOf));
    return this.#store.read(keys, (values) => {
      try {
        return decide(values).writes.flatMap(({ key }) => (known.has(nameOf(key)) ? [] : [Uint8Array.from(key)]));
      } catch {
        return []; // it is refused now, and will either be refused again or decide differently
      }
    });
  }

  #forget(): void {
    const oldestMs = this.#clock.nowMs() - this.#rememberMs();
    let count = Math.max(0, this.#formers.length - formersMax);
    while ((this.#formers[count]?.atMs ?? Infinity) < oldestMs) count += 1;
    if (count > 0) this.#formers = this.#formers.slice(count);
  }
}

/** Whether the key is that of an item or index entry; what the engine stores about tables is always read in its current state. */
function isData(key: Uint8Array): boolean {
  return new DataView(key.buffer, key.byteOffset).getUint32(0) >= firstDataSpace;
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1');
}
