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
 * All that is known about a table, as stored. It changes only by a decision that also raises `version` and rewrites the
 * fence, so that no operation acts on an old copy.
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
  /** When it became PAY_PER_REQUEST within the last 24 hours: only so many switches are allowed. */
  readonly switchesToOnDemandMs?: readonly number[];
  readonly throughput: ThroughputRecord;
  readonly onDemandThroughput?: OnDemandThroughput;
  readonly warmThroughput?: WarmThroughput;
  readonly warmTransition?: WarmTransition;
  readonly streamSpecification?: StreamSpecification;
  /** When the stream was last switched on: its label. It outlives the stream. */
  readonly streamSinceMs?: number;
  /** The stream that is on. */
  readonly stream?: StreamReference;
  /** Where its changes go, and went: the newest first, at most one of them live. */
  readonly kinesisDestinations?: readonly KinesisDestinationRecord[];
  readonly sseSpecification?: EncryptionRecord;
  /** Until when the encryption is said to be changing. The table stays ACTIVE meanwhile. */
  readonly sseUpdatingUntilMs?: number;
  readonly tableClass?: TableClass;
  readonly tableClassSinceMs?: number;
  /** When the table class was changed within the last 30 days: only so many changes are allowed. */
  readonly tableClassChangesMs?: readonly number[];
  /** The resource-based policy, or what a deleted one has left. */
  readonly resourcePolicy?: ResourcePolicyRecord;
  readonly deletionProtectionEnabled: boolean;
  readonly tags: readonly Tag[];
  /** Absent: items do not expire. */
  readonly timeToLive?: TimeToLiveRecord;
  /** When the time to live was last switched on or off: that may be done only so often. */
  readonly timeToLiveChangedAtMs?: number;
  /** Present while the table has replicas in other regions. */
  readonly replication?: ReplicationRecord;
  readonly contributorInsights?: ContributorInsightsRecord;
  /** Where item writes keep what they replace, while it may have to be restored. */
  readonly changeLog?: ChangeLogRecord;
  /** What the table is being restored from. Absent once it is complete. */
  readonly restore?: RestoreRecord;
  /** A status other than ACTIVE, and when it ends. Time passes by itself: nothing has to run at that moment. */
  readonly transition?: TableTransition;
}

export interface TableTransition {
  readonly status: 'CREATING' | 'UPDATING' | 'DELETING';
  readonly untilMs: number;
  /** What an UPDATING table is busy with: it decides which further change is refused meanwhile, and how. */
  readonly change?:
    'throughput' | 'billing-mode' | 'stream' | 'table-class' | 'index-creation' | 'index-deletion' | 'replica';
  /** What is shown until then, where the service keeps showing what was. */
  readonly shown?: {
    readonly throughput?: ThroughputRecord;
    readonly warmThroughput?: WarmThroughput;
    readonly tableClass?: TableClass;
    readonly tableClassSinceMs?: number;
  };
}

export interface EncryptionRecord extends ServerSideEncryptionSpecification {
  /** By the key that the account has in the region for this, and not by one that was named. */
  readonly isManaged?: boolean;
}

/** A rise of the warm throughput on its way: what is shown until then. The table or index stays ACTIVE meanwhile. */
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
   * `backfilling`: written to by every item write, not yet readable. `deleting`: neither written nor readable, its
   * entries are being purged. Absent: active.
   */
  readonly phase?: 'backfilling' | 'deleting';
  /** CREATING and UPDATING of an index that has its entries already end by themselves, like the table's. */
  readonly transition?: {
    readonly status: 'CREATING' | 'UPDATING';
    readonly untilMs: number;
    /** The throughput that is shown until then. */
    readonly shown?: ThroughputRecord;
  };
}

export interface VectorIndexRecord extends VectorIndexDefinition {
  readonly space: number;
  /** Where the last changes of its entries are listed; see `followers/vectors/vector-journal.ts`. */
  readonly journalSpace: number;
  /** As of a global index. */
  readonly phase?: 'backfilling' | 'deleting';
  readonly transition?: { readonly status: 'CREATING'; readonly untilMs: number };
}

/** What item writes must know of a stream. The rest is in the stream's own record; see `streams/stream-record.ts`. */
export interface StreamReference {
  /** Where its records lie. */
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
  /** Where the items lie by the time at which they expire. */
  readonly space: number;
  /**
   * `enabling`: every item write maintains the expiry index, which is being filled, and nothing is deleted yet. `disabling`:
   * it is no longer written and is being emptied. Absent: enabled.
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
    /** The earliest time that the log goes back to. */
    readonly sinceMs: number;
    readonly periodDays: number;
  };
  /** Images that are being made and need what was logged after a moment. Without recovery, the log ends with the last. */
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
  // Until policies could be read back, a table kept the text that it was created with.
  const policy: unknown = record.resourcePolicy;
  if (typeof policy !== 'string') return record;
  return { ...record, resourcePolicy: { policy, revisionId: String(record.createdAtMs) } };
}

/** A Kinesis data stream that a table's changes go to, or went to, as the table's record has it. */
export interface KinesisDestinationRecord {
  readonly streamArn: string;
  /** `enabling` until a process has checked whether the stream accepts records. */
  readonly state: 'enabling' | 'active' | 'disabled' | 'failed';
  readonly precision?: TimePrecision;
  /** Why it could not be enabled. */
  readonly description?: string;
  /** Since when it is in this state, and until when the change is said to last. */
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Where the changes wait that are not delivered yet. Only while enabling or active. */
  readonly log?: StreamReference;
}

/** Of the time of a change. Milliseconds without. */
export type TimePrecision = 'MILLISECOND' | 'MICROSECOND';
