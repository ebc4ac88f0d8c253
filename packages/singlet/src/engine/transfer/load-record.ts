import { RecordCodec } from '../layout/record-codec.ts';
import type { Compression, ItemFormat } from '../../transfer/formats/index.ts';
import type { CreateTableRequest } from '../schema/create-table-request.ts';

/** The version of the stored form below. */
export const loadFormat = 1;

/** `import`: into a new table (ImportTable). `bulk`: into an existing table (StartBulkPutItems). */
export type LoadKind = 'import' | 'bulk';

export type LoadStatus = 'IN_PROGRESS' | 'COMPLETED' | 'COMPLETED_WITH_ERRORS' | 'CANCELLING' | 'CANCELLED' | 'FAILED';

/**
 * A load: items that are being, or have been, copied from a bucket into a table. The record holds everything about it,
 * including its progress. Each batch of items is written in one decision with its progress, so that no item is counted twice
 * or left out, wherever the work is interrupted.
 */
export interface LoadRecord {
  readonly format: typeof loadFormat;
  readonly kind: LoadKind;
  readonly accountId: string;
  readonly region: string;
  /** Sorts by the start time. */
  readonly loadId: string;
  readonly tableName: string;
  readonly tableId: string;
  readonly clientToken: string;
  /** A digest of the request: distinguishes a repetition from another request with the same token. */
  readonly requestDigest: string;
  readonly input: LoadInput;
  /** For an import: the table in the request. */
  readonly tableCreationParameters?: CreateTableRequest;
  /** For a bulk operation. */
  readonly bulk?: BulkSettings;
  readonly status: LoadStatus;
  readonly startedAtMs: number;
  readonly endedAtMs?: number;
  readonly failure?: LoadFailure;
  /** The size of the objects; present once they have been listed. */
  readonly totalBytes?: number;
  readonly position: LoadPosition;
  readonly counts: LoadCounts;
  /** The process that runs it, and when its lease expires if it is not renewed. */
  readonly lease?: { readonly owner: string; readonly untilMs: number; readonly token?: number };
}

export interface LoadInput {
  readonly bucket: string;
  readonly bucketOwner?: string | undefined;
  readonly keyPrefix?: string | undefined;
  readonly format: ItemFormat;
  readonly compression: Compression;
  readonly csv?:
    { readonly delimiter?: string | undefined; readonly headerList?: readonly string[] | undefined } | undefined;
}

export interface BulkSettings {
  readonly output: BulkOutput;
  readonly maxWriteRequestUnits?: number | undefined;
  readonly performanceTier: 'STANDARD' | 'ACCELERATED';
}

export type BulkOutputType = 'ERROR' | 'CONDITION_CHECK_FAILURE';

export interface BulkOutput {
  readonly bucket: string;
  readonly bucketOwner?: string | undefined;
  readonly keyPrefix?: string | undefined;
  readonly sseAlgorithm?: 'AES256' | 'KMS' | undefined;
  readonly sseKmsKeyId?: string | undefined;
  readonly outputTypes: readonly BulkOutputType[];
}

export interface LoadFailure {
  readonly code: string;
  readonly message: string;
}

/** The progress of a load: objects are read in the order of their keys. */
export interface LoadPosition {
  /** The last object that was read; absent before the first. */
  readonly objectKey?: string;
  /** How many of its records have been processed. */
  readonly recordCount: number;
  /** Whether the object is finished. */
  readonly isObjectDone: boolean;
  /** The size of the objects before it, bytes: as stored, and uncompressed. */
  readonly readBytesBefore: number;
  readonly plainBytesBefore: number;
}

export interface LoadCounts {
  /** Records that were read, including refused and unreadable ones. */
  readonly processed: number;
  readonly written: number;
  readonly failed: number;
  readonly conditionFailed: number;
  /** Bytes of objects that were read: as stored, and uncompressed. */
  readonly readBytes: number;
  readonly plainBytes: number;
  /** Bytes of items written to the table, and of entries written to its indexes, by name. */
  readonly tableBytes: number;
  readonly indexBytes: Readonly<Record<string, number>>;
}

export const nothingDone: { readonly position: LoadPosition; readonly counts: LoadCounts } = {
  position: { recordCount: 0, isObjectDone: true, readBytesBefore: 0, plainBytesBefore: 0 },
  counts: {
    processed: 0,
    written: 0,
    failed: 0,
    conditionFailed: 0,
    readBytes: 0,
    plainBytes: 0,
    tableBytes: 0,
    indexBytes: {},
  },
};

/** Whether the load is unfinished. */
export function isOpen({ status }: LoadRecord): boolean {
  return status === 'IN_PROGRESS' || status === 'CANCELLING';
}

const loadRecords = new RecordCodec<LoadRecord>(loadFormat, ({ tableName }) => `The import into table ${tableName}`);

/** @param key - see `loadKey`. */
export function encodeLoad(key: Uint8Array, load: LoadRecord): Buffer {
  return loadRecords.encode(key, load);
}

/** @throws {StorageError} as {@link RecordCodec.decode}. */
export function decodeLoad(key: Uint8Array, value: Uint8Array): LoadRecord {
  return loadRecords.decode(key, value);
}
