import type { KeyAttributeType } from '../../values/attribute-value.ts';

export interface AttributeDefinition {
  readonly attributeName: string;
  readonly attributeType: KeyAttributeType;
}

export interface KeySchemaElement {
  readonly attributeName: string;
  readonly keyType: 'HASH' | 'RANGE';
}

export type ProjectionType = 'ALL' | 'KEYS_ONLY' | 'INCLUDE';

export interface Projection {
  readonly projectionType?: ProjectionType | undefined;
  readonly nonKeyAttributes?: readonly string[] | undefined;
}

export type VectorDistanceFunction = 'COSINE' | 'EUCLIDEAN' | 'DOT_PRODUCT';

/** An attribute by which searches of a vector index can be narrowed. HASH must be given with each search. */
export interface SearchSchemaElement {
  readonly attributeName: string;
  readonly searchSchemaElementType: 'HASH' | 'INLINE_FILTER';
}

/** The definition of a vector index. */
export interface VectorIndexDefinition {
  readonly indexName: string;
  readonly vectorAttribute: { readonly attributeName: string };
  readonly searchSchema?: readonly SearchSchemaElement[] | undefined;
  readonly projection: Projection;
  readonly dimensions: number;
  readonly distanceFunction: VectorDistanceFunction;
}

export interface ProvisionedThroughput {
  readonly readCapacityUnits: number;
  readonly writeCapacityUnits: number;
}

export interface OnDemandThroughput {
  /** -1 removes the limit. */
  readonly maxReadRequestUnits?: number | undefined;
  readonly maxWriteRequestUnits?: number | undefined;
}

/** The settings in which a replica may differ from the others. */
export interface ProvisionedThroughputOverride {
  readonly readCapacityUnits?: number | undefined;
}

export interface OnDemandThroughputOverride {
  readonly maxReadRequestUnits?: number | undefined;
}

export interface WarmThroughput {
  readonly readUnitsPerSecond?: number | undefined;
  readonly writeUnitsPerSecond?: number | undefined;
}

export interface StreamSpecification {
  readonly streamEnabled: boolean;
  readonly streamViewType?: StreamViewType | undefined;
}

export type StreamViewType = 'NEW_IMAGE' | 'OLD_IMAGE' | 'NEW_AND_OLD_IMAGES' | 'KEYS_ONLY';

export interface ServerSideEncryptionSpecification {
  readonly enabled?: boolean | undefined;
  readonly sseType?: 'AES256' | 'KMS' | undefined;
  readonly kmsMasterKeyId?: string | undefined;
}

export interface Tag {
  readonly key: string;
  readonly value: string;
}

export type BillingMode = 'PROVISIONED' | 'PAY_PER_REQUEST';

export type TableClass = 'STANDARD' | 'STANDARD_INFREQUENT_ACCESS';

export type TableStatus = 'CREATING' | 'UPDATING' | 'DELETING' | 'ACTIVE';

export type IndexStatus = 'CREATING' | 'UPDATING' | 'DELETING' | 'ACTIVE';

export interface ProvisionedThroughputDescription {
  readonly lastIncreaseDateTime?: number;
  readonly lastDecreaseDateTime?: number;
  readonly numberOfDecreasesToday: number;
  readonly readCapacityUnits: number;
  readonly writeCapacityUnits: number;
}

export interface WarmThroughputDescription extends WarmThroughput {
  readonly status: 'ACTIVE' | 'UPDATING';
}

export interface LocalSecondaryIndexDescription {
  readonly indexName: string;
  readonly keySchema: readonly KeySchemaElement[];
  readonly projection: Projection;
  readonly indexSizeBytes: number;
  readonly itemCount: number;
  readonly indexArn: string;
}

export interface GlobalSecondaryIndexDescription {
  readonly indexName: string;
  readonly keySchema: readonly KeySchemaElement[];
  readonly projection: Projection;
  readonly indexStatus: IndexStatus;
  readonly backfilling?: boolean;
  readonly provisionedThroughput: ProvisionedThroughputDescription;
  readonly indexSizeBytes: number;
  readonly itemCount: number;
  readonly indexArn: string;
  readonly onDemandThroughput?: OnDemandThroughput;
  readonly warmThroughput?: WarmThroughputDescription;
}

/** Another replica of the table. The settings that it shares with the others are omitted. */
export interface ReplicaDescription {
  readonly regionName: string;
  readonly replicaStatus: 'CREATING' | 'UPDATING' | 'DELETING' | 'ACTIVE';
  readonly kmsMasterKeyId?: string;
  readonly provisionedThroughputOverride?: ProvisionedThroughputOverride;
  readonly onDemandThroughputOverride?: OnDemandThroughputOverride;
  readonly warmThroughput?: WarmThroughputDescription;
  readonly globalSecondaryIndexes?: readonly ReplicaIndexDescription[];
  readonly replicaTableClassSummary?: { readonly tableClass: TableClass; readonly lastUpdateDateTime?: number };
  readonly globalTableSettingsReplicationMode: 'ENABLED_WITH_OVERRIDES';
}

export interface ReplicaIndexDescription {
  readonly indexName: string;
  readonly provisionedThroughputOverride?: ProvisionedThroughputOverride;
  readonly onDemandThroughputOverride?: OnDemandThroughputOverride;
  readonly warmThroughput?: WarmThroughputDescription;
}

export interface VectorIndexDescription extends VectorIndexDefinition {
  readonly indexStatus: IndexStatus;
  readonly backfilling?: boolean;
  readonly indexSizeBytes: number;
  readonly itemCount: number;
  readonly indexArn: string;
}

/** The table in the answers of DescribeTable and other actions. Date-times are seconds since 1970, with fractions. */
export interface TableDescription {
  readonly attributeDefinitions?: readonly AttributeDefinition[];
  readonly tableName: string;
  readonly keySchema?: readonly KeySchemaElement[];
  readonly tableStatus: TableStatus;
  readonly creationDateTime?: number;
  readonly provisionedThroughput: ProvisionedThroughputDescription;
  readonly tableSizeBytes: number;
  readonly itemCount: number;
  readonly tableArn: string;
  readonly tableId: string;
  readonly billingModeSummary?: {
    readonly billingMode: BillingMode;
    readonly lastUpdateToPayPerRequestDateTime?: number;
  };
  readonly localSecondaryIndexes?: readonly LocalSecondaryIndexDescription[];
  readonly globalSecondaryIndexes?: readonly GlobalSecondaryIndexDescription[];
  readonly vectorIndexes?: readonly VectorIndexDescription[];
  readonly streamSpecification?: StreamSpecification;
  readonly latestStreamLabel?: string;
  readonly latestStreamArn?: string;
  /** Only while the table is being restored. */
  readonly restoreSummary?: {
    readonly sourceBackupArn?: string;
    readonly sourceTableArn: string;
    readonly restoreDateTime: number;
    readonly restoreInProgress: true;
  };
  readonly sseDescription?: {
    readonly status: 'ENABLING' | 'ENABLED' | 'DISABLING' | 'DISABLED' | 'UPDATING';
    readonly sseType: 'AES256' | 'KMS';
    readonly kmsMasterKeyArn?: string;
  };
  readonly tableClassSummary?: { readonly tableClass: TableClass; readonly lastUpdateDateTime?: number };
  readonly deletionProtectionEnabled: boolean;
  readonly onDemandThroughput?: OnDemandThroughput;
  readonly warmThroughput?: WarmThroughputDescription;
  /** These three are present only in a table with replicas. */
  readonly globalTableVersion?: '2019.11.21';
  readonly replicas?: readonly ReplicaDescription[];
  readonly globalTableSettingsReplicationMode?: 'ENABLED_WITH_OVERRIDES';
}
