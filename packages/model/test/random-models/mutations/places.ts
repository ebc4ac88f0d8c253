import type { RandomSource } from '../../../src/prove/random-source.ts';
import {
  type Draft,
  type DraftWrite,
  entitiesRead,
  type Form,
  formsOf,
  keyOfForms,
  type Loose,
  nameIn,
  piecesOf,
  writesOf,
  writeVerbs,
} from '../script-draft.ts';
import { testOf } from './drawn-values.ts';
import type { AttributeScript } from '../model-script.ts';

/** A change of one thing that a model declares. */
export interface Mutation {
  readonly name: string;
  /** Changes the draft in place. @returns whether there was anything to change. */
  readonly apply: (draft: Draft, random: RandomSource) => boolean;
}

export type Apply = Mutation['apply'];

export function anyKey(
  draft: Draft,
  random: RandomSource,
): { entity: string; place: string; set: (key: unknown) => void; forms: Form[] } | undefined {
  const all = Object.entries(draft.keys).flatMap(([entity, keys]) =>
    Object.keys(keys).map((place) => ({ entity, place })),
  );
  if (all.length === 0) return undefined;
  const { entity, place } = random.pick(all);
  const keys = draft.keys[entity] ?? {};
  return { entity, place, set: (key) => void (keys[place] = key), forms: formsOf(keys[place]) };
}

/** Changes the templates of one form of a key. */
export function inTemplates(
  change: (
    templates: string[],
    random: RandomSource,
    at: { draft: Draft; entity: string; separator: string },
  ) => string[] | undefined,
): Apply {
  return (draft, random) => {
    const found = anyKey(draft, random);
    if (found === undefined || found.forms.length === 0) return false;
    const form = random.pick(found.forms);
    if (!Array.isArray(form.key) || form.key.length === 0) return false;
    const separator = separatorOf(draft, found.entity);
    const changed = change([...form.key], random, { draft, entity: found.entity, separator });
    if (changed === undefined || JSON.stringify(changed) === JSON.stringify(form.key)) return false;
    found.set(keyOfForms(found.forms.map((each) => (each === form ? { ...each, key: changed } : each))));
    return true;
  };
}

/** Changes the parts of one template, which separators divide. */
export function inParts(
  change: (
    parts: string[],
    random: RandomSource,
    at: { draft: Draft; entity: string; separator: string },
  ) => string[] | undefined,
): Apply {
  return inTemplates((templates, random, at) => {
    const i = random.below(templates.length);
    const parts = change((templates[i] ?? '').split(at.separator), random, at);
    return parts === undefined ? undefined : templates.with(i, parts.join(at.separator));
  });
}

/** Changes one variable of a template. */
export function inVariables(
  change: (
    name: string,
    random: RandomSource,
    at: { draft: Draft; entity: string; piece: string },
  ) => string | undefined,
): Apply {
  return inTemplates((templates, random, { draft, entity }) => {
    const all = templates.flatMap((template, i) =>
      piecesOf(template).flatMap((piece, k) => (nameIn(piece) === undefined ? [] : [{ i, k, piece }])),
    );
    if (all.length === 0) return undefined;
    const { i, k, piece } = random.pick(all);
    const changed = change(nameIn(piece) ?? '', random, { draft, entity, piece });
    return changed === undefined
      ? undefined
      : templates.with(
          i,
          piecesOf(templates[i] ?? '')
            .with(k, changed)
            .join(''),
        );
  });
}

export function separatorOf(draft: Draft, entity: string): string {
  const [table = ''] = Object.keys(draft.keys[entity] ?? {});
  return separatorIn(draft.tables[table] ?? {});
}

/** The separator of a table's keys. */
export function separatorIn(layout: Loose): string {
  return typeof layout['separator'] === 'string' ? layout['separator'] : '#';
}

export function inSchemas(
  change: (schema: AttributeScript, random: RandomSource, draft: Draft) => AttributeScript | undefined,
): Apply {
  return (draft, random) => {
    const all = Object.entries(draft.entities).flatMap(([entity, { attributes }]) =>
      Object.keys(attributes).map((name) => ({ entity, name })),
    );
    if (all.length === 0) return false;
    const { entity, name } = random.pick(all);
    const attributes = draft.entities[entity]?.attributes ?? {};
    const schema = attributes[name];
    const changed = schema && change(schema, random, draft);
    if (changed === undefined || JSON.stringify(changed) === JSON.stringify(schema)) return false;
    attributes[name] = changed;
    return true;
  };
}

export function inRules(
  change: (rules: Loose, names: string[], random: RandomSource, at: { draft: Draft; entity: string }) => boolean,
): Apply {
  return (draft, random) => {
    const all = Object.keys(draft.entities);
    if (all.length === 0) return false;
    const entity = random.pick(all);
    const { attributes = {}, rules = {} } = draft.entities[entity] ?? {};
    const names = Object.keys(attributes);
    return names.length > 0 && change(rules, names, random, { draft, entity });
  };
}

export interface ReadAt {
  readonly draft: Draft;
  readonly pattern: string;
  readonly entity: string;
  readonly names: string[];
  readonly attributes: Record<string, AttributeScript>;
}

export function inReads(change: (need: Loose, random: RandomSource, at: ReadAt) => boolean): Apply {
  return (draft, random) => {
    const all = Object.keys(draft.patterns).filter((name) => draft.patterns[name]?.['reads'] !== undefined);
    if (all.length === 0) return false;
    const pattern = random.pick(all);
    const need = draft.patterns[pattern] ?? {};
    const entity = entitiesRead(need).at(-1) ?? '';
    const attributes = draft.entities[entity]?.attributes ?? {};
    const names = Object.keys(attributes);
    return names.length > 0 && change(need, random, { draft, pattern, entity, names, attributes });
  };
}

export interface WriteAt extends ReadAt {
  readonly write: DraftWrite;
}

export function inWrites(change: (need: Loose, random: RandomSource, at: WriteAt) => boolean): Apply {
  return (draft, random) => {
    const all = writesOf(draft);
    if (all.length === 0) return false;
    const write = random.pick(all);
    const attributes = draft.entities[write.entity]?.attributes ?? {};
    const names = Object.keys(attributes);
    const pattern = write.path.split('.')[0] ?? '';
    if (names.length === 0) return false;
    return change(write.need, random, { draft, pattern, entity: write.entity, names, attributes, write });
  };
}

export function inIndexes(
  change: (layout: Loose, random: RandomSource, at: { draft: Draft; table: string; index: string }) => unknown,
): Apply {
  return (draft, random) => {
    const all = Object.entries(draft.tables).flatMap(([table, { indexes }]) =>
      Object.keys(indexes ?? {}).map((index) => ({ table, index })),
    );
    if (all.length === 0) return false;
    const { table, index } = random.pick(all);
    const indexes = draft.tables[table]?.['indexes'] as Loose;
    const changed = change(layoutOf(indexes[index]), random, { draft, table, index });
    if (changed === undefined) return false;
    indexes[index] = changed;
    return true;
  };
}

/** An index as an object: `['GSI1PK', 'GSI1SK']` is short for one. */
export function layoutOf(index: unknown): Loose {
  if (!Array.isArray(index)) return { ...(index as Loose) };
  const [partition, sort] = index as string[];
  return { partition: [partition], ...(sort !== undefined && { sort: [sort] }) };
}

export function inTables(
  change: (layout: Loose, random: RandomSource, at: { draft: Draft; table: string }) => boolean,
): Apply {
  return (draft, random) => {
    const all = Object.keys(draft.tables);
    if (all.length === 0) return false;
    const table = random.pick(all);
    return change(draft.tables[table] ?? {}, random, { draft, table });
  };
}

/** Adds, changes or removes one entry of a condition. */
export function inCondition(
  need: Loose,
  name: 'where' | 'given' | 'when',
  random: RandomSource,
  at: Pick<ReadAt, 'names' | 'attributes'>,
  takes?: Record<string, AttributeScript>,
): boolean {
  const known = (need[name] ?? {}) as Loose;
  const tested = Object.keys(known);
  if (tested.length > 0 && random.chance(0.35)) {
    const { [random.pick(tested)]: _, ...rest } = known;
    if (Object.keys(rest).length === 0) delete need[name];
    else need[name] = rest;
    return true;
  }
  if (tested.length > 0 && !('any' in known) && random.chance(0.12)) {
    const other = random.pick(at.names);
    need[name] = { any: [known, { [other]: testOf(at.attributes[other], random) }] };
    return true;
  }
  const attribute =
    random.chance(0.4) && tested.length > 0 && !('any' in known) ? random.pick(tested) : random.pick(at.names);
  const schema = at.attributes[attribute];
  let test = testOf(schema, random);
  if (takes !== undefined && random.chance(0.25)) {
    const { optional: _, default: __, nullable: ___, ...own } = schema ?? { type: 'text' as const };
    takes['given'] = own;
    test = random.pick<unknown>([
      { ref: 'given' },
      { atLeast: { ref: 'given' } },
      { not: { ref: 'given' } },
      { below: { ref: 'given' } },
    ]);
  } else if (name === 'given' && random.chance(0.12))
    test = { [random.pick(['below', 'atLeast', 'equals', 'not'])]: { attribute: random.pick(at.names) } };
  if ('any' in known) need[name] = { any: [...(known['any'] as Loose[]), { [attribute]: test }] };
  else need[name] = { ...known, [attribute]: test };
  return true;
}

export function takesAt(draft: Draft, path: string): Record<string, AttributeScript> {
  return (draft.takes[path] ??= {});
}

export function listOf(need: Loose, name: string): string[] {
  return [...((need[name] ?? []) as string[])];
}

export function setList(need: Loose, name: string, list: readonly string[]): boolean {
  if (list.length === 0) delete need[name];
  else need[name] = [...new Set(list)];
  return true;
}

/** Adds an element to a list, removes or replaces one. */
export function changeList(need: Loose, name: string, names: readonly string[], random: RandomSource): boolean {
  const list = listOf(need, name);
  const way = list.length === 0 ? 0 : random.below(4);
  if (way === 0) return setList(need, name, [...list, random.pick(names)]);
  const at = random.below(list.length);
  if (way === 1) return setList(need, name, list.toSpliced(at, 1));
  if (way === 2) return setList(need, name, list.with(at, random.pick(names)));
  return setList(need, name, [...list.slice(at), ...list.slice(0, at)]);
}

export function freeName(known: object, name: string): string {
  let free = `${name}2`;
  for (let number = 3; free in known; number += 1) free = `${name}${number}`;
  return free;
}

export function places(draft: Draft): string[] {
  return Object.entries(draft.tables).flatMap(([table, { indexes }]) => [table, ...Object.keys(indexes ?? {})]);
}

/** Keys whose templates have another separator between their constants and variables. */
export function separatedBy(keys: unknown, from: string, to: string): unknown {
  if (Array.isArray(keys) && keys.every((each) => typeof each === 'string'))
    return keys.map((template) =>
      piecesOf(template)
        .map((piece) => (piece.startsWith('{') ? piece : piece.replaceAll(from, to)))
        .join(''),
    );
  if (Array.isArray(keys)) return keys.map((each) => separatedBy(each, from, to));
  if (typeof keys !== 'object' || keys === null) return keys;
  return Object.fromEntries(
    Object.entries(keys).map(([name, each]) => [
      name,
      name === 'when' || name === 'type' ? each : separatedBy(each, from, to),
    ]),
  );
}

/** Replaces an entity's name in a pattern. */
export function forEntity(need: Loose, from: string, to: string): Loose {
  const named = new Set<string>(['reads', ...writeVerbs, 'transacts']);
  const replace = (value: unknown): unknown => {
    if (value === from) return to;
    if (Array.isArray(value)) return value.map(replace);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replace(each)]));
  };
  return Object.fromEntries(
    Object.entries(need).map(([name, value]) => [name, named.has(name) ? replace(value) : value]),
  );
}
