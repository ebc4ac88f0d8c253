/** How long and how much a cache keeps. */
export interface CacheOptions {
  /** How long an item is served from the cache after it was read or written: 5 minutes by default, as in DAX. */
  readonly itemTtlMs?: number | undefined;
  /** How long the result of a query or scan is served: 5 minutes by default. */
  readonly queryTtlMs?: number | undefined;
  /** The maximum size of the cached items, in bytes of their JSON and keys: 64 MiB by default. The least recently used are evicted first. */
  readonly itemBytesMax?: number | undefined;
  /** The maximum size of the cached results of queries and scans: 64 MiB by default. */
  readonly queryBytesMax?: number | undefined;
  /** A monotonic clock, in milliseconds. */
  readonly nowMs?: (() => number) | undefined;
}

/** The options with their defaults. */
export interface CacheSettings {
  readonly itemTtlMs: number;
  readonly queryTtlMs: number;
  readonly itemBytesMax: number;
  readonly queryBytesMax: number;
  readonly nowMs: () => number;
}

/** @throws {RangeError} for a number that is not positive. */
export function cacheSettingsOf(options: CacheOptions): CacheSettings {
  const fiveMinutesMs = 300_000;
  const bytesMax = 64 * 1024 * 1024;
  return {
    itemTtlMs: positive('itemTtlMs', options.itemTtlMs ?? fiveMinutesMs),
    queryTtlMs: positive('queryTtlMs', options.queryTtlMs ?? fiveMinutesMs),
    itemBytesMax: positive('itemBytesMax', options.itemBytesMax ?? bytesMax),
    queryBytesMax: positive('queryBytesMax', options.queryBytesMax ?? bytesMax),
    nowMs: options.nowMs ?? ((): number => performance.now()),
  };
}

function positive(name: string, value: unknown): number {
  // Callers in JavaScript have no type checker, and a text, as from the environment, would be appended to the time.
  if (typeof value === 'number' && value > 0) return value;
  throw new RangeError(
    `${name} must be a number above zero, not ${typeof value === 'string' ? JSON.stringify(value) : String(value)}.`,
  );
}
