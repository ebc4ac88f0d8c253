import type { AttributeValue } from '../../values/attribute-value.ts';
import type {
  ExplainedKeyCondition,
  ExplainedOperation,
  ExplainStatementRequest,
  ExplainStatementResult,
} from '../../engine/index.ts';
import { attributes, boolean, list, result, string, structure } from '../shapes/shape.ts';
import { defineOperation, type Operation } from './operation.ts';
import { parametersParameter, statementParameter } from './partiql-parameters.ts';
import { consistentReadParameter } from './request-parameters.ts';

/** Our own action: what a PartiQL statement would do. See docs/partiql.md. */
export const explainStatement: Operation = defineOperation('ExplainStatement', {
  input: structure<ExplainStatementRequest>('ExplainStatementInput', {
    statement: statementParameter,
    parameters: parametersParameter,
    consistentRead: consistentReadParameter,
  }),
  output: result<ExplainStatementResult>({
    tableName: string(),
    indexName: string(),
    isScan: boolean,
    operations: list(
      result<ExplainedOperation>({
        operation: { kind: 'string', constraints: [] },
        key: attributes,
        keyConditions: list(
          result<ExplainedKeyCondition>({
            attributeName: string(),
            operator: string(),
            operands: list<AttributeValue>({ kind: 'attributeValue' }),
          }),
        ),
        filter: string(),
      }),
    ),
    scanIndexForward: boolean,
  }),
});
