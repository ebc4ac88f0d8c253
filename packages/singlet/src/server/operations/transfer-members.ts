import type {
  BulkOperationBytes,
  BulkOperationDescription,
  BulkOperationSummary,
  BulkOperationUsage,
  CsvOptions,
  ImportSummary,
  ImportTableDescription,
  InputFormatOptions,
  InputS3Configuration,
  OutputS3Configuration,
  S3BucketSource,
  TableCreationParameters,
} from '../../engine/index.ts';
import { type Constraint, lengthAtLeast, lengthAtMost } from '../shapes/constraint.ts';
import {
  double,
  enumeration,
  list,
  listOfStrings,
  long,
  map,
  required,
  type RequiredMember,
  result,
  type Shape,
  string,
  structure,
} from '../shapes/shape.ts';
import { nameParameter } from './request-parameters.ts';
import {
  attributeDefinitions,
  billingMode,
  globalSecondaryIndex,
  keySchema,
  onDemandThroughput,
  provisionedThroughput,
  sseSpecification,
} from './table-members.ts';
import { vectorIndex } from './vector-index-members.ts';

/**
 * The members of requests and answers of imports and bulk operations. Lengths, patterns and sets are those of the API reference. The order
 * in which several violations are reported is assumed to be that of the reference, too.
 */

function pattern(regularExpression: RegExp, text: string): Constraint {
  return {
    holds: (json) => regularExpression.test(json as string),
    text: `Member must satisfy regular expression pattern: ${text}`,
    wording: 'echoed',
  };
}

/** A string that the engine takes from a fixed set. */
function oneOfSet<V extends string>(): Shape<V> {
  return { kind: 'string', constraints: [] };
}

/** ImportTable refuses a request without one, although the reference marks it as optional: recorded from the service. */
export const clientToken: Shape<string> = string(pattern(/^[^$]+$/, '^[^\\$]+$'));

const s3Bucket: RequiredMember<string> = required(
  string(lengthAtMost(255), pattern(/^[a-z0-9A-Z]+[.\-\w]*[a-z0-9A-Z]+$/, '^[a-z0-9A-Z]+[\\.\\-\\w]*[a-z0-9A-Z]+$')),
);
const s3BucketOwner: Shape<string> = string(pattern(/^[0-9]{12}$/, '[0-9]{12}'));
const s3KeyPrefix: Shape<string> = string(lengthAtMost(1024));

export const inputCompressionType: Shape<'GZIP' | 'ZSTD' | 'NONE'> = enumeration(['ZSTD', 'NONE', 'GZIP']);
export const inputFormat: Shape<'DYNAMODB_JSON' | 'ION' | 'CSV'> = enumeration(['DYNAMODB_JSON', 'ION', 'CSV']);

export const s3BucketSource: Shape<S3BucketSource> = structure<S3BucketSource>('S3BucketSource', {
  s3BucketOwner,
  s3Bucket,
  s3KeyPrefix,
});

export const inputFormatOptions: Shape<InputFormatOptions> = structure<InputFormatOptions>('InputFormatOptions', {
  csv: structure<CsvOptions>('CsvOptions', {
    delimiter: string(pattern(/^[,;:|\t ]$/, '[,;:|\\t ]'), lengthAtLeast(1), lengthAtMost(1)),
    headerList: listOfStrings(
      [
        lengthAtLeast(1),
        lengthAtMost(65_536),
        pattern(/^[\x20-\x21\x23-\x2B\x2D-\x7E]*$/, '[\\x20-\\x21\\x23-\\x2B\\x2D-\\x7E]*'),
      ],
      lengthAtLeast(1),
      lengthAtMost(255),
    ),
  }),
});

export const tableCreationParameters: Shape<TableCreationParameters> = structure<TableCreationParameters>(
  'TableCreationParameters',
  {
    tableName: required(nameParameter),
    attributeDefinitions: required(attributeDefinitions),
    keySchema: required(keySchema),
    billingMode,
    provisionedThroughput,
    onDemandThroughput,
    sseSpecification,
    globalSecondaryIndexes: list(globalSecondaryIndex),
    vectorIndexes: list(vectorIndex('VectorIndex')),
  },
);

export const importArn: RequiredMember<string> = required(string(lengthAtLeast(37), lengthAtMost(1024)));

export const listToken: Shape<string> = string(
  lengthAtLeast(112),
  lengthAtMost(1024),
  pattern(/^([0-9a-f]{16})+$/, '([0-9a-f]{16})+'),
);

export const importTableDescription: Shape<ImportTableDescription> = result<ImportTableDescription>({
  importArn: string(),
  importStatus: oneOfSet<ImportTableDescription['importStatus']>(),
  tableArn: string(),
  tableId: string(),
  clientToken: string(),
  s3BucketSource,
  errorCount: long(),
  cloudWatchLogGroupArn: string(),
  inputFormat,
  inputFormatOptions,
  inputCompressionType,
  tableCreationParameters,
  startTime: double,
  endTime: double,
  processedSizeBytes: long(),
  processedItemCount: long(),
  importedItemCount: long(),
  failureCode: string(),
  failureMessage: string(),
});

export const importSummary: Shape<ImportSummary> = result<ImportSummary>({
  importArn: string(),
  importStatus: oneOfSet<ImportSummary['importStatus']>(),
  tableArn: string(),
  s3BucketSource,
  cloudWatchLogGroupArn: string(),
  inputFormat,
  startTime: double,
  endTime: double,
});

export const inputS3Configuration: Shape<InputS3Configuration> = structure<InputS3Configuration>(
  'InputS3Configuration',
  {
    s3BucketOwner,
    s3Bucket,
    s3KeyPrefix,
    inputFormat: required(enumeration(['DYNAMODB_JSON', 'ION'])),
    inputCompressionType,
  },
);

export const outputS3Configuration: Shape<OutputS3Configuration> = structure<OutputS3Configuration>(
  'OutputS3Configuration',
  {
    s3BucketOwner,
    s3Bucket,
    s3KeyPrefix,
    s3SseAlgorithm: enumeration(['AES256', 'KMS']),
    s3SseKmsKeyId: string(lengthAtLeast(1), lengthAtMost(2048)),
    outputType: required(list(enumeration(['ERROR', 'CONDITION_CHECK_FAILURE']), lengthAtLeast(1), lengthAtMost(2))),
  },
);

export const bulkOperationArn: RequiredMember<string> = required(string(lengthAtLeast(37), lengthAtMost(1024)));

export const performanceTier: Shape<'STANDARD' | 'ACCELERATED'> = enumeration(['STANDARD', 'ACCELERATED']);

export const bulkOperationStatus: Shape<BulkOperationSummary['bulkOperationStatus']> =
  oneOfSet<BulkOperationSummary['bulkOperationStatus']>();

const bulkOperationBytes: Shape<BulkOperationBytes> = result<BulkOperationBytes>({ bulkPutBytes: long() });

type TableDetail = BulkOperationDescription['tableDetails'][number];

export const bulkOperationDescription: Shape<BulkOperationDescription> = result<BulkOperationDescription>({
  bulkOperationArn: string(),
  bulkOperationStatus,
  tableDetails: list(result<TableDetail>({ tableName: string(), tableId: string() })),
  clientToken: string(),
  inputS3Configuration,
  outputS3Configuration,
  startTime: double,
  endTime: double,
  processedItemCount: long(),
  processedInputBytes: long(),
  totalInputBytes: long(),
  bulkOperationUsage: list(
    result<BulkOperationUsage>({
      tableName: string(),
      bulkPutBytes: long(),
      table: bulkOperationBytes,
      localSecondaryIndexes: map(bulkOperationBytes),
      globalSecondaryIndexes: map(bulkOperationBytes),
    }),
  ),
  failedItemCount: long(),
  failureCode: string(),
  failureMessage: string(),
  maxWriteRequestUnits: long(),
  performanceTier,
});

export const bulkOperationSummary: Shape<BulkOperationSummary> = result<BulkOperationSummary>({
  bulkOperationArn: string(),
  bulkOperationStatus,
  startTime: double,
  endTime: double,
});
