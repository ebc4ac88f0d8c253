import type { TemplateVariable } from '../keys/template.ts';
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
  return { name: entity.name, entity, place, partition, sort: form.sort, form, marker: false, path };
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
