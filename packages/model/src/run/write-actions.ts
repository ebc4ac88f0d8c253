import { InputError } from '../model-error.ts';
import { holds } from '../patterns/evaluate.ts';
import { keyVariables } from '../resolve/entities.ts';
import type { EntityInfo, ParentInfo, WritePlan } from '../resolve/resolved.ts';
import {
  changedAttributes,
  computedOf,
  countedParents,
  formAttributes,
  isCounted,
  sequenced,
  slotsOf,
  talliedAttributes,
  guardedAttributes,
} from '../resolve/slots.ts';
import { actionId, type ActionRule, type Ask } from './action.ts';
import type { ActionList } from './action-list.ts';
import {
  absentOr,
  hasVersion,
  isAbsent,
  isAsRead,
  isGiven,
  isGivenOrAbsent,
  isLive,
  isNamed,
  isOfKind,
  isThere,
} from './asks.ts';
import { type StoredItem, toAttributeValue } from './attribute-value.ts';
import { type Changes, changesOf, versionOf } from './changes.ts';
import type { Context } from './context.ts';
import { applyEffects, type Effect } from './effect.ts';
import { codecOf, type ItemCodec, type Values } from './item-codec.ts';
import { keptTallies } from './kept-tallies.ts';
import { join, leave, move, type Relations, releaseExpired, requireParent } from './relations.ts';

/** The inputs of one write: its plan, its input and the existing item, if it was read. Decision 0053 says what a write means. */
export interface WriteTask {
  readonly plan: WritePlan;
  readonly input: Values;
  /** The item as the application sees it; undefined if there is none or it was not read. */
  readonly old: Values | undefined;
  /** The same in stored form. */
  readonly stored?: StoredItem;
  /** An expired item under the same key. It counts as absent, except for its guards and counts. */
  readonly expired?: Values;
  /** Whether there is another item under the key, which the input does not identify. */
  readonly taken?: boolean;
  /** Items that were found to be missing or to have expired when the write was rejected: it creates new ones in their place. */
  readonly replaces?: ReadonlySet<string>;
  /** Items that were found to be gone when the write was rejected: deletes of them, with their actions on other items, are left out. */
  readonly gone?: ReadonlySet<string>;
}

/** Adds the actions of one task to a list. Returns the item if one is created. */
export function writeActions(context: Context, list: ActionList, task: WriteTask): Values | undefined {
  switch (task.plan.verb) {
    case 'creates':
    case 'puts':
      return createActions(context, list, task);
    case 'upserts':
      return upsertActions(context, list, task);
    case 'updates':
      return updateActions(context, list, task);
    case 'deletes':
      deleteActions(context, list, task);
      return undefined;
    case 'checks':
      checkAction(context, list, task);
      return undefined;
  }
}

function createActions(context: Context, list: ActionList, task: WriteTask): Values {
  const { plan, input } = task;
  const { entity } = plan;
  const codec = codecOf(context, entity);
  const { lock } = entity.rules;
  const item = itemOf(plan, input);
  const values = codec.parse(lock === undefined ? item : { ...item, [lock]: 1 });
  for (const name of keptTallies(context.resolved, entity.name))
    if (Number(input[name] ?? 0) !== 0)
      throw new InputError('computed', `${entity.name}.${name}`, 'begins at 0 and is kept by writes of other items');
  make(context, list, task, values);
  return values;
}

/** The item in the input of a write that takes a whole one, without the inputs that only its condition refers to. */
function itemOf({ need: { takes = {} }, entity }: WritePlan, input: Values): Values {
  return Object.fromEntries(Object.entries(input).filter(([name]) => !(name in takes) || entity.attributes.has(name)));
}

/** Puts an item with its relations: only if there is none, or, for a plain put, in any case. */
function make(context: Context, list: ActionList, { plan, input, expired, taken }: WriteTask, values: Values): void {
  const { entity, verb, part, need } = plan;
  const codec = codecOf(context, entity);
  const asks: Ask[] = [];
  if (verb !== 'puts') asks.push(isAbsent(context, entity, { orExpired: need.expired !== true, of: isOfKind(entity) }));
  else asks.push(...isOfKind(entity).map((ask) => absentOr(entity, ask)));
  if ((verb === 'creates' || verb === 'puts') && need.given !== undefined)
    asks.push(...isGivenOrAbsent(context, codec, need.given, input));
  const rule: ActionRule = {
    code: verb === 'puts' ? 'condition-failed' : 'already-exists',
    entity: entity.name,
    part,
    // An upsert that loses the race to create the item changes the existing one.
    optimistic: verb !== 'creates' && verb !== 'puts' && taken !== true,
  };
  for (const copy of copiesOf(entity)) {
    const item = codec.encode(copy === undefined ? values : { ...values, copy });
    list.add({ kind: 'put', entity, key: keyOf(entity, item), copy, parts: [{ rule, asks }], item, effects: [] });
  }
  const relations: Relations = { context, list, entity, part };
  if (expired !== undefined) releaseExpired(relations, expired);
  join(relations, values, ({ entity: parent }: ParentInfo) => verb === 'creates' && sequenced(entity, parent));
}

function upsertActions(context: Context, list: ActionList, task: WriteTask): Values | undefined {
  const { plan, input, old, stored } = task;
  const { entity, need, part } = plan;
  const codec = codecOf(context, entity);
  const { lock } = entity.rules;
  for (const name of keptNumbers(context, entity))
    if (input[name] !== undefined && entity.attributes.get(name)?.optional === true)
      throw new InputError('computed', `${entity.name}.${name}`, 'is kept by writes of other items: leave it out');
  const item = itemOf(plan, input);
  const values = codec.parse(lock === undefined ? item : { ...item, [lock]: 1 });
  const keys = keysOf(codec, values);
  const creates = old === undefined && mayCreate(task);
  const isMissing = plan.readsFirst && old === undefined;
  if (creates && (isMissing || isReplaced(task, keys))) {
    make(context, list, task, values);
    return undefined;
  }
  const isGivenBy = givenBy(entity, input);
  const given = Object.fromEntries(Object.entries(values).filter(([name]) => isGivenBy(name)));
  const effects = setWhole(codec, values, input);
  const asks = isIdentified(context, entity, isOfKind(entity), creates);
  if (old !== undefined) {
    const kept = keyedAttributes(entity).filter((name) => input[name] === undefined);
    asks.push(...isAsRead(codec, new Set([...reliedOn(entity), ...kept]), old));
  }
  asks.push(...isGiven(codec, need.given, input, { mayBeAbsent: creates }));
  const rule: ActionRule = {
    code: 'condition-failed',
    entity: entity.name,
    part,
    creates,
    optimistic: old !== undefined,
    missing: isMissing,
    moves: plan.moves,
  };
  // Other parts of a transaction may change what the keys are made of, so that they are written when all parts are known.
  const known = { ...values, ...old };
  const index = { indexes: entity.indexes, asked: entity.indexes, stored, known, changed: given, created: {} };
  for (const { copy, key } of keys) {
    const own = effects.filter(({ path: [name = ''] }) => !(name in key));
    list.add({ kind: 'update', entity, key, copy, parts: [{ rule, asks }], effects: own, index });
  }
  const relations: Relations = { context, list, entity, part };
  if (old !== undefined) addMove(relations, keys, { old, stored, effects });
  else for (const parent of entity.parents) requireParent(relations, parent, values);
  return undefined;
}

/** Numbers of an item that its children determine, and the last that it gave them. */
function keptNumbers({ resolved }: Context, { name }: EntityInfo): string[] {
  const counters = [...resolved.entities.values()].flatMap(({ sequences }) =>
    sequences.flatMap(({ parent, counter }) => (parent.entity === name ? [counter] : [])),
  );
  return [...keptTallies(resolved, name), ...counters];
}

/** That the item is there, or, for a write that creates it, may be missing; and that it is the one that is meant. */
function isIdentified(context: Context, entity: EntityInfo, identity: readonly Ask[], creates: boolean): Ask[] {
  return creates
    ? [...isLive(context, entity), ...identity].map((ask) => absentOr(entity, ask))
    : [isThere(context, entity), ...identity];
}

/** Whether a missing item meets the conditions of a write that would create it. If not, the write needs an item. */
function mayCreate({ plan: { need }, input }: WriteTask): boolean {
  return need.given === undefined || holds(need.given, {}, input);
}

/** Sets the given values. Values that the schema supplied are set only if nothing is stored. */
function setWhole(codec: ItemCodec, values: Values, input: Values): Effect[] {
  const { entity } = codec;
  const { lock } = entity.rules;
  const isGivenBy = givenBy(entity, input);
  return [
    ...typeEffects(entity),
    ...Object.entries(values).map(([name, value]): Effect => {
      const path = [codec.stored(name)];
      if (name === lock) return { kind: 'increase', path, amount: '1', base: '0' };
      const kind = isGivenBy(name) ? 'set' : 'initial';
      return { kind, path, value: toAttributeValue(value, `${entity.name}.${name}`) };
    }),
  ];
}

/** Whether an attribute is in the input, or computed from it. */
function givenBy({ rules }: EntityInfo, input: Values): (name: string) => boolean {
  const given = new Set(Object.keys(input).filter((name) => input[name] !== undefined));
  for (const [name, { from }] of computedOf(rules)) if (from.some((each) => given.has(each))) given.add(name);
  return (name) => given.has(name);
}

function updateActions(context: Context, list: ActionList, task: WriteTask): Values | undefined {
  const { plan, input, old, stored } = task;
  const { entity, need, part, named } = plan;
  const codec = codecOf(context, entity);
  const changes = changesOf(codec, plan, input);
  const keys = keysOf(codec, input);
  const by = byValues(need.by, input);
  const creates = need.orCreates === true && mayCreate(task);
  const isMissing = plan.readsFirst && old === undefined;
  if (creates && (isMissing || isReplaced(task, keys))) return makeByUpdate(context, list, task, changes);
  const identity = [...isOfKind(entity), ...isNamed(codec, named, input)];
  const asks = isIdentified(context, entity, identity, creates);
  const effects = [...(creates ? createdEffects(codec, plan, { by, input }) : []), ...changes.effects];
  const { lock } = entity.rules;
  if (lock !== undefined) {
    const version = versionOf(input, lock);
    asks.push(hasVersion(codec, lock, version));
    effects.push({ kind: 'set', path: [codec.stored(lock)], value: { N: String(version + 1) } });
  }
  if (old !== undefined) asks.push(...isAsRead(codec, plan.whole ? entity.attributes.keys() : reliedOnBy(plan), old));
  asks.push(...isGiven(codec, need.given, input, { mayBeAbsent: creates }));
  const rule = { ...ruleOf(plan, codec, input, old !== undefined), creates, missing: isMissing, moves: plan.moves };
  const index = {
    indexes: plan.rekeys,
    asked: plan.rekeys.filter(({ place }) => need.rekeys?.includes(place.name) === true),
    stored,
    known: by,
    changed: changes.changed,
    created: creates ? by : {},
  };
  for (const { copy, key } of keys) {
    const own = effects.filter(({ path: [name = ''] }) => !(name in key));
    list.add({
      kind: 'update',
      entity,
      key,
      copy,
      parts: [{ rule, asks }],
      effects: own,
      index,
      returns: need.returns,
    });
  }
  const relations: Relations = { context, list, entity, part };
  if (old !== undefined && plan.moves) addMove(relations, keys, { old, stored, effects });
  for (const parent of entity.parents) {
    const isNamed = !isCounted(parent) && parent.by.some(([, child]) => child in changes.changed);
    if (isNamed || (creates && old === undefined)) requireParent(relations, parent, { ...by, ...changes.changed });
  }
  return undefined;
}

/** An update that finds no item creates a complete one: as a put, with the relations of a new item. `initial` is instead of a default. */
function makeByUpdate(context: Context, list: ActionList, task: WriteTask, { effects }: Changes): Values {
  const { plan, input } = task;
  const codec = codecOf(context, plan.entity);
  const before: StoredItem = {};
  const values = { ...codec.decode({}), ...byValues(plan.need.by, input) };
  for (const [name, value] of Object.entries(values))
    before[codec.stored(name)] = toAttributeValue(value, `${plan.entity.name}.${name}`);
  for (const {
    kind,
    path: [name = ''],
  } of effects)
    if (kind === 'initial') delete before[name];
  const made = codec.decode(applyEffects(before, effects));
  make(context, list, task, made);
  return made;
}

/** What an update that may create its item writes besides its changes: type, names and defaults, as a create would. */
function createdEffects(
  codec: ItemCodec,
  { need, entity, named }: WritePlan,
  { by, input }: { readonly by: Values; readonly input: Values },
): Effect[] {
  const changed = changedAttributes(need, entity);
  for (const name of need.maySet ?? []) if (!(name in input)) changed.delete(name);
  const keyNames = new Set([...keyVariables(entity), ...named]);
  return [
    ...typeEffects(entity),
    ...[...entity.attributes.values()].flatMap(({ name, stored, fallback }): Effect[] => {
      if (changed.has(name)) return [];
      const path = [stored];
      // An item that is there keeps its own values, which may be others that are the same.
      const value = keyNames.has(name) ? by[name] : fallback;
      if (value === undefined || (value instanceof Set && value.size === 0)) return [];
      return [{ kind: 'initial', path, value: toAttributeValue(value, `${entity.name}.${name}`) }];
    }),
  ];
}

function typeEffects({ table, type }: EntityInfo): Effect[] {
  return table.typeAttribute === undefined ? [] : [{ kind: 'set', path: [table.typeAttribute], value: { S: type } }];
}

function deleteActions(context: Context, list: ActionList, task: WriteTask): void {
  const { plan, input, old, gone } = task;
  const { entity, need, part, named } = plan;
  const codec = codecOf(context, entity);
  const { lock } = entity.rules;
  // A version, or a condition that a missing item fails, requires an item. Otherwise a delete that finds none has nothing to do.
  const mustExist =
    need.mustExist === true || lock !== undefined || (need.given !== undefined && !holds(need.given, {}, input));
  const isGone = isAmong(gone, entity, keysOf(codec, input));
  if (!mustExist && (isGone || (plan.readsFirst && old === undefined))) return;
  const asks: Ask[] = mustExist || countedParents(entity).length > 0 ? [isThere(context, entity)] : [];
  asks.push(...isOfKind(entity).map((ask) => (mustExist ? ask : absentOr(entity, ask))));
  asks.push(...isNamed(codec, named, input));
  if (lock !== undefined) asks.push(hasVersion(codec, lock, versionOf(input, lock)));
  if (old !== undefined)
    asks.push(
      ...isAsRead(codec, plan.whole ? entity.attributes.keys() : reliedOn(entity, countedParents(entity)), old),
    );
  asks.push(...isGiven(codec, need.given, input, { mayBeAbsent: !mustExist }));
  // An expired item may be deleted. If the delete has any requirement, it counts as absent.
  if (!mustExist && asks.length > 0) asks.unshift(...isLive(context, entity));
  const missing = plan.readsFirst && old === undefined;
  const rule = { ...ruleOf(plan, codec, input, old !== undefined), missing, mayBeAbsent: !mustExist };
  for (const { copy, key } of keysOf(codec, input)) {
    const returns = need.returns === 'old' ? 'old' : undefined;
    list.add({ kind: 'delete', entity, key, copy, parts: [{ rule, asks }], effects: [], returns });
  }
  leave({ context, list, entity, part }, { ...input, ...old }, old !== undefined);
}

function checkAction(context: Context, list: ActionList, { plan, input }: WriteTask): void {
  const { entity, need, named } = plan;
  const codec = codecOf(context, entity);
  const asks =
    need.mustExist === false
      ? isGivenOrAbsent(context, codec, need.given ?? {}, input)
      : [
          isThere(context, entity),
          ...isOfKind(entity),
          ...isNamed(codec, named, input),
          ...isGiven(codec, need.given, input, { mayBeAbsent: false }),
        ];
  const [{ copy, key } = { copy: undefined, key: {} }] = keysOf(codec, input);
  list.add({
    kind: 'check',
    entity,
    key,
    copy,
    parts: [{ rule: { ...ruleOf(plan, codec, input, false), decides: need.mustExist === false }, asks }],
    effects: [],
  });
}

function ruleOf(plan: WritePlan, codec: ItemCodec, input: Values, optimistic: boolean): ActionRule {
  const { entity, part } = plan;
  const { lock } = entity.rules;
  // A check compares no version, even if it is given one.
  const expected = lock === undefined || plan.verb === 'checks' ? undefined : input[lock];
  return {
    code: 'condition-failed',
    entity: entity.name,
    part,
    ...(lock === undefined || expected === undefined
      ? {}
      : { version: { stored: codec.stored(lock), expected: String(versionOf(input, lock)) } }),
    ...(optimistic ? { optimistic } : {}),
    ...(plan.droppable === true ? { droppable: true } : {}),
  };
}

/** The attributes that determine actions on other items: guards of unique values, and parents, of which a delete concerns those that count. */
function reliedOn(entity: EntityInfo, parents: readonly ParentInfo[] = entity.parents): Set<string> {
  const { expires } = entity.rules;
  return new Set([
    ...entity.unique.flatMap(guardedAttributes),
    ...(entity.unique.length > 0 && expires !== undefined ? [expires] : []),
    ...parents.flatMap(talliedAttributes),
  ]);
}

function reliedOnBy({ entity, rekeys, need, moves }: WritePlan): Set<string> {
  const given = new Set<string>([...(need.by ?? []), ...(need.sets ?? [])]);
  const forms = rekeys.flatMap((index) => index.forms.flatMap(formAttributes)).filter((name) => !given.has(name));
  return new Set([...(moves ? reliedOn(entity) : []), ...forms]);
}

function keyedAttributes({ indexes }: EntityInfo): string[] {
  return indexes.flatMap(({ forms }) => forms.flatMap(formAttributes));
}

interface CopyKey {
  readonly copy: number | undefined;
  readonly key: StoredItem;
}

/** The key of the item, or of each of its copies. */
function keysOf(codec: ItemCodec, values: Values): CopyKey[] {
  return copiesOf(codec.entity).map((copy) => ({
    copy,
    key: codec.key(copy === undefined ? values : { ...values, copy }),
  }));
}

function isReplaced({ replaces, plan: { entity } }: WriteTask, keys: readonly CopyKey[]): boolean {
  return isAmong(replaces, entity, keys);
}

function isAmong(ids: ReadonlySet<string> | undefined, entity: EntityInfo, keys: readonly CopyKey[]): boolean {
  return ids !== undefined && keys.some(({ key }) => ids.has(actionId({ entity, key })));
}

function copiesOf({ rules }: EntityInfo): readonly (number | undefined)[] {
  return rules.copies === undefined ? [undefined] : Array.from({ length: rules.copies }, (_, i) => i + 1);
}

function addMove(
  relations: Relations,
  [first]: readonly CopyKey[],
  {
    old,
    stored,
    effects,
  }: { readonly old: Values; readonly stored: StoredItem | undefined; readonly effects: readonly Effect[] },
): void {
  if (first === undefined || stored === undefined) return;
  const { context, list, entity } = relations;
  const keep = (after: StoredItem): void => move(relations, old, codecOf(context, entity).decode(after));
  list.addMove(actionId({ entity, key: first.key }), { stored, effects, keep });
}

function byValues(by: readonly string[] | undefined, input: Values): Values {
  return Object.fromEntries((by ?? []).map((name) => [name, input[name]]));
}

function keyOf(entity: EntityInfo, item: StoredItem): StoredItem {
  const key: StoredItem = {};
  for (const { attribute } of slotsOf(entity.key)) {
    const value = item[attribute];
    if (value !== undefined) key[attribute] = value;
  }
  return key;
}
