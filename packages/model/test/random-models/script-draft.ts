import type { RandomSource } from '../../src/prove/random-source.ts';
import type { AttributeScript, ModelScript } from './model-script.ts';

/** JSON that a mutation changes in place. */
export type Loose = Record<string, unknown>;

/** A script that mutations change in place. */
export interface Draft {
  entities: Record<string, { attributes: Record<string, AttributeScript>; rules: Loose }>;
  relationships: unknown[][];
  patterns: Record<string, Loose>;
  procedures: Record<string, { takes: string[] } & Loose>;
  tables: Record<string, Loose>;
  keys: Record<string, Loose>;
  storage: Record<string, Loose>;
  served: Loose;
  takes: Record<string, Record<string, AttributeScript>>;
}

/** Templates of a key, with the condition under which they apply. */
export interface Form {
  when?: Loose;
  key: string[];
}

/** A copy of a script, with all its sections. */
export function draftOf(script: ModelScript): Draft {
  const {
    entities,
    relationships = [],
    patterns,
    procedures = {},
    tables,
    keys,
    storage = {},
    served,
    takes = {},
  } = structuredClone(script);
  const complete = Object.entries(entities).map(([name, { attributes, rules = {} }]) => [name, { attributes, rules }]);
  // Plain data: a draft differs from a script in that its parts may be changed.
  return {
    entities: Object.fromEntries(complete) as Draft['entities'],
    relationships,
    patterns,
    procedures,
    tables,
    keys,
    storage,
    served,
    takes,
  } as unknown as Draft;
}

/** The forms of a key: one without a condition, or several. */
export function formsOf(key: unknown): Form[] {
  if (!Array.isArray(key)) return [key as Form];
  return key.every((each) => typeof each === 'string') ? [{ key }] : (key as Form[]);
}

/** A key of forms, as a model declares it. */
export function keyOfForms(forms: readonly Form[]): unknown {
  const [only, ...others] = forms;
  if (others.length > 0 || only === undefined) return forms;
  return only.when === undefined ? only.key : only;
}

/** A template's variables and constant texts, in their order: `ORDER#`, `{id:05}`. */
export function piecesOf(template: string): string[] {
  return template.split(/(\{[^}]*\})/).filter((piece) => piece !== '');
}

/** The attribute of a variable: `id` of `{id:05}`. */
export function nameIn(piece: string): string | undefined {
  return /^\{(\w+)/.exec(piece)?.[1];
}

/** The part of a pattern with patterns of its own, or the pattern: a write of one entity. */
export interface DraftWrite {
  readonly need: Loose;
  /** The key of `takes`. */
  readonly path: string;
  readonly verb: string;
  readonly entity: string;
}

export const writeVerbs = ['creates', 'puts', 'upserts', 'updates', 'deletes', 'checks'] as const;

export function writesOf(draft: Draft, only?: string): DraftWrite[] {
  return Object.entries(draft.patterns).flatMap(([name, need]) => {
    if (only !== undefined && only !== name) return [];
    const parts = Object.entries((need['transacts'] ?? {}) as Record<string, Loose>);
    const all: [string, Loose][] = [
      [name, need],
      ...parts.map(([part, each]): [string, Loose] => [`${name}.${part}`, each]),
    ];
    return all.flatMap(([path, each]) => {
      const verb = writeVerbs.find((known) => each[known] !== undefined);
      const [entity] = [verb === undefined ? undefined : each[verb]].flat();
      return verb === undefined ? [] : [{ need: each, path, verb, entity: String(entity) }];
    });
  });
}

/** The entities that a pattern that reads returns; the last of them are the children of a collection. */
export function entitiesRead(need: Loose): string[] {
  const { reads } = need;
  if (typeof reads === 'string') return [reads];
  return Object.values(reads ?? {}).flat() as string[];
}

/** The entities of a pattern. */
export function entitiesOf(draft: Draft, pattern: string): string[] {
  return [
    ...entitiesRead(draft.patterns[pattern] ?? {}),
    ...writesOf(draft, pattern).map(({ entity }) => entity),
  ].filter((name) => name in draft.entities);
}

/** The attributes in the key of an entity's items. */
export function keyNames(draft: Draft, entity: string): string[] {
  const [key] = Object.values(draft.keys[entity] ?? {});
  const names = formsOf(key ?? []).flatMap((form) => (form.key ?? []).flatMap(piecesOf).map(nameIn));
  return [...new Set(names.filter((name) => name !== undefined && name !== 'copy'))] as string[];
}

/** A few patterns of a script, with the entities that they need, and some others. */
export function sliceOf(draft: Draft, random: RandomSource): void {
  const names = Object.keys(draft.patterns);
  const [first = ''] = random.some(names, 1);
  // Patterns of one entity interact.
  const near = names.filter((name) => entitiesOf(draft, name).some((each) => entitiesOf(draft, first).includes(each)));
  const kept = new Set([first, ...random.some(near, random.below(4)), ...random.some(names, random.below(3))]);
  const entities = new Set([...kept].flatMap((name) => entitiesOf(draft, name)));
  for (const name of Object.keys(draft.entities)) if (random.chance(0.2)) entities.add(name);
  for (let before = 0; before < entities.size + kept.size;) {
    before = entities.size + kept.size;
    for (const name of entities) addNeeded(draft, name, entities, kept);
    for (const name of kept) for (const each of entitiesOf(draft, name)) entities.add(each);
  }
  keepPatterns(draft, (name) => kept.has(name));
  keepEntities(draft, entities);
}

/** The parents of an entity that its rules name, and the patterns that find its copies. */
function addNeeded(draft: Draft, entity: string, entities: Set<string>, patterns: Set<string>): void {
  const rules: Loose = draft.entities[entity]?.rules ?? {};
  for (const source of Object.values((rules['sequence'] ?? {}) as Record<string, string>))
    entities.add(source.split('.')[0] ?? '');
  for (const { from, found } of Object.values((rules['duplicates'] ?? {}) as Record<string, Record<string, string>>)) {
    entities.add(from?.split('.')[0] ?? '');
    if (found !== undefined && found in draft.patterns) patterns.add(found);
  }
  for (const [parent, , child, relation] of draft.relationships) {
    const { through, required, count, sum } = (relation ?? {}) as Loose;
    if ((through ?? child) === entity && (required === true || count !== undefined || sum !== undefined))
      entities.add(String(parent));
  }
}

export function keepPatterns(draft: Draft, isKept: (name: string) => boolean): void {
  const keep = <T>(each: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries(each).filter(([name]) => isKept(name.split('.')[0] ?? '')));
  draft.patterns = keep(draft.patterns);
  draft.served = keep(draft.served);
  draft.takes = keep(draft.takes);
  const procedures = Object.entries(draft.procedures).map(([name, each]) => [
    name,
    { ...each, takes: each.takes.filter((pattern) => pattern in draft.patterns) },
  ]);
  draft.procedures = Object.fromEntries(
    procedures.filter(([, each]) => (each as Draft['procedures'][string]).takes.length > 0),
  ) as Draft['procedures'];
}

function keepEntities(draft: Draft, kept: ReadonlySet<string>): void {
  const keep = <T>(each: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries(each).filter(([name]) => kept.has(name)));
  draft.entities = keep(draft.entities);
  draft.keys = keep(draft.keys);
  draft.storage = keep(draft.storage);
  draft.relationships = draft.relationships.filter(([parent, , child, relation]) =>
    [parent, child, (relation as Loose | undefined)?.['through'] ?? child].every((each) => kept.has(String(each))),
  );
  const tables = new Set(Object.values(draft.keys).map((keys) => Object.keys(keys)[0]));
  draft.tables = Object.fromEntries(Object.entries(draft.tables).filter(([name]) => tables.has(name)));
}
