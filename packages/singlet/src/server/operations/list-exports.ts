import type { ExportSummary, ListExportsRequest, ListExportsResult } from '../../engine/index.ts';
import { valueAtLeast, valueAtMost } from '../shapes/constraint.ts';
import { integer, list, result, string, structure } from '../shapes/shape.ts';
import { exportStatus, exportTableArn, exportType } from './export-members.ts';
import { defineOperation, type Operation } from './operation.ts';

/** @see DynamoDB API Reference, ListExports */
export const listExports: Operation = defineOperation('ListExports', {
  input: structure<ListExportsRequest>('ListExportsInput', {
    tableArn: exportTableArn,
    maxResults: integer(valueAtLeast(1), valueAtMost(25)),
    nextToken: string(),
  }),
  output: result<ListExportsResult>({
    exportSummaries: list(result<ExportSummary>({ exportArn: string(), exportStatus, exportType })),
    nextToken: string(),
  }),
});
