import { BenchError } from './bench-error.ts';
import { createRandom, type Random } from './random.ts';

/** A JSON object in wire format: a request, a reply, an item. */
export type WireObject = Readonly<Record<string, unknown>>;

/** A table as required by a case. Cases that name the same table share its items. */
export interface TableSpec {
  readonly name: string;
  /** Whole partitions: a multiple of {@link itemsPerPartition}. */
  readonly itemCount: number;
  /** Length of an item's JSON text. DynamoDB counts a little less. */
  readonly itemBytes: number;
  /** The number of global secondary indexes, all with a projection of ALL: 0 to 5. */
  readonly indexCount: number;
  /** Whether changes are written to a stream, as old and new images. */
  readonly stream: boolean;
}

export const itemsPerPartition = 200;
export const batchWriteItemsMax = 25;
export const itemBytesMin = 100;
const itemBytesMax = 100 * 1024;
/** Below this size an item has only its keys, a version and a text. */
const fullItemBytesMin = 700;

/** The nearest number of items in whole partitions: at least one partition. */
export function wholePartitions(itemCount: number): number {
  return Math.max(1, Math.ceil(itemCount / itemsPerPartition)) * itemsPerPartition;
}

const keyAttributes = { PK: 'S', SK: 'S', OrderId: 'S', Type: 'S', Status: 'S', Amount: 'N' } as const;
type KeyAttribute = keyof typeof keyAttributes;

/**
 * The keys of the indexes: each spreads an item's entry to another place. The keys do not change when an item is
 * replaced, but the entry, which has the whole item, is written again.
 */
const indexKeys: readonly (readonly KeyAttribute[])[] = [
  ['OrderId'],
  ['Status', 'SK'],
  ['Type', 'OrderId'],
  ['Status', 'Amount'],
  ['SK', 'PK'],
];

export function createTableRequest({ name, indexCount, stream }: TableSpec): WireObject {
  const indexes = indexKeys.slice(0, indexCount);
  const attributes = [...new Set<KeyAttribute>(['PK', 'SK', ...indexes.flat()])];
  return {
    TableName: name,
    AttributeDefinitions: attributes.map((each) => ({ AttributeName: each, AttributeType: keyAttributes[each] })),
    KeySchema: keySchema(['PK', 'SK']),
    BillingMode: 'PAY_PER_REQUEST',
    ...(indexes.length > 0 && {
      GlobalSecondaryIndexes: indexes.map((key, index) => ({
        IndexName: `Index${index + 1}`,
        KeySchema: keySchema(key),
        Projection: { ProjectionType: 'ALL' },
      })),
    }),
    ...(stream && { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } }),
  };
}

function keySchema(attributes: readonly KeyAttribute[]): WireObject[] {
  return attributes.map((AttributeName, at) => ({ AttributeName, KeyType: at === 0 ? 'HASH' : 'RANGE' }));
}

export function partitionKeyOf(itemIndex: number): string {
  return `CUSTOMER#${String(Math.floor(itemIndex / itemsPerPartition)).padStart(9, '0')}`;
}

export function sortKeyOf(itemIndex: number): string {
  return `ORDER#${String(itemIndex % itemsPerPartition).padStart(6, '0')}`;
}

export function keyOf(itemIndex: number): WireObject {
  return { PK: { S: partitionKeyOf(itemIndex) }, SK: { S: sortKeyOf(itemIndex) } };
}

/** The index of the item with this key; undefined for a key outside the workload. */
export function itemIndexOf(key: WireObject): number | undefined {
  const numberOf = (value: unknown, pattern: RegExp): number | undefined => {
    const text = (value as { readonly S?: string } | undefined)?.S;
    const digits = text === undefined ? undefined : pattern.exec(text)?.[1];
    return digits === undefined ? undefined : Number(digits);
  };
  const partition = numberOf(key['PK'], /^CUSTOMER#(\d+)$/);
  const position = numberOf(key['SK'], /^ORDER#(\d+)$/);
  return partition === undefined || position === undefined ? undefined : partition * itemsPerPartition + position;
}

export const statuses = ['PLACED', 'SHIPPED', 'DELIVERED', 'CANCELLED'] as const;

/**
 * The item at an index, for example 1,024 bytes of JSON with twelve attributes of the usual types. Its text attribute looks
 * random, so that a store that compresses gains no more than it would from real data.
 *
 * @param version - one digit: replacing an item changes it, but not its length.
 */
export function itemOf({ itemBytes }: Pick<TableSpec, 'itemBytes'>, itemIndex: number, version = 1): WireObject {
  const noteLength = itemBytes - lengthWithoutNote(itemIndex, itemBytes);
  return itemWithNote(itemIndex, itemBytes, { version, note: filler(itemIndex, noteLength) });
}

function itemWithNote(
  itemIndex: number,
  itemBytes: number,
  { version, note }: { readonly version: number; readonly note: string },
): WireObject {
  const PK = { S: partitionKeyOf(itemIndex) };
  const SK = { S: sortKeyOf(itemIndex) };
  if (itemBytes < fullItemBytesMin) return { PK, SK, Version: { N: String(version) }, Note: { S: note } };
  return {
    PK,
    SK,
    Type: { S: 'Order' },
    OrderId: { S: `o-${String(itemIndex).padStart(10, '0')}` },
    Status: { S: statuses[itemIndex % statuses.length] },
    Amount: { N: String(1000 + (itemIndex % 9000)) },
    Version: { N: String(version) },
    Paid: { BOOL: itemIndex % 2 === 0 },
    Tags: { SS: ['express', 'gift', 'insured'] },
    Address: { M: { Street: { S: '12 Harbour Road' }, City: { S: 'Rotterdam' }, Zip: { S: '3011' } } },
    Lines: {
      L: [{ M: { Sku: { S: 'SKU-10442' }, Count: { N: '2' } } }, { M: { Sku: { S: 'SKU-20871' }, Count: { N: '1' } } }],
    },
    Note: { S: note },
  };
}

/** Computed once, because it is needed for ten million items. Only the status and the boolean vary in length. */
const lengths = [itemBytesMin, fullItemBytesMin].map((itemBytes) =>
  statuses.map((_, index) => JSON.stringify(itemWithNote(index, itemBytes, { version: 1, note: '' })).length),
);

function lengthWithoutNote(itemIndex: number, itemBytes: number): number {
  const length = lengths[itemBytes < fullItemBytesMin ? 0 : 1]?.[itemIndex % statuses.length] ?? Infinity;
  if (itemBytes < length || itemBytes > itemBytesMax) {
    throw new BenchError('usage', `An item has ${itemBytesMin} to ${itemBytesMax} bytes; not ${itemBytes}.`);
  }
  return length;
}

/** Distinct item indexes, for requests that must not name an item twice. */
export function distinctItemIndexes(random: Random, itemCount: number, count: number): number[] {
  const chosen = new Set<number>();
  while (chosen.size < count) chosen.add(random(itemCount));
  return [...chosen];
}

/** The batch writes that fill a table, one after the other. */
export function* loadRequests(table: TableSpec): Generator<WireObject> {
  for (let first = 0; first < table.itemCount; first += batchWriteItemsMax) {
    const count = Math.min(batchWriteItemsMax, table.itemCount - first);
    yield batchWriteRequest(
      table,
      Array.from({ length: count }, (_, offset) => first + offset),
    );
  }
}

export function batchWriteRequest(table: TableSpec, itemIndexes: readonly number[], version = 1): WireObject {
  const puts = itemIndexes.map((index) => ({ PutRequest: { Item: itemOf(table, index, version) } }));
  return { RequestItems: { [table.name]: puts } };
}

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-';
const fillerText = (() => {
  const random = createRandom(20_240_607);
  return Array.from({ length: 65_536 + itemBytesMax }, () => letters[random(letters.length)]).join('');
})();

function filler(itemIndex: number, length: number): string {
  const start = Math.imul(itemIndex, 7919) & 0xffff;
  return fillerText.slice(start, start + length);
}
