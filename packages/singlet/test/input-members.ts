/*
 * Every member of every request, and its effect. `input-members.test.ts` walks over the inputs of the AWS SDK and over
 * our own shapes. It fails if a member of either is not listed here, or if a listed one no longer exists.
 *
 * Members that are not exceptions have the same effect as in DynamoDB. The table of parameters in docs/compatibility.md is
 * printed from the exceptions.
 */

/**
 * - `described`: checked, stored and returned, without the effect that it has in DynamoDB.
 * - `refused`: refused, unless it requests the state that holds anyway.
 * - `no subject`: accepted by an action that has nothing to apply it to, here as in DynamoDB today.
 */
export type Standing = 'described' | 'refused' | 'no subject';

export interface Exception {
  readonly standing: Standing;
  /** `Structure.Member`. */
  readonly members: readonly string[];
  /** The names of the members in the documentation. */
  readonly subject: string;
  readonly says: string;
}

/** All members by structure, with the SDK's names. */
export const inputMembers: Readonly<Record<string, string>> = {
  BatchExecuteStatementInput: 'Statements ReturnConsumedCapacity',
  BatchStatementRequest: 'Statement Parameters ConsistentRead ReturnValuesOnConditionCheckFailure',
  BatchGetItemInput: 'RequestItems ReturnConsumedCapacity',
  KeysAndAttributes: 'Keys AttributesToGet ConsistentRead ProjectionExpression ExpressionAttributeNames',
  BatchWriteItemInput: 'RequestItems ReturnConsumedCapacity ReturnItemCollectionMetrics',
  WriteRequest: 'PutRequest DeleteRequest',
  PutRequest: 'Item',
  DeleteRequest: 'Key',
  CancelBulkOperationInput: 'BulkOperationArn',
  CreateBackupInput: 'TableName BackupName',
  CreateGlobalTableInput: 'GlobalTableName ReplicationGroup',
  Replica: 'RegionName',
  CreateTableInput:
    'TableName AttributeDefinitions KeySchema LocalSecondaryIndexes GlobalSecondaryIndexes BillingMode ProvisionedThroughput StreamSpecification SSESpecification Tags TableClass DeletionProtectionEnabled WarmThroughput ResourcePolicy OnDemandThroughput GlobalTableSourceArn GlobalTableSettingsReplicationMode VectorIndexes',
  AttributeDefinition: 'AttributeName AttributeType',
  KeySchemaElement: 'AttributeName KeyType',
  LocalSecondaryIndex: 'IndexName KeySchema Projection',
  Projection: 'ProjectionType NonKeyAttributes',
  GlobalSecondaryIndex: 'IndexName KeySchema Projection ProvisionedThroughput OnDemandThroughput WarmThroughput',
  ProvisionedThroughput: 'ReadCapacityUnits WriteCapacityUnits',
  OnDemandThroughput: 'MaxReadRequestUnits MaxWriteRequestUnits',
  WarmThroughput: 'ReadUnitsPerSecond WriteUnitsPerSecond',
  StreamSpecification: 'StreamEnabled StreamViewType',
  SSESpecification: 'Enabled SSEType KMSMasterKeyId',
  Tag: 'Key Value',
  VectorIndex: 'IndexName VectorAttribute Projection Dimensions DistanceFunction SearchSchema',
  VectorAttributeDefinition: 'AttributeName',
  SearchSchemaElement: 'AttributeName SearchSchemaElementType',
  DeleteBackupInput: 'BackupArn',
  DeleteItemInput:
    'TableName Key Expected ConditionalOperator ReturnValues ReturnConsumedCapacity ReturnItemCollectionMetrics ConditionExpression ExpressionAttributeNames ExpressionAttributeValues ReturnValuesOnConditionCheckFailure',
  ExpectedAttributeValue: 'Value Exists ComparisonOperator AttributeValueList',
  DeleteResourcePolicyInput: 'ResourceArn ExpectedRevisionId',
  DeleteTableInput: 'TableName',
  DescribeBackupInput: 'BackupArn',
  DescribeBulkOperationInput: 'BulkOperationArn',
  DescribeContinuousBackupsInput: 'TableName',
  DescribeContributorInsightsInput: 'TableName IndexName',
  DescribeEndpointsRequest: '',
  DescribeExportInput: 'ExportArn',
  DescribeGlobalTableInput: 'GlobalTableName',
  DescribeGlobalTableSettingsInput: 'GlobalTableName',
  DescribeImportInput: 'ImportArn',
  DescribeKinesisStreamingDestinationInput: 'TableName',
  DescribeLimitsInput: '',
  DescribeStreamInput: 'StreamArn Limit ExclusiveStartShardId ShardFilter',
  ShardFilter: 'Type ShardId',
  DescribeTableInput: 'TableName',
  DescribeTableReplicaAutoScalingInput: 'TableName',
  DescribeTimeToLiveInput: 'TableName',
  KinesisStreamingDestinationInput: 'TableName StreamArn EnableKinesisStreamingConfiguration',
  EnableKinesisStreamingConfiguration: 'ApproximateCreationDateTimePrecision',
  ExecuteStatementInput:
    'Statement Parameters ConsistentRead NextToken ReturnConsumedCapacity Limit ReturnValuesOnConditionCheckFailure',
  ExecuteTransactionInput: 'TransactStatements ClientRequestToken ReturnConsumedCapacity',
  ParameterizedStatement: 'Statement Parameters ReturnValuesOnConditionCheckFailure',
  ExplainStatementInput: 'Statement Parameters ConsistentRead',
  ExportTableToPointInTimeInput:
    'TableArn S3Bucket ExportTime ClientToken S3BucketOwner S3Prefix S3SseAlgorithm S3SseKmsKeyId ExportFormat ExportType IncrementalExportSpecification FilterSpecification',
  IncrementalExportSpecification: 'ExportFromTime ExportToTime ExportViewType',
  FilterSpecification:
    'FilterExpression ProjectionExpression KeyConditionExpression ExpressionAttributeNames ExpressionAttributeValues',
  GetItemInput:
    'TableName Key AttributesToGet ConsistentRead ReturnConsumedCapacity ProjectionExpression ExpressionAttributeNames',
  GetRecordsInput: 'ShardIterator Limit',
  GetResourcePolicyInput: 'ResourceArn',
  GetShardIteratorInput: 'StreamArn ShardId ShardIteratorType SequenceNumber',
  GetWeatherInput: '',
  ImportTableInput:
    'S3BucketSource InputFormat TableCreationParameters ClientToken InputFormatOptions InputCompressionType',
  S3BucketSource: 'S3Bucket S3BucketOwner S3KeyPrefix',
  TableCreationParameters:
    'TableName AttributeDefinitions KeySchema BillingMode ProvisionedThroughput OnDemandThroughput SSESpecification GlobalSecondaryIndexes VectorIndexes',
  InputFormatOptions: 'Csv',
  CsvOptions: 'Delimiter HeaderList',
  ListBackupsInput: 'TableName Limit TimeRangeLowerBound TimeRangeUpperBound ExclusiveStartBackupArn BackupType',
  ListBulkOperationsInput: 'MaxResults NextToken',
  ListContributorInsightsInput: 'TableName NextToken MaxResults',
  ListExportsInput: 'TableArn MaxResults NextToken',
  ListGlobalTablesInput: 'ExclusiveStartGlobalTableName Limit RegionName',
  ListImportsInput: 'TableArn PageSize NextToken',
  ListStreamsInput: 'TableName Limit ExclusiveStartStreamArn',
  ListTablesInput: 'ExclusiveStartTableName Limit',
  ListTagsOfResourceInput: 'ResourceArn NextToken',
  PutItemInput:
    'TableName Item Expected ReturnValues ReturnConsumedCapacity ReturnItemCollectionMetrics ConditionalOperator ConditionExpression ExpressionAttributeNames ExpressionAttributeValues ReturnValuesOnConditionCheckFailure',
  PutResourcePolicyInput: 'ResourceArn Policy ExpectedRevisionId ConfirmRemoveSelfResourceAccess',
  QueryInput:
    'TableName IndexName Select AttributesToGet Limit ConsistentRead KeyConditions QueryFilter ConditionalOperator ScanIndexForward ExclusiveStartKey ReturnConsumedCapacity ProjectionExpression FilterExpression KeyConditionExpression ExpressionAttributeNames ExpressionAttributeValues',
  Condition: 'ComparisonOperator AttributeValueList',
  RestoreTableFromBackupInput:
    'TargetTableName BackupArn BillingModeOverride GlobalSecondaryIndexOverride LocalSecondaryIndexOverride ProvisionedThroughputOverride OnDemandThroughputOverride SSESpecificationOverride VectorIndexOverride',
  RestoreTableToPointInTimeInput:
    'TargetTableName SourceTableArn SourceTableName UseLatestRestorableTime RestoreDateTime BillingModeOverride GlobalSecondaryIndexOverride LocalSecondaryIndexOverride ProvisionedThroughputOverride OnDemandThroughputOverride SSESpecificationOverride VectorIndexOverride',
  ScanInput:
    'TableName IndexName AttributesToGet Limit Select ScanFilter ConditionalOperator ExclusiveStartKey ReturnConsumedCapacity TotalSegments Segment ProjectionExpression FilterExpression ExpressionAttributeNames ExpressionAttributeValues ConsistentRead',
  SearchVectorsInput:
    'TableName IndexName SearchVector TopK ReturnConsumedCapacity ExpressionAttributeNames ExpressionAttributeValues ProjectionExpression SearchConditionExpression',
  SetWeatherInput: 'Seed Everywhere Tables',
  WeatherSettings:
    'Name LatencyMs InternalErrorRate LostAnswerRate ThrottleRate ConflictRate ShortPageRate StaleReadMs IndexLagMs ExpiryDelayMs RepeatedRecordsRate',
  StartBulkPutItemsInput:
    'InputS3Configuration OutputS3Configuration TableName ClientToken MaxWriteRequestUnits PerformanceTier',
  InputS3Configuration: 'S3Bucket InputFormat S3BucketOwner S3KeyPrefix InputCompressionType',
  OutputS3Configuration: 'OutputType S3BucketOwner S3Bucket S3KeyPrefix S3SseAlgorithm S3SseKmsKeyId',
  TagResourceInput: 'ResourceArn Tags',
  TransactGetItemsInput: 'TransactItems ReturnConsumedCapacity',
  TransactGetItem: 'Get',
  Get: 'Key TableName ProjectionExpression ExpressionAttributeNames',
  TransactWriteItemsInput: 'TransactItems ReturnConsumedCapacity ReturnItemCollectionMetrics ClientRequestToken',
  TransactWriteItem: 'ConditionCheck Put Delete Update',
  ConditionCheck:
    'Key TableName ConditionExpression ExpressionAttributeNames ExpressionAttributeValues ReturnValuesOnConditionCheckFailure',
  Put: 'Item TableName ConditionExpression ExpressionAttributeNames ExpressionAttributeValues ReturnValuesOnConditionCheckFailure',
  Delete:
    'Key TableName ConditionExpression ExpressionAttributeNames ExpressionAttributeValues ReturnValuesOnConditionCheckFailure',
  Update:
    'Key UpdateExpression TableName ConditionExpression ExpressionAttributeNames ExpressionAttributeValues ReturnValuesOnConditionCheckFailure',
  UntagResourceInput: 'ResourceArn TagKeys',
  UpdateContinuousBackupsInput: 'TableName PointInTimeRecoverySpecification',
  PointInTimeRecoverySpecification: 'PointInTimeRecoveryEnabled RecoveryPeriodInDays',
  UpdateContributorInsightsInput: 'TableName ContributorInsightsAction IndexName ContributorInsightsMode',
  UpdateGlobalTableInput: 'GlobalTableName ReplicaUpdates',
  ReplicaUpdate: 'Create Delete',
  CreateReplicaAction: 'RegionName',
  DeleteReplicaAction: 'RegionName',
  UpdateGlobalTableSettingsInput:
    'GlobalTableName GlobalTableBillingMode GlobalTableProvisionedWriteCapacityUnits GlobalTableProvisionedWriteCapacityAutoScalingSettingsUpdate GlobalTableGlobalSecondaryIndexSettingsUpdate ReplicaSettingsUpdate',
  AutoScalingSettingsUpdate: 'MinimumUnits MaximumUnits AutoScalingDisabled AutoScalingRoleArn ScalingPolicyUpdate',
  AutoScalingPolicyUpdate: 'TargetTrackingScalingPolicyConfiguration PolicyName',
  AutoScalingTargetTrackingScalingPolicyConfigurationUpdate:
    'TargetValue DisableScaleIn ScaleInCooldown ScaleOutCooldown',
  GlobalTableGlobalSecondaryIndexSettingsUpdate:
    'IndexName ProvisionedWriteCapacityUnits ProvisionedWriteCapacityAutoScalingSettingsUpdate',
  ReplicaSettingsUpdate:
    'RegionName ReplicaProvisionedReadCapacityUnits ReplicaProvisionedReadCapacityAutoScalingSettingsUpdate ReplicaGlobalSecondaryIndexSettingsUpdate ReplicaTableClass',
  ReplicaGlobalSecondaryIndexSettingsUpdate:
    'IndexName ProvisionedReadCapacityUnits ProvisionedReadCapacityAutoScalingSettingsUpdate',
  UpdateItemInput:
    'TableName Key AttributeUpdates Expected ConditionalOperator ReturnValues ReturnConsumedCapacity ReturnItemCollectionMetrics UpdateExpression ConditionExpression ExpressionAttributeNames ExpressionAttributeValues ReturnValuesOnConditionCheckFailure',
  AttributeValueUpdate: 'Value Action',
  UpdateKinesisStreamingDestinationInput: 'TableName StreamArn UpdateKinesisStreamingConfiguration',
  UpdateKinesisStreamingConfiguration: 'ApproximateCreationDateTimePrecision',
  UpdateTableInput:
    'TableName AttributeDefinitions BillingMode ProvisionedThroughput GlobalSecondaryIndexUpdates StreamSpecification SSESpecification ReplicaUpdates TableClass DeletionProtectionEnabled MultiRegionConsistency GlobalTableWitnessUpdates OnDemandThroughput WarmThroughput GlobalTableSettingsReplicationMode DisassociationProtectionEnabled VectorIndexUpdates',
  GlobalSecondaryIndexUpdate: 'Update Create Delete',
  UpdateGlobalSecondaryIndexAction: 'IndexName ProvisionedThroughput OnDemandThroughput WarmThroughput',
  CreateGlobalSecondaryIndexAction:
    'IndexName KeySchema Projection ProvisionedThroughput OnDemandThroughput WarmThroughput',
  DeleteGlobalSecondaryIndexAction: 'IndexName',
  ReplicationGroupUpdate: 'Create Update Delete Disassociate',
  CreateReplicationGroupMemberAction:
    'RegionName KMSMasterKeyId ProvisionedThroughputOverride OnDemandThroughputOverride GlobalSecondaryIndexes TableClassOverride',
  ProvisionedThroughputOverride: 'ReadCapacityUnits',
  OnDemandThroughputOverride: 'MaxReadRequestUnits',
  ReplicaGlobalSecondaryIndex: 'IndexName ProvisionedThroughputOverride OnDemandThroughputOverride',
  UpdateReplicationGroupMemberAction:
    'RegionName KMSMasterKeyId ProvisionedThroughputOverride OnDemandThroughputOverride GlobalSecondaryIndexes TableClassOverride',
  DeleteReplicationGroupMemberAction: 'RegionName',
  DisassociateReplicationGroupMemberAction: 'RegionName DisassociationMode',
  GlobalTableWitnessGroupUpdate: 'Create Delete',
  CreateGlobalTableWitnessGroupMemberAction: 'RegionName',
  DeleteGlobalTableWitnessGroupMemberAction: 'RegionName',
  VectorIndexUpdate: 'Create Delete',
  CreateVectorIndexAction: 'IndexName VectorAttribute Projection Dimensions DistanceFunction SearchSchema',
  DeleteVectorIndexAction: 'IndexName',
  UpdateTableReplicaAutoScalingInput:
    'TableName GlobalSecondaryIndexUpdates ProvisionedWriteCapacityAutoScalingUpdate ReplicaUpdates',
  GlobalSecondaryIndexAutoScalingUpdate: 'IndexName ProvisionedWriteCapacityAutoScalingUpdate',
  ReplicaAutoScalingUpdate:
    'RegionName ReplicaGlobalSecondaryIndexUpdates ReplicaProvisionedReadCapacityAutoScalingUpdate',
  ReplicaGlobalSecondaryIndexAutoScalingUpdate: 'IndexName ProvisionedReadCapacityAutoScalingUpdate',
  UpdateTimeToLiveInput: 'TableName TimeToLiveSpecification',
  TimeToLiveSpecification: 'Enabled AttributeName',
};

export const exceptions: readonly Exception[] = [
  {
    subject: 'Encryption: `SSESpecification`, its override in restores',
    members: [
      'CreateTableInput.SSESpecification',
      'UpdateTableInput.SSESpecification',
      'TableCreationParameters.SSESpecification',
      'RestoreTableFromBackupInput.SSESpecificationOverride',
      'RestoreTableToPointInTimeInput.SSESpecificationOverride',
      'SSESpecification.Enabled',
      'SSESpecification.SSEType',
    ],
    standing: 'refused',
    says: 'with data in a directory, unless the server encrypts it (`--encryption-key`); then all tables are encrypted, whether they ask for it or not',
  },
  {
    subject: '`KMSMasterKeyId`',
    members: [
      'SSESpecification.KMSMasterKeyId',
      'CreateReplicationGroupMemberAction.KMSMasterKeyId',
      'UpdateReplicationGroupMemberAction.KMSMasterKeyId',
    ],
    standing: 'described',
    says: 'KMS keys are not looked up, since the server encrypts with its key file',
  },
  {
    subject: 'Resource policies: `ResourcePolicy`, `Policy`',
    members: ['CreateTableInput.ResourcePolicy', 'PutResourcePolicyInput.Policy'],
    standing: 'described',
    says: 'evaluated by a server with identities (`--auth`); otherwise stored, since every request is allowed',
  },
  {
    subject: '`TableClass`, `TableClassOverride`',
    members: [
      'CreateTableInput.TableClass',
      'UpdateTableInput.TableClass',
      'CreateReplicationGroupMemberAction.TableClassOverride',
      'UpdateReplicationGroupMemberAction.TableClassOverride',
    ],
    standing: 'described',
    says: 'nothing is billed here; changes are limited as in the service',
  },
  {
    subject: '`PerformanceTier` of bulk operations',
    members: ['StartBulkPutItemsInput.PerformanceTier'],
    standing: 'described',
    says: 'both tiers are equally fast',
  },
  {
    subject: '`S3BucketOwner` of exports, imports and bulk operations',
    members: [
      'ExportTableToPointInTimeInput.S3BucketOwner',
      'S3BucketSource.S3BucketOwner',
      'InputS3Configuration.S3BucketOwner',
      'OutputS3Configuration.S3BucketOwner',
    ],
    standing: 'described',
    says: 'buckets have no owner here',
  },
  {
    subject: '`S3SseAlgorithm`, `S3SseKmsKeyId`',
    members: [
      'ExportTableToPointInTimeInput.S3SseAlgorithm',
      'ExportTableToPointInTimeInput.S3SseKmsKeyId',
      'OutputS3Configuration.S3SseAlgorithm',
      'OutputS3Configuration.S3SseKmsKeyId',
    ],
    standing: 'described',
    says: 'the files are written unencrypted',
  },
  {
    subject: 'Strong consistency between regions: `MultiRegionConsistency: STRONG`, `GlobalTableWitnessUpdates`',
    members: [
      'UpdateTableInput.MultiRegionConsistency',
      'UpdateTableInput.GlobalTableWitnessUpdates',
      'GlobalTableWitnessGroupUpdate.Create',
      'GlobalTableWitnessGroupUpdate.Delete',
      'CreateGlobalTableWitnessGroupMemberAction.RegionName',
      'DeleteGlobalTableWitnessGroupMemberAction.RegionName',
    ],
    standing: 'refused',
    says: 'replicas are eventually consistent (`EVENTUAL`)',
  },
  {
    subject:
      'Global tables across accounts: `GlobalTableSourceArn`, `GlobalTableSettingsReplicationMode`, `DisassociationProtectionEnabled`, `Disassociate`',
    members: [
      'CreateTableInput.GlobalTableSourceArn',
      'CreateTableInput.GlobalTableSettingsReplicationMode',
      'UpdateTableInput.GlobalTableSettingsReplicationMode',
      'UpdateTableInput.DisassociationProtectionEnabled',
      'ReplicationGroupUpdate.Disassociate',
      'DisassociateReplicationGroupMemberAction.RegionName',
      'DisassociateReplicationGroupMemberAction.DisassociationMode',
    ],
    standing: 'refused',
    says: 'the replicas of a table are of one account',
  },
  {
    subject: 'Auto scaling: UpdateTableReplicaAutoScaling, except switching it off',
    members: [
      'UpdateTableReplicaAutoScalingInput.GlobalSecondaryIndexUpdates',
      'UpdateTableReplicaAutoScalingInput.ProvisionedWriteCapacityAutoScalingUpdate',
      'UpdateTableReplicaAutoScalingInput.ReplicaUpdates',
      ...all('AutoScalingSettingsUpdate', 'AutoScalingPolicyUpdate'),
      ...all('AutoScalingTargetTrackingScalingPolicyConfigurationUpdate', 'GlobalSecondaryIndexAutoScalingUpdate'),
      ...all('ReplicaAutoScalingUpdate', 'ReplicaGlobalSecondaryIndexAutoScalingUpdate'),
    ],
    standing: 'refused',
    says: 'only single tables are [scaled](capacity.md#auto-scaling)',
  },
  {
    subject: 'Global tables of 2017: CreateGlobalTable, UpdateGlobalTable, UpdateGlobalTableSettings',
    members: [
      ...all('CreateGlobalTableInput', 'Replica', 'UpdateGlobalTableInput', 'ReplicaUpdate', 'CreateReplicaAction'),
      ...all('DeleteReplicaAction', 'UpdateGlobalTableSettingsInput', 'GlobalTableGlobalSecondaryIndexSettingsUpdate'),
      ...all('ReplicaSettingsUpdate', 'ReplicaGlobalSecondaryIndexSettingsUpdate'),
    ],
    standing: 'refused',
    says: 'as in the service today',
  },
  {
    subject: 'Global tables of 2017: DescribeGlobalTable, DescribeGlobalTableSettings, ListGlobalTables',
    members: all('DescribeGlobalTableInput', 'DescribeGlobalTableSettingsInput', 'ListGlobalTablesInput'),
    standing: 'no subject',
    says: 'there are none',
  },
  {
    subject: '`NextToken` of ListTagsOfResource',
    members: ['ListTagsOfResourceInput.NextToken'],
    standing: 'refused',
    says: 'all tags are returned at once, so there are no tokens',
  },
];

/** All members of some structures. */
function all(...structures: readonly string[]): readonly string[] {
  return structures.flatMap((structure) => membersOf(structure).map((member) => `${structure}.${member}`));
}

export function membersOf(structure: string): readonly string[] {
  return (inputMembers[structure] ?? '').split(' ').filter((member) => member !== '');
}
