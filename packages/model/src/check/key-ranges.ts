import type { TemplateVariable } from '../keys/template.ts';
import type { Need } from '../patterns/need.ts';
import type { Condition } from '../patterns/value.ts';
import { type Case, casesOf } from '../proof/cases.ts';
import type {
  KeySlot,
  PatternInfo,
  Plan,
  QueryStream,
  ReadPart,
  Residual,
  ResolvedModel,
  SortBound,
} from '../resolve/resolved.ts';
import { slotsOf } from '../resolve/slots.ts';
import { withConstants } from '../proof/read-proof.ts';
import { type InputNames, inputsOf } from './operation.ts';
import { othersWithin } from './others-within.ts';

/*
 * What a read requests, as data: the exact ranges of keys, what they contain, what is filtered, and pages. It is derived from the plan that
 * runs, so that it describes only what is sent.
 */

type QueryPlan = Extract<Plan, { kind: 'query' }>;

/** The keys that a read requests. */
export interface ReadRanges {
  /** One for each choice of key forms that inputs make. Most patterns have only one. */
  readonly cases: readonly RangeCase[];
  /** How results are paged. */
  readonly pages: RangePages;
}

/** The requests for inputs that choose these forms of keys. */
export interface RangeCase {
  /** An input that makes the choice, as JSON; empty if every input leads to the same requests. */
  readonly when: string;
  /** One for each table or index that is read. None if no item can have such values. */
  readonly requests: readonly RangeRequest[];
}

/** One request, or several that differ only in a shard or a unit of time. */
export interface RangeRequest {
  /** The service's operation. */
  readonly operation: 'GetItem' | 'BatchGetItem' | 'Query' | 'Scan';
  /** The table or index. */
  readonly place: string;
  /** The maximum number of such requests in one call, before it continues reading. */
  readonly times: number;
  /** The partition key by attribute: texts with inputs in braces, such as `CUSTOMER#{username}`. None for a scan. */
  readonly partition: Readonly<Record<string, string>>;
  /** Sort key attributes whose whole text is known. */
  readonly equal: Readonly<Record<string, string>>;
  /** The range of the next sort key attribute; undefined if there is none, or all of them are read. */
  readonly range: SortKeyRange | undefined;
  /** The items that the pattern returns, by entity and key. */
  readonly reads: readonly RangeResident[];
  /** What else may be within the range: it is read and paid for, and the filter removes it. */
  readonly alsoThere: readonly RangeResident[];
  /** Conditions that the keys do not settle: every returned item meets all of them. */
  readonly filter: readonly string[];
}

/** Sort keys between two texts, by bytes. */
export interface SortKeyRange {
  /** The sort key attribute. */
  readonly attribute: string;
  /** The least key (inclusive). */
  readonly from: string;
  /** The greatest (inclusive). */
  readonly to: string;
  /**
   * Keys that begin with `to` are within the range, whatever follows. The service may also examine the one key that directly follows all of
   * them, which is left out.
   */
  readonly toBeginnings: boolean;
}

/** A kind of item. */
export interface RangeResident {
  /** The entity, or the type of a guard of a unique value. */
  readonly name: string;
  /** Its sort key there, or its partition key if there is no sort key. */
  readonly key: string;
}

/** Pages of a read. */
export interface RangePages {
  /** Maximum items of a page, besides the one item of a collection; undefined if the service decides the page, at most 1 MB. */
  readonly limit: number | undefined;
  /** Items that the first request evaluates, with the one item of a collection; undefined if there is no limit. */
  readonly looksAt: number | undefined;
  /** A page may take several requests until it is full, since a filter removes items. */
  readonly readsOn: boolean;
}

/** The ranges of a read; undefined for a write, and for a pattern that is not served. */
export function rangesOf(model: ResolvedModel, { need, plan }: PatternInfo): ReadRanges | undefined {
  switch (plan?.kind) {
    case 'get':
    case 'batch-get':
      return { cases: [{ when: '', requests: [ofGet(need, plan)] }], pages: onePage };
    case 'scan': {
      const { place, part, residuals } = plan;
      const reads = [{ name: part.entity.name, key: 'any' }];
      const filter = filterTexts(need, [part], residuals);
      const request = { ...nowhere, operation: 'Scan', place: place.name, reads, filter } as const;
      return { cases: [{ when: '', requests: [request] }], pages: { ...onePage, readsOn: filter.length > 0 } };
    }
    case 'query':
      return { cases: queryCases(model, need, plan), pages: queryPages(need, plan) };
    default:
      return undefined;
  }
}

const onePage: RangePages = { limit: undefined, looksAt: undefined, readsOn: false };
const nowhere = { times: 1, partition: {}, equal: {}, range: undefined, alsoThere: [] } as const;

function ofGet(need: Need, plan: Extract<Plan, { kind: 'get' | 'batch-get' }>): RangeRequest {
  const parts = plan.kind === 'get' ? plan.parts : [plan.part];
  const { key, table } = plan.part.entity;
  return {
    ...nowhere,
    operation: plan.kind === 'get' ? 'GetItem' : 'BatchGetItem',
    place: table.name,
    partition: textsOf(key.partition, inputsOf(need)),
    equal: textsOf(key.sort, inputsOf(need)),
    reads: parts.map(({ entity }) => ({ name: entity.name, key: lastText(slotsOf(entity.key)) })),
    filter: filterTexts(need, parts, plan.residuals),
  };
}

/** The cases of all streams together. The streams of one pattern have forms of the same attributes, or no attribute chooses them. */
function queryCases(model: ResolvedModel, need: Need, plan: QueryPlan): RangeCase[] {
  const byChoice = new Map<string, RangeRequest[]>();
  for (const stream of plan.streams)
    for (const live of casesOf(stream.bounds)) {
      const requests = byChoice.get(live.when) ?? [];
      byChoice.set(live.when, requests);
      if (live.forms.length > 0) requests.push(ofStream({ model, need, plan, stream, live }));
    }
  return [...byChoice].map(([when, requests]) => ({ when, requests }));
}

interface StreamCase {
  readonly model: ResolvedModel;
  readonly need: Need;
  readonly plan: QueryPlan;
  readonly stream: QueryStream;
  readonly live: Case;
}

function ofStream({ model, need, plan, stream, live: { forms } }: StreamCase): RangeRequest {
  const { place, residuals } = stream;
  const [first] = forms;
  const single = forms.length === 1 ? first : undefined;
  const inputs = inputsOf(need);
  // All forms together are read by the partition key of the stream.
  const partition = forms.length === stream.bounds.length ? stream.partition : first?.partition;
  return {
    operation: 'Query',
    place: place.name,
    times: (plan.shards?.count ?? 1) * (plan.walk?.most ?? 1) * (plan.among?.most ?? 1),
    partition: textsOf(partition ?? stream.partition, inputs),
    equal: single === undefined ? {} : textsOf(single.equal, inputs),
    range: rangeOf(forms, need.range, inputs),
    reads: forms.map(({ part, form }) => ({
      name: part.entity.name,
      key: lastText([...form.partition, ...form.sort]),
    })),
    alsoThere: othersRead(model, stream, forms),
    filter: [...filterTexts(need, plan.parts, residuals), ...beginningTexts(need, plan.parts, forms)],
  };
}

/** The filter by the beginning of a range. A key that has the value encoded says too little of it. */
function beginningTexts({ range }: Need, parts: readonly ReadPart[], forms: readonly SortBound[]): string[] {
  const isTested = forms.some(({ part, partial }) => {
    if (partial === undefined || partial.next.name !== range || partial.slot.type !== 'S') return false;
    const { encoders, encoding } = partial.next;
    // Values that are the same are compared by the key's text.
    const { same } = part.entity.rules as { readonly same?: Readonly<Record<string, string | readonly string[]>> };
    return encoders.some(({ rest }) => rest !== true) && [same?.[range]].flat().join(':') !== encoding;
  });
  if (!isTested || range === undefined) return [];
  return childrenOf(parts).map((part) => `${nameOf(part, parts)}${range} begins {${range}.begins}, where it is given`);
}

/** What else is within the range of some forms. One form is read with each value that its condition has for an attribute. */
function othersRead(model: ResolvedModel, stream: QueryStream, forms: readonly SortBound[]): RangeResident[] {
  const [form] = forms;
  const choices = forms.length === 1 && form !== undefined ? withConstants(form).map((each) => [each]) : [forms];
  const others = choices.flatMap((bounds) =>
    othersWithin(model, { ...stream, partition: bounds[0]?.partition ?? stream.partition, bounds }),
  );
  const own = new Set(forms.map((each) => each.form));
  const found = others
    .filter((other) => !own.has(other.form))
    .map(({ name, partition, sort }) => ({ name, key: lastText([...partition, ...sort]) }));
  return [...new Map(found.map((each) => [JSON.stringify(each), each])).values()];
}

/** From the least key of the first form to the greatest of the last. */
function rangeOf(forms: readonly SortBound[], range: string | undefined, inputs: InputNames): SortKeyRange | undefined {
  const [first, last] = [forms[0], forms.at(-1)];
  const slot = first?.partial?.slot ?? (forms.length > 1 ? first?.form.sort[0] : undefined);
  if (first === undefined || last === undefined || slot === undefined) return undefined;
  const { attribute } = slot;
  const [low, high] = [endOf(first, range, 'from', inputs), endOf(last, range, 'to', inputs)];
  return { attribute, from: low.text, to: high.text, toBeginnings: high.beginnings };
}

function endOf(
  { equal, partial }: SortBound,
  range: string | undefined,
  side: 'from' | 'to',
  inputs: InputNames,
): { readonly text: string; readonly beginnings: boolean } {
  if (partial === undefined) return { text: lastText(equal, inputs), beginnings: false };
  const { slot, bound, next } = partial;
  const prefix = bound.parts.map((part) => partText(part, inputs)).join('');
  if (next.name !== range) return { text: prefix, beginnings: true };
  const reversed = next.encoders.some((encoder) => encoder.reversed === true);
  const end = reversed === (side === 'to') ? 'from' : 'to';
  const encoding = next.encoding === '' ? '' : `:${next.encoding}`;
  return {
    text: `${prefix}{${next.name}.${end}${encoding}}`,
    beginnings: slot.template.parts.at(-1) !== next,
  };
}

function queryPages(need: Need, plan: QueryPlan): RangePages {
  const { limit, reads } = need;
  const filtered = plan.streams.some(
    ({ residuals, bounds }) =>
      filterTexts(need, plan.parts, residuals).length + beginningTexts(need, plan.parts, bounds).length > 0,
  );
  // Without a filter there is nothing to read ahead for.
  const ahead = filtered || need.range !== undefined ? (plan.readAhead ?? 0) : 0;
  // A second item would be one too many.
  if (typeof reads === 'string')
    return { limit: 1, looksAt: Math.max(2, ahead), readsOn: filtered || plan.walk !== undefined };
  // The one item of a collection is read with the first page.
  const leads = plan.parts.some(({ many }) => !many) ? 1 : 0;
  const looksAt = limit === undefined ? undefined : Math.max(limit + leads, ahead);
  return { limit, looksAt, readsOn: filtered && limit !== undefined };
}

/** The filter's conditions, with their entity if several are read. */
function filterTexts(need: Need, parts: readonly ReadPart[], residuals: readonly Residual[]): string[] {
  const of = (part: ReadPart): string => nameOf(part, parts);
  return [
    ...residuals.flatMap(({ part, tests }) => tests.map((test) => `${of(part)}${conditionText(test)}`)),
    // They apply to the children of a collection.
    ...childrenOf(parts).flatMap((part) =>
      (need.filters ?? [])
        .filter((name) => part.entity.attributes.has(name))
        .map((name) => `${of(part)}${name} = {${name}}, where it is given`),
    ),
    ...parts.flatMap((part) =>
      need.expired === true || part.entity.rules.expires === undefined
        ? []
        : [`${of(part)}${part.entity.rules.expires} is missing or above now`],
    ),
  ];
}

/** The beginning of a condition on one of several parts. */
function nameOf({ entity }: ReadPart, parts: readonly ReadPart[]): string {
  return parts.length > 1 ? `${entity.name}: ` : '';
}

/** The parts that ranges and filters apply to: all but the one item of a collection. */
function childrenOf(parts: readonly ReadPart[]): readonly ReadPart[] {
  return parts.length === 1 ? parts : parts.filter(({ many }) => many);
}

function conditionText(condition: Condition): string {
  const { any } = condition as { readonly any?: readonly Condition[] };
  if (any !== undefined) return any.map(conditionText).join(' or ');
  return Object.entries(condition)
    .map(([attribute, test]: [string, unknown]) => `${attribute} ${testText(test)}`)
    .join(' and ');
}

function testText(test: unknown): string {
  if (Array.isArray(test)) return `is one of ${test.map(operandText).join(', ')}`;
  if (typeof test !== 'object' || test === null || 'ref' in test) return `= ${operandText(test)}`;
  return Object.entries(test)
    .map(([kind, given]: [string, unknown]) =>
      kind === 'exists' ? (given === true ? 'exists' : 'is missing') : `${kind} ${operandText(given)}`,
    )
    .join(' and ');
}

function operandText(value: unknown): string {
  const { ref } = (typeof value === 'object' && value !== null ? value : {}) as { readonly ref?: string };
  return ref === undefined ? JSON.stringify(value) : `{${ref}}`;
}

/** @param inputs - names of inputs, for what is requested. A form of a key has the names of its attributes. */
function textsOf(slots: readonly KeySlot[], inputs: InputNames): Record<string, string> {
  return Object.fromEntries(slots.map((slot) => [slot.attribute, slotText(slot, inputs)]));
}

function lastText(slots: readonly KeySlot[], inputs?: InputNames): string {
  const last = slots.at(-1);
  return last === undefined ? '' : slotText(last, inputs);
}

function slotText({ template }: KeySlot, inputs?: InputNames): string {
  return template.parts.map((part) => partText(part, inputs)).join('');
}

function partText(part: string | TemplateVariable, inputs?: InputNames): string {
  if (typeof part === 'string') return part;
  const name = inputs?.get(part.name) ?? part.name;
  return part.encoding === '' ? `{${name}}` : `{${name}:${part.encoding}}`;
}
