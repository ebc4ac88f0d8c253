import { type Domain, domainOf, union } from '../keys/domain.ts';
import type { Following, HoleProperties } from '../keys/hole.ts';
import { propertiesOf } from '../proof/read-proof.ts';
import type { EntityInfo, KeySlot, PlaceInfo, ResolvedModel } from '../resolve/resolved.ts';
import { impliedResidents, type Resident, residentsOf } from './residents.ts';

/** The attribute that identifies the tenant of a table's items, if the model declares one. */
export function tenantOf({ model }: ResolvedModel, table: string): string | undefined {
  return model.tables[table]?.tenant;
}

/** Entities in tables with a tenant, except those that the model declares as shared by all tenants. */
export function tenantEntities(model: ResolvedModel): { readonly entity: EntityInfo; readonly tenant: string }[] {
  return [...model.entities.values()].flatMap((entity) => {
    const tenant = tenantOf(model, entity.table.name);
    return tenant === undefined || isShared(model, entity) ? [] : [{ entity, tenant }];
  });
}

/** Whether the model states, with a reason, that an entity does not belong to a tenant. */
function isShared({ model: { storage } }: ResolvedModel, entity: EntityInfo): boolean {
  return storage[entity.name]?.accepts?.['no-tenant'] !== undefined;
}

/** Kinds of tenant items in a table or index: entities in each form, and guards. */
export function tenantResidents(model: ResolvedModel, place: PlaceInfo): Resident[] {
  return [...residentsOf(model, place), ...impliedResidents(model, place)].filter(
    ({ entity }) => !isShared(model, entity),
  );
}

/** How a partition key begins with the tenant. */
export interface TenantLead {
  /** The text before the tenant's value. */
  readonly before: string;
  /** The text after it, up to the next variable. If it is empty, nothing follows. */
  readonly after: string;
  /** Whether the whole key is that text, with no variable after it. */
  readonly whole: boolean;
}

/**
 * How the partition key of a kind of item begins with its tenant, so that the values of two tenants never begin alike.
 *
 * @returns a clause that says why it does not, if it does not.
 */
export function tenantLead(model: ResolvedModel, resident: Resident, tenant: string): TenantLead | string {
  const [slot] = resident.partition;
  if (slot === undefined) return 'there is no partition key';
  const at = tenantPosition(slot);
  const variable = slot.template.parts[at];
  const { source } = slot.template;
  if (variable === undefined || typeof variable === 'string') return `${source} is the same for all tenants`;
  if (variable.name !== tenant) return `${source} begins with {${variable.name}}`;
  if (variable.encoding !== '')
    return `{${tenant}:${variable.encoding}} is not the value itself, which a policy compares`;
  const { exact, ends } = tenantProperties(model, resident, slot);
  if (exact !== true) return exact;
  const following = slot.template.parts[at + 1];
  if (!ends) return `what follows {${tenant}} in ${source} can be taken for the rest of its value`;
  return {
    before: slot.template.prefix,
    after: typeof following === 'string' ? following : '',
    whole: slot.template.variables.length === 1,
  };
}

/** Whether no tenant value in the key of one kind of item can be confused with a shorter one that is followed by another kind's text. */
export function endsBefore(model: ResolvedModel, resident: Resident, after: string): boolean {
  const [slot] = resident.partition;
  if (slot === undefined || after === '') return true;
  return tenantProperties(model, resident, slot, { literal: after }).ends;
}

function tenantPosition({ template }: KeySlot): number {
  return template.parts.findIndex((part) => typeof part !== 'string');
}

/** What a key preserves of the values of all tenants. A tenant of one entity also sends requests for the items of others. */
function tenantProperties(
  model: ResolvedModel,
  { entity }: Resident,
  slot: KeySlot,
  following?: Following,
): HoleProperties {
  const owned = tenantEntities(model);
  const domain = owned
    .flatMap(({ entity: { attributes }, tenant }): Domain[] => {
      const schema = attributes.get(tenant)?.schema;
      return schema === undefined ? [] : [domainOf(schema)];
    })
    .reduce<Domain | undefined>((all, each) => (all === undefined ? each : union(all, each)), undefined);
  // Keys refuse values with the separator, unless an entity's key is such a value alone, or its table has another separator.
  const isGuarded = owned.every(
    ({ entity: { key, table }, tenant }) =>
      table.separator === entity.table.separator &&
      [...key.partition, ...key.sort].some(
        ({ template }) => template.parts.length > 1 && template.variables.some(({ name }) => name === tenant),
      ),
  );
  return propertiesOf(entity, slot, tenantPosition(slot), {
    domain,
    isGuarded,
    ...(following !== undefined && { following }),
  });
}

/** Where the model declares the first part of a key, for a message. */
export function sourceOf(slots: readonly KeySlot[]): string {
  return slots[0]?.template.source ?? '';
}
