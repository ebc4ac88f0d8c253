/** A map bounded by the bytes of its entries. The least recently used entries are evicted. */
export class LruCache<Value> {
  readonly #bytesMax: number;
  /** A Map keeps the order of insertion, so an entry is inserted again when it is used. */
  readonly #entries = new Map<string, { readonly value: Value; readonly bytes: number }>();
  #bytes = 0;
  #evictedCount = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get count(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get evictedCount(): number {
    return this.#evictedCount;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** @param bytes - of the value; the size of the key is added here. An entry larger than the bound is not stored. */
  set(key: string, value: Value, bytes: number): void {
    this.delete(key);
    const entryBytes = bytes + key.length;
    if (entryBytes > this.#bytesMax) return;
    this.#entries.set(key, { value, bytes: entryBytes });
    this.#bytes += entryBytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#bytesMax) break;
      this.delete(oldest);
      this.#evictedCount += 1;
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }

  /** The keys, the least recently used first. */
  keys(): IterableIterator<string> {
    return this.#entries.keys();
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }
}
