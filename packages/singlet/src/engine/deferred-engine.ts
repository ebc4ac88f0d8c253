/** The part of the engine that is loaded on first use. {@link createEngine} has the rest. */
export * as actions from './actions/loaded-when-used.ts';
export { touchedByBatchOfStatements, touchedByStatements } from './actions/touched-by-statements.ts';
export { capacityReport } from './operations/capacity-report.ts';
export { throttlingReport } from './operations/throttling-report.ts';
export { contributorInsightsReport } from './operations/contributor-insights-report.ts';
export { receiveRemoteMessage } from './replication/receive-message.ts';
export { replicate } from './replication/replicate.ts';
export { releaseLeases } from './replication/replication-lease.ts';
export { replicationReport } from './replication/replication-report.ts';
export { AutoScaling } from './scaling/auto-scaling.ts';
export { Scaler } from './scaling/scaler.ts';
export { Scrubber } from './doctor/scrubber.ts';
export { resumeBackgroundWork } from './jobs/background-work.ts';
export { beginBackgroundWork } from './jobs/begin-background-work.ts';
export { sweepExpiredItems } from './ttl/sweep-expired-items.ts';
