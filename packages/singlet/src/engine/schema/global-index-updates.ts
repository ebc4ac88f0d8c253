import type { Limits } from '../../values/limits.ts';
import { ResourceNotFoundException, ValidationException } from '../../values/service-error.ts';
import { newGlobalIndex } from './new-table-record.ts';
import { onlineIndexes, withOnlineIndex } from './online-index.ts';
import { checkOnDemandThroughput, mergeOnDemandThroughput } from './on-demand-throughput.ts';
import { invalidParameter, subscriberLimitExceeded } from '../catalog/parameter-errors.ts';
import type { TableChangeInput } from '../catalog/table-change.ts';
import { checkIndexCanBeDeleted, checkIndexCanChange } from './table-conflicts.ts';
import type { GlobalSecondaryIndexInput } from './table-definition.ts';
import type { AttributeDefinition } from '../catalog/table-description.ts';
import type { GlobalIndexRecord, TableRecord } from '../catalog/table-record.ts';
import type {
  GlobalSecondaryIndexThroughputUpdate,
  GlobalSecondaryIndexUpdate,
  TableUpdateRequest,
  VectorIndexUpdate,
} from './table-update.ts';
import { changeThroughput, checkThroughputQuota, isOutOfBounds, shownDuringChange } from './throughput-changes.ts';
import { checkGlobalIndex, checkProjectedAttributeCount } from './validate-table-definition.ts';
import { namesOf, redefined } from './validate-key-schema.ts';
import { raisedWarmThroughput, raiseWarmThroughput } from './warm-throughput.ts';

/**
 * Checks the updates of global and vector indexes against each other and the table: they share one limit.
 *
 * @throws {LimitExceededException} if more than one index is created or deleted, by this request or an earlier one.
 * @throws {ValidationException}
 */
export function checkIndexUpdates(
  record: TableRecord,
  updates: readonly GlobalSecondaryIndexUpdate[],
  vectorUpdates: readonly VectorIndexUpdate[],
  limits: Limits,
): void {
  const changes = [...updates.filter((update) => update.update === undefined), ...vectorUpdates];
  // An index that is being created may itself be deleted, once it is past its first phase.
  const others = onlineIndexes(record).filter(
    (index) => index.phase !== undefined && !changes.some((change) => change.delete?.indexName === index.indexName),
  );
  if (changes.length > 0 && changes.length + others.length > limits.globalIndexChangeCountMax) {
    throw subscriberLimitExceeded(
      `Only ${limits.globalIndexChangeCountMax} online index can be created or deleted simultaneously per table`,
    );
  }
  for (const { update } of updates) {
    if (update?.provisionedThroughput !== undefined && isOutOfBounds(update.provisionedThroughput)) {
      throw new ValidationException(
        'This operation cannot be performed with given input values. Please contact DynamoDB service team for more info: Action Blocked: IndexUpdate',
      );
    }
  }
}

/**
 * The record with one update of a global index applied to it.
 *
 * @throws {ValidationException} | {ResourceNotFoundException} | {ResourceInUseException} | {LimitExceededException}
 */
export function applyGlobalIndexUpdate(
  record: TableRecord,
  { create, update, delete: remove }: GlobalSecondaryIndexUpdate,
  request: TableUpdateRequest,
  input: TableChangeInput,
  limits: Limits,
): TableRecord {
  if (create !== undefined) return createIndex(record, create, request.attributeDefinitions, input, limits);
  if (update !== undefined) return updateIndex(record, update, input, limits);
  if (remove !== undefined) return deleteIndex(record, remove.indexName, input);
  return record;
}

function createIndex(
  record: TableRecord,
  index: GlobalSecondaryIndexInput,
  definitions: readonly AttributeDefinition[] | undefined,
  input: TableChangeInput,
  limits: Limits,
): TableRecord {
  const { indexName, provisionedThroughput } = index;
  if ([...onlineIndexes(record), ...record.localIndexes].some((other) => other.indexName === indexName)) {
    throw new ValidationException('Attempting to create an index which already exists');
  }
  if (record.globalIndexes.length >= limits.globalIndexCountMax) {
    throw subscriberLimitExceeded(
      `Number of global secondary indexes exceeds per-table limit of ${limits.globalIndexCountMax}`,
    );
  }
  if (definitions === undefined) {
    throw invalidParameter(`AttributeDefinitions is not specified for index: ${indexName}`);
  }
  checkNoKeyOverVector(record, index, definitions);
  const attributeDefinitions = mergedDefinitions(record, index, definitions);
  checkGlobalIndex(index, attributeDefinitions, limits);
  checkProjectedAttributeCount(
    [...record.localIndexes, ...record.globalIndexes, index],
    record.vectorIndexes ?? [],
    limits,
  );
  const { billingMode, region } = record;
  if (billingMode === 'PAY_PER_REQUEST' && provisionedThroughput !== undefined) throw unitsOnDemand(indexName);
  if (billingMode === 'PROVISIONED' && provisionedThroughput === undefined) {
    throw invalidParameter(`Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: ${indexName}`);
  }
  if (provisionedThroughput !== undefined) checkThroughputQuota(provisionedThroughput, { region, indexName }, limits);
  checkOnDemandThroughput(index.onDemandThroughput, { region, indexName }, { billingMode, canRemove: false, limits });
  const created: GlobalIndexRecord = {
    ...newGlobalIndex(index, { billingMode, region, limits }, input.spaces),
    phase: 'backfilling',
    transition: { status: 'CREATING', untilMs: input.untilMs },
  };
  return {
    ...record,
    attributeDefinitions,
    globalIndexes: [...record.globalIndexes, created],
    transition: record.transition ?? { status: 'UPDATING', untilMs: input.untilMs, change: 'index-creation' },
  };
}

/** A key of the index cannot be a vector attribute: an item's value would have to be of two types. */
function checkNoKeyOverVector(
  { vectorIndexes = [] }: TableRecord,
  { keySchema }: GlobalSecondaryIndexInput,
  definitions: readonly AttributeDefinition[],
): void {
  for (const { attributeName, keyType } of keySchema) {
    const vectors = vectorIndexes.find(({ vectorAttribute }) => vectorAttribute.attributeName === attributeName);
    const definition = definitions.find((defined) => defined.attributeName === attributeName);
    if (vectors === undefined || definition === undefined) continue;
    throw redefined(
      `VectorIndexSchema:[VectorAttribute: key{${attributeName}:L:${vectors.dimensions}}]`,
      `Schema:[SchemaElement: key{${attributeName}:${definition.attributeType}:${keyType}}]`,
    );
  }
}

/**
 * The definitions with those that the new index needs. Existing definitions do not change, and unneeded ones are
 * left out: the service silently ignores both.
 */
function mergedDefinitions(
  record: TableRecord,
  index: GlobalSecondaryIndexInput,
  definitions: readonly AttributeDefinition[],
): readonly AttributeDefinition[] {
  const known = new Set(namesOf(record.attributeDefinitions));
  const needed = new Set(namesOf(index.keySchema).filter((name) => !known.has(name)));
  return [...record.attributeDefinitions, ...definitions.filter(({ attributeName }) => needed.delete(attributeName))];
}

function updateIndex(
  record: TableRecord,
  update: GlobalSecondaryIndexThroughputUpdate,
  { nowMs, untilMs }: TableChangeInput,
  limits: Limits,
): TableRecord {
  const { indexName, provisionedThroughput, onDemandThroughput, warmThroughput } = update;
  const { billingMode, region } = record;
  const index = globalIndexOf(record, indexName, 'update');
  const subject = { region, indexName };
  if (billingMode === 'PAY_PER_REQUEST' && provisionedThroughput !== undefined) throw unitsOnDemand(indexName);
  if (provisionedThroughput === undefined && onDemandThroughput === undefined && warmThroughput === undefined) {
    throw invalidParameter(
      billingMode === 'PROVISIONED'
        ? `Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: ${indexName}`
        : `The only Updates for index: ${indexName} when TableThroughputMode is PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput`,
    );
  }
  checkIndexCanChange(record, index);
  checkOnDemandThroughput(onDemandThroughput, subject, { billingMode, canRemove: true, limits });
  let changed: GlobalIndexRecord = index;
  if (provisionedThroughput !== undefined) {
    checkThroughputQuota(provisionedThroughput, subject, limits);
    const throughput = changeThroughput(index.throughput, provisionedThroughput, subject, nowMs, limits);
    const shown = shownDuringChange(index.throughput, throughput, nowMs);
    changed = {
      ...changed,
      throughput,
      warmThroughput: raisedWarmThroughput(index.warmThroughput, {
        readUnitsPerSecond: throughput.readCapacityUnits,
        writeUnitsPerSecond: throughput.writeCapacityUnits,
      }),
      transition: { status: 'UPDATING', untilMs, shown },
    };
  }
  if (onDemandThroughput !== undefined) {
    changed = {
      ...withOnDemandThroughput(changed, mergeOnDemandThroughput(index.onDemandThroughput, onDemandThroughput)),
      transition: changed.transition ?? { status: 'UPDATING', untilMs },
    };
  }
  if (warmThroughput !== undefined) {
    changed = {
      ...changed,
      ...raiseWarmThroughput(changed.warmThroughput, warmThroughput, subject, { untilMs, limits }),
    };
  }
  return withOnlineIndex(record, changed);
}

/** The index is no longer written. A background task purges its entries, then removes its record. */
function deleteIndex(record: TableRecord, indexName: string, { untilMs }: TableChangeInput): TableRecord {
  const index = globalIndexOf(record, indexName, 'delete');
  checkIndexCanBeDeleted(record, index);
  const { transition: _ended, warmTransition: _given, ...rest } = index;
  return {
    ...withOnlineIndex(record, { ...rest, phase: 'deleting' }),
    transition: record.transition ?? { status: 'UPDATING', untilMs, change: 'index-deletion' },
  };
}

/** A table or index with a different on-demand maximum, or none. */
export function withOnDemandThroughput<T extends Pick<TableRecord, 'onDemandThroughput'>>(
  subject: T,
  onDemandThroughput: TableRecord['onDemandThroughput'],
): T {
  const { onDemandThroughput: _before, ...rest } = subject;
  // The rest is a T, because the removed member is optional.
  return { ...rest, ...(onDemandThroughput !== undefined && { onDemandThroughput }) } as T;
}

function globalIndexOf(record: TableRecord, indexName: string, action: 'update' | 'delete'): GlobalIndexRecord {
  const index = record.globalIndexes.find((candidate) => candidate.indexName === indexName);
  if (index !== undefined) return index;
  if (record.localIndexes.some((local) => local.indexName === indexName)) {
    throw new ValidationException(`Cannot ${action} an index that is not a GlobalSecondaryIndex: ${indexName}`);
  }
  throw new ResourceNotFoundException(`Requested resource not found: Index ${indexName} for table ${record.tableName}`);
}

function unitsOnDemand(indexName: string): ValidationException {
  return invalidParameter(
    `Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: ${indexName} when BillingMode is PAY_PER_REQUEST`,
  );
}
