import type { DescribeImportRequest, DescribeImportResult } from '../../engine/index.ts';
import { result, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';
import { importArn, importTableDescription } from './transfer-members.ts';

/** @see DynamoDB API Reference, DescribeImport */
export const describeImport: Operation = defineOperation('DescribeImport', {
  input: structure<DescribeImportRequest>('DescribeImportInput', { importArn }),
  output: result<DescribeImportResult>({ importTableDescription }),
});
