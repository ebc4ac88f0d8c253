import type { Limits } from '../../values/limits.ts';
import type { ValidationException } from '../../values/service-error.ts';
import type { TableDefinitionInput } from '../schema/table-definition.ts';
import type { GlobalSecondaryIndexInput, LocalSecondaryIndexInput } from '../schema/table-definition.ts';
import type {
  BillingMode,
  OnDemandThroughput,
  ProvisionedThroughput,
  ServerSideEncryptionSpecification,
  VectorIndexDefinition,
} from '../catalog/table-description.ts';
import type { GlobalIndexRecord, LocalIndexRecord, TableRecord, VectorIndexRecord } from '../catalog/table-record.ts';
import { type TableDefinition, validateTableDefinition } from '../schema/validate-table-definition.ts';
import { invalidRequest } from './backup-errors.ts';

/** The settings in which a restored table may differ from its source. */
export interface RestoreOverrides {
  readonly billingModeOverride?: BillingMode | undefined;
  /** The indexes to restore, which the source must have had, under any names. Absent: all. */
  readonly globalSecondaryIndexOverride?: readonly GlobalSecondaryIndexInput[] | undefined;
  readonly localSecondaryIndexOverride?: readonly LocalSecondaryIndexInput[] | undefined;
  readonly vectorIndexOverride?: readonly VectorIndexDefinition[] | undefined;
  readonly provisionedThroughputOverride?: ProvisionedThroughput | undefined;
  readonly onDemandThroughputOverride?: OnDemandThroughput | undefined;
  readonly sseSpecificationOverride?: ServerSideEncryptionSpecification | undefined;
}

/**
 * The definition of a table that is restored from a source: its keys, its indexes, its throughput and its encryption, unless
 * they are overridden. Streams, time to live, tags, policies, deletion protection, table class and point-in-time recovery
 * are not restored.
 *
 * @throws {ValidationException} when the overrides do not match each other or the source; with the service's texts.
 * @throws {LimitExceededException} when a throughput is above its quota.
 */
export function restoredTableDefinition(
  source: TableRecord,
  target: { readonly tableName: string; readonly region: string },
  overrides: RestoreOverrides,
  limits: Limits,
): { readonly request: TableDefinitionInput; readonly definition: TableDefinition } {
  const billingMode = overrides.billingModeOverride ?? source.billingMode;
  const isProvisioned = billingMode === 'PROVISIONED';
  checkThroughputs(source, overrides, billingMode);
  const localIndexes = restoredLocalIndexes(source, overrides);
  const globalIndexes = restoredGlobalIndexes(source, overrides, billingMode);
  const onDemandThroughput = overrides.onDemandThroughputOverride ?? source.onDemandThroughput;
  const sseSpecification = overrides.sseSpecificationOverride ?? source.sseSpecification;
  const vectorIndexes = restoredVectorIndexes(source, overrides);
  const keys = [
    ...[source, ...localIndexes, ...globalIndexes].flatMap(({ keySchema }) => keySchema),
    ...vectorIndexes.flatMap(({ searchSchema = [] }) => searchSchema),
  ];
  const request: TableDefinitionInput = {
    tableName: target.tableName,
    attributeDefinitions: source.attributeDefinitions.filter(({ attributeName }) =>
      keys.some((key) => key.attributeName === attributeName),
    ),
    keySchema: source.keySchema,
    ...(localIndexes.length > 0 && { localSecondaryIndexes: localIndexes }),
    ...(globalIndexes.length > 0 && { globalSecondaryIndexes: globalIndexes }),
    ...(vectorIndexes.length > 0 && { vectorIndexes }),
    billingMode,
    ...(isProvisioned && {
      provisionedThroughput: overrides.provisionedThroughputOverride ?? unitsOf(source),
    }),
    ...(!isProvisioned && onDemandThroughput !== undefined && { onDemandThroughput }),
    ...(sseSpecification !== undefined && { sseSpecification }),
  };
  return { request, definition: validateTableDefinition(request, target.region, limits) };
}

function restoredVectorIndexes(
  source: TableRecord,
  { vectorIndexOverride }: RestoreOverrides,
): readonly VectorIndexDefinition[] {
  const indexes = (source.vectorIndexes ?? []).filter(({ phase }) => phase === undefined).map(vectorIndexInput);
  const known = new Set(indexes.map(vectorIndexText));
  for (const index of vectorIndexOverride ?? []) {
    if (!known.has(vectorIndexText(index))) throw unknownIndex(index.indexName);
  }
  return vectorIndexOverride ?? indexes;
}

/** Equal for the same vectors, search schema and projection, in any order of names. */
function vectorIndexText(index: VectorIndexDefinition): string {
  const { vectorAttribute, searchSchema = [], projection, dimensions, distanceFunction } = index;
  const searched = searchSchema.map(({ attributeName, searchSchemaElementType: type }) => `${type} ${attributeName}`);
  const { projectionType = 'ALL', nonKeyAttributes = [] } = projection;
  const { attributeName } = vectorAttribute;
  return JSON.stringify([
    attributeName,
    searched.toSorted(),
    projectionType,
    nonKeyAttributes.toSorted(),
    dimensions,
    distanceFunction,
  ]);
}

function vectorIndexInput({
  indexName,
  vectorAttribute,
  searchSchema,
  projection,
  dimensions,
  distanceFunction,
}: VectorIndexRecord): VectorIndexDefinition {
  return { indexName, vectorAttribute, searchSchema, projection, dimensions, distanceFunction };
}

function checkThroughputs(source: TableRecord, overrides: RestoreOverrides, billingMode: BillingMode): void {
  const { billingModeOverride, provisionedThroughputOverride, onDemandThroughputOverride } = overrides;
  if (billingMode === 'PAY_PER_REQUEST' && provisionedThroughputOverride !== undefined) {
    throw invalidRequest(
      billingModeOverride === undefined
        ? 'Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED'
        : 'Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST',
    );
  }
  if (billingModeOverride === 'PROVISIONED' && provisionedThroughputOverride === undefined) {
    throw invalidRequest('Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED');
  }
  if (billingMode === 'PROVISIONED' && onDemandThroughputOverride !== undefined) {
    const name =
      onDemandThroughputOverride.maxReadRequestUnits === undefined ? 'MaxWriteRequestUnits' : 'MaxReadRequestUnits';
    throw invalidRequest(
      `Cannot override ${name} for OnDemandThroughput unless BillingModeOverride is PAY_PER_REQUEST`,
    );
  }
}

function restoredLocalIndexes(
  source: TableRecord,
  { localSecondaryIndexOverride }: RestoreOverrides,
): readonly LocalSecondaryIndexInput[] {
  const indexes = source.localIndexes;
  for (const index of localSecondaryIndexOverride ?? []) checkIsKnown(index, indexes);
  return (localSecondaryIndexOverride ?? indexes).map(({ indexName, keySchema, projection }) => {
    return { indexName, keySchema, projection };
  });
}

function restoredGlobalIndexes(
  source: TableRecord,
  { globalSecondaryIndexOverride, billingModeOverride }: RestoreOverrides,
  billingMode: BillingMode,
): readonly GlobalSecondaryIndexInput[] {
  // An index that was being built or deleted does not count as an index of the source.
  const indexes = source.globalIndexes.filter(({ phase }) => phase === undefined);
  for (const index of globalSecondaryIndexOverride ?? []) {
    checkIsKnown(index, indexes);
    if (billingMode === 'PAY_PER_REQUEST' && index.provisionedThroughput !== undefined) {
      throw invalidRequest(
        billingModeOverride === undefined
          ? `Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED for index ${index.indexName}`
          : `Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST for index ${index.indexName}`,
      );
    }
  }
  const restored = globalSecondaryIndexOverride ?? indexes.map((index) => asInput(index, billingMode));
  for (const { indexName, provisionedThroughput } of restored) {
    if (billingMode === 'PROVISIONED' && provisionedThroughput === undefined) {
      throw invalidRequest(`Must specify provisioned throughput for index ${indexName}`);
    }
  }
  return restored;
}

/** An index with its recorded throughput, if it has one for this billing mode. */
function asInput(index: GlobalIndexRecord, billingMode: BillingMode): GlobalSecondaryIndexInput {
  const { indexName, keySchema, projection, onDemandThroughput } = index;
  const units = unitsOf(index);
  return {
    indexName,
    keySchema,
    projection,
    ...(billingMode === 'PROVISIONED' && units.readCapacityUnits > 0 && { provisionedThroughput: units }),
    ...(billingMode === 'PAY_PER_REQUEST' && onDemandThroughput !== undefined && { onDemandThroughput }),
  };
}

function checkIsKnown(index: LocalSecondaryIndexInput, known: readonly LocalIndexRecord[]): void {
  if (known.some((candidate) => indexText(candidate) === indexText(index))) return;
  throw unknownIndex(index.indexName);
}

function unknownIndex(indexName: string): ValidationException {
  return invalidRequest(
    `Index ${indexName} does not match a secondary index that existed in the source table and cannot be created during the restore operation`,
  );
}

/** Equal for the same keys and projection, in any order of the projected names. */
function indexText({ keySchema, projection }: LocalSecondaryIndexInput | LocalIndexRecord): string {
  const keys = keySchema.map(({ attributeName, keyType }) => [attributeName, keyType]);
  const { projectionType = 'ALL', nonKeyAttributes = [] } = projection;
  return JSON.stringify([keys, projectionType, nonKeyAttributes.toSorted()]);
}

function unitsOf({ throughput }: TableRecord | GlobalIndexRecord): ProvisionedThroughput {
  const { readCapacityUnits, writeCapacityUnits } = throughput;
  return { readCapacityUnits, writeCapacityUnits };
}
