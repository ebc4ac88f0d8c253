/** What a cache has done since it was created. */
export interface CacheFigures {
  /** Items served from the cache, one for each key of a batch. */
  readonly itemHits: number;
  /** Items read from the table. */
  readonly itemMisses: number;
  /** Queries and scans served from the cache, page by page. */
  readonly queryHits: number;
  /** Queries and scans sent to the table. */
  readonly queryMisses: number;
  /** Items in the cache now. */
  readonly itemCount: number;
  /** Their size in bytes. */
  readonly itemBytes: number;
  /** Pages of queries and scans in the cache now. */
  readonly queryCount: number;
  /** Their size in bytes. */
  readonly queryBytes: number;
  /** Entries evicted to free space. */
  readonly evictedCount: number;
}

export class CacheStatistics {
  itemHits = 0;
  itemMisses = 0;
  queryHits = 0;
  queryMisses = 0;

  countItem(isHit: boolean): void {
    if (isHit) this.itemHits += 1;
    else this.itemMisses += 1;
  }

  countQuery(isHit: boolean): void {
    if (isHit) this.queryHits += 1;
    else this.queryMisses += 1;
  }
}
