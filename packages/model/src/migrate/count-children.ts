import type { ResolvedModel } from '../resolve/resolved.ts';
import { type StoredItem, toAttributeValue } from '../run/attribute-value.ts';
import { Expression } from '../run/expression.ts';
import * as evaluator from '../patterns/evaluate.ts';
import { formWriters, ItemCodec, type Values } from '../run/item-codec.ts';
import { keyIn } from './item-form.ts';
import { activityAttribute, type Counting } from './migration.ts';
import { MigrationError } from './migration-error.ts';
import { isLostRace, readItem } from './move-item.ts';
import { sameItem } from './stored-value.ts';
import { scanItems } from './scan-table.ts';
import type { Traffic } from './traffic.ts';

const attemptsMax = 12;
/** Parents whose children one scan counts, if no collection holds all children of a parent. Limits the memory. */
const parentsMax = 1_000_000;

/**
 * Sets a counter of every parent to the number of its children. A connection of `connectDuring` increments a second number with every
 * write of the counter. A count is kept only if that number did not change while the children were counted.
 *
 * @returns the number of counters that were wrong.
 */
export async function countChildren(
  traffic: Traffic,
  counting: Counting,
  dryRun: boolean,
): Promise<{ scanned: number; written: number }> {
  const parents = new ItemCodec(counting.parent, evaluator);
  const query = collectionOf(counting);
  const counts = new Map<string, number>();
  let todo: StoredItem[] = [];
  let scanned = 0;
  let written = 0;
  const settle = async (parent: StoredItem, children: number): Promise<boolean> => {
    if (wantsCount(counting, parent, children) && !dryRun && !(await setCount(traffic, counting, parent, children)))
      return false;
    if (wantsCount(counting, parent, children)) written += 1;
    return true;
  };
  for await (const parent of parentsOf(traffic, counting)) {
    scanned += 1;
    if (query === undefined) {
      if (todo.push(parent) > parentsMax)
        throw new MigrationError(
          'busy',
          `There are more than ${parentsMax} items of ${counting.parent.name}: give ${counting.child.name} a collection by parent to count in.`,
        );
      continue;
    }
    let current: StoredItem | undefined = parent;
    for (let attempt = 0; current !== undefined; attempt += 1) {
      if (await settle(current, await query(traffic, parents.decode(current)))) break;
      if (attempt === attemptsMax) throw busy(counting);
      await traffic.backOff(attempt);
      current = await readItem(traffic, traffic.tableName(counting.parent.table.name), keyIn(counting.parent, current));
    }
  }
  for (let round = 0; todo.length > 0; round += 1) {
    if (round === attemptsMax) throw busy(counting);
    counts.clear();
    await countAll(traffic, counting, counts);
    const left: StoredItem[] = [];
    for (const parent of todo) {
      if (await settle(parent, counts.get(parentId(counting, parents.decode(parent))) ?? 0)) continue;
      const now = await readItem(
        traffic,
        traffic.tableName(counting.parent.table.name),
        keyIn(counting.parent, parent),
      );
      if (now !== undefined) left.push(now);
    }
    todo = left;
  }
  return { scanned, written };
}

/** Counts the children of every parent in one scan. */
export async function countAll(traffic: Traffic, counting: Counting, counts: Map<string, number>): Promise<void> {
  const { child, link } = counting;
  const codec = new ItemCodec(child, evaluator);
  for await (const item of scanItems(traffic, { table: child.table, types: [child.type], segment: 0, segments: 1 })) {
    const values = codec.decode(item);
    if (link.by.some(([, name]) => values[name] === undefined)) continue;
    // The copies of an item are one child.
    if (child.rules.copies !== undefined && !sameItem(codec.key({ ...values, copy: 1 }), keyIn(child, item))) continue;
    const id = parentId(counting, Object.fromEntries(link.by.map(([parent, name]) => [parent, values[name]])));
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
}

/** Identifies parents by the attributes with which children refer to them. */
export function parentId({ link }: Counting, parent: Values): string {
  return JSON.stringify(link.by.map(([name]) => String(parent[name])));
}

/** Counters that a version keeps. */
export function countingsOf({ entities }: ResolvedModel): Counting[] {
  return [...entities.values()].flatMap((child) =>
    child.parents.flatMap((link): Counting[] => {
      const parent = entities.get(link.entity);
      const { count } = link.rules;
      return parent === undefined || count === undefined ? [] : [{ parent, child, link, counter: count }];
    }),
  );
}

/** Removes a counter, and its change number, from every parent. */
export async function removeCount(
  traffic: Traffic,
  { parent, counter }: Pick<Counting, 'parent' | 'counter'>,
  keep: boolean,
): Promise<number> {
  let written = 0;
  const stored = storedName({ parent, counter });
  for await (const item of parentsOf(traffic, { parent })) {
    const names = [...(keep ? [] : [stored]), activityAttribute(stored)].filter((name) => item[name] !== undefined);
    if (names.length === 0) continue;
    const expression = new Expression();
    const removed = names.map((name) => expression.name(name));
    await traffic
      .send({
        operation: 'UpdateItem',
        input: {
          TableName: traffic.tableName(parent.table.name),
          Key: keyIn(parent, item),
          UpdateExpression: `REMOVE ${removed.join(', ')}`,
          ...expression.attributes(), // removing creates no item: an update without a SET of a missing one would, so the condition requires it
          ConditionExpression: `attribute_exists(${expression.name(parent.table.place.partition[0]?.attribute ?? '')})`,
        },
      })
      .then(
        () => (written += 1),
        (error: unknown) => {
          if (!isLostRace(error)) throw error; // deleted in the meantime
        },
      );
  }
  return written;
}

/** The number that a parent has; undefined if it has none. */
export function countIn(
  { parent, counter }: Pick<Counting, 'parent' | 'counter'>,
  item: StoredItem,
): number | undefined {
  const value = item[storedName({ parent, counter })]?.N;
  return value === undefined ? undefined : Number(value);
}

function parentsOf(traffic: Traffic, { parent }: Pick<Counting, 'parent'>): AsyncGenerator<StoredItem> {
  return scanItems(traffic, { table: parent.table, types: [parent.type], segment: 0, segments: 1 });
}

/** A parent without children may lack the number if reading fills in 0. */
function wantsCount(counting: Counting, parent: StoredItem, children: number): boolean {
  const known = countIn(counting, parent);
  const fallback = counting.parent.attributes.get(counting.counter)?.fallback;
  return known !== children && !(known === undefined && children === 0 && fallback === 0);
}

async function setCount(traffic: Traffic, counting: Counting, parent: StoredItem, children: number): Promise<boolean> {
  const expression = new Expression();
  const stored = storedName(counting);
  const { partition } = counting.parent.table.place;
  const tests = [stored, activityAttribute(stored)].map((name) => {
    const placeholder = expression.name(name);
    const value = parent[name];
    return value === undefined ? `attribute_not_exists(${placeholder})` : `${placeholder} = ${expression.value(value)}`;
  });
  const UpdateExpression = `SET ${expression.name(stored)} = ${expression.value({ N: String(children) })}`;
  const exists = `attribute_exists(${expression.name(partition[0]?.attribute ?? '')})`;
  try {
    await traffic.send({
      operation: 'UpdateItem',
      input: {
        TableName: traffic.tableName(counting.parent.table.name),
        Key: keyIn(counting.parent, parent),
        UpdateExpression,
        ConditionExpression: [exists, ...tests].join(' AND '),
        ...expression.attributes(),
      },
    });
    return true;
  } catch (error) {
    if (!isLostRace(error)) throw error;
    return false;
  }
}

type CountQuery = (traffic: Traffic, parent: Values) => Promise<number>;

/** Counts with the item collection that holds all children of one parent; undefined if the table has none. */
function collectionOf({ child, link }: Counting): CountQuery | undefined {
  const { partition } = child.key;
  const named = new Set(link.by.map(([, name]) => name));
  const bound = partition.every(({ template }) => template.variables.every(({ name }) => named.has(name)));
  if (!bound || child.rules.copies !== undefined) return undefined;
  const writers = formWriters(child, { when: undefined, partition, sort: [] });
  return async (traffic, parent) => {
    const values = Object.fromEntries(link.by.map(([name, own]) => [own, parent[name]]));
    const expression = new Expression();
    const keys = writers.map(
      ({ slot, write }) => `${expression.name(slot.attribute)} = ${expression.value(write(values) ?? { NULL: true })}`,
    );
    const { typeAttribute } = child.table;
    const type =
      typeAttribute === undefined ? '' : `${expression.name(typeAttribute)} = ${expression.value({ S: child.type })}`;
    const owned = Object.entries(values).map(([name, value]) => {
      const stored = child.attributes.get(name)?.stored ?? name;
      return isKey(child.table.place, stored)
        ? ''
        : `${expression.name(stored)} = ${expression.value(toAttributeValue(value, name))}`;
    });
    const filter = [type, ...owned].filter((text) => text !== '').join(' AND ');
    const input = {
      TableName: traffic.tableName(child.table.name),
      KeyConditionExpression: keys.join(' AND '),
      ...(filter !== '' && { FilterExpression: filter }),
      ConsistentRead: true,
      Select: 'COUNT',
      ...expression.attributes(),
    };
    let count = 0;
    let ExclusiveStartKey: unknown;
    do {
      const answer = await traffic.send({
        operation: 'Query',
        input: ExclusiveStartKey === undefined ? input : { ...input, ExclusiveStartKey },
      });
      count += Number(answer.Count ?? 0);
      ExclusiveStartKey = answer.LastEvaluatedKey;
    } while (ExclusiveStartKey !== undefined);
    return count;
  };
}

function isKey({ partition, sort }: Counting['child']['table']['place'], attribute: string): boolean {
  return [...partition, ...sort].some((key) => key.attribute === attribute);
}

function storedName({ parent, counter }: Pick<Counting, 'parent' | 'counter'>): string {
  return parent.attributes.get(counter)?.stored ?? counter;
}

function busy({ parent, counter }: Counting): MigrationError {
  return new MigrationError(
    'busy',
    `Other clients keep writing ${parent.name}.${counter}; continue with resume when there are fewer writes.`,
  );
}
