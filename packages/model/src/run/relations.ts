import { InputError } from '../model-error.ts';
import { isEqual } from '../patterns/evaluate.ts';
import type { EntityInfo, ParentInfo, SequenceInfo, UniqueInfo } from '../resolve/resolved.ts';
import { keyVariables } from '../resolve/entities.ts';
import { isCounted, talliesOf } from '../resolve/slots.ts';
import type { Action, ActionRule, Ask } from './action.ts';
import type { ActionList } from './action-list.ts';
import { isAbsent, isOfKind, isOwnedBy, isThere } from './asks.ts';
import type { StoredItem } from './attribute-value.ts';
import { assignment } from './changes.ts';
import type { Context } from './context.ts';
import { addDecimals } from './decimal.ts';
import type { Effect } from './effect.ts';
import { codecOf, type Values } from './item-codec.ts';
import { keyId } from './key-id.ts';
import { markerBody, markerKey, ownerOf } from './marker.ts';

/** Keeps the rules of an item's relations: the actions on other items that a write of it requires. */
export interface Relations {
  readonly context: Context;
  readonly list: ActionList;
  readonly entity: EntityInfo;
  readonly part: string | undefined;
}

/** The effects of a new item: its unique values are claimed, its parents are checked and count it. */
export function join(relations: Relations, values: Values, isParentKnown: (parent: ParentInfo) => boolean): void {
  for (const unique of relations.entity.unique) claim(relations, unique, values);
  for (const parent of relations.entity.parents) {
    if (isCounted(parent)) countIn(relations, parent, values, 1);
    else if (!isParentKnown(parent)) requireParent(relations, parent, values);
  }
}

/** The effects of a removed item: its unique values are released, and its parents count one less. */
export function leave(relations: Relations, values: Values, isWhole: boolean): void {
  // Guards depend on the item as it was read; the keys of parents may all be inputs.
  if (isWhole) for (const unique of relations.entity.unique) release(relations, unique, values);
  for (const parent of relations.entity.parents) if (isCounted(parent)) countIn(relations, parent, values, -1);
}

/** The differences in an item's relations between before and after. */
export function move(relations: Relations, old: Values, next: Values): void {
  const { context, entity } = relations;
  const codec = codecOf(context, entity);
  for (const unique of entity.unique) {
    const before = markerKey(codec, unique, old);
    const after = markerKey(codec, unique, next);
    if (keyId(before ?? {}) === keyId(after ?? {})) {
      renew(relations, unique, old, next);
      continue;
    }
    if (before !== undefined) release(relations, unique, old);
    if (after !== undefined) claim(relations, unique, next);
  }
  for (const parent of entity.parents) {
    if (parent.by.every(([, child]) => isEqual(old[child], next[child]))) {
      addUp(relations, parent, old, next);
      continue;
    }
    if (isCounted(parent)) {
      countIn(relations, parent, old, -1);
      countIn(relations, parent, next, 1);
    } else requireParent(relations, parent, next);
  }
}

/** The guards of an expired item. If another item has since claimed a value, its guard stays. */
export function releaseExpired(relations: Relations, values: Values): void {
  for (const unique of relations.entity.unique) release(relations, unique, values, { droppable: true });
}

function claim({ context, list, entity, part }: Relations, unique: UniqueInfo, values: Values): void {
  const codec = codecOf(context, entity);
  const key = markerKey(codec, unique, values);
  if (key === undefined) return;
  const rule: ActionRule = { code: 'not-unique', entity: entity.name, attribute: unique.attribute, part };
  list.add({
    kind: 'put',
    entity,
    key,
    // The guard expires with its item, so a value without a live owner is free.
    parts: [{ rule, asks: [isAbsent(context, entity, { orExpired: true })] }],
    item: { ...key, ...markerBody(codec, unique, values) },
    effects: [],
    guard: 'claim',
  });
}

/** Deletes only the guard that belongs to the item. Another item's guard stays. */
function release(
  { context, list, entity }: Relations,
  unique: UniqueInfo,
  old: Values,
  more: Pick<ActionRule, 'droppable'> = {},
): void {
  const key = markerKey(codecOf(context, entity), unique, old);
  if (key === undefined) return;
  const rule: ActionRule = {
    code: 'condition-failed',
    entity: entity.name,
    attribute: unique.attribute,
    optimistic: true,
    ...more,
  };
  const parts: Action['parts'] = [{ rule, asks: ownerAsks(context, entity, unique, old) }];
  list.add({ kind: 'delete', entity, key, parts, effects: [], guard: 'release' });
}

/** The guard is kept as long as its item, and has its value and its owner's key as the item has them, which may be others that are the same. */
function renew({ context, list, entity }: Relations, unique: UniqueInfo, old: Values, next: Values): void {
  const { expires } = entity.rules;
  const names = [unique.attribute, ...keyVariables(entity), ...(expires === undefined ? [] : [expires])];
  const kept = [...new Set(names)];
  // Nothing equals a missing value.
  const changed = kept.filter((name) => old[name] !== next[name] && !isEqual(old[name], next[name]));
  const codec = codecOf(context, entity);
  const key = markerKey(codec, unique, old);
  if (key === undefined || changed.length === 0) return;
  const effects = changed.map((name) => assignment([codec.stored(name)], next[name], name));
  const rule: ActionRule = {
    code: 'condition-failed',
    entity: entity.name,
    attribute: unique.attribute,
    optimistic: true,
  };
  const parts: Action['parts'] = [{ rule, asks: ownerAsks(context, entity, unique, old) }];
  list.add({ kind: 'update', entity, key, parts, effects });
}

function ownerAsks(
  context: Context,
  entity: EntityInfo,
  { attribute }: UniqueInfo,
  old: Values,
): Action['parts'][0]['asks'] {
  const { [attribute]: _, ...owner } = ownerOf(entity, old);
  return isOwnedBy(context, entity, owner);
}

/** A child is added or removed: its parent counts it, and adds or subtracts its values. */
function countIn(relations: Relations, parent: ParentInfo, values: Values, sign: 1 | -1): void {
  const amounts = talliesOf(parent).map(
    ([tally, of]) => [tally, of === undefined ? String(sign) : numberText(values[of], sign)] as const,
  );
  raise(relations, parent, values, amounts, sign < 0);
}

/** A child stays with its parent, and its summed values may change. */
function addUp(relations: Relations, parent: ParentInfo, old: Values, next: Values): void {
  const amounts = Object.entries(parent.rules.sum ?? {}).map(
    ([tally, of]) => [tally, addDecimals(numberText(next[of], 1), numberText(old[of], -1))] as const,
  );
  if (amounts.some(([, amount]) => amount !== '0')) raise(relations, parent, next, amounts, true);
}

/** A number as decimal text, or its negative. Anything else counts as zero. */
function numberText(value: unknown, sign: 1 | -1): string {
  if (typeof value !== 'number' && typeof value !== 'bigint') return '0';
  const text = addDecimals(String(value), '0');
  if (sign > 0) return text;
  return text.startsWith('-') ? text.slice(1) : text === '0' ? text : `-${text}`;
}

/** Adds to numbers of a parent. `droppable`: a parent that is gone has nothing to count. */
function raise(
  { context, list, part }: Relations,
  parent: ParentInfo,
  child: Values,
  amounts: readonly (readonly [tally: string, amount: string])[],
  droppable: boolean,
): void {
  const { entity, key } = parentKey(context, parent, child);
  if (entity === undefined || key === undefined) return;
  const rule: ActionRule = {
    code: 'parent-missing',
    entity: entity.name,
    part,
    implied: true,
    ...(droppable && { droppable }),
  };
  const codec = codecOf(context, entity);
  const effects = amounts.flatMap(([tally, amount]): Effect[] => {
    const { fallback } = entity.attributes.get(tally) ?? {};
    const base = typeof fallback === 'number' ? String(fallback) : '0';
    const stored = codec.stored(tally);
    const activity = context.activity?.(entity, stored);
    return [
      { kind: 'increase', path: [stored], amount, base },
      ...(activity === undefined ? [] : [{ kind: 'increase', path: [activity], amount: '1', base: '0' } as const]),
    ];
  });
  list.add({ kind: 'update', entity, key, parts: [{ rule, asks: areThere(context, entity) }], effects });
}

/** A parent must exist and must not have expired. Of required parents that have one key, one must. */
export function requireParent(
  { context, list, part, entity: child }: Relations,
  parent: ParentInfo,
  values: Values,
): void {
  const { entity, key } = parentKey(context, parent, values);
  if (entity === undefined || key === undefined) return;
  const rule: ActionRule = { code: 'parent-missing', entity: entity.name, part, implied: true };
  const others = child.parents.flatMap((other) => {
    const { entity: kind, key: same } = parentKey(context, other, values);
    const isSame = kind?.table === entity.table && same !== undefined && keyId(same) === keyId(key);
    return isSame && other.rules.required === true ? [kind] : [];
  });
  list.add({ kind: 'check', entity, key, parts: [{ rule, asks: areThere(context, entity, others) }], effects: [] });
}

/** That there is an item of the entity, or of another one that has its key. */
function areThere(context: Context, entity: EntityInfo, others: readonly EntityInfo[] = []): Ask[] {
  // A table has one time to live, which items of some of them may lack.
  const expiring = others.find(({ rules }) => rules.expires !== undefined);
  return [isThere(context, expiring ?? entity), ...isOfKind(entity, ...others)];
}

/** Takes the next numbers of a parent's counter. */
export function sequenceAction(
  context: Context,
  { parent, counter }: SequenceInfo,
  input: Values,
  count: number,
): Action {
  const { entity, key } = parentKey(context, parent, input);
  if (entity === undefined || key === undefined) {
    throw new InputError(
      'missing-input',
      parent.by.map(([, child]) => child).join(', '),
      `names the ${parent.entity} and is missing`,
    );
  }
  const rule: ActionRule = { code: 'parent-missing', entity: entity.name };
  const path = [codecOf(context, entity).stored(counter)];
  const { fallback } = entity.attributes.get(counter) ?? {};
  const base = typeof fallback === 'number' ? String(fallback) : '0';
  return {
    kind: 'update',
    entity,
    key,
    parts: [{ rule, asks: areThere(context, entity) }],
    effects: [{ kind: 'increase', path, amount: String(count), base }],
  };
}

/** The key of a child's parent; none if the child does not name one. */
export function parentKey(
  context: Context,
  parent: ParentInfo,
  child: Values,
): { readonly entity: EntityInfo | undefined; readonly key: StoredItem | undefined } {
  const entity = context.resolved.entities.get(parent.entity);
  if (entity === undefined || parent.by.some(([, name]) => child[name] === undefined))
    return { entity, key: undefined };
  const values = Object.fromEntries(parent.by.map(([name, from]) => [name, child[from]]));
  return { entity, key: codecOf(context, entity).key(values) };
}
