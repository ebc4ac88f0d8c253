import { resolve } from '../resolve/resolve.ts';
import { keyVariables } from '../resolve/entities.ts';
import type { EntityInfo, KeyForm, KeySlot, PlaceInfo } from '../resolve/resolved.ts';
import { shardsOf, unitOf } from '../keys/template.ts';
import type { Need } from '../patterns/need.ts';
import type { Served } from '../patterns/served.ts';
import { type Draft, type DraftPattern, draftModel, lowerFirst, unused, upperFirst } from './draft.ts';

const pageItems = 25;

/**
 * Adds the patterns that keys can serve by themselves: put, read and delete by the primary key, and a page of each item
 * collection. Keys alone do not say what an application needs. These patterns are a start, for the application to replace.
 * Patterns that cannot be planned are left out, with a remark.
 */
export function withUsualPatterns(draft: Draft): Draft {
  const bare = resolve(draftModel({ ...draft, patterns: [] }));
  const notes: string[] = bare.problems.map(({ path, message }) => `${path}: ${message}.`);
  const patterns = [...draft.patterns];
  for (const entity of bare.entities.values()) {
    for (const usual of usualPatterns(entity)) {
      const name = unused(usual.name, new Set(patterns.map((each) => each.name)));
      const tried = usual.served.map((served): Tried =>
        tryPattern(draft, { name, need: usual.need, served, notes: [] }),
      );
      const kept = tried.find(({ problem }) => problem === undefined);
      if (kept !== undefined) patterns.push(kept.pattern);
      else notes.push(`Left out: ${name} is not served: ${tried[0]?.problem ?? ''}.`);
    }
  }
  return { ...draft, patterns, notes: [...draft.notes, ...notes] };
}

interface Tried {
  readonly pattern: DraftPattern;
  readonly problem: string | undefined;
}

function tryPattern(draft: Draft, pattern: DraftPattern): Tried {
  const resolved = resolve(draftModel({ ...draft, patterns: [pattern] }));
  return { pattern, problem: resolved.patterns.get(pattern.name)?.problems[0]?.message };
}

/** A pattern and the ways to serve it. The first way that the model accepts is kept. */
interface Usual {
  readonly name: string;
  readonly need: Need;
  readonly served: readonly Served[];
}

const transactions: readonly Served[] = ['TransactWriteItems', ['GetItem', 'TransactWriteItems']];

function* usualPatterns(entity: EntityInfo): Generator<Usual> {
  const { name } = entity;
  const one = lowerFirst(name);
  const variables = keyVariables(entity);
  const by = variables.length === 0 ? {} : { by: variables };
  const write = entity.unique.length > 0 ? 'creates' : 'puts';
  yield {
    name: `${write.slice(0, -1)}${name}`,
    need: { [write]: name },
    served: ['PutItem', ...transactions],
  };
  yield { name: one, need: { reads: name, ...by }, served: ['GetItem'] };
  yield { name: `delete${name}`, need: { deletes: name, ...by }, served: ['DeleteItem', ...transactions] };
  const many = plural(one);
  const partition = variablesOf(entity.key.partition);
  if (variablesOf(entity.key.sort).some((each) => !partition.includes(each)))
    yield pageOf(`${many}Of${subject(entity.key)}`, entity, entity.table.place, entity.key);
  for (const { place, forms } of entity.indexes) {
    for (const form of forms) yield pageOf(`${many}By${placeWords(place.name)}`, entity, place, form);
  }
}

function pageOf(name: string, entity: EntityInfo, place: PlaceInfo, form: KeyForm): Usual {
  const partition = place.kind === 'local' ? entity.key.partition : form.partition;
  const variables = partition.flatMap(({ template }) => template.variables);
  const spread = variables.find((variable) => shardsOf(variable) !== undefined);
  const walked = variables.find((variable) => unitOf(variable) !== undefined);
  const unit = walked === undefined ? undefined : unitOf(walked);
  const by = [...new Set(variables.filter((each) => each !== spread && each !== walked).map((each) => each.name))];
  const order = form.sort.flatMap(({ template }) => template.variables).find((each) => !by.includes(each.name));
  const attributes = held(entity, place);
  const served: Served = {
    query: place.name,
    ...(spread !== undefined && { fanOut: shardsOf(spread)?.count ?? 1 }),
    ...(unit !== undefined && { walk: { unit, most: 7 } }),
  };
  return {
    name,
    need: {
      reads: [entity.name],
      ...(by.length > 0 && { by }),
      ...(form.when !== undefined && { where: form.when }),
      ...(walked !== undefined && { window: { of: walked.name, from: '2020-01-01' } }),
      ...(attributes !== undefined && { attributes }),
      ...(order !== undefined &&
        (spread !== undefined || unit !== undefined) && { order: `${order.name} desc` as const }),
      limit: pageItems,
    },
    served: [served],
  };
}

function variablesOf(slots: readonly KeySlot[]): string[] {
  return slots.flatMap(({ template }) => template.variables.map((variable) => variable.name));
}

/** Which items an index holds, if not all of them. */
function held(entity: EntityInfo, place: PlaceInfo): string[] | undefined {
  if (place.project === 'ALL' || place.kind === 'local') return undefined;
  const keys = [...place.partition, ...place.sort, ...entity.table.place.partition, ...entity.table.place.sort];
  const names = new Set([
    ...keys.map(({ attribute }) => attribute),
    ...(place.project === 'KEYS_ONLY' ? [] : place.project),
  ]);
  return [...entity.attributes.values()].flatMap(({ name, stored }) => (names.has(stored) ? [name] : []));
}

/** `GSI1` is kept; `by-email` becomes ByEmail, without a second By. */
function placeWords(name: string): string {
  const words = name
    .split(/[^A-Za-z0-9]+/)
    .map(upperFirst)
    .join('');
  return words.replace(/^By(?=[A-Z])/, '');
}

function subject(form: KeyForm): string {
  const names = form.partition.flatMap(({ template }) => template.variables.map(({ name }) => upperFirst(name)));
  return names.length === 0 ? 'Partition' : [...new Set(names)].join('And');
}

function plural(name: string): string {
  // Tables are often named by their plural.
  if (/[^isu]s$/.test(name)) return name;
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(name) ? `${name}es` : `${name}s`;
}
