import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { InputError } from '../model-error.ts';
import { type StoredItem, toAttributeValue } from './attribute-value.ts';
import { addDecimals } from './decimal.ts';
import { type Expression, pathText } from './expression.ts';
import { isSameValue } from './same-value.ts';

/** A document path by stored names: attributes and entries of maps by name, elements of lists by number. */
export type StoredPath = readonly (string | number)[];

/** The change of an update at one path, as data, so that two updates of one item can be merged, or an update merged into a put. */
export type Effect =
  /** `initial` sets only a missing value. */
  | { readonly kind: 'set' | 'initial'; readonly path: StoredPath; readonly value: AttributeValue }
  /** `base` is the value of a missing list. */
  | {
      readonly kind: 'append';
      readonly path: StoredPath;
      readonly value: AttributeValue;
      readonly base: AttributeValue;
    }
  /** `base` is the value of a missing number. Both are decimal numbers. */
  | { readonly kind: 'increase'; readonly path: StoredPath; readonly amount: string; readonly base: string }
  | { readonly kind: 'include' | 'exclude'; readonly path: StoredPath; readonly elements: SetValue }
  | { readonly kind: 'remove'; readonly path: StoredPath };

/** A set in the service's form. */
export type SetValue = { readonly SS: string[] } | { readonly NS: string[] } | { readonly BS: Uint8Array[] };

/** The update expression of some effects; empty where there are none. */
export function updateText(effects: readonly Effect[], expression: Expression): string {
  const clauses: Record<'SET' | 'REMOVE' | 'ADD' | 'DELETE', string[]> = { SET: [], REMOVE: [], ADD: [], DELETE: [] };
  for (const effect of effects) {
    const name = pathText(expression, effect.path);
    const value = (given: AttributeValue): string => expression.value(given);
    switch (effect.kind) {
      case 'set':
        clauses.SET.push(`${name} = ${value(effect.value)}`);
        break;
      case 'initial':
        clauses.SET.push(`${name} = if_not_exists(${name}, ${value(effect.value)})`);
        break;
      case 'append':
        clauses.SET.push(
          `${name} = list_append(if_not_exists(${name}, ${value(effect.base)}), ${value(effect.value)})`,
        );
        break;
      case 'increase':
        // ADD creates no parents of a path and counts from 0.
        if (effect.path.length === 1 && Number(effect.base) === 0)
          clauses.ADD.push(`${name} ${value({ N: effect.amount })}`);
        else
          clauses.SET.push(
            `${name} = if_not_exists(${name}, ${value({ N: effect.base })}) + ${value({ N: effect.amount })}`,
          );
        break;
      case 'include':
        clauses.ADD.push(`${name} ${value(effect.elements)}`);
        break;
      case 'exclude':
        clauses.DELETE.push(`${name} ${value(effect.elements)}`);
        break;
      case 'remove':
        clauses.REMOVE.push(name);
        break;
    }
  }
  return Object.entries(clauses)
    .flatMap(([verb, parts]) => (parts.length === 0 ? [] : [`${verb} ${parts.join(', ')}`]))
    .join(' ');
}

/**
 * Merges two lists of effects whose order does not matter: their paths are independent, or the changes of one path have the same result in
 * either order.
 *
 * @returns the path at which the order matters, if there is one.
 */
export function joinEffects(a: readonly Effect[], b: readonly Effect[]): Effect[] | { readonly conflict: StoredPath } {
  const joined = [...a];
  for (const effect of b) {
    const at = joined.findIndex((each) => overlap(each.path, effect.path));
    const known = joined[at];
    if (known === undefined) {
      joined.push(effect);
      continue;
    }
    const both = joinOne(known, effect);
    if (both === undefined) return { conflict: effect.path };
    joined[at] = both;
  }
  return joined;
}

function joinOne(a: Effect, b: Effect): Effect | undefined {
  if (a.path.length !== b.path.length) return undefined;
  if (a.kind === 'increase' && b.kind === 'increase') return { ...a, amount: addDecimals(a.amount, b.amount) };
  if ((a.kind === 'include' && b.kind === 'include') || (a.kind === 'exclude' && b.kind === 'exclude')) {
    const elements = union(a.elements, b.elements);
    return elements === undefined ? undefined : { ...a, elements };
  }
  // To remove an element twice removes the next one as well, and an element that is set beyond the end is appended.
  const isElement = typeof a.path.at(-1) === 'number';
  return a.kind !== 'append' && !isElement && isSameValue(a, b) ? a : undefined;
}

/** Whether two paths are the same, or one is within the other. */
export function overlap(a: StoredPath, b: StoredPath): boolean {
  const length = Math.min(a.length, b.length);
  return a.slice(0, length).every((step, i) => step === b[i]);
}

/** An item after some effects on it. The item itself stays as it is. */
export function applyEffects(item: StoredItem, effects: readonly Effect[]): StoredItem {
  const next = structuredClone(item);
  for (const effect of [...effects].sort((a, b) => turn(a) - turn(b))) applyEffect(next, effect);
  return next;
}

/** Elements of lists come last, and those with the highest index first, because indexes in paths refer to the original list. */
function turn({ kind, path }: Effect): number {
  const last = path.at(-1);
  return kind === 'remove' && typeof last === 'number' ? Number.MAX_SAFE_INTEGER - last : 0;
}

function applyEffect(item: StoredItem, effect: Effect): void {
  const slot = slotAt(item, effect.path);
  const old = slot.read();
  switch (effect.kind) {
    case 'set':
      return slot.write(effect.value);
    case 'initial':
      return old === undefined ? slot.write(effect.value) : undefined;
    case 'append':
      return slot.write({ L: [...((old ?? effect.base).L ?? []), ...(effect.value.L ?? [])] });
    case 'increase':
      return slot.write({ N: addDecimals(old?.N ?? effect.base, effect.amount) });
    case 'include':
      return slot.write(old === undefined ? effect.elements : (union(old as SetValue, effect.elements) ?? old));
    case 'exclude': {
      const left = old === undefined ? undefined : without(old as SetValue, effect.elements);
      return left === undefined ? slot.remove() : slot.write(left);
    }
    case 'remove':
      return slot.remove();
  }
}

interface Slot {
  read(): AttributeValue | undefined;
  write(value: AttributeValue): void;
  remove(): void;
}

function slotAt(item: StoredItem, path: StoredPath): Slot {
  let container: StoredItem | AttributeValue[] | undefined = item;
  for (const step of path.slice(0, -1)) {
    const inner: AttributeValue | undefined = at(container, step);
    container = inner?.M ?? inner?.L;
  }
  const last = path.at(-1) ?? '';
  const holder = container;
  if (holder === undefined)
    throw new InputError('no-such-path', path.join('.'), 'leads through an attribute that is missing');
  return {
    read: () => at(holder, last),
    write: (value) => {
      if (Array.isArray(holder)) holder[Math.min(Number(last), holder.length)] = value;
      else holder[last] = value;
    },
    remove: () => {
      if (Array.isArray(holder)) holder.splice(Number(last), 1);
      else delete holder[last];
    },
  };
}

function at(container: StoredItem | AttributeValue[] | undefined, step: string | number): AttributeValue | undefined {
  if (container === undefined) return undefined;
  return Array.isArray(container) ? container[Number(step)] : container[step];
}

/**
 * A set of one element.
 *
 * @throws {InputError} with this path, for an element that no set can have.
 */
export function setOf(element: unknown, path: string): SetValue {
  return toAttributeValue(new Set([element]), path) as SetValue;
}

function union(a: SetValue, b: SetValue): SetValue | undefined {
  if ('SS' in a && 'SS' in b) return { SS: [...new Set([...a.SS, ...b.SS])] };
  if ('NS' in a && 'NS' in b) return { NS: [...new Set([...a.NS, ...b.NS])] };
  if ('BS' in a && 'BS' in b) return { BS: [...a.BS, ...b.BS.filter((each) => !holdsBytes(a.BS, each))] };
  return undefined;
}

function without(a: SetValue, b: SetValue): SetValue | undefined {
  if ('SS' in a && 'SS' in b)
    return kept(
      a.SS.filter((each) => !b.SS.includes(each)),
      (SS) => ({ SS }),
    );
  if ('NS' in a && 'NS' in b)
    return kept(
      a.NS.filter((each) => !b.NS.includes(each)),
      (NS) => ({ NS }),
    );
  if ('BS' in a && 'BS' in b)
    return kept(
      a.BS.filter((each) => !holdsBytes(b.BS, each)),
      (BS) => ({ BS }),
    );
  return a;
}

/** Removes a set with its last element. */
function kept<T>(elements: T[], set: (elements: T[]) => SetValue): SetValue | undefined {
  return elements.length === 0 ? undefined : set(elements);
}

function holdsBytes(all: readonly Uint8Array[], one: Uint8Array): boolean {
  return all.some((each) => each.length === one.length && each.every((byte, i) => byte === one[i]));
}
