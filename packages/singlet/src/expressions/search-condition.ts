import type { AttributeValue } from '../values/attribute-value.ts';
import type { DocumentPath } from './document-path.ts';
import { invalidExpression } from './expression-problem.ts';
import type { Placeholders } from './placeholders.ts';
import { type ConditionNode, ungroup } from './syntax-tree.ts';

/** The filter of a vector search: attributes that must all have certain values. */
export interface SearchCondition {
  /** In the order of the text; one attribute may have several, of which at most one can hold. */
  readonly equalities: readonly SearchEquality[];
}

export interface SearchEquality {
  readonly path: DocumentPath;
  readonly value: AttributeValue;
}

const kind = 'SearchConditionExpression';

/**
 * Replaces the placeholders of a search condition. Its language is that of all conditions, but the service accepts
 * only `=` and AND.
 *
 * @throws {ValidationException}
 */
export function bindSearchCondition(tree: ConditionNode, placeholders: Placeholders): SearchCondition {
  const equalities: SearchEquality[] = [];
  const bind = (node: ConditionNode): void => {
    const condition = ungroup(node);
    if (condition.kind === 'and') {
      bind(condition.left);
      bind(condition.right);
      return;
    }
    // Recorded for BETWEEN and IN; assumed for everything else that is not a comparison.
    if (condition.kind !== 'comparison') throw notSupported('operator');
    if (condition.comparator !== '=') throw notSupported('comparator');
    const [left, right] = [ungroup(condition.left), ungroup(condition.right)];
    const [path, value] = left.kind === 'path' ? [left, right] : [right, left];
    if (path.kind !== 'path' || value.kind !== 'value') throw notSupported('operator');
    equalities.push({ path: placeholders.path(path, kind), value: placeholders.value(value, kind) });
  };
  bind(tree);
  return { equalities };
}

function notSupported(what: 'operator' | 'comparator'): Error {
  return invalidExpression(kind, `Invalid ${what} used in SearchConditionExpression`);
}
