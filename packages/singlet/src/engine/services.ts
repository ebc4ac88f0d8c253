import type { Store } from '../storage/store.ts';
import type { Limits } from '../values/limits.ts';
import type { EngineEnvironment } from './environment.ts';
import type { ChangeSink } from './kinesis/change-sink.ts';
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
  /** Where the changes of tables with a Kinesis streaming destination go. Without it no table can have one. */
  readonly changeSink?: ChangeSink;
  /** Aborted when the engine closes: background work stops at its next page. */
  readonly closing?: AbortSignal;
}
