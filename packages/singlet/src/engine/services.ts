import type { ObjectStore } from '../transfer/buckets/bucket.ts';
import type { LeaseGrant } from './background/lease.ts';
import type { ItemServices } from './capacity/item-services.ts';
import type { ReplicaLink } from './replication/replica-message.ts';
import type { ChangeSink } from './kinesis/change-sink.ts';
import type { VectorGraphs } from './vectors/vector-graphs.ts';

/** What every operation receives. */
export interface EngineServices extends ItemServices {
  /** The regions that other servers serve, and how to reach them. All other regions are served here. */
  readonly replicaLinks?: ReadonlyMap<string, ReplicaLink>;
  /** The replication leases of this process, by item space of the table. They are released when the engine closes. */
  readonly replicationLeases: Map<number, LeaseGrant>;
  /** The approximate vector indexes that this process holds. */
  readonly vectorGraphs: VectorGraphs;
  /** Where the changes of tables with a Kinesis streaming destination are sent. Without it, no table can have one. */
  readonly changeSink?: ChangeSink;
  /** Where exports go and imports come from; undefined when this database has no buckets. */
  readonly objects?: ObjectStore | undefined;
}
