import type { ExportDescription, FilterSpecification, IncrementalExportSpecification } from '../../engine/index.ts';
import { type Constraint, lengthAtLeast, lengthAtMost } from '../shapes/constraint.ts';
import {
  double,
  enumeration,
  long,
  map,
  required,
  type RequiredMember,
  result,
  type Shape,
  string,
  structure,
} from '../shapes/shape.ts';
import { expressionAttributeValuesParameter } from './request-parameters.ts';

/** Parameters and parts of answers that the actions on exports share. */

export function pattern(expression: string): Constraint {
  const whole = new RegExp(`^(?:${expression})$`);
  return {
    holds: (json) => whole.test(json as string),
    text: `Member must satisfy regular expression pattern: ${expression}`,
    wording: 'echoed',
  };
}

export const exportArnParameter: RequiredMember<string> = required(string(lengthAtLeast(37), lengthAtMost(1024)));

export const exportTableArn: Shape<string> = string(lengthAtLeast(1), lengthAtMost(1024));

const exportViewType: Shape<'NEW_AND_OLD_IMAGES' | 'NEW_IMAGE'> = enumeration(['NEW_AND_OLD_IMAGES', 'NEW_IMAGE']);

export const exportFormat: Shape<'DYNAMODB_JSON' | 'ION'> = enumeration(['DYNAMODB_JSON', 'ION']);

export const exportType: Shape<'FULL_EXPORT' | 'INCREMENTAL_EXPORT'> = enumeration([
  'FULL_EXPORT',
  'INCREMENTAL_EXPORT',
]);

export const s3SseAlgorithm: Shape<'AES256' | 'KMS'> = enumeration(['AES256', 'KMS']);

export const incrementalExportSpecification: Shape<IncrementalExportSpecification> =
  structure<IncrementalExportSpecification>('IncrementalExportSpecification', {
    exportFromTime: double,
    exportToTime: double,
    exportViewType,
  });

export const filterSpecification: Shape<FilterSpecification> = structure<FilterSpecification>('FilterSpecification', {
  keyConditionExpression: string(),
  filterExpression: string(),
  projectionExpression: string(),
  expressionAttributeNames: map(string()),
  expressionAttributeValues: expressionAttributeValuesParameter,
});

export const exportStatus: Shape<ExportDescription['exportStatus']> = enumeration([
  'IN_PROGRESS',
  'COMPLETED',
  'FAILED',
]);

type Incremental = NonNullable<ExportDescription['incrementalExportSpecification']>;

export const exportDescription: Shape<ExportDescription> = result<ExportDescription>({
  exportArn: string(),
  exportStatus,
  startTime: double,
  endTime: double,
  exportManifest: string(),
  tableArn: string(),
  tableId: string(),
  exportTime: double,
  clientToken: string(),
  s3Bucket: string(),
  s3BucketOwner: string(),
  s3Prefix: string(),
  s3SseAlgorithm,
  s3SseKmsKeyId: string(),
  failureCode: string(),
  failureMessage: string(),
  exportFormat,
  billedSizeBytes: long(),
  itemCount: long(),
  exportType,
  incrementalExportSpecification: result<Incremental>({
    exportFromTime: double,
    exportToTime: double,
    exportViewType,
  }),
  filterSpecification,
});
