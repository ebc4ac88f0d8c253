import type { StoreValue, StoreWrite } from '../../storage/store.ts';
import type { RequestContext } from '../environment.ts';
import { textHash } from '../layout/partition-hash.ts';
import { RecordCodec } from '../layout/record-codec.ts';
import { space, storeKey } from '../layout/spaces.ts';
import type { RecordedFilter } from './export-filter.ts';

/** The version of the stored form below. A record of another version is refused. */
const exportRecordFormat = 1;

export type ExportFormat = 'DYNAMODB_JSON' | 'ION';
export type ExportViewType = 'NEW_AND_OLD_IMAGES' | 'NEW_IMAGE';
export type ExportType = 'FULL_EXPORT' | 'INCREMENTAL_EXPORT';
export type ExportStatus = 'IN_PROGRESS' | 'COMPLETED' | 'FAILED';
export type S3SseAlgorithm = 'AES256' | 'KMS';

/** The stored record of an export. It outlives the table. */
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
  /** The time whose state is exported; absent for an incremental export. */
  readonly exportMs?: number;
  /** Only as far as the request specified it. */
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

/** The export that a client token identifies. */
export interface ExportToken {
  readonly format: typeof exportRecordFormat;
  readonly token: string;
  readonly exportId: string;
  /** A hash of the request. */
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

/** Where an export's record is: ids begin with the time, so they are sorted by age. */
export function exportKey({ accountId, region }: RequestContext, exportId: string): Buffer {
  return storeKey(space.exports, textHash(accountId, region), Buffer.from(exportId, 'utf8'));
}

/** The range of keys of the exports of an account in a region. */
export function exportKeys(context: RequestContext): { readonly from: Buffer; readonly to: Buffer } {
  const afterAllIds = '~';
  return { from: exportKey(context, ''), to: exportKey(context, afterAllIds) };
}

const exportEntries = new RecordCodec<ExportRecord | ExportToken>(exportRecordFormat, () => 'An export');

export function exportWrite(record: ExportRecord): StoreWrite {
  return exportEntries.write(exportKey(record, record.exportId), record);
}

export function exportTokenKey({ accountId, region }: RequestContext, token: string): Buffer {
  return storeKey(space.exports, textHash(accountId, region, 'export token', token));
}

export function exportTokenWrite(context: RequestContext, token: Omit<ExportToken, 'format'>): StoreWrite {
  const stored: ExportToken = { format: exportRecordFormat, ...token };
  return exportEntries.write(exportTokenKey(context, token.token), stored);
}

/** @throws {StorageError} as {@link RecordCodec.decode}. */
export function decodeExportRecord(key: Uint8Array, value: Uint8Array): ExportRecord {
  return decodeExportEntry(key, value) as ExportRecord; // exportWrite wrote the value under an export's key
}

/** @throws {StorageError} as {@link RecordCodec.decode}. */
export function decodeExportToken(key: Uint8Array, value: StoreValue): ExportToken | undefined {
  if (value === undefined) return undefined;
  return decodeExportEntry(key, value) as ExportToken; // exportTokenWrite wrote the value under a token's key
}

/**
 * An entry of the space of exports: a record, or a token.
 *
 * @throws {StorageError} as {@link RecordCodec.decode}.
 */
export function decodeExportEntry(key: Uint8Array, value: Uint8Array): ExportRecord | ExportToken {
  return exportEntries.decode(key, value);
}
