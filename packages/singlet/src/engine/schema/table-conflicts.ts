import { ResourceInUseException } from '../../values/service-error.ts';
import { onlineIndexes, type OnlineIndexRecord } from './online-index.ts';
import { stillInUse } from '../catalog/parameter-errors.ts';
import type { TableRecord } from '../catalog/table-record.ts';
import type { TableUpdateRequest } from './table-update.ts';
import { streamLabel } from '../catalog/utc-text.ts';

/*
 * The changes that are refused while another is in progress. The records given here hold no expired transition.
 */

/** @throws {ResourceInUseException} while the table is being created or deleted. */
export function checkNotInLifecycle({ transition, tableName }: TableRecord): void {
  if (transition?.status === 'CREATING') throw stillInUse(`Table is being created: ${tableName}`);
  if (transition?.status === 'DELETING') throw stillInUse(`Table is being deleted: ${tableName}`);
}

/** What an update changes, in the words that the service uses for it. */
type Aspect = 'change table IOPS' | 'change stream status' | 'create or delete index' | 'update table class';

/**
 * Refuses an update that conflicts with a change in progress. Updates of deletion protection, of warm throughput
 * and of the throughput of an index do not wait for any change of the table.
 *
 * @throws {ResourceInUseException}
 */
export function checkNoRunningChange(record: TableRecord, request: TableUpdateRequest): void {
  checkNotInLifecycle(record);
  if (request.sseSpecification !== undefined && record.sseUpdatingUntilMs !== undefined) {
    throw stillInUse('Server-Side Encryption is still being updated');
  }
  const deleted = onlineIndexes(record).find((index) => index.phase === 'deleting');
  const change = deleted === undefined ? record.transition?.change : 'index-deletion';
  if (change === undefined) return;
  if (change === 'replica') throw inUse();
  for (const aspect of aspectsOf(request)) {
    // For indexes that are being created or deleted at the same time, the service has a text of its own.
    if (aspect === 'create or delete index' && change.startsWith('index-')) continue;
    throw stillInUse(conflictText(record, change, aspect));
  }
  if (request.onDemandThroughput !== undefined) {
    throw stillInUse(`OnDemandThroughput cannot be updated while ${changeNames[change]} is in progress`);
  }
}

/** The service's error while replicas are being added or removed, which gives no reason. */
export function inUse(): ResourceInUseException {
  return new ResourceInUseException('The resource which you are attempting to change is in use.');
}

type Change = Exclude<NonNullable<NonNullable<TableRecord['transition']>['change']>, 'replica'>;

const changeNames: Readonly<Record<Change, string>> = {
  throughput: 'table IOPS update',
  'billing-mode': 'BillingMode update',
  stream: 'stream status update',
  'table-class': 'TableClass update',
  'index-creation': 'index creation',
  'index-deletion': 'index deletion',
};

function aspectsOf(request: TableUpdateRequest): readonly Aspect[] {
  const aspects: Aspect[] = [];
  if (request.provisionedThroughput !== undefined || request.billingMode !== undefined)
    aspects.push('change table IOPS');
  if (request.streamSpecification !== undefined) aspects.push('change stream status');
  if (request.tableClass !== undefined) aspects.push('update table class');
  const vectorIndexCount = request.vectorIndexUpdates?.length ?? 0;
  if (
    vectorIndexCount > 0 ||
    request.globalSecondaryIndexUpdates?.some((update) => update.update === undefined) === true
  ) {
    aspects.push('create or delete index');
  }
  return aspects;
}

function conflictText(record: TableRecord, change: Change, aspect: Aspect): string {
  const { tableName } = record;
  switch (change) {
    case 'throughput':
    case 'billing-mode':
      if (aspect === 'change table IOPS') return `Table IOPS are currently being updated. Table: ${tableName}`;
      return `Can't ${aspect === 'change stream status' ? 'enable or disable stream' : aspect} while table IOPS are being updated. Table: ${tableName}`;
    case 'stream': {
      const operation = record.streamSpecification?.streamEnabled === true ? 'ENABLE' : 'DISABLE';
      const stream = `Table: ${tableName} Stream: ${streamLabel(record.streamSinceMs ?? 0)} Operation: ${operation}`;
      if (aspect === 'change stream status') return `A stream status change is currently in progress. ${stream}`;
      return `Can't ${aspect} when stream status is being updated. ${stream}`;
    }
    case 'table-class':
      return `Can't ${aspect} when a table class update is in progress. Table: ${tableName} TableClassUpdateInProgress: ${record.tableClass ?? 'STANDARD'}`;
    case 'index-creation':
    case 'index-deletion': {
      const isDeletion = change === 'index-deletion';
      const indexes = onlineIndexes(record).filter(
        (index) => index.phase === (isDeletion ? 'deleting' : 'backfilling'),
      );
      const names = indexes.map((index) => index.indexName).join(', ');
      return `Can't ${aspect} when an index is being ${isDeletion ? 'deleted' : 'created'}. Table: ${tableName} Indexes: [${names}]`;
    }
  }
}

/** @throws {ResourceInUseException} if the index cannot be changed now. */
export function checkIndexCanChange(record: TableRecord, index: OnlineIndexRecord): void {
  // The service has two blanks before "Table" here.
  const where = ` Table: ${record.tableName} Index: ${index.indexName}`;
  if (index.phase === 'deleting') throw stillInUse(`Index is being deleted. ${where}`);
  if (index.phase === 'backfilling' && index.transition !== undefined) {
    throw stillInUse(`Index is being created but is not backfilling yet. ${where}`);
  }
  if (index.transition !== undefined) throw stillInUse(`Index is being updated. ${where}`);
}

/** @throws {ResourceInUseException} if the index cannot be deleted now. */
export function checkIndexCanBeDeleted(record: TableRecord, index: OnlineIndexRecord): void {
  if (index.phase === 'backfilling' && index.transition !== undefined) {
    throw stillInUse(
      `Index creation is in resource allocation phase. Retry deletion during backfilling phase or when the index is active. Table: ${record.tableName} Index: ${index.indexName}`,
    );
  }
  checkIndexCanChange(record, index);
}

/** @throws {ResourceInUseException} if the table cannot be deleted now. */
export function checkTableCanBeDeleted(record: TableRecord): void {
  checkNotInLifecycle(record);
  if (onlineIndexes(record).some((index) => index.phase !== undefined || index.transition !== undefined)) {
    throw stillInUse('Cannot delete table while indexes are being created, updated, or deleted.');
  }
  if (record.transition !== undefined) {
    throw stillInUse(`Table: ${record.tableName} is in the process of being updated.`);
  }
}
