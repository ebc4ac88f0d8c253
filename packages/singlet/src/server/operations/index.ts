import { batchGetItem } from './batch-get-item.ts';
import { batchWriteItem } from './batch-write-item.ts';
import { cancelBulkOperation } from './cancel-bulk-operation.ts';
import { deleteItem } from './delete-item.ts';
import { describeBulkOperation } from './describe-bulk-operation.ts';
import { getItem } from './get-item.ts';
import { listTables } from './list-tables.ts';
import type { ActionName, Operation } from './operation.ts';
import { putItem } from './put-item.ts';
import { query } from './query.ts';
import type * as restOfOperations from './rest-of-operations.ts';
import { scan } from './scan.ts';
import { transactGetItems } from './transact-get-items.ts';
import { transactWriteItems } from './transact-write-items.ts';
import { updateItem } from './update-item.ts';

type RestOfOperations = typeof restOfOperations;

/** An action whose operation may have to be loaded first. */
type LoadOperation = () => Promise<Operation>;

let loadedRest: RestOfOperations | undefined;

const later =
  (pick: (rest: RestOfOperations) => Operation): LoadOperation =>
  async () =>
    pick((loadedRest ??= await import('./rest-of-operations.ts')));

/** Every action of the engine; the type makes sure that none is missing. What few requests ask for is loaded then. */
const operations: { readonly [A in ActionName]: Operation | LoadOperation } = {
  BatchExecuteStatement: later((rest) => rest.batchExecuteStatement),
  BatchGetItem: batchGetItem,
  BatchWriteItem: batchWriteItem,
  CancelBulkOperation: cancelBulkOperation,
  CreateBackup: later((rest) => rest.createBackup),
  CreateTable: later((rest) => rest.createTable),
  DeleteBackup: later((rest) => rest.deleteBackup),
  DeleteItem: deleteItem,
  DeleteResourcePolicy: later((rest) => rest.deleteResourcePolicy),
  DeleteTable: later((rest) => rest.deleteTable),
  DescribeContributorInsights: later((rest) => rest.describeContributorInsights),
  DescribeEndpoints: later((rest) => rest.describeEndpoints),
  DescribeKinesisStreamingDestination: later((rest) => rest.describeKinesisStreamingDestination),
  DescribeBulkOperation: describeBulkOperation,
  DescribeImport: later((rest) => rest.describeImport),
  DescribeBackup: later((rest) => rest.describeBackup),
  DescribeContinuousBackups: later((rest) => rest.describeContinuousBackups),
  DescribeExport: later((rest) => rest.describeExport),
  DescribeLimits: later((rest) => rest.describeLimits),
  DescribeStream: later((rest) => rest.describeStream),
  DescribeTable: later((rest) => rest.describeTable),
  DescribeTimeToLive: later((rest) => rest.describeTimeToLive),
  DisableKinesisStreamingDestination: later((rest) => rest.disableKinesisStreamingDestination),
  EnableKinesisStreamingDestination: later((rest) => rest.enableKinesisStreamingDestination),
  ExecuteStatement: later((rest) => rest.executeStatement),
  ExecuteTransaction: later((rest) => rest.executeTransaction),
  ExplainStatement: later((rest) => rest.explainStatement),
  ExportTableToPointInTime: later((rest) => rest.exportTableToPointInTime),
  GetItem: getItem,
  GetRecords: later((rest) => rest.getRecords),
  GetResourcePolicy: later((rest) => rest.getResourcePolicy),
  GetShardIterator: later((rest) => rest.getShardIterator),
  ListContributorInsights: later((rest) => rest.listContributorInsights),
  ImportTable: later((rest) => rest.importTable),
  ListBulkOperations: later((rest) => rest.listBulkOperations),
  ListImports: later((rest) => rest.listImports),
  ListBackups: later((rest) => rest.listBackups),
  ListExports: later((rest) => rest.listExports),
  ListStreams: later((rest) => rest.listStreams),
  ListTables: listTables,
  ListTagsOfResource: later((rest) => rest.listTagsOfResource),
  PutItem: putItem,
  PutResourcePolicy: later((rest) => rest.putResourcePolicy),
  Query: query,
  RestoreTableFromBackup: later((rest) => rest.restoreTableFromBackup),
  RestoreTableToPointInTime: later((rest) => rest.restoreTableToPointInTime),
  Scan: scan,
  SearchVectors: later((rest) => rest.searchVectors),
  StartBulkPutItems: later((rest) => rest.startBulkPutItems),
  TagResource: later((rest) => rest.tagResource),
  TransactGetItems: transactGetItems,
  TransactWriteItems: transactWriteItems,
  UntagResource: later((rest) => rest.untagResource),
  UpdateContributorInsights: later((rest) => rest.updateContributorInsights),
  UpdateContinuousBackups: later((rest) => rest.updateContinuousBackups),
  UpdateItem: updateItem,
  UpdateKinesisStreamingDestination: later((rest) => rest.updateKinesisStreamingDestination),
  UpdateTable: later((rest) => rest.updateTable),
  UpdateTimeToLive: later((rest) => rest.updateTimeToLive),
  CreateGlobalTable: later((rest) => rest.createGlobalTable),
  DescribeGlobalTable: later((rest) => rest.describeGlobalTable),
  DescribeGlobalTableSettings: later((rest) => rest.describeGlobalTableSettings),
  DescribeTableReplicaAutoScaling: later((rest) => rest.describeTableReplicaAutoScaling),
  ListGlobalTables: later((rest) => rest.listGlobalTables),
  UpdateGlobalTable: later((rest) => rest.updateGlobalTable),
  UpdateGlobalTableSettings: later((rest) => rest.updateGlobalTableSettings),
  UpdateTableReplicaAutoScaling: later((rest) => rest.updateTableReplicaAutoScaling),
};

const apiVersion = 'DynamoDB_20120810';
const streamsApiVersion = 'DynamoDBStreams_20120810';

/** The actions of the API for streams. All others belong to the API for tables and items. */
const streamActions: ReadonlySet<string> = new Set<ActionName>([
  'DescribeStream',
  'GetRecords',
  'GetShardIterator',
  'ListStreams',
]);

/** Our own API: what the service has no action for. */
const ownApiVersion = 'Singlet_20261120';

const ownActions: ReadonlySet<string> = new Set<ActionName>(['ExplainStatement']);

/** The value of the `X-Amz-Target` header that asks for an action. */
export function targetOf(action: string): string {
  if (ownActions.has(action)) return `${ownApiVersion}.${action}`;
  return `${streamActions.has(action) ? streamsApiVersion : apiVersion}.${action}`;
}

/** The actions by the value of the `X-Amz-Target` header. */
export const actionsByTarget: ReadonlyMap<string, ActionName> = new Map(
  Object.keys(operations).map((action) => [targetOf(action), action as ActionName]), // its keys are no others
);

/** @returns the operation at once when it is there already. */
export function operationOf(action: ActionName): Operation | Promise<Operation> {
  const operation = operations[action];
  return typeof operation === 'function' ? operation() : operation;
}

export function isActionName(name: string): name is ActionName {
  return Object.hasOwn(operations, name);
}
