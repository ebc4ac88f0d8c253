import type { EntityRules } from '../entities/entity.ts';
import type { EntityKeys, EntityStorage, KeyTemplates, TableLayout } from '../keys/layout.ts';
import type { Model } from '../model.ts';
import type { Need } from '../patterns/need.ts';
import type { Served } from '../patterns/served.ts';
import type { Condition } from '../patterns/value.ts';
import { schemaOf, type Shape } from './shape.ts';

/** A model read from another format, before it is written to a file: its four sections, with remarks on what was guessed. */
export interface Draft {
  /** The model's name. */
  readonly name: string;
  /** Remarks on the whole model: what could not be converted. */
  readonly notes: readonly string[];
  /** The tables and their keys, by name. */
  readonly tables: { readonly [name: string]: TableLayout };
  /** The entities that were found. */
  readonly entities: readonly DraftEntity[];
  /** The patterns that were found, and the usual ones. */
  readonly patterns: readonly DraftPattern[];
}

/** An entity of a draft. */
export interface DraftEntity {
  /** Its name in the model. */
  readonly name: string;
  /** The value of the type attribute. */
  readonly type: string;
  /** Its attributes. */
  readonly attributes: readonly DraftAttribute[];
  /** The first is the key of the table. */
  readonly keys: readonly DraftKey[];
  /** Its rules, if any are known. */
  readonly rules?: EntityRules;
  /** Its unique attributes and the keys of their guards, if any are known. */
  readonly unique?: EntityStorage['unique'];
  /** Remarks that become comments in the model's file. */
  readonly notes: readonly string[];
}

/** An attribute of an entity. */
export interface DraftAttribute {
  /** Its name in the model. */
  readonly name: string;
  /** The stored name, if it differs. */
  readonly stored?: string;
  /** What kind of values it has. */
  readonly shape: Shape;
  /** Checks of zod that follow the type in the file, such as `.min(1)`. */
  readonly checks?: string;
  /** Whether items may lack it. */
  readonly optional: boolean;
  /** The default value for items that lack it. */
  readonly fallback?: string | number | boolean;
  /** Remarks that become comments in the model's file. */
  readonly notes?: readonly string[];
}

/** An entity's key in a table or index. It has several forms if it depends on the item. */
export interface DraftKey {
  /** The table or index. */
  readonly place: string;
  /** The templates of the key, each with its condition. */
  readonly forms: readonly { readonly when?: Condition; readonly templates: KeyTemplates }[];
  /** Remarks that become comments in the model's file. */
  readonly notes: readonly string[];
}

/** A pattern of a draft. */
export interface DraftPattern {
  /** Its name in the model. */
  readonly name: string;
  /** What the application needs. */
  readonly need: Need;
  /** How it is served. */
  readonly served: Served;
  /** Remarks that become comments in the model's file. */
  readonly notes: readonly string[];
}

/** The draft as a model whose schemas check only types, so that it can be checked, resolved and run before its file is written. */
export function draftModel({ name, tables, entities, patterns }: Draft): Model {
  return {
    name,
    entities: Object.fromEntries(
      entities.map(({ name: entity, attributes, rules = {} }) => [
        entity,
        {
          attributes: Object.fromEntries(
            attributes.map((each) => [each.name, schemaOf(each.shape, each.optional, each.fallback)]),
          ),
          rules,
        },
      ]),
    ),
    relationships: [],
    patterns: Object.fromEntries(patterns.map((pattern) => [pattern.name, pattern.need])),
    tables,
    keys: Object.fromEntries(entities.map((entity) => [entity.name, chartOf(entity)])),
    storage: Object.fromEntries(
      entities.flatMap((entity) => {
        const storage = storageOf(entity);
        return storage === undefined ? [] : [[entity.name, storage]];
      }),
    ),
    served: Object.fromEntries(patterns.map((pattern) => [pattern.name, pattern.served])),
  };
}

/** The entity's row of the entity chart. */
export function chartOf({ keys }: DraftEntity): EntityKeys {
  return Object.fromEntries(keys.map((key) => [key.place, formsOf(key)]));
}

/** One key of the chart: templates, or templates on a condition. */
export function formsOf({ forms }: DraftKey): EntityKeys[string] {
  const conditional = forms.flatMap(({ when, templates }) => (when === undefined ? [] : [{ when, key: templates }]));
  const [first] = conditional;
  if (conditional.length < forms.length || first === undefined) return forms[0]?.templates ?? [];
  return conditional.length === 1 ? first : conditional;
}

/** What storage needs to know about the entity, if anything. */
export function storageOf({ name, type, attributes, unique }: DraftEntity): EntityStorage | undefined {
  const stored = Object.fromEntries(
    attributes.flatMap((each) =>
      each.stored === undefined || each.stored === each.name ? [] : [[each.name, each.stored]],
    ),
  );
  const storage: EntityStorage = {
    ...(type !== name && { type }),
    ...(Object.keys(stored).length > 0 && { stored }),
    ...(unique !== undefined && { unique }),
  };
  return Object.keys(storage).length > 0 ? storage : undefined;
}

/** A valid TypeScript identifier, in the form of a type or of a value. */
export function identifier(text: string, form: 'Type' | 'value'): string {
  const words = text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => (/^[A-Z0-9]+$/.test(word) ? word.toLowerCase() : word));
  const joined = words.map((word, i) => (i === 0 && form === 'value' ? lowerFirst(word) : upperFirst(word))).join('');
  const named = joined === '' ? (form === 'Type' ? 'Item' : 'item') : joined;
  return /^\d/.test(named) ? `${form === 'Type' ? 'T' : 'n'}${named}` : named;
}

/** The name, with a number appended if it is taken. */
export function unused(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let n = 2; taken.has(free); n += 1) free = `${name}${n}`;
  return free;
}

export function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

export function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
