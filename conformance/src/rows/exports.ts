import { matching, messageContaining } from '../matchers.ts';
import type { JsonObject, Row } from '../row.ts';
import { row } from '../row.ts';
import { ACK_2026, docs, MOTO } from '../sources.ts';
import { call, check, describeTable } from '../steps.ts';
import type { Call } from '../steps.ts';
import { hashTable } from '../tables.ts';
import { N, S } from '../values.ts';

/** What is refused before anything is written. The files of exports are tested where a bucket is available. */

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

const filtered = (FilterSpecification: JsonObject): Call => exporting({ FilterSpecification });

const longAgo = 1_600_000_000;
const farAhead = 4_102_444_800;
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
      exporting({ ExportTime: farAhead }).fails('InvalidExportTimeException', 'Export Time is invalid'),
      exporting({ ExportTime: longAgo }).fails('InvalidExportTimeException', 'Export Time is invalid'),
      incremental({ ExportFromTime: longAgo }).fails(
        'InvalidExportTimeException',
        'Incremental export period from time cannot be less than the table creation time : 2020-09-13T12:26:40Z',
      ),
      incremental({ ExportFromTime: farAhead, ExportToTime: farAhead + 3600 }).fails(
        'InvalidExportTimeException',
        messageContaining('Incremental export period to time cannot be greater than the current time : '),
      ),
      check('a window of less than 15 minutes', async ({ send, succeed, expect }) => {
        const { Table } = (await succeed('DescribeTable', { TableName: '$T' })) as {
          readonly Table: { readonly CreationDateTime: number };
        };
        const { body } = await send('ExportTableToPointInTime', {
          TableArn: '$arn',
          S3Bucket: 'conf-bucket',
          ExportType: 'INCREMENTAL_EXPORT',
          IncrementalExportSpecification: { ExportFromTime: Math.ceil(Table.CreationDateTime) },
        });
        expect('answer', body, {
          __type: 'com.amazonaws.dynamodb.v20120810#InvalidExportTimeException',
          message: 'Difference between export period from time and export period to time is less than 15 minutes',
        });
      }),
    ],
  }),
  row('exports/type-and-specification-go-together', 'DB-139', ACK_2026, {
    table: hashTable,
    steps: [
      arn,
      recovery,
      exporting({ IncrementalExportSpecification: { ExportFromTime: longAgo } }).invalid(
        'Invalid Request: Export Type expected to be Incremental Export when incremental export specification is provided',
      ),
      exporting({ ExportType: 'FULL_EXPORT', IncrementalExportSpecification: { ExportFromTime: longAgo } }).invalid(
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
  row('exports/filters-are-expressions', 'DB-139', docs('Filtering a table export'), {
    table: hashTable,
    steps: [
      arn,
      recovery,
      filtered({ FilterExpression: 'a = :absent' }).invalid(messageContaining(':absent')),
      // One partition key value, by equality.
      filtered({ KeyConditionExpression: 'a = :v', ExpressionAttributeValues: { ':v': N(1) } }).invalid(
        messageContaining('key'),
      ),
      filtered({ KeyConditionExpression: 'pk > :v', ExpressionAttributeValues: { ':v': S('a') } }).invalid(
        messageContaining('key'),
      ),
      // With a key condition, keys may be used only in it.
      filtered({
        KeyConditionExpression: 'pk = :v',
        FilterExpression: 'pk = :v',
        ExpressionAttributeValues: { ':v': S('a') },
      }).invalid(messageContaining('key')),
      filtered({ ProjectionExpression: 'a, a' }).invalid(messageContaining('overlap')),
      call('ListExports', { TableArn: '$arn' }).gives({ ExportSummaries: [] }),
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
      incremental({ ExportFromTime: longAgo, ExportViewType: 'NEW_IMAGES' }).invalid(
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
