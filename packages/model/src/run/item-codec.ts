import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { templateWriter } from '../keys/template.ts';
import { InputError } from '../model-error.ts';
import type { Evaluator } from '../patterns/evaluate.ts';
import type { Condition } from '../patterns/value.ts';
import type { AttributeInfo, EntityInfo, KeyForm, KeySlot } from '../resolve/resolved.ts';
import { type StoredItem, toAttributeValue } from './attribute-value.ts';
import type { Context } from './context.ts';
import { parsedValue } from './input-values.ts';
import { type ItemDecoder, itemDecoder } from './item-decoder.ts';

/** Values of the application by attribute. */
export type Values = Readonly<Record<string, unknown>>;

/** Writes one key attribute. */
export interface SlotWriter {
  readonly slot: KeySlot;
  readonly write: (values: Values) => AttributeValue | undefined;
}

/** An index key as it is written. Attributes of the application that are part of it are written in any case. */
interface IndexForm {
  readonly when: Condition | undefined;
  readonly slots: readonly SlotWriter[];
  readonly own: readonly SlotWriter[];
}

/** Turns items of one entity into stored items and back. */
export class ItemCodec {
  readonly entity: EntityInfo;
  readonly #attributes: readonly (AttributeInfo & { readonly path: string })[];
  readonly #key: readonly SlotWriter[];
  readonly #forms: readonly (readonly IndexForm[])[];
  readonly #decode: ItemDecoder;
  readonly #evaluator: Evaluator | undefined;

  /** @param evaluator - decides which form an index key has. Required if an entity has keys with conditions. */
  constructor(entity: EntityInfo, evaluator: Evaluator | undefined) {
    this.entity = entity;
    this.#evaluator = evaluator;
    this.#attributes = [...entity.attributes.values()].map((each) => ({ ...each, path: this.#path(each.name) }));
    this.#key = formWriters(entity, entity.key);
    this.#forms = entity.indexes.map(({ forms }) =>
      forms.map((form) => {
        const slots = formWriters(entity, form);
        return {
          when: form.when,
          slots: slots.filter(({ slot }) => !slot.own),
          own: slots.filter(({ slot }) => slot.own),
        };
      }),
    );
    this.#decode = itemDecoder(entity);
  }

  /** Validates values with the schemas, which also supply defaults. */
  parse(input: Values): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    const { computed } = this.entity.rules;
    let given = 0;
    for (const { name, schema, path } of this.#attributes) {
      if (name in input) given++;
      if (computed && name in computed) continue;
      const parsed = parsedValue(schema, input[name], path);
      if (parsed !== undefined) values[name] = parsed;
    }
    if (given < Object.keys(input).length) this.#refuseUnknown(input);
    // A connection whose model computes attributes has loaded the code for them.
    return computed ? (this.#evaluator as Evaluator).computedValues(this, values, input) : values;
  }

  /** One attribute's value by its schema. */
  parseAttribute(name: string, schema: AttributeInfo['schema'], value: unknown): unknown {
    return parsedValue(schema, value, this.#path(name));
  }

  /** The stored item: attributes, type, key and the index keys whose conditions hold. */
  encode(values: Values): StoredItem {
    const { table, type } = this.entity;
    const item = this.key(values);
    for (const forms of this.#forms) this.#writeForms(forms, values, item);
    if (table.typeAttribute !== undefined) item[table.typeAttribute] = { S: type };
    for (const { name, stored, path } of this.#attributes) {
      const value = values[name];
      if (value !== undefined) item[stored] = toAttributeValue(value, path);
    }
    return item;
  }

  /** The primary key. */
  key(values: Values): StoredItem {
    const key: StoredItem = {};
    for (const { slot, write } of this.#key) {
      const value = write(values);
      if (value === undefined) throw this.#missing(slot);
      key[slot.attribute] = value;
    }
    return key;
  }

  /** The key attributes of one index, undefined if the item is not in it. */
  indexKey(index: number, values: Values): StoredItem | undefined {
    const item: StoredItem = {};
    this.#writeForms(this.#forms[index] ?? [], values, item);
    return Object.keys(item).length === 0 ? undefined : item;
  }

  /**
   * The item as the application knows it.
   *
   * @param only - the attributes that were read, if not all: the others are unknown, not missing.
   */
  decode(stored: StoredItem, only?: readonly string[]): Record<string, unknown> {
    return this.#decode(stored, only);
  }

  /** The stored name of an attribute. */
  stored(name: string): string {
    return this.entity.attributes.get(name)?.stored ?? name;
  }

  #writeForms(forms: readonly IndexForm[], values: Values, item: StoredItem): void {
    for (const { when, slots, own } of forms) {
      // A connection whose model has conditions has loaded the evaluator.
      if (when !== undefined && !(this.#evaluator as Evaluator).holds(when, values)) continue;
      if (own.some(({ write }) => write(values) === undefined)) continue;
      // An index key is written whole or not at all.
      const key: AttributeValue[] = [];
      for (const { write } of slots) {
        const value = write(values);
        if (value === undefined) break;
        key.push(value);
      }
      if (key.length < slots.length) continue;
      slots.forEach(({ slot }, i) => (item[slot.attribute] = key[i] as AttributeValue));
      return;
    }
  }

  #path(name: string): string {
    return `${this.entity.name}.${name}`;
  }

  #missing(slot: KeySlot): InputError {
    return new InputError(
      'key-incomplete',
      this.#path(slot.attribute),
      `the key ${slot.template.source} needs a value that is missing`,
    );
  }

  #refuseUnknown(input: Values): void {
    const unknown = Object.keys(input).find((name) => !this.entity.attributes.has(name));
    if (unknown !== undefined)
      throw new InputError('unknown-attribute', this.#path(unknown), 'is not an attribute of the entity');
  }
}

/** The codec of an entity in a connection, created once. */
export function codecOf({ codecs, eitherCodec, evaluator }: Context, entity: EntityInfo): ItemCodec {
  const known = codecs.get(entity.name);
  if (known !== undefined) return known;
  const made = eitherCodec?.(entity) ?? new ItemCodec(entity, evaluator.loaded);
  codecs.set(entity.name, made);
  return made;
}

/** Writers for the attributes of one key. */
export function formWriters(entity: EntityInfo, form: KeyForm): SlotWriter[] {
  return [...form.partition, ...form.sort].map((slot) => slotWriter(entity, slot));
}

/** Writes one key attribute with its type in the table. */
export function slotWriter(entity: EntityInfo, slot: KeySlot): SlotWriter {
  const { template, type } = slot;
  if (type === 'B') {
    const [variable] = template.variables;
    return { slot, write: (values) => binary(values[variable?.name ?? '']) };
  }
  const text = templateWriter(template, entity.table.separator, entity.name);
  return {
    slot,
    write: (values) => {
      const key = text(values);
      if (key === undefined) return undefined;
      return type === 'N' ? { N: key } : { S: key };
    },
  };
}

function binary(value: unknown): AttributeValue | undefined {
  return value instanceof Uint8Array ? { B: value } : undefined;
}
