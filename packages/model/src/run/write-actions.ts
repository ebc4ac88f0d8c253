import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { InputError } from '../model-error.ts';
import type { EntityInfo, IndexKeyInfo, ParentInfo, UniqueInfo, WritePlan } from '../resolve/resolved.ts';
import { formAttributes, sequenced } from '../resolve/slots.ts';
import {
  action,
  type Action,
  type ActionList,
  type ActionRule,
  mustExist,
  mustNotExist,
  setAttribute,
} from './action.ts';
import { type StoredItem, toAttributeValue } from './attribute-value.ts';
import type { Context } from './context.ts';
import { conditionText, inputNamed, isReference, pathOf, type Scope } from './expression.ts';
import { codecOf, type ItemCodec, type Values } from './item-codec.ts';
import { markerBody, markerKey, ownerOf } from './marker.ts';

/** What one write has to know: its plan, its input and the item that was there, where it was read. */
export interface WriteTask {
  readonly plan: WritePlan;
  readonly input: Values;
  /** The item as the application knows it; undefined when there is none or it was not read. */
  readonly old: Values | undefined;
}

/** Writes the actions of one task into a list. Returns the item where one is created. */
export function writeActions(context: Context, list: ActionList, task: WriteTask): Record<string, unknown> | undefined {
  const { verb } = task.plan;
  switch (verb) {
    case 'creates':
    case 'puts':
      return createActions(context, list, task);
    case 'upserts':
      return upsertActions(context, list, task);
    case 'updates':
      updateActions(context, list, task);
      return undefined;
    case 'deletes':
      deleteActions(context, list, task);
      return undefined;
    case 'checks':
      checkAction(context, list, task);
      return undefined;
  }
}

function createActions(context: Context, list: ActionList, { plan, input }: WriteTask): Record<string, unknown> {
  const { entity, verb, part, need } = plan;
  const codec = codecOf(context, entity);
  const { lock } = entity.rules;
  const values = codec.parse(lock === undefined ? input : { ...input, [lock]: 1 });
  for (const copy of copiesOf(entity)) {
    const item = codec.encode(copy === undefined ? values : { ...values, copy });
    const rule: ActionRule = {
      code: verb === 'creates' ? 'already-exists' : 'condition-failed',
      entity: entity.name,
      part,
    };
    const put = action('put', entity, keyOf(entity, item), rule);
    put.item = item;
    if (verb === 'creates') mustNotExist(put, need.expired === true ? undefined : context.now());
    addCondition(context, put, need.given, input);
    list.add(put);
  }
  for (const unique of entity.unique) claim(context, list, entity, unique, values, part);
  for (const parent of entity.parents) {
    const known = sequenced(entity, parent.entity);
    if (parent.rules.count !== undefined) countIn(context, list, parent, values, 1, part);
    else if (verb !== 'creates' || !known) requireParent(context, list, parent, values, part);
  }
  return values;
}

function upsertActions(context: Context, list: ActionList, task: WriteTask): Record<string, unknown> | undefined {
  const { plan, input, old } = task;
  const { entity } = plan;
  if (plan.readsFirst && old === undefined)
    return createActions(context, list, { ...task, plan: { ...plan, verb: 'creates' } });
  const codec = codecOf(context, entity);
  const values = codec.parse(entity.rules.lock === undefined ? input : { ...input, [entity.rules.lock]: 1 });
  if (old !== undefined) replaceRelations(context, list, task, old, values);
  for (const copy of copiesOf(entity)) {
    const stored = codec.encode(copy === undefined ? values : { ...values, copy });
    const update = action('update', entity, keyOf(entity, stored), {
      code: 'condition-failed',
      entity: entity.name,
      part: plan.part,
    });
    if (old !== undefined) unchangedSince(context, update, old, reliedOn(entity));
    setWhole(codec, update, stored, input);
    addCondition(context, update, plan.need.given, input);
    list.add(update);
  }
  if (old === undefined) for (const parent of entity.parents) requireParent(context, list, parent, values, plan.part);
  return undefined;
}

/** Sets what was given; what the schema filled in only where nothing is stored, unless a key depends on it. */
function setWhole(codec: ItemCodec, update: Action, stored: StoredItem, input: Values): void {
  const { entity } = codec;
  const keyed = new Set(entity.indexes.flatMap(({ forms }) => forms.flatMap(formAttributes)));
  const filled = [...entity.attributes.values()].filter(({ name }) => input[name] === undefined && !keyed.has(name));
  const weak = new Set(filled.map((attribute) => attribute.stored));
  const lock = entity.rules.lock === undefined ? undefined : codec.stored(entity.rules.lock);
  for (const [name, value] of Object.entries(stored)) {
    if (name in update.key) continue;
    const placeholder = update.expression.name(name);
    if (name === lock) update.adds.set(placeholder, 1);
    else if (weak.has(name))
      update.sets.push(`${placeholder} = if_not_exists(${placeholder}, ${update.expression.value(value)})`);
    else setAttribute(update, name, value);
  }
  for (const index of entity.indexes) removeAbsent(update, index, stored);
}

function updateActions(context: Context, list: ActionList, task: WriteTask): void {
  const { plan, input, old } = task;
  const { entity, need, part } = plan;
  const codec = codecOf(context, entity);
  const changed = changedValues(codec, task);
  const known: Values = { ...old, ...byValues(need.by, input), ...changed };
  for (const copy of copiesOf(entity)) {
    const values = copy === undefined ? input : { ...input, copy };
    const update = action('update', entity, codec.key(values), ruleOf(plan, codec, input, old !== undefined));
    if (need.orCreates === true) createdByUpdate(codec, update, values);
    else mustExist(update);
    applyChanges(codec, update, task, changed);
    raiseLock(codec, update, input);
    if (old !== undefined) unchangedSince(context, update, old, reliedOnBy(plan));
    addCondition(context, update, need.given, input);
    const moved = need.orCreates === true ? known : changed;
    for (const index of plan.rekeys) {
      const asked = need.rekeys?.includes(index.place.name) === true;
      if (asked || isTouched(index, moved)) writeIndexKey(codec, update, index, known);
    }
    if (need.returns !== undefined) update.returns = need.returns;
    list.add(update);
  }
  if (old !== undefined) replaceRelations(context, list, task, old, known);
  else if (need.orCreates === true)
    for (const parent of entity.parents) requireParent(context, list, parent, known, part);
}

function deleteActions(context: Context, list: ActionList, task: WriteTask): void {
  const { plan, input, old } = task;
  const { entity, need, part } = plan;
  const codec = codecOf(context, entity);
  if (plan.readsFirst && old === undefined && need.mustExist !== true) return;
  const values = { ...input, ...old };
  const counted = entity.parents.filter(({ rules }) => rules.count !== undefined);
  for (const copy of copiesOf(entity)) {
    const key = codec.key(copy === undefined ? input : { ...input, copy });
    const remove = action('delete', entity, key, ruleOf(plan, codec, input, old !== undefined));
    if (need.mustExist === true || counted.length > 0) mustExist(remove);
    const { lock } = entity.rules;
    if (lock !== undefined) expectVersion(codec, remove, lock, input);
    if (old !== undefined) unchangedSince(context, remove, old, reliedOn(entity));
    addCondition(context, remove, need.given, input);
    if (need.returns === 'old') remove.returns = 'old';
    list.add(remove);
  }
  for (const unique of entity.unique) if (old !== undefined) release(context, list, entity, unique, old);
  for (const parent of counted) countIn(context, list, parent, values, -1, part);
}

function checkAction(context: Context, list: ActionList, { plan, input }: WriteTask): void {
  const { entity, need } = plan;
  const codec = codecOf(context, entity);
  const check = action('check', entity, codec.key(input), ruleOf(plan, codec, input, false));
  if (need.mustExist !== false) mustExist(check);
  addCondition(context, check, need.given, input);
  list.add(check);
}

/** The new values of attributes as far as they are known before the write: what index keys are made of. */
function changedValues(codec: ItemCodec, { plan, input, old }: WriteTask): Record<string, unknown> {
  const { need } = plan;
  const values: Record<string, unknown> = {};
  for (const name of [...(need.sets ?? []), ...(need.maySet ?? [])]) {
    const attribute = codec.entity.attributes.get(name);
    if (attribute !== undefined && name in input)
      values[name] = codec.parseAttribute(name, attribute.schema, input[name]);
  }
  for (const name of need.sets ?? [])
    if (!(name in input))
      throw new InputError('missing-input', `${codec.entity.name}.${name}`, 'is needed and missing');
  for (const [path, change] of Object.entries(need.changes ?? {})) {
    if (!codec.entity.attributes.has(path)) continue;
    if (typeof change !== 'object' || change === null) values[path] = change;
    else if (isReference(change)) values[path] = inputNamed(input, change.ref);
    else if ('remove' in change) values[path] = undefined;
    else if ('add' in change)
      values[path] = Number(old?.[path] ?? 0) + amountOf((change as { add: unknown }).add, input);
  }
  return values;
}

function applyChanges(codec: ItemCodec, update: Action, { plan, input }: WriteTask, changed: Values): void {
  const { need, entity } = plan;
  const { expression } = update;
  for (const name of [...(need.sets ?? []), ...(need.maySet ?? [])]) {
    if (!(name in input)) continue;
    const value = changed[name];
    if (value === undefined) update.removes.push(expression.name(codec.stored(name)));
    else setAttribute(update, codec.stored(name), toAttributeValue(value, `${entity.name}.${name}`));
  }
  const scope: Scope = { stored: (name) => codec.stored(name), input };
  for (const [path, change] of Object.entries(need.changes ?? {})) applyChange(update, path, change, scope);
}

function applyChange(update: Action, path: string, change: unknown, scope: Scope): void {
  const { expression } = update;
  const name = pathOf(expression, path, scope);
  const value = (given: unknown): string => expression.value(valueOf(given, path, scope));
  if (typeof change !== 'object' || change === null || isReference(change) || Array.isArray(change)) {
    update.sets.push(`${name} = ${value(change)}`);
    return;
  }
  const kind = change as Readonly<Record<string, unknown>>;
  if ('remove' in kind) update.removes.push(name);
  else if ('initial' in kind) update.sets.push(`${name} = if_not_exists(${name}, ${value(kind.initial)})`);
  else if ('append' in kind) {
    update.sets.push(
      `${name} = list_append(if_not_exists(${name}, ${expression.value({ L: [] })}), ${value(kind.append)})`,
    );
  } else if ('include' in kind)
    update.setAdds.push(`${name} ${expression.value({ SS: [textElement(kind.include, scope)] })}`);
  else if ('exclude' in kind)
    update.deletes.push(`${name} ${expression.value({ SS: [textElement(kind.exclude, scope)] })}`);
  else if ('add' in kind) addNumber(update, name, path, amountOf(kind.add, scope.input));
  else update.sets.push(`${name} = ${value(change)}`);
}

/** ADD takes top-level attributes and paths alike, but makes no parent maps; both count a missing number as 0. */
function addNumber(update: Action, name: string, path: string, amount: number): void {
  if (path.includes('.')) {
    const zero = update.expression.value({ N: '0' });
    update.sets.push(`${name} = if_not_exists(${name}, ${zero}) + ${update.expression.value({ N: String(amount) })}`);
  } else update.adds.set(name, (update.adds.get(name) ?? 0) + amount);
}

function valueOf(given: unknown, path: string, { input }: Scope): AttributeValue {
  return toAttributeValue(isReference(given) ? inputNamed(input, given.ref) : given, path);
}

function textElement(element: unknown, { input }: Scope): string {
  return String(isReference(element) ? inputNamed(input, element.ref) : element);
}

function amountOf(amount: unknown, input: Values): number {
  const number = Number(isReference(amount) ? inputNamed(input, amount.ref) : amount);
  if (!Number.isFinite(number)) throw new InputError('not-a-number', 'add', `${String(amount)} is not a number`);
  return number;
}

/** An update that may create its item writes what every item has. */
function createdByUpdate(codec: ItemCodec, update: Action, input: Values): void {
  const { entity } = codec;
  const { typeAttribute } = entity.table;
  if (typeAttribute !== undefined) setAttribute(update, typeAttribute, { S: entity.type });
  const slots = [...entity.key.partition, ...entity.key.sort];
  for (const { name, stored } of entity.attributes.values()) {
    const keyed = slots.some(({ template }) => template.variables.some((variable) => variable.name === name));
    if (keyed && !(stored in update.key))
      setAttribute(update, stored, toAttributeValue(input[name], `${entity.name}.${name}`));
  }
}

function raiseLock(codec: ItemCodec, update: Action, input: Values): void {
  const { lock } = codec.entity.rules;
  if (lock === undefined) return;
  const expected = expectVersion(codec, update, lock, input);
  setAttribute(update, codec.stored(lock), { N: String(expected + 1) });
}

function expectVersion(codec: ItemCodec, target: Action, lock: string, input: Values): number {
  const expected = amountOf(inputNamed(input, lock), input);
  const { expression } = target;
  target.conditions.push(`${expression.name(codec.stored(lock))} = ${expression.value({ N: String(expected) })}`);
  return expected;
}

function ruleOf(plan: WritePlan, codec: ItemCodec, input: Values, optimistic: boolean): ActionRule {
  const { entity, part } = plan;
  const { lock } = entity.rules;
  const expected = lock === undefined ? undefined : input[lock];
  return {
    code: 'condition-failed',
    entity: entity.name,
    part,
    ...(lock === undefined || expected === undefined
      ? {}
      : { version: { stored: codec.stored(lock), expected: String(amountOf(expected, input)) } }),
    ...(optimistic ? { optimistic } : {}),
    ...(plan.droppable === true ? { droppable: true } : {}),
  };
}

/** Writes an index key for the values after the update, or removes it where they no longer call for one. */
function writeIndexKey(codec: ItemCodec, update: Action, index: IndexKeyInfo, known: Values): void {
  const key = codec.indexKey(codec.entity.indexes.indexOf(index), known) ?? {};
  for (const [name, value] of Object.entries(key)) if (!(name in update.key)) setAttribute(update, name, value);
  removeAbsent(update, index, key);
}

function isTouched({ forms }: IndexKeyInfo, changed: Values): boolean {
  return forms.some((form) => formAttributes(form).some((name) => name in changed));
}

function removeAbsent(update: Action, { forms }: IndexKeyInfo, present: StoredItem): void {
  const slots = forms.flatMap(({ partition, sort }) => [...partition, ...sort]);
  const absent = new Set(
    slots.filter(({ attribute, own }) => !own && present[attribute] === undefined).map(({ attribute }) => attribute),
  );
  for (const attribute of absent)
    if (!(attribute in update.key)) update.removes.push(update.expression.name(attribute));
}

/** The item must still have the values that the write was decided on. */
function unchangedSince(context: Context, target: Action, old: Values, attributes: ReadonlySet<string>): void {
  const codec = codecOf(context, target.entity);
  const key = (values: Values): string => JSON.stringify([...attributes].map((name) => String(values[name])));
  target.isAsRead = (item) => key(item) === key(old);
  for (const name of attributes) {
    const placeholder = target.expression.name(codec.stored(name));
    const value = old[name];
    const fallback = target.entity.attributes.get(name)?.fallback;
    if (value === undefined) target.conditions.push(`attribute_not_exists(${placeholder})`);
    else {
      const same = `${placeholder} = ${target.expression.value(toAttributeValue(value, name))}`;
      target.conditions.push(fallback === undefined ? same : `(${same} OR attribute_not_exists(${placeholder}))`);
    }
  }
}

function reliedOn(entity: EntityInfo): Set<string> {
  const counted = entity.parents.filter(({ rules }) => rules.count !== undefined);
  return new Set([
    ...entity.unique.map(({ attribute }) => attribute),
    ...counted.flatMap(({ by }) => by.map(([, child]) => child)),
  ]);
}

function reliedOnBy({ entity, rekeys, need }: WritePlan): Set<string> {
  const forms = rekeys.flatMap((index) => index.forms.flatMap(formAttributes));
  const given = new Set<string>([...(need.by ?? []), ...(need.sets ?? [])]);
  return new Set(
    [...reliedOn(entity), ...forms].filter(
      (name) => !given.has(name) || entity.unique.some((u) => u.attribute === name),
    ),
  );
}

/** Unique values and parents that differ between the old and the new item. */
function replaceRelations(context: Context, list: ActionList, { plan }: WriteTask, old: Values, next: Values): void {
  const { entity, part } = plan;
  for (const unique of entity.unique) {
    const before = markerKey(codecOf(context, entity), unique, old);
    const after = markerKey(codecOf(context, entity), unique, next);
    if (JSON.stringify(before) === JSON.stringify(after)) continue;
    if (before !== undefined) release(context, list, entity, unique, old);
    if (after !== undefined) claim(context, list, entity, unique, next, part);
  }
  for (const parent of entity.parents) {
    if (parent.by.every(([, child]) => old[child] === next[child])) continue;
    if (parent.rules.count === undefined) requireParent(context, list, parent, next, part);
    else {
      countIn(context, list, parent, old, -1, part);
      countIn(context, list, parent, next, 1, part);
    }
  }
}

function claim(
  context: Context,
  list: ActionList,
  entity: EntityInfo,
  unique: UniqueInfo,
  values: Values,
  part: string | undefined,
): void {
  const key = markerKey(codecOf(context, entity), unique, values);
  if (key === undefined) return;
  const marker = action('put', entity, key, {
    code: 'not-unique',
    entity: entity.name,
    attribute: unique.attribute,
    part,
  });
  marker.item = { ...key, ...markerBody(codecOf(context, entity), unique, values) };
  marker.conditions.push(`attribute_not_exists(${marker.expression.name(Object.keys(key)[0] ?? '')})`);
  list.add(marker);
}

/** Only the marker that belongs to the item goes: somebody else's stays. */
function release(context: Context, list: ActionList, entity: EntityInfo, unique: UniqueInfo, old: Values): void {
  const key = markerKey(codecOf(context, entity), unique, old);
  if (key === undefined) return;
  const marker = action('delete', entity, key, {
    code: 'condition-failed',
    entity: entity.name,
    attribute: unique.attribute,
    optimistic: true,
  });
  const { [unique.attribute]: _, ...owner } = ownerOf(entity, old);
  for (const [name, value] of Object.entries(owner)) {
    const stored = marker.expression.name(codecOf(context, entity).stored(name));
    marker.conditions.push(`${stored} = ${marker.expression.value(toAttributeValue(value, name))}`);
  }
  list.add(marker);
}

function countIn(
  context: Context,
  list: ActionList,
  parent: ParentInfo,
  values: Values,
  amount: number,
  part: string | undefined,
): void {
  const { entity, key } = parentKey(context, parent, values);
  if (entity === undefined || key === undefined) return;
  const stored = codecOf(context, entity).stored(parent.rules.count ?? '');
  const rule: ActionRule = { code: 'parent-missing', entity: entity.name, part };
  const counted = amount < 0 ? { ...rule, droppable: true } : rule;
  list.count(entity, key, stored, amount, counted);
  const activity = context.activity?.(entity, stored);
  if (activity !== undefined) list.count(entity, key, activity, 1, counted);
}

function requireParent(
  context: Context,
  list: ActionList,
  parent: ParentInfo,
  values: Values,
  part: string | undefined,
): void {
  const { entity, key } = parentKey(context, parent, values);
  if (entity === undefined || key === undefined) return;
  const check = action('check', entity, key, { code: 'parent-missing', entity: entity.name, part });
  mustExist(check);
  list.add(check);
}

/** The key of the parent that a child names; none where the child leaves it out. */
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

function addCondition(context: Context, target: Action, given: WritePlan['need']['given'], input: Values): void {
  if (given === undefined) return;
  const codec = codecOf(context, target.entity);
  target.conditions.push(conditionText(target.expression, given, { stored: (name) => codec.stored(name), input }));
}

function copiesOf({ rules }: EntityInfo): readonly (number | undefined)[] {
  return rules.copies === undefined ? [undefined] : Array.from({ length: rules.copies }, (_, i) => i + 1);
}

function byValues(by: readonly string[] | undefined, input: Values): Values {
  return Object.fromEntries((by ?? []).map((name) => [name, input[name]]));
}

function keyOf(entity: EntityInfo, item: StoredItem): StoredItem {
  const key: StoredItem = {};
  for (const { attribute } of [...entity.key.partition, ...entity.key.sort]) {
    const value = item[attribute];
    if (value !== undefined) key[attribute] = value;
  }
  return key;
}
