import type { ListImportsRequest, ListImportsResult } from '../../engine/index.ts';
import { lengthAtLeast, lengthAtMost, valueAtLeast, valueAtMost } from '../shapes/constraint.ts';
import { integer, list, result, string, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';
import { importSummary, listToken } from './transfer-members.ts';

/** @see DynamoDB API Reference, ListImports */
export const listImports: Operation = defineOperation('ListImports', {
  input: structure<ListImportsRequest>('ListImportsInput', {
    tableArn: string(lengthAtLeast(1), lengthAtMost(1024)),
    pageSize: integer(valueAtLeast(1), valueAtMost(25)),
    nextToken: listToken,
  }),
  output: result<ListImportsResult>({ importSummaryList: list(importSummary), nextToken: string() }),
});
