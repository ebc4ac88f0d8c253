import type {
  AttributeDefinition,
  BillingMode,
  OnDemandThroughput,
  ProvisionedThroughput,
  ServerSideEncryptionSpecification,
  StreamSpecification,
  TableClass,
  TableDescription,
  WarmThroughput,
} from '../tables/table-description.ts';
import type { GlobalSecondaryIndexInput } from './create-table.ts';

/** Exactly one member is present in a valid request; the operation checks that. */
export interface GlobalSecondaryIndexUpdate {
  readonly create?: GlobalSecondaryIndexInput | undefined;
  readonly update?:
    | {
        readonly indexName: string;
        readonly provisionedThroughput?: ProvisionedThroughput | undefined;
        readonly onDemandThroughput?: OnDemandThroughput | undefined;
        readonly warmThroughput?: WarmThroughput | undefined;
      }
    | undefined;
  readonly delete?: { readonly indexName: string } | undefined;
}

export interface UpdateTableRequest {
  readonly tableName: string;
  readonly attributeDefinitions?: readonly AttributeDefinition[] | undefined;
  readonly billingMode?: BillingMode | undefined;
  readonly provisionedThroughput?: ProvisionedThroughput | undefined;
  readonly onDemandThroughput?: OnDemandThroughput | undefined;
  readonly warmThroughput?: WarmThroughput | undefined;
  readonly globalSecondaryIndexUpdates?: readonly GlobalSecondaryIndexUpdate[] | undefined;
  readonly streamSpecification?: StreamSpecification | undefined;
  readonly sseSpecification?: ServerSideEncryptionSpecification | undefined;
  readonly tableClass?: TableClass | undefined;
  readonly deletionProtectionEnabled?: boolean | undefined;
}

export interface UpdateTableResult {
  readonly tableDescription: TableDescription;
}
