import type { ListTablesRequest, ListTablesResult } from '../../engine/index.ts';
import { valueAtLeast, valueAtMost } from '../shapes/constraint.ts';
import { integer, list, result, string, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';
import { nameParameter } from './request-parameters.ts';

/** @see DynamoDB API Reference, ListTables */
export const listTables: Operation = defineOperation('ListTables', {
  input: structure<ListTablesRequest>('ListTablesInput', {
    limit: integer(valueAtLeast(1), valueAtMost(100)),
    exclusiveStartTableName: nameParameter,
  }),
  output: result<ListTablesResult>({ tableNames: list(string()), lastEvaluatedTableName: string() }),
});
