import { type AttributeMap, type AttributeValue, getAttribute } from '../../values/attribute-value.ts';
import { DynamoError } from '../../values/service-error.ts';
import { columnProjection, pathsOf, type ConditionTree, type Statement } from '../../partiql/index.ts';
import { confinedValues } from '../partiql/key-branches.ts';
import { checkParameters, type ParameterizedStatement, readStatement } from '../partiql/prepare-statement.ts';
import { indexOrTable, type Touch, type TouchedItems } from './touch.ts';

/** The members of a PartiQL statement other than its text. */
interface StatementRequest extends ParameterizedStatement {
  readonly returnValuesOnConditionCheckFailure?: 'NONE' | 'ALL_OLD' | undefined;
}

/**
 * What each statement touches. The text is parsed by the parser that runs it.
 *
 * @throws {ValidationException} for a statement that could not run.
 */
export function touchedByStatements(
  requests: readonly StatementRequest[],
  enclosingOperation?: 'ExecuteTransaction',
): readonly Touch[] {
  return requests.map((request) => {
    const touch = touchedByStatement(readStatement(request, checkParameters(request)), request);
    return enclosingOperation === undefined ? touch : { ...touch, items: { ...touch.items, enclosingOperation } };
  });
}

/**
 * The same for a batch whose statements fail individually: an invalid statement touches nothing.
 *
 * @returns touches with the positions of their statements.
 */
export function touchedByBatchOfStatements(requests: readonly StatementRequest[]): readonly Touch[] {
  return requests.flatMap((request, position) => {
    try {
      return touchedByStatements([request]).map((touch) => ({ ...touch, position }));
    } catch (error) {
      if (error instanceof DynamoError) return [];
      throw error;
    }
  });
}

type StatementTouch = Touch & { readonly items: TouchedItems };

function touchedByStatement(statement: Statement, request: StatementRequest): StatementTouch {
  switch (statement.kind) {
    case 'select': {
      const { tableName, indexName, columns, where, orderBy, text } = statement;
      const projected = columns === undefined ? [] : columnProjection(columns, text).attributeNames;
      const ordered = (orderBy ?? []).flatMap(({ expression }) =>
        expression.kind === 'path' ? [expression.root] : [],
      );
      return {
        permission: 'PartiQLSelect',
        resource: indexOrTable(tableName, indexName),
        items: {
          ...confinedBy(where, [...projected, ...ordered]),
          select:
            columns !== undefined
              ? 'SPECIFIC_ATTRIBUTES'
              : indexName === undefined
                ? 'ALL_ATTRIBUTES'
                : 'ALL_PROJECTED_ATTRIBUTES',
        },
      };
    }
    // Assumed: EXISTS needs the same permissions as its SELECT.
    case 'exists':
      return touchedByStatement(statement.select, request);
    case 'insert':
      return {
        permission: 'PartiQLInsert',
        resource: indexOrTable(statement.tableName, undefined),
        items: confinedByItem(statement.item),
      };
    case 'update':
    case 'delete': {
      const { kind, tableName, where, returning } = statement;
      const names = kind === 'update' ? statement.update.attributeNames : [];
      const returned =
        returning &&
        (`${returning.which === 'all' ? 'ALL' : 'UPDATED'}_${returning.version === 'old' ? 'OLD' : 'NEW'}` as const);
      const onFailure = request.returnValuesOnConditionCheckFailure === 'ALL_OLD' ? 'ALL_OLD' : 'NONE';
      return {
        permission: kind === 'update' ? 'PartiQLUpdate' : 'PartiQLDelete',
        resource: indexOrTable(tableName, undefined),
        items: { ...confinedBy(where, names), returnValues: returned ?? onFailure },
      };
    }
  }
}

function confinedByItem(item: AttributeMap): Pick<TouchedItems, 'valuesOf' | 'attributeNames'> {
  return {
    valuesOf(attributeName): readonly AttributeValue[] | undefined {
      const value = getAttribute(item, attributeName);
      return value && [value];
    },
    attributeNames: new Set(Object.keys(item)),
  };
}

function confinedBy(
  where: ConditionTree | undefined,
  names: Iterable<string>,
): Pick<TouchedItems, 'valuesOf' | 'attributeNames'> {
  const paths = where === undefined ? [] : pathsOf(where);
  return {
    valuesOf: (attributeName) => confinedValues(where, attributeName),
    attributeNames: new Set([...paths.map(([name]) => String(name)), ...names]),
  };
}
