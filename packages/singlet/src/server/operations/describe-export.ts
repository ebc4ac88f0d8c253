import type { DescribeExportRequest, DescribeExportResult } from '../../engine/index.ts';
import { result, structure } from '../shapes/shape.ts';
import { exportArnParameter, exportDescription } from './export-members.ts';
import { defineOperation, type Operation } from './operation.ts';

/** @see DynamoDB API Reference, DescribeExport */
export const describeExport: Operation = defineOperation('DescribeExport', {
  input: structure<DescribeExportRequest>('DescribeExportInput', { exportArn: exportArnParameter }),
  output: result<DescribeExportResult>({ exportDescription }),
});
