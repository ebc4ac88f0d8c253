import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { counted } from '../../check/counted.ts';
import { parseTemplate } from '../../keys/template.ts';
import type { TableLayout } from '../../keys/layout.ts';
import type { Condition } from '../../patterns/value.ts';
import type { TableInfo } from '../../resolve/resolved.ts';
import { resolve } from '../../resolve/resolve.ts';
import { fromAttributeValue, type StoredItem } from '../../run/attribute-value.ts';
import type { Values } from '../../run/item-codec.ts';
import {
  type Draft,
  type DraftAttribute,
  type DraftEntity,
  type DraftKey,
  draftModel,
  identifier,
  unused,
} from '../draft.ts';
import { shapeOfValues } from '../shape.ts';
import { tableLayout } from '../table-layout.ts';
import { withUsualPatterns } from '../usual-patterns.ts';
import { groupItems, type Grouping, type ItemGroup } from './group-items.ts';
import { type InferredKeys, inferKeys, type SlotEvidence } from './infer-keys.ts';

/** A table as DescribeTable shows it, and some of its items. */
export interface TableSample {
  /** The table's description, as DescribeTable has it. */
  readonly description: TableDescription;
  /** Some of its items. */
  readonly items: readonly StoredItem[];
  /** The attribute of DescribeTimeToLive. */
  readonly expires?: string;
}

/** The inferred model, with its confidence. */
export interface InferredModel {
  /** The draft that was inferred. */
  readonly draft: Draft;
  /** The evidence for it, entity by entity. */
  readonly entities: readonly EntityEvidence[];
  /** The kinds of items that are not entities: each guards a unique attribute of an entity. */
  readonly guards: readonly GuardEvidence[];
}

/** Items that were recognised as guards of a unique attribute. */
export interface GuardEvidence {
  /** Their type. */
  readonly type: string;
  /** The table they were found in. */
  readonly table: string;
  /** The number of sampled items that guard it. */
  readonly items: number;
  /** The entity in the draft whose attribute they guard. */
  readonly entity: string;
  /** The attribute whose uniqueness they guard. */
  readonly attribute: string;
}

/** An entity that was found. */
export interface EntityEvidence {
  /** The entity's name in the draft. */
  readonly entity: string;
  /** The table its items were found in. */
  readonly table: string;
  /** The number of sampled items of this entity. */
  readonly items: number;
  /** The confidence of its least certain template. */
  readonly confidence: number;
  /** The evidence for each template of its keys. */
  readonly slots: readonly SlotEvidence[];
}

const itemsMax = 20_000;
const seenValuesMax = 6;

/**
 * Infers a model from tables and a sample of their items: entities by the attribute that names them or by the form of their keys,
 * key templates by comparing keys with the attributes of the same items, conditions of sparse indexes, guards of unique attributes.
 * Each template says in a comment how many of the sampled items it fits.
 *
 * @param name - of the model.
 */
export function inferModel(name: string, samples: readonly TableSample[]): InferredModel {
  const names = new Set<string>();
  const tables = samples.map((sample) => inferTable(sample, names));
  const entities = tables.flatMap((table) => table.entities);
  const draft: Draft = {
    name,
    notes: tables.flatMap((table) => table.notes),
    tables: Object.fromEntries(tables.map((table) => [table.info.name, table.layout])),
    entities: entities.map(({ draft: entity }) => entity),
    patterns: [],
  };
  return {
    draft: withUsualPatterns(draft),
    entities: entities.map(({ draft: entity, group, keys, table }) => ({
      entity: entity.name,
      table,
      items: group.items.length,
      confidence: Math.min(...keys.evidence.map(({ confidence }) => confidence)),
      slots: keys.evidence,
    })),
    guards: tables.flatMap((table) => table.guards),
  };
}

interface InferredEntity {
  readonly draft: DraftEntity;
  readonly group: ItemGroup;
  readonly keys: InferredKeys;
  readonly table: string;
}

interface InferredTable {
  readonly info: TableInfo;
  readonly layout: TableLayout;
  readonly entities: readonly InferredEntity[];
  readonly guards: readonly GuardEvidence[];
  readonly notes: readonly string[];
}

function inferTable({ description, items: stored, expires }: TableSample, names: Set<string>): InferredTable {
  const { name, layout: bare } = tableLayout(description);
  const items = stored.slice(0, itemsMax).map((item) => fromAttributeValue({ M: item }) as Values);
  const place = infoOf(name, bare);
  const grouping = groupItems(
    items,
    [...place.place.partition, ...place.place.sort].map(({ attribute }) => attribute),
  );
  const { typeAttribute } = grouping;
  const held = new Set([...items.flatMap((item) => Object.keys(item)), ...keyAttributes(place)]);
  const info: TableInfo = { ...place, typeAttribute: typeAttribute ?? unused(place.typeAttribute ?? 'Type', held) };
  const found = grouping.groups.map((group): InferredEntity => {
    const keys = inferKeys(group.items, info);
    const draft = entityOf(group, keys, { info, grouping, total: items.length, expires }, names);
    return { draft, group, keys, table: name };
  });
  const guardings = guardsAmong(found);
  const entities = withGuards(found, guardings).map(withNames);
  const separator = separatorOf(found, items, info);
  const layout: TableLayout = {
    ...bare,
    ...(info.typeAttribute !== undefined && info.typeAttribute !== 'Type' && { type: info.typeAttribute }),
    ...(separator !== '#' && { separator }),
  };
  const guards = guardings.map(({ guard, owner, attribute }) => ({
    type: guard.draft.type ?? guard.draft.name,
    table: name,
    items: guard.group.items.length,
    entity: owner.draft.name,
    attribute,
  }));
  return { info, layout, entities, guards, notes: notesOf(name, grouping, items.length, info) };
}

/** The attributes of all keys of a table. */
function keyAttributes({ place, indexes }: TableInfo): string[] {
  return [place, ...indexes].flatMap(({ partition, sort }) =>
    [...partition, ...sort].map(({ attribute }) => attribute),
  );
}

/** An entity whose attributes have names of TypeScript, wherever they are named. They are inferred by their stored names. */
function withNames(entity: InferredEntity): InferredEntity {
  const taken = new Set<string>();
  const names = new Map<string, string>();
  const attributes = entity.draft.attributes.map((attribute): DraftAttribute => {
    const stored = attribute.name;
    const name = unused(/^[A-Za-z_$][\w$]*$/.test(stored) ? stored : identifier(stored, 'value'), taken);
    taken.add(name);
    names.set(stored, name);
    return name === stored ? attribute : { ...attribute, name, stored };
  });
  if ([...names].every(([stored, name]) => stored === name)) return entity;
  const nameOf = (stored: string): string => names.get(stored) ?? stored;
  const text = (source: string): string =>
    source.replaceAll(/\{([^{}]*)\}/g, (whole, variable: string) => {
      const stored = [...names.keys()].find((each) => variable === each || variable.startsWith(`${each}:`));
      return stored === undefined ? whole : `{${nameOf(stored)}${variable.slice(stored.length)}}`;
    });
  const { rules, unique } = entity.draft;
  const keys = entity.draft.keys.map(({ forms, notes, ...key }): DraftKey => ({
    ...key,
    forms: forms.map(({ when, templates }) => ({
      ...(when !== undefined && {
        when: Object.fromEntries(Object.entries(when).map(([name, test]) => [nameOf(name), test])) as Condition,
      }),
      templates: templates.map(text),
    })),
    notes: notes.map(text),
  }));
  return {
    ...entity,
    keys: {
      ...entity.keys,
      keys,
      evidence: entity.keys.evidence.map((each) => ({ ...each, template: text(each.template) })),
    },
    draft: {
      ...entity.draft,
      attributes,
      keys,
      ...(rules !== undefined && {
        rules: {
          ...rules,
          ...(rules.expires !== undefined && { expires: nameOf(rules.expires) }),
          ...(rules.unique !== undefined && { unique: rules.unique.map(nameOf) }),
        },
      }),
      ...(unique !== undefined && {
        unique: Object.fromEntries(
          Object.entries(unique).map(([name, guard]) => [nameOf(name), { ...guard, key: guard.key.map(text) }]),
        ),
      }),
    },
  };
}

function infoOf(name: string, layout: TableLayout): TableInfo {
  const empty: Draft = { name, notes: [], tables: { [name]: layout }, entities: [], patterns: [] };
  const info = resolve(draftModel(empty)).tables.get(name);
  // A draft with one table resolves to one table.
  return info as TableInfo;
}

function notesOf(name: string, { typeAttribute, share, groups }: Grouping, items: number, info: TableInfo): string[] {
  const found = `${name}: ${counted(items, 'item')} sampled, ${counted(groups.length, 'kind')} of item, told apart by`;
  if (typeAttribute !== undefined)
    return [`${found} the attribute ${typeAttribute}: for ${Math.round(share * 100)} % it says how the key begins.`];
  return [
    `${found} how their keys begin: no attribute names what an item is.`,
    `Reads take the entity from the attribute ${info.typeAttribute}, and refuse items that have none: write it to the items there are before you read them with this model.`,
  ];
}

interface EntitySource {
  readonly info: TableInfo;
  readonly grouping: Grouping;
  readonly total: number;
  readonly expires: string | undefined;
}

function entityOf(
  { type, items }: ItemGroup,
  { keys, own, evidence }: InferredKeys,
  { info, grouping, total, expires }: EntitySource,
  names: Set<string>,
): DraftEntity {
  const name = unused(nameOf(type, info.name), names);
  names.add(name);
  const hidden = new Set(
    [info.place, ...info.indexes]
      .flatMap(({ partition, sort }) => [...partition, ...sort].map(({ attribute }) => attribute))
      .filter((attribute) => !own.has(attribute)),
  );
  if (grouping.typeAttribute !== undefined) hidden.add(grouping.typeAttribute);
  const attributes = attributesOf(items, hidden);
  const sure = Math.min(...evidence.map(({ confidence }) => confidence));
  return {
    name,
    type: grouping.typeAttribute === undefined || type === '' ? name : type,
    attributes,
    keys,
    ...(expires !== undefined && attributes.some((each) => each.name === expires) && { rules: { expires } }),
    notes: [`${items.length} of ${counted(total, 'item')} sampled; ${Math.round(sure * 100)} % sure of its keys.`],
  };
}

/** `ORDER` and `order` become Order; a type that is already a name is kept. */
function nameOf(type: string, table: string): string {
  if (/^[A-Z][A-Za-z0-9]*$/.test(type) && !/^[A-Z0-9]+$/.test(type)) return type;
  const words = type.split('|').map((word) => identifier(word, 'Type'));
  const distinct = [...new Set(words)].filter((word) => word !== 'Item' && word !== 'String' && word !== 'Number');
  return distinct.length === 0 ? `${identifier(table, 'Type')}Item` : (distinct.at(-1) ?? '');
}

function attributesOf(items: readonly Values[], hidden: ReadonlySet<string>): DraftAttribute[] {
  const attributes: DraftAttribute[] = [];
  const stored = new Set(items.flatMap((item) => Object.keys(item)).filter((name) => !hidden.has(name)));
  for (const attribute of stored) {
    const values = items.map((item) => item[attribute]).filter((value) => value !== undefined);
    const notes = valueNotes(values, items.length);
    attributes.push({
      name: attribute,
      shape: shapeOfValues(values),
      optional: values.length < items.length,
      ...(notes.length > 0 && { notes }),
    });
  }
  return attributes;
}

/** The few values that a text attribute has, which may be all that exist. A person has to decide that. */
function valueNotes(values: readonly unknown[], items: number): string[] {
  const distinct = new Set(values);
  const few = distinct.size <= seenValuesMax && distinct.size * 5 <= values.length;
  const texts = [...distinct].filter((value) => typeof value === 'string' && /^\S{1,30}$/.test(value));
  const notes = few && texts.length === distinct.size && texts.length > 0 ? [`seen: ${texts.join(', ')}`] : [];
  return values.length < items ? [...notes, `on ${values.length} of ${items} items`] : notes;
}

/**
 * The character between the parts of keys. Values must not contain it, so a candidate counts only if no variable's value contains it.
 */
function separatorOf(entities: readonly InferredEntity[], items: readonly Values[], { separator }: TableInfo): string {
  const templates = entities.flatMap(({ keys }) =>
    keys.keys.flatMap((key) => key.forms.flatMap((form) => form.templates)),
  );
  const parts = templates
    .map((template) => parseTemplate(template).template)
    .filter((template) => template.parts.length > 1);
  const raw = new Set(
    parts.flatMap(({ variables }) =>
      variables.filter(({ encoders }) => !encoders.some(({ safe }) => safe)).map(({ name }) => name),
    ),
  );
  const values = items
    .flatMap((item) => [...raw].map((name) => item[name]))
    .filter((value) => typeof value === 'string');
  const counts = [separator, '|', '/', '~', ':', '_', '-'].map((character) => ({
    character,
    uses: parts.filter((template) =>
      template.parts.some((part) => typeof part === 'string' && part.includes(character)),
    ).length,
    held: values.some((value) => value.includes(character)),
  }));
  const best = counts.filter(({ held, uses }) => !held && uses > 0).sort((a, b) => b.uses - a.uses);
  return best[0]?.character ?? counts.find(({ held }) => !held)?.character ?? separator;
}

/** A kind of items that guards an attribute of another kind. */
interface Guarding {
  readonly guard: InferredEntity;
  readonly owner: InferredEntity;
  readonly attribute: string;
}

/**
 * Items that hold only one attribute of another entity and its key guard the uniqueness of that attribute. Every kind of item remains
 * visible: it is an entity, or the guard of a kind that is itself an entity.
 */
function guardsAmong(found: readonly InferredEntity[]): Guarding[] {
  const possible = found.flatMap((guard) =>
    found.flatMap((owner): Guarding[] => {
      const attribute = guard === owner ? undefined : guardedAttribute(guard, owner);
      return attribute === undefined || !agree(guard, owner, attribute) ? [] : [{ guard, owner, attribute }];
    }),
  );
  // Two kinds that could guard each other are entities, and so is a kind that only a guard would own.
  const mayGuard = new Set(possible.map(({ guard }) => guard));
  const certain = possible.filter(({ owner }) => !mayGuard.has(owner));
  return [...new Map(certain.toReversed().map((each) => [each.guard, each])).values()].toReversed();
}

function withGuards(found: readonly InferredEntity[], guards: readonly Guarding[]): InferredEntity[] {
  const guarding = new Set(guards.map(({ guard }) => guard));
  return found
    .filter((each) => !guarding.has(each))
    .map((owner) => {
      const own = guards.filter((each) => each.owner === owner);
      if (own.length === 0) return owner;
      const unique = own.map(({ attribute, guard }) => [
        attribute,
        { key: guard.draft.keys[0]?.forms[0]?.templates ?? [], type: guard.draft.type },
      ]);
      const notes = own.map(
        ({ attribute, guard }) =>
          `${attribute} is unique: ${guard.group.items.length} items of type ${guard.draft.type} guard it.`,
      );
      const rules = { ...owner.draft.rules, unique: own.map(({ attribute }) => attribute) };
      return {
        ...owner,
        draft: {
          ...owner.draft,
          rules,
          unique: Object.fromEntries(unique),
          notes: [...owner.draft.notes, ...notes],
        },
      };
    });
}

/** The names of the attributes that the primary key is made of. */
function keyVariables(entity: InferredEntity): Set<string> {
  return new Set(
    (entity.draft.keys[0]?.forms[0]?.templates ?? []).flatMap((template) =>
      parseTemplate(template).template.variables.map(({ name }) => name),
    ),
  );
}

/** The attribute of the owner that items of the other kind would guard, judging by their contents. */
function guardedAttribute(guard: InferredEntity, owner: InferredEntity): string | undefined {
  const [attribute, ...more] = keyVariables(guard);
  const named = keyVariables(owner);
  if (attribute === undefined || more.length > 0 || named.has(attribute) || guard.draft.keys.length > 1)
    return undefined;
  const held = new Set(guard.draft.attributes.map(({ name }) => name));
  const expected = new Set([...named, attribute]);
  const same = held.size === expected.size && [...held].every((name) => expected.has(name));
  return same && named.size > 0 && owner.draft.attributes.some(({ name }) => name === attribute)
    ? attribute
    : undefined;
}

/** Whether the sample supports it: guards have the values of their owners, if these are in the sample, and no owner has two guards. */
function agree(guard: InferredEntity, owner: InferredEntity, attribute: string): boolean {
  const named = [...keyVariables(owner)].sort();
  const ownerOf = (item: Values): string => JSON.stringify(named.map((name) => item[name]));
  const values = new Map(owner.group.items.map((item) => [ownerOf(item), item[attribute]]));
  const seen = new Set<string>();
  let confirmed = 0;
  for (const item of guard.group.items) {
    const its = ownerOf(item);
    if (seen.has(its) || (values.has(its) && values.get(its) !== item[attribute])) return false;
    seen.add(its);
    if (values.has(its)) confirmed += 1;
  }
  return confirmed > 0;
}
