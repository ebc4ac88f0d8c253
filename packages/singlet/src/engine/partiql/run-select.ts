import { type ReadConsistency, readCapacityUnits } from '../../values/capacity-units.ts';
import type { AttributeMap } from '../../values/attribute-value.ts';
import { serviceLimits } from '../../values/limits.ts';
import type { ReadUnits } from '../capacity/read-capacity.ts';
import { copyStoredItem } from '../layout/item-codec.ts';
import { justAfter } from '../items/key-range.ts';
import { pagePositionOf } from '../items/page-position.ts';
import { readPage } from '../items/read-page.ts';
import { readsOf } from '../items/reads-of.ts';
import type { ItemOutput } from '../layout/stored-item.ts';
import type { ItemServices } from '../capacity/item-services.ts';
import { checkFence } from '../catalog/catalog.ts';
import { invalidNextToken, type SelectPosition } from './next-token.ts';
import type { PlannedRead } from './planned-read.ts';
import type { SelectPlan } from './select-plan.ts';

/** Reads in one page of a statement with many: 10, according to the developer guide. */
const readsPerPageMax = 10;

export interface SelectPage {
  readonly items: readonly ItemOutput[];
  /** Items before the filter. */
  readonly scannedCount: number;
  /** The position to continue from; undefined at the end. */
  readonly next: SelectPosition | undefined;
  readonly units: ReadUnits;
}

/**
 * Reads one page: until the limit, 1 MB, ten reads or the end.
 *
 * @param options.limit - items to evaluate, at least 1.
 * @throws {ValidationException} for a position that the plan does not have.
 */
export async function runSelect(
  services: ItemServices,
  plan: SelectPlan,
  options: {
    readonly limit: number | undefined;
    readonly consistency: ReadConsistency;
    readonly from: SelectPosition | undefined;
  },
): Promise<SelectPage> {
  const items: ItemOutput[] = [];
  let tableUnits = 0;
  let indexUnits = 0;
  let scannedCount = 0;
  let sizeBytes = 0;
  const start = options.from ?? { read: 0 };
  if (start.read >= plan.reads.length) throw invalidNextToken();
  let position: SelectPosition | undefined = start;
  for (let readCount = 0; position !== undefined; readCount += 1) {
    const isFull = scannedCount === options.limit || sizeBytes >= services.limits.queryPageBytesMax;
    if (isFull || readCount === readsPerPageMax) break;
    const read = plan.reads[position.read] as PlannedRead; // the position is below the length
    const limit = options.limit === undefined ? undefined : options.limit - scannedCount;
    const page = await runRead(services, plan, read, {
      limit,
      key: position.lastEvaluatedKey,
      consistency: options.consistency,
    });
    items.push(...page.items);
    scannedCount += page.scannedCount;
    tableUnits += page.units.tableUnits;
    indexUnits += page.units.index?.units ?? 0;
    sizeBytes += bytesOf(page.units, options.consistency);
    if (page.lastEvaluatedKey !== undefined) {
      position = { read: position.read, lastEvaluatedKey: page.lastEvaluatedKey };
      break;
    }
    position = position.read + 1 < plan.reads.length ? { read: position.read + 1 } : undefined;
  }
  const { index } = plan;
  return {
    items,
    scannedCount,
    next: position,
    units: index === undefined ? { tableUnits } : { tableUnits, index: { index, units: indexUnits } },
  };
}

interface ReadResult {
  readonly items: readonly ItemOutput[];
  readonly scannedCount: number;
  readonly lastEvaluatedKey: AttributeMap | undefined;
  readonly units: ReadUnits;
}

interface ReadOptions {
  readonly limit: number | undefined;
  readonly key: AttributeMap | undefined;
  readonly consistency: ReadConsistency;
}

async function runRead(
  services: ItemServices,
  plan: SelectPlan,
  read: PlannedRead,
  options: ReadOptions,
): Promise<ReadResult> {
  if (read.operation === 'GetItem') return readItem(services, plan, read, options.consistency);
  const { table, index, reverse, projection, fetchFromTable } = plan;
  return readPage(services, {
    table,
    index,
    ...rangeAfter(plan, read, options.key),
    reverse,
    limit: options.limit,
    filter: read.filter,
    projection,
    countOnly: false,
    fetchFromTable,
    consistency: options.consistency,
  });
}

function rangeAfter(
  { table, index, reverse }: SelectPlan,
  { from, to, operation }: PlannedRead,
  key: AttributeMap | undefined,
): { readonly from: Buffer; readonly to: Buffer } {
  if (key === undefined) return { from, to };
  const position = pagePositionOf(table, index, key, operation === 'Scan' ? 'Scan' : 'Query').storeKey;
  if (position.compare(from) < 0 || position.compare(to) >= 0) throw invalidNextToken();
  return reverse ? { from, to: position } : { from: justAfter(position), to };
}

/** One item by its key. It never ends a page early. */
async function readItem(
  services: ItemServices,
  { table, projection }: SelectPlan,
  { from, to, filter }: PlannedRead,
  consistency: ReadConsistency,
): Promise<ReadResult> {
  const isEmpty = from.compare(to) >= 0; // the conditions on its key contradict each other
  services.capacity.admitPage(table, undefined, from);
  const reads = readsOf(services, { table, isGlobalIndex: false, consistency });
  const { result, item } = await reads.read([table.fenceKey, from], ([fence, value]) => {
    checkFence(table, fence);
    const item = value === undefined || isEmpty ? undefined : copyStoredItem(from, value);
    const isFound = item !== undefined && (filter === undefined || filter.evaluate(item));
    const read: ReadResult = {
      items: isFound ? [projection === undefined ? item : projection.project(item)] : [],
      scannedCount: item === undefined ? 0 : 1,
      lastEvaluatedKey: undefined,
      units: { tableUnits: readCapacityUnits(item?.sizeBytes ?? 0, consistency) },
    };
    return { result: read, item };
  });
  // If there is no item, its key attributes are unknown, and not needed.
  const key = { storeKey: from, attributes: item === undefined ? {} : item.toMap() };
  services.capacity.consumeRead(table, key, result.units.tableUnits);
  return result;
}

/** The bytes read, derived from the capacity: exact to a few kilobytes, which is enough to decide where a page ends. */
function bytesOf({ tableUnits, index }: ReadUnits, consistency: ReadConsistency): number {
  const unitBytes = serviceLimits.readCapacityUnitBytes / readCapacityUnits(0, consistency);
  return (tableUnits + (index?.units ?? 0)) * unitBytes;
}
