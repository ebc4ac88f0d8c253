import { LruCache } from './lru-cache.ts';

/** Results of queries and scans by request. They are removed only when they expire or to free space. */
export class QueryCache {
  readonly #entries: LruCache<{ readonly body: string; readonly expiresAtMs: number }>;
  readonly #ttlMs: number;
  readonly #nowMs: () => number;
  readonly #loads = new Map<string, Promise<unknown>>();

  constructor(parts: { readonly bytesMax: number; readonly ttlMs: number; readonly nowMs: () => number }) {
    this.#entries = new LruCache(parts.bytesMax);
    this.#ttlMs = parts.ttlMs;
    this.#nowMs = parts.nowMs;
  }

  get size(): Pick<LruCache<unknown>, 'count' | 'bytes' | 'evictedCount'> {
    return this.#entries;
  }

  get(request: string): string | undefined {
    const entry = this.#entries.get(request);
    if (entry === undefined || entry.expiresAtMs > this.#nowMs()) return entry?.body;
    this.#entries.delete(request);
    return undefined;
  }

  set(request: string, body: string): void {
    this.#entries.set(request, { body, expiresAtMs: this.#nowMs() + this.#ttlMs }, body.length);
  }

  /** An equal request in progress. The caller waits for it and looks again. */
  loading(request: string): Promise<unknown> | undefined {
    return this.#loads.get(request)?.catch(() => undefined);
  }

  /** Sends a request whose result other callers may wait for. */
  async load<Answer>(request: string, read: () => Promise<Answer>): Promise<Answer> {
    const load = read();
    this.#loads.set(request, load);
    try {
      return await load;
    } finally {
      if (this.#loads.get(request) === load) this.#loads.delete(request);
    }
  }

  clear(): void {
    this.#entries.clear();
  }
}
