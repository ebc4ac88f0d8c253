import type { KeyAttributeType } from '../../../singlet/src/values/attribute-value.ts';

// The part of DescribeTable's answer that the page reads.

export interface KeySchemaElement {
  readonly AttributeName: string;
  readonly KeyType: 'HASH' | 'RANGE';
}

export interface IndexDescription {
  readonly IndexName: string;
  readonly KeySchema: readonly KeySchemaElement[];
  readonly Projection: {
    readonly ProjectionType: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
    readonly NonKeyAttributes?: readonly string[];
  };
  readonly IndexStatus?: string;
  readonly ItemCount?: number;
  readonly IndexSizeBytes?: number;
}

export interface TableDescription {
  readonly TableName: string;
  readonly TableStatus: string;
  readonly KeySchema: readonly KeySchemaElement[];
  readonly AttributeDefinitions: readonly {
    readonly AttributeName: string;
    readonly AttributeType: KeyAttributeType;
  }[];
  readonly GlobalSecondaryIndexes?: readonly IndexDescription[];
  readonly LocalSecondaryIndexes?: readonly IndexDescription[];
  readonly ItemCount?: number;
  readonly TableSizeBytes?: number;
  readonly BillingModeSummary?: { readonly BillingMode: string };
  readonly ProvisionedThroughput?: { readonly ReadCapacityUnits: number; readonly WriteCapacityUnits: number };
  readonly OnDemandThroughput?: { readonly MaxReadRequestUnits?: number; readonly MaxWriteRequestUnits?: number };
  readonly TableClassSummary?: { readonly TableClass: 'STANDARD' | 'STANDARD_INFREQUENT_ACCESS' };
  readonly DeletionProtectionEnabled?: boolean;
  readonly StreamSpecification?: { readonly StreamEnabled: boolean; readonly StreamViewType?: string };
  readonly LatestStreamArn?: string;
  readonly TableArn?: string;
}

/** The names of the key attributes of a table or an index. */
export interface KeyNames {
  readonly partition: string;
  readonly sort: string | undefined;
}

export interface TableIndex extends IndexDescription {
  readonly kind: 'global' | 'local';
}

export function indexesOf(table: TableDescription): readonly TableIndex[] {
  return [
    ...(table.GlobalSecondaryIndexes ?? []).map((index) => ({ ...index, kind: 'global' as const })),
    ...(table.LocalSecondaryIndexes ?? []).map((index) => ({ ...index, kind: 'local' as const })),
  ];
}

export function keyNamesOf({ KeySchema }: { readonly KeySchema: readonly KeySchemaElement[] }): KeyNames {
  const partition = KeySchema.find(({ KeyType }) => KeyType === 'HASH')?.AttributeName ?? '';
  return { partition, sort: KeySchema.find(({ KeyType }) => KeyType === 'RANGE')?.AttributeName };
}

/** The declared type of a key attribute. */
export function keyTypeOf(table: TableDescription, attributeName: string): KeyAttributeType {
  const definition = table.AttributeDefinitions.find(({ AttributeName }) => AttributeName === attributeName);
  return definition?.AttributeType ?? 'S';
}
