import type {
  CreateReplicationGroupMemberAction,
  CreateTableCommandInput,
  ImportTableCommandInput,
  KinesisStreamingDestinationInput,
  PointInTimeRecoverySpecification,
  TimeToLiveSpecification,
} from '@aws-sdk/client-dynamodb';

/** A table as defined by a file, in the terms of the API. */
export interface DesiredTable {
  /** Its name in the file. */
  readonly logicalId: string;
  /** Table, indexes, capacity, stream, encryption, class, protection, tags, resource policy. */
  readonly create: CreateTableCommandInput & { readonly TableName: string };
  /**
   * Settings that are not part of CreateTable. Undefined if the file format cannot express them: they are then left unchanged. If the format
   * can express them and the file does not mention them, they are disabled.
   */
  readonly more: DesiredSettings | undefined;
  /** The other regions of the table. Undefined: the file does not define them. */
  readonly replicas: readonly DesiredReplica[] | undefined;
  /** Whether it must not be deleted in order to be recreated. */
  readonly isRetained: boolean;
}

/** The attributes of a template resource outside its properties. */
export type TableResource = Pick<DesiredTable, 'logicalId' | 'isRetained'>;

/** The table settings that may differ by region and are not part of CreateTable. */
export interface DesiredSettings {
  readonly timeToLive: TimeToLiveSpecification | undefined;
  readonly pointInTimeRecovery: PointInTimeRecoverySpecification | undefined;
  readonly kinesis: DesiredKinesis | undefined;
  readonly insights: DesiredInsights | undefined;
  /** By index name. */
  readonly indexInsights: ReadonlyMap<string, DesiredInsights>;
  /** Policy of the stream, as JSON text. */
  readonly streamPolicy: string | undefined;
  /** The source of a new table's items. */
  readonly importSource: Omit<ImportTableCommandInput, 'TableCreationParameters' | 'ClientToken'> | undefined;
}

export type DesiredKinesis = Required<Pick<KinesisStreamingDestinationInput, 'StreamArn'>> & {
  readonly precision: 'MILLISECOND' | 'MICROSECOND' | undefined;
};

export interface DesiredInsights {
  readonly isEnabled: boolean;
  readonly mode: string | undefined;
}

/** The table in another region. */
export interface DesiredReplica {
  readonly region: string;
  /** How it is added: with its table class, key and read throughput. */
  readonly creation: CreateReplicationGroupMemberAction;
  /** Its regional settings. They include the tags, policy and protection that CreateTable sets in the home region. */
  readonly create: Pick<
    DesiredTable['create'],
    'TableName' | 'GlobalSecondaryIndexes' | 'TableClass' | 'DeletionProtectionEnabled' | 'Tags' | 'ResourcePolicy'
  >;
  readonly more: DesiredSettings;
}

export const noSettings: DesiredSettings = {
  timeToLive: undefined,
  pointInTimeRecovery: undefined,
  kinesis: undefined,
  insights: undefined,
  indexInsights: new Map(),
  streamPolicy: undefined,
  importSource: undefined,
};
