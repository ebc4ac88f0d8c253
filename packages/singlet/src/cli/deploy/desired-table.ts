import type {
  CreateReplicationGroupMemberAction,
  CreateTableCommandInput,
  ImportTableCommandInput,
  KinesisStreamingDestinationInput,
  PointInTimeRecoverySpecification,
  TimeToLiveSpecification,
} from '@aws-sdk/client-dynamodb';

/** A table as a file wants it, in the terms of the API. */
export interface DesiredTable {
  /** What the file calls it. */
  readonly logicalId: string;
  /** Table, indexes, capacity, stream, encryption, class, protection, tags, resource policy. */
  readonly create: CreateTableCommandInput & { readonly TableName: string };
  /**
   * What CreateTable has no member for. Undefined when the file cannot speak of it: then it is left as it is. In a template
   * that does not, it is off.
   */
  readonly more: DesiredSettings | undefined;
  /** Regions that have the table too. Undefined: the file does not speak of them. */
  readonly replicas: readonly DesiredReplica[] | undefined;
  /** Whether it may be deleted to be created again. */
  readonly isRetained: boolean;
}

/** What a resource of a template says outside of its properties. */
export type TableResource = Pick<DesiredTable, 'logicalId' | 'isRetained'>;

/** Everything about a table that may differ from region to region, and is not in CreateTable. */
export interface DesiredSettings {
  readonly timeToLive: TimeToLiveSpecification | undefined;
  readonly pointInTimeRecovery: PointInTimeRecoverySpecification | undefined;
  readonly kinesis: DesiredKinesis | undefined;
  readonly insights: DesiredInsights | undefined;
  /** By index name. */
  readonly indexInsights: ReadonlyMap<string, DesiredInsights>;
  /** Policy of the stream, as JSON text. */
  readonly streamPolicy: string | undefined;
  /** Where the items of a new table come from. */
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
  /** How it is added: with its table class, its key, its throughput of reads. */
  readonly creation: CreateReplicationGroupMemberAction;
  /** What it has for itself. Tags, policy and protection among it are those that CreateTable sets at home. */
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
