import { loadDeferredEngine } from '../load-deferred-engine.ts';
import type { ActionName, ActionRow, RequestOf } from './action.ts';
import { indexOrTable, tableResource, type Touch } from './touch.ts';
import {
  touchedByBatchGet,
  touchedByBatchWrite,
  touchedByDelete,
  touchedByGet,
  touchedByPut,
  touchedByQuery,
  touchedByScan,
  touchedByTransactGet,
  touchedByTransactWrite,
  touchedByUpdate,
} from './touched-items.ts';

/*
 * The actions. An action is declared in three lines. With the first, the compiler requires the other two:
 *
 *     loaded-at-start.ts or loaded-when-used.ts       its name and implementation, and when that is loaded
 *     this table                                      its API, its table for logs, what it touches
 *     server/operations/shapes-…                      its shape, loaded when the implementation is
 *
 * The engine's interface, what its methods load, the look-up of `X-Amz-Target`, and the tests that visit every action are
 * derived from these.
 *
 * Decision 0048 says why.
 */

type Named = ActionRow<{ readonly tableName: string }>;

const onTable: Named = {
  tableName: ({ tableName }) => tableName,
  touches: ({ tableName }, permission) => [{ permission, resource: tableResource(tableName) }],
};

const onIndexOrTable: ActionRow<{ readonly tableName: string; readonly indexName?: string | undefined }> = {
  tableName: ({ tableName }) => tableName,
  touches: ({ tableName, indexName }, permission) => [{ permission, resource: indexOrTable(tableName, indexName) }],
};

const onGlobalTable: ActionRow<{ readonly globalTableName: string }> = {
  tableName: ({ globalTableName }) => globalTableName,
  touches: ({ globalTableName }, permission) => [
    { permission, resource: { kind: 'global-table', tableName: globalTableName } },
  ],
};

/** The service requires the permission on the global table and on the table. */
const onBothTables: ActionRow<{ readonly globalTableName: string }> = {
  tableName: ({ globalTableName }) => globalTableName,
  touches: ({ globalTableName }, permission) => [
    { permission, resource: { kind: 'global-table', tableName: globalTableName } },
    { permission, resource: tableResource(globalTableName) },
  ],
};

const onAccount: ActionRow<unknown> = {
  tableName: () => undefined,
  touches: (_request, permission) => [{ permission, resource: { kind: 'account' } }],
};

/** An action on the resource of an ARN, or on the account if the request has no ARN. */
function onArn<Request>(arnOf: (request: Request) => string | undefined): ActionRow<Request> {
  return {
    tableName: (request) => tableOfArn(arnOf(request)),
    touches: (request, permission) => [{ permission, resource: arnResource(arnOf(request)) }],
  };
}

/** Assumed: bulk operations, which the service's reference does not list, need the permission on their table. */
const onTableOfBulkOperation: ActionRow<{ readonly bulkOperationArn: string }> = {
  tableName: ({ bulkOperationArn }) => tableOfArn(bulkOperationArn),
  touches({ bulkOperationArn }, permission) {
    const tableName = tableOfArn(bulkOperationArn);
    return [
      { permission, resource: tableName === undefined ? arnResource(bulkOperationArn) : tableResource(tableName) },
    ];
  },
};

/** The further permissions that IAM requires when a table is restored from a backup or becomes a replica. */
const dataPermissions = ['BatchWriteItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'Scan', 'UpdateItem'];
const restorePermissions = [...dataPermissions, 'AssociateTableReplica', 'CreateTableReplica'];
const addReplicaPermissions = [...dataPermissions, 'CreateTable', 'CreateTableReplica', 'TagResource'];
const witnessPermissions = ['CreateGlobalTableWitness', 'DeleteGlobalTableWitness'];
const statementPermissions = ['PartiQLDelete', 'PartiQLInsert', 'PartiQLSelect', 'PartiQLUpdate'];

/** Every action. The type makes sure that the table is complete. */
export const actionTable: { readonly [A in ActionName]: ActionRow<RequestOf<A>> } = {
  BatchExecuteStatement: {
    permissions: statementPermissions,
    tableName: () => undefined,
    touches: async ({ statements }) => (await loadDeferredEngine()).touchedByBatchOfStatements(statements),
  },
  BatchGetItem: { tableName: ({ requestItems }) => onlyTable(requestItems), touches: touchedByBatchGet },
  BatchWriteItem: { tableName: ({ requestItems }) => onlyTable(requestItems), touches: touchedByBatchWrite },
  CancelBulkOperation: onTableOfBulkOperation,
  CreateBackup: onTable,
  CreateGlobalTable: onBothTables,
  CreateTable: {
    permissions: ['CreateTable', 'PutResourcePolicy', 'TagResource'],
    tableName: ({ tableName }) => tableName,
    touches: ({ tableName, tags, resourcePolicy }) =>
      onResource(tableResource(tableName), [
        'CreateTable',
        ...(tags === undefined ? [] : ['TagResource']),
        ...(resourcePolicy === undefined ? [] : ['PutResourcePolicy']),
      ]),
  },
  DeleteBackup: onArn(({ backupArn }) => backupArn),
  DeleteItem: { tableName: ({ tableName }) => tableName, touches: touchedByDelete },
  DeleteResourcePolicy: onArn(({ resourceArn }) => resourceArn),
  DeleteTable: onTable,
  DescribeBackup: onArn(({ backupArn }) => backupArn),
  DescribeBulkOperation: onTableOfBulkOperation,
  DescribeContinuousBackups: onTable,
  DescribeContributorInsights: onIndexOrTable,
  DescribeEndpoints: onAccount,
  DescribeExport: onArn(({ exportArn }) => exportArn),
  DescribeGlobalTable: onGlobalTable,
  DescribeGlobalTableSettings: onGlobalTable,
  DescribeImport: onArn(({ importArn }) => importArn),
  DescribeKinesisStreamingDestination: onTable,
  DescribeLimits: onAccount,
  DescribeStream: { ...onArn(({ streamArn }) => streamArn), api: 'streams' },
  DescribeTable: onTable,
  DescribeTableReplicaAutoScaling: onTable,
  DescribeTimeToLive: onTable,
  DisableKinesisStreamingDestination: onTable,
  EnableKinesisStreamingDestination: onTable,
  ExecuteStatement: {
    permissions: statementPermissions,
    tableName: () => undefined,
    touches: async (request) => (await loadDeferredEngine()).touchedByStatements([request]),
  },
  ExecuteTransaction: {
    permissions: statementPermissions,
    tableName: () => undefined,
    touches: async ({ transactStatements }) =>
      (await loadDeferredEngine()).touchedByStatements(transactStatements, 'ExecuteTransaction'),
  },
  // Only callers who may run a statement learn its effect.
  ExplainStatement: {
    api: 'singlet',
    permissions: statementPermissions,
    tableName: () => undefined,
    touches: async (request) => (await loadDeferredEngine()).touchedByStatements([request]),
  },
  ExportTableToPointInTime: onArn(({ tableArn }) => tableArn),
  GetItem: { tableName: ({ tableName }) => tableName, touches: touchedByGet },
  GetRecords: { ...onArn(({ shardIterator }) => shardIterator.split('|', 1)[0]), api: 'streams' },
  GetResourcePolicy: onArn(({ resourceArn }) => resourceArn),
  GetShardIterator: { ...onArn(({ streamArn }) => streamArn), api: 'streams' },
  GetWeather: { ...onAccount, api: 'singlet' },
  ImportTable: {
    tableName: ({ tableCreationParameters }) => tableCreationParameters.tableName,
    touches: ({ tableCreationParameters }, permission) => [
      { permission, resource: tableResource(tableCreationParameters.tableName) },
    ],
  },
  ListBackups: {
    tableName: ({ tableName }) => tableName,
    touches: onAccount.touches,
  },
  ListBulkOperations: onAccount,
  ListContributorInsights: {
    tableName: ({ tableName }) => tableName,
    touches: onAccount.touches,
  },
  ListExports: onArn(({ tableArn }) => tableArn),
  ListGlobalTables: onAccount,
  ListImports: onArn(({ tableArn }) => tableArn),
  ListStreams: {
    api: 'streams',
    tableName: ({ tableName }) => tableName,
    touches: onAccount.touches,
  },
  ListTables: onAccount,
  ListTagsOfResource: onArn(({ resourceArn }) => resourceArn),
  PutItem: { tableName: ({ tableName }) => tableName, touches: touchedByPut },
  PutResourcePolicy: onArn(({ resourceArn }) => resourceArn),
  Query: { tableName: ({ tableName }) => tableName, touches: touchedByQuery },
  RestoreTableFromBackup: {
    permissions: ['RestoreTableFromBackup', ...dataPermissions],
    tableName: ({ targetTableName }) => targetTableName,
    touches: ({ backupArn, targetTableName }, permission) => [
      { permission, resource: arnResource(backupArn) },
      ...onResource(tableResource(targetTableName), [permission, ...dataPermissions]),
    ],
  },
  RestoreTableToPointInTime: {
    permissions: ['RestoreTableToPointInTime', ...restorePermissions],
    tableName: ({ targetTableName }) => targetTableName,
    touches: ({ sourceTableArn, sourceTableName, targetTableName }, permission) => [
      {
        permission,
        resource: sourceTableName === undefined ? arnResource(sourceTableArn) : tableResource(sourceTableName),
      },
      // Assumed: the new table needs the same permission as the source.
      ...onResource(tableResource(targetTableName), [permission, ...restorePermissions]),
    ],
  },
  Scan: { tableName: ({ tableName }) => tableName, touches: touchedByScan },
  SearchVectors: {
    tableName: ({ tableName }) => tableName,
    touches: ({ tableName, indexName }, permission) => [
      { permission, resource: indexOrTable(tableName, indexName) },
      { permission, resource: tableResource(tableName) },
    ],
  },
  SetWeather: { ...onAccount, api: 'singlet' },
  StartBulkPutItems: onTable,
  TagResource: onArn(({ resourceArn }) => resourceArn),
  TransactGetItems: { permissions: ['GetItem'], tableName: () => undefined, touches: touchedByTransactGet },
  TransactWriteItems: {
    permissions: ['ConditionCheckItem', 'DeleteItem', 'PutItem', 'UpdateItem'],
    tableName: () => undefined,
    touches: touchedByTransactWrite,
  },
  UntagResource: onArn(({ resourceArn }) => resourceArn),
  UpdateContinuousBackups: onTable,
  UpdateContributorInsights: onIndexOrTable,
  UpdateGlobalTable: onBothTables,
  UpdateGlobalTableSettings: onBothTables,
  UpdateItem: { tableName: ({ tableName }) => tableName, touches: touchedByUpdate },
  UpdateKinesisStreamingDestination: onTable,
  UpdateTable: {
    permissions: ['UpdateTable', ...addReplicaPermissions, ...witnessPermissions, 'DeleteTableReplica'],
    tableName: ({ tableName }) => tableName,
    touches: ({ tableName, replicaUpdates = [], globalTableWitnessUpdates = [] }, permission) => {
      const isAdding = replicaUpdates.some((update) => update.create !== undefined);
      const isDeleting = replicaUpdates.some((update) => update.delete !== undefined);
      const isAddingWitness = globalTableWitnessUpdates.some((update) => update.create !== undefined);
      const isDeletingWitness = globalTableWitnessUpdates.some((update) => update.delete !== undefined);
      return onResource(tableResource(tableName), [
        permission,
        ...(isAdding ? addReplicaPermissions : []),
        ...(isDeleting ? ['DeleteTableReplica'] : []),
        ...(isAddingWitness ? ['CreateGlobalTableWitness'] : []),
        ...(isDeletingWitness ? ['DeleteGlobalTableWitness'] : []),
      ]);
    },
  },
  UpdateTableReplicaAutoScaling: onTable,
  UpdateTimeToLive: onTable,
};

/** The names of all actions. */
export const actionNames: readonly ActionName[] = Object.keys(actionTable) as ActionName[]; // the table has no other keys

export function isActionName(name: string): name is ActionName {
  return Object.hasOwn(actionTable, name);
}

function onResource(resource: Touch['resource'], permissions: readonly string[]): readonly Touch[] {
  return permissions.map((permission) => ({ permission, resource }));
}

function arnResource(arn: string | undefined): Touch['resource'] {
  return arn === undefined ? { kind: 'account' } : { kind: 'arn', arn };
}

/** The table in an ARN of the table or of anything that belongs to it. */
function tableOfArn(arn: string | undefined): string | undefined {
  return arn === undefined ? undefined : /:table\/([^/]+)/.exec(arn)?.[1];
}

/** The table of a batch that concerns one table only. */
function onlyTable(byTable: Readonly<Record<string, unknown>>): string | undefined {
  const names = Object.keys(byTable);
  return names.length === 1 ? names[0] : undefined;
}
