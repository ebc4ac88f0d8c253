import { casesOf } from '../proof/cases.ts';
import type { KeyTemplate } from '../keys/template.ts';
import type { Need } from '../patterns/need.ts';
import type { KeySlot, PatternInfo, QueryStream, Residual, SortBound, WritePlan } from '../resolve/resolved.ts';
import { testedAttributes } from '../patterns/condition.ts';

/** The requests of a pattern, in the service's own words. */
export interface OperationText {
  /** `GetItem`, `Query`, `PutItem`; several in series are joined by "then". */
  readonly operation: string;
  /** The table or index; several are joined by "and". */
  readonly place: string;
  /** Maximum number of requests for one page, or for one write; if a write has a list of items, for a single one of each list. */
  readonly requests: number;
  /** `PK = CUSTOMER#{username} AND begins_with(SK, #ORDER#)`, for reads. */
  readonly keyCondition?: string;
  /** The direction in which the sort key is read. */
  readonly order?: 'ascending' | 'descending';
  /** Maximum number of items in a page. */
  readonly limit?: number;
  /** Attributes that are filtered by. */
  readonly filter?: readonly string[];
}

/** Attributes that residual filters test. */
export function filteredBy(residuals: readonly Residual[]): string[] {
  return [...new Set(residuals.flatMap(({ tests }) => tests.flatMap(testedAttributes)))];
}

/** Describes what a pattern does; undefined if it is not served. */
export function operationOf({ need, plan }: PatternInfo): OperationText | undefined {
  const inputs = inputsOf(need);
  switch (plan?.kind) {
    case undefined:
      return undefined;
    case 'get':
    case 'batch-get': {
      const { key, table } = plan.part.entity;
      const keyCondition = [...key.partition, ...key.sort].map((slot) => equality(slot, inputs)).join(' AND ');
      return {
        operation: plan.kind === 'get' ? 'GetItem' : 'BatchGetItem',
        place: table.name,
        requests: 1,
        keyCondition,
      };
    }
    case 'scan': {
      const filter = filteredBy(plan.residuals);
      return { operation: 'Scan', place: plan.place.name, requests: 1, ...(filter.length > 0 && { filter }) };
    }
    case 'write': {
      const places = new Set(plan.writes.map(({ entity }) => entity.table.name));
      return {
        operation: plan.operations.join(' then '),
        place: [...places].join(' and '),
        // Each item that a write depends on is read with a request of its own.
        requests: plan.operations.filter((operation) => operation !== 'GetItem').length + firstReads(plan.writes),
      };
    }
    case 'query': {
      const filter = [
        ...new Set([...plan.streams.flatMap(({ residuals }) => filteredBy(residuals)), ...(need.filters ?? [])]),
      ];
      return {
        operation: 'Query',
        place: plan.streams.map(({ place }) => place.name).join(' and '),
        requests: plan.streams.length * (plan.shards?.count ?? 1) * (plan.walk?.most ?? 1) * (plan.among?.most ?? 1),
        keyCondition: plan.streams.map((stream) => streamText(stream, need.range, inputs)).join(' | '),
        order: plan.descending ? 'descending' : 'ascending',
        ...(need.limit !== undefined && { limit: need.limit }),
        ...(filter.length > 0 && { filter }),
      };
    }
  }
}

/** How many of some writes read their item first. */
function firstReads(writes: readonly WritePlan[]): number {
  return writes.filter(({ readsFirst }) => readsFirst).length;
}

/** The input that gives the value of an attribute, if it has another name. */
export type InputNames = ReadonlyMap<string, string>;

/** The names of inputs, by attribute. */
export function inputsOf({ by = [], aka = {} }: Need): InputNames {
  const others = Object.entries(aka).flatMap(([input, attributes]) =>
    [attributes].flat().map((attribute) => [attribute, input] as const),
  );
  return new Map(others.filter(([attribute]) => !by.includes(attribute)));
}

/** One condition for each choice of key forms that inputs make. */
function streamText(stream: QueryStream, range: string | undefined, inputs: InputNames): string {
  const cases = casesOf(stream.bounds);
  if (cases.length === 1) return keyConditionText(stream, range, inputs);
  const texts = cases.map(({ forms: bounds }) =>
    keyConditionText({ ...stream, partition: bounds[0]?.partition ?? stream.partition, bounds }, range, inputs),
  );
  return [...new Set(texts)].join(' or ');
}

function keyConditionText(
  { partition, bounds, place }: QueryStream,
  range: string | undefined,
  inputs: InputNames,
): string {
  const [first] = bounds;
  const last = bounds.at(-1);
  const texts = partition.map((slot) => equality(slot, inputs));
  if (first === undefined || last === undefined || place.sort.length === 0) return texts.join(' AND ');
  if (first === last) return [...texts, ...boundText(first, range, inputs)].join(' AND ');
  // Forms that begin with a value are among the first: their range, and with it that of all forms, is the whole partition.
  if (lowest(first, inputs) === '') return texts.join(' AND ');
  const name = place.sort[0]?.attribute ?? '';
  return [...texts, `${name} BETWEEN ${lowest(first, inputs)} AND ${highest(last, inputs)}`].join(' AND ');
}

function boundText({ equal, partial }: SortBound, range: string | undefined, inputs: InputNames): string[] {
  const texts = equal.map((slot) => equality(slot, inputs));
  if (partial === undefined) return texts;
  const { slot, bound, next } = partial;
  const prefix = templateText(bound, inputs);
  if (range === next.name) return [...texts, `${slot.attribute} BETWEEN ${prefix}{from} AND ${prefix}{to}`];
  return prefix === '' ? texts : [...texts, `begins_with(${slot.attribute}, ${prefix})`];
}

function lowest({ equal, partial }: SortBound, inputs: InputNames): string {
  return partial === undefined
    ? (equal.map(({ template }) => templateText(template, inputs)).at(-1) ?? '')
    : templateText(partial.bound, inputs);
}

function highest(bound: SortBound, inputs: InputNames): string {
  return bound.partial === undefined ? lowest(bound, inputs) : `${lowest(bound, inputs)}…`;
}

function equality({ attribute, template }: KeySlot, inputs: InputNames): string {
  return `${attribute} = ${templateText(template, inputs)}`;
}

function templateText({ parts }: KeyTemplate, inputs: InputNames): string {
  return parts.map((part) => (typeof part === 'string' ? part : `{${inputs.get(part.name) ?? part.name}}`)).join('');
}
