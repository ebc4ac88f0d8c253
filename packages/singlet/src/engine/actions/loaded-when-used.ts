/** The actions that are loaded together when one of them is first used. One line each: name and implementation. */
export { batchExecuteStatement } from '../operations/batch-execute-statement.ts';
export { cancelBulkOperation } from '../operations/cancel-bulk-operation.ts';
export { createBackup } from '../operations/create-backup.ts';
export { createTable } from '../operations/create-table.ts';
export { deleteBackup } from '../operations/delete-backup.ts';
export { deleteResourcePolicy } from '../operations/delete-resource-policy.ts';
export { deleteTable } from '../operations/delete-table.ts';
export { describeBackup } from '../operations/describe-backup.ts';
export { describeBulkOperation } from '../operations/describe-bulk-operation.ts';
export { describeContinuousBackups } from '../operations/describe-continuous-backups.ts';
export { describeContributorInsights } from '../operations/describe-contributor-insights.ts';
export { describeEndpoints } from '../operations/describe-endpoints.ts';
export { describeExport } from '../operations/describe-export.ts';
export { describeImport } from '../operations/describe-import.ts';
export { describeKinesisStreamingDestination } from '../operations/describe-kinesis-streaming-destination.ts';
export { describeLimits } from '../operations/describe-limits.ts';
export { describeStream } from '../operations/describe-stream.ts';
export { describeTable } from '../operations/describe-table.ts';
export { describeTimeToLive } from '../operations/describe-time-to-live.ts';
export { disableKinesisStreamingDestination } from '../operations/disable-kinesis-streaming-destination.ts';
export { enableKinesisStreamingDestination } from '../operations/enable-kinesis-streaming-destination.ts';
export { executeStatement } from '../operations/execute-statement.ts';
export { executeTransaction } from '../operations/execute-transaction.ts';
export { explainStatement } from '../operations/explain-statement.ts';
export { exportTableToPointInTime } from '../operations/export-table-to-point-in-time.ts';
export { getRecords } from '../operations/get-records.ts';
export { getResourcePolicy } from '../operations/get-resource-policy.ts';
export { getShardIterator } from '../operations/get-shard-iterator.ts';
export { importTable } from '../operations/import-table.ts';
export {
  createGlobalTable,
  describeGlobalTable,
  describeGlobalTableSettings,
  listGlobalTables,
  updateGlobalTable,
  updateGlobalTableSettings,
} from '../operations/legacy-global-tables.ts';
export { listBackups } from '../operations/list-backups.ts';
export { listBulkOperations } from '../operations/list-bulk-operations.ts';
export { listContributorInsights } from '../operations/list-contributor-insights.ts';
export { listExports } from '../operations/list-exports.ts';
export { listImports } from '../operations/list-imports.ts';
export { listStreams } from '../operations/list-streams.ts';
export { listTagsOfResource } from '../operations/list-tags-of-resource.ts';
export { putResourcePolicy } from '../operations/put-resource-policy.ts';
export { restoreTableFromBackup } from '../operations/restore-table-from-backup.ts';
export { restoreTableToPointInTime } from '../operations/restore-table-to-point-in-time.ts';
export { searchVectors } from '../operations/search-vectors.ts';
export { startBulkPutItems } from '../operations/start-bulk-put-items.ts';
export {
  describeTableReplicaAutoScaling,
  updateTableReplicaAutoScaling,
} from '../operations/table-replica-auto-scaling.ts';
export { tagResource } from '../operations/tag-resource.ts';
export { untagResource } from '../operations/untag-resource.ts';
export { updateContinuousBackups } from '../operations/update-continuous-backups.ts';
export { updateContributorInsights } from '../operations/update-contributor-insights.ts';
export { updateKinesisStreamingDestination } from '../operations/update-kinesis-streaming-destination.ts';
export { updateTable } from '../operations/update-table.ts';
export { updateTimeToLive } from '../operations/update-time-to-live.ts';
export { getWeather, setWeather } from '../operations/weather.ts';
