import { createHash } from 'node:crypto';
import { streamLabel } from '../catalog/utc-text.ts';
import type { ExportedFile } from './backup-job.ts';
import { arnOfExport, type ExportRecord } from './export-record.ts';

/*
 * The objects of an export, with the names and contents that the service gives them:
 *
 *     prefix/AWSDynamoDB/<export id>/_started
 *     prefix/AWSDynamoDB/<export id>/manifest-summary.json      and .md5
 *     prefix/AWSDynamoDB/<export id>/manifest-files.json        and .md5: a line for each data file
 *     prefix/AWSDynamoDB/<export id>/data/<name>.json.gz        of a full export
 *     prefix/AWSDynamoDB/data/<name>.json.gz                    of an incremental export
 *
 * See the Developer Guide, "DynamoDB table export output format".
 */

export function manifestKey(record: ExportRecord): string {
  return manifestObject(record, 'manifest-summary.json');
}

/** Each manifest's checksum is stored beside it. */
export function manifestObject(
  record: ExportRecord,
  name: '_started' | 'manifest-summary.json' | 'manifest-summary.md5' | 'manifest-files.json' | 'manifest-files.md5',
): string {
  return `${rootOf(record)}/${record.exportId}/${name}`;
}

/**
 * The key of a data file. The same export and number give the same key, so a file that is written again after an
 * interruption replaces the first one.
 */
export function dataKey(record: ExportRecord, fileNumber: number): string {
  const hash = createHash('sha256')
    .update(`${arnOfExport(record)} ${fileNumber}`)
    .digest();
  const name = Array.from(hash.subarray(0, nameLength), (byte) => nameDigits[byte % nameDigits.length]).join('');
  const extension = record.exportFormat === 'ION' ? 'ion.gz' : 'json.gz';
  const folder = record.incremental === undefined ? `${rootOf(record)}/${record.exportId}` : rootOf(record);
  return `${folder}/data/${name}.${extension}`;
}

const nameLength = 26;
const nameDigits = 'abcdefghijklmnopqrstuvwxyz234567';

export function manifestFiles(files: readonly ExportedFile[]): string {
  return files
    .map(({ itemCount, md5, etag, key }) => {
      return `${JSON.stringify({ itemCount, md5Checksum: md5, etag, dataFileS3Key: key })}\n`;
    })
    .join('');
}

/** @param record - the record of the completed export. */
export function manifestSummary(record: ExportRecord): string {
  const { incremental, startMs, endMs = startMs, exportMs = startMs } = record;
  const summary = {
    version: incremental === undefined ? '2020-06-30' : '2023-08-01',
    exportArn: arnOfExport(record),
    startTime: timeText(startMs),
    endTime: timeText(endMs),
    tableArn: tableArnOf(record),
    tableId: record.tableId,
    ...(incremental === undefined
      ? { exportTime: timeText(exportMs) }
      : { exportFromTime: timeText(incremental.fromMs), exportToTime: timeText(incremental.toMs) }),
    s3Bucket: record.bucket,
    s3Prefix: record.prefix ?? null,
    s3SseAlgorithm: record.sseAlgorithm,
    s3SseKmsKeyId: record.sseKmsKeyId ?? null,
    manifestFilesS3Key: manifestObject(record, 'manifest-files.json'),
    billedSizeBytes: record.billedSizeBytes,
    itemCount: record.itemCount,
    outputFormat: record.exportFormat,
    ...(incremental !== undefined && { outputView: incremental.viewType, exportType: 'INCREMENTAL_EXPORT' }),
  };
  return JSON.stringify(summary);
}

export function md5Of(text: string): string {
  return createHash('md5').update(text, 'utf8').digest('base64');
}

export function tableArnOf({ accountId, region, tableName }: ExportRecord): string {
  return `arn:aws:dynamodb:${region}:${accountId}:table/${tableName}`;
}

/** The prefix is used unchanged, followed by one slash. */
function rootOf({ prefix = '' }: ExportRecord): string {
  if (prefix === '') return 'AWSDynamoDB';
  return `${prefix}${prefix.endsWith('/') ? '' : '/'}AWSDynamoDB`;
}

/** `2020-11-04T07:28:34.028Z`. */
function timeText(ms: number): string {
  return `${streamLabel(ms)}Z`;
}
