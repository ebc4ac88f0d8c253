import { parseTemplate, type TemplateVariable } from '../keys/template.ts';
import type { Condition } from '../patterns/value.ts';
import type {
  EntityInfo,
  KeyForm,
  KeySlot,
  PatternInfo,
  PlaceInfo,
  Plan,
  ResolvedModel,
  WritePlan,
} from '../resolve/resolved.ts';
import { slotsOf } from '../resolve/slots.ts';
import { canBeEqual, textPattern } from './text-pattern.ts';

/** A kind of item in a table or index: an entity in one of its forms, or the marker of a unique attribute. */
export interface Resident {
  /** `Order`, or `CustomerEmail` for a marker. */
  readonly name: string;
  readonly entity: EntityInfo;
  readonly place: PlaceInfo;
  readonly partition: readonly KeySlot[];
  readonly sort: readonly KeySlot[];
  readonly form: KeyForm;
  readonly marker: boolean;
  /** It is in an index without a declared key, because it has all of the index's key attributes. */
  readonly implied: boolean;
  /** Where its key is declared. */
  readonly path: string;
}

/** All kinds of items in one table or index. */
export function residentsOf({ entities }: ResolvedModel, place: PlaceInfo): Resident[] {
  return [...entities.values()].flatMap((entity) => residentsOfEntity(entity, place));
}

function residentsOfEntity(entity: EntityInfo, place: PlaceInfo): Resident[] {
  if (place.kind === 'table') {
    if (entity.table.place !== place) return [];
    const own = resident(entity, place, entity.key, `keys.${entity.name}.${place.name}`);
    const markers = entity.unique.map(({ attribute, type, form }) => ({
      ...resident(entity, place, form, `storage.${entity.name}.unique.${attribute}`),
      name: type,
      marker: true,
    }));
    return [own, ...markers];
  }
  const forms = entity.indexes.find((index) => index.place === place)?.forms ?? [];
  return forms.map((form) => resident(entity, place, form, `keys.${entity.name}.${place.name}`));
}

function resident(entity: EntityInfo, place: PlaceInfo, form: KeyForm, path: string): Resident {
  const partition = place.kind === 'local' ? entity.key.partition : form.partition;
  return { name: entity.name, entity, place, partition, sort: form.sort, form, marker: false, implied: false, path };
}

/**
 * Kinds of items that are in an index although no key is declared for them there. The service puts every item into an index that has all of
 * its key attributes: those of the table's key, of other indexes, and attributes of the application that are stored under these names.
 */
export function impliedResidents({ entities }: ResolvedModel, place: PlaceInfo): Resident[] {
  if (place.kind === 'table') return [];
  return [...entities.values()].flatMap((entity): Resident[] => {
    if (entity.table.place.name !== place.table) return [];
    const path = `keys.${entity.name}`;
    const isDeclared = entity.indexes.some((index) => index.place === place);
    const own = isDeclared ? undefined : slotsAnyway(entity, place, entity.key, [...entity.attributes.keys()]);
    const markers = entity.unique.map(({ attribute, type, form }) => {
      // A guard has the attributes of its owner's key, and expires with it.
      const held = [attribute, ...variablesOf(slotsOf(entity.key)).map(({ name }) => name), entity.rules.expires ?? ''];
      return { name: type, slots: slotsAnyway(entity, place, form, held), marker: true };
    });
    return [{ name: entity.name, slots: own, marker: false }, ...markers].flatMap(({ name, slots, marker }) => {
      if (slots === undefined) return [];
      const [partition, sort] = [slots.slice(0, place.partition.length), slots.slice(place.partition.length)];
      const form = { when: undefined, partition, sort };
      return [{ name, entity, place, partition, sort, form, marker, implied: true, path }];
    });
  });
}

/** What an item that declares no key in an index has in its key attributes; undefined if it lacks one. */
function slotsAnyway(
  entity: EntityInfo,
  place: PlaceInfo,
  key: KeyForm,
  held: readonly string[],
): readonly KeySlot[] | undefined {
  const slots = slotsOf(place).map(({ attribute, type }): KeySlot | undefined => {
    const known = slotsOf(key).find((slot) => slot.attribute === attribute);
    if (known !== undefined) return known;
    const name = held.find((each) => entity.attributes.get(each)?.stored === attribute);
    if (name !== undefined) return { attribute, type, template: parseTemplate(`{${name}}`).template, own: true };
    return key === entity.key ? slotsElsewhere(entity, place, attribute)[0]?.slot : undefined;
  });
  return slots.every((slot) => slot !== undefined) ? slots : undefined;
}

/** A key attribute as the key of another place writes it. */
export interface OtherSlot {
  readonly slot: KeySlot;
  readonly when: Condition | undefined;
  /** The table or index. */
  readonly place: string;
}

/** How the table's key and the keys of other indexes write an attribute of an index key. */
export function slotsElsewhere(entity: EntityInfo, place: PlaceInfo, attribute: string): OtherSlot[] {
  return [
    { place: entity.table.place, forms: [entity.key] },
    ...entity.indexes.filter((index) => index.place !== place),
  ].flatMap((other) =>
    other.forms.flatMap((form) =>
      slotsOf(form)
        .filter((slot) => slot.attribute === attribute)
        .map((slot) => ({ slot, when: form.when, place: other.place.name })),
    ),
  );
}

/** Whether no item meets both conditions, since they require different values of one attribute. */
export function areExclusive(a: Condition | undefined, b: Condition | undefined): boolean {
  const values = (test: unknown): readonly unknown[] | undefined =>
    Array.isArray(test) ? (test as unknown[]) : typeof test === 'object' ? undefined : [test];
  const others = (b ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(a ?? {}).some(([name, test]) => {
    const [mine, theirs] = [values(test), name in others ? values(others[name]) : undefined];
    return mine !== undefined && theirs !== undefined && !mine.some((value) => theirs.includes(value));
  });
}

/** All tables and indexes. */
export function placesOf({ tables }: ResolvedModel): PlaceInfo[] {
  return [...tables.values()].flatMap(({ place, indexes }) => [place, ...indexes]);
}

/** Whether items of two kinds can have the same values in these key attributes. */
export function slotsCanBeEqual(a: readonly KeySlot[], b: readonly KeySlot[], separator: string): boolean {
  return a.every((slot, i) => {
    const other = b[i];
    return (
      other === undefined || canBeEqual(textPattern(slot.template, separator), textPattern(other.template, separator))
    );
  });
}

/** The variables of some key attributes, in order. */
export function variablesOf(slots: readonly KeySlot[]): TemplateVariable[] {
  return slots.flatMap(({ template }) => template.variables);
}

/** Text before the first variable of the first key attribute. */
export function literalPrefix(slots: readonly KeySlot[]): string {
  return slots[0]?.template.prefix ?? '';
}

type QueryPlan = Extract<Plan, { kind: 'query' }>;

/** Patterns whose plan is of one kind. */
export function queriesOf({ patterns }: ResolvedModel): (PatternInfo & { readonly plan: QueryPlan })[] {
  return [...patterns.values()].flatMap((pattern) =>
    pattern.plan?.kind === 'query' ? [{ ...pattern, plan: pattern.plan }] : [],
  );
}

/** Every write of every pattern, with each part of a transaction listed separately. */
export function writesOf({ patterns }: ResolvedModel): { readonly pattern: PatternInfo; readonly write: WritePlan }[] {
  return [...patterns.values()].flatMap((pattern) =>
    pattern.plan?.kind === 'write' ? pattern.plan.writes.map((write) => ({ pattern, write })) : [],
  );
}

/** The place of a write in the model: `patterns.placeOrder.transacts.lines`. */
export function writePath({ pattern, write }: { readonly pattern: PatternInfo; readonly write: WritePlan }): string {
  return `patterns.${pattern.name}${write.part === undefined ? '' : `.transacts.${write.part}`}`;
}
