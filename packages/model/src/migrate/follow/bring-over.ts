import type { TableInfo } from '../../resolve/resolved.ts';
import type { StoredItem } from '../../run/attribute-value.ts';
import { Expression } from '../../run/expression.ts';
import { keyIn } from '../item-form.ts';
import { MigrationError } from '../migration-error.ts';
import { isLostRace, type Outcome, readItem, unchanged } from '../move-item.ts';
import { sameItem } from '../stored-value.ts';
import type { Traffic } from '../traffic.ts';
import { type CopiedForm, formOf, type SourceTable } from './copied-tables.ts';

const attemptsMax = 20;

/** An item as it is copied: the item itself, or the guard of one of its unique values. */
export interface CopiedItem {
  readonly tableName: string;
  readonly table: TableInfo;
  readonly key: StoredItem;
  readonly item: StoredItem;
}

/** A copy that should or should no longer exist, and its current state. */
interface Found extends CopiedItem {
  readonly wanted: boolean;
  readonly there: StoredItem | undefined;
}

/**
 * Updates the copy of one item to the item's current state. The trigger is a scan or a record of the stream, however old.
 *
 * The state that a record reports is never written. The copy is read first and the item after it, so that what is written is
 * at least as new as what it replaces. It is written on condition that the copy is still what was read. A record that arrives
 * late, twice or out of order therefore finds a correct copy. The old image of a record tells which copies to
 * delete: those with another key, and guards of values that the item gave up.
 *
 * @param was - the item before the change.
 * @throws {MigrationError} the errors of `ItemForm.target`; `busy` if other writers keep changing the copy.
 */
export async function bringOver(
  traffic: Traffic,
  source: SourceTable,
  key: StoredItem,
  was: StoredItem | undefined,
): Promise<Outcome> {
  let item = await readItem(traffic, source.name, key);
  for (let attempt = 0; attempt < attemptsMax;) {
    const found = await findCopies(traffic, copiesNow(source, item), copiesBefore(source, was));
    const stale = found.filter(isStale);
    if (stale.length === 0) return item === undefined ? 'gone' : 'current';
    const again = await readItem(traffic, source.name, key);
    if (!isSame(item, again)) {
      item = again;
      continue;
    }
    try {
      for (const each of stale) await write(traffic, each);
      return 'written';
    } catch (error) {
      if (!isLostRace(error)) throw error;
    }
    await traffic.backOff(attempt);
    attempt += 1;
    item = await readItem(traffic, source.name, key);
  }
  throw new MigrationError('busy', 'Other clients keep writing a copy: only the migration may write it.', {
    key,
  });
}

/** The copies of an item; none if it is not an item of the model. */
export function copiesOf({ form, target }: CopiedForm, item: StoredItem): CopiedItem[] {
  const { key, item: copy, guards } = form.target(item);
  const { table } = form.to.entity;
  return [{ key, item: copy }, ...guards].map((each) => ({ tableName: target, table, key: each.key, item: each.item }));
}

function copiesNow(source: SourceTable, item: StoredItem | undefined): CopiedItem[] {
  const copied = formOf(source, item);
  return copied === undefined || item === undefined ? [] : copiesOf(copied, item);
}

/** An item without a form was never copied. */
function copiesBefore(source: SourceTable, was: StoredItem | undefined): CopiedItem[] {
  try {
    return copiesNow(source, was);
  } catch (error) {
    if (error instanceof MigrationError) return [];
    throw error;
  }
}

async function findCopies(
  traffic: Traffic,
  wanted: readonly CopiedItem[],
  former: readonly CopiedItem[],
): Promise<Found[]> {
  const gone = former.filter((old) => !wanted.some((copy) => isSameKey(copy, old)));
  const all = [
    ...gone.map((copy) => ({ ...copy, wanted: false })),
    ...wanted.map((copy) => ({ ...copy, wanted: true })),
  ];
  return Promise.all(all.map(async (copy) => ({ ...copy, there: await readItem(traffic, copy.tableName, copy.key) })));
}

/** A copy to delete may belong to another item by now. It is deleted only if it is still the copy of this item. */
function isStale({ wanted, item, there }: Found): boolean {
  const same = there !== undefined && sameItem(there, item);
  return wanted ? !same : same;
}

async function write(traffic: Traffic, { wanted, tableName, table, key, item, there }: Found): Promise<void> {
  const condition = there === undefined ? absent(table) : unchanged(table, there);
  await traffic.send(
    wanted
      ? { operation: 'PutItem', input: { TableName: tableName, Item: item, ...condition } }
      : { operation: 'DeleteItem', input: { TableName: tableName, Key: key, ...condition } },
  );
}

function absent({ place }: TableInfo): Record<string, unknown> {
  const expression = new Expression();
  const ConditionExpression = `attribute_not_exists(${expression.name(place.partition[0]?.attribute ?? '')})`;
  return { ConditionExpression, ...expression.attributes() };
}

function isSame(a: StoredItem | undefined, b: StoredItem | undefined): boolean {
  return a === undefined || b === undefined ? a === b : sameItem(a, b);
}

function isSameKey(a: CopiedItem, b: CopiedItem): boolean {
  return a.tableName === b.tableName && sameItem(a.key, b.key);
}

/** The key of a stored item of a source. */
export function keyInSource({ table }: SourceTable, item: StoredItem): StoredItem {
  return keyIn({ table }, item);
}
