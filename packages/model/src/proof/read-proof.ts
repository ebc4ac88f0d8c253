import { domainOf, type Domain, union } from '../keys/domain.ts';
import { instantOf } from '../keys/encoders.ts';
import { type Following, holeProperties, type HoleProperties, sameChain } from '../keys/hole.ts';
import { choicesOf, filled, withChoice } from '../check/constants.ts';
import { slotsCanBeEqual } from '../check/residents.ts';
import { withinRange } from '../check/others-within.ts';
import type { TemplateVariable } from '../keys/template.ts';
import { shardsOf, unitOf } from '../keys/template.ts';
import { constantsOf, implies, isOfConstants, isReference, testedAttributes } from '../patterns/condition.ts';
import { meets } from '../patterns/evaluate.ts';
import type { Need } from '../patterns/need.ts';
import type { Condition } from '../patterns/value.ts';
import { keyVariables } from '../resolve/entities.ts';
import { agrees, formsIn } from '../resolve/reads.ts';
import type {
  EntityInfo,
  KeySlot,
  PatternInfo,
  PlaceInfo,
  Plan,
  QueryStream,
  ReadPart,
  Residual,
  SortBound,
  UniqueInfo,
} from '../resolve/resolved.ts';
import { guardedAttributes, slotsOf, sourceOf, variableNames } from '../resolve/slots.ts';
import { type Case, casesOf } from './cases.ts';
import type { StandardSchema } from '../schema/standard-schema.ts';
import { liesBefore } from './key-order.ts';
import { sortableNumber } from './sortable-number.ts';

type QueryPlan = Extract<Plan, { kind: 'query' }>;

/** A part of a pattern that cannot be proven, and why. */
export interface Unproven {
  /** The rule of the checker that reports it. */
  readonly code:
    | 'input-not-used'
    | 'order-not-served'
    | 'range-not-served'
    | 'parent-at-wrong-end'
    | 'part-of-items'
    | 'several-items'
    | 'walk-not-bounded';
  readonly message: string;
  readonly remedy?: string;
  /** The service refuses every call, or items come several times: a model cannot leave it unproven either. */
  readonly isRefused?: boolean;
}

/** What is not proven about a read; empty if everything is proven. */
export function unprovenOf(pattern: PatternInfo): readonly Unproven[] {
  const found = proofs.get(pattern) ?? look(pattern);
  proofs.set(pattern, found);
  return found;
}

const proofs = new WeakMap<PatternInfo, readonly Unproven[]>();

function look(pattern: PatternInfo): readonly Unproven[] {
  return pattern.need.reads === undefined
    ? []
    : [
        ...inputsForOne(pattern.need),
        ...filtersOfAll(pattern),
        ...windowOfWalk(pattern),
        ...withoutCopies(pattern),
        ...lookAt(pattern),
      ];
}

/** Only a walk reads by a window. */
function windowOfWalk({ need: { window }, plan }: PatternInfo): Unproven[] {
  if (window === undefined || plan === undefined || (plan.kind === 'query' && plan.walk !== undefined)) return [];
  return [
    {
      code: 'walk-not-bounded',
      message: `the window of ${window.of} has no effect: no walk reads the pattern`,
      remedy: `Serve it by a walk over an index whose partition key has {${window.of}:day}, or leave \`window\` out: an interval that the caller gives is \`range: '${window.of}'\`.`,
    },
  ];
}

/** Of identical copies a get reads one. Any other read returns all of them. */
function withoutCopies({ plan }: PatternInfo): Unproven[] {
  const parts = plan?.kind === 'query' ? plan.parts : plan?.kind === 'scan' ? [plan.part] : [];
  return parts
    .filter(({ entity: { rules } }) => (rules.copies ?? 1) > 1)
    .map(({ entity: { name, rules } }) => ({
      code: 'part-of-items',
      message: `there are ${rules.copies ?? 1} copies of each ${name}, and all of them would be returned`,
      isRefused: true,
      remedy: `Read ${name} by its key, which picks one of the copies: \`'GetItem'\` or \`'BatchGetItem'\`.`,
    }));
}

/** A filter is one of all that may be returned, other than the one item of a collection. */
function filtersOfAll({ need: { filters = [] }, plan }: PatternInfo): Unproven[] {
  const parts = plan?.kind === 'get' || plan?.kind === 'query' ? plan.parts : [];
  const isLed = parts.some(({ many }) => many);
  return parts
    .filter(({ many }) => many || !isLed)
    .flatMap(({ entity }) =>
      filters
        .filter((name) => !entity.attributes.has(name))
        .map((name) => ({
          code: 'input-not-used' as const,
          message: `${name} is a filter, and no attribute of ${entity.name}`,
          remedy: `Read ${entity.name} by a pattern of its own, or give it the attribute.`,
        })),
    );
}

/**
 * An attribute has one value in a key, so that a second input for it would be ignored. If one of them is a list, its values would all be read
 * by the other input, and the items would come as often.
 */
function inputsForOne({ by = [], aka = {}, among = {} }: Need): Unproven[] {
  const inputs = new Map<string, Set<string>>();
  for (const input of [...by, ...Object.keys(aka)])
    for (const name of [aka[input] ?? input].flat()) inputs.set(name, (inputs.get(name) ?? new Set()).add(input));
  return [...inputs].flatMap(([name, named]): Unproven[] =>
    named.size < 2
      ? []
      : [
          {
            code: 'input-not-used',
            message: `${[...named].join(' and ')} are inputs for one attribute, ${name}`,
            ...([...named].some((input) => input in among) && { isRefused: true }),
            remedy: 'Leave one of them out.',
          },
        ],
  );
}

function lookAt({ need, plan }: PatternInfo): readonly Unproven[] {
  if (plan?.kind === 'get' || plan?.kind === 'batch-get')
    return [...ofGet(need, plan), ...withoutList(need), ...asWritten(need, plan.residuals, partsOf(plan))];
  if (plan?.kind === 'scan')
    return [
      ...ofScan(need, plan),
      ...distinct(plan.part.entity),
      ...withoutList(need),
      ...asWritten(need, plan.residuals, [plan.part]),
      ...ofProjection(need, { ...plan, bounds: [] }, [plan.part]),
      ...coveredByScan(need, plan),
    ];
  if (plan?.kind !== 'query') return [];
  const found: Unproven[] = [...ofWhole(need, plan)];
  for (const { residuals, bounds } of plan.streams) {
    const forms = bounds.map(({ part, form }) => ({ part, tests: form.when === undefined ? [] : [form.when] }));
    found.push(...asWritten(need, [...residuals, ...forms], plan.parts));
  }
  for (const part of plan.parts) {
    found.push(...distinct(part.entity));
    const own = plan.streams.flatMap(({ bounds }) => bounds).filter((bound) => bound.part === part);
    found.push(...alternatives(need, part, own.map(knownNames)));
    if (plan.streams.length > 1) found.push(...alternativesInSort(need, own));
  }
  for (const stream of plan.streams) {
    const cases = casesOf(stream.bounds);
    for (const live of cases) found.push(...ofCase({ need, plan, stream, live }));
  }
  const seen = new Set<string>();
  return found.filter(({ code, message }) => !seen.has(`${code} ${message}`) && seen.add(`${code} ${message}`));
}

/** A scan returns a page of one entity, without an order and an interval. */
function ofScan(
  { reads, each, order, range }: Need,
  { part: { entity } }: Extract<Plan, { kind: 'scan' }>,
): Unproven[] {
  const found: Unproven[] = [];
  if (!Array.isArray(reads))
    found.push({
      code: 'part-of-items',
      message: `a scan returns a list of one entity, and the pattern reads ${JSON.stringify(reads)}`,
      isRefused: true,
      remedy: `Read a list, \`reads: ['${entity.name}']\`, or serve it by a get or a query.`,
    });
  if (each === true)
    found.push({
      code: 'input-not-used',
      message: 'each of several inputs is read by its primary key, never by a scan',
      isRefused: true,
      remedy: "Leave `each` out, or serve it by `'BatchGetItem'`.",
    });
  if (order !== undefined)
    found.push({
      code: 'order-not-served',
      message: 'a scan has no order',
      remedy: 'Query an index whose sort key begins with the attribute. Or leave `order` out, and sort what is read.',
    });
  if (range !== undefined)
    found.push({
      code: 'range-not-served',
      message: `the range is over ${range}; a scan reads everything`,
      remedy: `Query an index whose sort key begins with ${range}. Or filter: \`where: { ${range}: { atLeast: ref('least') } }\`, with \`least\` in \`takes\`.`,
    });
  return found;
}

/** A scan of an index finds only what is in the index. An input that may be one of several attributes says of none that it is there. */
function coveredByScan({ aka = {}, ...others }: Need, { place, part }: Extract<Plan, { kind: 'scan' }>): Unproven[] {
  const need = {
    ...others,
    aka: Object.fromEntries(Object.entries(aka).filter(([, names]) => [names].flat().length === 1)),
  };
  const bounds = formsIn(part.entity, place)
    .filter(({ when }) => agrees(when, need.where))
    .map((form) => ({ part, form, partition: form.partition, picks: undefined }));
  if (bounds.length === 0)
    return [
      {
        code: 'part-of-items',
        message: `${place.name} has no ${part.entity.name} with ${JSON.stringify(need.where)}`,
        remedy: `Scan the table, \`{ scan: '${part.entity.table.name}', because: '…' }\`.`,
      },
    ];
  return covered({ need, place, all: bounds, forms: bounds, when: '' }, part);
}

/** Only queries can read the values of a list one after the other. */
function withoutList({ among = {} }: Need): Unproven[] {
  return Object.keys(among).map((input) => ({
    code: 'input-not-used',
    message: `${input} is a list, which takes a query for each of its values`,
    remedy: "Serve it by a query, or read items by their keys: `each: true` and `'BatchGetItem'`.",
  }));
}

/** Conditions and filters compare what is stored, and not what the entity says is the same: only a key can be written so (decision 0106). */
function asWritten(need: Need, tests: readonly Residual[], filtered: readonly ReadPart[] = []): Unproven[] {
  const named = [
    ...tests.flatMap((each) =>
      each.tests.flatMap((test) => comparedAttributes(test).map((name) => ({ ...each, name }))),
    ),
    ...filtered.flatMap((part) => (need.filters ?? []).map((name) => ({ part, name }))),
  ];
  return named.flatMap(({ part: { entity }, name }): Unproven[] => {
    const same = sameOf(entity, name);
    if (same === undefined) return [];
    const chain = [same].flat().join(':');
    return [
      {
        code: 'input-not-used',
        message: `values of ${name} of ${entity.name} are the same by ${chain}, and a condition compares them as they are stored`,
        remedy: `Write {${name}:${chain}} into the key that is read, or compare an attribute that is stored in one form.`,
      },
    ];
  });
}

/** The attributes whose values a test compares: not those that it only requires to be there. */
function comparedAttributes(test: Condition): string[] {
  return Object.entries(test).flatMap(([path, each]: [string, unknown]): string[] => {
    if (path === 'any') return (each as readonly Condition[]).flatMap(comparedAttributes);
    return ['{"exists":true}', '{"exists":false}'].includes(JSON.stringify(each)) ? [] : [path];
  });
}

function partsOf(plan: Extract<Plan, { kind: 'get' | 'batch-get' }>): readonly ReadPart[] {
  return plan.kind === 'get' ? plan.parts : [plan.part];
}

/** A get has no order, no interval and no page. */
function ofGet(need: Need, plan: Extract<Plan, { kind: 'get' | 'batch-get' }>): Unproven[] {
  const { part, residuals } = plan;
  const parts = partsOf(plan);
  const found: Unproven[] = parts.flatMap(({ entity }) => distinct(entity));
  if ((need.each === true) !== (plan.kind === 'batch-get'))
    found.push({
      code: 'input-not-used',
      message:
        need.each === true
          ? 'the pattern takes several inputs, and GetItem reads by one'
          : 'BatchGetItem reads by several inputs, and the pattern takes one',
      remedy: need.each === true ? "Serve it by `'BatchGetItem'`." : "Say `each: true`, or serve it by `'GetItem'`.",
    });
  if (need.range !== undefined)
    found.push({ code: 'range-not-served', message: `the range is over ${need.range}; a get reads one key` });
  const bound = inputsByAttribute(need);
  const keyText = ({ entity }: ReadPart): string => slotsText(slotsOf(entity.key), bound);
  for (const each of parts) {
    const known = slotsOf(each.entity.key).map((slot): KnownSlot => ({ slot, end: slot.template.parts.length }));
    found.push(...lossy({ part: each, parts, residuals, known }, bound));
    found.push(...alternatives(need, each, [known.flatMap(({ slot }) => variableNames([slot]))]));
    if (keyText(each) !== keyText(part))
      found.push({
        code: 'part-of-items',
        message: `the key of ${part.entity.name} is read, ${sourceOf(slotsOf(part.entity.key))}, and ${each.entity.name} has another one: ${sourceOf(slotsOf(each.entity.key))}`,
        remedy: 'Give both entities one key, or read each by a pattern of its own.',
      });
  }
  return found;
}

/** The text of key attributes by the inputs in it. Two that are equal hold the same text for every input. */
function slotsText(slots: readonly KeySlot[], inputs: ReadonlyMap<string, string>): string {
  return JSON.stringify(
    slots.map(({ template }) =>
      template.parts.map((part) =>
        typeof part === 'string' ? part : [inputs.get(part.name) ?? `?${part.name}`, part.encoding],
      ),
    ),
  );
}

/** Two items that differ in the attributes of their primary key have different keys. A shard only says where an item is, not which it is. */
function distinct(entity: EntityInfo): Unproven[] {
  return sharedTexts(entity, slotsOf(entity.key)).map(({ name, why, source }) => ({
    code: 'part-of-items',
    message: `two ${entity.name} may have one primary key, and the later would replace the earlier: ${why} in ${source}`,
    remedy: /^1 and "1" |may be any value|not always a number/.test(why)
      ? `Let the schema of ${name} yield text only, or numbers only.`
      : `Write ${name} into the primary key as it is, with the separator ${entity.table.separator} behind it.`,
  }));
}

/**
 * The attributes in a key of which two values that are not the same may be written alike, and why.
 *
 * @param others - schemas of other values that are written into the key, by attribute.
 */
export function sharedTexts(
  entity: EntityInfo,
  slots: readonly KeySlot[],
  others: ReadonlyMap<string, StandardSchema> = new Map(),
): { readonly name: string; readonly why: string; readonly source: string }[] {
  const propertiesIn = (slot: KeySlot, at: number, name: string): HoleProperties => {
    const schemas = [entity.attributes.get(name)?.schema ?? [], others.get(name) ?? []].flat();
    return propertiesOf(entity, slot, at, { domain: domainOfAll(new Set(schemas), entity, name) });
  };
  const keeps = (name: string): boolean =>
    slots.some((slot) =>
      slot.template.parts.some(
        (piece, i) => typeof piece !== 'string' && piece.name === name && propertiesIn(slot, i, name).exact === true,
      ),
    );
  return slots.flatMap((slot) =>
    slot.template.parts.flatMap((piece, i) => {
      if (typeof piece === 'string' || !entity.attributes.has(piece.name)) return [];
      const parted = partsSame(entity, piece);
      if (shardsOf(piece) !== undefined && parted === undefined) return [];
      const { exact, ends } = propertiesIn(slot, i, piece.name);
      if (ends && (exact === true || keeps(piece.name)) && parted === undefined) return [];
      const why = parted ?? (exact === true ? `${piece.name} may continue in what follows it` : exact);
      return [{ name: piece.name, why, source: slot.template.source }];
    }),
  );
}

/** Why a variable writes values that are the same as different texts, also if another variable of the key writes them as one. */
function partsSame(entity: EntityInfo, { name, encoding }: TemplateVariable): string | undefined {
  const chain = sameChain(sameOf(entity, name)).join(':');
  if (chain === '' || encoding === chain || encoding.startsWith(`${chain}:`)) return undefined;
  return `values of ${name} are the same by ${chain}, and the key does not write them so`;
}

/** An input that may match one of several attributes finds the items of each, by a key that contains none of the others. */
function alternatives(need: Need, { entity }: ReadPart, known: readonly (readonly string[])[]): Unproven[] {
  return Object.entries(need.aka ?? {}).flatMap(([input, names]): Unproven[] => {
    const own = [names].flat().filter((name) => entity.attributes.has(name));
    const lost = own.filter((name) =>
      known.every((held) => own.some((other) => other !== name && held.includes(other))),
    );
    if (lost.length === 0) return [];
    return [
      {
        code: 'part-of-items',
        message: `${input} may be ${own.join(' or ')}, and the keys that are read find no ${entity.name} by ${lost.join(' or ')}`,
        remedy:
          "Read an index for each of the attributes, `query: ['…', '…']`, or one whose key has none of them in it.",
      },
    ];
  });
}

/**
 * Of several indexes, an item comes from the first one that has it in the partition that is read. By another attribute of an input it may be
 * there with a sort key that is not read.
 */
function alternativesInSort({ aka = {} }: Need, bounds: readonly SortBound[]): Unproven[] {
  return Object.entries(aka).flatMap(([input, names]): Unproven[] => {
    if (typeof names === 'string') return [];
    const sorted = bounds.find(({ equal, partial }) =>
      [...variableNames(equal), ...(partial?.bound.variables ?? []).map(({ name }) => name)].some((name) =>
        names.includes(name),
      ),
    );
    if (sorted === undefined) return [];
    return [
      {
        code: 'part-of-items',
        message: `${input} may be ${names.join(' or ')}, and is in the sort key ${sourceOf(sorted.form.sort)}: an item that has it in the other attribute is in the partition, and not in what is read of it`,
        remedy: 'Write the attribute into the partition key of each index.',
      },
    ];
  });
}

function ofWhole(need: Need, plan: QueryPlan): Unproven[] {
  const found: Unproven[] = [];
  const leads = leadsOf(plan);
  const ones = plan.parts.filter(({ many }) => !many);
  if (need.each === true)
    found.push({
      code: 'input-not-used',
      message: 'each of several inputs is read by its primary key, never by a query',
      remedy: eachRemedy(need, plan),
    });
  if (
    (ones.length > 0 && plan.among !== undefined) ||
    (leads.length > 0 && (plan.shards !== undefined || plan.walk !== undefined || plan.streams.length > 1))
  )
    found.push({
      code: 'parent-at-wrong-end',
      message: `${names(ones)} would be in one of several partitions`,
      remedy: 'Read the one item by a pattern of its own.',
    });
  if (leads.length > 0 && need.range !== undefined)
    found.push({
      code: 'range-not-served',
      message: `the range is over ${need.range} of the many, and ${names(leads)} is outside of it`,
      remedy: 'Read the one item by a pattern of its own.',
    });
  const many = new Set(plan.parts.filter((part) => part.many).map(({ entity }) => entity));
  for (const lead of leads.filter(({ entity }) => many.has(entity)))
    found.push({
      code: 'parent-at-wrong-end',
      message: `${lead.entity.name} is the one item and one of the many: nothing tells them apart`,
    });
  const keys = plan.streams.flatMap(({ place }) => slotsOf(place).map(({ attribute }) => attribute));
  for (const stream of plan.streams)
    found.push(...ofProjection(need, stream, plan.parts, plan.streams.length > 1 ? keys : []));
  if (plan.walk !== undefined) found.push(...ofWalk(need, plan, plan.walk.variable));
  for (const variable of [plan.walk?.variable, plan.shards?.variable])
    if (variable !== undefined) found.push(...readOften(plan, variable));
  if (plan.among !== undefined) found.push(...ofPartitions(need, plan, plan.among.input));
  if (need.count === true) found.push(...ofCount(need, plan));
  return found;
}

/**
 * An index with some of the attributes needs those that are tested: filters, and what the keys do not settle. An item that is in two indexes
 * comes from the first one, which the second one tells by the first one's keys.
 */
function ofProjection(
  need: Need,
  { place, residuals, bounds }: Pick<QueryStream, 'place' | 'residuals' | 'bounds'>,
  parts: readonly ReadPart[],
  keys: readonly string[] = [],
): Unproven[] {
  if (place.kind !== 'global' || place.project === 'ALL') return [];
  const own = [place, ...parts.map(({ entity }) => entity.table.place)].flatMap(slotsOf);
  const held = new Set([
    ...own.map(({ attribute }) => attribute),
    ...(place.project === 'KEYS_ONLY' ? [] : place.project),
  ]);
  // The beginning of an encoded value is tested after the read.
  const begun = bounds.flatMap(({ part: { entity }, partial }) =>
    partial !== undefined &&
    partial.next.name === need.range &&
    partial.next.encoders.some(({ rest }) => rest !== true) &&
    sameChain(sameOf(entity, partial.next.name)).join(':') !== partial.next.encoding
      ? [partial.next.name]
      : [],
  );
  const tested = residuals.flatMap(({ tests }) => tests.flatMap(testedAttributes));
  const stored = [...tested, ...begun, ...(need.filters ?? [])].flatMap((name) =>
    parts.flatMap(({ entity }) => entity.attributes.get(name)?.stored ?? []),
  );
  const missing = [...new Set([...keys, ...stored])].filter((attribute) => !held.has(attribute));
  if (missing.length === 0) return [];
  return [
    {
      code: 'input-not-used',
      message: `${place.name} does not hold ${missing.join(' and ')}, by which items are told apart`,
      isRefused: true,
      remedy: `Add ${missing.map((name) => `'${name}'`).join(', ')} to \`project\`, or leave \`project\` out.`,
    },
  ];
}

/** A count is of one kind of item, each counted once. */
function ofCount(need: Need, plan: QueryPlan): Unproven[] {
  const found: Unproven[] = [];
  if (!Array.isArray(need.reads))
    found.push({
      code: 'several-items',
      message: 'a count is of items of one entity, all that the inputs select',
      remedy: "Say which: `reads: ['Order']`.",
    });
  if (plan.streams.length > 1)
    found.push({
      code: 'part-of-items',
      message: `an item that is in ${plan.streams.map(({ place }) => place.name).join(' and in ')} would be counted twice`,
      remedy: 'Count in one index.',
    });
  if (plan.walk !== undefined)
    found.push({
      code: 'walk-not-bounded',
      message: 'a count would take a query for each unit of time in the window',
      remedy: "Keep the count by a relationship: `{ count: 'orderCount' }`.",
    });
  return found;
}

/**
 * A list is read value by value, each as if it were the input, so the proof of one holds for all. In addition, no item may match
 * two values, and the sort keys of all partitions must have one common order.
 */
function ofPartitions(need: Need, plan: QueryPlan, input: string): Unproven[] {
  const found: Unproven[] = [];
  const [ordered] = need.order?.split(' ') ?? [];
  const bounds = plan.streams.flatMap((stream) => stream.bounds);
  const named = [need.aka?.[input] ?? input].flat();
  const [attribute = input] = named;
  if (named.length > 1)
    found.push({
      code: 'input-not-used',
      message: `${input} is a list, and may be ${named.join(' or ')}: an item with two of its values would come twice`,
      isRefused: true,
      remedy: `Let the list be of one attribute, \`aka: { ${input}: '${attribute}' }\`, or call the pattern for each value.`,
    });
  const loose = bounds.find(({ partition }) => !named.some((name) => variableNames(partition).includes(name)));
  if (loose !== undefined)
    found.push({
      code: 'input-not-used',
      message: `${input} is a list, and not in the partition key ${sourceOf(loose.partition)}: one partition would be read for each of its values`,
      isRefused: true,
      remedy: `Write {${attribute}} into the partition key, or filter by the list.`,
    });
  const widened = bounds.find(({ part }) => sameOf(part.entity, attribute) !== undefined);
  if (widened !== undefined)
    found.push({
      code: 'input-not-used',
      message: `${input} is a list, and two of its values may be one for ${widened.part.entity.name}: items would come twice`,
      isRefused: true,
      remedy: `Let the schema take only values that are as they are written, such as \`z.string().toLowerCase()\`, without \`same\`, and write {${attribute}} into the key as it is.`,
    });
  // A proven pattern has a condition or a finding for what the key does not keep.
  const shared = need.unproven === undefined ? undefined : bounds.find((bound) => !hasOwnPartitions(bound, attribute));
  if (shared !== undefined && loose === undefined && widened === undefined)
    found.push({
      code: 'input-not-used',
      message: `${input} is a list, and two of its values may have one partition of ${sourceOf(shared.partition)}: items would come twice`,
      isRefused: true,
      remedy: `Write {${attribute}} into the partition key as it is.`,
    });
  if (typeof need.reads === 'string')
    found.push({
      code: 'several-items',
      message: `${input} is a list, and there may be an item for each of its values`,
      remedy: `Read them all, \`reads: ['${need.reads}']\`.`,
    });
  // Sort keys of one structure begin alike, whichever form a value has.
  const isOneForm = bounds.length === 1 || isOneOrder(bounds, need);
  const turns = ({ equal, partial, picks }: SortBound): boolean =>
    [
      ...variableNames(equal),
      ...(partial?.bound.variables.map(({ name }) => name) ?? []),
      ...(isOneForm ? [] : testedAttributes(picks)),
    ].includes(attribute);
  if (ordered !== undefined && (ordered === attribute || bounds.some(turns)))
    found.push({
      code: 'order-not-served',
      message: `${input} is a list, and the sort keys of its partitions begin differently, so that they cannot be merged by ${ordered}`,
      remedy: `Leave {${attribute}} out of the sort key and of its conditions.`,
    });
  return found;
}

/** Whether no two values of an attribute are in one partition, if all other inputs are the same. */
function hasOwnPartitions({ part: { entity }, partition }: SortBound, attribute: string): boolean {
  return partition.some((slot) =>
    slot.template.parts.some(
      (piece, at) =>
        typeof piece !== 'string' && piece.name === attribute && propertiesOf(entity, slot, at).exact === true,
    ),
  );
}

/** Each index is queried once for each unit of a walk, or each shard: one without the variable would return its items every time. */
function readOften({ streams }: QueryPlan, { name, encoding }: TemplateVariable): Unproven[] {
  const text = `{${name}:${encoding}}`;
  const isIn = ({ partition }: SortBound): boolean =>
    partition.some(({ template }) =>
      template.variables.some((variable) => variable.name === name && variable.encoding === encoding),
    );
  return streams
    .filter(({ bounds }) => !bounds.every(isIn))
    .map(({ place, partition }) => ({
      code: 'part-of-items',
      message: `${place.name} would be read again for each value of ${text}, which its partition key ${sourceOf(partition)} does not contain`,
      isRefused: true,
      remedy: `Write ${text} into the partition key of ${place.name}, or read one index.`,
    }));
}

/** How to read for each of several inputs: by the primary key, or for a list of values of one attribute. */
function eachRemedy({ by = [], aka = {} }: Need, { parts, streams: [stream] }: QueryPlan): string {
  const names = by.flatMap((name) => aka[name] ?? name);
  const isKeyed = parts.every(
    ({ entity, many }) => !many && keyVariables(entity).every((name) => names.includes(name)),
  );
  if (isKeyed) return "Serve it by `'BatchGetItem'`.";
  const inPartition = variableNames(stream?.partition ?? []);
  const list = by.find((name) => inPartition.includes(String(aka[name] ?? name)));
  return list === undefined
    ? 'Leave `each` out, and call the pattern for each input.'
    : `Leave \`each\` out. To read for several values of ${list} at once, declare \`among: { ${list}: 10 }\`, with \`fanOut: 10\` where it is served.`;
}

function ofWalk(need: Need, plan: QueryPlan, variable: TemplateVariable): Unproven[] {
  const [ordered] = need.order?.split(' ') ?? [];
  const found: Unproven[] = [];
  if (need.window?.of !== variable.name)
    found.push({
      code: 'walk-not-bounded',
      message: `the walk goes through the times of ${variable.name}, and the pattern does not say from when to when`,
      remedy: `Say within which times the results lie: \`window: { of: '${variable.name}', from: '2020-01-01' }\`.`,
    });
  found.push(...unreadableTimes(need), ...textOfWalk(need, plan, variable));
  if (ordered !== undefined && ordered !== variable.name)
    found.push({
      code: 'order-not-served',
      message: `partitions are walked in the order of ${variable.name}, not of ${ordered}`,
      remedy: `Order by ${variable.name}, or serve it from an index without {${variable.name}:${variable.encoding}} in its partition key.`,
    });
  if (need.range !== undefined && need.range !== variable.name)
    found.push({
      code: 'range-not-served',
      message: `partitions are walked by ${variable.name}; the range is over ${need.range}`,
      remedy: `Let the range be over ${variable.name}, or serve it from an index without {${variable.name}:${variable.encoding}} in its partition key.`,
    });
  return found;
}

/** A walk goes from time to time. Text that its schema does not declare as a time sorts by its characters, which may be another order. */
function textOfWalk({ order, range }: Need, { parts }: QueryPlan, { name, encoders }: TemplateVariable): Unproven[] {
  // An id sorts as the time in it.
  const isId = encoders.some((encoder) => encoder.name === 'ksuid' || encoder.name === 'ulid');
  const isText = parts.some(({ entity: { attributes } }) => {
    const info = attributes.get(name);
    return info !== undefined && domainOf(info.schema).text?.isTime === false;
  });
  if (isId || !isText) return [];
  const not = {
    message: `partitions are walked from time to time, and the schema of ${name} says text, not a time, which sorts by its characters`,
    remedy: `Let the schema of ${name} say that it is a time: \`z.iso.datetime({ precision: 3 })\`.`,
  };
  return [
    ...(order?.split(' ')[0] === name ? [{ code: 'order-not-served' as const, ...not }] : []),
    ...(range === name ? [{ code: 'range-not-served' as const, ...not }] : []),
  ];
}

/** Ends of a window that no walk can begin or end at: every call would fail. */
function unreadableTimes({ window }: Need): Unproven[] {
  return Object.entries({ from: window?.from, to: window?.to }).flatMap(([end, text]): Unproven[] => {
    if (text === undefined || /^now(?:[+-]\d{1,5}d)?$/.test(text) || isInstant(text)) return [];
    return [
      {
        code: 'walk-not-bounded',
        message: `the window's \`${end}\` is ${JSON.stringify(text)}, which is not a time`,
        isRefused: true,
        remedy: "Write a time, such as '2020-01-01' or '2020-01-01T12:00:00Z', `now`, or days from now: 'now-30d'.",
      },
    ];
  });
}

function isInstant(text: string): boolean {
  try {
    instantOf(text);
    return true;
  } catch {
    return false;
  }
}

/** One choice of forms that some input makes. */
interface Read {
  readonly need: Need;
  readonly plan: QueryPlan;
  readonly stream: QueryStream;
  readonly live: Case;
}

function ofCase(read: Read): Unproven[] {
  const { live } = read;
  const apart = inOtherPartition(read);
  // What is not read at all has no order, no place in the range, and no other cause.
  if (apart.length > 0) return apart;
  return [
    ...knownPartition(read),
    ...read.plan.parts.flatMap((part) =>
      covered({ need: read.need, place: read.stream.place, all: read.stream.bounds, ...live }, part),
    ),
    ...live.forms.flatMap((bound) => [...fixed(read, bound), ...writable(read, bound)]),
    ...oneRange(read),
    ...deadForms(read),
    ...ranged(read),
    ...ordered(read),
    ...led(read),
    ...single(read),
  ];
}

/** All forms that are read are in one partition. */
function inOtherPartition({ need, stream, live }: Read): Unproven[] {
  const inputs = inputsByAttribute(need);
  const text = ({ partition }: SortBound): string => slotsText(partition, inputs);
  const [first, ...others] = live.forms;
  const other = others.find((each) => first !== undefined && text(each) !== text(first));
  if (first === undefined || other === undefined) return [];
  return [
    {
      code: 'part-of-items',
      message: `${stream.place.name} holds ${first.part.entity.name} under ${sourceOf(first.partition)} and ${other.part.entity.name} under ${sourceOf(other.partition)}: one query reads one partition`,
      remedy: listedForms(need, stream, live) ?? 'Give them one partition key, or read them by two patterns.',
    },
  ];
}

/** How a list of values is served whose items have forms of a key by value. */
function listedForms({ where = {} }: Need, { place }: QueryStream, { forms: [first] }: Case): string | undefined {
  const [attribute, values] =
    Object.entries(where).find(([name, test]) => Array.isArray(test) && name in (first?.form.when ?? {})) ?? [];
  if (first === undefined || attribute === undefined) return undefined;
  const list = `{ ${attribute}: [${(values as readonly unknown[]).map((value) => JSON.stringify(value).replaceAll('"', "'")).join(', ')}] }`;
  return `Add an index with one form for all of the list, \`when: ${list}\`, and serve the pattern by it. Or take the list as an input: write {${attribute}} into the partition key of ${place.name}, in one form without a condition, and declare \`among: { ${attribute}: ${(values as readonly unknown[]).length} }\` and \`fanOut: ${(values as readonly unknown[]).length}\`.`;
}

/** The partition key is completely known. */
function knownPartition({ need, plan, live }: Read): Unproven[] {
  const inputs = inputsByAttribute(need);
  return live.forms.flatMap(({ partition }) =>
    partition
      .flatMap(({ template }) => template.variables)
      .filter(
        (variable) =>
          !inputs.has(variable.name) &&
          !(shardsOf(variable) !== undefined && plan.shards !== undefined) &&
          !(unitOf(variable) !== undefined && plan.walk !== undefined),
      )
      .map(({ name }) => ({
        code: 'part-of-items' as const,
        message: `the partition key ${sourceOf(partition)} needs ${name}, which is not among the inputs`,
        remedy: `Let the caller give ${name} as well: add it to \`by\`. Or serve the pattern from an index whose partition key consists of the inputs.`,
      })),
  );
}

/** What decides whether an item is among the forms that are read. */
type Readable = Pick<SortBound, 'part' | 'form' | 'partition' | 'picks'>;

interface Covering {
  readonly need: Need;
  readonly place: PlaceInfo;
  /** The forms in the place. */
  readonly all: readonly Readable[];
  /** Those that are read, and for which inputs. */
  readonly forms: readonly Readable[];
  readonly when: string;
}

/** Every requested item has one of the forms that are read. */
function covered({ need, place, all: inPlace, forms: live, when }: Covering, part: ReadPart): Unproven[] {
  const { entity } = part;
  const all = inPlace.filter((bound) => bound.part === part);
  if (all.length === 0) return [];
  const forms = live.filter((bound) => bound.part === part);
  const inputs = inputsByAttribute(need);
  const oneOf = Object.values(akaOf(entity, need))
    .map((names) => [names].flat())
    .filter((names) => names.length > 1)
    .flat();
  // An input that may be one of several attributes has the one by which the partition is found.
  const isGiven = (name: string, partition: readonly KeySlot[]): boolean =>
    inputs.has(name) && (!oneOf.includes(name) || variableNames(partition).includes(name));
  const where = (need.where ?? {}) as Readonly<Record<string, unknown>>;
  const asked = (name: string): unknown => (part.many || part.name === undefined ? where[name] : undefined);
  // What remains of each condition without the inputs and the pattern's own tests.
  const open = forms.map(({ form, partition, picks }) =>
    Object.entries(form.when ?? {}).filter(
      ([name, test]) =>
        picks?.[name as never] === undefined &&
        !isAsked(asked(name), test) &&
        !(isGiven(name, partition) && isThere(test)),
    ),
  );
  if (!open.some((tests) => tests.length === 0) && !exhausts(entity, open)) {
    const held = all.map(({ form }) => JSON.stringify(form.when ?? {})).join(', or ');
    return [
      {
        code: 'part-of-items',
        message: `${place.name} holds only the ${entity.name} with ${held}${when === '' ? '' : `, and none with ${when}`}`,
        remedy: `Say in the pattern what it reads, \`where: ${JSON.stringify(all[0]?.form.when ?? {})}\`, or serve it where all items are.`,
      },
    ];
  }
  if (place.kind === 'table') return [];
  return forms.flatMap(({ form, partition }) =>
    [...new Set(variableNames([...partition, ...form.sort]))].flatMap((name): Unproven[] => {
      const info = entity.attributes.get(name);
      const test = (form.when as Readonly<Record<string, unknown>> | undefined)?.[name];
      if (info === undefined || isGiven(name, partition)) return [];
      const tests = [test, asked(name)];
      if (info.optional && info.fallback === undefined && !tests.some(isPresent))
        return [
          {
            code: 'part-of-items',
            message: `${place.name} holds only the ${entity.name} with ${name}, which may be missing`,
            remedy: `Say that the pattern reads those that have it, \`where: { ${name}: { exists: true } }\`, or require the attribute.`,
          },
        ];
      if (!domainOf(info.schema).null || tests.some(excludesNull)) return [];
      return [
        {
          code: 'part-of-items',
          message: `${place.name} holds only the ${entity.name} with ${name}, which may be null`,
          remedy: `Let the schema of ${name} take no null: an attribute without a value is \`.optional()\`, and \`where: { ${name}: { exists: true } }\` reads the others.`,
        },
      ];
    }),
  );
}

/** A test that neither a missing value nor null meets. Null is there, and in no key. */
function excludesNull(test: unknown): boolean {
  return isPresent(test) && isOfConstants(test) && !meets(test, null);
}

function isAsked(asked: unknown, test: unknown): boolean {
  return (
    asked !== undefined &&
    (implies(asked, test) ||
      isWithin(asked, test) ||
      (typeof asked !== 'object' && isOfConstants(test) && meets(test, asked)) ||
      (isThere(test) && isPresent(asked)))
  );
}

/** Whether both tests are intervals of numbers, and the second one includes the first. */
function isWithin(asked: unknown, test: unknown): boolean {
  const [inner, outer] = [intervalOf(asked), intervalOf(test)];
  if (inner === undefined || outer === undefined) return false;
  const isFrom = inner.low > outer.low || (inner.low === outer.low && (outer.withLow || !inner.withLow));
  const isTo = inner.high < outer.high || (inner.high === outer.high && (outer.withHigh || !inner.withHigh));
  return isFrom && isTo;
}

interface NumberInterval {
  readonly low: number;
  readonly withLow: boolean;
  readonly high: number;
  readonly withHigh: boolean;
}

/** The numbers that meet a test, if it compares with numbers alone. */
function intervalOf(test: unknown): NumberInterval | undefined {
  const ends = Object.entries(Object(test) as Readonly<Record<string, unknown>>);
  if (ends.length === 0 || !ends.every(([kind, end]) => comparisons.has(kind) && typeof end === 'number'))
    return undefined;
  const {
    atLeast = -Infinity,
    above = -Infinity,
    atMost = Infinity,
    below = Infinity,
  } = test as Readonly<Record<string, number>>;
  return {
    low: Math.max(atLeast, above),
    withLow: atLeast > above,
    high: Math.min(atMost, below),
    withHigh: atMost < below,
  };
}

const comparisons = new Set(['atLeast', 'above', 'atMost', 'below']);

function isThere(test: unknown): boolean {
  return JSON.stringify(test) === '{"exists":true}';
}

/** A test that no missing value meets. */
function isPresent(test: unknown): boolean {
  if (test === undefined) return false;
  if (typeof test !== 'object' || test === null || Array.isArray(test)) return true;
  const { exists, equals, atLeast, atMost, above, below, begins, contains, size } = test as Readonly<
    Record<string, unknown>
  >;
  return (
    exists === true ||
    [equals, atLeast, atMost, above, below, begins, contains, size].some((each) => each !== undefined)
  );
}

/** The remaining conditions exclude no value. */
function exhausts({ attributes }: EntityInfo, open: readonly (readonly (readonly [string, unknown])[])[]): boolean {
  const [attribute, ...others] = new Set(open.flatMap((tests) => tests.map(([name]) => name)));
  const info = attribute === undefined ? undefined : attributes.get(attribute);
  if (info === undefined || others.length > 0) return false;
  const tests = open.filter((each) => each.length === 1).flatMap((each) => each.map(([, test]) => test));
  if (!tests.every(isOfConstants)) return false;
  const met = (value: unknown): boolean => tests.some((test) => meets(test, value));
  const missing = info.optional && info.fallback === undefined;
  if ([true, false].every((exists) => tests.some((test) => JSON.stringify(test) === JSON.stringify({ exists }))))
    return true;
  const domain = domainOf(info.schema);
  return (
    domain.values !== undefined &&
    domain.values.every(met) &&
    (!missing || met(undefined)) &&
    (!domain.null || met(null))
  );
}

/** Each item that is read has the value of each input: by its key, by the condition of its form, or by a filter. */
function fixed({ need, plan, stream }: Read, bound: SortBound): Unproven[] {
  const { part, partition, equal, partial } = bound;
  const inputs = inputsByAttribute(need);
  const known = [...partition, ...equal];
  const slots = known.map((slot): KnownSlot => ({ slot, end: slot.template.parts.length }));
  if (partial !== undefined) slots.push({ slot: partial.slot, end: partial.bound.parts.length });
  const found = lossy({ part, parts: plan.parts, residuals: stream.residuals, known: slots }, inputs);
  const narrowed = new Set([
    ...variableNames(known),
    ...(partial?.bound.variables.map(({ name }) => name) ?? []),
    ...testedAttributes(bound.picks),
    ...(need.filters ?? []),
  ]);
  for (const input of need.by ?? []) {
    const attributes = [need.aka?.[input] ?? input].flat();
    const own = attributes.filter((name) => part.entity.attributes.has(name));
    if (own.length === 0) {
      if (part.many)
        found.push({
          code: 'input-not-used',
          message: `${input} is an input, and no attribute of ${part.entity.name}`,
        });
    } else if (!own.some((name) => narrowed.has(name) || (stream.place.sort.length === 0 && narrowed.has(name))))
      found.push({
        code: 'input-not-used',
        message: `${input} is an input, and not in the part of the key that is known: items would be read and left out`,
        ...(!own.some((name) => variableNames(bound.form.sort).includes(name)) && {
          remedy: `Serve it from an index whose key has {${own[0] ?? input}} in it, or filter by it: \`filters: ['${input}']\`.`,
        }),
      });
  }
  return found;
}

/** The part of a key that is known. */
interface KnownSlot {
  readonly slot: KeySlot;
  readonly end: number;
}

interface Kept {
  readonly part: ReadPart;
  /** All that are read by the same inputs. */
  readonly parts: readonly ReadPart[];
  readonly residuals: readonly Residual[];
  readonly known: readonly KnownSlot[];
}

/** Inputs whose value the key does not preserve, and that nothing else tests. */
function lossy({ part, parts, residuals, known }: Kept, inputs: ReadonlyMap<string, string>): Unproven[] {
  const exactOf = (slot: KeySlot, at: number, name: string): HoleProperties['exact'] =>
    propertiesOf(part.entity, slot, at, { domain: domainOfInput(name, { part, parts }, inputs) }).exact;
  const isKept = (name: string): boolean =>
    known.some(({ slot, end }) =>
      slot.template.parts
        .slice(0, end)
        .some((each, k) => typeof each !== 'string' && each.name === name && exactOf(slot, k, name) === true),
    );
  const isTested = (name: string): boolean =>
    residuals.some((each) => each.part === part && each.tests.some((test) => asksFor(test, name)));
  return known.flatMap(({ slot, end }) =>
    slot.template.parts.slice(0, end).flatMap((piece, i): Unproven[] => {
      if (typeof piece === 'string' || !inputs.has(piece.name)) return [];
      const same = sameOf(part.entity, piece.name);
      const exact = exactOf(slot, i, piece.name);
      const parted = partsSame(part.entity, piece);
      if (parted === undefined && (exact === true || isKept(piece.name) || isTested(piece.name))) return [];
      if (parted === undefined && propertiesOf(part.entity, slot, i).exact === true)
        return [
          {
            code: 'input-not-used',
            message: `${inputs.get(piece.name) ?? piece.name} may be a value of several schemas, which ${slot.template.source} may write as it writes another value of ${piece.name} of ${part.entity.name}: ${exact}`,
            remedy: `Give the attributes that are read by it one schema.`,
          },
        ];
      return [
        {
          code: 'input-not-used',
          message: `${piece.name} is not kept by ${slot.template.source}: ${parted ?? exact}`,
          remedy:
            same !== undefined
              ? `Write {${piece.name}:${sameChain(same).join(':')}} into the key.`
              : /^(lower|upper|trim|slug)/.test(piece.encoding)
                ? sameRemedy(piece)
                : 'Write the value into the key as it is, or let the schema take only values that have texts of their own, such as times with `precision: 0`.',
        },
      ];
    }),
  );
}

/** The values that an input may have: those of every attribute that it is compared with, in all that is read. */
function domainOfInput(
  name: string,
  { part, parts }: Pick<Kept, 'part' | 'parts'>,
  inputs: ReadonlyMap<string, string>,
): Domain | undefined {
  const input = inputs.get(name);
  const names = [...inputs].flatMap(([each, by]) => (by === input ? [each] : []));
  const schemas = new Set(
    parts.flatMap(({ entity }) => names.flatMap((each) => entity.attributes.get(each)?.schema ?? [])),
  );
  return domainOfAll(schemas, part.entity, name);
}

/** The values of several schemas, as an entity writes them; undefined for a single one. */
function domainOfAll(schemas: ReadonlySet<StandardSchema>, entity: EntityInfo, name: string): Domain | undefined {
  if (schemas.size <= 1) return undefined;
  const domain = [...schemas].map(domainOf).reduce(union);
  // Values that are the same may differ.
  return sameOf(entity, name) === undefined ? domain : { ...domain, values: undefined };
}

/** The test requires that an attribute, or another one that the input may match, equals an input. */
function asksFor(test: Condition, name: string): boolean {
  const { any, [name as never]: asked } = test as { readonly any?: readonly Condition[] };
  return any === undefined ? isReference(asked) : any.some((each) => asksFor(each, name));
}

/** The variables in the known part of a form's key, and those in its condition. */
function knownNames({ partition, equal, partial, picks }: SortBound): string[] {
  return [
    ...variableNames([...partition, ...equal]),
    ...(partial?.bound.variables.map(({ name }) => name) ?? []),
    ...testedAttributes(picks),
  ];
}

/** Several forms are read from the lowest of their keys to the highest, so the contents of that range must be known. */
function oneRange({ need, stream, live }: Read): Unproven[] {
  const { forms } = live;
  const found: Unproven[] = [];
  for (const { form, partition, part } of forms)
    for (const { template, type } of [...partition, ...form.sort]) {
      if (template.parts.length === 0)
        found.push({
          code: 'part-of-items',
          message: `${stream.place.name} has no ${part.entity.name}: an empty text is not a key`,
        });
      if (type === 'N' && template.parts.some((piece) => typeof piece === 'string' && !/^\d+$/.test(piece)))
        found.push({
          code: 'part-of-items',
          message: `${stream.place.name} has no ${part.entity.name}: ${template.source} is not a number`,
        });
    }
  const [first, last] = [forms[0], forms.at(-1)];
  if (first === undefined || last === undefined || first === last) return found;
  const inputs = inputsByAttribute(need);
  const isInput = (name: string): boolean => inputs.has(name);
  const prefix = ({ form }: SortBound): string => form.sort[0]?.template.prefix ?? '';
  const apart = (low: SortBound, high: SortBound): boolean =>
    low === high ||
    (low.partial === undefined && high.partial === undefined && sourceOf(low.equal) === sourceOf(high.equal)) ||
    !prefix(high).startsWith(prefix(low)) ||
    (low.partial !== undefined && high.partial !== undefined && startText(low, inputs) === startText(high, inputs)) ||
    liesBefore(low, high, isInput);
  const mixed = forms.find(
    (each) =>
      each.equal.length + (each.partial === undefined ? 0 : 1) > 1 ||
      each.form.sort[0]?.type === 'B' ||
      !apart(first, each) ||
      !apart(each, last),
  );
  if (mixed !== undefined)
    found.push({
      code: 'part-of-items',
      message: `${forms.map(({ form }) => sourceOf(form.sort)).join(' and ')} are in ${stream.place.name} in no certain order, so that no range holds them`,
      remedy: 'Let each begin with a text of its own, such as `A#` and `B#`.',
    });
  return found;
}

/** A value that one index cannot have in its key is still read from the others, because writing its key must not fail. */
function writable({ need, plan }: Read, { part, form }: SortBound): Unproven[] {
  if (plan.streams.length === 1) return [];
  const inputs = inputsByAttribute(need);
  return form.sort.flatMap(({ template }) =>
    template.variables.flatMap(({ name, encoders, encoding }): Unproven[] => {
      const [{ least, most } = {}] = encoders;
      const info = part.entity.attributes.get(name);
      if (least === undefined || most === undefined || info === undefined || !inputs.has(name)) return [];
      // A value that no key of any form can hold is in no item.
      const bounds = plan.streams.flatMap((stream) => stream.bounds);
      const isIn = (other: SortBound): boolean =>
        [...other.partition, ...other.form.sort].some((slot) =>
          slot.template.variables.some((each) => each.name === name && each.encoding === encoding),
        );
      if (bounds.every(isIn)) return [];
      const { number, text, values } = domainOf(info.schema);
      const fits = (value: unknown): boolean => typeof value === 'number' && value >= least && value <= most;
      if (
        values === undefined
          ? text === undefined && number !== undefined && number.least >= least && number.most <= most
          : values.every(fits)
      )
        return [];
      return [
        {
          code: 'input-not-used',
          message: `${name} may be larger or smaller than ${template.source} can hold, and other items are read by it, too`,
          remedy: `Let the schema take what the key can hold, from ${least} to ${most}.`,
        },
      ];
    }),
  );
}

/** Items in forms that the input does not choose are outside the range that is read: nothing else leaves them out. */
function deadForms({ stream, live }: Read): Unproven[] {
  const [first] = live.forms;
  if (first === undefined || live.forms.length === stream.bounds.length) return [];
  return stream.bounds
    .filter((bound) => !live.forms.includes(bound) && live.forms.some((form) => canBeRead(form, bound, live.forms)))
    .map((bound) => ({
      code: 'input-not-used',
      message: `${sourceOf([...bound.partition, ...bound.form.sort])} may be among what ${live.when} reads, ${live.forms.map(({ partition, form }) => sourceOf([...partition, ...form.sort])).join(' and ')}`,
      remedy: 'Let the sort key of each form begin with a text of its own, such as `OPEN#` and `DONE#`.',
    }));
}

/** Whether an item in a form that is not chosen may be in the range of one that is. */
function canBeRead(form: SortBound, dead: SortBound, forms: readonly SortBound[]): boolean {
  const { separator } = dead.part.entity.table;
  const canMeet = (mine: SortBound, theirs: SortBound): boolean =>
    slotsCanBeEqual(mine.partition, theirs.partition, separator) &&
    withinRange(forms.length === 1 ? [mine] : forms, { entity: dead.part.entity, sort: theirs.form.sort });
  const others = withConstants(dead);
  if (!withConstants(form).some((mine) => others.some((theirs) => canMeet(mine, theirs)))) return false;
  // An item that has the input in its key meets no condition that the input does not meet.
  return !testedAttributes(dead.picks).every((name) => sharesHole(form, dead, name));
}

/** A form with the constants of its condition in the place of variables: one for each value of a list. */
export function withConstants(bound: SortBound): SortBound[] {
  return choicesOf(bound.form.when).map((choice) => ({
    ...bound,
    partition: withChoice(bound.partition, choice),
    form: { ...bound.form, sort: withChoice(bound.form.sort, choice) },
    equal: withChoice(bound.equal, choice),
    partial: bound.partial && { ...bound.partial, bound: filled(bound.partial.bound, choice) },
  }));
}

/** Whether both keys have the value of an attribute at one place, so that equal keys have equal values. */
function sharesHole(form: SortBound, dead: SortBound, name: string): boolean {
  const known = [
    ...[...form.partition, ...form.equal].map((slot) => ({ slot, parts: slot.template.parts })),
    ...(form.partial === undefined ? [] : [{ slot: form.partial.slot, parts: form.partial.bound.parts }]),
  ];
  const theirs = [...dead.partition, ...dead.form.sort];
  return known.some(({ slot, parts }) => {
    const other = theirs.find(({ attribute }) => attribute === slot.attribute)?.template.parts ?? [];
    const at = parts.findIndex((part) => typeof part !== 'string' && part.name === name);
    const isAlike = parts.slice(0, at + 1).every((part, i) => partText(part) === partText(other[i]));
    if (at < 0 || !isAlike || partText(slot.template.parts[at + 1]) !== partText(other[at + 1])) return false;
    return parts.slice(0, at + 1).every((part, i) => {
      const { exact, ends } = propertiesOf(form.part.entity, slot, i);
      return typeof part === 'string' || (exact === true && ends);
    });
  });
}

function partText(part: string | TemplateVariable | undefined): string {
  return typeof part === 'object' ? `{${part.name}:${part.encoding}}` : JSON.stringify(part ?? null);
}

function ranged({ need, stream, live }: Read): Unproven[] {
  const { range } = need;
  if (range === undefined) return [];
  const many = live.forms.filter(({ part }) => part.many || part.name === undefined);
  if (many.length > 1 && !isOneOrder(many, need))
    return [{ code: 'range-not-served', ...noCommonOrder(many, need, `the range is over ${range}; `) }];
  return many.flatMap(({ part, partial }): Unproven[] => {
    if (partial?.next.name !== range)
      return [
        {
          code: 'range-not-served',
          message: `the range is over ${range}; ${part.entity.name} continues with ${partial?.next.name ?? 'nothing'}`,
        },
      ];
    const { order, noInterval } = nextProperties(part.entity, partial);
    const why = typeof order === 'string' ? noInterval : order.not;
    if (why === undefined) return [];
    return [
      {
        code: 'range-not-served',
        message: `the range is over ${range}: ${why}`,
        remedy: sortableRemedy(part.entity, partial, stream.place),
      },
    ];
  });
}

function ordered({ need, plan, stream, live }: Read): Unproven[] {
  const [attribute, direction] = need.order?.split(' ') ?? [];
  if (attribute === undefined) return [];
  if (hasOneValue(need, attribute)) return [];
  const many = live.forms.filter(
    ({ part }) => (part.many || part.name === undefined) && part.entity.attributes.has(attribute),
  );
  if (many.length > 1 && !isOneOrder(many, need))
    return [{ code: 'order-not-served', ...noCommonOrder(many, need, `the order is by ${attribute}; `) }];
  return many.flatMap((bound): Unproven[] => {
    const { part, partial } = bound;
    if (partial === undefined)
      return stream.place.kind === 'table' &&
        plan.streams.length === 1 &&
        plan.shards === undefined &&
        plan.among === undefined
        ? []
        : [
            {
              code: 'order-not-served',
              message: `what is read of ${stream.place.name} has one sort key, or none, and so no order`,
            },
          ];
    if (partial.next.name !== attribute)
      return [
        {
          code: 'order-not-served',
          message: `${part.entity.name} is sorted in ${stream.place.name} by ${partial.next.name}, not by ${attribute}`,
        },
      ];
    const { order } = nextProperties(part.entity, partial);
    if (typeof order !== 'string')
      return [
        { code: 'order-not-served', message: order.not, remedy: sortableRemedy(part.entity, partial, stream.place) },
      ];
    const backwards = (direction === 'desc') !== (order === 'down');
    if (backwards !== plan.descending)
      return [
        {
          code: 'order-not-served',
          message: `${attribute} is written so that the largest comes first: ${direction ?? ''} order has to be read ${backwards ? 'descending' : 'ascending'}`,
        },
      ];
    const [leading] = plan.streams;
    const lead =
      leading === stream ? undefined : leading?.bounds.find((each) => each.partial && !mergesWith(each, bound, need));
    if (lead !== undefined)
      return [
        {
          code: 'order-not-served',
          message: `the sort keys of ${plan.streams.map(({ place }) => place.name).join(' and ')} differ up to ${attribute}, so that they cannot be merged: ${sourceOf(lead.form.sort)} and ${sourceOf(bound.form.sort)}`,
          remedy: `Let them begin alike and write ${attribute} in one way, as \`${startOf(lead)}\` in all of them.`,
        },
      ];
    return [];
  });
}

/** Forms whose sort keys have the same structure are interleaved in one order. */
function isOneOrder(forms: readonly SortBound[], need: Need): boolean {
  const [first] = forms;
  return (
    first !== undefined &&
    forms.every((each) => isOneForm(first, each, need)) &&
    forms.every((each) => sortsAlike(first, each))
  );
}

function isOneForm(one: SortBound, other: SortBound, need: Need): boolean {
  const following = ({ partial }: SortBound): string =>
    JSON.stringify(partial?.slot.template.parts[partial.slot.template.parts.indexOf(partial.next) + 1] ?? null);
  return (
    one.equal.length + other.equal.length === 0 && writesNext(one, other, need) && following(one) === following(other)
  );
}

/** Why several forms have no common order. */
function noCommonOrder(
  forms: readonly SortBound[],
  need: Need,
  what: string,
): { readonly message: string; readonly remedy: string } {
  const [first, ...others] = forms;
  const apart = others.find((each) => first !== undefined && !isOneForm(first, each, need));
  const other = others.find((each) => first !== undefined && !sortsAlike(first, each));
  if (first?.partial === undefined || other === undefined || apart !== undefined)
    return {
      message: `${what}${forms.map(({ form }) => sourceOf(form.sort)).join(' and ')} lie one after the other`,
      remedy: 'Give what is read one form of key, or read each by a pattern of its own.',
    };
  const { name } = first.partial.next;
  return {
    message: `${what}${name} of ${first.part.entity.name} and ${name} of ${other.part.entity.name} have different schemas, and \`${startOf(first)}\` does not sort the values of one among those of the other`,
    remedy: `Give both one schema, or write ${name} in one width, such as \`{${name}:08}\` for a number and \`{${name}:utc}\` for a time.`,
  };
}

/** Whether both sort keys begin with one text for every input, and continue with one attribute in one encoding: streams of them can be merged. */
function mergesWith(one: SortBound, other: SortBound, need: Need): boolean {
  return writesNext(one, other, need) && sortsAlike(one, other);
}

function writesNext(one: SortBound, other: SortBound, need: Need): boolean {
  const inputs = inputsByAttribute(need);
  const [next, theirs] = [one.partial, other.partial];
  return (
    next !== undefined &&
    theirs !== undefined &&
    startText(one, inputs) === startText(other, inputs) &&
    next.slot.type === theirs.slot.type &&
    partText(next.next) === partText(theirs.next)
  );
}

/** The text of a sort key up to the attribute that is not known, as of an input. */
function startText({ equal, partial }: SortBound, inputs: ReadonlyMap<string, string>): string {
  return slotsText(
    [...equal, ...(partial === undefined ? [] : [{ ...partial.slot, template: partial.bound }])],
    inputs,
  );
}

/** Whether values of two entities sort among each other. 99 and 100 do not, where one has two digits and the other one three. */
function sortsAlike({ part: one, partial }: SortBound, { part: other }: SortBound): boolean {
  const { name = '', encoders = [] } = partial?.next ?? {};
  if (one.entity === other.entity || partial?.slot.type === 'N' || encoders.some(isOfOneWidth)) return true;
  const [schema, theirs] = [one, other].map(({ entity }) => entity.attributes.get(name)?.schema);
  if (schema === undefined || theirs === undefined || schema === theirs) return schema === theirs;
  const domain = domainOf(schema);
  // The ends of an interval depend on which texts a schema takes, of which a domain has only the shape.
  const isKnown = domain.values !== undefined || domain.text === undefined || domain.text.time !== undefined;
  return isKnown && JSON.stringify(domain) === JSON.stringify(domainOf(theirs));
}

/** Numbers with leading zeros, and times in one form. */
function isOfOneWidth({ name, least }: TemplateVariable['encoders'][number]): boolean {
  return least !== undefined || name === 'utc' || name === 'seconds';
}

/** The beginning of a sort key, up to the attribute that is not known: `OPEN#{number:08}`. */
function startOf({ partial }: SortBound): string {
  const pieces = partial === undefined ? [] : [...partial.bound.parts, partial.next];
  return pieces
    .map((piece) =>
      typeof piece === 'string' ? piece : `{${[piece.name, piece.encoding].filter((text) => text !== '').join(':')}}`,
    )
    .join('');
}

/** The one item is read first. */
function led({ need, plan, stream, live }: Read): Unproven[] {
  const leads = live.forms.filter(({ part }) => !part.many && part.name !== undefined);
  const many = live.forms.filter(({ part }) => part.many);
  if (leads.length === 0 || many.length === 0) return [];
  const inputs = new Set([
    ...(need.by ?? []).flatMap((name) => need.aka?.[name] ?? name),
    ...Object.values(need.aka ?? {}).flat(),
  ]);
  const isInput = (name: string): boolean => inputs.has(name);
  const isLed = (lead: SortBound, each: SortBound): boolean =>
    plan.descending ? liesBefore(each, lead, isInput) : liesBefore(lead, each, isInput);
  const late = many.find((each) => leads.some((lead) => !isLed(lead, each)));
  if (late === undefined) return [];
  const lead = leads.find((each) => !isLed(each, late));
  const marks = plan.descending ? ['~'] : ['#', '!'];
  const moved = marks
    .flatMap((mark) => (lead === undefined ? [] : (withMark(lead, mark) ?? [])))
    .find((each) => many.every((other) => isLed(each.bound, other)));
  const side = plan.descending ? 'behind' : 'before';
  const remedy =
    moved === undefined
      ? `Let the keys of the one item begin with what sorts ${side} the others`
      : `Let the sort key of ${moved.bound.part.entity.name} in ${stream.place.name} be '${moved.source}', which sorts ${side} the others`;
  return [
    {
      code: 'parent-at-wrong-end',
      message: `read ${plan.descending ? 'descending' : 'ascending'}, ${late.part.entity.name} may come first in ${stream.place.name} and the page may end before the one item`,
      remedy: `${remedy}, or order them the other way.`,
    },
  ];
}

/** A form whose sort key begins with a mark, and the template of that key. */
function withMark(bound: SortBound, mark: string): { readonly bound: SortBound; readonly source: string } | undefined {
  const [slot, ...rest] = bound.form.sort;
  if (slot === undefined || slot.own) return undefined;
  const template = { ...slot.template, parts: [mark, ...slot.template.parts] };
  const form = { ...bound.form, sort: [{ ...slot, template }, ...rest] };
  return { bound: { ...bound, form }, source: `${mark}${template.source}` };
}

/** A read of one item finds no second one, and neither does the one item of a collection, which only inputs identify. */
function single({ need, live }: Read): Unproven[] {
  const isCollection = typeof need.reads !== 'string';
  return live.forms.flatMap(({ part: { entity, name: part, many } }): Unproven[] => {
    if (many || (isCollection && part === undefined)) return [];
    const asked: Need = { ...need, aka: akaOf(entity, need), ...(isCollection && { where: {} }) };
    const has = (name: string): boolean => hasOneValue(asked, name);
    const key = keyVariables(entity).filter((name) => !has(name));
    const hasOneGuard = (unique: UniqueInfo): boolean => guardedAttributes(unique).every(has);
    if (key.length === 0 || entity.unique.some(hasOneGuard) || entity.rules.generated?.some(has)) return [];
    const all = `['${entity.name}']`;
    const input = need.by?.[0] ?? '…';
    return [
      {
        code: 'several-items',
        message: `several ${entity.name} may have what is asked for: ${key.join(', ')} of the key ${key.length === 1 ? 'is' : 'are'} not among the inputs, and no input is unique`,
        remedy: `Read them all, \`reads: ${part === undefined ? all : `{ ${part}: ${all} }`}\`, or declare what is unique: \`unique: ['${input}']\`, or \`generated: ['${input}']\` for an id that is never given twice.`,
      },
    ];
  });
}

/** The other names of inputs, of those that an entity has. */
function akaOf({ attributes }: EntityInfo, { aka = {} }: Need): NonNullable<Need['aka']> {
  return Object.fromEntries(
    Object.entries(aka).map(([input, names]) => [input, [names].flat().filter((name) => attributes.has(name))]),
  );
}

/** Attributes that have a value: those with the name of an input, and constants with their value. */
function inputsByAttribute(need: Need): Map<string, string> {
  const known = new Map<string, string>();
  for (const [name, value] of Object.entries(constantsOf(need.where))) known.set(name, `=${JSON.stringify(value)}`);
  for (const input of need.by ?? []) known.set(input, input);
  for (const [input, attributes] of Object.entries(need.aka ?? {}))
    for (const name of [attributes].flat()) known.set(name, input);
  return known;
}

/** Whether all that is read has one value of an attribute: not if an input may be another attribute instead. */
function hasOneValue(need: Need, attribute: string): boolean {
  const isOneOf = Object.values(need.aka ?? {}).some(
    (names) => Array.isArray(names) && names.length > 1 && names.includes(attribute),
  );
  return inputsByAttribute(need).has(attribute) && !isOneOf;
}

/** The encoders under which values of an attribute count as equal. */
function sameOf({ rules }: EntityInfo, name: string): string | readonly string[] | undefined {
  return (rules.same as Readonly<Record<string, string | readonly string[]>> | undefined)?.[name];
}

/** An attribute in a template, with the encoders under which its values count as equal: `email:lower`. */
export function sameVariable(entity: EntityInfo, name: string): string {
  return [name, ...sameChain(sameOf(entity, name))].join(':');
}

/**
 * Which properties of the attribute's values a variable of a slot preserves.
 *
 * Decision 0050 says why.
 *
 * @param given.following - what follows the variable, if it differs from the template: to test whether its values could be mistaken for
 *   those of another template.
 * @param given.domain - the values, if they are more than those of the attribute.
 * @param given.isGuarded - false: some of them have the separator, although a key with more than the variable refuses it.
 */
export function propertiesOf(
  entity: EntityInfo,
  { template, type }: KeySlot,
  at: number,
  given: { readonly following?: Following; readonly domain?: Domain | undefined; readonly isGuarded?: boolean } = {},
): HoleProperties {
  const variable = template.parts[at];
  if (variable === undefined || typeof variable === 'string') return { exact: true, order: 'up', ends: true };
  const info = entity.attributes.get(variable.name);
  const domain: Domain =
    info === undefined
      ? {
          values: undefined,
          text: undefined,
          number: { least: 1, most: 10_000, whole: true },
          other: false,
          null: false,
        }
      : (given.domain ?? domainOf(info.schema));
  if (type === 'B') return { exact: true, order: 'up', ends: true };
  return holeProperties(variable, domain, given.following ?? followingOf(template, at), {
    guarded:
      given.isGuarded !== false && template.parts.length > 1 && !variable.encoders.some(({ safe }) => safe)
        ? entity.table.separator
        : undefined,
    number: type === 'N',
    same: sameChain(sameOf(entity, variable.name)),
  });
}

function followingOf({ parts }: KeySlot['template'], at: number): Following {
  const next = parts[at + 1];
  return next === undefined ? 'end' : typeof next === 'string' ? { literal: next } : 'variable';
}

function nextProperties(entity: EntityInfo, { slot, next }: NonNullable<SortBound['partial']>): HoleProperties {
  return propertiesOf(entity, slot, slot.template.parts.indexOf(next));
}

function sortableRemedy(
  entity: EntityInfo,
  { slot, next }: NonNullable<SortBound['partial']>,
  { kind }: PlaceInfo,
): string {
  const { name, encoding } = next;
  const info = entity.attributes.get(name);
  const { text, number } = info === undefined ? { text: undefined, number: undefined } : domainOf(info.schema);
  if (number !== undefined && text === undefined) return sortableNumber(name, number);
  if (text?.isTime === true)
    return `Write the time in one form, \`{${name}:utc}\`, or let the schema take one: \`precision: ${encoding === 'seconds' ? 0 : 3}\`.`;
  const chain = unescaped(encoding);
  if (sameChain(sameOf(entity, name)).join(':') !== chain && /^(lower|upper|trim|slug)/.test(chain))
    return sameRemedy(next);
  const sorting =
    'the schema take only what sorts: texts of one length, or without characters that sort before what follows in the key.';
  return kind !== 'table' && slot.template.parts.at(-1) !== next
    ? `In an index, several items may have one key: end it with \`{${[name, chain].filter(Boolean).join(':')}}\`. Or let ${sorting}`
    : `Let ${sorting}`;
}

function sameRemedy({ name, encoding }: TemplateVariable): string {
  const chain = unescaped(encoding).split(':');
  const same = chain.length === 1 ? `'${chain.join('')}'` : `['${chain.join("', '")}']`;
  return `Say that such values are one: \`entity({…}, { same: { ${name}: ${same} } })\`. Or write the value into the key as it is.`;
}

function unescaped(encoding: string): string {
  return encoding.replace(/:?escape$/, '');
}

function leadsOf({ parts }: QueryPlan): ReadPart[] {
  return parts.some(({ many }) => many) ? parts.filter(({ many }) => !many) : [];
}

function names(parts: readonly ReadPart[]): string {
  return parts.map(({ entity }) => entity.name).join(' and ');
}
