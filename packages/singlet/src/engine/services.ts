import type { Store } from '../storage/store.ts';
import type { ObjectStore } from '../transfer/buckets/bucket.ts';
import type { Limits } from '../values/limits.ts';
import type { CapacityModel } from './capacity/capacity-model.ts';
import type { EngineEnvironment } from './environment.ts';
import type { ReplicaLink } from './replication/replica-message.ts';
import type { ChangeSink } from './kinesis/change-sink.ts';
import type { Catalog } from './tables/catalog.ts';
import type { VectorGraphs } from './vectors/vector-graphs.ts';

/** What every operation is given. */
export interface EngineServices {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly environment: EngineEnvironment;
  readonly limits: Limits;
  /** What tables consume, and whether they are throttled. */
  readonly capacity: CapacityModel;
  /** How long CREATING, UPDATING and DELETING last, in milliseconds. 0: the next request sees the end. */
  readonly lifecycleDelayMs: number;
  /** Which background jobs run in this process, by key. Others may run the same ones at the same time. */
  readonly backgroundJobs: Set<string>;
  /** The regions that other servers have, and how these are reached. All others are here. */
  readonly replicaLinks?: ReadonlyMap<string, ReplicaLink>;
  /** Tells this process from others that serve the same store. */
  readonly processId: string;
  /** Tables whose replication lease this process has taken, by item space: given back when the engine closes. */
  readonly replicationLeases: Set<number>;
  /** The approximate vector indexes that this process holds. */
  readonly vectorGraphs: VectorGraphs;
  /** Where the changes of tables with a Kinesis streaming destination go. Without it no table can have one. */
  readonly changeSink?: ChangeSink;
  /** Where exports go and imports come from; undefined when this database has no buckets. */
  readonly objects?: ObjectStore | undefined;
  /** Aborted when the engine closes: background work stops at its next page. */
  readonly closing?: AbortSignal;
}
