import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  ScanCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { setTimeout as delay } from 'node:timers/promises';
import type { Place } from './place.ts';

export type Item = Record<string, AttributeValue>;

/** A table at a place, and how its items are identified. */
export interface PlacedTable {
  readonly place: Place;
  readonly tableName: string;
  /** Names of the partition key and, if any, the sort key. */
  readonly keyNames: readonly string[];
}

/** Limits of the requests of the API. */
const getKeysMax = 100;
const writesMax = 25;

const firstDelayMs = 50;
const longestDelayMs = 5_000;

/** The key attributes of an item. */
export function keyOf({ keyNames }: Pick<PlacedTable, 'keyNames'>, item: Item): Item {
  return Object.fromEntries(Object.entries(item).filter(([name]) => keyNames.includes(name)));
}

/**
 * A text that two items share if they are equal: attributes by name, and elements of sets in any order. Numbers have one form in DynamoDB.
 */
export function textOf(item: Item): string {
  return JSON.stringify(ordered({ M: item }));
}

function ordered(value: AttributeValue): unknown {
  if (value.M !== undefined) {
    const entries = Object.entries(value.M).map(([name, each]) => [name, ordered(each)] as const);
    return { M: entries.toSorted(([one], [other]) => (one < other ? -1 : 1)) };
  }
  if (value.L !== undefined) return { L: value.L.map(ordered) };
  if (value.B !== undefined) return { B: base64(value.B) };
  if (value.BS !== undefined) return { BS: value.BS.map(base64).toSorted() };
  if (value.SS !== undefined) return { SS: value.SS.toSorted() };
  if (value.NS !== undefined) return { NS: value.NS.toSorted() };
  return value;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/** All items of a table, page by page, from several segments at once; read with strong consistency. */
export async function scanTable(
  { place, tableName }: PlacedTable,
  segments: number,
  onPage: (items: readonly Item[]) => Promise<void>,
): Promise<void> {
  const scanSegment = async (segment: number): Promise<void> => {
    let start: Item | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await place.client.send(
        new ScanCommand({
          TableName: tableName,
          ConsistentRead: true,
          ...(segments > 1 && { Segment: segment, TotalSegments: segments }),
          ...(start !== undefined && { ExclusiveStartKey: start }),
        }),
      );
      if (Items.length > 0) await onPage(Items);
      start = LastEvaluatedKey;
    } while (start !== undefined);
  };
  await Promise.all(Array.from({ length: segments }, async (_, segment) => scanSegment(segment)));
}

/** The items under some keys, read with strong consistency; missing ones are left out. */
export async function itemsAt({ place, tableName }: PlacedTable, keys: readonly Item[]): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let from = 0; from < keys.length; from += getKeysMax) {
    let Keys: Item[] = keys.slice(from, from + getKeysMax);
    for (let delayMs = firstDelayMs; Keys.length > 0; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
      const { Responses = {}, UnprocessedKeys = {} } = await place.client.send(
        new BatchGetItemCommand({ RequestItems: { [tableName]: { Keys, ConsistentRead: true } } }),
      );
      const found = Responses[tableName] ?? [];
      items.push(...found);
      Keys = UnprocessedKeys[tableName]?.Keys ?? [];
      // A page of large items is cut short without a reason to wait.
      if (Keys.length > 0 && found.length === 0) await delay(delayMs);
    }
  }
  return items;
}

/** Puts and deletes items, each under another key. */
export async function writeItems(
  { place, tableName }: PlacedTable,
  { puts, deletes }: { readonly puts: readonly Item[]; readonly deletes: readonly Item[] },
): Promise<void> {
  const all: readonly WriteRequest[] = [
    ...puts.map((item) => ({ PutRequest: { Item: item } })),
    ...deletes.map((key) => ({ DeleteRequest: { Key: key } })),
  ];
  for (let from = 0; from < all.length; from += writesMax) {
    let requests: WriteRequest[] = all.slice(from, from + writesMax);
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
      const { UnprocessedItems = {} } = await place.client.send(
        new BatchWriteItemCommand({ RequestItems: { [tableName]: requests } }),
      );
      requests = UnprocessedItems[tableName] ?? [];
      if (requests.length === 0) break;
      await delay(delayMs);
    }
  }
}
