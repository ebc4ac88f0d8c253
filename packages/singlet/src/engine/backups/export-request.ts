import type { Limits } from '../../values/limits.ts';
import type { TableRecord } from '../catalog/table-record.ts';
import { invalidExportTime, invalidRequest, recoveryNotEnabled, wholeSecond } from './backup-errors.ts';
import { checkExportFilter, type FilterSpecification } from './export-filter.ts';
import type { ExportFormat, ExportRecord, ExportType, ExportViewType, S3SseAlgorithm } from './export-record.ts';
import { recoveryWindow } from './recovery-window.ts';

export interface IncrementalExportSpecification {
  /** Seconds since 1970: the first changes exported. */
  readonly exportFromTime?: number | undefined;
  /** End of the changes, exclusive. The present when absent. */
  readonly exportToTime?: number | undefined;
  readonly exportViewType?: ExportViewType | undefined;
}

export interface ExportTableToPointInTimeRequest {
  readonly tableArn: string;
  /** Seconds since 1970. The present when absent. */
  readonly exportTime?: number | undefined;
  readonly clientToken?: string | undefined;
  readonly s3Bucket: string;
  readonly s3BucketOwner?: string | undefined;
  readonly s3Prefix?: string | undefined;
  readonly s3SseAlgorithm?: S3SseAlgorithm | undefined;
  readonly s3SseKmsKeyId?: string | undefined;
  readonly exportFormat?: ExportFormat | undefined;
  readonly exportType?: ExportType | undefined;
  readonly incrementalExportSpecification?: IncrementalExportSpecification | undefined;
  /** Which items are exported, and which parts of them. All when absent. */
  readonly filterSpecification?: FilterSpecification | undefined;
}

/** What is exported: the state at a time, or the changes between two times. */
export type ExportSubject =
  | { readonly kind: 'full'; readonly at: 'now' | { readonly ms: number } }
  | { readonly kind: 'incremental'; readonly times: NonNullable<ExportRecord['incremental']> };

const minuteMs = 60_000;

/**
 * Checks a request as far as possible without the table.
 *
 * @throws {ValidationException}
 */
export function checkExportRequest(request: ExportTableToPointInTimeRequest): void {
  const { exportType, incrementalExportSpecification: specification, s3SseAlgorithm, s3SseKmsKeyId } = request;
  if (exportType === undefined && specification !== undefined) {
    throw invalidRequest(
      'Export Type expected to be Incremental Export when incremental export specification is provided',
    );
  }
  if (exportType === 'FULL_EXPORT' && specification !== undefined) {
    throw invalidRequest('When Export Type is Full Export , Incremental Export Specification should not be provided');
  }
  if (exportType === 'INCREMENTAL_EXPORT' && specification === undefined) {
    throw invalidRequest('Incremental Export Specification expected when export type is set as Incremental Export');
  }
  if (specification !== undefined && specification.exportFromTime === undefined) {
    throw invalidRequest('ExportFromTime must be provided in IncrementalExportSpecification');
  }
  if (s3SseKmsKeyId !== undefined && s3SseAlgorithm !== 'KMS') {
    throw invalidRequest('KMS Key Id is not supported for this encryption type');
  }
  if (request.filterSpecification !== undefined) checkExportFilter(request.filterSpecification);
}

/**
 * What a request exports from a table.
 *
 * @throws {PointInTimeRecoveryUnavailableException} | {InvalidExportTimeException}
 */
export function exportSubject(
  { exportTime, incrementalExportSpecification: specification }: ExportTableToPointInTimeRequest,
  record: TableRecord,
  nowMs: number,
  limits: Limits,
): ExportSubject {
  const fromTime = specification?.exportFromTime;
  if (specification === undefined || fromTime === undefined) {
    const { earliestMs } = windowOf(record, nowMs);
    if (exportTime === undefined) return { kind: 'full', at: 'now' };
    const ms = Math.round(exportTime * 1000);
    if (ms > nowMs || ms < earliestMs) throw invalidExportTime('Export Time is invalid');
    return { kind: 'full', at: { ms: Math.max(ms, record.changeLog?.recovery?.sinceMs ?? ms) } };
  }
  const fromMs = Math.round(fromTime * 1000);
  const toMs =
    specification.exportToTime === undefined
      ? Math.floor(nowMs / 1000) * 1000
      : Math.round(specification.exportToTime * 1000);
  if (fromMs < record.createdAtMs) {
    throw invalidExportTime(
      `Incremental export period from time cannot be less than the table creation time : ${wholeSecond(fromMs)}`,
    );
  }
  if (toMs > nowMs) {
    throw invalidExportTime(
      `Incremental export period to time cannot be greater than the current time : ${wholeSecond(toMs)}`,
    );
  }
  const minutes = (toMs - fromMs) / minuteMs;
  const difference = 'Difference between export period from time and export period to time is';
  if (minutes < limits.incrementalExportMinutesMin) {
    throw invalidExportTime(`${difference} less than ${limits.incrementalExportMinutesMin} minutes`);
  }
  if (minutes > limits.incrementalExportMinutesMax) {
    throw invalidExportTime(`${difference} more than ${limits.incrementalExportMinutesMax / 60} hours`);
  }
  if (fromMs < windowOf(record, nowMs).earliestMs) throw invalidExportTime('Export Time is invalid');
  const { exportViewType: viewType = 'NEW_AND_OLD_IMAGES' } = specification;
  return { kind: 'incremental', times: { fromMs, toMs, viewType } };
}

function windowOf(record: TableRecord, nowMs: number): { readonly earliestMs: number } {
  const window = recoveryWindow(record, nowMs);
  if (window === undefined) throw recoveryNotEnabled(record.tableName);
  return window;
}
