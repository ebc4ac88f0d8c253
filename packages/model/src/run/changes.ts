import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { InputError } from '../model-error.ts';
import { inputNamed, isReference } from '../patterns/condition.ts';
import { computedValue } from '../patterns/evaluate.ts';
import { computedOf } from '../resolve/slots.ts';
import { toAttributeValue } from './attribute-value.ts';
import { addDecimals } from './decimal.ts';
import { type Effect, overlap, setOf, type StoredPath } from './effect.ts';
import { pathSteps } from './expression.ts';
import type { ItemCodec, Values } from './item-codec.ts';
import { element, isRequiredEntry, mayHaveEntry, schemaAt, type SchemaStep } from './nested-schema.ts';
import type { WritePlan } from '../resolve/resolved.ts';

/** What an update does to its item, before index keys. */
export interface Changes {
  readonly effects: readonly Effect[];
  /** New values of whole attributes, if the input determines them; undefined for one that is removed. */
  readonly changed: Values;
}

/** What an update's input and its constants change. */
export function changesOf(codec: ItemCodec, { need }: WritePlan, input: Values): Changes {
  const { entity } = codec;
  const effects: Effect[] = [];
  const changed: Record<string, unknown> = {};
  const assign = (name: string, value: unknown): void => {
    changed[name] = value;
    effects.push(assignment([codec.stored(name)], value, `${entity.name}.${name}`));
  };
  for (const name of need.sets ?? [])
    if (!(name in input)) throw new InputError('missing-input', `${entity.name}.${name}`, 'is needed and missing');
  for (const name of [...(need.sets ?? []), ...(need.maySet ?? [])]) {
    const attribute = entity.attributes.get(name);
    if (attribute !== undefined && name in input)
      assign(name, codec.parseAttribute(name, attribute.schema, input[name]));
  }
  for (const [path, change] of Object.entries(need.changes ?? {})) {
    const attribute = entity.attributes.get(path);
    if (attribute !== undefined && isReference(change))
      assign(path, codec.parseAttribute(path, attribute.schema, inputNamed(input, change.ref)));
    else {
      const effect = effectOf(codec, path, change, input);
      // Inputs in paths may be the same: the service refuses to change one place twice.
      if (effects.some((each) => overlap(each.path, effect.path)))
        throw new InputError('same-item', `${entity.name}.${path}`, 'is changed twice by this input');
      effects.push(effect);
      if (attribute === undefined) continue;
      if (effect.kind === 'set') changed[path] = change;
      else if (effect.kind === 'remove') changed[path] = undefined;
    }
  }
  for (const [name, computed] of computedOf(entity.rules)) {
    if (need.orCreates !== true && !computed.from.some((each) => each in changed)) continue;
    const values = { ...input, ...changed };
    assign(name, computedValue(codec, name, computed, values));
  }
  return { effects, changed };
}

/** Sets an attribute, or removes it if there is no value. */
export function assignment(path: StoredPath, value: unknown, where: string): Effect {
  return value === undefined ? { kind: 'remove', path } : { kind: 'set', path, value: toAttributeValue(value, where) };
}

function effectOf(codec: ItemCodec, written: string, change: unknown, input: Values): Effect {
  const path = pathSteps(written, { stored: (name) => codec.stored(name), input });
  const [name = '', ...steps] = pathSteps(written, { stored: (each) => each, input });
  const { schema: whole } = codec.entity.attributes.get(String(name)) ?? {};
  const isRemoved = 'remove' in Object(change);
  for (const [at, step] of steps.entries()) {
    if (typeof step === 'number') continue;
    // With the name of an input that names the entry: it is what has the wrong value.
    const where = `${codec.entity.name}.${written.replaceAll(/[{}]/g, '')}`;
    const holder = schemaAt(whole, steps.slice(0, at));
    // The service has no names without a character, and an object of JavaScript has a prototype of that one.
    if (step === '' || step === '__proto__' || (!isRemoved && holder !== undefined && !mayHaveEntry(holder, step)))
      throw new InputError('invalid', where, `has no entry "${step}"`);
    if (isRemoved && at === steps.length - 1 && holder !== undefined && isRequiredEntry(holder, step))
      throw new InputError('invalid', where, `always has an entry "${step}"`);
  }
  // The attribute's own schema knows what is within its values, whatever that of the input takes.
  const parsed = (value: unknown, ...more: readonly SchemaStep[]): unknown => {
    const within = [...steps, ...more];
    const schema = within.length === 0 ? undefined : schemaAt(whole, within);
    return schema === undefined ? value : codec.parseAttribute(written, schema, value);
  };
  const elements = (value: unknown): unknown =>
    Array.isArray(value) ? value.map((each) => parsed(given(each, input), element)) : value;
  const value = (of: unknown): AttributeValue => toAttributeValue(parsed(given(of, input)), written);
  if (typeof change !== 'object' || change === null || isReference(change) || Array.isArray(change))
    return { kind: 'set', path, value: value(change) };
  const kind = change as Readonly<Record<string, unknown>>;
  const fallback = codec.entity.attributes.get(written)?.fallback;
  if ('remove' in kind) return { kind: 'remove', path };
  if ('initial' in kind) {
    const schema = codec.entity.attributes.get(written)?.schema;
    const checked = isReference(kind.initial) && schema !== undefined;
    const initial = checked ? codec.parseAttribute(written, schema, given(kind.initial, input)) : kind.initial;
    return { kind: 'initial', path, value: value(initial) };
  }
  if ('append' in kind) {
    const base = Array.isArray(fallback) ? toAttributeValue(fallback, written) : { L: [] };
    return { kind: 'append', path, value: toAttributeValue(elements(given(kind.append, input)), written), base };
  }
  if ('include' in kind)
    return { kind: 'include', path, elements: setOf(parsed(given(kind.include, input), element), written) };
  if ('exclude' in kind) return { kind: 'exclude', path, elements: setOf(given(kind.exclude, input), written) };
  if ('add' in kind) {
    const base = typeof fallback === 'number' || typeof fallback === 'bigint' ? String(fallback) : '0';
    return { kind: 'increase', path, amount: amountOf(kind, input), base };
  }
  return { kind: 'set', path, value: value(change) };
}

function given(value: unknown, input: Values): unknown {
  return isReference(value) ? inputNamed(input, value.ref) : value;
}

/** A number in the service's form. */
function amountOf({ add, times = 1 }: Values, input: Values): string {
  const value = given(add, input);
  if (typeof value === 'bigint') return String(times === -1 ? -value : value);
  const number = Number(value) * Number(times);
  if (!Number.isFinite(number)) throw new InputError('not-a-number', 'add', `${String(value)} is not a number`);
  const text = String(number);
  return text.includes('e') ? addDecimals(text, '0') : text;
}

/** The version that an input states for an item. */
export function versionOf(input: Values, lock: string): number {
  const number = Number(inputNamed(input, lock));
  if (!Number.isFinite(number)) throw new InputError('not-a-number', lock, 'is not a version');
  return number;
}
