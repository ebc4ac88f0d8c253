import type {
  AttributeDefinition,
  BillingMode,
  KeySchemaElement,
  OnDemandThroughput,
  Projection,
  ProvisionedThroughput,
  ServerSideEncryptionSpecification,
  StreamSpecification,
  Tag,
  VectorIndexDefinition,
  WarmThroughput,
} from '../catalog/table-description.ts';

export interface LocalSecondaryIndexInput {
  readonly indexName: string;
  readonly keySchema: readonly KeySchemaElement[];
  readonly projection: Projection;
}

export interface GlobalSecondaryIndexInput extends LocalSecondaryIndexInput {
  readonly provisionedThroughput?: ProvisionedThroughput | undefined;
  readonly onDemandThroughput?: OnDemandThroughput | undefined;
  readonly warmThroughput?: WarmThroughput | undefined;
}

/** A table as a request defines it. */
export interface TableDefinitionInput {
  readonly tableName: string;
  readonly attributeDefinitions?: readonly AttributeDefinition[] | undefined;
  readonly keySchema?: readonly KeySchemaElement[] | undefined;
  readonly localSecondaryIndexes?: readonly LocalSecondaryIndexInput[] | undefined;
  readonly globalSecondaryIndexes?: readonly GlobalSecondaryIndexInput[] | undefined;
  readonly vectorIndexes?: readonly VectorIndexDefinition[] | undefined;
  readonly billingMode?: BillingMode | undefined;
  readonly provisionedThroughput?: ProvisionedThroughput | undefined;
  readonly onDemandThroughput?: OnDemandThroughput | undefined;
  readonly warmThroughput?: WarmThroughput | undefined;
  readonly streamSpecification?: StreamSpecification | undefined;
  readonly sseSpecification?: ServerSideEncryptionSpecification | undefined;
  readonly tags?: readonly Tag[] | undefined;
}
