import { type AttributeMap, type MutableAttributeMap, setAttribute } from '../values/attribute-value.ts';
import {
  attributeNamesOf,
  type AttributeSource,
  type DocumentPath,
  resolvePath,
} from '../expressions/document-path.ts';
import type { Projection } from '../expressions/projection.ts';
import { ValidationException } from '../values/service-error.ts';
import { documentPath } from './bind-operand.ts';
import { problemAt, statementProblems } from './statement-problem.ts';
import type { ColumnNode, PathNode } from './syntax-tree.ts';

/**
 * The projection of a select list. Unlike a projection expression it moves the chosen values to the top: `a.b` is answered
 * as `b`, and `a.b[0]` as `b[0]`.
 *
 * @throws {ValidationException} for a column that is not a path, and for two with the same name.
 */
export function columnProjection(columns: readonly ColumnNode[], statement: string): Projection {
  const seen = new Set<string>();
  const named = columns.map(({ expression }) => {
    if (expression.kind !== 'path') throw problemAt(statementProblems.pathComponent, expression.head, statement);
    const path = documentPath(expression, statement);
    const name = columnName(expression, path);
    if (seen.has(name)) throw new ValidationException(statementProblems.duplicateColumn(name));
    seen.add(name);
    return { name, path };
  });
  return {
    paths: named.map(({ path }) => path),
    attributeNames: attributeNamesOf(named.map(({ path }) => path)),
    project: (source) => project(source, named),
  };
}

/** The last name of the path, with the positions after it. */
function columnName({ root }: PathNode, path: DocumentPath): string {
  const last = path.findLastIndex((element) => typeof element === 'string');
  const positions = path.slice(last + 1).map((position) => `[${position}]`);
  return `${path[last] ?? root}${positions.join('')}`;
}

function project(
  source: AttributeSource,
  columns: readonly { readonly name: string; readonly path: DocumentPath }[],
): AttributeMap {
  const row: MutableAttributeMap = {};
  for (const { name, path } of columns) {
    const value = resolvePath(source, path);
    if (value !== undefined) setAttribute(row, name, value);
  }
  return row;
}
