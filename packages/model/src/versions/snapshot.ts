import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { AttributeSchemas, Computed, Entity, EntityRules } from '../entities/entity.ts';
import { ModelError } from '../model-error.ts';
import type { Model } from '../model.ts';
import { resolve } from '../resolve/resolve.ts';
import type { AttributeInfo, ResolvedModel } from '../resolve/resolved.ts';
import { fromAttributeValue, toAttributeValue } from '../run/attribute-value.ts';
import { binaryIn, binaryOut, canonical } from '../run/cursor.ts';
import { sampleValue } from '../samples/sample-value.ts';
import type { StandardSchema } from '../schema/standard-schema.ts';
import { accepts, yielded } from '../schema/validated.ts';

const format: number = 1;

/** How one attribute is stored: the service's type descriptor, or unknown if no sample could be generated from the schema. */
export type AttributeKind = 'S' | 'N' | 'B' | 'BOOL' | 'NULL' | 'M' | 'L' | 'SS' | 'NS' | 'BS' | 'unknown';

/** An attribute without its schema. */
export interface SnapshotAttribute {
  /** The type of its values. */
  readonly kind: AttributeKind;
  /** Whether the item may lack it. */
  readonly optional: boolean;
  /** The value of a missing one. */
  readonly default?: AttributeValue;
  /** The attributes that it is computed from. The function is code, and not part of a version. */
  readonly computed?: readonly string[];
}

/**
 * A version of a model as plain data, to be committed with it: everything that decides how items are stored and which patterns
 * exist. Schemas are functions and are left out, except for their result for a missing value and the type they yield.
 */
export interface Snapshot {
  /** The version of this format. */
  readonly format: 1;
  /** The model's name. */
  readonly model: string;
  /** The entities with their attributes, by name. */
  readonly entities: {
    readonly [entity: string]: {
      readonly attributes: { readonly [attribute: string]: SnapshotAttribute };
      readonly rules: EntityRules;
    };
  };
  /** As in the model. */
  readonly relationships: Model['relationships'];
  /** As in the model. */
  readonly patterns: Model['patterns'];
  /** As in the model. */
  readonly tables: Model['tables'];
  /** As in the model. */
  readonly keys: Model['keys'];
  /** As in the model. */
  readonly storage: Model['storage'];
  /** As in the model. */
  readonly served: Model['served'];
}

/** The current version of a model. */
export function snapshot(model: Model): Snapshot {
  const { entities } = resolve(model);
  const taken: Record<keyof Snapshot, unknown> = {
    format,
    model: model.name,
    entities: Object.fromEntries(
      Object.entries(model.entities).map(([name, { attributes, rules }]) => {
        // The function that computes an attribute is code. The attribute is stored like any other.
        const { examples: _, expects: __, computed = {}, ...kept } = rules;
        const taken = attributesOf(attributes, entities.get(name)?.attributes);
        return [name, { attributes: withSources(taken, computed), rules: kept }];
      }),
    ),
    relationships: model.relationships,
    patterns: Object.fromEntries(Object.entries(model.patterns).map(([name, need]) => [name, withoutSchemas(need)])),
    tables: withoutAccepts(model.tables),
    keys: model.keys,
    storage: withoutAccepts(model.storage),
    served: model.served,
  };
  return parsed(JSON.stringify(taken, binaryOut));
}

/** The text of a snapshot's file. */
export function snapshotText(taken: Snapshot): string {
  return `${JSON.stringify(taken, binaryOut, 2)}\n`;
}

/**
 * Reads the text of a snapshot's file.
 *
 * @throws {ModelError} for text that is not a snapshot, and for a snapshot of a later format.
 */
export function readSnapshot(text: string): Snapshot {
  const fail = (message: string): never => {
    throw new ModelError([{ code: 'bad-snapshot', path: 'snapshot', message }]);
  };
  let read: Partial<Snapshot>;
  try {
    read = parsed(text);
  } catch {
    return fail('is not JSON');
  }
  if (typeof read !== 'object' || read === null || read.format === undefined)
    return fail('is not a snapshot of a model');
  if (read.format !== format) return fail(`has format ${String(read.format)}; this version reads ${format}`);
  const missing = sections.find((section) => typeof read[section] !== 'object');
  return missing === undefined ? (read as Snapshot) : fail(`lacks its ${missing}`);
}

const sections = ['entities', 'relationships', 'patterns', 'tables', 'keys', 'storage', 'served'] as const;

function parsed(text: string): Snapshot {
  return JSON.parse(text, binaryIn) as Snapshot; // every use is of a value that `snapshot` created or `readSnapshot` checked
}

/**
 * The model of a snapshot. Its schemas accept anything except a missing value without a default, so that it can read stored items.
 */
export function modelOf(taken: Snapshot): Model {
  const entities = Object.fromEntries(
    Object.entries(taken.entities).map(([name, { attributes, rules }]): [string, Entity] => [
      name,
      {
        attributes: Object.fromEntries(
          Object.entries(attributes).map(([attribute, about]) => [attribute, anySchema(about)]),
        ),
        rules,
      },
    ]),
  );
  const patterns = Object.fromEntries(
    Object.entries(taken.patterns).map(([name, need]) => [name, withSchemas(need as Need)]),
  );
  return { ...taken, name: taken.model, entities, patterns };
}

/** A version of a model, ready to be compared and to encode and decode items. */
export interface Version {
  /** The version as it was committed. */
  readonly snapshot: Snapshot;
  /** The same, resolved. */
  readonly resolved: ResolvedModel;
}

/** A snapshot with its templates parsed. */
export function versionOf(taken: Snapshot): Version {
  return { snapshot: taken, resolved: resolve(modelOf(taken)) };
}

function withoutAccepts(described: { readonly [name: string]: object }): object {
  return Object.fromEntries(
    Object.entries(described).map(([name, about]) => {
      const { accepts: _, ...kept } = about as { readonly accepts?: unknown };
      return [name, kept];
    }),
  );
}

function attributesOf(
  schemas: AttributeSchemas,
  resolved: ReadonlyMap<string, AttributeInfo> | undefined,
): { readonly [attribute: string]: SnapshotAttribute } {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]): [string, SnapshotAttribute] => {
      const { accepted: optional, value } = missing(schema);
      // A default that is generated each time, such as an id, is not part of a version.
      const known = resolved?.get(name)?.fallback;
      const fallback = canonical(known ?? null) === canonical(value ?? null) ? value : undefined;
      const kind = kindOf(value ?? sampleOf(name, schema));
      if (fallback === undefined || !isStorable(fallback)) return [name, { kind, optional }];
      return [name, { kind, optional, default: toAttributeValue(fallback, name) }];
    }),
  );
}

function withSources(
  taken: { readonly [attribute: string]: SnapshotAttribute },
  computed: { readonly [attribute: string]: Computed | undefined },
): { readonly [attribute: string]: SnapshotAttribute } {
  return Object.fromEntries(
    Object.entries(taken).map(([name, about]) => {
      const from = computed[name]?.from;
      return [name, from === undefined ? about : { ...about, computed: from }];
    }),
  );
}

function missing(schema: StandardSchema): { readonly accepted: boolean; readonly value: unknown } {
  return { accepted: accepts(schema, undefined), value: yielded(schema, undefined) };
}

function sampleOf(name: string, schema: StandardSchema): unknown {
  return sampleValue(name, schema, { index: 0, at: Date.UTC(2026, 0, 15, 12), random: () => 0.5 });
}

function kindOf(value: unknown): AttributeKind {
  if (value === undefined || !isStorable(value)) return 'unknown';
  const [kind = 'unknown'] = Object.keys(toAttributeValue(value, ''));
  return kind as AttributeKind;
}

function isStorable(value: unknown): boolean {
  try {
    toAttributeValue(value, '');
    return true;
  } catch {
    return false; // a date, an empty set: no item can contain it
  }
}

interface Need {
  readonly takes?: AttributeSchemas | readonly string[];
  readonly transacts?: { readonly [part: string]: Need };
}

/** Patterns keep the names of what they take. Data for the price list and the reader is not part of a version. */
function withoutSchemas(need: object): object {
  const { takes, transacts, ...rest } = need as Need;
  const kept = Object.entries(rest).filter(([name]) => !remarks.has(name));
  return {
    ...Object.fromEntries(kept),
    ...(takes !== undefined && { takes: Object.keys(takes) }),
    ...(transacts !== undefined && {
      transacts: Object.fromEntries(Object.entries(transacts).map(([part, each]) => [part, withoutSchemas(each)])),
    }),
  };
}

const remarks: ReadonlySet<string> = new Set(['note', 'actor', 'rate', 'volume', 'accepts', 'strategy']);

function withSchemas({ takes, transacts, ...rest }: Need): object {
  return {
    ...rest,
    ...(Array.isArray(takes) && {
      takes: Object.fromEntries((takes as readonly string[]).map((name) => [name, anySchema({ optional: true })])),
    }),
    ...(transacts !== undefined && {
      transacts: Object.fromEntries(Object.entries(transacts).map(([part, each]) => [part, withSchemas(each)])),
    }),
  };
}

function anySchema(about: Pick<SnapshotAttribute, 'optional' | 'default'>): StandardSchema {
  const fallback = about.default === undefined ? undefined : fromAttributeValue(about.default);
  return {
    '~standard': {
      version: 1,
      vendor: 'singlet-snapshot',
      validate: (value) => {
        if (value !== undefined || about.optional) return { value: value ?? fallback };
        return { issues: [{ message: 'is needed and missing' }] };
      },
    },
  };
}
