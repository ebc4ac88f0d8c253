/** Which actions a resource-based policy may name. */

const tableActions = `
  BatchGetItem BatchWriteItem ConditionCheckItem DeleteItem GetItem PutItem Query Scan UpdateItem SearchVectors
  PartiQLDelete PartiQLInsert PartiQLSelect PartiQLUpdate StartBulkPutItems
  CreateTable DeleteTable DescribeTable UpdateTable DescribeTimeToLive UpdateTimeToLive
  ListTagsOfResource TagResource UntagResource DescribeContributorInsights UpdateContributorInsights
  CreateBackup DescribeContinuousBackups UpdateContinuousBackups ExportTableToPointInTime StartAwsBackupJob
  RestoreTableFromBackup RestoreTableFromAwsBackup RestoreTableToPointInTime
  DescribeKinesisStreamingDestination DisableKinesisStreamingDestination EnableKinesisStreamingDestination
  UpdateKinesisStreamingDestination DescribeTableReplicaAutoScaling UpdateTableReplicaAutoScaling
  CreateTableReplica DeleteTableReplica AssociateTableReplica ReplicateSettings UpdateGlobalTableVersion
  ReadDataForReplication WriteDataForReplication CreateGlobalTableWitness DeleteGlobalTableWitness
  InjectError GetAbacStatus UpdateAbacStatus`;

const streamActions = 'DescribeStream GetRecords GetShardIterator';

const policyActions = 'DeleteResourcePolicy GetResourcePolicy PutResourcePolicy';

/**
 * By what the policy is attached to, as `dynamodb:GetItem`. Neither list has ListStreams and others that name no table or stream.
 *
 * @see Service Authorization Reference, "Actions, resources, and condition keys for Amazon DynamoDB"
 */
export const resourceActions: { readonly table: readonly string[]; readonly stream: readonly string[] } = {
  table: actionNames(`${tableActions} ${policyActions}`),
  stream: actionNames(`${streamActions} ${policyActions}`),
};

function actionNames(actions: string): readonly string[] {
  return actions
    .trim()
    .split(/\s+/)
    .map((action) => `dynamodb:${action}`);
}
