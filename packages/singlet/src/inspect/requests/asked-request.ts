import type { QueryTerm } from '../../engine/index.ts';
import type { AttributeMap } from '../../values/attribute-value.ts';

/** What a request asks for, as far as it tells which pattern of a model it belongs to. */
export interface AskedRequest {
  readonly operation: string;
  /** One, or those of a batch or transaction. */
  readonly parts: readonly AskedPart[];
}

/** One operation on one item, collection or table. */
export interface AskedPart {
  /** `GetItem`, `Query`, `Scan`, `PutItem`, `UpdateItem`, `DeleteItem` or `ConditionCheck`. */
  readonly operation: string;
  readonly table: string;
  readonly index: string | undefined;
  /** Attributes whose values are known: of the key, of the whole item that is put, and those that a query compares with `=`. */
  readonly equal: AttributeMap;
  /** The other conditions of a query on its key. */
  readonly ranges: readonly QueryTerm[];
  readonly isDescending: boolean;
  readonly hasFilter: boolean;
  /** Whether it is made on the condition that there is no such item. */
  readonly isNew: boolean;
  /** Names in the expression of an update. */
  readonly updated: ReadonlySet<string>;
}

/** The members of requests in wire form that are read here. */
interface WireInput {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly Key?: AttributeMap;
  readonly Item?: AttributeMap;
  readonly ConditionExpression?: string;
  readonly FilterExpression?: string;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ScanIndexForward?: boolean;
}

interface WireBatch {
  readonly RequestItems?: Readonly<Record<string, WireKeys | readonly WireBatchWrite[]>>;
  readonly TransactItems?: readonly Readonly<Record<string, WireInput>>[];
}

interface WireKeys {
  readonly Keys: readonly AttributeMap[];
}

interface WireBatchWrite {
  readonly PutRequest?: WireInput;
  readonly DeleteRequest?: WireInput;
}

const transactOperations: Readonly<Record<string, string>> = {
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheck',
};

/**
 * @param input - of a request that was accepted, in wire form.
 * @param terms - the conditions of a query on its key.
 * @returns undefined for an action that addresses no items, and for a statement.
 */
export function askedRequest(operation: string, input: object, terms: readonly QueryTerm[]): AskedRequest | undefined {
  const parts = partsOf(operation, input, terms);
  return parts.length === 0 ? undefined : { operation, parts };
}

function partsOf(operation: string, input: object, terms: readonly QueryTerm[]): readonly AskedPart[] {
  switch (operation) {
    case 'GetItem':
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem':
    case 'Query':
    case 'Scan':
      return [partOf(operation, input, terms)];
    case 'BatchGetItem':
    case 'BatchWriteItem':
      return Object.entries((input as WireBatch).RequestItems ?? {}).flatMap(([TableName, requests]) =>
        'Keys' in requests
          ? requests.Keys.map((Key) => partOf('GetItem', { TableName, Key }))
          : requests.map(({ PutRequest, DeleteRequest }) =>
              partOf(PutRequest === undefined ? 'DeleteItem' : 'PutItem', {
                TableName,
                ...(PutRequest ?? DeleteRequest),
              }),
            ),
      );
    case 'TransactGetItems':
    case 'TransactWriteItems':
      return ((input as WireBatch).TransactItems ?? []).flatMap((action) =>
        Object.entries(action).map(([kind, one]) => partOf(transactOperations[kind] ?? kind, one)),
      );
    default:
      return [];
  }
}

function partOf(operation: string, input: WireInput, terms: readonly QueryTerm[] = []): AskedPart {
  const { TableName = '', IndexName, Key, Item, UpdateExpression = '', ExpressionAttributeNames: names } = input;
  const equal = terms.flatMap(({ attributeName, operator, operands: [value] }) =>
    operator === '=' && value !== undefined ? [[attributeName, value] as const] : [],
  );
  return {
    operation,
    table: TableName.slice(TableName.lastIndexOf('/') + 1), // of an ARN
    index: IndexName,
    equal: Key ?? Item ?? Object.fromEntries(equal),
    ranges: terms.filter(({ operator }) => operator !== '='),
    isDescending: input.ScanIndexForward === false,
    hasFilter: input.FilterExpression !== undefined,
    isNew: input.ConditionExpression?.includes('attribute_not_exists') === true,
    updated: new Set(UpdateExpression.match(/[#\w]+/g)?.map((name) => names?.[name] ?? name)),
  };
}
