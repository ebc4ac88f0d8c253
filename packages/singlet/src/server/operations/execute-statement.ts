import type { ExecuteStatementRequest, ExecuteStatementResult } from '../../engine/index.ts';
import { lengthAtLeast, lengthAtMost, valueAtLeast } from '../shapes/constraint.ts';
import { attributes, integer, item, list, result, string, structure } from '../shapes/shape.ts';
import { consumedCapacity } from './answer-members.ts';
import { defineOperation, type Operation } from './operation.ts';
import { parametersParameter, statementParameter } from './partiql-parameters.ts';
import {
  consistentReadParameter,
  returnConsumedCapacityParameter,
  returnValuesOnConditionCheckFailureParameter,
} from './request-parameters.ts';

/** @see DynamoDB API Reference, ExecuteStatement */
export const executeStatement: Operation = defineOperation('ExecuteStatement', {
  input: structure<ExecuteStatementRequest>('ExecuteStatementInput', {
    returnConsumedCapacity: returnConsumedCapacityParameter,
    statement: statementParameter,
    parameters: parametersParameter,
    consistentRead: consistentReadParameter,
    nextToken: string(lengthAtLeast(1), lengthAtMost(32_768)),
    limit: integer(valueAtLeast(1)),
    returnValuesOnConditionCheckFailure: returnValuesOnConditionCheckFailureParameter,
  }),
  output: result<ExecuteStatementResult>({
    items: list(item),
    nextToken: string(),
    lastEvaluatedKey: attributes,
    consumedCapacity,
  }),
});
