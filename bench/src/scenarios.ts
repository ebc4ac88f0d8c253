import type { Operation } from './operations.ts';
import type { Random } from './random.ts';
import { batchWriteItemsMax, distinctItemIndexes, itemsPerPartition, type TableSpec } from './workload.ts';
import { createZipf, spreadRank } from './zipf.ts';

export const scenarioNames = [
  'get',
  'put',
  'update',
  'delete',
  'query',
  'query-200',
  'filter',
  'transact',
  'transact-25',
  'batch-get',
  'batch-get-100',
  'batch-write',
  'scan',
  'mixed',
] as const;
export type ScenarioName = (typeof scenarioNames)[number];

/** Draws the next operation of a scenario. */
type Draw = () => Operation;

/** One kind of load, the same for every subject. Operations name existing items. None changes the size of the table for long. */
export interface Scenario {
  readonly name: ScenarioName;
  readonly title: string;
  readonly draw: (random: Random, table: TableSpec) => Draw;
  /** Runs begin and end at a multiple of this many operations, where deleted items exist again. 1 for most. */
  readonly restEvery: number;
}

const queryItems = 20;
const deletedAtOnce = 500;
const zipfExponent = 0.99;
const writeOneIn = 5;
const versions = 9;

const definitions: Readonly<
  Record<ScenarioName, Omit<Scenario, 'name' | 'restEvery'> & { readonly restEvery?: number }>
> = {
  get: {
    title: 'GetItem',
    draw:
      (random, { itemCount }) =>
      () => ({ kind: 'get', item: random(itemCount) }),
  },
  put: {
    title: 'PutItem',
    draw:
      (random, { itemCount }) =>
      () => ({ kind: 'put', item: random(itemCount), version: 1 + random(versions) }),
  },
  update: {
    title: 'UpdateItem with a condition',
    draw:
      (random, { itemCount }) =>
      () => ({ kind: 'update', item: random(itemCount) }),
  },
  delete: {
    title: 'DeleteItem of 500 items, PutItem of the same, in turn',
    draw: drawDeletes,
    restEvery: 2 * deletedAtOnce,
  },
  query: {
    title: `Query of ${queryItems} items, in a partition of ${itemsPerPartition}`,
    draw:
      (random, { itemCount }) =>
      () => ({
        kind: 'query',
        first: partitionStart(random(itemCount)) + random(itemsPerPartition - queryItems + 1),
        count: queryItems,
      }),
  },
  'query-200': {
    title: `Query of ${itemsPerPartition} items`,
    draw:
      (random, { itemCount }) =>
      () => ({
        kind: 'query',
        first: partitionStart(random(itemCount)),
        count: itemsPerPartition,
      }),
  },
  filter: {
    title: `Query of ${itemsPerPartition} items with a filter that passes a quarter`,
    draw:
      (random, { itemCount }) =>
      () => ({ kind: 'filter', first: partitionStart(random(itemCount)) }),
  },
  transact: { title: 'TransactWriteItems of 2 items', draw: drawItems('transact', 2) },
  'transact-25': { title: 'TransactWriteItems of 25 items', draw: drawItems('transact', 25) },
  'batch-get': { title: 'BatchGetItem of 25 items', draw: drawItems('batch-get', 25) },
  'batch-get-100': { title: 'BatchGetItem of 100 items', draw: drawItems('batch-get', 100) },
  'batch-write': {
    title: `BatchWriteItem of ${batchWriteItemsMax} items`,
    draw:
      (random, { itemCount }) =>
      () => ({
        kind: 'batch-write',
        items: distinctItemIndexes(random, itemCount, batchWriteItemsMax),
        version: 1 + random(versions),
      }),
  },
  scan: {
    title: 'Scan, a page of 500 items',
    draw:
      (random, { itemCount }) =>
      () => ({ kind: 'scan', after: random(itemCount) }),
  },
  mixed: { title: '80 % GetItem, 20 % PutItem, keys by Zipf', draw: drawMixed },
};

export const scenarios = Object.fromEntries(
  scenarioNames.map((name) => [name, { restEvery: 1, ...definitions[name], name }]),
) as Readonly<Record<ScenarioName, Scenario>>;

/** The maximum number of items that a scenario names at once. A table must have more. */
export const scenarioItemsMax = 2 * deletedAtOnce;

function partitionStart(item: number): number {
  return item - (item % itemsPerPartition);
}

function drawItems(kind: 'transact' | 'batch-get', count: number): Scenario['draw'] {
  return (random, { itemCount }) =>
    () => ({ kind, items: distinctItemIndexes(random, itemCount, count) });
}

/**
 * Blocks: deletes a number of items, then puts all of them again, far enough apart that the put of an item never overtakes
 * its delete on another connection.
 */
function drawDeletes(random: Random, { itemCount }: TableSpec): Draw {
  let items: readonly number[] = [];
  let at = 0;
  return () => {
    const inBlock = at % (2 * deletedAtOnce);
    if (inBlock === 0) items = distinctItemIndexes(random, itemCount, deletedAtOnce);
    at += 1;
    const item = items[inBlock % deletedAtOnce] ?? 0;
    return inBlock < deletedAtOnce ? { kind: 'delete', item } : { kind: 'put', item, version: 1 };
  };
}

function drawMixed(random: Random, { itemCount }: TableSpec): Draw {
  const zipf = createZipf({ count: itemCount, exponent: zipfExponent, random });
  return () => {
    const item = spreadRank(zipf(), itemCount);
    return random(writeOneIn) === 0 ? { kind: 'put', item, version: 1 + random(versions) } : { kind: 'get', item };
  };
}
