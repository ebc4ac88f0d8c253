import type { DeleteTableRequest, DeleteTableResult } from '../../engine/index.ts';
import { result, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';
import { managedTableNameParameter } from './request-parameters.ts';
import { tableDescription } from './table-description.ts';

/** @see DynamoDB API Reference, DeleteTable */
export const deleteTable: Operation = defineOperation('DeleteTable', {
  input: structure<DeleteTableRequest>('DeleteTableInput', { tableName: managedTableNameParameter }),
  output: result<DeleteTableResult>({ tableDescription }),
});
