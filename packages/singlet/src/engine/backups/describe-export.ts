import type { FilterSpecification } from './export-filter.ts';
import { manifestKey, tableArnOf } from './export-layout.ts';
import {
  arnOfExport,
  type ExportFormat,
  type ExportRecord,
  type ExportStatus,
  type ExportType,
  type ExportViewType,
  type S3SseAlgorithm,
} from './export-record.ts';

/** The answers of the actions on exports. Date-times are seconds since 1970, with fractions. */
export interface ExportDescription {
  readonly exportArn: string;
  readonly exportStatus: ExportStatus;
  readonly startTime: number;
  readonly endTime?: number;
  readonly exportManifest?: string;
  readonly tableArn: string;
  readonly tableId: string;
  readonly exportTime?: number;
  readonly clientToken?: string;
  readonly s3Bucket: string;
  readonly s3BucketOwner?: string;
  readonly s3Prefix?: string;
  readonly s3SseAlgorithm: S3SseAlgorithm;
  readonly s3SseKmsKeyId?: string;
  readonly failureCode?: string;
  readonly failureMessage?: string;
  readonly exportFormat: ExportFormat;
  readonly billedSizeBytes?: number;
  readonly itemCount?: number;
  readonly exportType?: ExportType;
  readonly incrementalExportSpecification?: {
    readonly exportFromTime: number;
    readonly exportToTime: number;
    readonly exportViewType: ExportViewType;
  };
  readonly filterSpecification?: FilterSpecification;
}

export interface ExportSummary {
  readonly exportArn: string;
  readonly exportStatus: ExportStatus;
  readonly exportType: ExportType;
}

export function describeExportRecord(record: ExportRecord): ExportDescription {
  const { endMs, exportMs, incremental, clientToken, bucketOwner, prefix, sseKmsKeyId, exportType } = record;
  const { failureCode, failureMessage, billedSizeBytes, itemCount, filter } = record;
  return {
    exportArn: arnOfExport(record),
    exportStatus: record.status,
    startTime: record.startMs / 1000,
    ...(endMs !== undefined && { endTime: endMs / 1000 }),
    ...(record.status === 'COMPLETED' && { exportManifest: manifestKey(record) }),
    tableArn: tableArnOf(record),
    tableId: record.tableId,
    ...(exportMs !== undefined && { exportTime: exportMs / 1000 }),
    ...(clientToken !== undefined && { clientToken }),
    s3Bucket: record.bucket,
    ...(bucketOwner !== undefined && { s3BucketOwner: bucketOwner }),
    ...(prefix !== undefined && { s3Prefix: prefix }),
    s3SseAlgorithm: record.sseAlgorithm,
    ...(sseKmsKeyId !== undefined && { s3SseKmsKeyId: sseKmsKeyId }),
    ...(failureCode !== undefined && { failureCode }),
    ...(failureMessage !== undefined && { failureMessage }),
    exportFormat: record.exportFormat,
    ...(billedSizeBytes !== undefined && { billedSizeBytes }),
    ...(itemCount !== undefined && { itemCount }),
    ...(exportType !== undefined && { exportType }),
    ...(incremental !== undefined && {
      incrementalExportSpecification: {
        exportFromTime: incremental.fromMs / 1000,
        exportToTime: incremental.toMs / 1000,
        exportViewType: incremental.viewType,
      },
    }),
    ...(filter !== undefined && { filterSpecification: filter.specification }),
  };
}

export function exportSummary(record: ExportRecord): ExportSummary {
  return {
    exportArn: arnOfExport(record),
    exportStatus: record.status,
    exportType: record.incremental === undefined ? 'FULL_EXPORT' : 'INCREMENTAL_EXPORT',
  };
}
