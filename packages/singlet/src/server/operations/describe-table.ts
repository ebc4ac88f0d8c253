import type { DescribeTableRequest, DescribeTableResult } from '../../engine/index.ts';
import { result, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';
import { managedTableNameParameter } from './request-parameters.ts';
import { tableDescription } from './table-description.ts';

/** @see DynamoDB API Reference, DescribeTable */
export const describeTable: Operation = defineOperation('DescribeTable', {
  input: structure<DescribeTableRequest>('DescribeTableInput', { tableName: managedTableNameParameter }),
  output: result<DescribeTableResult>({ table: tableDescription }),
});
