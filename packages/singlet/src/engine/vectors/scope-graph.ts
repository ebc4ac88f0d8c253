import { assert } from '../../values/assert.ts';
import type { Store } from '../../storage/store.ts';
import { justAfter } from '../items/key-range.ts';
import type { VectorIndex } from '../catalog/table.ts';
import { VectorEntryReader } from '../followers/vectors/vector-entry.ts';
import type { VectorGraph } from './vector-graph.ts';
import { readJournal, readJournalHeads } from '../followers/vectors/vector-journal.ts';
import type { VectorScope } from './vector-query.ts';

/** Changed entries that are applied before yielding to other requests. */
const entriesPerTurn = 16;

/** The memory of an entry besides its numbers: its key twice, its places in maps, its links in the graph. Measured, roughly. */
const overheadBytesPerEntry = 700;

/** Bytes that the graph keeps of each number. */
const graphElementBytes = 2;

export interface GraphChanges {
  /** The position in the journal. */
  readonly heads: readonly number[];
  /** Store keys of entries of the scope. */
  readonly keys: readonly Buffer[];
}

/**
 * An approximate graph over the entries of a scope, and its position in the index's journal.
 *
 * The store is authoritative. A graph is built from it, and updated by reading the entries that the journal names. It
 * may contain entries that are gone, or vectors that have changed since: a search reads the entries that it finds.
 */
export class ScopeGraph {
  readonly #index: VectorIndex;
  readonly #scope: VectorScope;
  readonly #graph: VectorGraph;
  readonly #reader: VectorEntryReader;
  readonly #ids = new Map<string, number>();
  readonly #keys = new Map<number, Buffer>();
  #nextId = 0;
  #heads: readonly number[];
  /** While the graph is being built: the first key that has not been read. */
  #builtUntil: Buffer | undefined;

  /** @param heads - of the journal, read before any entry is. */
  constructor(parts: {
    readonly index: VectorIndex;
    readonly scope: VectorScope;
    readonly graph: VectorGraph;
    readonly heads: readonly number[];
  }) {
    this.#index = parts.index;
    this.#scope = parts.scope;
    this.#graph = parts.graph;
    this.#heads = parts.heads;
    this.#builtUntil = parts.scope.range.from;
    this.#reader = new VectorEntryReader(parts.index);
  }

  /** How many entries in the graph are deleted or outdated. */
  get staleCount(): number {
    return this.#nextId - this.entryCount;
  }

  get entryCount(): number {
    return this.#keys.size;
  }

  /** Estimated memory, in bytes. */
  get sizeBytes(): number {
    return this.#nextId * (overheadBytesPerEntry + graphElementBytes * this.#index.vector.dimensions);
  }

  /**
   * Adds the next range of entries, following those added so far.
   *
   * @returns whether the end of the scope was reached: then the graph is complete.
   */
  async build(store: Store, entryCount: number): Promise<boolean> {
    const { to } = this.#scope.range;
    const from = this.#builtUntil ?? to;
    let last: Buffer | undefined;
    const end = await store.range({ from, to, limit: entryCount }, (key, value) => {
      last = Buffer.from(key);
      this.#put(last, value);
      return true;
    });
    this.#builtUntil = end === 'end' || last === undefined ? undefined : justAfter(last);
    return this.#builtUntil === undefined;
  }

  /** The entries that have changed since the graph last caught up; undefined if the journal no longer has all of them. */
  async changes(store: Store): Promise<GraphChanges | undefined> {
    const heads = await readJournalHeads(store, this.#index);
    const keys = await readJournal(store, this.#index, this.#heads, heads);
    return keys && { heads, keys: keys.filter((key) => this.#isInScope(key)) };
  }

  /**
   * Applies the changes made up to now. At most one call may run at a time.
   *
   * @param turn - yields to other requests.
   * @returns false if the journal no longer has all changes: the graph is unusable.
   */
  async catchUp(store: Store, turn: () => Promise<void>): Promise<boolean> {
    const changes = await this.changes(store);
    if (changes === undefined) return false;
    const { heads, keys } = changes;
    for (let at = 0; at < keys.length; at += entriesPerTurn) {
      if (at > 0) await turn();
      const some = keys.slice(at, at + entriesPerTurn);
      await store.read(some, (values) => some.forEach((key, place) => this.#put(key, values[place])));
    }
    this.#heads = heads;
    return true;
  }

  /** The store keys of up to `count` entries that are roughly the closest. */
  search(vector: Float32Array, count: number): readonly Buffer[] {
    if (this.entryCount === 0) return [];
    const wanted = Math.ceil((count * this.#nextId) / this.entryCount);
    const found = this.#graph.search(vector, wanted).flatMap((id) => this.#keys.get(id) ?? []);
    return found.slice(0, count);
  }

  /** Applies the present state of an entry: deleted, or with this value. */
  #put(key: Buffer, value: Uint8Array | undefined): void {
    const name = key.toString('latin1');
    const present = this.#ids.get(name);
    if (present !== undefined) {
      this.#ids.delete(name);
      this.#keys.delete(present);
    }
    if (value === undefined) return;
    const id = this.#nextId++;
    this.#graph.add(id, this.#reader.vectorOf(key, value));
    this.#ids.set(name, id);
    this.#keys.set(id, key);
    assert(this.#ids.size === this.#keys.size, 'every entry has one id');
  }

  #isInScope(key: Buffer): boolean {
    const { from, to } = this.#scope.range;
    // The part that is not built yet will be read in its present state later.
    return key.compare(from) >= 0 && key.compare(this.#builtUntil ?? to) < 0;
  }
}
