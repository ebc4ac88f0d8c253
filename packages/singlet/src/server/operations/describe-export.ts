import type { DescribeExportRequest, DescribeExportResult } from '../../engine/index.ts';
import { result, structure } from '../shapes/shape.ts';
import { exportArnParameter, exportDescription, tableOfArn } from './export-members.ts';
import { defineOperation, type Operation } from './operation.ts';

/** @see DynamoDB API Reference, DescribeExport */
export const describeExport: Operation = defineOperation<'DescribeExport'>({
  action: 'DescribeExport',
  input: structure<DescribeExportRequest>('DescribeExportInput', { exportArn: exportArnParameter }),
  output: result<DescribeExportResult>({ exportDescription }),
  run: (engine, request, context) => engine.describeExport(request, context),
  table: (request) => tableOfArn(request.exportArn),
});
