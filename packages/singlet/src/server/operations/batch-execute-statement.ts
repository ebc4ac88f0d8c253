import type {
  BatchExecuteStatementRequest,
  BatchExecuteStatementResult,
  BatchStatementError,
  BatchStatementRequest,
  BatchStatementResponse,
} from '../../engine/index.ts';
import { lengthAtLeast, lengthAtMost } from '../shapes/constraint.ts';
import { attributes, item, list, required, result, string, structure } from '../shapes/shape.ts';
import { consumedCapacity } from './answer-members.ts';
import { defineOperation, type Operation } from './operation.ts';
import { parametersParameter, statementParameter } from './partiql-parameters.ts';
import {
  consistentReadParameter,
  returnConsumedCapacityParameter,
  returnValuesOnConditionCheckFailureParameter,
} from './request-parameters.ts';

/** @see DynamoDB API Reference, BatchExecuteStatement */
export const batchExecuteStatement: Operation = defineOperation('BatchExecuteStatement', {
  input: structure<BatchExecuteStatementRequest>('BatchExecuteStatementInput', {
    returnConsumedCapacity: returnConsumedCapacityParameter,
    statements: required(
      list(
        structure<BatchStatementRequest>('BatchStatementRequest', {
          statement: statementParameter,
          parameters: parametersParameter,
          consistentRead: consistentReadParameter,
          returnValuesOnConditionCheckFailure: returnValuesOnConditionCheckFailureParameter,
        }),
        lengthAtLeast(1),
        lengthAtMost(25),
      ),
    ),
  }),
  output: result<BatchExecuteStatementResult>({
    responses: list(
      result<BatchStatementResponse>({
        error: result<BatchStatementError>({ code: string(), message: string(), item: attributes }),
        tableName: string(),
        item,
      }),
    ),
    consumedCapacity: list(consumedCapacity),
  }),
});
