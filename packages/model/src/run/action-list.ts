import { InputError } from '../model-error.ts';
import type { EntityInfo } from '../resolve/resolved.ts';
import { slotsOf } from '../resolve/slots.ts';
import { type Action, actionId, type ActionPart, type ActionRule, type Ask, asksOf, isDroppable } from './action.ts';
import { absentOr, meets } from './asks.ts';
import type { StoredItem } from './attribute-value.ts';
import type { Context } from './context.ts';
import { applyEffects, type Effect, joinEffects } from './effect.ts';
import { indexEffects } from './index-keys.ts';
import { codecOf } from './item-codec.ts';
import { expiresAttribute } from './input-values.ts';
import { type RuleCode, RuleError, type RuleFailure } from './rule-error.ts';
import { isSameValue } from './same-value.ts';
import { isExpired } from './stored-item.ts';

/** A change of an item, which was read, in what its relations depend on. */
interface Move {
  readonly stored: StoredItem;
  readonly effects: readonly Effect[];
  /** Adds the actions on other items, for the item as it is afterwards. */
  readonly keep: (after: StoredItem) => void;
}

/**
 * The actions of one write, one for each item, because the service rejects two on the same item. Actions on one item are merged when all are
 * known, so that the order of a transaction's parts does not matter.
 */
export class ActionList {
  readonly #context: Context;
  readonly #pattern: string;
  readonly #byItem = new Map<string, Action[]>();
  readonly #moves = new Map<string, Move>();
  #actions: Action[] | undefined;

  constructor(context: Context, pattern: string) {
    this.#context = context;
    this.#pattern = pattern;
  }

  /** Adds an action. */
  add(next: Action): void {
    const id = actionId(next);
    const known = this.#byItem.get(id);
    if (known === undefined) this.#byItem.set(id, [next]);
    else known.push(next);
    this.#actions = undefined;
  }

  /** Adds a change of what an item's relations depend on. The item is moved once, by all changes that the parts make to it. */
  addMove(id: string, next: Move): void {
    const known = this.#moves.get(id);
    const effects = known === undefined ? next.effects : joinEffects(known.effects, next.effects);
    // Incompatible changes of one item are refused when its actions are merged.
    if ('conflict' in effects) return;
    this.#moves.set(id, { ...(known ?? next), effects });
  }

  /** Adds the actions that keep the relations of changed items, when all parts of the write are known. */
  keepRelations(): void {
    for (const [id, { stored, effects, keep }] of this.#moves) {
      // The delete settles the relations of an item that another part deletes.
      if (this.#byItem.get(id)?.some(({ kind }) => kind === 'delete') === true) continue;
      keep(applyEffects(stored, effects));
    }
    this.#moves.clear();
  }

  /** Leaves out the actions that can be left out and do not apply to the item that was found, or to none. */
  leaveOut(found: ReadonlyMap<string, StoredItem | undefined>): void {
    for (const [id, item] of found)
      this.#byItem.set(
        id,
        (this.#byItem.get(id) ?? []).filter((each) => !isDroppable(each) || meets(item, asksOf(each))),
      );
    this.#actions = undefined;
  }

  /**
   * One action for each item, in the order of their first occurrence.
   *
   * @throws {InputError} if two parts make incompatible changes to one item.
   * @throws {RuleError} if a part requires something of an item that the created item does not meet, or changes one that does not exist.
   */
  get actions(): readonly Action[] {
    this.#actions ??= [...this.#byItem.values()].flatMap((each) => this.#one(each));
    return this.#actions;
  }

  #one(all: readonly Action[]): Action | [] {
    const actions = meantOf(all);
    if (actions.length === 0) return [];
    const joined = this.#joined(actions);
    const missing = missingParts(joined);
    if (missing.length > 0) this.#refuse(missing);
    if (joined.index === undefined) return joined;
    const codec = codecOf(this.#context, joined.entity);
    return { ...joined, index: undefined, effects: [...joined.effects, ...indexEffects(codec, joined)] };
  }

  #refuse(parts: readonly ActionPart[]): void {
    const [first, ...rest] = parts.map(({ rule: { entity, part } }): RuleFailure => ({
      code: 'not-found',
      entity,
      ...(part !== undefined && { part }),
    }));
    if (first !== undefined) throw new RuleError(this.#pattern, [first, ...rest]);
  }

  #refuseClaim({ parts: [{ rule }] }: Action): never {
    const { code, entity, attribute, part } = rule;
    const named = { ...(attribute !== undefined && { attribute }), ...(part !== undefined && { part }) };
    throw new RuleError(this.#pattern, [{ code, entity, ...named }]);
  }

  #joined(actions: readonly Action[]): Action {
    const [only] = actions;
    if (only !== undefined && actions.length === 1) return only;
    const [first, ...rest] = [...actions].sort((a, b) => order[a.kind] - order[b.kind]);
    if (first?.kind === 'put')
      for (const [at, a] of rest.entries()) for (const b of rest.slice(at + 1)) joinedChanges(a, b);
    return rest.reduce((known, next) => this.#join(known, next, first?.item), first as Action);
  }

  #join(a: Action, b: Action, made: StoredItem | undefined): Action {
    switch (a.kind) {
      case 'put':
        return this.#joinPut(a, b, made);
      case 'delete':
        if (b.kind === 'check' && !b.parts.some(({ rule }) => rule.implied === true)) return withParts(a, b.parts);
        // A deleted item has no counter to update.
        if (b.kind === 'update' && isDroppable(b)) return a;
        throw conflict(a, `is deleted and ${doings[b.kind]} by one transaction`);
      default:
        return joinUpdate(a, b);
    }
  }

  /** The other parts see what the transaction creates: they are checked against the item that one part makes, before others change it. */
  #joinPut(put: Action, next: Action, made: StoredItem | undefined): Action {
    const { item } = put;
    if (put.guard === 'claim' && next.guard === 'release') {
      const [first] = put.parts;
      const asks = first.asks.filter(({ kind }) => kind !== 'absent');
      return { ...put, parts: [{ ...first, asks }, ...next.parts] };
    }
    if (item === undefined || made === undefined || next.kind === 'put' || next.kind === 'delete')
      throw conflict(
        put,
        next.kind === 'put' ? 'is written twice by one transaction' : 'is written and deleted by one transaction',
      );
    const replaces = asksOf(put).every(({ kind }) => kind !== 'absent');
    // An item that is replaced has to meet the conditions, and a missing one is the item that is written.
    if (replaces && next.kind === 'check') {
      return withParts(
        put,
        next.parts.map((part) => metByCreated(put.entity, made, part)),
      );
    }
    // One item claims a unique value, and another one keeps it.
    if (put.guard === 'claim' && next.parts.some(({ asks }) => !meets(made, asks))) this.#refuseClaim(put);
    if (next.parts.some(({ rule }) => rule.moves === true))
      throw conflict(put, 'is made by a transaction that also changes a unique attribute or a parent of it');
    // What is written expires at once, or is of another entity: the one that counts is gone.
    if (next.parts.every(({ rule, asks }) => rule.droppable === true && !meets(made, asks))) return put;
    for (const { rule, asks } of next.parts) {
      if (meets(made, asks)) continue;
      // What was read is not what is written. If it was there to be read, it is there to be found by a put that creates.
      const own = asks.filter(({ kind }) => kind !== 'as-read');
      if (replaces && meets(made, own)) continue;
      const { entity, part } = rule;
      // An item that has expired when it is written counts as absent, so that the other part would write it again.
      if (rule.creates === true && isExpired(made, expiresAttribute(put.entity), this.#context.now()))
        throw conflict(put, 'is written twice by one transaction, and has expired when it is first written');
      const code = !replaces && own.length < asks.length ? put.parts[0].rule.code : codeOf(rule, own, made);
      throw new RuleError(this.#pattern, [{ code, entity, ...(part === undefined ? {} : { part }) }]);
    }
    return { ...put, item: this.#itemAfter(put, item, next.effects) };
  }

  #itemAfter({ entity, copy }: Action, item: StoredItem, effects: readonly Effect[]): StoredItem {
    const codec = codecOf(this.#context, entity);
    const after = applyEffects(item, effects);
    const primary = new Set(slotsOf(entity.key).map(({ attribute }) => attribute));
    for (const { attribute, own } of entity.indexes.flatMap(({ forms }) => forms.flatMap(slotsOf)))
      if (!own && !primary.has(attribute)) delete after[attribute];
    return { ...after, ...codec.encode({ ...codec.decode(after), copy }) };
  }
}

/**
 * Why an item that the transaction creates does not meet what another part requires of it. It may be created after it has expired, or be of another
 * entity that has the same key.
 */
function codeOf({ code, version, creates, implied }: ActionRule, asks: readonly Ask[], item: StoredItem): RuleCode {
  if (!asks.every(({ kind, holds }) => kind !== 'there' || holds(item)))
    return creates === true ? 'already-exists' : implied === true ? code : 'not-found';
  return version !== undefined && item[version.stored]?.N !== version.expected ? 'stale-version' : code;
}

/**
 * The actions on one item without those that can be left out and cannot be meant, because the item was missing or another action requires one of
 * another entity with the same key. Of several that exclude each other the first is tried: a rejection shows which of them applies.
 */
function meantOf(actions: readonly Action[]): readonly Action[] {
  const meant = actions.filter((each) => !isDroppable(each));
  const isMade = actions.some(isMaking);
  for (const each of actions.filter(isDroppable))
    if ((isMade || missingParts(each).length === 0) && !meant.some((other) => isOfAnother(each, other)))
      meant.push(each);
  return meant;
}

/** Whether the item of one action cannot be that of another one. */
function isOfAnother({ entity }: Action, other: Action): boolean {
  return asksOf(other).some(({ types }) => types?.includes(entity.type) === false);
}

/** Whether the item exists afterwards in any case. */
function isMaking({ kind, parts }: Action): boolean {
  return kind === 'put' || parts.some(({ rule }) => rule.creates === true);
}

const order = { put: 0, delete: 1, update: 2, check: 3 } as const;

const doings = { put: 'written', delete: 'deleted', update: 'changed', check: 'looked for' } as const;

function joinUpdate(a: Action, b: Action): Action {
  if (b.kind === 'delete' || b.kind === 'put') throw conflict(a, `is ${doings[a.kind]} and ${doings[b.kind]}`);
  const effects = joinedChanges(a, b);
  const [first = a.parts[0], ...rest] = [...seenByOthers(b, a.parts), ...seenByOthers(a, b.parts)];
  return { ...a, effects, index: joinIndex(a, b), parts: [first, ...rest] };
}

/**
 * The effects of two changes of one item.
 *
 * @throws {InputError} if their order would decide what they leave, or what their conditions find.
 */
function joinedChanges(a: Action, b: Action): readonly Effect[] {
  const effects = joinEffects(a.effects, b.effects);
  if ('conflict' in effects)
    throw conflict(a, `is changed twice at "${effects.conflict.join('.')}" by one transaction`);
  const [mine, theirs] = [testedOf(a, b), testedOf(b, a)];
  if (mine !== undefined && theirs !== undefined)
    throw conflict(
      a,
      `has two changes in one transaction, of which each has a condition on what the other changes: ${mine}`,
    );
  return effects;
}

/** The parts of another action. What an action creates if missing exists for them if it meets what they require of it. */
function seenByOthers({ entity, key, effects, parts }: Action, others: readonly ActionPart[]): readonly ActionPart[] {
  if (!parts.some(({ rule }) => rule.creates === true)) return others;
  const created = applyEffects(key, effects);
  return others.map((part) => (part.rule.creates === true ? part : metByCreated(entity, created, part)));
}

/** What a part requires of an item that exists, and, if the item that is created would not meet it, that it exists. */
function metByCreated(entity: EntityInfo, created: StoredItem, part: ActionPart): ActionPart {
  if (!meets(created, part.asks)) return part;
  const asks = part.asks.filter(({ once }) => once !== 'there');
  return { ...part, asks: asks.map((ask) => absentOr(entity, ask)) };
}

/**
 * An attribute that one action tests and the other changes. The conditions of both are compared with the item as it was, so that one that
 * tests has to come first: of two that each test what the other changes, none can. What both change in the same way is changed once.
 */
function testedOf({ parts, effects: own }: Action, { effects }: Action): string | undefined {
  const tested = new Set(parts.flatMap(({ asks }) => asks.flatMap(({ tests = [] }) => tests)));
  const isSame = (effect: Effect): boolean =>
    effect.kind !== 'increase' && effect.kind !== 'append' && own.some((each) => isSameValue(each, effect));
  const changed = effects.filter((effect) => !isSame(effect)).map(({ path: [name] }) => String(name));
  return changed.find((name) => tested.has(name));
}

/** Parts whose item was missing when it was read. If it exists by now, it is another item, of which nothing is known. */
function missingParts(action: Action): readonly ActionPart[] {
  return isMaking(action) ? [] : action.parts.filter(({ rule }) => rule.missing === true);
}

function joinIndex({ index: a }: Action, { index: b }: Action): Action['index'] {
  if (a === undefined || b === undefined) return a ?? b;
  return {
    indexes: [...new Set([...a.indexes, ...b.indexes])],
    asked: [...new Set([...a.asked, ...b.asked])],
    stored: a.stored ?? b.stored,
    known: { ...a.known, ...b.known },
    changed: { ...a.changed, ...b.changed },
    created: { ...a.created, ...b.created },
  };
}

function withParts(target: Action, parts: readonly ActionPart[]): Action {
  const [first, ...rest] = target.parts;
  return { ...target, parts: [first, ...rest, ...parts] };
}

function conflict({ entity }: Action, message: string): InputError {
  return new InputError('same-item', entity.name, message);
}
