import type {
  ExecuteTransactionRequest,
  ExecuteTransactionResult,
  ItemOutput,
  TransactStatement,
} from '../../engine/index.ts';
import { lengthAtLeast, lengthAtMost } from '../shapes/constraint.ts';
import { item, list, required, result, string, structure } from '../shapes/shape.ts';
import { consumedCapacity } from './answer-members.ts';
import { defineOperation, type Operation } from './operation.ts';
import { parametersParameter, statementParameter } from './partiql-parameters.ts';
import { returnConsumedCapacityParameter, returnValuesOnConditionCheckFailureParameter } from './request-parameters.ts';

/** @see DynamoDB API Reference, ExecuteTransaction */
export const executeTransaction: Operation = defineOperation('ExecuteTransaction', {
  input: structure<ExecuteTransactionRequest>('ExecuteTransactionInput', {
    returnConsumedCapacity: returnConsumedCapacityParameter,
    transactStatements: required(
      list(
        structure<TransactStatement>('ParameterizedStatement', {
          statement: statementParameter,
          parameters: parametersParameter,
          returnValuesOnConditionCheckFailure: returnValuesOnConditionCheckFailureParameter,
        }),
        lengthAtLeast(1),
        lengthAtMost(100),
      ),
    ),
    clientRequestToken: string(lengthAtLeast(1), lengthAtMost(36)),
  }),
  output: result<ExecuteTransactionResult>({
    responses: list(result<{ readonly item?: ItemOutput }>({ item })),
    consumedCapacity: list(consumedCapacity),
  }),
});
