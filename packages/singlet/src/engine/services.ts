import type { Store } from '../storage/store.ts';
import type { ObjectStore } from '../transfer/buckets/bucket.ts';
import type { Limits } from '../values/limits.ts';
import type { EngineEnvironment } from './environment.ts';
import type { Catalog } from './tables/catalog.ts';

/** What every operation is given. */
export interface EngineServices {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly environment: EngineEnvironment;
  readonly limits: Limits;
  /** How long CREATING, UPDATING and DELETING last, in milliseconds. 0: the next request sees the end. */
  readonly lifecycleDelayMs: number;
  /** Which background jobs run in this process, by key. Others may run the same ones at the same time. */
  readonly backgroundJobs: Set<string>;
  /** Where exports go and imports come from; undefined when this database has no buckets. */
  readonly objects?: ObjectStore | undefined;
  /** Aborted when the engine closes: background work stops at its next page. */
  readonly closing?: AbortSignal;
}
