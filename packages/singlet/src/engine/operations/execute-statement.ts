import type { AttributeMap, AttributeValue, UncheckedAttributeValue } from '../../values/attribute-value.ts';
import { ValidationException } from '../../values/service-error.ts';
import { type SelectStatement, statementProblems } from '../../partiql/index.ts';
import type { ConsumedCapacity, ReturnConsumedCapacity } from '../capacity/consumed-capacity.ts';
import { readConsumedCapacity } from '../capacity/read-capacity.ts';
import { writeConsumedCapacity } from '../capacity/write-capacity.ts';
import type { RequestContext } from '../environment.ts';
import type { ItemOutput } from '../layout/stored-item.ts';
import { decodeNextToken, encodeNextToken, statementDigest } from '../partiql/next-token.ts';
import { checkParameters, readStatement } from '../partiql/prepare-statement.ts';
import { runSelect } from '../partiql/run-select.ts';
import { planSelect } from '../partiql/select-plan.ts';
import { planWrite, returnedItem, statementError, type WriteStatement } from '../partiql/write-plan.ts';
import type { EngineServices } from '../services.ts';
import { rethrowConflict } from './store-conflict.ts';
import { writeItem } from '../items/write-item.ts';

export interface ExecuteStatementRequest {
  readonly statement: string;
  readonly parameters?: readonly UncheckedAttributeValue[] | undefined;
  readonly consistentRead?: boolean | undefined;
  readonly nextToken?: string | undefined;
  /** Items to evaluate before the WHERE clause, at least 1. */
  readonly limit?: number | undefined;
  readonly returnConsumedCapacity?: ReturnConsumedCapacity | undefined;
  readonly returnValuesOnConditionCheckFailure?: 'NONE' | 'ALL_OLD' | undefined;
}

export interface ExecuteStatementResult {
  /** For a write, the result of RETURNING: one item or none. */
  readonly items: readonly ItemOutput[];
  /** Absent at the end. */
  readonly nextToken?: string;
  /** Present if a read was cut short. */
  readonly lastEvaluatedKey?: AttributeMap;
  readonly consumedCapacity?: ConsumedCapacity;
}

/**
 * Executes one PartiQL statement: a page of a SELECT, or the write of one item.
 *
 * @throws {ValidationException} if the request is invalid; its parameters are checked first.
 * @throws {DuplicateItemException} if INSERT finds an item with its key.
 * @throws {ConditionalCheckFailedException} if UPDATE finds no item, or another condition of WHERE is false.
 * @see DynamoDB API Reference, ExecuteStatement; conformance/partiql-statements
 */
export async function executeStatement(
  services: EngineServices,
  request: ExecuteStatementRequest,
  context: RequestContext,
): Promise<ExecuteStatementResult> {
  const parameters = checkParameters(request);
  const statement = readStatement(request, parameters);
  if (statement.kind === 'exists') throw new ValidationException(statementProblems.existsOutsideTransaction);
  return statement.kind === 'select'
    ? executeSelect(services, request, statement, parameters, context)
    : executeWrite(services, request, statement, context);
}

async function executeSelect(
  services: EngineServices,
  request: ExecuteStatementRequest,
  statement: SelectStatement,
  parameters: readonly AttributeValue[],
  context: RequestContext,
): Promise<ExecuteStatementResult> {
  const consistentRead = request.consistentRead === true;
  return services.catalog.withTable(context, statement.tableName, async (table) => {
    const plan = planSelect(table, statement, consistentRead);
    const digest = (): Buffer => statementDigest(statement.text, parameters); // most answers need none
    const from = request.nextToken === undefined ? undefined : decodeNextToken(table, digest(), request.nextToken);
    const consistency = consistentRead ? 'strong' : 'eventual';
    const { items, next, units } = await runSelect(services, plan, { limit: request.limit, consistency, from });
    const consumedCapacity = readConsumedCapacity(table, units, request.returnConsumedCapacity);
    return {
      items,
      ...(next !== undefined && { nextToken: encodeNextToken(table, digest(), next) }),
      ...(next?.lastEvaluatedKey !== undefined && { lastEvaluatedKey: next.lastEvaluatedKey }),
      ...(consumedCapacity !== undefined && { consumedCapacity }),
    };
  });
}

async function executeWrite(
  services: EngineServices,
  request: ExecuteStatementRequest,
  statement: WriteStatement,
  context: RequestContext,
): Promise<ExecuteStatementResult> {
  const returnOldOnFailure = request.returnValuesOnConditionCheckFailure === 'ALL_OLD';
  return services.catalog.withTable(context, statement.tableName, async (table) => {
    const write = planWrite(table, statement, services.limits, { surface: 'statement', returnOldOnFailure });
    const outcome = await writeItem(services, write)
      .catch(rethrowConflict)
      .catch((error: unknown) => {
        throw statementError(statement, error);
      });
    const item = returnedItem(statement, outcome);
    const consumedCapacity = writeConsumedCapacity(table, [outcome], request.returnConsumedCapacity);
    return { items: item === undefined ? [] : [item], ...(consumedCapacity !== undefined && { consumedCapacity }) };
  });
}
