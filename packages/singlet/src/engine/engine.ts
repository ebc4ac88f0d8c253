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
 * The database without a wire: one method per API action, typed by its implementation (`actions/action-table.ts`). Every method
 * throws only `DynamoError`s for what the service documents; anything else is a storage failure or a bug. Those that are called
 * most answer, or throw, at once if they can.
 */
export interface Engine extends EngineActions {
  /**
   * Not an action of the API: what a table and its global indexes consume and may consume, as a whole and by partition.
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
  /** Not an action of the API: what was throttled since this process began, or would have been. */
  throttlingReport(context: RequestContext): Promise<ThrottlingReport>;
  /**
   * Not an action of the API: what was consumed in this process since the last call, for other processes that serve the same data. Nothing
   * unless the engine was opened with `isShared`.
   */
  takeConsumption(): readonly ConsumptionNote[];
  /** Not an action of the API: takes over what {@link takeConsumption} has told in another process. */
  addConsumption(notes: readonly ConsumptionNote[]): Promise<void>;
  /**
   * Not an action of the API: what policies may ask of a table, as it is now; undefined when there is none. Answers at once if it can.
   */
  tableAccessFacts(tableName: string, context: RequestContext): Awaitable<TableAccessFacts | undefined>;
  /** Not an action of the API: the resource policy of a stream; undefined when it has none, or there is no such stream. */
  streamPolicy(streamArn: string, context: RequestContext): Promise<string | undefined>;
  /**
   * Not an action of the API: begins what an engine does by itself, if it was opened without, or has not come to it yet. That is to
   * finish what was left unfinished, to delete expired items, to trim streams and recovery logs, to replicate and to deliver
   * changes. One that has begun looks, once more, for work that another engine has left unfinished.
   */
  beginBackgroundWork(): Promise<void>;
  /**
   * Not an action of the API: removes every item that has expired by now, in all tables of all accounts.
   *
   * @returns how many items this call has removed.
   */
  sweepExpiredItems(): Promise<number>;
  /**
   * Not an action of the API: sends, once, what is pending for other regions by now, and does what else there is to do for global
   * tables. What is written meanwhile, or makes for further sending, is left to the next time.
   *
   * @param route - only for some tables, from a region, or to one.
   * @returns how many items were sent, and whether there was nothing left to do.
   */
  replicate(route?: ReplicationRoute): Promise<ReplicationRound>;
  /** Not an action of the API: what is pending for other regions, by table and region. */
  replicationReport(): Promise<readonly ReplicaLag[]>;
  /** Not an action of the API: answers a replica that another server has. */
  receiveReplicaMessage(message: ReplicaMessage): Promise<ReplicaAnswer>;
  /**
   * Not an action of the API: begins to check all stored data, unless that is being done. Requests are served meanwhile.
   *
   * @param bytesPerSecond - the pace at which values are read.
   */
  scrub(bytesPerSecond: number): Promise<void>;
  /** Not an action of the API: what the check that runs, or was the last, has found; undefined before the first in this process. */
  scrubReport(): ScrubReport | undefined;
  /** Not an action of the API, but of that of Application Auto Scaling: scalable targets and their policies. Loaded by the first call. */
  autoScaling(): Promise<AutoScaling>;
  /**
   * Not an action of the API: lets the alarms of all scaling policies look at the last minute, and changes throughput as they ask for.
   *
   * @returns how many throughputs this call has changed.
   */
  scaleThroughput(): Promise<number>;
  /** Not an action of the API: what people and their tools look at beside it. Loaded by the first call. */
  inspection(): Promise<EngineInspection>;
  /** Stops background work and waits for what is running. Does not close the store. */
  close(): Promise<void>;
}
