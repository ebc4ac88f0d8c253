import type { Limits } from '../../values/limits.ts';
import type { RequestContext } from '../environment.ts';
import type { ResourcePolicyRecord } from '../catalog/resource-policy-record.ts';
import { resolveEncryption } from './encryption.ts';
import type { SpaceCounter } from '../catalog/space-counter.ts';
import type { GlobalSecondaryIndexInput, LocalSecondaryIndexInput, TableDefinitionInput } from './table-definition.ts';
import type { BillingMode, TableClass, VectorIndexDefinition } from '../catalog/table-description.ts';
import {
  type GlobalIndexRecord,
  type LocalIndexRecord,
  tableRecordFormat,
  type TableRecord,
  type VectorIndexRecord,
} from '../catalog/table-record.ts';
import { newThroughput } from './throughput-changes.ts';
import type { TableDefinition } from './validate-table-definition.ts';
import { newWarmThroughput } from './warm-throughput.ts';

export interface NewTable {
  readonly request: TableDefinitionInput & {
    readonly tableClass?: TableClass | undefined;
    readonly deletionProtectionEnabled?: boolean | undefined;
  };
  readonly definition: TableDefinition;
  readonly resourcePolicy: ResourcePolicyRecord | undefined;
  readonly context: RequestContext;
  readonly tableId: string;
  readonly nowMs: number;
  /** When CREATING ends. */
  readonly untilMs: number;
  readonly limits: Limits;
}

/**
 * The record of a new table.
 *
 * @throws {ValidationException} | {LimitExceededException} if its warm throughput is invalid.
 */
export function newTableRecord(newTable: NewTable, spaces: SpaceCounter): TableRecord {
  const { request, definition, context, nowMs, limits } = newTable;
  const { billingMode } = definition;
  const provisioned = newThroughput(request.provisionedThroughput);
  const warmOptions = { billingMode, provisioned, limits };
  const sseSpecification = resolveEncryption(request.sseSpecification, context);
  const hasStream = request.streamSpecification?.streamEnabled === true;
  return {
    format: tableRecordFormat,
    version: 1,
    accountId: context.accountId,
    region: context.region,
    tableName: request.tableName,
    tableId: newTable.tableId,
    itemSpace: spaces.next(),
    createdAtMs: nowMs,
    attributeDefinitions: definition.attributeDefinitions,
    keySchema: definition.keySchema,
    localIndexes: definition.localIndexes.map((index) => newLocalIndex(index, spaces)),
    globalIndexes: definition.globalIndexes.map((index) =>
      newGlobalIndex(index, { billingMode, region: context.region, limits }, spaces),
    ),
    ...(definition.vectorIndexes.length > 0 && {
      vectorIndexes: definition.vectorIndexes.map((index) => newVectorIndex(index, spaces)),
    }),
    billingMode,
    ...(billingMode === 'PAY_PER_REQUEST' && { onDemandSinceMs: nowMs }),
    throughput: provisioned,
    ...(request.onDemandThroughput !== undefined && { onDemandThroughput: request.onDemandThroughput }),
    warmThroughput: newWarmThroughput(request.warmThroughput, { region: context.region }, warmOptions),
    ...(hasStream && { streamSpecification: request.streamSpecification }),
    ...(sseSpecification !== undefined && { sseSpecification }),
    ...(request.tableClass !== undefined && { tableClass: request.tableClass }),
    ...(newTable.resourcePolicy !== undefined && { resourcePolicy: newTable.resourcePolicy }),
    deletionProtectionEnabled: request.deletionProtectionEnabled ?? false,
    tags: request.tags ?? [],
    transition: { status: 'CREATING', untilMs: newTable.untilMs },
  };
}

function newLocalIndex(
  { indexName, keySchema, projection }: LocalSecondaryIndexInput,
  spaces: SpaceCounter,
): LocalIndexRecord {
  return { indexName, keySchema, projection, space: spaces.next() };
}

/**
 * The record of a new global index, complete with the table.
 *
 * @throws {ValidationException} | {LimitExceededException} if its warm throughput is invalid.
 */
export function newGlobalIndex(
  index: GlobalSecondaryIndexInput,
  table: { readonly billingMode: BillingMode; readonly region: string; readonly limits: Limits },
  spaces: SpaceCounter,
): GlobalIndexRecord {
  const { indexName, onDemandThroughput } = index;
  const provisioned = newThroughput(index.provisionedThroughput);
  return {
    ...newLocalIndex(index, spaces),
    throughput: provisioned,
    ...(onDemandThroughput !== undefined && { onDemandThroughput }),
    warmThroughput: newWarmThroughput(
      index.warmThroughput,
      { region: table.region, indexName },
      { ...table, provisioned },
    ),
  };
}

/** The record of a new vector index, complete with the table. */
export function newVectorIndex(index: VectorIndexDefinition, spaces: SpaceCounter): VectorIndexRecord {
  const { searchSchema, ...rest } = index;
  return {
    ...rest,
    ...(searchSchema !== undefined && { searchSchema }),
    space: spaces.next(),
    journalSpace: spaces.next(),
  };
}
