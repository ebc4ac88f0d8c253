import type { WriteNeed } from '../patterns/need.ts';
import type { OperationName, Served } from '../patterns/served.ts';
import type { Condition } from '../patterns/value.ts';
import { keyVariables } from './entities.ts';
import type { EntityInfo, KeyForm, Plan, WritePlan, WriteVerb } from './resolved.ts';
import {
  changedAttributes,
  changedParents,
  computedOf,
  countedParents,
  formAttributes,
  isCounted,
  sequenced,
  talliedAttributes,
  guardedAttributes,
} from './slots.ts';

type Entities = ReadonlyMap<string, EntityInfo>;
type Fail = (code: string, message: string) => undefined;
type Transaction = { readonly [part: string]: WriteNeed };

const verbs: readonly WriteVerb[] = ['creates', 'puts', 'upserts', 'updates', 'deletes', 'checks'];

/** The plan of a write or a transaction, or undefined after reporting why there is none. */
export function planWrite(
  need: WriteNeed & { readonly transacts?: Transaction },
  served: Served,
  entities: Entities,
  fail: Fail,
): Plan | undefined {
  const parts: [string | undefined, WriteNeed][] =
    need.transacts === undefined ? [[undefined, need]] : Object.entries(need.transacts);
  const single = need.transacts === undefined;
  const writes = parts.map(([part, write]) => {
    const plan = planOne(part, write, entities, fail);
    if (plan === undefined || !single || write.returns === undefined || !takesSeveralActions(plan, entities))
      return plan;
    // A transaction returns no items. The returned item is read before, and the transaction is on condition that it has not changed.
    return { ...plan, readsFirst: true, whole: true };
  });
  const complete = writes.filter((write) => write !== undefined);
  if (complete.length < writes.length) return undefined;
  const planned = operationsOf(complete, need.transacts !== undefined, entities);
  const declared = typeof served === 'string' ? [served] : Array.isArray(served) ? (served as readonly string[]) : [];
  const operations: OperationName[] =
    declared.join() === 'BatchWriteItem' && areCopiesPut(complete) ? ['BatchWriteItem'] : planned;
  if (declared.join() !== operations.join()) {
    return fail(
      'wrong-operation',
      `takes ${operations.join(', then ')}; declared is ${declared.join(', then ') || 'a read'}`,
    );
  }
  return { kind: 'write', writes: complete, operations };
}

/** The plan of one write, or undefined after reporting why there is none. */
export function planOne(
  part: string | undefined,
  need: WriteNeed,
  entities: Entities,
  fail: Fail,
): WritePlan | undefined {
  const present = verbs.filter((verb) => need[verb] !== undefined);
  const [verb] = present;
  if (verb === undefined || present.length > 1) return fail('one-verb', `needs exactly one of ${verbs.join(', ')}`);
  const target = need[verb];
  const many = typeof target !== 'string';
  const name = typeof target === 'string' ? target : (target?.[0] ?? '');
  const entity = entities.get(name);
  if (entity === undefined) return fail('no-keys', `${name} has no keys`);
  const write: PlainWrite = { verb, part, many, entity, need, named: [], whole: false };
  if (verb === 'puts' && keepsOthers(entity)) {
    return fail('put-breaks-rules', `${name} has unique attributes or is counted: create, upsert, update or delete it`);
  }
  if (verb === 'creates' || verb === 'puts' || verb === 'upserts') {
    const moves = verb === 'upserts' && keepsOthers(entity);
    const unknown = verb === 'upserts' ? omittableKeyed(entity) : [];
    const readsFirst = moves || unknown.length > 0;
    return { ...write, unknown, readsFirst, moves, rekeys: entity.indexes };
  }
  if (many && !part && need.deletes && !isPlainDelete(need, entity)) {
    return fail('batch-breaks-rules', `a batch takes no conditions, and ${name} has some: delete them one by one`);
  }
  return planChange(write, fail);
}

/** A batch has no conditions and returns nothing. */
function isPlainDelete(need: WriteNeed, entity: EntityInfo): boolean {
  const { given, returns, mustExist } = need;
  const looks = given !== undefined || mustExist === true || namedAttributes(need, entity).length > 0;
  const asks = looks || returns !== undefined || entity.rules.lock !== undefined;
  return !asks && !keepsOthers(entity);
}

/** Other items change with an item: guards of its unique values, and counters of its parents. */
function keepsOthers(entity: EntityInfo): boolean {
  return entity.unique.length + countedParents(entity).length > 0;
}

/** The attributes that an upsert may omit and an index key depends on. If there are any, the key depends on the stored item. */
function omittableKeyed(entity: EntityInfo): string[] {
  const names = entity.indexes.flatMap(({ forms }) => forms.flatMap(formAttributes));
  return [...new Set(names)].filter(
    (name) => name !== entity.rules.lock && entity.attributes.get(name)?.optional === true,
  );
}

/** What is known of a write before its plan. */
type PlainWrite = Omit<WritePlan, 'unknown' | 'readsFirst' | 'moves' | 'rekeys'>;

function planChange(write: PlainWrite, fail: Fail): WritePlan | undefined {
  const { verb, need, entity } = write;
  const by = new Set<string>(need.by ?? []);
  const missing = keyVariables(entity).filter((name) => !by.has(name));
  if (missing.length > 0) {
    return fail('key-not-known', `the key of ${entity.name} needs ${missing.join(', ')}, which is not among \`by\``);
  }
  const named = namedAttributes(need, entity);
  const changed = changedAttributes(need, entity);
  const primary = keyVariables(entity).find((name) => changed.has(name));
  if (primary !== undefined) return fail('key-changes', `"${primary}" is part of the primary key and cannot change`);
  if (need.orCreates === true) {
    for (const name of by) changed.add(name);
    for (const { name, fallback } of entity.attributes.values()) if (fallback !== undefined) changed.add(name);
  }
  const asked = new Set(need.rekeys);
  const rekeys =
    verb === 'updates'
      ? entity.indexes.filter(
          ({ place, forms }) => asked.has(place.name) || forms.some((form) => touched(form, changed)),
        )
      : [];
  const unknown = [...new Set(rekeys.flatMap(({ forms }) => forms.flatMap((form) => unknownTo(form, need, entity))))];
  const { expires = '' } = entity.rules;
  const unique = entity.unique.some((each) =>
    guardedAttributes(each).some((name) => verb === 'deletes' || changed.has(name) || changed.has(expires)),
  );
  const counted = countedParents(entity).some((parent) =>
    talliedAttributes(parent).some((child) => (verb === 'deletes' ? !by.has(child) : changed.has(child))),
  );
  // A parent that the input names in full is looked for without a read. Otherwise the rest of its name is in the stored item.
  const known = knownAfter(need, entity);
  const unnamed = changedParents(need, entity).some(({ by: names }) =>
    names.some(([, child]) => !known.has(child) && (names.length > 1 || !need.maySet?.includes(child))),
  );
  const moves = verb !== 'checks' && (unique || counted || unnamed);
  const readsFirst = unknown.length > 0 || moves;
  return { ...write, named, unknown, readsFirst, moves, rekeys };
}

/** The attributes that `by` names beyond the key, and beyond the version, which is always compared. */
function namedAttributes({ by = [] }: WriteNeed, entity: EntityInfo): string[] {
  const key = keyVariables(entity);
  return by.filter((name) => !key.includes(name) && name !== entity.rules.lock);
}

function touched(form: KeyForm, changed: ReadonlySet<string>): boolean {
  return formAttributes(form).some((name) => changed.has(name));
}

/** The attributes whose values an update alone determines. */
function knownAfter(need: WriteNeed, { rules }: EntityInfo): Set<string> {
  const known = new Set<string>([...(need.by ?? []), ...(need.sets ?? [])]);
  for (const [path, change] of Object.entries(need.changes ?? {})) {
    const constant = typeof change !== 'object' || change === null || 'ref' in change || 'remove' in change;
    if (constant) known.add(path);
  }
  for (const [name, { from }] of computedOf(rules)) if (from.every((each) => known.has(each))) known.add(name);
  return known;
}

/** What the form needs that is neither an input nor a constant of the update. If there is any, the stored item is read first. */
function unknownTo(form: KeyForm, need: WriteNeed, entity: EntityInfo): string[] {
  const known = knownAfter(need, entity);
  if (form.when !== undefined && excluded(form.when, need)) return [];
  return formAttributes(form).filter((name) => !known.has(name));
}

/** The update's constants contradict the condition, so the form is removed whatever else the item contains. */
function excluded(when: Condition, need: WriteNeed): boolean {
  return Object.entries(when).some(([name, test]) => {
    const value = need.changes?.[name];
    if (value === undefined || typeof value === 'object') return false;
    return Array.isArray(test)
      ? !(test as readonly unknown[]).includes(value)
      : typeof test !== 'object' && test !== value;
  });
}

function operationsOf(writes: readonly WritePlan[], transacts: boolean, entities: Entities): OperationName[] {
  const first: OperationName[] = [];
  if (writes.some(({ entity, verb }) => verb === 'creates' && entity.sequences.length > 0)) first.push('UpdateItem');
  if (writes.some(({ readsFirst }) => readsFirst)) first.push('GetItem');
  const [only] = writes;
  if (only === undefined) return first;
  if (transacts || writes.length > 1 || takesSeveralActions(only, entities)) return [...first, 'TransactWriteItems'];
  // A batch has no conditions.
  const isBatch = only.verb === 'deletes' || (only.verb === 'puts' && only.need.given === undefined);
  if (only.many) return [...first, isBatch ? 'BatchWriteItem' : 'TransactWriteItems'];
  if (only.verb === 'creates' || only.verb === 'puts') return [...first, 'PutItem'];
  return [...first, only.verb === 'deletes' ? 'DeleteItem' : 'UpdateItem'];
}

/**
 * Copies that are put may go in a batch: a reader that meets an old one among new ones reads what was true a moment ago. A
 * transaction of large copies would not fit: the service takes 4 MB in one.
 */
function areCopiesPut([only, ...others]: readonly WritePlan[]): boolean {
  if (only === undefined || others.length > 0) return false;
  const { verb, many, entity, need } = only;
  const { copies = 1 } = entity.rules;
  return verb === 'puts' && !many && copies > 1 && need.given === undefined && entity.parents.length === 0;
}

function takesSeveralActions({ verb, entity, need, moves }: WritePlan, entities: Entities): boolean {
  if (verb === 'checks' || (entity.rules.copies ?? 1) > 1) return true;
  if (verb === 'updates')
    return moves || (need.orCreates === true ? entity.parents : changedParents(need, entity)).length > 0;
  if (entity.unique.length > 0 || verb === 'deletes') return keepsOthers(entity);
  return entity.parents.some(
    (parent) =>
      entities.has(parent.entity) && (verb !== 'creates' || isCounted(parent) || !sequenced(entity, parent.entity)),
  );
}
