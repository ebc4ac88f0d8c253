import type {
  AttributeDefinition,
  BillingMode,
  KeySchemaElement,
  OnDemandThroughput,
  Projection,
  ProvisionedThroughput,
  ServerSideEncryptionSpecification,
  StreamSpecification,
  TableClass,
  TableDescription,
  Tag,
  WarmThroughput,
} from '../tables/table-description.ts';

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

export interface CreateTableRequest {
  readonly tableName: string;
  readonly attributeDefinitions?: readonly AttributeDefinition[] | undefined;
  readonly keySchema?: readonly KeySchemaElement[] | undefined;
  readonly localSecondaryIndexes?: readonly LocalSecondaryIndexInput[] | undefined;
  readonly globalSecondaryIndexes?: readonly GlobalSecondaryIndexInput[] | undefined;
  readonly billingMode?: BillingMode | undefined;
  readonly provisionedThroughput?: ProvisionedThroughput | undefined;
  readonly onDemandThroughput?: OnDemandThroughput | undefined;
  readonly warmThroughput?: WarmThroughput | undefined;
  readonly streamSpecification?: StreamSpecification | undefined;
  readonly sseSpecification?: ServerSideEncryptionSpecification | undefined;
  readonly tags?: readonly Tag[] | undefined;
  readonly tableClass?: TableClass | undefined;
  readonly deletionProtectionEnabled?: boolean | undefined;
  readonly resourcePolicy?: string | undefined;
}

export interface CreateTableResult {
  readonly tableDescription: TableDescription;
}
