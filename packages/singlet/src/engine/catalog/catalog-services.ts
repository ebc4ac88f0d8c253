import type { Store } from '../../storage/store.ts';
import type { Limits } from '../../values/limits.ts';
import type { EngineEnvironment } from '../environment.ts';
import type { Catalog } from './catalog.ts';
import type { Table } from './table.ts';

/** Which of the servers over one store are running, as far as this one knows. No clocks are compared to find that out. */
export interface ServersOfStore {
  /** @returns true for a server that was seen lately, for this one, and at first for one that has never been seen. */
  readonly isRunning: (processId: string) => boolean;
}

/** What everything that reads or changes tables receives. Upper layers extend it (`capacity/item-services.ts`, `services.ts`). */
export interface CatalogServices {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly environment: EngineEnvironment;
  readonly limits: Limits;
  /** How long CREATING, UPDATING and DELETING last, in milliseconds. 0: the next request sees the end. */
  readonly lifecycleDelayMs: number;
  /** Called with each table that this process has changed. */
  readonly capacity: { tableChanged(table: Table): void };
  /** The background jobs that run in this process, by key. Other processes may run the same ones at the same time, unless {@link servers} is known. */
  readonly backgroundJobs: Set<string>;
  /** Identifies this process among those that serve the same store. */
  readonly processId: string;
  /** What is known of the servers over the store; absent where processes share a directory, or nothing. */
  readonly servers?: ServersOfStore;
  /** Aborted when the engine closes: background work stops at its next page. */
  readonly closing?: AbortSignal;
}
