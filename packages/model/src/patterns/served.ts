import type { TimeUnit } from '../keys/encoders.ts';

/** The operations of the service that a pattern may use. */
export type OperationName =
  'GetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'BatchGetItem' | 'BatchWriteItem' | 'TransactWriteItems';

/** A read of one item collection, or of several that are merged in order. */
export interface QueryServed<Place extends string = string> {
  /** The table or index. Two indexes are both queried and their results merged. */
  readonly query: Place | readonly [Place, Place];
  /** Number of partitions queried in parallel if the key is sharded. Stating it confirms that the cost is known. */
  readonly fanOut?: number;
  /** Partitions of one unit of time each, walked in the order of the pattern, through its window. */
  readonly walk?: TimeWalk;
  /** Items read per request when a filter follows; reading continues until the page is full. */
  readonly readAhead?: number;
}

/** A walk over partitions that hold one unit of time each. */
export interface TimeWalk {
  /** The unit of time that each partition covers. */
  readonly unit: TimeUnit;
  /** Maximum partitions read for one page. */
  readonly most: number;
}

/** A read of a whole index or table, with the reason. */
export interface ScanServed<Place extends string = string> {
  /** The table or index that is read. */
  readonly scan: Place;
  /** Why reading all of it is justified; shown in documents and findings. */
  readonly because: string;
}

/** How a pattern is served: one operation, several in series, a query or a scan. */
export type Served<Place extends string = string> =
  OperationName | readonly OperationName[] | QueryServed<Place> | ScanServed<Place>;
