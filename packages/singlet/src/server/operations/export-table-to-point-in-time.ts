import type { ExportTableToPointInTimeRequest, ExportTableToPointInTimeResult } from '../../engine/index.ts';
import { lengthAtLeast, lengthAtMost } from '../shapes/constraint.ts';
import { double, required, result, string, structure } from '../shapes/shape.ts';
import {
  exportDescription,
  exportFormat,
  exportTableArn,
  exportType,
  filterSpecification,
  incrementalExportSpecification,
  pattern,
  s3SseAlgorithm,
} from './export-members.ts';
import { defineOperation, type Operation } from './operation.ts';

/** @see DynamoDB API Reference, ExportTableToPointInTime */
export const exportTableToPointInTime: Operation = defineOperation('ExportTableToPointInTime', {
  input: structure<ExportTableToPointInTimeRequest>('ExportTableToPointInTimeInput', {
    tableArn: required(exportTableArn),
    exportTime: double,
    clientToken: string(pattern('^[^\\$]+$')),
    s3Bucket: required(string(pattern('^[a-z0-9A-Z]+[\\.\\-\\w]*[a-z0-9A-Z]+$'), lengthAtMost(255))),
    s3BucketOwner: string(pattern('[0-9]{12}')),
    s3Prefix: string(lengthAtMost(1024)),
    s3SseAlgorithm,
    s3SseKmsKeyId: string(lengthAtLeast(1), lengthAtMost(2048)),
    exportFormat,
    exportType,
    incrementalExportSpecification,
    filterSpecification,
  }),
  output: result<ExportTableToPointInTimeResult>({ exportDescription }),
});
