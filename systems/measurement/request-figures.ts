import type { ObservedRequest } from './observe-requests.ts';

/** The effects and the cost of one request, or of many together. */
export interface RequestFigures {
  /** Items the request read, before any filter. */
  readonly itemsRead: number;
  readonly itemsReturned: number;
  /** Items put, changed or deleted. */
  readonly itemsWritten: number;
  /** Capacity as DynamoDB reports it, indexes included. It reports none for a request that failed. */
  readonly readUnits: number;
  readonly writeUnits: number;
}

const WRITE_OPERATIONS: ReadonlySet<string> = new Set([
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'BatchWriteItem',
  'TransactWriteItems',
]);

export function figuresOf(request: ObservedRequest): RequestFigures {
  const { operation, input, output } = request;
  if (output === undefined) {
    return { itemsRead: 0, itemsReturned: 0, itemsWritten: 0, readUnits: 0, writeUnits: 0 };
  }
  const units = capacityUnits(output['ConsumedCapacity']);
  if (WRITE_OPERATIONS.has(operation)) {
    const itemsWritten = itemsWrittenBy(operation, input) - itemsInBatch(output['UnprocessedItems']);
    return { itemsRead: 0, itemsReturned: 0, itemsWritten, readUnits: 0, writeUnits: units };
  }
  const found = output['Item'] === undefined ? itemsInBatch(output['Responses']) : 1;
  return {
    itemsRead: typeof output['ScannedCount'] === 'number' ? output['ScannedCount'] : found,
    itemsReturned: typeof output['Count'] === 'number' ? output['Count'] : found,
    itemsWritten: 0,
    readUnits: units,
    writeUnits: 0,
  };
}

/** Capacity by place: the table, and each index involved. */
export function capacityByPlace(consumedCapacity: unknown): ReadonlyMap<string, number> {
  const units = new Map<string, number>();
  for (const consumed of listOf(consumedCapacity)) {
    const { Table, GlobalSecondaryIndexes } = consumed as {
      readonly Table?: { readonly CapacityUnits?: number };
      readonly GlobalSecondaryIndexes?: Readonly<Record<string, { readonly CapacityUnits?: number }>>;
    };
    for (const [place, part] of Object.entries({ table: Table, ...GlobalSecondaryIndexes })) {
      if (part?.CapacityUnits) {
        units.set(place, (units.get(place) ?? 0) + part.CapacityUnits);
      }
    }
  }
  return units;
}

function capacityUnits(consumedCapacity: unknown): number {
  return listOf(consumedCapacity).reduce<number>((sum, consumed) => {
    return sum + ((consumed as { readonly CapacityUnits?: number }).CapacityUnits ?? 0);
  }, 0);
}

/** ConsumedCapacity is one record or, if several tables may be involved, a list of them. */
function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) {
    return [];
  }
  return Array.isArray(value) ? value : [value];
}

function itemsWrittenBy(operation: string, input: Readonly<Record<string, unknown>>): number {
  if (operation === 'BatchWriteItem') {
    return itemsInBatch(input['RequestItems']);
  }
  if (operation === 'TransactWriteItems') {
    return listOf(input['TransactItems']).filter((action) => !Object.hasOwn(action as object, 'ConditionCheck')).length;
  }
  return 1;
}

/** Of writes, or of items that were found, by table. */
function itemsInBatch(byTable: unknown): number {
  return Object.values((byTable ?? {}) as Readonly<Record<string, readonly unknown[]>>).flat().length;
}
