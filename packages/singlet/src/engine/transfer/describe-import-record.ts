import type { CreateTableRequest } from '../schema/create-table-request.ts';
import { loadArn, loadTableArn } from './load-arn.ts';
import type { LoadRecord } from './load-record.ts';

export interface S3BucketSource {
  readonly s3Bucket: string;
  readonly s3BucketOwner?: string | undefined;
  readonly s3KeyPrefix?: string | undefined;
}

export interface InputFormatOptions {
  readonly csv?: CsvOptions | undefined;
}

export interface CsvOptions {
  readonly delimiter?: string | undefined;
  readonly headerList?: readonly string[] | undefined;
}

export type ImportStatus = 'IN_PROGRESS' | 'COMPLETED' | 'CANCELLING' | 'CANCELLED' | 'FAILED';

/** The members of a table definition that an import has. */
export type TableCreationParameters = Pick<
  CreateTableRequest,
  | 'tableName'
  | 'attributeDefinitions'
  | 'keySchema'
  | 'billingMode'
  | 'provisionedThroughput'
  | 'onDemandThroughput'
  | 'sseSpecification'
  | 'globalSecondaryIndexes'
  | 'vectorIndexes'
>;

export interface ImportTableDescription {
  readonly importArn: string;
  readonly importStatus: ImportStatus;
  readonly tableArn: string;
  readonly tableId: string;
  readonly clientToken: string;
  readonly s3BucketSource: S3BucketSource;
  readonly errorCount: number;
  readonly cloudWatchLogGroupArn: string;
  readonly inputFormat: 'CSV' | 'DYNAMODB_JSON' | 'ION';
  readonly inputFormatOptions?: InputFormatOptions;
  readonly inputCompressionType: 'GZIP' | 'NONE' | 'ZSTD';
  readonly tableCreationParameters: TableCreationParameters;
  /** Seconds since 1970. */
  readonly startTime: number;
  readonly endTime?: number;
  /** The size of the uncompressed text. */
  readonly processedSizeBytes?: number;
  readonly processedItemCount: number;
  readonly importedItemCount: number;
  readonly failureCode?: string;
  readonly failureMessage?: string;
}

export interface ImportSummary {
  readonly importArn: string;
  readonly importStatus: ImportStatus;
  readonly tableArn: string;
  readonly s3BucketSource: S3BucketSource;
  readonly cloudWatchLogGroupArn: string;
  readonly inputFormat: 'CSV' | 'DYNAMODB_JSON' | 'ION';
  readonly startTime: number;
  readonly endTime?: number;
}

export function describeImportRecord(load: LoadRecord): ImportTableDescription {
  const { input, counts, failure } = load;
  return {
    ...summarizeImport(load),
    tableId: load.tableId,
    clientToken: load.clientToken,
    errorCount: counts.failed,
    ...(input.csv !== undefined && { inputFormatOptions: { csv: input.csv } }),
    inputCompressionType: input.compression,
    tableCreationParameters: load.tableCreationParameters ?? { tableName: load.tableName },
    // Absent, and not zero, until data has been read.
    ...(counts.plainBytes > 0 && { processedSizeBytes: counts.plainBytes }),
    processedItemCount: counts.processed,
    importedItemCount: counts.written,
    ...(failure !== undefined && { failureCode: failure.code, failureMessage: failure.message }),
  };
}

export function summarizeImport(load: LoadRecord): ImportSummary {
  const { input, region, accountId } = load;
  return {
    importArn: loadArn(load),
    // An import does not complete with errors: it fails instead.
    importStatus: load.status === 'COMPLETED_WITH_ERRORS' ? 'FAILED' : load.status,
    tableArn: loadTableArn(load),
    s3BucketSource: {
      s3Bucket: input.bucket,
      ...(input.bucketOwner !== undefined && { s3BucketOwner: input.bucketOwner }),
      ...(input.keyPrefix !== undefined && { s3KeyPrefix: input.keyPrefix }),
    },
    cloudWatchLogGroupArn: `arn:aws:logs:${region}:${accountId}:log-group:/aws-dynamodb/imports:*`,
    inputFormat: input.format,
    startTime: load.startedAtMs / 1000,
    ...(load.endedAtMs !== undefined && { endTime: load.endedAtMs / 1000 }),
  };
}
