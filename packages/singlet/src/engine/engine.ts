import type { EngineActions } from './actions/action.ts';
import type { Awaitable } from '../values/awaitable.ts';
import type { RequestContext } from './environment.ts';
import type { TableAccessFacts } from './operations/access-facts.ts';
import type { ScrubReport } from './doctor/scrub-report.ts';
import type { AutoScaling } from './scaling/auto-scaling.ts';
import type { EngineInspection } from './inspection/inspection.ts';
import type { CapacityReport } from './operations/capacity-report.ts';
import type { ConsumptionNote } from './capacity/shared-consumption.ts';
import type { ThrottlingReport } from './operations/throttling-report.ts';
import type { ContributorInsightsReport } from './operations/contributor-insights-report.ts';
import type { ReplicaAnswer, ReplicaMessage } from './replication/replica-message.ts';
import type { ReplicationRound, ReplicationRoute } from './replication/replicate.ts';
import type { ReplicaLag } from './replication/replication-report.ts';

/**
 * The database without a network protocol: one method per API action, typed by its implementation (`actions/action-table.ts`).
 * Every method throws only `DynamoError`s for what the service documents; anything else is a storage failure or a bug. The
 * methods called most often answer, or throw, synchronously if they can.
 */
export interface Engine extends EngineActions {
  /**
   * Not an action of the API: the consumption and throughput of a table and its global indexes, as a whole and by partition.
   *
   * @throws {ResourceNotFoundException}
   */
  capacityReport(request: { readonly tableName: string }, context: RequestContext): Promise<CapacityReport>;
  /**
   * Not an action of the API: the most accessed and most throttled keys of a table or global index.
   *
   * @throws {ResourceNotFoundException}
   */
  contributorInsightsReport(
    request: { readonly tableName: string; readonly indexName?: string | undefined },
    context: RequestContext,
  ): Promise<ContributorInsightsReport>;
  /** Not an action of the API: what has been throttled, or would have been, since this process began. */
  throttlingReport(context: RequestContext): Promise<ThrottlingReport>;
  /**
   * Not an action of the API: what this process has consumed since the last call, for other processes that serve the same data.
   * Empty unless the engine was opened with `isShared`.
   */
  takeConsumption(): readonly ConsumptionNote[];
  /** Not an action of the API: adds what {@link takeConsumption} returned in another process. */
  addConsumption(notes: readonly ConsumptionNote[]): Promise<void>;
  /**
   * Not an action of the API: the present facts about a table that policies may need; undefined without a table. Synchronous if possible.
   */
  tableAccessFacts(tableName: string, context: RequestContext): Awaitable<TableAccessFacts | undefined>;
  /** Not an action of the API: the resource policy of a stream; undefined when the stream has none or does not exist. */
  streamPolicy(streamArn: string, context: RequestContext): Promise<string | undefined>;
  /**
   * Not an action of the API: begins the engine's background work, if the engine was opened without it or has not begun it yet:
   * finishing unfinished work, deleting expired items, trimming streams and recovery logs, replicating, and delivering changes.
   * If the work has begun, the engine looks again for work that another engine has left unfinished.
   */
  beginBackgroundWork(): Promise<void>;
  /**
   * Not an action of the API: removes every item that has expired by now, in all tables of all accounts.
   *
   * @returns how many items this call has removed.
   */
  sweepExpiredItems(): Promise<number>;
  /**
   * Not an action of the API: sends, once, what is now pending for other regions, and does the other pending work of global
   * tables. Writes made meanwhile, and anything they make pending, are left to the next call.
   *
   * @param route - limits the call to some tables, to a source region, or to a target region.
   * @returns how many items were sent, and whether nothing was left to do.
   */
  replicate(route?: ReplicationRoute): Promise<ReplicationRound>;
  /** Not an action of the API: what is pending for other regions, by table and region. */
  replicationReport(): Promise<readonly ReplicaLag[]>;
  /** Not an action of the API: answers a message from a replica on another server. */
  receiveReplicaMessage(message: ReplicaMessage): Promise<ReplicaAnswer>;
  /**
   * Not an action of the API: begins to check all stored data, unless a check is running. Requests are served meanwhile.
   *
   * @param bytesPerSecond - the pace at which values are read.
   */
  scrub(bytesPerSecond: number): Promise<void>;
  /** Not an action of the API: the findings of the running check or the last one; undefined before the first in this process. */
  scrubReport(): ScrubReport | undefined;
  /** Not an action of this API but of Application Auto Scaling: scalable targets and their policies. Loaded by the first call. */
  autoScaling(): Promise<AutoScaling>;
  /**
   * Not an action of the API: lets the alarms of all scaling policies evaluate the last minute, and changes throughput accordingly.
   *
   * @returns how many throughputs this call has changed.
   */
  scaleThroughput(): Promise<number>;
  /** Not an action of the API: reports for people and their tools. Loaded by the first call. */
  inspection(): Promise<EngineInspection>;
  /** Stops background work and waits for what is running. Does not close the store. */
  close(): Promise<void>;
}
