import { createRandom, type Random } from './random.ts';

/** A JSON object as it travels: a request, a reply, an item. */
export type WireObject = Readonly<Record<string, unknown>>;

export const tableName = 'Bench';
export const itemsPerPartition = 20;
/** Length of an item's JSON text. The service would count a little less, so every item costs one write unit. */
export const itemTextBytes = 1024;
export const batchWriteItemsMax = 25;

export const createTableRequest: WireObject = {
  TableName: tableName,
  AttributeDefinitions: [
    { AttributeName: 'PK', AttributeType: 'S' },
    { AttributeName: 'SK', AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: 'PK', KeyType: 'HASH' },
    { AttributeName: 'SK', KeyType: 'RANGE' },
  ],
  BillingMode: 'PAY_PER_REQUEST',
};

export function partitionKeyOf(itemIndex: number): string {
  return `CUSTOMER#${String(Math.floor(itemIndex / itemsPerPartition)).padStart(9, '0')}`;
}

export function sortKeyOf(itemIndex: number): string {
  return `ORDER#${String(itemIndex % itemsPerPartition).padStart(6, '0')}`;
}

export function keyOf(itemIndex: number): WireObject {
  return { PK: { S: partitionKeyOf(itemIndex) }, SK: { S: sortKeyOf(itemIndex) } };
}

/**
 * The item at an index: twelve attributes of the usual types, 1,024 bytes as JSON text. Its text attribute looks random,
 * so that a store that compresses gains no more than it would from real data.
 */
export function itemOf(itemIndex: number): WireObject {
  return itemWithNote(itemIndex, filler(itemIndex, noteLengths[itemIndex % statuses.length] ?? 0));
}

const statuses = ['PLACED', 'SHIPPED', 'DELIVERED', 'CANCELLED'];

function itemWithNote(itemIndex: number, note: string): WireObject {
  return {
    PK: { S: partitionKeyOf(itemIndex) },
    SK: { S: sortKeyOf(itemIndex) },
    Type: { S: 'Order' },
    OrderId: { S: `o-${String(itemIndex).padStart(10, '0')}` },
    Status: { S: statuses[itemIndex % statuses.length] },
    Amount: { N: String(1000 + (itemIndex % 9000)) },
    Version: { N: '1' },
    Paid: { BOOL: itemIndex % 2 === 0 },
    Tags: { SS: ['express', 'gift', 'insured'] },
    Address: { M: { Street: { S: '12 Harbour Road' }, City: { S: 'Rotterdam' }, Zip: { S: '3011' } } },
    Lines: {
      L: [{ M: { Sku: { S: 'SKU-10442' }, Count: { N: '2' } } }, { M: { Sku: { S: 'SKU-20871' }, Count: { N: '1' } } }],
    },
    Note: { S: note },
  };
}

/**
 * What the text attribute must have to fill an item up, by item index modulo 4: only the status and the truth value have
 * a length of their own. Worked out once, because ten million items are made of it.
 */
const noteLengths = statuses.map((_, index) => itemTextBytes - JSON.stringify(itemWithNote(index, '')).length);

/** Distinct item indexes, for requests that must not name an item twice. */
export function distinctItemIndexes(random: Random, itemCount: number, count: number): number[] {
  const chosen = new Set<number>();
  while (chosen.size < count) chosen.add(random(itemCount));
  return [...chosen];
}

/** The batch write that loads `batchWriteItemsMax` items from an index on (fewer at the end of the table). */
export function loadRequest(firstItemIndex: number, itemCount: number): WireObject {
  const count = Math.min(batchWriteItemsMax, itemCount - firstItemIndex);
  const indexes = Array.from({ length: count }, (_, offset) => firstItemIndex + offset);
  return batchWriteRequest(indexes);
}

export function batchWriteRequest(itemIndexes: readonly number[]): WireObject {
  return { RequestItems: { [tableName]: itemIndexes.map((index) => ({ PutRequest: { Item: itemOf(index) } })) } };
}

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-';
const fillerText = (() => {
  const random = createRandom(20_240_607);
  return Array.from({ length: 65_536 + itemTextBytes }, () => letters[random(letters.length)]).join('');
})();

function filler(itemIndex: number, length: number): string {
  const start = Math.imul(itemIndex, 7919) & 0xffff;
  return fillerText.slice(start, start + length);
}
