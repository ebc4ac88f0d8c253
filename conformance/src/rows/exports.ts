import { matching, messageContaining } from '../matchers.ts';
import type { JsonObject, Row } from '../row.ts';
import { row } from '../row.ts';
import { ACK_2026, docs, MOTO } from '../sources.ts';
import { call, describeTable } from '../steps.ts';
import type { Call } from '../steps.ts';
import { hashTable } from '../tables.ts';

/** What is refused before anything is written. The files of exports are tested where there is a bucket to write to. */

const exporting = (more: JsonObject = {}): Call =>
  call('ExportTableToPointInTime', { TableArn: '$arn', S3Bucket: 'conf-bucket', ...more });
const arn = describeTable({ saves: { arn: 'Table.TableArn' } }).succeeds();
const recovery = call(
  'UpdateContinuousBackups',
  { TableName: '$T', PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } },
  { eventually: true },
).succeeds();
const incremental = (IncrementalExportSpecification: JsonObject): Call =>
  exporting({ ExportType: 'INCREMENTAL_EXPORT', IncrementalExportSpecification });

const now = Math.floor(Date.now() / 1000);
const nowhere = 'arn:aws:dynamodb:us-east-1:000000000000:table/conf-nowhere';

export const exportRows: readonly Row[] = [
  row('exports/need-recovery', 'DB-139', `${MOTO}; ${ACK_2026}`, {
    table: hashTable,
    steps: [
      arn,
      exporting().fails(
        'PointInTimeRecoveryUnavailableException',
        messageContaining("Point in time recovery is not enabled for table '"),
      ),
      call('ListExports', { TableArn: '$arn' }).gives({ ExportSummaries: [] }),
    ],
  }),
  row('exports/of-no-table', 'DB-139', `${MOTO}; ${ACK_2026}`, {
    table: hashTable,
    steps: [
      arn,
      call('ExportTableToPointInTime', { TableArn: '$arn-not', S3Bucket: 'conf-bucket' }).fails(
        'TableNotFoundException',
        matching(/^Table not found: arn:aws:dynamodb:/),
      ),
      call('ExportTableToPointInTime', { TableArn: '$T', S3Bucket: 'conf-bucket' }).invalid(
        'One or more parameter values were invalid: tableArn is not a valid ARN',
      ),
      call('ExportTableToPointInTime', { TableArn: '$arn/index/gsi1', S3Bucket: 'conf-bucket' }).invalid(
        'Invalid Request: Table ARN is invalid.',
      ),
    ],
  }),
  row('exports/times-that-cannot-be', 'DB-139', ACK_2026, {
    table: hashTable,
    steps: [
      arn,
      recovery,
      exporting({ ExportTime: now + 86_400 }).fails('InvalidExportTimeException', 'Export Time is invalid'),
      exporting({ ExportTime: now - 86_400 }).fails('InvalidExportTimeException', 'Export Time is invalid'),
      incremental({ ExportFromTime: now - 86_400 }).fails(
        'InvalidExportTimeException',
        messageContaining('Incremental export period from time cannot be less than the table creation time : '),
      ),
      incremental({ ExportFromTime: now + 86_400, ExportToTime: now + 2 * 86_400 }).fails(
        'InvalidExportTimeException',
        messageContaining('Incremental export period to time cannot be greater than the current time : '),
      ),
      incremental({ ExportFromTime: now + 60 }).fails(
        'InvalidExportTimeException',
        'Difference between export period from time and export period to time is less than 15 minutes',
      ),
    ],
  }),
  row('exports/type-and-specification-go-together', 'DB-139', ACK_2026, {
    table: hashTable,
    steps: [
      arn,
      recovery,
      exporting({ IncrementalExportSpecification: { ExportFromTime: now } }).invalid(
        'Invalid Request: Export Type expected to be Incremental Export when incremental export specification is provided',
      ),
      exporting({ ExportType: 'FULL_EXPORT', IncrementalExportSpecification: { ExportFromTime: now } }).invalid(
        'Invalid Request: When Export Type is Full Export , Incremental Export Specification should not be provided',
      ),
      exporting({ ExportType: 'INCREMENTAL_EXPORT' }).invalid(
        'Invalid Request: Incremental Export Specification expected when export type is set as Incremental Export',
      ),
      incremental({}).invalid('Invalid Request: ExportFromTime must be provided in IncrementalExportSpecification'),
      incremental({ ExportViewType: 'NEW_IMAGE' }).invalid(
        'Invalid Request: ExportFromTime must be provided in IncrementalExportSpecification',
      ),
      exporting({ S3SseKmsKeyId: 'alias/key' }).invalid(
        'Invalid Request: KMS Key Id is not supported for this encryption type',
      ),
    ],
  }),
  row('exports/shapes', 'DB-139', `${docs('API_ExportTableToPointInTime')}; ${ACK_2026}`, {
    table: hashTable,
    steps: [
      arn,
      exporting({ S3Bucket: 'arn:aws:s3:::bucket' }).invalid(
        messageContaining("Value 'arn:aws:s3:::bucket' at 's3Bucket' failed to satisfy constraint"),
      ),
      exporting({ S3BucketOwner: 'not-an-account' }).invalid(
        messageContaining("Value 'not-an-account' at 's3BucketOwner' failed to satisfy constraint"),
      ),
      exporting({ ExportFormat: 'CSV' }).invalid(
        messageContaining("Value 'CSV' at 'exportFormat' failed to satisfy constraint"),
      ),
      exporting({ ExportType: 'PARTIAL_EXPORT' }).invalid(
        messageContaining("Value 'PARTIAL_EXPORT' at 'exportType' failed to satisfy constraint"),
      ),
      incremental({ ExportFromTime: now, ExportViewType: 'NEW_IMAGES' }).invalid(
        messageContaining("Value 'NEW_IMAGES' at 'incrementalExportSpecification.exportViewType' failed"),
      ),
      exporting({ S3SseAlgorithm: 'aws:kms' }).invalid(
        messageContaining("Value 'aws:kms' at 's3SseAlgorithm' failed to satisfy constraint"),
      ),
    ],
  }),
  row('exports/arns-that-are-none', 'DB-139', ACK_2026, {
    table: hashTable,
    steps: [
      arn,
      call('DescribeExport', { ExportArn: nowhere }).invalid('Invalid Export ARN'),
      call('DescribeExport', { ExportArn: '$arn/export/01791506414432-00000000' }).fails(
        'ExportNotFoundException',
        'Export not found: Export not found: $arn/export/01791506414432-00000000',
      ),
      call('ListExports', { NextToken: 'none' }).invalid(
        messageContaining('Invalid Request: Provided nextToken is invalid: none'),
      ),
    ],
  }),
];
