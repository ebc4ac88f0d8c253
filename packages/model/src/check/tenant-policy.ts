import type { Model } from '../model.ts';
import { ModelError } from '../model-error.ts';
import { resolve } from '../resolve/resolve.ts';
import type { PlaceInfo, ResolvedModel } from '../resolve/resolved.ts';
import { check } from './check.ts';
import { placesOf } from './residents.ts';
import { tenantRules } from './rules/tenants.ts';
import { type TenantLead, tenantLead, tenantOf, tenantResidents } from './tenants.ts';

/** What a policy compares, and how it names the tables. */
export interface TenantPolicyOptions {
  /** The tag of the session or user that contains the tenant's value. The name of the tenant attribute by default. */
  readonly tag?: string;
  /** The account in ARNs; `*` by default. */
  readonly account?: string;
  /** The region of the tables; all by default. */
  readonly region?: string;
  /** Names of tables that differ from those in the model. */
  readonly tables?: { readonly [table: string]: string };
}

/** An IAM policy, as JSON. */
export interface TenantPolicy {
  /** The version of the policy language. */
  readonly Version: '2012-10-17';
  /** The actions that a tenant is allowed, and the keys. */
  readonly Statement: readonly {
    readonly Sid: string;
    readonly Effect: 'Allow';
    readonly Action: readonly string[];
    readonly Resource: string;
    readonly Condition: { readonly [operator: string]: { readonly [key: string]: readonly string[] } };
  }[];
}

const reads = ['BatchGetItem', 'GetItem', 'Query'];
const writes = ['BatchWriteItem', 'ConditionCheckItem', 'DeleteItem', 'PutItem', 'UpdateItem'];

/**
 * The policy that restricts a session to the items of one tenant, in the tables that declare one: requests by key, with partition keys that
 * begin with the tenant (`dynamodb:LeadingKeys`). It does not allow Scan, which that condition does not restrict, or PartiQL.
 *
 * @throws {ModelError} when the model cannot be resolved, a key does not begin with its tenant, or no table declares a tenant.
 */
export function tenantPolicy(model: Model, options: TenantPolicyOptions = {}): TenantPolicy {
  const resolved = resolve(model);
  const codes = new Set(tenantRules.map(({ code }) => code));
  const refuted = check(model).findings.filter(({ level, code }) => level === 'error' && codes.has(code));
  const problems = [...resolved.problems, ...refuted];
  if (problems.length > 0) throw new ModelError(problems);
  const statements = placesOf(resolved).flatMap((place) => statementOf(resolved, place, options));
  if (statements.length === 0)
    throw new ModelError([
      {
        code: 'no-tenant',
        path: 'tables',
        message: "no table declares a tenant: tables({ Shop: { …, tenant: 'tenantId' } })",
      },
    ]);
  return { Version: '2012-10-17', Statement: statements };
}

function statementOf(
  model: ResolvedModel,
  place: PlaceInfo,
  { tag, account = '*', region = '*', tables = {} }: TenantPolicyOptions,
): TenantPolicy['Statement'] {
  const tenant = tenantOf(model, place.table);
  if (tenant === undefined) return [];
  const leads = tenantResidents(model, place)
    .map((resident) => tenantLead(model, resident, tenant))
    .filter((lead): lead is TenantLead => typeof lead !== 'string');
  if (leads.length === 0) return [];
  const variable = `\${aws:PrincipalTag/${tag ?? tenant}}`;
  const values = leads.map(
    ({ before, after, whole }) => `${literal(before)}${variable}${literal(after)}${whole ? '' : '*'}`,
  );
  const table = `arn:aws:dynamodb:${region}:${account}:table/${tables[place.table] ?? place.table}`;
  const isTable = place.kind === 'table';
  return [
    {
      Sid: `OwnItemsOf${place.table}${isTable ? '' : place.name}`.replaceAll(/[^A-Za-z0-9]/g, ''),
      Effect: 'Allow',
      Action: (isTable ? [...reads, ...writes].toSorted() : ['Query']).map((action) => `dynamodb:${action}`),
      Resource: isTable ? table : `${table}/index/${place.name}`,
      Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...new Set(values)].toSorted() } },
    },
  ];
}

/** The text of a template as a `StringLike` pattern. */
function literal(text: string): string {
  return text.replaceAll(/[*?$]/g, (character) => `\${${character}}`);
}
