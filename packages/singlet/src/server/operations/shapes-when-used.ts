/** The shapes of the actions that are loaded when they are first used (engine/actions/loaded-when-used.ts). */
export { batchExecuteStatement } from './batch-execute-statement.ts';
export { cancelBulkOperation } from './cancel-bulk-operation.ts';
export { createBackup } from './create-backup.ts';
export { createTable } from './create-table.ts';
export { deleteBackup } from './delete-backup.ts';
export { deleteResourcePolicy } from './delete-resource-policy.ts';
export { deleteTable } from './delete-table.ts';
export { describeBackup } from './describe-backup.ts';
export { describeBulkOperation } from './describe-bulk-operation.ts';
export { describeContinuousBackups } from './describe-continuous-backups.ts';
export { describeContributorInsights } from './describe-contributor-insights.ts';
export { describeEndpoints } from './describe-endpoints.ts';
export { describeExport } from './describe-export.ts';
export { describeImport } from './describe-import.ts';
export { describeKinesisStreamingDestination } from './describe-kinesis-streaming-destination.ts';
export { describeLimits } from './describe-limits.ts';
export { describeStream } from './describe-stream.ts';
export { describeTable } from './describe-table.ts';
export { describeTimeToLive } from './describe-time-to-live.ts';
export { disableKinesisStreamingDestination } from './disable-kinesis-streaming-destination.ts';
export { enableKinesisStreamingDestination } from './enable-kinesis-streaming-destination.ts';
export { executeStatement } from './execute-statement.ts';
export { executeTransaction } from './execute-transaction.ts';
export { explainStatement } from './explain-statement.ts';
export { exportTableToPointInTime } from './export-table-to-point-in-time.ts';
export { getRecords } from './get-records.ts';
export { getResourcePolicy } from './get-resource-policy.ts';
export { getShardIterator } from './get-shard-iterator.ts';
export { importTable } from './import-table.ts';
export {
  createGlobalTable,
  describeGlobalTable,
  describeGlobalTableSettings,
  listGlobalTables,
  updateGlobalTable,
  updateGlobalTableSettings,
} from './legacy-global-tables.ts';
export { listBackups } from './list-backups.ts';
export { listBulkOperations } from './list-bulk-operations.ts';
export { listContributorInsights } from './list-contributor-insights.ts';
export { listExports } from './list-exports.ts';
export { listImports } from './list-imports.ts';
export { listStreams } from './list-streams.ts';
export { listTagsOfResource } from './list-tags-of-resource.ts';
export { putResourcePolicy } from './put-resource-policy.ts';
export { restoreTableFromBackup } from './restore-table-from-backup.ts';
export { restoreTableToPointInTime } from './restore-table-to-point-in-time.ts';
export { searchVectors } from './search-vectors.ts';
export { startBulkPutItems } from './start-bulk-put-items.ts';
export { describeTableReplicaAutoScaling, updateTableReplicaAutoScaling } from './table-replica-auto-scaling.ts';
export { tagResource } from './tag-resource.ts';
export { untagResource } from './untag-resource.ts';
export { updateContinuousBackups } from './update-continuous-backups.ts';
export { updateContributorInsights } from './update-contributor-insights.ts';
export { updateKinesisStreamingDestination } from './update-kinesis-streaming-destination.ts';
export { updateTable } from './update-table.ts';
export { updateTimeToLive } from './update-time-to-live.ts';
export { getWeather, setWeather } from './weather.ts';
