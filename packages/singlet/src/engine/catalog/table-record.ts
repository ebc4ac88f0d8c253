import { RecordCodec } from '../layout/record-codec.ts';
import type { ReplicationRecord } from './replication-record.ts';
import type { ContributorInsightsRecord } from './contributor-insights-record.ts';
import type { ResourcePolicyRecord } from './resource-policy-record.ts';
import type {
  AttributeDefinition,
  BillingMode,
  KeySchemaElement,
  OnDemandThroughput,
  Projection,
  ServerSideEncryptionSpecification,
  StreamSpecification,
  TableClass,
  Tag,
  VectorIndexDefinition,
  WarmThroughput,
} from './table-description.ts';

/** The version of the stored form below. A record of another version is refused. */
export const tableRecordFormat = 1;

/**
 * The stored record of a table. It changes only by a decision that also increments `version` and rewrites the
 * fence, so that no operation uses an old copy.
 */
export interface TableRecord {
  readonly format: typeof tableRecordFormat;
  readonly version: number;
  readonly accountId: string;
  readonly region: string;
  readonly tableName: string;
  /** UUID, new for each creation under the same name. */
  readonly tableId: string;
  readonly itemSpace: number;
  readonly createdAtMs: number;
  readonly attributeDefinitions: readonly AttributeDefinition[];
  readonly keySchema: readonly KeySchemaElement[];
  readonly localIndexes: readonly LocalIndexRecord[];
  readonly globalIndexes: readonly GlobalIndexRecord[];
  /** Absent: none. */
  readonly vectorIndexes?: readonly VectorIndexRecord[];
  readonly billingMode: BillingMode;
  /** When the table last became PAY_PER_REQUEST. */
  readonly onDemandSinceMs?: number;
  /** The times of its switches to PAY_PER_REQUEST within the last 24 hours, whose number is limited. */
  readonly switchesToOnDemandMs?: readonly number[];
  readonly throughput: ThroughputRecord;
  readonly onDemandThroughput?: OnDemandThroughput;
  readonly warmThroughput?: WarmThroughput;
  readonly warmTransition?: WarmTransition;
  readonly streamSpecification?: StreamSpecification;
  /** When the stream was last switched on: its label. It is kept after the stream is gone. */
  readonly streamSinceMs?: number;
  /** The stream that is on. */
  readonly stream?: StreamReference;
  /** The present and past Kinesis destinations of its changes: the newest first, at most one of them live. */
  readonly kinesisDestinations?: readonly KinesisDestinationRecord[];
  readonly sseSpecification?: EncryptionRecord;
  /** Until when the encryption is reported as changing. The table stays ACTIVE meanwhile. */
  readonly sseUpdatingUntilMs?: number;
  readonly tableClass?: TableClass;
  readonly tableClassSinceMs?: number;
  /** The times of changes of the table class within the last 30 days, whose number is limited. */
  readonly tableClassChangesMs?: readonly number[];
  /** The resource-based policy, or the remainder of a deleted one. */
  readonly resourcePolicy?: ResourcePolicyRecord;
  readonly deletionProtectionEnabled: boolean;
  readonly tags: readonly Tag[];
  /** Absent: items do not expire. */
  readonly timeToLive?: TimeToLiveRecord;
  /** When the time to live was last switched on or off, which is allowed only at intervals. */
  readonly timeToLiveChangedAtMs?: number;
  /** Present while the table has replicas in other regions. */
  readonly replication?: ReplicationRecord;
  readonly contributorInsights?: ContributorInsightsRecord;
  /** The log of former item states, while they may have to be restored. */
  readonly changeLog?: ChangeLogRecord;
  /** The source from which the table is being restored. Absent once the restore is complete. */
  readonly restore?: RestoreRecord;
  /** A status other than ACTIVE, and when it ends. It ends by the clock: no work has to run at that moment. */
  readonly transition?: TableTransition;
}

export interface TableTransition {
  readonly status: 'CREATING' | 'UPDATING' | 'DELETING';
  readonly untilMs: number;
  /** The change that an UPDATING table is making: it decides which further changes are refused meanwhile, and how. */
  readonly change?:
    'throughput' | 'billing-mode' | 'stream' | 'table-class' | 'index-creation' | 'index-deletion' | 'replica';
  /** The values that are reported until then, where the service keeps reporting the former ones. */
  readonly shown?: {
    readonly throughput?: ThroughputRecord;
    readonly warmThroughput?: WarmThroughput;
    readonly tableClass?: TableClass;
    readonly tableClassSinceMs?: number;
  };
}

export interface EncryptionRecord extends ServerSideEncryptionSpecification {
  /** By the account's key for this purpose in the region, not by a key that the user named. */
  readonly isManaged?: boolean;
}

/** A rise of the warm throughput in progress: the values that are reported until then. The table or index stays ACTIVE meanwhile. */
export interface WarmTransition {
  readonly untilMs: number;
  readonly shown: WarmThroughput;
}

export interface LocalIndexRecord {
  readonly indexName: string;
  readonly keySchema: readonly KeySchemaElement[];
  readonly projection: Projection;
  readonly space: number;
}

export interface GlobalIndexRecord extends LocalIndexRecord {
  readonly throughput: ThroughputRecord;
  readonly onDemandThroughput?: OnDemandThroughput;
  readonly warmThroughput?: WarmThroughput;
  readonly warmTransition?: WarmTransition;
  readonly contributorInsights?: ContributorInsightsRecord;
  /**
   * `backfilling`: every item write maintains it, but it is not readable yet. `deleting`: neither written nor readable, its
   * entries are being purged. Absent: active.
   */
  readonly phase?: 'backfilling' | 'deleting';
  /** CREATING and UPDATING of an index that already has its entries end by the clock, like the table's. */
  readonly transition?: {
    readonly status: 'CREATING' | 'UPDATING';
    readonly untilMs: number;
    /** The throughput that is reported until then. */
    readonly shown?: ThroughputRecord;
  };
}

export interface VectorIndexRecord extends VectorIndexDefinition {
  readonly space: number;
  /** The space of the journal of its latest changes; see `followers/vectors/vector-journal.ts`. */
  readonly journalSpace: number;
  /** As for a global index. */
  readonly phase?: 'backfilling' | 'deleting';
  readonly transition?: { readonly status: 'CREATING'; readonly untilMs: number };
}

/** What item writes need to know about a stream. The rest is in the stream's own record; see `streams/stream-record.ts`. */
export interface StreamReference {
  /** The space of its records. */
  readonly space: number;
  /** In the order of their hashes. */
  readonly openShards: readonly {
    readonly number: number;
    /** The first two bytes of the first hash that the shard covers, as a number. */
    readonly hashFrom: number;
  }[];
}

export interface TimeToLiveRecord {
  readonly attributeName: string;
  /** The space of the items by the time at which they expire. */
  readonly space: number;
  /**
   * `enabling`: every item write maintains the expiry index, which is being filled, and no item is deleted yet. `disabling`:
   * the index is no longer written and is being emptied. Absent: enabled.
   */
  readonly phase?: {
    readonly kind: 'enabling' | 'disabling';
    /** The phase lasts at least until then. */
    readonly untilMs: number;
  };
}

/** See `followers/recovery/recovery-log.ts`. */
export interface ChangeLogRecord {
  readonly space: number;
  /** Point-in-time recovery, when it is enabled. */
  readonly recovery?: {
    /** The earliest time that the log reaches back to. */
    readonly sinceMs: number;
    readonly periodDays: number;
  };
  /** Images in progress, which need the changes logged after a moment. Without recovery, the log ends with the last of them. */
  readonly readers: readonly { readonly imageSpace: number; readonly after: number }[];
}

export interface RestoreRecord {
  readonly sourceBackupArn?: string;
  readonly sourceTableArn: string;
  /** The time whose state is restored. */
  readonly atMs: number;
}

export interface ThroughputRecord {
  readonly readCapacityUnits: number;
  readonly writeCapacityUnits: number;
  readonly lastIncreaseMs?: number;
  readonly lastDecreaseMs?: number;
  /** On the UTC day of `lastDecreaseMs`. */
  readonly numberOfDecreasesToday: number;
}

const tableRecords = new RecordCodec<TableRecord>(tableRecordFormat, ({ tableName }) => `Table ${tableName}`);

/** @param key - see `tableRecordKey`. */
export function encodeTableRecord(key: Uint8Array, record: TableRecord): Buffer {
  return tableRecords.encode(key, record);
}

/** @throws {StorageError} as {@link RecordCodec.decode}. */
export function decodeTableRecord(key: Uint8Array, value: Uint8Array): TableRecord {
  const record = tableRecords.decode(key, value);
  // Before policies could be read, a table kept the text with which it was created.
  const policy: unknown = record.resourcePolicy;
  if (typeof policy !== 'string') return record;
  return { ...record, resourcePolicy: { policy, revisionId: String(record.createdAtMs) } };
}

/** A Kinesis data stream that receives a table's changes, or received them, as stored in the table's record. */
export interface KinesisDestinationRecord {
  readonly streamArn: string;
  /** `enabling` until a process has checked that the stream accepts records. */
  readonly state: 'enabling' | 'active' | 'disabled' | 'failed';
  readonly precision?: TimePrecision;
  /** Why it could not be enabled. */
  readonly description?: string;
  /** Since when it is in this state, and until when the change is reported as in progress. */
  readonly sinceMs: number;
  readonly untilMs: number;
  /** The space of the changes that are not delivered yet. Only while enabling or active. */
  readonly log?: StreamReference;
}

/** The precision of the time of a change. Milliseconds when absent. */
export type TimePrecision = 'MILLISECOND' | 'MICROSECOND';
