import type { AttributeMap } from '../../../singlet/src/values/attribute-value.ts';
import { writeCapacityUnits } from '../../../singlet/src/values/capacity-units.ts';
import { whyNotIn } from '../grid/index-membership.ts';
import { itemBytes } from '../values/attribute-size.ts';
import { sameValue } from '../values/value-problem.ts';
import { picked } from '../values/value-text.ts';
import { indexesOf, keyNamesOf, type TableDescription, type TableIndex } from '../wire/table-description.ts';

// The effects of a write besides the item itself, from the description of the table and the item before and after. No request is needed, so
// they can be shown during typing, on any endpoint.

export interface WriteEffects {
  readonly change: 'insert' | 'rewrite' | 'delete' | 'none';
  readonly oldBytes: number;
  readonly newBytes: number;
  readonly tableUnits: number;
  readonly indexes: readonly IndexEffect[];
  /** Absent if the table has no stream, or nothing changes. */
  readonly stream: { readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE'; readonly view: string } | undefined;
  /** The units of the table and all indexes. */
  readonly writeUnits: number;
}

export interface IndexEffect {
  readonly name: string;
  /** `absent`: the item is not in the index, before and after. */
  readonly change: 'put' | 'delete' | 'move' | 'rewrite' | 'none' | 'absent';
  /** Why the item is not in the index after the write, if it is not. */
  readonly reason: string | undefined;
  readonly units: number;
}

/**
 * The effects of a write of one item, by the rules of the service. Decision 0065 says why they are derived here.
 *
 * @param before - absent for a new item.
 * @param after - absent for an item that is deleted.
 * @param isInTransaction - a write in a transaction costs the table twice as much.
 * @see DynamoDB Developer Guide, "Using Global Secondary Indexes", on write capacity
 */
export function effectsOf(
  table: TableDescription,
  before: AttributeMap | undefined,
  after: AttributeMap | undefined,
  isInTransaction = false,
): WriteEffects {
  const oldBytes = before === undefined ? 0 : itemBytes(before);
  const newBytes = after === undefined ? 0 : itemBytes(after);
  const change = changeOf(before, after);
  const indexes = indexesOf(table).map((index) => indexEffect(table, index, before, after));
  const tableUnits = writeCapacityUnits(Math.max(oldBytes, newBytes), isInTransaction);
  const { StreamEnabled = false, StreamViewType = '' } = table.StreamSpecification ?? {};
  const eventName = change === 'insert' ? 'INSERT' : change === 'delete' ? 'REMOVE' : 'MODIFY';
  return {
    change,
    oldBytes,
    newBytes,
    tableUnits,
    indexes,
    stream: StreamEnabled && change !== 'none' ? { eventName, view: StreamViewType } : undefined,
    writeUnits: indexes.reduce((sum, { units }) => sum + units, tableUnits),
  };
}

function changeOf(before: AttributeMap | undefined, after: AttributeMap | undefined): WriteEffects['change'] {
  if (after === undefined) return before === undefined ? 'none' : 'delete';
  if (before === undefined) return 'insert';
  return sameValue({ M: before }, { M: after }) ? 'none' : 'rewrite';
}

function indexEffect(
  table: TableDescription,
  index: TableIndex,
  before: AttributeMap | undefined,
  after: AttributeMap | undefined,
): IndexEffect {
  const name = index.IndexName;
  const reason = after === undefined ? undefined : whyNotIn(after, index, table);
  const oldEntry =
    before === undefined || whyNotIn(before, index, table) !== undefined ? undefined : entryOf(before, index, table);
  const newEntry = after === undefined || reason !== undefined ? undefined : entryOf(after, index, table);
  if (oldEntry === undefined && newEntry === undefined) return { name, change: 'absent', reason, units: 0 };
  if (oldEntry === undefined) return { name, change: 'put', reason, units: unitsOf(newEntry) };
  if (newEntry === undefined) return { name, change: 'delete', reason, units: unitsOf(oldEntry) };
  const isSameKey = Object.values(keyNamesOf(index)).every(
    (each) => each === undefined || sameValue(oldEntry[each], newEntry[each]),
  );
  if (!isSameKey) return { name, change: 'move', reason, units: unitsOf(oldEntry) + unitsOf(newEntry) };
  if (sameValue({ M: oldEntry }, { M: newEntry })) return { name, change: 'none', reason, units: 0 };
  return { name, change: 'rewrite', reason, units: Math.max(unitsOf(oldEntry), unitsOf(newEntry)) };
}

function unitsOf(entry: AttributeMap | undefined): number {
  return entry === undefined ? 0 : writeCapacityUnits(itemBytes(entry), false);
}

/** What the index holds of an item. */
export function entryOf(item: AttributeMap, index: TableIndex, table: TableDescription): AttributeMap {
  if (index.Projection.ProjectionType === 'ALL') return item;
  const names = [keyNamesOf(table), keyNamesOf(index)].flatMap(({ partition, sort }) => [
    partition,
    ...(sort === undefined ? [] : [sort]),
  ]);
  return picked(item, [...names, ...(index.Projection.NonKeyAttributes ?? [])]);
}
