import { testedAttributes, topLevel } from '../patterns/condition.ts';
import type { WriteNeed } from '../patterns/need.ts';
import type { Computed } from '../entities/entity.ts';
import type { EntityInfo, KeyForm, KeySlot, ParentInfo, UniqueInfo } from './resolved.ts';

/** The attributes of a key, in their order. */
export function slotsOf<T>({
  partition,
  sort,
}: {
  readonly partition: readonly T[];
  readonly sort: readonly T[];
}): T[] {
  return [...partition, ...sort];
}

/** The templates of these slots, as they are declared: `ORDER#{orderId}`. */
export function sourceOf(slots: readonly KeySlot[]): string {
  return slots.map(({ template }) => template.source).join(' / ');
}

/** The attributes of the application in these slots. */
export function variableNames(slots: readonly KeySlot[]): string[] {
  return slots.flatMap(({ template }) => template.variables.map(({ name }) => name));
}

/** The parents that count their children, or sum their attributes. */
export function countedParents({ parents }: { readonly parents: readonly ParentInfo[] }): ParentInfo[] {
  return parents.filter(isCounted);
}

/** Whether a parent keeps a number that is derived from its children. */
export function isCounted({ rules }: Pick<ParentInfo, 'rules'>): boolean {
  return (rules.count ?? rules.sum) !== undefined;
}

/** The numbers that a parent keeps: its attribute, and the children's attribute that it sums; none if they are counted. */
export function talliesOf({ rules: { count, sum } }: ParentInfo): [tally: string, of: string | undefined][] {
  return Object.entries({ ...(count !== undefined && { [count]: undefined }), ...sum });
}

/** The attributes of a child that determine its parent's numbers: those that identify the parent, and those that are summed. */
export function talliedAttributes({ by, rules: { sum = {} } }: ParentInfo): string[] {
  return [...by.map(([, child]) => child), ...Object.values(sum)];
}

/** Attributes that a form's text or condition depends on. */
export function formAttributes(form: KeyForm): string[] {
  return [...variableNames(slotsOf(form)), ...testedAttributes(form.when)];
}

/** The unique attribute, and the other attributes of the guard's key, within whose values it is unique. */
export function guardedAttributes({ attribute, form }: UniqueInfo): string[] {
  return [attribute, ...variableNames(slotsOf(form))];
}

/** A sequence number came from this parent, so the parent is known to exist. */
export function sequenced(entity: EntityInfo, parent: string): boolean {
  return entity.sequences.some((sequence) => sequence.parent.entity === parent);
}

/** The parents that an update may change: those that keep a number of what it changes, and those to which it moves its item. */
export function changedParents(need: WriteNeed, entity: EntityInfo): ParentInfo[] {
  const changed = changedAttributes(need, entity);
  return entity.parents.filter((parent) => talliedAttributes(parent).some((child) => changed.has(child)));
}

/** Top-level attributes that an update may change, and those computed from them. */
export function changedAttributes(need: WriteNeed, { rules }: Pick<EntityInfo, 'rules'>): Set<string> {
  const changed = new Set([...(need.sets ?? []), ...(need.maySet ?? []), ...topLevel(need.changes ?? {})]);
  for (const [name, { from }] of computedOf(rules)) if (from.some((each) => changed.has(each))) changed.add(name);
  return changed;
}

/** The computed attributes, with how they are computed. */
export function computedOf({ computed = {} }: EntityInfo['rules']): [string, Computed][] {
  return Object.entries(computed as { readonly [name: string]: Computed });
}

/** Whether the model accepts that items of other entities have the keys of this one's. */
export function sharesKey({ accepts }: EntityInfo): boolean {
  return accepts?.['key-collision'] !== undefined;
}
