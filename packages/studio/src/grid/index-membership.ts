import type { AttributeMap } from '../../../singlet/src/values/attribute-value.ts';
import { keyNamesOf, keyTypeOf, type TableDescription, type TableIndex } from '../wire/table-description.ts';

/** Whether an item is in an index: it has all of the index's key attributes, of the declared types, none of them empty. */
export function whyNotIn(item: AttributeMap, index: TableIndex, table: TableDescription): string | undefined {
  for (const name of Object.values(keyNamesOf(index))) {
    if (name === undefined) continue;
    const value = item[name];
    if (value === undefined) return `it has no ${name}`;
    const wanted = keyTypeOf(table, name);
    const [type] = Object.keys(value);
    if (type !== wanted) return `its ${name} is of type ${type}, not ${wanted}`;
    if (Object.values(value)[0] === '') return `its ${name} is empty`;
  }
  return undefined;
}
