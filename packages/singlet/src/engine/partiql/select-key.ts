import { type AttributeMap, type MutableAttributeMap, setAttribute } from '../../values/attribute-value.ts';
import { attributeValuesEqual } from '../../values/compare.ts';
import { ValidationException } from '../../values/service-error.ts';
import type { SelectStatement } from '../../partiql/index.ts';
import type { Table } from '../catalog/table.ts';
import { checkKeyTypes, type KeyBranch, keyBranches } from './key-branches.ts';
import { planBranches, resolveIndex } from './select-plan.ts';

/**
 * The key that a SELECT of a batch or transaction names. Such a SELECT reads one item of the table by its whole key, and
 * has no other condition; an IN with one value counts as an equality.
 *
 * @returns the key. A batch has checked its types; a transaction reports them with an error of its own.
 * @throws {ValidationException}
 */
export function selectKey(
  table: Table,
  statement: SelectStatement,
  api: 'BatchExecuteStatement' | 'ExecuteTransaction',
): AttributeMap {
  if (statement.indexName !== undefined) {
    if (api === 'ExecuteTransaction') {
      throw new ValidationException('Reads on indices are not supported within transactions.');
    }
    resolveIndex(table, statement, false);
    throw keyNotNamed(api);
  }
  const { branches, keyed, keyTerms } = keyBranches(statement.where, table.partitionKey, table.sortKey);
  const key = branches.length === 1 ? wholeKey(table, branches[0]) : undefined;
  if (key === undefined || api === 'BatchExecuteStatement') checkKeyTypes(keyTerms, table.keyAttributes);
  if (key !== undefined) return key;
  if (keyed) planBranches(table, undefined, branches, statement.where); // overlaps are reported before the missing key
  throw keyNotNamed(api);
}

function wholeKey(table: Table, branch: KeyBranch | undefined): AttributeMap | undefined {
  if (branch?.partition === undefined || branch.filters.length > 0) return undefined;
  const key: MutableAttributeMap = {};
  setAttribute(key, table.partitionKey.attributeName, branch.partition);
  if (table.sortKey === undefined) return key;
  const [first, ...others] = branch.sortTerms.map(({ operator, operands }) =>
    operator === '=' ? operands[0] : undefined,
  );
  if (first === undefined || others.some((other) => other === undefined || !attributeValuesEqual(first, other))) {
    return undefined;
  }
  setAttribute(key, table.sortKey.attributeName, first);
  return key;
}

function keyNotNamed(api: string): ValidationException {
  return new ValidationException(`Select statements within ${api} must specify the primary key in the where clause.`);
}
