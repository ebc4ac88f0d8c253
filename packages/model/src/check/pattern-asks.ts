import type { PatternInfo, PlaceInfo, Plan, QueryStream, ResolvedModel } from '../resolve/resolved.ts';
import type { EntityInfo, KeySlot, ParentInfo, UniqueInfo, WritePlan } from '../resolve/resolved.ts';
import {
  changedAttributes,
  changedParents,
  isCounted,
  sequenced,
  slotsOf,
  variableNames,
  sharesKey,
} from '../resolve/slots.ts';
import { projectedNames, queryProjection } from '../run/projection.ts';
import { likeLiteral } from './like-pattern.ts';
import { tenantEntities } from './tenants.ts';

/** One permission that a pattern needs. */
export interface Ask {
  /** `GetItem`, as policies name it. */
  readonly action: string;
  /** The table or index that the permission is for. */
  readonly place: PlaceInfo;
  /** The partition keys, as `StringLike` compares them. `*`: anything. */
  readonly lead: string;
  /** Names in the request, if it reads only some attributes: those that are always present, and those that may be. */
  readonly attributes: { readonly sent: readonly string[]; readonly may: readonly string[] } | undefined;
  /** Whether every call that sends a request needs it. */
  readonly always: boolean;
}

/** The tag with the tenant of a table's session; undefined where the table has no tenant. */
export type TenantTag = (table: string) => string | undefined;

/** All permissions that the requests of a pattern need, derived from its plan. None for a pattern without one. */
export function asksOfPattern(model: ResolvedModel, name: string, tagOf: TenantTag): readonly Ask[] {
  const pattern = model.patterns.get(name);
  if (pattern?.plan === undefined) return [];
  const lead = leadsOf(model, tagOf);
  return pattern.plan.kind === 'write'
    ? asksOfWrites(model, pattern.plan, lead)
    : asksOfRead(pattern, pattern.plan, lead);
}

type LeadOf = (entity: EntityInfo, partition: readonly KeySlot[]) => string;

/** The form of a partition key: its first attribute, with the tenant if the key begins with it. A number or binary key is the tenant, or anything. */
function leadsOf(model: ResolvedModel, tagOf: TenantTag): LeadOf {
  const tenants = new Map(tenantEntities(model).map(({ entity, tenant }) => [entity, tenant]));
  return (entity, [slot]) => {
    if (slot === undefined) return '*';
    const [first] = slot.template.variables;
    const texts = slot.template.parts.map((part) => {
      if (typeof part === 'string') return likeLiteral(part);
      const isTenant = part === first && part.encoding === '' && part.name === tenants.get(entity);
      return isTenant ? `\${aws:PrincipalTag/${tagOf(entity.table.name) ?? part.name}}` : '*';
    });
    // The condition compares the canonical form of a number, which a constant in a key need not have.
    if (slot.type !== 'S' && !texts.some((text) => text.startsWith('${aws'))) return '*';
    return texts.join('').replaceAll(/\*+/g, '*');
  };
}

type ReadPlan = Exclude<Plan, { kind: 'write' }>;

function asksOfRead(pattern: PatternInfo, plan: ReadPlan, leadOf: LeadOf): readonly Ask[] {
  const { need } = pattern;
  switch (plan.kind) {
    case 'get':
    case 'batch-get': {
      const { entity } = plan.part;
      const { place } = entity.table;
      const action = plan.kind === 'get' ? 'GetItem' : 'BatchGetItem';
      const names = projectedNames(need, entity, plan.residuals);
      return [
        {
          action,
          place,
          lead: leadOf(entity, entity.key.partition),
          attributes: namesOf(pattern, [place], names),
          always: true,
        },
      ];
    }
    case 'scan': {
      const { place, part, residuals } = plan;
      const names = projectedNames(need, part.entity, residuals);
      const attributes = namesOf(pattern, [place, part.entity.table.place], names);
      return [{ action: 'Scan', place, lead: '*', attributes, always: true }];
    }
    case 'query':
      return plan.streams.flatMap((stream) => asksOfStream(pattern, plan, stream, leadOf));
  }
}

function asksOfStream(
  pattern: PatternInfo,
  plan: Extract<Plan, { kind: 'query' }>,
  stream: QueryStream,
  leadOf: LeadOf,
): readonly Ask[] {
  const { place, bounds } = stream;
  const names = Object.values(queryProjection(pattern.need, plan, stream).ExpressionAttributeNames);
  const tables = plan.parts.map(({ entity }) => entity.table.place);
  const attributes = namesOf(pattern, [place, ...tables], names);
  // Each form that an input selects has its own keys; together, all forms have the stream's.
  const leads = new Set(
    bounds.flatMap(({ part, partition }) => [leadOf(part.entity, partition), leadOf(part.entity, stream.partition)]),
  );
  return [...leads].map((lead) => ({ action: 'Query', place, lead, attributes, always: leads.size === 1 }));
}

/** The names in the request of a read with a projection. Keys are always included, whatever the projection names. */
function namesOf({ need }: PatternInfo, places: readonly PlaceInfo[], projected: readonly string[]): Ask['attributes'] {
  if (need.attributes === undefined) return undefined;
  const keys = places.flatMap((place) => slotsOf(place)).map(({ attribute }) => attribute);
  const sent = [...new Set([...projected, ...keys])].toSorted();
  const may = need.range === undefined ? sent : [...new Set([...sent, need.range])].toSorted();
  return { sent, may };
}

function asksOfWrites(
  model: ResolvedModel,
  { writes, operations }: Extract<Plan, { kind: 'write' }>,
  leadOf: LeadOf,
): readonly Ask[] {
  const isBatch = operations.at(-1) === 'BatchWriteItem';
  return writes.flatMap((write) => {
    const ask = (action: string, entity: EntityInfo, partition: readonly KeySlot[], always: boolean): Ask => ({
      action,
      place: entity.table.place,
      lead: leadOf(entity, partition),
      attributes: undefined,
      always,
    });
    const { entity } = write;
    const others = writes.filter((each) => each !== write);
    const own = ownActions(write, isBatch, operations.at(-1) === 'TransactWriteItems').map(({ action, always }) => ({
      action,
      // A check of an item that the transaction writes as well is a condition of that write.
      always: always && !(action === 'ConditionCheckItem' && others.some((other) => mayWrite(other, entity))),
    }));
    const guards = entity.unique.flatMap((unique) =>
      guardActions(write, unique).map((action) => ask(action, entity, unique.form.partition, false)),
    );
    const parents = entity.parents.flatMap((parent) => {
      const target = model.entities.get(parent.entity);
      return target === undefined
        ? []
        : parentActions(write, parent).map((action) => ask(action, target, target.key.partition, false));
    });
    const numbered = write.verb === 'creates' ? entity.sequences : [];
    const sequences = numbered.flatMap(({ parent }) => {
      const target = model.entities.get(parent.entity);
      return target === undefined ? [] : [ask('UpdateItem', target, target.key.partition, true)];
    });
    return [
      ...own.map(({ action, always }) => ask(action, entity, entity.key.partition, always)),
      ...guards,
      ...parents,
      ...sequences,
    ];
  });
}

/** Whether a write may write an item of an entity: its own, that of a parent, or one that has the same key. */
function mayWrite({ entity }: WritePlan, other: EntityInfo): boolean {
  return entity === other || entity.parents.some((parent) => parent.entity === other.name) || sharesKey(other);
}

/** What a write does to its own item (`run/write-actions.ts`). */
function ownActions(
  write: WritePlan,
  isBatch: boolean,
  isTransaction: boolean,
): readonly { readonly action: string; readonly always: boolean }[] {
  const { verb, readsFirst, need, entity } = write;
  const first = readsFirst ? [{ action: 'GetItem', always: true }] : [];
  const sure = (action: string): { readonly action: string; readonly always: boolean } => ({
    action,
    // The item that is read first decides whether and how anything is written.
    always: !readsFirst,
  });
  const perhaps = (action: string, is: boolean): readonly { readonly action: string; readonly always: boolean }[] =>
    is ? [{ action, always: false }] : [];
  // An item that has expired is replaced, and so is one that was found to be missing.
  const makes = readsFirst || entity.rules.expires !== undefined;
  switch (verb) {
    case 'creates':
    case 'puts':
      return [...first, sure(isBatch ? 'BatchWriteItem' : 'PutItem')];
    case 'upserts':
      return [
        ...first,
        sure('UpdateItem'),
        ...perhaps('PutItem', makes),
        ...perhaps('ConditionCheckItem', isTransaction && entity.table.typeAttribute === undefined),
      ];
    case 'updates': {
      const isFixed = (need.sets ?? []).length + Object.keys(need.changes ?? {}).length > 0;
      const mayBeNothing = isTransaction && !isFixed && entity.rules.lock === undefined;
      return [
        ...first,
        ...(mayBeNothing ? perhaps('UpdateItem', true) : [sure('UpdateItem')]),
        ...perhaps('PutItem', makes && need.orCreates === true),
        // In a transaction, an update without changes becomes a condition check.
        ...perhaps('ConditionCheckItem', mayBeNothing),
      ];
    }
    case 'deletes':
      return [...first, sure(isBatch ? 'BatchWriteItem' : 'DeleteItem')];
    case 'checks':
      return [...first, sure('ConditionCheckItem')];
  }
}

/** What a write does to the guard of a unique value (`run/relations.ts`). */
function guardActions(
  { verb, need, entity, moves, readsFirst }: WritePlan,
  { attribute, form }: UniqueInfo,
): readonly string[] {
  const { expires } = entity.rules;
  const variables = [...slotsOf(form), ...slotsOf(entity.key)].flatMap(({ template }) => template.variables);
  // A guard stays under its key if the value is written in another way, and is given that value.
  const encoded = new Set(variables.filter(({ encoding }) => encoding !== '').map(({ name }) => name));
  switch (verb) {
    case 'creates':
    case 'puts':
      return ['PutItem'];
    case 'upserts':
      return [
        'PutItem',
        ...(readsFirst ? ['DeleteItem'] : []),
        ...(expires === undefined && encoded.size === 0 ? [] : ['UpdateItem']),
      ];
    case 'updates': {
      if (!moves) return need.orCreates === true ? ['PutItem'] : [];
      const changed = changedAttributes(need, entity);
      const isMoved = need.orCreates === true || variableNames(slotsOf(form)).some((name) => changed.has(name));
      const isRenewed =
        (expires !== undefined && changed.has(expires)) || (changed.has(attribute) && encoded.has(attribute));
      return [...(isMoved ? ['PutItem', 'DeleteItem'] : []), ...(isRenewed ? ['UpdateItem'] : [])];
    }
    case 'deletes':
      return readsFirst ? ['DeleteItem'] : [];
    case 'checks':
      return [];
  }
}

/** What a write does to a parent (`run/relations.ts`). */
function parentActions({ verb, need, entity }: WritePlan, parent: ParentInfo): readonly string[] {
  const counted = isCounted(parent);
  const joined = counted ? 'UpdateItem' : 'ConditionCheckItem';
  switch (verb) {
    case 'creates':
      return !counted && sequenced(entity, parent.entity) ? [] : [joined];
    case 'puts':
    case 'upserts':
      return [joined];
    case 'updates':
      if (need.orCreates === true) return [...new Set([joined, 'ConditionCheckItem'])];
      return changedParents(need, entity).includes(parent) ? [joined] : [];
    case 'deletes':
      return counted ? ['UpdateItem'] : [];
    case 'checks':
      return [];
  }
}
