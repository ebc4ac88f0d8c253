import { StorageError } from '../../storage/storage-error.ts';
import type { StoreValue, StoreWrite } from '../../storage/store.ts';
import type { RequestContext } from '../environment.ts';
import { textHash } from '../layout/partition-hash.ts';
import { space, storeKey } from '../layout/spaces.ts';
import type { RecordedFilter } from './export-filter.ts';

/** The version of the stored form below. A record of another version is refused. */
const exportRecordFormat = 1;

export type ExportFormat = 'DYNAMODB_JSON' | 'ION';
export type ExportViewType = 'NEW_AND_OLD_IMAGES' | 'NEW_IMAGE';
export type ExportType = 'FULL_EXPORT' | 'INCREMENTAL_EXPORT';
export type ExportStatus = 'IN_PROGRESS' | 'COMPLETED' | 'FAILED';
export type S3SseAlgorithm = 'AES256' | 'KMS';

/** All that is known about an export. It outlives the table. */
export interface ExportRecord {
  readonly format: typeof exportRecordFormat;
  readonly accountId: string;
  readonly region: string;
  readonly exportId: string;
  readonly tableName: string;
  readonly tableId: string;
  /** Names of the key attributes, for the keys of changed items. */
  readonly keyNames: readonly string[];
  readonly status: ExportStatus;
  readonly startMs: number;
  readonly endMs?: number;
  /** The state of which time; absent for an incremental export. */
  readonly exportMs?: number;
  /** Only as far as the request said so. */
  readonly exportType?: ExportType;
  readonly incremental?: { readonly fromMs: number; readonly toMs: number; readonly viewType: ExportViewType };
  readonly filter?: RecordedFilter;
  readonly exportFormat: ExportFormat;
  readonly bucket: string;
  readonly bucketOwner?: string;
  readonly prefix?: string;
  readonly sseAlgorithm: S3SseAlgorithm;
  readonly sseKmsKeyId?: string;
  readonly clientToken?: string;
  readonly itemCount?: number;
  readonly billedSizeBytes?: number;
  readonly failureCode?: string;
  readonly failureMessage?: string;
}

/** Whose export a client token stands for. */
export interface ExportToken {
  readonly format: typeof exportRecordFormat;
  readonly token: string;
  readonly exportId: string;
  /** Of the request. */
  readonly digest: string;
  readonly untilMs: number;
}

export type NewExport = Omit<ExportRecord, 'format'>;

export function newExportRecord(record: NewExport): ExportRecord {
  return { format: exportRecordFormat, ...record };
}

export function arnOfExport({ accountId, region, tableName, exportId }: ExportRecord): string {
  return `arn:aws:dynamodb:${region}:${accountId}:table/${tableName}/export/${exportId}`;
}

/** Where an export's record lies: ids begin with the time, so they lie by age. */
export function exportKey({ accountId, region }: RequestContext, exportId: string): Buffer {
  return storeKey(space.exports, textHash(accountId, region), Buffer.from(exportId, 'utf8'));
}

/** Where the exports of an account in a region lie. */
export function exportKeys(context: RequestContext): { readonly from: Buffer; readonly to: Buffer } {
  const afterAllIds = '~';
  return { from: exportKey(context, ''), to: exportKey(context, afterAllIds) };
}

export function exportWrite(record: ExportRecord): StoreWrite {
  return { key: exportKey(record, record.exportId), value: Buffer.from(JSON.stringify(record), 'utf8') };
}

export function exportTokenKey({ accountId, region }: RequestContext, token: string): Buffer {
  return storeKey(space.exports, textHash(accountId, region, 'export token', token));
}

export function exportTokenWrite(context: RequestContext, token: Omit<ExportToken, 'format'>): StoreWrite {
  const stored: ExportToken = { format: exportRecordFormat, ...token };
  return { key: exportTokenKey(context, token.token), value: Buffer.from(JSON.stringify(stored), 'utf8') };
}

/** @throws {StorageError} `format` when it was written by another version of Singlet. */
export function decodeExportRecord(bytes: Uint8Array): ExportRecord {
  return decodeExportEntry(bytes) as ExportRecord; // what lies under an export's key was written by exportWrite
}

/** @throws {StorageError} as {@link decodeExportRecord}. */
export function decodeExportToken(value: StoreValue): ExportToken | undefined {
  if (value === undefined) return undefined;
  return decodeExportEntry(value) as ExportToken; // what lies under a token's key was written by exportTokenWrite
}

/**
 * What lies among the exports: a record, or a token.
 *
 * @throws {StorageError} as {@link decodeExportRecord}.
 */
export function decodeExportEntry(bytes: Uint8Array): ExportRecord | ExportToken {
  // The bytes were written by one of the two; the format number guards what the type promises.
  const entry = JSON.parse(Buffer.from(bytes).toString('utf8')) as ExportRecord | ExportToken;
  const format: number = entry.format;
  if (format !== exportRecordFormat) {
    throw new StorageError(
      'format',
      `An export is stored in format ${format}, and this version of Singlet reads format ${exportRecordFormat}. Use the version that wrote it, or a newer one.`,
    );
  }
  return entry;
}
