import type { KeyTemplate, TemplateVariable } from '../keys/template.ts';
import { shardsOf, unitOf } from '../keys/template.ts';
import type { Need } from '../patterns/need.ts';
import type { QueryServed, ScanServed, Served } from '../patterns/served.ts';
import { constantsOf, implies, testedAttributes } from '../patterns/condition.ts';
import type { Comparison, Condition, Test } from '../patterns/value.ts';
import { keyVariables } from './entities.ts';
import { residualOf, settledBy } from './residual.ts';
import type {
  EntityInfo,
  KeyForm,
  KeySlot,
  PlaceInfo,
  Plan,
  QueryStream,
  ReadPart,
  Residual,
  SortBound,
} from './resolved.ts';
import { slotsOf, variableNames } from './slots.ts';

type Entities = ReadonlyMap<string, EntityInfo>;
type Fail = (code: string, message: string) => undefined;
type QueryPlan = Extract<Plan, { kind: 'query' }>;

/** The plan of a read, or undefined after reporting why there is none. */
export function planRead(need: Need, served: Served, entities: Entities, fail: Fail): Plan | undefined {
  const parts = partsOf(need, entities, fail);
  const [first] = parts;
  if (first === undefined) return undefined;
  if ((served === 'GetItem' || served === 'BatchGetItem') && !need.count) return planGet(need, served, parts, fail);
  const wrong = (): undefined => fail('wrong-operation', `a read is not served by ${JSON.stringify(served)}`);
  if (typeof served === 'string' || (need.count && !('query' in served))) return wrong();
  if ('query' in served) return planQuery(need, served, parts, fail);
  return 'scan' in served ? planScan(need, served, first, fail) : wrong();
}

/** Attributes that have a value when the pattern runs: inputs, their other names and constants. */
export function boundAttributes(need: Need): Set<string> {
  const aliases = Object.values(need.aka ?? {}).flat();
  return new Set([...(need.by ?? []), ...aliases, ...Object.keys(constantsOf(need.where))]);
}

function partsOf(need: Need, entities: Entities, fail: Fail): ReadPart[] {
  const { reads = {} } = need;
  const named: [string | undefined, string | readonly [string]][] =
    typeof reads === 'string' || Array.isArray(reads)
      ? [[undefined, reads as string | readonly [string]]]
      : Object.entries(reads as Readonly<Record<string, string | readonly [string]>>);
  return named.flatMap(([name, target]) => {
    const many = typeof target !== 'string';
    const entity = entities.get(many ? target[0] : target);
    if (entity === undefined) fail('no-keys', `${String(target)} has no keys`);
    return entity === undefined ? [] : [{ name, entity, many }];
  });
}

function planGet(
  need: Need,
  served: 'GetItem' | 'BatchGetItem',
  parts: readonly ReadPart[],
  fail: Fail,
): Plan | undefined {
  const [first] = parts;
  const several = parts.length > 1 && served !== 'GetItem';
  if (first === undefined || several || parts.some(({ many }) => many)) {
    return fail('not-one-item', `${served} reads one item by its key`);
  }
  const bound = boundAttributes(need);
  const missing = ({ entity }: ReadPart): string[] => keyVariables(entity).filter((name) => !bound.has(name));
  const part = parts.find((each) => missing(each).length === 0);
  if (part === undefined) {
    return fail('key-not-known', `the key needs ${list(missing(first))}, which is not among the inputs`);
  }
  const residuals = parts.flatMap((each) => {
    const settled = settledBy(slotsOf(each.entity.key), each.entity);
    return residualOf(need, each, (name) => settled.includes(name));
  });
  return served === 'GetItem' ? { kind: 'get', part, parts, residuals } : { kind: 'batch-get', part, residuals };
}

function planScan(need: Need, served: ScanServed, part: ReadPart, fail: Fail): Plan | undefined {
  const place = placeNamed(part.entity, served.scan);
  if (place === undefined) return fail('not-in-place', `${part.entity.name} has no key in ${served.scan}`);
  if (!projected(need, part.entity, place))
    return fail('not-projected', `${place.name} does not hold all that is read`);
  return { kind: 'scan', part, place, residuals: residualOf(need, part, () => false) };
}

function planQuery(need: Need, served: QueryServed, parts: readonly ReadPart[], fail: Fail): Plan | undefined {
  const places: readonly string[] = typeof served.query === 'string' ? [served.query] : served.query;
  const streams = places.flatMap((place) => streamOf(need, served, place, parts, fail) ?? []);
  if (streams.length < places.length) return undefined;
  const free = streams.flatMap(({ partition }) => unbound(partition, need));
  const shards = free.map((variable) => ({ variable, ...shardsOf(variable) })).find(({ count }) => count !== undefined);
  const walked = served.walk && free.find((variable) => unitOf(variable) === served.walk?.unit);
  if (served.walk !== undefined && walked === undefined) {
    return fail('no-walk', `no part of the partition key is cut to the ${served.walk.unit}`);
  }
  const { count = 1, first = 0 } = shards ?? {};
  const [among] = Object.entries(need.among ?? {}).map(([input, most]) => ({ most, input }));
  const queries = count * (among?.most ?? 1);
  if (queries !== (served.fanOut ?? 1)) {
    return fail('fan-out', `takes ${queries} queries, one for each partition; declared are ${served.fanOut ?? 1}`);
  }
  return {
    kind: 'query',
    parts,
    streams,
    descending: (walked !== undefined && need.order === undefined) || isDescending(need, streams),
    shards: shards && { variable: shards.variable, first, count },
    walk: walked && served.walk && { ...served.walk, variable: walked },
    among,
    readAhead: served.readAhead,
  } satisfies QueryPlan;
}

/** Whether the keys are read from the end: for descending order, unless the key sorts the attribute's largest value first. */
function isDescending({ order }: Need, streams: readonly QueryStream[]): boolean {
  const [attribute, direction] = order?.split(' ') ?? [];
  const ordered = streams
    .flatMap(({ bounds }) => bounds.map(({ partial }) => partial?.next))
    .find((next) => next?.name === attribute);
  const reversed = ordered?.encoders.some((encoder) => encoder.reversed === true) ?? false;
  return (direction === 'desc') !== reversed;
}

function streamOf(
  need: Need,
  served: QueryServed,
  placeName: string,
  parts: readonly ReadPart[],
  fail: Fail,
): QueryStream | undefined {
  const bounds: SortBound[] = [];
  let partition: readonly KeySlot[] | undefined;
  let place: PlaceInfo | undefined;
  for (const part of parts) {
    place = placeNamed(part.entity, placeName);
    if (place === undefined) return fail('not-in-place', `${part.entity.name} has no key in ${placeName}`);
    if (!projected(need, part.entity, place))
      return fail('not-projected', `${placeName} does not hold all that is read`);
    const forms = formsIn(part.entity, place).filter((form) => agrees(form.when, need.where));
    if (forms.length === 0)
      return fail('not-in-place', `${part.entity.name} is not in ${placeName} under this condition`);
    for (const form of forms) {
      const key = place.kind === 'local' ? part.entity.key.partition : form.partition;
      bounds.push(boundOf(need, part, form, key));
      if (isKnown(key, need, served)) partition ??= key;
    }
  }
  if (place === undefined || partition === undefined) {
    const [slot] = bounds[0]?.form.partition ?? [];
    return fail(
      'key-not-known',
      `the partition key ${slot?.template.source ?? ''} of ${placeName} needs more than the inputs`,
    );
  }
  const residuals = parts.flatMap((part) => streamResidual(need, part, bounds));
  return { place, partition, bounds: bounds.sort((a, b) => compareText(prefixOf(a), prefixOf(b))), residuals };
}

/** What the partition, the range of one form and its condition do not settle. A range from one form to another fixes no sort key. */
function streamResidual(need: Need, part: ReadPart, bounds: readonly SortBound[]): Residual[] {
  const { entity } = part;
  const own = bounds.filter((bound) => bound.part === part);
  const settled = own.map(({ partition, equal, partial, picks }) => [
    ...settledBy(partition, entity),
    ...Object.keys(constantsOf(picks)),
    ...(bounds.length > 1 ? [] : settledBy(equal, entity)),
    ...(bounds.length > 1 || partial === undefined
      ? []
      : settledBy([partial.slot], entity, partial.bound.parts.length)),
  ]);
  return residualOf(
    need,
    part,
    (name) => settled.every((names) => names.includes(name)),
    (name, test) =>
      own.every(({ form, partition }) => {
        const { [name]: fixed } = (form.when ?? {}) as Readonly<Record<string, unknown>>;
        // An item without one of the attributes has no such key.
        const has = implies({ exists: true }, test) && variableNames([...partition, ...form.sort]).includes(name);
        return has || (fixed !== undefined && implies(fixed, test));
      }),
  );
}

/** The known part of an entity's sort keys: equal slots first, then one that is partly bound. */
function boundOf(need: Need, part: ReadPart, form: KeyForm, partition: readonly KeySlot[]): SortBound {
  const bound = boundAttributes(need);
  const picks = need.unproven ? undefined : picksOf(form.when, inputAttributes(need));
  const of = { part, form, partition, picks };
  const equal: KeySlot[] = [];
  for (const slot of form.sort) {
    const { parts } = slot.template;
    const at = parts.findIndex((piece) => typeof piece !== 'string' && !bound.has(piece.name));
    const next = parts[at];
    if (next === undefined || typeof next === 'string') {
      equal.push(slot);
      continue;
    }
    return { ...of, equal, partial: { slot, bound: beginning(slot.template, at), next } };
  }
  return { ...of, equal, partial: undefined };
}

/** Attributes whose value is an input. */
function inputAttributes({ by = [], aka = {} }: Need): Set<string> {
  return new Set([...by.map((input) => aka[input] ?? input), ...Object.values(aka)].flat());
}

/** The tests of a condition that concern only inputs. */
function picksOf(when: Condition | undefined, inputs: ReadonlySet<string>): Condition | undefined {
  const tests = Object.entries(when ?? {}).filter(([path, test]) =>
    testedAttributes({ [path]: test }).every((name) => inputs.has(name)),
  );
  return tests[0] && (Object.fromEntries(tests) as Condition);
}

function beginning(template: KeyTemplate, end: number): KeyTemplate {
  const parts = template.parts.slice(0, end);
  return { ...template, parts, variables: parts.filter((part) => typeof part !== 'string') };
}

function isKnown(slots: readonly KeySlot[], need: Need, served: QueryServed): boolean {
  const free = unbound(slots, need).filter((variable) => shardsOf(variable) === undefined);
  return free.every((variable) => served.walk !== undefined && unitOf(variable) === served.walk.unit);
}

function unbound(slots: readonly KeySlot[], need: Need): TemplateVariable[] {
  const bound = boundAttributes(need);
  return slots.flatMap(({ template }) => template.variables.filter(({ name }) => !bound.has(name)));
}

/** The forms of an entity's key in a table or index. */
export function formsIn(entity: EntityInfo, place: PlaceInfo): readonly KeyForm[] {
  if (place.kind === 'table') return [entity.key];
  return entity.indexes.find((index) => index.place === place)?.forms ?? [];
}

function placeNamed(entity: EntityInfo, name: string): PlaceInfo | undefined {
  if (entity.table.name === name) return entity.table.place;
  return entity.indexes.find(({ place }) => place.name === name)?.place;
}

function projected(need: Need, entity: EntityInfo, place: PlaceInfo): boolean {
  // The service reads what a local index lacks from the table, if it is asked for by name.
  if (place.project === 'ALL' || (place.kind === 'local' && (need.attributes ?? need.count))) return true;
  const keys = [place, entity.table.place].flatMap(slotsOf);
  const held = new Set([
    ...keys.map(({ attribute }) => attribute),
    ...(place.project === 'KEYS_ONLY' ? [] : place.project),
  ]);
  const expires = need.expired === true ? undefined : entity.rules.expires;
  const wanted = [...(need.attributes ?? entity.attributes.keys()), entity.table.typeAttribute, expires];
  return wanted.every((name) => name === undefined || held.has(entity.attributes.get(name)?.stored ?? name));
}

/** A form serves a pattern unless the pattern's constants, or what it requires to be there, contradict its condition. */
export function agrees(when: Condition | undefined, where: Condition = {}): boolean {
  return Object.entries(when ?? {}).every(([name, test]) => {
    const asked = where[name as never] as Test | undefined;
    if (asked === undefined) return true;
    const [held, wanted] = [isThere(test), isThere(asked)];
    if ((held ?? wanted) !== (wanted ?? held)) return false;
    if (typeof asked === 'object') return true;
    return Array.isArray(test) ? test.includes(asked) : typeof test === 'object' || test === asked;
  });
}

/** Whether a test requires an attribute to be there, or not to be; undefined for one that does not say. */
function isThere(test: unknown): unknown {
  return typeof test === 'object' ? (Object(test) as Comparison).exists : true;
}

/** The text before the first variable, so that it sorts as UTF-8 does: its code points as numbers of one width. */
function prefixOf({ form }: SortBound): string {
  const { prefix = '' } = form.sort[0]?.template ?? {};
  return Array.from(prefix, (character) => 1e7 + (character.codePointAt(0) ?? 0)).join();
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function list(names: readonly string[]): string {
  return names.map((name) => `{${name}}`).join(' and ');
}
