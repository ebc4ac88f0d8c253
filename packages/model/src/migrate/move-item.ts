import type { EntityInfo, TableInfo } from '../resolve/resolved.ts';
import type { StoredItem } from '../run/attribute-value.ts';
import type { Answer, BuiltRequest } from '../run/context.ts';
import { Expression } from '../run/expression.ts';
import type { ItemCodec, Values } from '../run/item-codec.ts';
import { type Guard, type ItemForm, keyIn, type Target } from './item-form.ts';
import { MigrationError } from './migration-error.ts';
import { sameItem, sameValue } from './stored-value.ts';
import type { Traffic } from './traffic.ts';

/** The outcome for an item: written, already in its form, or gone. */
export type Outcome = 'written' | 'current' | 'gone';

/** How a migration writes its items. */
export interface MoveOptions {
  readonly dryRun?: boolean | undefined;
  /** How many times an item is read and decided again because other writers change it. */
  readonly rereads?: number | undefined;
  /** Called with each request that a dry run does not send. */
  readonly onUnsent?: ((request: BuiltRequest) => void) | undefined;
}

const rereadsByDefault = 12;

/**
 * Converts one item, with its guards, in one request. The request is made on condition that the item is
 * still what it was derived from. A concurrent write wins, and the item is read and decided again.
 *
 * @throws {MigrationError} `not-unique`, `key-taken`, and the errors of `ItemForm.target`.
 */
export async function moveItem(
  traffic: Traffic,
  form: ItemForm,
  stored: StoredItem,
  { dryRun = false, rereads = rereadsByDefault, onUnsent }: MoveOptions = {},
): Promise<Outcome> {
  const from = { table: traffic.tableName(form.from.entity.table.name), key: keyIn(form.from.entity, stored) };
  let item: StoredItem | undefined = stored;
  for (let attempt = 0; item !== undefined; attempt += 1) {
    const target = form.target(item);
    try {
      const actions = await actionsFor(traffic, form, item, target);
      if (actions === undefined) return 'gone';
      if (actions.length === 0) return 'current';
      if (dryRun) onUnsent?.(requestOf(actions));
      else await traffic.send(requestOf(actions));
      return 'written';
    } catch (error) {
      // A value that another item has may be one that this item gave up since it was read.
      const isStale = isTaken(error) && !sameItem((await readItem(traffic, from.table, from.key)) ?? {}, item);
      if (!isStale && !isLostRace(error)) throw error;
      if (attempt === rereads)
        throw new MigrationError('busy', 'Other clients keep writing an item; continue with resume.', {
          key: from.key,
          cause: error,
        });
    }
    await traffic.backOff(attempt);
    item = await readItem(traffic, from.table, from.key);
    // The key may belong to an item of another kind by now.
    if (item !== undefined && !form.owns(item)) item = undefined;
  }
  return 'gone';
}

/** Reads the current state of an item. */
export async function readItem(traffic: Traffic, TableName: string, Key: StoredItem): Promise<StoredItem | undefined> {
  const { Item } = await traffic.send({ operation: 'GetItem', input: { TableName, Key, ConsistentRead: true } });
  return Item as StoredItem | undefined;
}

interface ItemAction {
  readonly kind: 'Put' | 'Update' | 'Delete' | 'ConditionCheck';
  readonly input: Readonly<Record<string, unknown>>;
}

/** The actions it takes; undefined if the item no longer exists. */
async function actionsFor(
  traffic: Traffic,
  form: ItemForm,
  stored: StoredItem,
  target: Target,
): Promise<ItemAction[] | undefined> {
  const { from, to } = form;
  const key = keyIn(from.entity, stored);
  const moves = from.entity.table.name !== to.entity.table.name || !sameItem(key, target.key);
  const guards = form.guarded ? await guardActions(traffic, form, target) : [];
  if (moves) {
    const move = await moveActions(traffic, form, stored, target);
    return move === undefined ? undefined : [...move, ...guards];
  }
  const update = updateAction(traffic, to.entity, stored, target);
  if (update !== undefined) return [update, ...guards];
  return guards.length === 0 ? [] : [checkAction(traffic, to.entity, stored, target), ...guards];
}

/** The whole item is deleted, so the condition covers the whole item. */
async function moveActions(
  traffic: Traffic,
  form: ItemForm,
  stored: StoredItem,
  target: Target,
): Promise<ItemAction[] | undefined> {
  const { from, to } = form;
  const there = await readItem(traffic, traffic.tableName(to.entity.table.name), target.key);
  if (there !== undefined) {
    // Another process that moves items, such as a connection of the application, may have moved this one.
    const left = await readItem(traffic, traffic.tableName(from.entity.table.name), keyIn(from.entity, stored));
    if (left === undefined) return undefined;
    throw new MigrationError(
      'key-taken',
      `Two items would have the key ${keyText(target.key)}: ${keyText(keyIn(from.entity, stored))} would move there.`,
      {
        key: keyIn(from.entity, stored),
      },
    );
  }
  const remove = new Expression();
  const names = new Set([...Object.keys(stored), ...form.names]);
  const put = new Expression();
  return [
    {
      kind: 'Delete',
      input: {
        TableName: traffic.tableName(from.entity.table.name),
        Key: keyIn(from.entity, stored),
        ConditionExpression: conditionOn(remove, from.entity.table, stored, names),
        ...remove.attributes(),
      },
    },
    {
      kind: 'Put',
      input: {
        TableName: traffic.tableName(to.entity.table.name),
        Item: target.item,
        ConditionExpression: `attribute_not_exists(${put.name(partitionOf(to.entity))})`,
        ...put.attributes(),
      },
    },
  ];
}

function updateAction(
  traffic: Traffic,
  entity: EntityInfo,
  stored: StoredItem,
  target: Target,
): ItemAction | undefined {
  const changed = [...new Set([...Object.keys(stored), ...Object.keys(target.item)])].filter(
    (name) => !sameValue(stored[name], target.item[name]),
  );
  if (changed.length === 0) return undefined;
  const expression = new Expression();
  const sets = changed.flatMap((name) => {
    const value = target.item[name];
    return value === undefined ? [] : [`${expression.name(name)} = ${expression.value(value)}`];
  });
  const removes = changed.flatMap((name) => (target.item[name] === undefined ? [expression.name(name)] : []));
  const clauses = [
    sets.length > 0 ? `SET ${sets.join(', ')}` : '',
    removes.length > 0 ? `REMOVE ${removes.join(', ')}` : '',
  ];
  const condition = conditionOn(expression, entity.table, stored, new Set([...changed, ...target.sources]));
  return {
    kind: 'Update',
    input: {
      TableName: traffic.tableName(entity.table.name),
      Key: target.key,
      UpdateExpression: clauses.filter((text) => text !== '').join(' '),
      ConditionExpression: condition,
      ...expression.attributes(),
    },
  };
}

function checkAction(traffic: Traffic, entity: EntityInfo, stored: StoredItem, target: Target): ItemAction {
  const expression = new Expression();
  const ConditionExpression = conditionOn(expression, entity.table, stored, new Set(target.sources));
  return {
    kind: 'ConditionCheck',
    input: {
      TableName: traffic.tableName(entity.table.name),
      Key: target.key,
      ConditionExpression,
      ...expression.attributes(),
    },
  };
}

/** The condition that the item exists and these attributes are what was read. */
function conditionOn(expression: Expression, table: TableInfo, stored: StoredItem, names: ReadonlySet<string>): string {
  const key = keyIn({ table }, stored);
  const tests = [...names].flatMap((name) => {
    if (key[name] !== undefined) return [];
    const value = stored[name];
    const placeholder = expression.name(name);
    return [
      value === undefined ? `attribute_not_exists(${placeholder})` : `${placeholder} = ${expression.value(value)}`,
    ];
  });
  return [`attribute_exists(${expression.name(partitionOf({ table }))})`, ...tests].join(' AND ');
}

async function guardActions(traffic: Traffic, form: ItemForm, target: Target): Promise<ItemAction[]> {
  const to = traffic.tableName(form.to.entity.table.name);
  const from = traffic.tableName(form.from.entity.table.name);
  const wanted = await Promise.all(
    target.guards.map(async (guard) => guardAction(traffic, form, to, guard, target.values)),
  );
  const former = await Promise.all(
    target.former.map(async ({ key, item }): Promise<ItemAction | undefined> => {
      const there = await readItem(traffic, from, key);
      if (there === undefined || !sameItem(there, item)) return undefined; // deleted, or another item
      return { kind: 'Delete', input: { TableName: from, Key: key, ...unchanged(form.from.entity.table, there) } };
    }),
  );
  return [...wanted, ...former].filter((action) => action !== undefined);
}

async function guardAction(
  traffic: Traffic,
  form: ItemForm,
  TableName: string,
  guard: Guard,
  values: Values,
): Promise<ItemAction | undefined> {
  const { entity } = form.to;
  const there = await readItem(traffic, TableName, guard.key);
  if (there !== undefined && sameItem(there, guard.item)) return undefined;
  if (there === undefined) {
    const expression = new Expression();
    const ConditionExpression = `attribute_not_exists(${expression.name(partitionOf(entity))})`;
    return { kind: 'Put', input: { TableName, Item: guard.item, ConditionExpression, ...expression.attributes() } };
  }
  if (await isHeld(traffic, form, guard, there, values))
    throw new MigrationError(
      'not-unique',
      `Two items of ${entity.name} share the ${guard.attribute} of guard ${keyText(guard.key)}. Change one, and continue with resume.`,
      {
        key: guard.key,
      },
    );
  return { kind: 'Put', input: { TableName, Item: guard.item, ...unchanged(entity.table, there) } };
}

/** Whether a guard that is not in the item's form belongs to another item: one that exists and has the value. */
async function isHeld(
  traffic: Traffic,
  { from, to }: ItemForm,
  guard: Guard,
  there: StoredItem,
  own: Values,
): Promise<boolean> {
  for (const codec of [to, from]) {
    const { attributes } = codec.entity;
    const named = codec.decode(there);
    // A guard has few attributes. The others are not what reading fills in.
    for (const name of Object.keys(named))
      if (there[attributes.get(name)?.stored ?? name] === undefined) delete named[name];
    // The item's own guard, with its owner's key as the other version writes it.
    if (Object.entries(named).every(([name, value]) => own[name] === value)) return false;
    const key = ownerKey(codec, named);
    if (key === undefined) continue; // the guard does not identify an owner of this version
    const held = await readItem(traffic, traffic.tableName(codec.entity.table.name), key);
    if (held !== undefined && codec.decode(held)[guard.attribute] === named[guard.attribute]) return true;
  }
  return false;
}

function ownerKey(codec: ItemCodec, values: Values): StoredItem | undefined {
  try {
    return codec.key({ copy: 1, ...values });
  } catch {
    return undefined;
  }
}

/** The condition that an item is what was read. */
export function unchanged(table: TableInfo, there: StoredItem): Record<string, unknown> {
  const expression = new Expression();
  const ConditionExpression = conditionOn(expression, table, there, new Set(Object.keys(there)));
  return { ConditionExpression, ...expression.attributes() };
}

function requestOf(actions: readonly ItemAction[]): BuiltRequest {
  const [only] = actions;
  if (actions.length === 1 && only?.kind === 'Update') return { operation: 'UpdateItem', input: only.input };
  return {
    operation: 'TransactWriteItems',
    input: { TransactItems: actions.map(({ kind, input }) => ({ [kind]: input })) },
  };
}

/** A condition failed or a transaction conflicted, so the item must be read again. */
export function isLostRace(error: unknown): boolean {
  const { name, CancellationReasons } = error as { name?: string; CancellationReasons?: Answer['CancellationReasons'] };
  if (name === 'ConditionalCheckFailedException' || name === 'TransactionConflictException') return true;
  if (name !== 'TransactionCanceledException') return false;
  const reasons = CancellationReasons as readonly { readonly Code?: string }[] | undefined;
  return reasons?.every(({ Code }) => Code === undefined || races.has(Code)) ?? false;
}

/** Whether another item has what this one is to get. */
function isTaken(error: unknown): boolean {
  return error instanceof MigrationError && (error.code === 'not-unique' || error.code === 'key-taken');
}

const races: ReadonlySet<string> = new Set([
  'None',
  'ConditionalCheckFailed',
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
]);

function partitionOf({ table }: { readonly table: TableInfo }): string {
  return table.place.partition[0]?.attribute ?? '';
}

function keyText(key: StoredItem): string {
  return Object.values(key)
    .map((value) => value.S ?? value.N ?? 'binary')
    .join(' / ');
}
