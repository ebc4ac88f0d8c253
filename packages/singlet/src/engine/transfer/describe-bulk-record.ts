import { loadArn } from './load-arn.ts';
import type { BulkOutputType, LoadRecord, LoadStatus } from './load-record.ts';

export interface InputS3Configuration {
  readonly s3Bucket: string;
  readonly s3BucketOwner?: string | undefined;
  readonly s3KeyPrefix?: string | undefined;
  readonly inputFormat: 'DYNAMODB_JSON' | 'ION';
  readonly inputCompressionType?: 'GZIP' | 'NONE' | 'ZSTD' | undefined;
}

export interface OutputS3Configuration {
  readonly s3Bucket: string;
  readonly s3BucketOwner?: string | undefined;
  readonly s3KeyPrefix?: string | undefined;
  readonly s3SseAlgorithm?: 'AES256' | 'KMS' | undefined;
  readonly s3SseKmsKeyId?: string | undefined;
  readonly outputType: readonly BulkOutputType[];
}

export interface BulkOperationBytes {
  readonly bulkPutBytes: number;
}

export interface BulkOperationUsage {
  readonly tableName: string;
  readonly bulkPutBytes: number;
  readonly table: BulkOperationBytes;
  readonly localSecondaryIndexes?: Readonly<Record<string, BulkOperationBytes>>;
  readonly globalSecondaryIndexes?: Readonly<Record<string, BulkOperationBytes>>;
}

export interface BulkOperationDescription {
  readonly bulkOperationArn: string;
  readonly bulkOperationStatus: LoadStatus;
  readonly tableDetails: readonly { readonly tableName: string; readonly tableId: string }[];
  readonly clientToken: string;
  readonly inputS3Configuration: InputS3Configuration;
  readonly outputS3Configuration: OutputS3Configuration;
  /** Seconds since 1970. */
  readonly startTime: number;
  readonly endTime?: number;
  readonly processedItemCount: number;
  readonly processedInputBytes: number;
  readonly totalInputBytes?: number;
  readonly bulkOperationUsage: readonly BulkOperationUsage[];
  readonly failedItemCount: number;
  readonly failureCode?: string;
  readonly failureMessage?: string;
  readonly maxWriteRequestUnits?: number;
  readonly performanceTier: 'STANDARD' | 'ACCELERATED';
}

export interface BulkOperationSummary {
  readonly bulkOperationArn: string;
  readonly bulkOperationStatus: LoadStatus;
  readonly startTime: number;
  readonly endTime?: number;
}

/** @param localIndexNames - distinguishes local indexes from global ones, which the load's record does not. */
export function describeBulkRecord(load: LoadRecord, localIndexNames: ReadonlySet<string>): BulkOperationDescription {
  const { input, bulk, counts, failure, tableName, tableId } = load;
  const { output, maxWriteRequestUnits } = bulk ?? {};
  return {
    ...summarizeBulk(load),
    tableDetails: [{ tableName, tableId }],
    clientToken: load.clientToken,
    inputS3Configuration: {
      s3Bucket: input.bucket,
      s3BucketOwner: input.bucketOwner,
      s3KeyPrefix: input.keyPrefix,
      inputFormat: input.format === 'ION' ? 'ION' : 'DYNAMODB_JSON',
      inputCompressionType: input.compression,
    },
    outputS3Configuration: {
      s3Bucket: output?.bucket ?? '',
      s3BucketOwner: output?.bucketOwner,
      s3KeyPrefix: output?.keyPrefix,
      s3SseAlgorithm: output?.sseAlgorithm,
      s3SseKmsKeyId: output?.sseKmsKeyId,
      outputType: output?.outputTypes ?? [],
    },
    processedItemCount: counts.processed,
    processedInputBytes: counts.readBytes,
    ...(load.totalBytes !== undefined && { totalInputBytes: load.totalBytes }),
    bulkOperationUsage: [usageOf(load, localIndexNames)],
    failedItemCount: counts.failed,
    ...(failure !== undefined && { failureCode: failure.code, failureMessage: failure.message }),
    ...(maxWriteRequestUnits !== undefined && { maxWriteRequestUnits }),
    performanceTier: bulk?.performanceTier ?? 'STANDARD',
  };
}

export function summarizeBulk(load: LoadRecord): BulkOperationSummary {
  return {
    bulkOperationArn: loadArn(load),
    bulkOperationStatus: load.status,
    startTime: load.startedAtMs / 1000,
    ...(load.endedAtMs !== undefined && { endTime: load.endedAtMs / 1000 }),
  };
}

function usageOf({ tableName, counts }: LoadRecord, localIndexNames: ReadonlySet<string>): BulkOperationUsage {
  const local: [string, BulkOperationBytes][] = [];
  const global: [string, BulkOperationBytes][] = [];
  let total = counts.tableBytes;
  for (const [indexName, bulkPutBytes] of Object.entries(counts.indexBytes)) {
    (localIndexNames.has(indexName) ? local : global).push([indexName, { bulkPutBytes }]);
    total += bulkPutBytes;
  }
  return {
    tableName,
    bulkPutBytes: total,
    table: { bulkPutBytes: counts.tableBytes },
    ...(local.length > 0 && { localSecondaryIndexes: Object.fromEntries(local) }),
    ...(global.length > 0 && { globalSecondaryIndexes: Object.fromEntries(global) }),
  };
}
