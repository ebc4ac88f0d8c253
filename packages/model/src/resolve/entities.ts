import type { Entity } from '../entities/entity.ts';
import type {
  ConditionalKey,
  EntityKeys,
  EntityStorage,
  IndexLayout,
  KeyTemplates,
  TableLayout,
} from '../keys/layout.ts';
import { type KeyTemplate, parseTemplate } from '../keys/template.ts';
import type { Model } from '../model.ts';
import type { ModelProblem } from '../model-error.ts';
import type {
  AttributeInfo,
  EntityInfo,
  IndexKeyInfo,
  KeyAttributeInfo,
  KeyForm,
  KeySlot,
  ParentInfo,
  PlaceInfo,
  SequenceInfo,
  TableInfo,
  UniqueInfo,
} from './resolved.ts';
import { isCounted, slotsOf, talliesOf, variableNames } from './slots.ts';

type Report = (code: string, path: string, message: string) => void;

/** Tables and entities of a model with their keys. Faults are added to `problems`, and elements with a fault are left out. */
export function resolveEntities(
  model: Model,
  problems: ModelProblem[],
): { readonly tables: Map<string, TableInfo>; readonly entities: Map<string, EntityInfo> } {
  const report: Report = (code, path, message) => void problems.push({ code, path, message });
  const tables = new Map(Object.entries(model.tables).map(([name, layout]) => [name, tableOf(model, name, layout)]));
  const entities = new Map<string, EntityInfo>();
  for (const [name, entity] of Object.entries(model.entities)) {
    const info = entityOf(model, tables, name, entity, report);
    if (info !== undefined) entities.set(name, info);
  }
  for (const info of entities.values()) {
    const related = {
      parents: parentsOf(model, entities, info, report),
      sequences: sequencesOf(model, entities, info, report),
    };
    Object.assign(info, related);
  }
  for (const table of tables.values()) {
    const kinds = [...entities.values()]
      .filter((entity) => entity.table === table)
      .flatMap(({ name, unique }) => [name, ...unique]);
    if (table.typeAttribute === undefined && kinds.length > 1) {
      report('type-needed', `tables.${table.name}`, 'holds items of several kinds, which have to say which');
    }
  }
  return { tables, entities };
}

function tableOf(model: Model, name: string, layout: TableLayout): TableInfo {
  const partition = keyAttributes([layout.key[0]]);
  const sort = keyAttributes(layout.key.slice(1));
  const place: PlaceInfo = { name, table: name, kind: 'table', partition, sort, project: 'ALL' };
  return {
    name,
    place,
    indexes: Object.entries(layout.indexes ?? {}).map(([index, keys]) => indexOf(place, index, keys)),
    typeAttribute: layout.type === false ? undefined : (layout.type ?? 'Type'),
    separator: layout.separator ?? '#',
    expires: expiresAttribute(model, name),
    stream: layout.stream,
  };
}

function indexOf(table: PlaceInfo, name: string, layout: IndexLayout): PlaceInfo {
  const [first, ...rest] = Array.isArray(layout) ? (layout as readonly string[]) : [];
  const plain = { partition: first === undefined ? [] : [first], sort: rest };
  const {
    partition = [],
    sort = [],
    local,
    project = 'ALL',
  } = (Array.isArray(layout) ? plain : layout) as Exclude<IndexLayout, readonly string[]>;
  return {
    name,
    table: table.name,
    kind: local === undefined ? 'global' : 'local',
    partition: local === undefined ? keyAttributes(partition) : table.partition,
    sort: keyAttributes(local === undefined ? sort : [local]),
    project,
  };
}

function keyAttributes(names: readonly string[]): KeyAttributeInfo[] {
  return names.map((name) => {
    const [, attribute = name, type = 'S'] = /^(.*):([NB])$/.exec(name) ?? [];
    return { attribute, type: type as KeyAttributeInfo['type'] };
  });
}

function expiresAttribute(model: Model, table: string): string | undefined {
  for (const [name, { rules }] of Object.entries(model.entities)) {
    if (rules.expires === undefined || Object.keys(model.keys[name] ?? {})[0] !== table) continue;
    return model.storage[name]?.stored?.[rules.expires] ?? rules.expires;
  }
  return undefined;
}

function entityOf(
  model: Model,
  tables: ReadonlyMap<string, TableInfo>,
  name: string,
  entity: Entity,
  report: Report,
): EntityInfo | undefined {
  const path = `keys.${name}`;
  const chart: EntityKeys = model.keys[name] ?? {};
  const [tableName = '', ...indexNames] = Object.keys(chart);
  const table = tables.get(tableName);
  if (table === undefined) {
    report('no-table-key', path, 'the first key of an entity is that of its table');
    return undefined;
  }
  const storage = model.storage[name] ?? {};
  const attributes = attributesOf(storage, entity);
  const slots = { attributes, table, report };
  const [key] = formsOf(slots, table.place, chart[tableName] ?? [], `${path}.${tableName}`);
  const indexes: IndexKeyInfo[] = [];
  for (const index of indexNames) {
    const place = table.indexes.find((candidate) => candidate.name === index);
    if (place === undefined) report('no-such-index', `${path}.${index}`, `table ${tableName} has no index ${index}`);
    else indexes.push({ place, forms: formsOf(slots, place, chart[index] ?? [], `${path}.${index}`) });
  }
  if (key === undefined) return undefined;
  reportSharedNames([...attributes.values()], table, [key, ...indexes.flatMap(({ forms }) => forms)], (message) =>
    report('stored-name-taken', `entities.${name}`, message),
  );
  const unique = uniqueOf(name, storage, entity, slots);
  const { type = name, accepts } = storage;
  const { rules } = entity;
  return { name, type, table, key, indexes, attributes, rules, unique, accepts, parents: [], sequences: [] };
}

function attributesOf({ stored = {} }: EntityStorage, entity: Entity): Map<string, AttributeInfo> {
  return new Map(
    Object.entries(entity.attributes).map(([attribute, schema]) => {
      const missing = schema['~standard'].validate(undefined);
      // zod runs again what has thrown, and a rejection that is not handled would end the process.
      if (missing instanceof Promise) missing.catch(() => undefined);
      const accepted = !(missing instanceof Promise) && missing.issues === undefined;
      const fallback = accepted ? missing.value : undefined;
      return [
        attribute,
        { name: attribute, stored: stored[attribute] ?? attribute, schema, optional: accepted, fallback },
      ];
    }),
  );
}

/** Two values with the same stored name: the later one would overwrite the earlier one. */
function reportSharedNames(
  attributes: readonly AttributeInfo[],
  { typeAttribute }: TableInfo,
  forms: readonly KeyForm[],
  report: (message: string) => void,
): void {
  const taken = new Map<string, string>(typeAttribute === undefined ? [] : [[typeAttribute, 'the type']]);
  for (const { attribute, own } of forms.flatMap(slotsOf)) if (!own) taken.set(attribute, 'a key');
  for (const { name, stored } of attributes) {
    const other = taken.get(stored);
    if (other !== undefined) report(`${name} and ${other} would both be stored as "${stored}"`);
    taken.set(stored, name);
  }
}

interface SlotSource {
  readonly attributes: ReadonlyMap<string, AttributeInfo>;
  readonly table: TableInfo;
  readonly report: Report;
}

function formsOf(source: SlotSource, place: PlaceInfo, keys: EntityKeys[string], path: string): KeyForm[] {
  if (!Array.isArray(keys)) return [formOf(source, place, keys as ConditionalKey, path)];
  if (keys.every((key) => typeof key === 'string')) return [formOf(source, place, { key: keys }, path)];
  return keys.map((form, i) => formOf(source, place, form, `${path}[${i}]`));
}

function formOf(
  { attributes, report }: SlotSource,
  place: PlaceInfo,
  { key: templates, when }: { readonly key: KeyTemplates; readonly when?: KeyForm['when'] },
  path: string,
): KeyForm {
  const keys = place.kind === 'local' ? place.sort : slotsOf(place);
  if (keys.length !== templates.length) {
    report('key-length', path, `has ${templates.length} templates; ${place.name} has ${keys.length} key attributes`);
  }
  const slots = keys.map((key, i): KeySlot => {
    const { template, problem } = parseTemplate(templates[i] ?? '');
    if (problem !== undefined) report('bad-template', path, problem);
    for (const { name } of template.variables) {
      if (attributes.has(name) || name === 'copy') continue;
      report('unknown-attribute', path, `has no attribute "${name}"`);
    }
    if (key.type !== 'S' && template.parts.length !== 1) {
      report('key-type', path, `${key.attribute} is of type ${key.type}: its template is one variable`);
    }
    return { ...key, template, own: isOwn(template, key.attribute, attributes) };
  });
  const sortsFrom = place.kind === 'local' ? 0 : place.partition.length;
  return { when, partition: slots.slice(0, sortsFrom), sort: slots.slice(sortsFrom) };
}

/** Whether the template is the plain attribute, stored under the key attribute's own name. */
function isOwn(template: KeyTemplate, attribute: string, attributes: SlotSource['attributes']): boolean {
  const [variable] = template.variables;
  if (template.parts.length !== 1 || variable === undefined || variable.encoders.length > 0) return false;
  return attributes.get(variable.name)?.stored === attribute;
}

function uniqueOf(
  name: string,
  { unique: declared = {} }: EntityStorage,
  { rules }: Entity,
  source: SlotSource,
): UniqueInfo[] {
  const { place } = source.table;
  const { unique = [], same } = rules;
  return unique.map((attribute) => {
    const chain = [attribute, same?.[attribute as never] ?? []].flat().join(':');
    const usual = `${name.toUpperCase()}${attribute.toUpperCase()}#{${chain}}`;
    const { key = place.sort.length > 0 ? [usual, usual] : [usual], type = `${name}.${attribute}` } =
      declared[attribute] ?? {};
    return { attribute, type, form: formOf(source, place, { key }, `storage.${name}.unique.${attribute}`) };
  });
}

function parentsOf(
  model: Model,
  entities: ReadonlyMap<string, EntityInfo>,
  child: EntityInfo,
  report: Report,
): ParentInfo[] {
  const parents: ParentInfo[] = [];
  for (const [parent, , name, rules = {}] of model.relationships) {
    if ((rules.through ?? name) !== child.name || (!rules.required && !isCounted({ rules }))) continue;
    const info = parentOf(entities.get(parent), child, rules, `relationships.${parent}.${child.name}`, report);
    if (info !== undefined) parents.push(info);
  }
  return parents;
}

function parentOf(
  parent: EntityInfo | undefined,
  child: EntityInfo,
  rules: ParentInfo['rules'],
  path: string,
  report: Report,
): ParentInfo | undefined {
  if (parent === undefined) {
    report('no-such-parent', path, 'the parent has no keys');
    return undefined;
  }
  const by = keyVariables(parent).map((name) => [name, rules.by?.[name] ?? name] as const);
  const info = { entity: parent.name, rules, by };
  for (const [tally, of] of talliesOf(info)) {
    needAttribute(parent, tally, path, report);
    if (of !== undefined) needAttribute(child, of, path, report);
  }
  for (const [, attribute] of by) needAttribute(child, attribute, path, report);
  return info;
}

function needAttribute({ name, attributes }: EntityInfo, attribute: string, path: string, report: Report): void {
  if (!attributes.has(attribute)) report('unknown-attribute', path, `${name} has no attribute "${attribute}"`);
}

function sequencesOf(
  model: Model,
  entities: ReadonlyMap<string, EntityInfo>,
  child: EntityInfo,
  report: Report,
): SequenceInfo[] {
  return Object.entries(child.rules.sequence ?? {}).flatMap(([attribute, of = '']) => {
    const [parent = '', counter = ''] = of.split('.');
    const path = `entities.${child.name}.sequence.${attribute}`;
    const [, , , { by } = {}] =
      model.relationships.find(
        ([from, , name, rules = {}]) => from === parent && (rules.through ?? name) === child.name,
      ) ?? [];
    const above = entities.get(parent);
    const info = parentOf(above, child, by ? { by } : {}, path, report);
    if (above !== undefined) needAttribute(above, counter, path, report);
    return info === undefined ? [] : [{ attribute, counter, parent: info }];
  });
}

/** The attributes of an entity's primary key, each once. */
export function keyVariables({ key }: EntityInfo): string[] {
  return [...new Set(variableNames(slotsOf(key)))].filter((name) => name !== 'copy');
}
