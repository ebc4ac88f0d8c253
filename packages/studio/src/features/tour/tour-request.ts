import type { AttributeMap, AttributeValue } from '../../../../singlet/src/values/attribute-value.ts';

/** The table that the tour creates, reads, and removes. Decision 0103 says why it has its own. */
export const tourTable = 'SingletTour';

/** A strategy of single-table design, demonstrated by requests on the items of the tour. */
export interface Strategy {
  /** `S-29`. */
  readonly id: string;
  readonly title: string;
  readonly steps: readonly TourStep[];
}

/** A question, the request that answers it, and the answer. */
export interface TourStep {
  readonly ask: string;
  readonly operation: string;
  readonly input: object;
  /** How many items are returned; undefined if the database decides. */
  readonly items: number | undefined;
  /** The name of the error, if the request is to be rejected. */
  readonly refusal: string | undefined;
  readonly answer: string;
}

type Plain = string | number | boolean | readonly Plain[] | ReadonlySet<string> | { readonly [name: string]: Plain };

export function attributes(plain: Readonly<Record<string, Plain>>): AttributeMap {
  return Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, attribute(value)]));
}

function attribute(plain: Plain): AttributeValue {
  if (typeof plain === 'string') return { S: plain };
  if (typeof plain === 'number') return { N: String(plain) };
  if (typeof plain === 'boolean') return { BOOL: plain };
  if (plain instanceof Set) return { SS: [...(plain as ReadonlySet<string>)] };
  if (Array.isArray(plain)) return { L: plain.map(attribute) };
  return { M: attributes(plain as Readonly<Record<string, Plain>>) };
}

interface ReadOptions {
  /** How many items are returned. */
  readonly items?: number;
  readonly index?: 'GSI1' | 'GSI2';
  /** A condition on the sort key. */
  readonly sk?: readonly ['begins_with' | '=' | '<' | '<=' | '>' | '>=', string] | readonly ['between', string, string];
  readonly desc?: true;
  readonly limit?: number;
  readonly filter?: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, Plain>>;
  readonly projection?: string;
  readonly count?: true;
  readonly startAfter?: Readonly<Record<string, Plain>>;
}

/** Reads one collection, or the part of it that a condition on the sort key names. */
export function query(ask: string, pk: string, options: ReadOptions, answer: string): TourStep {
  const { index, sk, items, desc, limit, filter, names, projection, count, startAfter } = options;
  const prefix = index ?? '';
  const values: Record<string, Plain> = { ':pk': pk, ...options.values };
  const conditions = [`${prefix}PK = :pk`];
  if (sk !== undefined) {
    const [operator, value, to] = sk;
    values[':sk'] = value;
    if (operator === 'between') {
      values[':to'] = to;
      conditions.push(`${prefix}SK BETWEEN :sk AND :to`);
    } else {
      conditions.push(operator === 'begins_with' ? `begins_with(${prefix}SK, :sk)` : `${prefix}SK ${operator} :sk`);
    }
  }
  const input = {
    TableName: tourTable,
    ...(index !== undefined && { IndexName: index }),
    KeyConditionExpression: conditions.join(' AND '),
    ...(filter !== undefined && { FilterExpression: filter }),
    ...(projection !== undefined && { ProjectionExpression: projection }),
    ...(names !== undefined && { ExpressionAttributeNames: names }),
    ExpressionAttributeValues: attributes(values),
    ...(desc && { ScanIndexForward: false }),
    ...(limit !== undefined && { Limit: limit }),
    ...(count && { Select: 'COUNT' }),
    ...(startAfter !== undefined && { ExclusiveStartKey: attributes(startAfter) }),
  };
  return { ask, operation: 'Query', input, items, refusal: undefined, answer };
}

/** Reads one item. */
export function get(ask: string, [PK, SK = PK]: readonly string[], answer: string, projection?: string): TourStep {
  const Key = attributes({ PK: PK ?? '', SK: SK ?? '' });
  const input = {
    TableName: tourTable,
    Key,
    ...(projection !== undefined && { ProjectionExpression: projection }),
  };
  return { ask, operation: 'GetItem', input, items: 1, refusal: undefined, answer };
}

/** Reads several items by their keys. */
export function batchGet(ask: string, keys: readonly (readonly string[])[], answer: string): TourStep {
  const Keys = keys.map(([PK, SK = PK]) => attributes({ PK: PK ?? '', SK: SK ?? '' }));
  const input = { RequestItems: { [tourTable]: { Keys } } };
  return { ask, operation: 'BatchGetItem', input, items: keys.length, refusal: undefined, answer };
}

/** Reads all of the table, or one part of it. */
export function scan(ask: string, options: object, items: number | undefined, answer: string): TourStep {
  const input = { TableName: tourTable, ...options };
  return { ask, operation: 'Scan', input, items, refusal: undefined, answer };
}

/** A request that is rejected, and so changes nothing. */
export function refused(ask: string, operation: string, input: object, refusal: string, answer: string): TourStep {
  const named = operation === 'TransactWriteItems' ? input : { TableName: tourTable, ...input };
  return { ask, operation, input: named, items: undefined, refusal, answer };
}

/** A request about the table. */
export function describe(ask: string, operation: string, answer: string): TourStep {
  return { ask, operation, input: { TableName: tourTable }, items: undefined, refusal: undefined, answer };
}
