import type { AttributeMap, AttributeValue, UncheckedAttributeValue } from '../../values/attribute-value.ts';
import type { RequestContext } from '../environment.ts';
import { explainStatement as planStatement, type StatementPlan } from '../partiql/explain-statement.ts';
import type { EngineServices } from '../services.ts';

export interface ExplainStatementRequest {
  readonly statement: string;
  readonly parameters?: readonly UncheckedAttributeValue[] | undefined;
  readonly consistentRead?: boolean | undefined;
}

export interface ExplainStatementResult {
  readonly tableName: string;
  readonly indexName?: string;
  /** Whether all items of the table or index are read, regardless of how many the WHERE clause selects. */
  readonly isScan: boolean;
  /** In the order in which they run. A write has one. */
  readonly operations: readonly ExplainedOperation[];
  /** For a read: whether it ascends by sort key. */
  readonly scanIndexForward?: boolean;
}

export interface ExplainedOperation {
  readonly operation: 'GetItem' | 'Query' | 'Scan' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheck';
  /** For a write. */
  readonly key?: AttributeMap;
  /** For a read: conditions on the key, all of which hold. */
  readonly keyConditions?: readonly ExplainedKeyCondition[];
  /** The rest of the WHERE clause, as PartiQL. Its cost is that of the items read, not of the items returned. */
  readonly filter?: string;
}

export interface ExplainedKeyCondition {
  readonly attributeName: string;
  /** `=`, `<`, `<=`, `>`, `>=`, `BETWEEN` or `begins_with`. */
  readonly operator: string;
  readonly operands: readonly AttributeValue[];
}

/**
 * Not an action of the service: shows what a PartiQL statement would do, and whether it is an operation by key or a scan. The
 * statement does not run.
 *
 * @throws {DynamoError} the errors that ExecuteStatement throws before it reads or writes anything.
 */
export async function explainStatement(
  services: EngineServices,
  request: ExplainStatementRequest,
  context: RequestContext,
): Promise<ExplainStatementResult> {
  return resultOf(await planStatement(services, request, context));
}

function resultOf(plan: StatementPlan): ExplainStatementResult {
  const { tableName } = plan;
  if (plan.kind === 'write') {
    return { tableName, isScan: false, operations: [{ operation: plan.operation, key: plan.key }] };
  }
  const { indexName, reads, scanIndexForward } = plan;
  return {
    tableName,
    ...(indexName !== undefined && { indexName }),
    isScan: reads.some(({ operation }) => operation === 'Scan'),
    operations: reads.map(({ operation, keyConditions, filter }) => ({
      operation,
      keyConditions: keyConditions.map(({ attributeName, operator, operands }) => ({
        attributeName,
        operator,
        operands,
      })),
      ...(filter !== undefined && { filter }),
    })),
    scanIndexForward,
  };
}
