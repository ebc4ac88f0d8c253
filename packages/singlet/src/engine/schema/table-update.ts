import type { GlobalSecondaryIndexInput } from './table-definition.ts';
import type {
  AttributeDefinition,
  BillingMode,
  OnDemandThroughput,
  OnDemandThroughputOverride,
  ProvisionedThroughput,
  ProvisionedThroughputOverride,
  ServerSideEncryptionSpecification,
  StreamSpecification,
  TableClass,
  VectorIndexDefinition,
  WarmThroughput,
} from '../catalog/table-description.ts';
import type { CrossAccountParameters } from './unsupported-parameters.ts';

/** Exactly one member is present in a valid request; the operation checks that. */
export interface GlobalSecondaryIndexUpdate {
  readonly create?: GlobalSecondaryIndexInput | undefined;
  readonly update?: GlobalSecondaryIndexThroughputUpdate | undefined;
  readonly delete?: { readonly indexName: string } | undefined;
}

export interface GlobalSecondaryIndexThroughputUpdate {
  readonly indexName: string;
  readonly provisionedThroughput?: ProvisionedThroughput | undefined;
  readonly onDemandThroughput?: OnDemandThroughput | undefined;
  readonly warmThroughput?: WarmThroughput | undefined;
}

/** Exactly one member is present in a valid request; the operation checks that. */
export interface ReplicaUpdate {
  readonly create?: ReplicaSettings | undefined;
  readonly update?: ReplicaSettings | undefined;
  readonly delete?: { readonly regionName: string } | undefined;
  readonly disassociate?: { readonly regionName?: string | undefined } | undefined;
}

/** A replica, and its overrides of the shared settings. */
export interface ReplicaSettings {
  readonly regionName: string;
  readonly kmsMasterKeyId?: string | undefined;
  readonly provisionedThroughputOverride?: ProvisionedThroughputOverride | undefined;
  readonly onDemandThroughputOverride?: OnDemandThroughputOverride | undefined;
  readonly globalSecondaryIndexes?: readonly ReplicaIndexSettings[] | undefined;
  readonly tableClassOverride?: TableClass | undefined;
}

export interface ReplicaIndexSettings {
  readonly indexName: string;
  readonly provisionedThroughputOverride?: ProvisionedThroughputOverride | undefined;
  readonly onDemandThroughputOverride?: OnDemandThroughputOverride | undefined;
}

export interface GlobalTableWitnessUpdate {
  readonly create?: { readonly regionName: string } | undefined;
  readonly delete?: { readonly regionName: string } | undefined;
}

/** Exactly one member is present in a valid request; the operation checks that. */
export interface VectorIndexUpdate {
  readonly create?: VectorIndexDefinition | undefined;
  readonly delete?: { readonly indexName: string } | undefined;
}

/** A change of a table, as in a request. */
export interface TableUpdateRequest extends Omit<CrossAccountParameters, 'globalTableSourceArn'> {
  readonly tableName: string;
  readonly attributeDefinitions?: readonly AttributeDefinition[] | undefined;
  readonly billingMode?: BillingMode | undefined;
  readonly provisionedThroughput?: ProvisionedThroughput | undefined;
  readonly onDemandThroughput?: OnDemandThroughput | undefined;
  readonly warmThroughput?: WarmThroughput | undefined;
  readonly globalSecondaryIndexUpdates?: readonly GlobalSecondaryIndexUpdate[] | undefined;
  readonly vectorIndexUpdates?: readonly VectorIndexUpdate[] | undefined;
  readonly streamSpecification?: StreamSpecification | undefined;
  readonly sseSpecification?: ServerSideEncryptionSpecification | undefined;
  readonly tableClass?: TableClass | undefined;
  readonly deletionProtectionEnabled?: boolean | undefined;
  readonly replicaUpdates?: readonly ReplicaUpdate[] | undefined;
  readonly multiRegionConsistency?: 'EVENTUAL' | 'STRONG' | undefined;
  readonly globalTableWitnessUpdates?: readonly GlobalTableWitnessUpdate[] | undefined;
}
