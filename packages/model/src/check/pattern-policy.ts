import type { Model } from '../model.ts';
import { ModelError } from '../model-error.ts';
import { resolve } from '../resolve/resolve.ts';
import type { PlaceInfo, ResolvedModel } from '../resolve/resolved.ts';
import { check } from './check.ts';
import { coversText, meetsText } from './like-pattern.ts';
import { type Ask, asksOfPattern } from './pattern-asks.ts';
import { placesOf } from './residents.ts';
import { tenantRules } from './rules/tenants.ts';
import type { TenantPolicyOptions } from './tenant-policy.ts';
import { tenantOf } from './tenants.ts';

/*
 * The minimal policy for some patterns of a model (decision 0085). A pattern's plan determines its permissions: the actions, the table or
 * index, the partition keys by the templates, and the attributes if it reads only some. A policy cannot distinguish two patterns that need the
 * same permissions, so the result names the patterns that are allowed besides the chosen ones.
 */

/** One statement of a policy. */
export interface PatternPolicyStatement {
  /** The table or index, and a number. */
  readonly Sid: string;
  /** Always Allow: the policy denies nothing. */
  readonly Effect: 'Allow';
  /** The permissions, sorted. */
  readonly Action: readonly string[];
  /** The ARN of one table or index. */
  readonly Resource: string;
  /** Restrictions on partition keys and on the attributes that are read, if there are any. */
  readonly Condition?: { readonly [operator: string]: { readonly [key: string]: readonly string[] } };
}

/** The minimal policy for some patterns, and what else it allows. */
export interface PatternPolicy {
  /** An IAM policy, as JSON. */
  readonly policy: { readonly Version: '2012-10-17'; readonly Statement: readonly PatternPolicyStatement[] };
  /** Other patterns that need no further permissions. */
  readonly alsoAllowed: readonly string[];
  /** Other patterns that are allowed for some of their inputs, or only in part. */
  readonly partlyAllowed: readonly string[];
}

/**
 * The minimal policy with which some patterns of a model can run, within what IAM can distinguish: action, table or index, partition key
 * and names of attributes. In a table with a tenant, the partition keys are those of the tenant that a tag of the session names.
 *
 * @param names - patterns, and procedures that represent all patterns they use.
 * @throws {ModelError} when the model cannot be resolved, a name is not a pattern or procedure, a pattern has no plan, or a key does not begin
 *   with its tenant.
 */
export function patternPolicy(
  model: Model,
  names: readonly string[],
  options: TenantPolicyOptions = {},
): PatternPolicy {
  const resolved = resolve(model);
  refuseUnsoundTenants(model, resolved);
  const chosen = new Set(names.flatMap((name) => patternsNamed(model, resolved, name)));
  const tagOf = (table: string): string | undefined => options.tag ?? tenantOf(resolved, table);
  const asked = [...chosen].flatMap((name) => asksOfPattern(resolved, name, tagOf));
  const scans = names.flatMap((name) => scansOf(model, resolved, name));
  const grants = grantsFor([...asked, ...scans]);
  const others = [...resolved.patterns.values()].filter(({ name, plan }) => !chosen.has(name) && plan !== undefined);
  const reach = others.map(({ name }) => ({ name, reach: reachOf(grants, asksOfPattern(resolved, name, tagOf)) }));
  const reached = (wanted: Reach): readonly string[] =>
    reach.filter((one) => one.reach === wanted).map(({ name }) => name);
  return {
    policy: { Version: '2012-10-17', Statement: statementsOf(grants, options) },
    alsoAllowed: reached('all'),
    partlyAllowed: reached('some'),
  };
}

function refuseUnsoundTenants(model: Model, { problems }: ResolvedModel): void {
  const codes = new Set(tenantRules.map(({ code }) => code));
  const hasTenants = Object.values(model.tables).some(({ tenant }) => tenant !== undefined);
  const findings = hasTenants ? check(model).findings : [];
  const refuted = findings.filter(({ level, code }) => level === 'error' && codes.has(code));
  if (problems.length + refuted.length > 0) throw new ModelError([...problems, ...refuted]);
}

function patternsNamed(model: Model, { patterns }: ResolvedModel, name: string): readonly string[] {
  if (patterns.has(name)) return [name];
  const procedures = new Map(Object.entries(model.procedures ?? {}));
  const procedure = procedures.get(name);
  if (procedure !== undefined) return procedure.takes;
  const known = [...patterns.keys(), ...procedures.keys()].join(', ');
  throw new ModelError([
    { code: 'unknown-pattern', path: name, message: `is neither a pattern nor a procedure of the model: ${known}` },
  ]);
}

/** The tables and indexes that a procedure reads completely, besides its patterns. */
function scansOf(model: Model, resolved: ResolvedModel, name: string): Ask[] {
  const scans = new Map(Object.entries(model.procedures ?? {})).get(name)?.scans ?? {};
  return placesOf(resolved)
    .filter((place) => Object.hasOwn(scans, place.name))
    .map((place) => ({ action: 'Scan', place, lead: '*', attributes: undefined, always: true }));
}

/** What a statement allows: one action on one place, for partition keys that match any of the texts. */
interface Grant {
  readonly action: string;
  readonly place: PlaceInfo;
  /** `*` alone: any partition key, or none. */
  readonly leads: readonly string[];
  /** All attributes if undefined. */
  readonly attributes: readonly string[] | undefined;
}

/** One grant for each action on a place, and one more for each list of attributes. Grants that another one covers are left out. */
function grantsFor(asks: readonly Ask[]): readonly Grant[] {
  const groups = new Map<string, Ask[]>();
  for (const ask of asks) groups.set(groupOf(ask), [...(groups.get(groupOf(ask)) ?? []), ask]);
  const grants = [...groups.values()].flatMap((group): Grant[] => {
    const [first] = group;
    if (first === undefined) return [];
    const leads = [...new Set(group.map(({ lead }) => lead))].toSorted();
    const { action, place, attributes } = first;
    const needed = leads.filter((lead) => !leads.some((other) => other !== lead && coversText(other, lead)));
    return [{ action, place, leads: needed, attributes: attributes?.may }];
  });
  return grants.filter((grant) => !grants.some((other) => other !== grant && givesAll(other, grant)));
}

function groupOf({ action, place, attributes }: Ask): string {
  return JSON.stringify([place.table, place.kind, place.name, action, attributes?.may ?? null]);
}

function givesAll(grant: Grant, other: Grant): boolean {
  return (
    grant.action === other.action &&
    grant.place === other.place &&
    (grant.attributes === undefined || isWithin(other.attributes, grant.attributes)) &&
    other.leads.every((lead) => grant.leads.some((each) => coversText(each, lead)))
  );
}

function isWithin(names: readonly string[] | undefined, allowed: readonly string[]): boolean {
  return names !== undefined && names.every((name) => allowed.includes(name));
}

type Reach = 'all' | 'some' | 'none';

function reachOf(grants: readonly Grant[], asks: readonly Ask[]): Reach {
  const reaches = asks.map((ask) => ({ ask, reach: reachOfAsk(grants, ask) }));
  if (reaches.every(({ reach }) => reach === 'all')) return 'all';
  return reaches.some(({ ask, reach }) => ask.always && reach === 'none') ? 'none' : 'some';
}

function reachOfAsk(grants: readonly Grant[], { action, place, lead, attributes }: Ask): Reach {
  const given = grants.filter((grant) => grant.action === action && grant.place === place);
  const whole = given.filter((grant) => grant.attributes === undefined || isWithin(attributes?.may, grant.attributes));
  if (whole.some(({ leads }) => leads.some((each) => coversText(each, lead)))) return 'all';
  const partly = given.filter(
    (grant) => grant.attributes === undefined || isWithin(attributes?.sent, grant.attributes),
  );
  return partly.some(({ leads }) => leads.some((each) => meetsText(each, lead))) ? 'some' : 'none';
}

/** Grants that differ only in their action become one statement. */
function statementsOf(
  grants: readonly Grant[],
  { account = '*', region = '*', tables = {} }: TenantPolicyOptions,
): readonly PatternPolicyStatement[] {
  const statements = new Map<string, { readonly grant: Grant; readonly actions: string[] }>();
  for (const grant of grants) {
    const { place, leads, attributes } = grant;
    const id = JSON.stringify([place.table, place.kind, place.name, leads, attributes ?? null]);
    const known = statements.get(id);
    if (known === undefined) statements.set(id, { grant, actions: [grant.action] });
    else known.actions.push(grant.action);
  }
  return [...statements.values()].map(({ grant: { place, leads, attributes }, actions }, position) => {
    const table = `arn:aws:dynamodb:${region}:${account}:table/${tables[place.table] ?? place.table}`;
    const isTable = place.kind === 'table';
    const condition = conditionOf(leads, attributes);
    return {
      Sid: `${`${place.table}${isTable ? '' : place.name}`.replaceAll(/[^A-Za-z0-9]/g, '')}${position + 1}`,
      Effect: 'Allow',
      Action: actions.map((action) => `dynamodb:${action}`).toSorted(),
      Resource: isTable ? table : `${table}/index/${place.name}`,
      ...(condition !== undefined && { Condition: condition }),
    };
  });
}

function conditionOf(
  leads: readonly string[],
  attributes: readonly string[] | undefined,
): PatternPolicyStatement['Condition'] {
  const condition = {
    ...(!leads.includes('*') && { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': leads } }),
    ...(attributes !== undefined && {
      'ForAllValues:StringEquals': { 'dynamodb:Attributes': attributes },
      // A read without a projection names no attributes, and returns all of them.
      StringEquals: { 'dynamodb:Select': ['SPECIFIC_ATTRIBUTES'] },
    }),
  };
  return Object.keys(condition).length === 0 ? undefined : condition;
}
