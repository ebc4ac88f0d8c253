import type { KeyAttributeType } from '../../../singlet/src/values/attribute-value.ts';
import type { SortCondition } from '../grid/collection-source.ts';

export const sortOperators = ['begins_with', '=', '<', '<=', '>', '>=', 'between'] as const;
export type SortOperator = (typeof sortOperators)[number];

/** Separates the two values of `between` in an address. */
const valuesParted = '\u001f';

/** The condition of an address: `begins_with:ORDER#`. */
export function parseSortCondition(text: string, type: KeyAttributeType): SortCondition | undefined {
  const { operator, values } = partsOf(text);
  if (operator === undefined) return undefined;
  return { operator, values: values.map((value) => valueOf(value, type)) };
}

export function partsOf(text: string): {
  readonly operator: SortOperator | undefined;
  readonly values: readonly string[];
} {
  const end = text.indexOf(':');
  const operator = sortOperators.find((each) => each === text.slice(0, end));
  return { operator, values: text.slice(end + 1).split(valuesParted) };
}

export function formatSortCondition(operator: SortOperator, values: readonly string[]): string {
  return `${operator}:${values.join(valuesParted)}`;
}

function valueOf(text: string, type: KeyAttributeType): SortCondition['values'][number] {
  return type === 'S' ? { S: text } : type === 'N' ? { N: text } : { B: text };
}
