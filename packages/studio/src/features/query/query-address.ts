import type { AttributeValue } from '../../../../singlet/src/values/attribute-value.ts';
import type { QueryAddress } from '../../app/address.ts';
import { formatSortCondition, parseSortCondition } from '../../app/sort-condition.ts';
import { type BuiltQuery, type Filter, filterOperators } from '../../request-text/built-query.ts';
import { ValueError, valueOfText } from '../../values/value-problem.ts';
import { keyText, typedText, typedValue } from '../../values/value-text.ts';
import { indexesOf, keyNamesOf, keyTypeOf, type TableDescription } from '../../wire/table-description.ts';

/** The query of an address, without the members that refer to nothing in the table. */
export function builtOfAddress(address: QueryAddress, table: TableDescription): BuiltQuery {
  const index = indexesOf(table).find(({ IndexName }) => IndexName === address.index);
  const { sort } = keyNamesOf(index ?? table);
  const limit = Number(address.limit);
  return {
    index: index?.IndexName,
    partition: address.pk === undefined ? undefined : typedValue(address.pk),
    sort:
      sort === undefined || address.pk === undefined || address.sk === undefined
        ? undefined
        : parseSortCondition(address.sk, keyTypeOf(table, sort)),
    filters: filtersOf(address.f),
    projection: (address.proj ?? '').split('\n').filter((path) => path !== ''),
    isDescending: address.dir === 'desc',
    isConsistent: address.cons === 'strong',
    limit: limit > 0 ? limit : undefined,
  };
}

export function addressOf(
  table: TableDescription,
  built: BuiltQuery,
  rest: Pick<QueryAddress, 'as' | 'run'>,
): QueryAddress {
  const { index, partition, sort, filters, projection, limit } = built;
  return {
    ...rest,
    view: 'query',
    table: table.TableName,
    index,
    pk: partition && typedText(partition),
    sk: sort && formatSortCondition(sort.operator, sort.values.map(keyText)),
    f: filters.length === 0 ? undefined : JSON.stringify(filters.map(tupleOf)),
    proj: projection.length === 0 ? undefined : projection.join('\n'),
    dir: built.isDescending ? 'desc' : undefined,
    cons: built.isConsistent ? 'strong' : undefined,
    limit: limit === undefined ? undefined : String(limit),
  };
}

/** `["Status","=",{"S":"SHIPPED"}]`; a condition as text has one member. */
function tupleOf(filter: Filter): readonly unknown[] {
  return 'expression' in filter ? [filter.expression] : [filter.attribute, filter.operator, ...filter.values];
}

function filtersOf(text: string | undefined): readonly Filter[] {
  let json: unknown;
  try {
    json = JSON.parse(text ?? '[]');
  } catch {
    return [];
  }
  return Array.isArray(json) ? json.flatMap(filterOf) : [];
}

function filterOf(tuple: unknown): readonly Filter[] {
  if (!Array.isArray(tuple) || typeof tuple[0] !== 'string') return [];
  const [attribute, name, ...values] = tuple as [string, unknown, ...unknown[]];
  if (tuple.length === 1) return [{ expression: attribute }];
  const operator = filterOperators.find((each) => each === name);
  return operator === undefined || !values.every(isValue) ? [] : [{ attribute, operator, values }];
}

function isValue(value: unknown): value is AttributeValue {
  try {
    valueOfText('L', JSON.stringify([value]));
    return true;
  } catch (error) {
    if (error instanceof ValueError) return false;
    throw error;
  }
}
