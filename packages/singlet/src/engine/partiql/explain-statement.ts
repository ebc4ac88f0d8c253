import type { AttributeMap } from '../../values/attribute-value.ts';
import { ResourceNotFoundException } from '../../values/service-error.ts';
import { type ConditionTree, printStatement } from '../../partiql/index.ts';
import { tableNotFound } from '../catalog/parameter-errors.ts';
import type { Table } from '../catalog/table.ts';
import type { RequestContext } from '../environment.ts';
import type { ItemServices } from '../capacity/item-services.ts';
import type { KeyTerm } from './key-branches.ts';
import { checkParameters, type ParameterizedStatement, readStatement } from './prepare-statement.ts';
import { planSelect } from './select-plan.ts';
import { planWrite } from './write-plan.ts';

/** The plan of a statement, as data. */
export type StatementPlan =
  | {
      readonly kind: 'read';
      readonly tableName: string;
      readonly indexName?: string | undefined;
      /** In the order in which they run. */
      readonly reads: readonly ReadDescription[];
      readonly scanIndexForward: boolean;
    }
  | {
      readonly kind: 'write';
      readonly tableName: string;
      readonly operation: 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheck';
      readonly key: AttributeMap;
    };

export interface ReadDescription {
  readonly operation: 'GetItem' | 'Query' | 'Scan';
  /** Conditions on the key, all of which hold. */
  readonly keyConditions: readonly KeyTerm[];
  /** The rest of the WHERE clause, as PartiQL. */
  readonly filter?: string | undefined;
}

const operations = {
  insert: 'PutItem',
  update: 'UpdateItem',
  delete: 'DeleteItem',
  exists: 'ConditionCheck',
} as const;

/**
 * Plans a statement without running it.
 *
 * @throws {DynamoError} the errors of a run before anything is read.
 */
export async function explainStatement(
  services: ItemServices,
  request: ParameterizedStatement & { readonly consistentRead?: boolean | undefined },
  context: RequestContext,
): Promise<StatementPlan> {
  const statement = readStatement(request, checkParameters(request));
  const { tableName } = statement;
  try {
    return await services.catalog.withTable(context, tableName, (table) => planOn(table));
  } catch (error) {
    // The service does not name the table of a statement that it runs. An explanation is not one of its actions, and can.
    throw error instanceof ResourceNotFoundException ? tableNotFound(tableName) : error;
  }

  function planOn(table: Table): StatementPlan {
    if (statement.kind !== 'select') {
      const options = { surface: 'statement', returnOldOnFailure: false } as const;
      const { key } = planWrite(table, statement, services.limits, options);
      return { kind: 'write', tableName, operation: operations[statement.kind], key: key.attributes };
    }
    const { reads, reverse, index } = planSelect(table, statement, request.consistentRead === true);
    return {
      kind: 'read',
      tableName,
      indexName: index?.indexName,
      reads: reads.map(({ operation, keyTerms, filterTrees }) => ({
        operation,
        keyConditions: keyTerms,
        filter: filterText(filterTrees),
      })),
      scanIndexForward: !reverse,
    };
  }
}

function filterText(trees: readonly ConditionTree[]): string | undefined {
  return trees.length === 0 ? undefined : trees.map(({ node }) => `(${printStatement(node)})`).join(' AND ');
}
