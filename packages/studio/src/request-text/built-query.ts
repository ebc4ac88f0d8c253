import type { AttributeMap, AttributeValue } from '../../../singlet/src/values/attribute-value.ts';
import { indexesOf, keyNamesOf, keyTypeOf, type TableDescription } from '../wire/table-description.ts';
import { expressionOf, partiqlOf, PlaceholderMaker } from './condition-text.ts';
import { type Path, readTokens, TextProblem, type Token } from './condition-tokens.ts';

/**
 * A Query or a Scan in the parts that the builder has fields for. Every form of a request is generated from it, and parsed back
 * into it (decision 0076).
 */
export interface BuiltQuery {
  readonly index?: string | undefined;
  /** If absent, it is a Scan. */
  readonly partition?: AttributeValue | undefined;
  readonly sort?: SortTerm | undefined;
  /** All of them must hold. */
  readonly filters: readonly Filter[];
  /** Paths; all attributes if there are none. */
  readonly projection: readonly string[];
  readonly isDescending: boolean;
  readonly isConsistent: boolean;
  /** Items that a page reads; up to 1 MB if absent. */
  readonly limit?: number | undefined;
}

export interface SortTerm {
  readonly operator: SortTermOperator;
  readonly values: readonly AttributeValue[];
}

export const sortTermOperators = ['=', '<', '<=', '>', '>=', 'between', 'begins_with'] as const;
export type SortTermOperator = (typeof sortTermOperators)[number];

/** One condition on an attribute, or a condition as text (`size(Tags) > 2 OR Status = 'open'`). */
export type Filter =
  | { readonly attribute: string; readonly operator: FilterOperator; readonly values: readonly AttributeValue[] }
  | { readonly expression: string };

export const filterOperators = [
  '=',
  '<>',
  '<',
  '<=',
  '>',
  '>=',
  'between',
  'in',
  'begins_with',
  'contains',
  'not contains',
  'exists',
  'not exists',
  'type',
] as const;
export type FilterOperator = (typeof filterOperators)[number];

/** How many values an operator takes; `in` takes any number. */
export function valueCountOf(operator: FilterOperator | SortTermOperator): number {
  return operator === 'exists' || operator === 'not exists' ? 0 : operator === 'between' ? 2 : 1;
}

export interface BuiltRequest {
  readonly operation: 'Query' | 'Scan';
  readonly input: object;
}

/** The request of a built query. @throws {TextProblem} for a condition that cannot be parsed. */
export function requestOf(table: TableDescription, built: BuiltQuery): BuiltRequest {
  const { index, partition, limit, projection } = built;
  const placeholders = new PlaceholderMaker();
  const key = partition === undefined ? undefined : keyExpression(table, built, partition, placeholders);
  const filter = built.filters.map((each) => filterText(each, built.filters.length > 1, placeholders)).join(' AND ');
  const columns = projection.map((path) => placeholders.path(pathOf(path))).join(', ');
  const { ExpressionAttributeNames, ExpressionAttributeValues } = placeholders.members;
  const input = {
    TableName: table.TableName,
    ...(index !== undefined && { IndexName: index }),
    ...(key !== undefined && { KeyConditionExpression: key }),
    ...(filter !== '' && { FilterExpression: filter }),
    ...(columns !== '' && { ProjectionExpression: columns }),
    ...(ExpressionAttributeNames && { ExpressionAttributeNames }),
    ...(ExpressionAttributeValues && { ExpressionAttributeValues }),
    ...(key !== undefined && built.isDescending && { ScanIndexForward: false }),
    ...(built.isConsistent && { ConsistentRead: true }),
    ...(limit !== undefined && { Limit: limit }),
  };
  return { operation: key === undefined ? 'Scan' : 'Query', input };
}

function keyExpression(
  table: TableDescription,
  { index, sort }: BuiltQuery,
  partition: AttributeValue,
  placeholders: PlaceholderMaker,
): string {
  const names = keyNamesOf(indexesOf(table).find(({ IndexName }) => IndexName === index) ?? table);
  const first = `${placeholders.name(names.partition, 'pk')} = ${placeholders.value(partition, 'pk')}`;
  if (sort === undefined || names.sort === undefined) return first;
  const name = placeholders.name(names.sort, 'sk');
  const [from = '', to = ''] = sort.values.map((value) => placeholders.value(value, 'sk'));
  if (sort.operator === 'between') return `${first} AND ${name} BETWEEN ${from} AND ${to}`;
  if (sort.operator === 'begins_with') return `${first} AND begins_with(${name}, ${from})`;
  return `${first} AND ${name} ${sort.operator} ${from}`;
}

function filterText(filter: Filter, isOneOfSeveral: boolean, placeholders: PlaceholderMaker): string {
  if ('expression' in filter) {
    const text = expressionOf(readTokens(filter.expression), placeholders);
    return isOneOfSeveral ? `(${text})` : text;
  }
  const path = pathOf(filter.attribute);
  const name = placeholders.path(path);
  const wanted = String(path.findLast((part) => typeof part === 'string'));
  const values = filter.values.map((value) => placeholders.value(value, wanted));
  const [first = '', second = ''] = values;
  switch (filter.operator) {
    case 'between':
      return `${name} BETWEEN ${first} AND ${second}`;
    case 'in':
      return `${name} IN (${values.join(', ')})`;
    case 'begins_with':
    case 'contains':
      return `${filter.operator}(${name}, ${first})`;
    case 'not contains':
      return `NOT contains(${name}, ${first})`;
    case 'exists':
      return `attribute_exists(${name})`;
    case 'not exists':
      return `attribute_not_exists(${name})`;
    case 'type':
      return `attribute_type(${name}, ${first})`;
    default:
      return `${name} ${filter.operator} ${first}`;
  }
}

/** A path in its typed form: `ShippedTo.City`, `Tags[0]`, `"a.b"`. @throws {TextProblem} */
export function pathOf(text: string): Path {
  const [token, ...more] = readTokens(text);
  if (token?.kind !== 'path' || more.length > 0)
    throw new TextProblem(`“${text}” is not an attribute: names with other characters are written in "quotes".`);
  return token.path;
}

/** The text that {@link pathOf} parses as this path. */
export function pathText(path: Path): string {
  return path
    .map((part, at) => {
      if (typeof part === 'number') return `[${part}]`;
      const isPlain = /^[A-Za-z_]\w*$/.test(part) && isOnePath(part);
      return `${at === 0 ? '' : '.'}${isPlain ? part : `"${part.replaceAll('"', '""')}"`}`;
    })
    .join('');
}

/** Not a word of the language. */
function isOnePath(name: string): boolean {
  return readTokens(name)[0]?.kind === 'path';
}

/** Members of a request that the builder has fields for. */
const knownMembers: ReadonlySet<string> = new Set([
  'TableName',
  'IndexName',
  'KeyConditionExpression',
  'FilterExpression',
  'ProjectionExpression',
  'ExpressionAttributeNames',
  'ExpressionAttributeValues',
  'ScanIndexForward',
  'ConsistentRead',
  'Limit',
  'ReturnConsumedCapacity',
]);

interface KnownInput {
  readonly TableName?: unknown;
  readonly IndexName?: string;
  readonly KeyConditionExpression?: string;
  readonly FilterExpression?: string;
  readonly ProjectionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: AttributeMap;
  readonly ScanIndexForward?: boolean;
  readonly ConsistentRead?: boolean;
  readonly Limit?: number;
}

/**
 * A request as the parts of the builder.
 *
 * @throws {TextProblem} naming what the builder has no field for.
 */
export function builtOf(table: TableDescription, input: object): BuiltQuery {
  const known = input as KnownInput; // members are checked where they are used
  const unknown = Object.keys(input).find((name) => !knownMembers.has(name));
  if (unknown !== undefined) throw new TextProblem(`The builder has no field for ${unknown}.`);
  if (known.TableName !== table.TableName)
    throw new TextProblem(
      `This request reads from ${String(known.TableName)}, and the builder shows ${table.TableName}.`,
    );
  if (known.Limit !== undefined && !(Number.isInteger(known.Limit) && known.Limit > 0))
    throw new TextProblem('Limit must be a whole number, 1 or more.');
  const placeholders = { names: known.ExpressionAttributeNames, values: known.ExpressionAttributeValues };
  const read = (text: string | undefined): readonly Token[] => readTokens(text ?? '', placeholders);
  const columns = listOf(read(known.ProjectionExpression));
  const conditions = { key: read(known.KeyConditionExpression), filter: read(known.FilterExpression) };
  const keyTerms = keyTermsOf(table, known.IndexName, conditions.key);
  if (keyTerms.rest.length > 0)
    throw new TextProblem('A key condition is an equality on the partition key and one condition on the sort key.');
  return {
    index: known.IndexName,
    partition: keyTerms.partition,
    sort: keyTerms.sort,
    filters: filtersOf(conditions.filter),
    projection: columns.map(pathText),
    isDescending: known.ScanIndexForward === false,
    isConsistent: known.ConsistentRead === true,
    limit: known.Limit,
  };
}

/** The conditions of a WHERE clause: key conditions as far as a Query accepts them, the rest as filters. @throws {TextProblem} */
export function builtOfConditions(
  table: TableDescription,
  index: string | undefined,
  where: readonly Token[],
): Pick<BuiltQuery, 'partition' | 'sort' | 'filters'> {
  const { partition, sort, rest } = keyTermsOf(table, index, where);
  const names = keyNamesOf(indexesOf(table).find(({ IndexName }) => IndexName === index) ?? table);
  const isKeyed = rest.flat().some((token) => token.kind === 'path' && token.path[0] === names.partition);
  if (isKeyed) throw new TextProblem(`The builder takes one value of ${names.partition}: with = and without OR.`);
  return { partition, sort, filters: rest.flatMap(filtersOf) };
}

function keyTermsOf(
  table: TableDescription,
  indexName: string | undefined,
  tokens: readonly Token[],
): {
  readonly partition: AttributeValue | undefined;
  readonly sort: SortTerm | undefined;
  readonly rest: readonly (readonly Token[])[];
} {
  const index = indexesOf(table).find(({ IndexName }) => IndexName === indexName);
  if (indexName !== undefined && index === undefined)
    throw new TextProblem(`The table ${table.TableName} has no index ${indexName}.`);
  const names = keyNamesOf(index ?? table);
  const terms = termsOf(tokens).map((term) => ({ term, simple: simpleOf(term) }));
  const first = terms.find(({ simple }) => simple?.operator === '=' && isAttribute(simple.path, names.partition));
  const [partition] = first?.simple?.values ?? [];
  const second = terms.find(({ simple }) => {
    if (partition === undefined || names.sort === undefined || simple === undefined) return false;
    return isAttribute(simple.path, names.sort) && sortTermOperators.some((operator) => operator === simple.operator);
  });
  const rest = terms.filter((each) => each !== first && each !== second).map(({ term }) => term);
  if (partition !== undefined) checkType(table, names.partition, partition);
  if (second?.simple === undefined) return { partition, sort: undefined, rest };
  const { operator, values } = second.simple;
  for (const value of values) checkType(table, names.sort ?? '', value);
  return { partition, sort: { operator: operator as SortTermOperator, values }, rest }; // it is one of them
}

function checkType(table: TableDescription, name: string, value: AttributeValue): void {
  const type = keyTypeOf(table, name);
  if (!(type in value)) throw new TextProblem(`${name} is of type ${type}.`);
}

function isAttribute(path: Path, name: string | undefined): boolean {
  return path.length === 1 && path[0] === name;
}

/** The operands of the outermost AND; the whole condition if there is an OR. */
function termsOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const terms: Token[][] = [[]];
  let depth = 0;
  let isBetween = false;
  for (const token of tokens) {
    const { text } = token as { readonly text?: string }; // values and paths have none
    if (token.kind === 'sign') depth += text === '(' ? 1 : text === ')' ? -1 : 0;
    const isOutside = depth === 0 && token.kind === 'word';
    if (isOutside && text === 'OR') return [tokens];
    if (isOutside && text === 'AND' && !isBetween) {
      terms.push([]);
      continue;
    }
    if (isOutside && text === 'BETWEEN') isBetween = true;
    else if (isOutside && text === 'AND') isBetween = false;
    terms.at(-1)?.push(token);
  }
  return terms.filter((term) => term.length > 0);
}

interface SimpleTerm {
  readonly path: Path;
  readonly operator: FilterOperator;
  readonly values: readonly AttributeValue[];
}

function filtersOf(tokens: readonly Token[]): readonly Filter[] {
  return termsOf(tokens).map((term) => {
    const simple = simpleOf(term);
    if (simple === undefined) return { expression: partiqlOf(unwrapped(term)) };
    return { attribute: pathText(simple.path), operator: simple.operator, values: simple.values };
  });
}

/** A term that has its own fields. */
function simpleOf(term: readonly Token[]): SimpleTerm | undefined {
  const shape = term
    .map((token) => (token.kind === 'path' ? 'p' : token.kind === 'value' ? 'v' : token.text))
    .join(' ');
  const path = term.find((token) => token.kind === 'path')?.path;
  if (path === undefined) return undefined;
  const values = term.flatMap((token) => (token.kind === 'value' ? [token.value] : []));
  const [, comparison] = /^p (=|<>|<|<=|>|>=) v$/.exec(shape) ?? [];
  if (comparison !== undefined) return { path, operator: comparison as FilterOperator, values }; // the pattern allows no other
  if (shape === 'p BETWEEN v AND v') return { path, operator: 'between', values };
  if (shape === 'p IN v')
    return values[0] && 'L' in values[0] ? { path, operator: 'in', values: values[0].L } : undefined;
  if (/^p IN \( v( , v)* \)$/.test(shape)) return { path, operator: 'in', values };
  const operator = shapes[shape];
  return operator && { path, operator, values };
}

const shapes: Readonly<Record<string, FilterOperator>> = {
  'begins_with ( p , v )': 'begins_with',
  'contains ( p , v )': 'contains',
  'NOT contains ( p , v )': 'not contains',
  'attribute_exists ( p )': 'exists',
  'attribute_not_exists ( p )': 'not exists',
  'p IS MISSING': 'not exists',
  'p IS NOT MISSING': 'exists',
  'attribute_type ( p , v )': 'type',
};

/** Without brackets around the whole. */
function unwrapped(term: readonly Token[]): readonly Token[] {
  const isSign = (token: Token | undefined, text: string): boolean => token?.kind === 'sign' && token.text === text;
  if (!isSign(term[0], '(') || !isSign(term.at(-1), ')')) return term;
  let depth = 0;
  for (const [at, token] of term.entries()) {
    depth += isSign(token, '(') ? 1 : isSign(token, ')') ? -1 : 0;
    if (depth === 0) return at === term.length - 1 ? term.slice(1, -1) : term;
  }
  return term;
}

/** Paths separated by commas. */
export function listOf(tokens: readonly Token[]): readonly Path[] {
  return tokens.flatMap((token, at) => {
    if (at % 2 === 0 && token.kind === 'path') return [token.path];
    if (at % 2 === 1 && token.kind === 'sign' && token.text === ',') return [];
    throw new TextProblem('A projection is a list of attributes with commas between them.');
  });
}
