import type { Row } from '../row.ts';
import { backupRows } from './backups.ts';
import { batchGetRows } from './batch-get.ts';
import { batchWriteRows } from './batch-write.ts';
import { classAndEncryptionRows } from './class-and-encryption.ts';
import { conditionRows } from './condition.ts';
import { consumedCapacityRows } from './consumed-capacity.ts';
import { contributorInsightsRows } from './contributor-insights.ts';
import { createTableRows } from './create-table.ts';
import { deleteItemRows } from './delete-item.ts';
import { errorCatalogueRows } from './error-catalogue.ts';
import { exportRows } from './exports.ts';
import { expressionRows } from './expressions.ts';
import { filterRows } from './filter.ts';
import { getItemRows } from './get-item.ts';
import { globalTableRows } from './global-tables.ts';
import { idempotencyRows } from './idempotency.ts';
import { importRows } from './imports.ts';
import { globalIndexRows } from './indexes-global.ts';
import { localIndexRows } from './indexes-local.ts';
import { itemCollectionMetricsRows } from './item-collection-metrics.ts';
import { itemSizeRows } from './item-size.ts';
import { keyConditionRows } from './key-conditions.ts';
import { keyRows } from './keys.ts';
import { kinesisRows } from './kinesis.ts';
import { legacyParameterRows } from './legacy-parameters.ts';
import { limitRows } from './limits.ts';
import { listDescribeDeleteRows } from './list-describe-delete.ts';
import { multiAttributeIndexRows } from './multi-attribute-index.ts';
import { numberRows } from './numbers.ts';
import { partiqlSeveralRows } from './partiql-several.ts';
import { partiqlStatementRows } from './partiql-statements.ts';
import { partiqlWriteRows } from './partiql-writes.ts';
import { projectionRows } from './projection.ts';
import { putItemRows } from './put-item.ts';
import { queryRows } from './query.ts';
import { resourcePolicyRows } from './resource-policy.ts';
import { returnValueRows } from './return-values.ts';
import { scanRows } from './scan.ts';
import { tableArnRows } from './table-arn.ts';
import { streamRows } from './streams.ts';
import { tagRows } from './tags.ts';
import { timeToLiveRows } from './time-to-live.ts';
import { transactGetRows } from './transact-get.ts';
import { transactWriteRows } from './transact-write.ts';
import { typesAndValuesRows } from './types-and-values.ts';
import { updateExpressionRows } from './update-expressions.ts';
import { updateItemRows } from './update-item.ts';
import { updateTableRows } from './update-table.ts';
import { validationShapeRows } from './validation-shapes.ts';
import { wholeServiceRows } from './whole-service.ts';
import { vectorSearchRows } from './vector-search.ts';
import { wireProtocolRows } from './wire-protocol.ts';

/** All rows, by subject. */
export const rowsBySubject: Readonly<Record<string, readonly Row[]>> = {
  'the service as a whole': wholeServiceRows,
  'types and values': typesAndValuesRows,
  numbers: numberRows,
  'item size': itemSizeRows,
  keys: keyRows,
  'create table': createTableRows,
  'update table': updateTableRows,
  'table class and encryption': classAndEncryptionRows,
  'list, describe, delete': listDescribeDeleteRows,
  'global tables': globalTableRows,
  tags: tagRows,
  'table ARNs': tableArnRows,
  'resource policies': resourcePolicyRows,
  'Kinesis destinations': kinesisRows,
  'time to live': timeToLiveRows,
  streams: streamRows,
  'backups and recovery': backupRows,
  exports: exportRows,
  'put item': putItemRows,
  'get item': getItemRows,
  'update item': updateItemRows,
  'delete item': deleteItemRows,
  'return values': returnValueRows,
  query: queryRows,
  'key conditions': keyConditionRows,
  scan: scanRows,
  'global indexes': globalIndexRows,
  'local indexes': localIndexRows,
  'multi-attribute indexes': multiAttributeIndexRows,
  expressions: expressionRows,
  filter: filterRows,
  projection: projectionRows,
  condition: conditionRows,
  'update expressions': updateExpressionRows,
  'legacy parameters': legacyParameterRows,
  'batch get': batchGetRows,
  'batch write': batchWriteRows,
  'transact write': transactWriteRows,
  'transact get': transactGetRows,
  idempotency: idempotencyRows,
  'PartiQL statements': partiqlStatementRows,
  'PartiQL writes': partiqlWriteRows,
  'PartiQL batches and transactions': partiqlSeveralRows,
  'vector search': vectorSearchRows,
  'contributor insights': contributorInsightsRows,
  'consumed capacity': consumedCapacityRows,
  'item collection metrics': itemCollectionMetricsRows,
  limits: limitRows,
  'wire protocol': wireProtocolRows,
  'validation of shapes': validationShapeRows,
  'error catalogue': errorCatalogueRows,
  imports: importRows,
};

export const allRows: readonly Row[] = Object.values(rowsBySubject).flat();
