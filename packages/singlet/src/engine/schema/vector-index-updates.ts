import type { Limits } from '../../values/limits.ts';
import { ResourceNotFoundException, ValidationException } from '../../values/service-error.ts';
import { newVectorIndex } from './new-table-record.ts';
import { onlineIndexes, withOnlineIndex } from './online-index.ts';
import { stillInUse, subscriberLimitExceeded } from '../catalog/parameter-errors.ts';
import type { TableChangeInput } from '../catalog/table-change.ts';
import { checkIndexCanBeDeleted } from './table-conflicts.ts';
import type { AttributeDefinition, VectorIndexDefinition } from '../catalog/table-description.ts';
import type { TableRecord } from '../catalog/table-record.ts';
import type { TableUpdateRequest, VectorIndexUpdate } from './table-update.ts';
import { checkProjectedAttributeCount, checkProjection } from './validate-table-definition.ts';
import { checkVectorIndex, vectorDimensionsOf, checkVectorIndexBilling } from './vector-index-definition.ts';
import { keyTypeOf, namesOf, redefined } from './validate-key-schema.ts';

/** @throws {ResourceInUseException} for a name whose index is being created: this is reported before the limit is. */
export function checkNoVectorIndexInCreation(record: TableRecord, updates: readonly VectorIndexUpdate[]): void {
  for (const { create } of updates) {
    const present = record.vectorIndexes?.find((index) => index.indexName === create?.indexName);
    if (present?.phase === 'backfilling') {
      throw stillInUse(`Index is being created.  Table: ${record.tableName} Index: ${present.indexName}`);
    }
  }
}

/**
 * The record with the updates of vector indexes applied to it.
 *
 * @throws {ValidationException} | {ResourceNotFoundException} | {ResourceInUseException} | {LimitExceededException}
 */
export function applyVectorIndexUpdates(
  record: TableRecord,
  request: TableUpdateRequest,
  input: TableChangeInput,
  limits: Limits,
): TableRecord {
  let next = record;
  for (const { create, delete: remove } of request.vectorIndexUpdates ?? []) {
    if (create !== undefined) next = createIndex(next, create, request.attributeDefinitions ?? [], input, limits);
    if (remove !== undefined) next = deleteIndex(next, remove.indexName, input);
  }
  return next;
}

function createIndex(
  record: TableRecord,
  index: VectorIndexDefinition,
  definitions: readonly AttributeDefinition[],
  { untilMs, spaces }: TableChangeInput,
  limits: Limits,
): TableRecord {
  const { vectorIndexes = [] } = record;
  if ([...onlineIndexes(record), ...record.localIndexes].some((other) => other.indexName === index.indexName)) {
    throw new ValidationException('Attempting to create an index which already exists');
  }
  if (vectorIndexes.length >= limits.vectorIndexCountMax) {
    throw subscriberLimitExceeded(
      `Number of vector secondary indexes exceeds per-table limit of ${limits.vectorIndexCountMax}`,
    );
  }
  checkVectorIndexBilling(record.billingMode, [index]);
  checkVectorIndex(index, definitions, vectorDimensionsOf(vectorIndexes), limits);
  checkNoVectorOverKey(record, index);
  checkProjection(index.projection);
  checkProjectedAttributeCount([...record.localIndexes, ...record.globalIndexes], [...vectorIndexes, index], limits);
  const known = new Set(namesOf(record.attributeDefinitions));
  const needed = new Set(namesOf(index.searchSchema ?? []).filter((name) => !known.has(name)));
  return {
    ...record,
    attributeDefinitions: [
      ...record.attributeDefinitions,
      ...definitions.filter(({ attributeName }) => needed.delete(attributeName)),
    ],
    vectorIndexes: [
      ...vectorIndexes,
      { ...newVectorIndex(index, spaces), phase: 'backfilling', transition: { status: 'CREATING', untilMs } },
    ],
    transition: record.transition ?? { status: 'UPDATING', untilMs, change: 'index-creation' },
  };
}

/** A vector attribute cannot be a key of the table or of one of its indexes. */
function checkNoVectorOverKey(record: TableRecord, { vectorAttribute, dimensions }: VectorIndexDefinition): void {
  const { attributeName } = vectorAttribute;
  const definition = record.attributeDefinitions.find((known) => known.attributeName === attributeName);
  if (definition === undefined) return;
  const { attributeType } = definition;
  throw redefined(
    `Schema:[SchemaElement: key{${attributeName}:${attributeType}:${keyTypeOf(record, attributeName)}}]`,
    `VectorIndexSchema:[VectorAttribute: key{${attributeName}:L:${dimensions}}]`,
  );
}

/** As for a global index: no longer written, purged in the background, then removed. */
function deleteIndex(record: TableRecord, indexName: string, { untilMs }: TableChangeInput): TableRecord {
  const index = record.vectorIndexes?.find((candidate) => candidate.indexName === indexName);
  if (index === undefined) {
    throw new ResourceNotFoundException(
      `Requested resource not found: Index ${indexName} for table ${record.tableName}`,
    );
  }
  checkIndexCanBeDeleted(record, index);
  const { transition: _ended, ...rest } = index;
  return {
    ...withOnlineIndex(record, { ...rest, phase: 'deleting' }),
    transition: record.transition ?? { status: 'UPDATING', untilMs, change: 'index-deletion' },
  };
}
