import {
  batchWriteRequest,
  itemIndexOf,
  itemOf,
  itemsPerPartition,
  keyOf,
  partitionKeyOf,
  sortKeyOf,
  statuses,
  type TableSpec,
  type WireObject,
} from './workload.ts';

/**
 * What a request does to which items, before it is expressed in a protocol (`wireCallOf` here) or in the calls of a storage
 * engine (`floors.ts`).
 */
export type Operation =
  | { readonly kind: 'get' | 'update' | 'delete'; readonly item: number }
  | { readonly kind: 'put'; readonly item: number; readonly version: number }
  /** The first items of one partition, up to a number. */
  | { readonly kind: 'query'; readonly first: number; readonly count: number }
  /** A whole partition, of which a quarter is returned. */
  | { readonly kind: 'filter'; readonly first: number }
  /** Puts the items at even positions, and updates the others under a condition. */
  | { readonly kind: 'transact'; readonly items: readonly number[] }
  | { readonly kind: 'batch-get'; readonly items: readonly number[] }
  | { readonly kind: 'batch-write'; readonly items: readonly number[]; readonly version: number }
  /** A page of the scan that continues after an item. */
  | { readonly kind: 'scan'; readonly after: number };

/** Items of one page of a scan. */
export const scanItems = 500;
const filteredStatus = statuses[1];

/** One request of the protocol. */
export interface WireCall {
  readonly action: string;
  readonly input: WireObject;
}

export function wireCallOf(operation: Operation, table: TableSpec): WireCall {
  const TableName = table.name;
  switch (operation.kind) {
    case 'get':
      return { action: 'GetItem', input: { TableName, Key: keyOf(operation.item) } };
    case 'put':
      return { action: 'PutItem', input: { TableName, Item: itemOf(table, operation.item, operation.version) } };
    case 'update':
      return { action: 'UpdateItem', input: updateOf(table, operation.item) };
    case 'delete':
      return { action: 'DeleteItem', input: { TableName, Key: keyOf(operation.item) } };
    case 'query':
      return { action: 'Query', input: queryOf(table, operation) };
    case 'filter':
      return {
        action: 'Query',
        input: {
          TableName,
          KeyConditionExpression: 'PK = :pk',
          FilterExpression: '#status = :status AND contains(Tags, :tag)',
          ExpressionAttributeNames: { '#status': 'Status' },
          ExpressionAttributeValues: {
            ':pk': { S: partitionKeyOf(operation.first) },
            ':status': { S: filteredStatus },
            ':tag': { S: 'gift' },
          },
        },
      };
    case 'transact':
      return {
        action: 'TransactWriteItems',
        input: {
          TransactItems: operation.items.map((item, at) =>
            at % 2 === 0 ? { Put: { TableName, Item: itemOf(table, item) } } : { Update: updateOf(table, item) },
          ),
        },
      };
    case 'batch-get':
      return {
        action: 'BatchGetItem',
        input: { RequestItems: { [TableName]: { Keys: operation.items.map((item) => keyOf(item)) } } },
      };
    case 'batch-write':
      return { action: 'BatchWriteItem', input: batchWriteRequest(table, operation.items, operation.version) };
    case 'scan':
      return {
        action: 'Scan',
        input: { TableName, Limit: scanItems, ExclusiveStartKey: keyOf(operation.after) },
      };
  }
}

/** Increments a version, as optimistic locking does: one read, one condition on it, one write. */
function updateOf(table: TableSpec, item: number): WireObject {
  return {
    TableName: table.name,
    Key: keyOf(item),
    UpdateExpression: 'SET #version = #version + :one',
    ConditionExpression: 'attribute_exists(PK) AND #version >= :one',
    ExpressionAttributeNames: { '#version': 'Version' },
    ExpressionAttributeValues: { ':one': { N: '1' } },
  };
}

function queryOf(table: TableSpec, { first, count }: { readonly first: number; readonly count: number }): WireObject {
  const partition = { ':pk': { S: partitionKeyOf(first) } };
  if (count === itemsPerPartition) {
    return { TableName: table.name, KeyConditionExpression: 'PK = :pk', ExpressionAttributeValues: partition };
  }
  return {
    TableName: table.name,
    KeyConditionExpression: 'PK = :pk AND SK BETWEEN :from AND :to',
    ExpressionAttributeValues: {
      ...partition,
      ':from': { S: sortKeyOf(first) },
      ':to': { S: sortKeyOf(first + count - 1) },
    },
  };
}

/** A reply in a server's format. The bare server answers this text to every request. */
export function replyOf(operation: Operation, table: TableSpec): WireObject {
  const items = (first: number, count: number): WireObject[] =>
    Array.from({ length: count }, (_, offset) => itemOf(table, (first + offset) % table.itemCount));
  const page = (Items: readonly WireObject[], ScannedCount: number): WireObject => ({
    Count: Items.length,
    Items,
    ScannedCount,
  });
  switch (operation.kind) {
    case 'get':
      return { Item: itemOf(table, operation.item) };
    case 'query':
      return page(items(operation.first, operation.count), operation.count);
    case 'filter':
      return page(filteredItems(operation.first, table), itemsPerPartition);
    case 'scan':
      return { ...page(items(operation.after, scanItems), scanItems), LastEvaluatedKey: keyOf(operation.after) };
    case 'batch-get':
      return { Responses: { [table.name]: operation.items.map((item) => itemOf(table, item)) }, UnprocessedKeys: {} };
    case 'batch-write':
      return { UnprocessedItems: {} };
    case 'put':
    case 'update':
    case 'delete':
    case 'transact':
      return {};
  }
}

function filteredItems(first: number, table: TableSpec): WireObject[] {
  const indexes = Array.from({ length: itemsPerPartition }, (_, offset) => first + offset);
  return indexes
    .filter((index) => statuses[index % statuses.length] === filteredStatus)
    .map((index) => itemOf(table, index));
}

/** What is wrong with a reply (of status 200), or undefined. */
export function faultOf(operation: Operation, table: TableSpec, reply: WireObject): string | undefined {
  switch (operation.kind) {
    case 'get':
      return itemFault(reply['Item'], table, operation.item);
    case 'query':
      return itemsFault(
        reply['Items'],
        table,
        Array.from({ length: operation.count }, (_, offset) => operation.first + offset),
      );
    case 'filter':
      return itemsFault(
        reply['Items'],
        table,
        filteredItems(operation.first, table).map((item) => itemIndexOf(item) ?? -1),
      );
    case 'scan':
      return scanFault(reply, table);
    case 'batch-get':
      return batchFault(reply, table, operation.items);
    case 'batch-write':
      return isEmptyObject(reply['UnprocessedItems']) ? undefined : 'the reply leaves items unprocessed';
    case 'put':
    case 'update':
    case 'delete':
    case 'transact':
      return undefined;
  }
}

function itemFault(item: unknown, table: TableSpec, index: number): string | undefined {
  if (typeof item !== 'object' || item === null) return `item ${index} is missing`;
  const found = item as WireObject;
  // Writes of other scenarios may have changed it.
  const { Version: _version, ...wanted } = itemOf(table, index);
  if (Object.keys(found).length !== Object.keys(wanted).length + 1) return `item ${index} has other attributes`;
  const different = Object.keys(wanted).find((name) => !sameValue(found[name], wanted[name]));
  return different === undefined ? undefined : `item ${index} has another ${different}`;
}

function itemsFault(items: unknown, table: TableSpec, wanted: readonly number[]): string | undefined {
  if (!Array.isArray(items)) return 'the reply has no items';
  if (items.length !== wanted.length) return `the reply has ${items.length} items instead of ${wanted.length}`;
  for (const [at, index] of wanted.entries()) {
    const fault = itemFault(items[at], table, index);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Each server has its own scan order, and its last page is shorter. */
function scanFault(reply: WireObject, table: TableSpec): string | undefined {
  const items = reply['Items'];
  if (!Array.isArray(items)) return 'the reply has no items';
  if (items.length !== scanItems && reply['LastEvaluatedKey'] !== undefined) return `a page has ${items.length} items`;
  const indexes = items.map((item) => itemIndexOf(item as WireObject) ?? -1);
  if (new Set(indexes).size !== items.length) return 'a page has an item twice';
  return itemsFault(items, table, indexes);
}

function batchFault(reply: WireObject, table: TableSpec, wanted: readonly number[]): string | undefined {
  const items = (reply['Responses'] as WireObject | undefined)?.[table.name];
  if (!Array.isArray(items)) return 'the reply has no items';
  const place = new Map(items.map((item) => [itemIndexOf(item as WireObject), item as unknown]));
  return itemsFault(
    wanted.map((index) => place.get(index)),
    table,
    wanted,
  );
}

/** Values in wire format, with sets in any order. */
function sameValue(found: unknown, wanted: unknown): boolean {
  return JSON.stringify(found, sortedSets) === JSON.stringify(wanted, sortedSets);
}

function sortedSets(_name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.every((each) => typeof each === 'string') ? value.toSorted() : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
