import { partitionPrefixBytes } from '../store.ts';

/**
 * The memtable's entry for a key. There may be a hundred thousand, and the garbage collector moves each of them twice before it leaves it
 * alone. So an entry is one small object, and makes views of its bytes only when they are read.
 */
export class MemtableEntry {
  readonly name: string;
  /** The group that makes it durable. */
  readonly group: number;
  /** The entry it replaced, if that is not in LMDB either. */
  readonly before: MemtableEntry | undefined;
  /** The memory that holds the value; undefined where the key was removed. */
  readonly #bytes: Buffer | undefined;
  readonly #start: number;
  readonly #end: number;

  constructor(name: string, value: EntryValue | undefined, group: number, before: MemtableEntry | undefined) {
    this.name = name;
    this.group = group;
    this.before = before;
    this.#bytes = value?.bytes;
    this.#start = value?.start ?? 0;
    this.#end = value?.end ?? 0;
  }

  get key(): Buffer {
    return Buffer.from(this.name, 'latin1');
  }

  /** Undefined where the key was removed. */
  get value(): Uint8Array | undefined {
    return this.#bytes?.subarray(this.#start, this.#end);
  }

  /** Length of the value; 0 where the key was removed. */
  get valueBytes(): number {
    return this.#end - this.#start;
  }

  withoutPast(): MemtableEntry {
    const value = this.#bytes && { bytes: this.#bytes, start: this.#start, end: this.#end };
    return new MemtableEntry(this.name, value, this.group, undefined);
  }
}

/** Where a value is in memory. */
export interface EntryValue {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** A key as a string of its bytes, for use as a map key. */
export function nameOf(key: Uint8Array): string {
  return latin1Slice.call(key, 0, key.length);
}

const { latin1Slice } = Buffer.prototype as unknown as {
  readonly latin1Slice: (this: Uint8Array, start: number, end: number) => string;
};

/**
 * Entries by key, found one by one, or in order.
 *
 * The order is computed only for the parts that are read in order, and then kept: by partition, since most ranges are within one.
 */
export class MemtableEntries {
  readonly #entries = new Map<string, MemtableEntry>();
  readonly #spaces = new Set<number>();
  /** Names that the partitions below do not have yet, by their space. They are sorted only when an order is requested. */
  readonly #unordered = new Map<number, string[]>();
  readonly #partitions = new Map<string, SortedNames>();
  readonly #partitionNames = new SortedNames();

  get size(): number {
    return this.#entries.size;
  }

  get(name: string): MemtableEntry | undefined {
    return this.#entries.get(name);
  }

  /** Whether the space of a key has ever had an entry. */
  hasSpace(space: number): boolean {
    return this.#spaces.has(space);
  }

  /** @param isNew - whether the key has no entry yet. */
  set(entry: MemtableEntry, isNew: boolean = !this.#entries.has(entry.name)): void {
    this.#entries.set(entry.name, entry);
    if (!isNew) return;
    const space = spaceOf(entry.name);
    this.#spaces.add(space);
    const names = this.#unordered.get(space);
    if (names === undefined) this.#unordered.set(space, [entry.name]);
    else names.push(entry.name);
  }

  /** Removes an entry. Its key keeps its place in the order and is skipped there. */
  delete(name: string): void {
    this.#entries.delete(name);
  }

  /** All entries by key. */
  sorted(): MemtableEntry[] {
    const names = Array.from(this.#entries.keys()).sort();
    return names.map((name) => this.#entries.get(name) as MemtableEntry); // all of them are there
  }

  /** The names of the keys from `from` (inclusive) to `to` (exclusive), ascending or descending. */
  *namesIn(from: Uint8Array, to: Uint8Array, reverse: boolean): Generator<string> {
    if (this.#entries.size === 0) return;
    const first = nameOf(from);
    const end = nameOf(to);
    this.#order(spaceOf(first), spaceOf(end));
    const firstPartition = first.slice(0, partitionPrefixBytes);
    const lastPartition = end.slice(0, partitionPrefixBytes);
    if (firstPartition === lastPartition && firstPartition.length === partitionPrefixBytes) {
      const partition = this.#partitions.get(firstPartition);
      if (partition !== undefined) yield* partition.between(first, end, reverse);
      return;
    }
    for (const name of this.#partitionNames.between(firstPartition, `${lastPartition}\u0000`, reverse)) {
      yield* (this.#partitions.get(name) as SortedNames).between(first, end, reverse); // every name is that of a partition
    }
  }

  #order(firstSpace: number, lastSpace: number): void {
    for (const [space, names] of this.#unordered) {
      if (space < firstSpace || space > lastSpace) continue;
      this.#unordered.delete(space);
      for (const name of names) this.#place(name);
    }
  }

  #place(name: string): void {
    const partitionName = name.slice(0, partitionPrefixBytes);
    let partition = this.#partitions.get(partitionName);
    if (partition === undefined) {
      partition = new SortedNames();
      this.#partitions.set(partitionName, partition);
      this.#partitionNames.add(partitionName);
    }
    partition.add(name);
  }
}

/** The first four bytes of a key as a number. A key has at least that many. */
export function spaceOfKey(key: Uint8Array): number {
  const [a, b, c, d] = [key[0], key[1], key[2], key[3]] as [number, number, number, number];
  return a * 2 ** 24 + ((b << 16) | (c << 8) | d);
}

/** The first four bytes of a name as a number. A shorter name is padded with zeros. */
function spaceOf(name: string): number {
  let space = 0;
  for (let at = 0; at < 4; at += 1) space = space * 256 + (at < name.length ? name.charCodeAt(at) : 0);
  return space;
}

/** Up to this many new names are inserted one by one; with more, all are sorted. */
const placedNamesMax = 64;

/** Names in order, each once. Strings of bytes sort as the bytes do. */
class SortedNames {
  #sorted: string[] = [];
  /** Names without a place yet: the order is needed only when it is requested. */
  #added: string[] = [];

  add(name: string): void {
    this.#added.push(name);
  }

  *between(first: string, end: string, reverse: boolean): Generator<string> {
    const names = this.#inOrder();
    const low = firstNotBelow(names, first);
    const high = firstNotBelow(names, end);
    for (let step = 0; step < high - low; step += 1) {
      yield names[reverse ? high - 1 - step : low + step] as string; // between the bounds
    }
  }

  #inOrder(): readonly string[] {
    if (this.#added.length > placedNamesMax) {
      this.#sorted = Array.from(new Set([...this.#sorted, ...this.#added])).sort();
    } else {
      for (const name of this.#added) {
        const at = firstNotBelow(this.#sorted, name);
        // A name that was deleted and added again still has its place.
        if (this.#sorted[at] !== name) this.#sorted.splice(at, 0, name);
      }
    }
    this.#added = [];
    return this.#sorted;
  }
}

function firstNotBelow(names: readonly string[], bound: string): number {
  let low = 0;
  let high = names.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((names[middle] as string) < bound)
      low = middle + 1; // between the bounds
    else high = middle;
  }
  return low;
}
