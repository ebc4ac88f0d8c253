import type { Model } from '@singlet/model';
import type { SchemaShape, shapeOfSchema } from '@singlet/model/bridges';

/** What a pattern takes from its caller. */
export interface PatternInputs {
  /** Whether it takes a list of inputs: items to be written, or keys to be read. */
  readonly many: boolean;
  /** The names; undefined if the model does not contain them, and only the pattern itself knows. */
  readonly known: ReadonlySet<string> | undefined;
  /** Those that are required to form the key. */
  readonly needed: readonly string[];
  /** Whether an input accepts a value, as far as its schema can tell. */
  readonly accepts: (name: string, value: unknown) => boolean;
}

type Need = Model['patterns'][string];
type Schema = Model['entities'][string]['attributes'][string];

/** The inputs of a pattern, derived from its declaration. */
export function patternInputs(model: Model, pattern: string): PatternInputs {
  const need: Need = model.patterns[pattern] ?? {};
  const entities = entitiesIn(model, need);
  const schemaOf = (name: string): Schema | undefined => schemaIn(model, need, name);
  return {
    many: takesMany(need),
    known: knownOf(need, entities),
    needed: need.transacts === undefined ? (need.by ?? []) : Object.keys(need.transacts),
    accepts: (name, value) => {
      if (name === need.range && typeof value === 'object') return true; // an interval
      if (need.among?.[name] !== undefined) return Array.isArray(value);
      const result = schemaOf(name)?.['~standard'].validate(value);
      return result === undefined || result instanceof Promise || result.issues === undefined;
    },
  };
}

/**
 * The shape of each input of a pattern, as far as its schema reveals it; for a transaction, by the names of its parts.
 *
 * @param look - `shapeOfSchema`, which is loaded when models are shown.
 */
export function inputShapes(
  model: Model,
  pattern: string,
  look: typeof shapeOfSchema,
): Readonly<Record<string, SchemaShape>> {
  return shapesOf(model, model.patterns[pattern] ?? {}, look);
}

function shapesOf(model: Model, need: Need, look: typeof shapeOfSchema): Readonly<Record<string, SchemaShape>> {
  if (need.transacts !== undefined) {
    return Object.fromEntries(
      Object.entries(need.transacts).map(([name, part]) => [name, partShape(model, part as Need, look)]), // a part is a need
    );
  }
  const names = knownOf(need, entitiesIn(model, need)) ?? [];
  return Object.fromEntries([...names].map((name) => [name, inputShape(model, need, name, look)]));
}

/** A part of a transaction takes an object, or a list of them. */
function partShape(model: Model, part: Need, look: typeof shapeOfSchema): SchemaShape {
  const object = { kind: 'object', fields: shapesOf(model, part, look) } as const;
  return { shape: takesMany(part) ? { kind: 'list', of: object } : object, optional: false };
}

function inputShape(model: Model, need: Need, name: string, look: typeof shapeOfSchema): SchemaShape {
  const schema = schemaIn(model, need, name);
  const found: SchemaShape =
    schema === undefined ? { shape: { kind: 'unknown' }, optional: true } : look(schema, 'input');
  if (need.among?.[name] !== undefined) return { shape: { kind: 'list', of: found.shape }, optional: false };
  if (need.by?.includes(name) === true) return { ...found, optional: false };
  if (name === need.range) {
    const bound = { shape: found.shape, optional: true };
    return { shape: { kind: 'object', fields: { from: bound, to: bound } }, optional: true };
  }
  return need.maySet?.includes(name) === true ? { ...found, optional: true } : found;
}

function takesMany(need: Need): boolean {
  return (
    need.each === true || [need.creates, need.puts, need.updates, need.deletes].some((target) => Array.isArray(target))
  );
}

function entitiesIn(model: Model, need: Need): readonly Model['entities'][string][] {
  return entitiesOf(need).flatMap((name) => model.entities[name] ?? []);
}

function schemaIn(model: Model, need: Need, name: string): Schema | undefined {
  const [attribute = name] = [need.aka?.[name] ?? name].flat();
  return need.takes?.[name] ?? entitiesIn(model, need).flatMap(({ attributes }) => attributes[attribute] ?? [])[0];
}

function knownOf(need: Need, entities: readonly Model['entities'][string][]): ReadonlySet<string> | undefined {
  if (need.transacts !== undefined) return new Set(Object.keys(need.transacts));
  const whole = need.creates ?? need.puts ?? need.upserts;
  const locks = entities.flatMap(({ rules }) => rules.lock ?? []);
  return new Set<string>([
    ...(need.by ?? []),
    ...Object.keys(need.takes ?? {}),
    ...(need.range === undefined ? [] : [need.range]),
    ...(need.filters ?? []),
    ...(need.sets ?? []),
    ...(need.maySet ?? []),
    ...(whole === undefined ? [] : entities.flatMap(({ attributes }) => Object.keys(attributes))),
    ...(need.reads === undefined ? locks : []),
  ]);
}

function entitiesOf({ reads, creates, puts, upserts, updates, deletes, checks }: Need): string[] {
  const ofReads =
    typeof reads === 'object' && !Array.isArray(reads) ? Object.values(reads as object).flat() : [reads].flat();
  const names = [...ofReads, creates, puts, upserts, updates, deletes, checks].flat() as (string | undefined)[];
  return names.filter((name) => name !== undefined);
}
