import { ModelError } from '../model-error.ts';
import { childOf } from '../entities/relationship.ts';
import { keyVariables } from '../resolve/entities.ts';
import type { EntityInfo, PatternInfo, ResolvedModel, WritePlan } from '../resolve/resolved.ts';
import { planOne } from '../resolve/writes.ts';
import type { Values } from '../run/item-codec.ts';
import { turnedItem } from '../run/coded.ts';
import { isSameValue } from '../run/same-value.ts';

/** The copies that an entity has of another entity's attributes, as `duplicates` declares them. */
export interface Copies {
  /** The entity that is copied from. */
  readonly source: string;
  /** The entity that has the copies. */
  readonly entity: string;
  /** Whether the writer of the source rewrites the copies, or a stream consumer does. */
  readonly rule: 'immediate' | 'stream';
  /** The pattern that finds them. */
  readonly found: string;
  /** The source's attribute, by the copy's. */
  readonly attributes: ReadonlyMap<string, string>;
  /** The copy's attribute that holds the version of the source. */
  readonly version: string | undefined;
}

/** Copies with the information needed to find and rewrite them. */
export interface PlannedCopies extends Copies {
  readonly plan: WritePlan;
  /** Input of the pattern that finds them: the source's attribute, by the input's name. */
  readonly inputs: readonly (readonly [input: string, attribute: string])[];
}

/**
 * The entities that have copies of an entity's attributes, in the order of the model. Immutable copies are not included.
 *
 * @throws {ModelError} if copies cannot be found or rewritten as declared.
 */
export function copiesOf(resolved: ResolvedModel, source: string): PlannedCopies[] {
  const groups = new Map<string, { readonly entity: EntityInfo; readonly found: string; rule: Copies['rule'] }>();
  for (const entity of resolved.entities.values()) {
    for (const duplicate of Object.values(entity.rules.duplicates ?? {})) {
      if (duplicate === undefined || duplicate.rule === 'immutable' || !isFrom(duplicate.from, source)) continue;
      const { found = '', rule } = duplicate;
      const known = groups.get(`${entity.name} ${found}`);
      if (known === undefined) groups.set(`${entity.name} ${found}`, { entity, found, rule });
      else if (rule === 'immediate') known.rule = rule;
    }
  }
  return [...groups.values()].map(({ entity, found, rule }) => plan(resolved, source, entity, found, rule));
}

function isFrom(from: string, source: string): boolean {
  return from.split('.')[0] === source;
}

function plan(
  resolved: ResolvedModel,
  source: string,
  entity: EntityInfo,
  found: string,
  rule: Copies['rule'],
): PlannedCopies {
  const path = `entities.${entity.name}.duplicates`;
  const own = Object.entries(entity.rules.duplicates ?? {}).flatMap(([name, duplicate]) =>
    duplicate !== undefined &&
    duplicate.rule !== 'immutable' &&
    duplicate.found === found &&
    isFrom(duplicate.from, source)
      ? [{ name, attribute: duplicate.from.split('.')[1] ?? '', version: duplicate.version === true }]
      : [],
  );
  const version = own.find((each) => each.version)?.name;
  const optional = own.filter(({ name }) => entity.attributes.get(name)?.optional === true).map(({ name }) => name);
  const need = {
    updates: entity.name,
    by: keyVariables(entity),
    sets: own.map(({ name }) => name).filter((name) => !optional.includes(name)),
    maySet: optional,
    ...(version !== undefined && { given: { [version]: { below: { ref: version } } } }),
  };
  const problems: { code: string; path: string; message: string }[] = [];
  const fail = (code: string, message: string): undefined => void problems.push({ code, path, message });
  const write = planOne(undefined, need, resolved.entities, fail);
  const pattern = resolved.patterns.get(found);
  if (!findsMany(pattern, entity)) fail('broken-duplicate', `${found} does not read pages of ${entity.name}`);
  if (write === undefined || problems.length > 0) throw new ModelError(problems);
  return {
    source,
    entity: entity.name,
    rule,
    found,
    attributes: new Map(own.map(({ name, attribute }) => [name, attribute])),
    version,
    // A copy that was deleted in the meantime needs no rewriting, and is no reason to reject the change.
    plan: { ...write, droppable: true },
    inputs: (pattern?.need.by ?? []).map((name) => [name, parentAttribute(resolved, source, entity.name, name)]),
  };
}

function findsMany(pattern: PatternInfo | undefined, entity: EntityInfo): boolean {
  const reads = pattern?.need.reads;
  return Array.isArray(reads) && reads[0] === entity.name;
}

/** The source's attribute that a copy's attribute with another name holds. */
function parentAttribute({ model }: ResolvedModel, source: string, copy: string, name: string): string {
  const related = model.relationships.find((each) => each[0] === source && childOf(each) === copy);
  return Object.entries(related?.[3]?.by ?? {}).find(([, child]) => child === name)?.[0] ?? name;
}

/** The values that copies should have for the current source, in stored form. */
export function copiedValues({ attributes, plan }: PlannedCopies, source: Values): Values {
  const values = Object.fromEntries([...attributes].map(([name, attribute]) => [name, source[attribute]]));
  return turnedItem('encode', plan.entity, values);
}

/** Whether a copy that was found still needs rewriting. An index may show an old state of it, but never a newer one. */
export function isBehind({ version }: Copies, copy: Values, values: Values): boolean {
  if (version !== undefined) return Number(copy[version] ?? 0) < Number(values[version]);
  return Object.entries(values).some(([name, value]) => !isSameValue(copy[name], value));
}
