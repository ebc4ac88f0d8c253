import type { Report } from '../finding.ts';
import { sameVariable } from '../../proof/read-proof.ts';
import type { PlaceInfo, ResolvedModel } from '../../resolve/resolved.ts';
import { literalPrefix, placesOf, type Resident, residentsOf } from '../residents.ts';
import type { Rule } from '../rule.ts';
import { endsBefore, sourceOf, tenantEntities, tenantLead, tenantOf, tenantResidents } from '../tenants.ts';

/** Rules about tables whose items belong to tenants. */
export const tenantRules: readonly Rule[] = [
  {
    code: 'no-tenant',
    level: 'error',
    ids: ['LP-04', 'S-07'],
    title: 'An item without a tenant',
    why: 'The table declares that every item belongs to a tenant. Items without that attribute are in a partition that all tenants read, or that no tenant reads.',
    remedy:
      'Make the attribute required on the entity. If all tenants share its items, accept it beside its keys: `accepts: { "no-tenant": "why" }`.',
    look: (model) =>
      [...model.entities.values()].flatMap((entity): Report[] => {
        const tenant = tenantOf(model, entity.table.name);
        if (tenant === undefined) return [];
        const attribute = entity.attributes.get(tenant);
        if (attribute !== undefined && !attribute.optional) return [];
        const lack = attribute === undefined ? 'has no attribute' : 'may lack';
        return [
          {
            path: `entities.${entity.name}`,
            message: `${entity.name} ${lack} ${tenant}, the tenant of ${entity.table.name}`,
          },
        ];
      }),
  },
  {
    code: 'tenant-not-leading',
    level: 'error',
    ids: ['LP-04', 'S-07'],
    title: 'A partition that may hold items of two tenants',
    why: 'A partition key must begin with the tenant, after a constant prefix if any, unencoded and followed by a separator that no value can contain. Only then does each partition hold items of a single tenant, and can a policy confine a session to the partitions of one tenant (`dynamodb:LeadingKeys`). This applies to every index, and to the guards of unique values.',
    remedy: 'Begin the partition key with a prefix and the tenant, such as `TENANT#{tenantId}#ORDER#{orderId}`.',
    look: (model) =>
      placesOf(model).flatMap((place) => {
        const tenant = tenantOf(model, place.table);
        if (tenant === undefined || place.kind === 'local') return [];
        const residents = tenantResidents(model, place).filter(({ entity }) => entity.attributes.has(tenant));
        return [
          ...residents.flatMap((resident): Report[] => {
            const lead = tenantLead(model, resident, tenant);
            return typeof lead === 'string' ? [report(resident, lead, tenant)] : [];
          }),
          ...ambiguousKeys(model, residents, tenant),
          ...sharedAmongTenants(model, place, residents, tenant),
        ];
      }),
  },
  {
    code: 'crosses-tenants',
    level: 'error',
    ids: ['LP-04', 'S-07'],
    title: 'A pattern that reads the items of all tenants',
    why: 'A scan reads the items of every tenant. Items of one tenant are read by a key that begins with the tenant.',
    remedy:
      'Read by key, with the tenant in `by`. If the pattern is for the operator and not for a tenant, accept it: `accepts: { "crosses-tenants": "why" }`.',
    look: (model) => {
      const owned = new Set(tenantEntities(model).map(({ entity }) => entity));
      return [...model.patterns.values()].flatMap(({ name, plan }): Report[] =>
        plan?.kind === 'scan' && owned.has(plan.part.entity)
          ? [
              {
                path: `patterns.${name}`,
                message: `${name} scans ${plan.place.name}, which has the items of all tenants`,
              },
            ]
          : [],
      );
    },
  },
];

function report(resident: Resident, why: string, tenant?: string): Report {
  const { path, name, place, marker, entity, sort, partition } = resident;
  const message = `the partition key of ${name} in ${place.name} does not begin with its tenant: ${why}`;
  const attribute = path.split('.').at(-1) ?? '';
  if (tenant === undefined) return { path, message };
  if (!marker) {
    const [slot] = partition;
    const { separator } = entity.table;
    const others = (slot?.template.source ?? '').split(separator).filter((part) => part !== `{${tenant}}`);
    const key = [`TENANT${separator}{${tenant}}`, ...others].join(separator);
    return partition.length > 1 || slot?.type !== 'S'
      ? { path, message }
      : {
          path,
          message,
          remedy: `Let the partition key of ${name} in ${place.name} be '${key}', and give ${tenant} in \`by\` of its patterns.`,
        };
  }
  const { separator } = entity.table;
  const value = `{${sameVariable(entity, attribute)}}`;
  // With the name of the entity, as another one may have such an attribute as well.
  const guard = `${entity.name}${attribute}`.toUpperCase();
  const keys = [`'${['TENANT', `{${tenant}}`, guard, value].join(separator)}'`];
  if (sort.length > 0) keys.push(`'${guard}'`);
  const remedy = `Give the guard a key with the tenant, in the second argument of \`keys\`: \`{ ${entity.name}: { unique: { ${attribute}: { key: [${keys.join(', ')}] } } } }\`.`;
  return { path, message, remedy };
}

/** Items that all tenants share must not be in a partition that could be a tenant's. */
function sharedAmongTenants(
  model: ResolvedModel,
  place: PlaceInfo,
  residents: readonly Resident[],
  tenant: string,
): Report[] {
  const leads = residents
    .map((resident) => tenantLead(model, resident, tenant))
    .filter((lead) => typeof lead !== 'string');
  return residentsOf(model, place)
    .filter(({ entity }) => !residents.some((resident) => resident.entity === entity))
    .flatMap((resident): Report[] => {
      const prefix = literalPrefix(resident.partition);
      return leads.some(({ before }) => prefix.startsWith(before) || before.startsWith(prefix))
        ? [report(resident, `${sourceOf(resident.partition)} of what all tenants share can be the partition of one`)]
        : [];
    });
}

/**
 * If a tenant's value is the rest of a longer prefix, or contains what follows the tenant in another key, its partitions would be among those
 * of another tenant.
 */
function ambiguousKeys(model: ResolvedModel, residents: readonly Resident[], tenant: string): Report[] {
  const leads = residents.flatMap((resident) => {
    const lead = tenantLead(model, resident, tenant);
    return typeof lead === 'string' ? [] : [{ resident, lead }];
  });
  return leads.flatMap(({ resident, lead: { before } }) => {
    const other = leads.find(({ lead }) =>
      lead.before === before ? !endsBefore(model, resident, lead.after) : lead.before.startsWith(before),
    );
    return other === undefined
      ? []
      : [
          report(
            resident,
            `${sourceOf(resident.partition)} and ${sourceOf(other.resident.partition)} can begin alike with different tenants`,
          ),
        ];
  });
}
