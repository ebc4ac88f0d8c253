import type { Need } from '../patterns/need.ts';
import type { EntityInfo, ParentInfo, PatternInfo, ResolvedModel, WritePlan } from '../resolve/resolved.ts';
import {
  changedAttributes,
  changedParents,
  formAttributes,
  guardedAttributes,
  isCounted,
  slotsOf,
  talliesOf,
} from '../resolve/slots.ts';
import { queryProjection } from '../run/projection.ts';
import type { QueryPlan } from '../run/query.ts';
import { readUnitBytes, writeUnitBytes } from './capacity-units.ts';
import { entryBytes, itemBytes } from './item-size.ts';
import { hoursPerMonth, type Prices, prices as published } from './prices.ts';

/** The expected cost of one call of a pattern. */
export interface PatternCost {
  /** The pattern's name. */
  readonly pattern: string;
  /** Calls per second at peak, as declared. */
  readonly rate: number | undefined;
  /** Requests of one call. */
  readonly requests: number;
  /** Items read or written, of tables and indexes. */
  readonly items: number;
  /** Bytes that one call reads or writes. */
  readonly bytes: number;
  /** Read units of one call. */
  readonly readUnits: number;
  /** Write units of one call, including indexes. */
  readonly writeUnits: number;
  /** At the declared rate over {@link CostOptions.peakToAverage}; undefined without a rate. */
  readonly onDemandPerMonth: number | undefined;
  /** Load of the hottest partition at peak, in units per second; undefined if the model does not state enough. */
  readonly hottest: { readonly reads: number; readonly writes: number } | undefined;
}

/** What a model costs. */
export interface ModelCost {
  /** The prices that the estimate uses. */
  readonly prices: Prices;
  /** The assumed ratio of peak to average load. */
  readonly peakToAverage: number;
  /** The cost of each pattern. */
  readonly patterns: readonly PatternCost[];
  /** Bytes of all items and index entries, of entities whose number is declared. */
  readonly storedBytes: number;
  /** The price of storage per month, in the currency of the prices. */
  readonly storagePerMonth: number;
  /** The price of all requests per month on demand, in the currency of the prices. */
  readonly onDemandPerMonth: number;
  /** The price per month of provisioned capacity for the peak at all times. */
  readonly provisionedPerMonth: number;
}

/** The prices and the load that costs are estimated with. */
export interface CostOptions {
  /** The prices of us-east-1 by default. */
  readonly prices?: Prices;
  /** How much higher the peak is than the average. 3 by default. */
  readonly peakToAverage?: number;
}

const pageBytesMax = 1024 * 1024;
/** Items in a page if the pattern does not state it. */
const usualItems = 10;
/** The assumed ratio of the load of the hottest key to the average. */
const skew = 10;
const secondsPerMonth = hoursPerMonth * 3600;

/** Estimates the cost of every pattern of a model from its declared rates, volumes and sizes. */
export function estimateCost(model: ResolvedModel, options: CostOptions = {}): ModelCost {
  const { prices = published, peakToAverage = 3 } = options;
  const patterns = [...model.patterns.values()].flatMap((pattern) => {
    const cost = patternCost(model, pattern);
    return cost === undefined ? [] : [{ ...cost, ...monthly(cost, pattern.need.rate, prices, peakToAverage) }];
  });
  const total = (of: (cost: PatternCost) => number): number => patterns.reduce((sum, cost) => sum + of(cost), 0);
  const storedBytes = [...model.entities.values()].reduce((sum, entity) => sum + entityBytes(entity), 0);
  return {
    prices,
    peakToAverage,
    patterns,
    storedBytes,
    storagePerMonth: (storedBytes / 2 ** 30) * prices.gigabyteMonth,
    onDemandPerMonth: total(({ onDemandPerMonth }) => onDemandPerMonth ?? 0),
    provisionedPerMonth:
      hoursPerMonth *
      (total(({ rate = 0, readUnits }) => rate * readUnits) * prices.readUnitHour +
        total(({ rate = 0, writeUnits }) => rate * writeUnits) * prices.writeUnitHour),
  };
}

type Taken = Pick<PatternCost, 'requests' | 'items' | 'bytes' | 'readUnits' | 'writeUnits'>;

function patternCost(model: ResolvedModel, pattern: PatternInfo): Omit<PatternCost, 'onDemandPerMonth'> | undefined {
  const taken = takenBy(model, pattern);
  if (taken === undefined) return undefined;
  return { pattern: pattern.name, rate: pattern.need.rate, ...taken, hottest: hottestOf(pattern, taken) };
}

function takenBy(model: ResolvedModel, { need, plan }: PatternInfo): Taken | undefined {
  if (plan === undefined) return undefined;
  const weight = need.consistent === true ? 1 : 0.5;
  switch (plan.kind) {
    case 'get':
    case 'batch-get': {
      const items = plan.kind === 'get' ? 1 : (need.volume?.typical ?? usualItems);
      const bytes = itemBytes(plan.part.entity);
      return reads({ requests: 1, items, bytes: items * bytes, units: items * units(bytes, readUnitBytes) * weight });
    }
    case 'query': {
      const partitions =
        plan.streams.length *
        (plan.shards?.count ?? 1) *
        (plan.among?.most ?? 1) *
        (plan.walk === undefined ? 1 : Math.min(plan.walk.most, 2));
      // A count reads all items.
      const read =
        (need.count === true ? undefined : (plan.readAhead ?? need.limit)) ?? need.volume?.typical ?? usualItems;
      const wanted = Math.min(read, need.volume?.most ?? read);
      const lead = plan.parts.filter(({ many }) => !many).reduce((sum, { entity }) => sum + itemBytes(entity), 0);
      const many = plan.parts.filter((part) => part.many).map(({ entity }) => itemBytes(entity));
      const each = many.length === 0 ? 0 : many.reduce((sum, size) => sum + size, 0) / many.length;
      // A read of several partitions or indexes reads a whole page from each of them, and keeps the first items overall.
      const spread = plan.shards === undefined && plan.among === undefined ? plan.streams.length : partitions;
      const items =
        (many.length === 0 ? 0 : wanted * (need.count === true ? 1 : spread)) +
        plan.parts.filter((part) => !part.many).length;
      // A read of several partitions takes a page of each; a count takes all items that they have together.
      const all = wanted * each * (need.count === true ? 1 : spread) + lead;
      const requests = need.count === true ? Math.max(partitions, units(all, pageBytesMax)) : partitions;
      const bytes = Math.min(pageBytesMax * requests, all);
      const fetched = isFetched(need, plan) ? items * units(Math.max(each, lead), readUnitBytes) : 0;
      return reads({
        requests,
        items,
        bytes,
        units: (Math.max(requests, units(bytes, readUnitBytes)) + fetched) * weight,
      });
    }
    case 'scan': {
      const bytes = pageBytesMax;
      return reads({
        requests: 1,
        items: Math.floor(bytes / itemBytes(plan.part.entity)),
        bytes,
        units: units(bytes, readUnitBytes) * weight,
      });
    }
    case 'write':
      return writes(model, plan.writes, plan.operations, need.volume?.typical);
  }
}

function reads({
  requests,
  items,
  bytes,
  units: readUnits,
}: {
  requests: number;
  items: number;
  bytes: number;
  units: number;
}): Taken {
  return { requests, items, bytes, readUnits, writeUnits: 0 };
}

function writes(
  model: ResolvedModel,
  plans: readonly WritePlan[],
  operations: readonly string[],
  typical: number | undefined,
): Taken {
  const factor = operations.includes('TransactWriteItems') ? 2 : 1;
  const countOf = ({ many }: WritePlan): number => (many ? (typical ?? usualItems) : 1);
  let [items, bytes, writeUnits] = [0, 0, 0];
  for (const plan of plans) {
    const count = countOf(plan) * (plan.entity.rules.copies ?? 1);
    const size = itemBytes(plan.entity);
    const parents = parentsOf(plan);
    const guards = guardsOf(plan);
    const parentSizes = parents.map((parent) => parentBytes(model, parent));
    const changed = plan.verb === 'updates' ? changedAttributes(plan.need, plan.entity) : undefined;
    const own = plan.verb === 'checks' ? [] : entriesOf(plan.entity, changed);
    const entries = [
      ...own,
      ...parents.flatMap((parent) =>
        entriesOfParent(
          model,
          parent,
          talliesOf(parent).map(([tally]) => tally),
        ),
      ),
    ];
    items += count * (1 + guards + parents.length + entries.length);
    bytes += count * sumOf([size, ...parentSizes, ...entries]);
    writeUnits += count * (guards + sumOf([size, ...parentSizes].map(writeUnitsOf))) * factor;
    writeUnits += count * sumOf(entries.map(writeUnitsOf));
  }
  // A write reads each stored item that it depends on, consistently.
  const first = plans.filter(({ readsFirst }) => readsFirst);
  const readUnits = first.reduce((sum, plan) => sum + countOf(plan) * units(itemBytes(plan.entity), readUnitBytes), 0);
  const found = first.reduce((sum, plan) => sum + countOf(plan), 0);
  // A separate request takes a sequence number from the parent.
  const drawn =
    operations.filter((operation) => operation === 'UpdateItem').length - (operations.at(-1) === 'UpdateItem' ? 1 : 0);
  const counters =
    drawn === 0
      ? []
      : plans
          .filter(({ verb }) => verb === 'creates')
          .flatMap(({ entity }) =>
            entity.sequences.flatMap(({ parent, counter }) => [
              parentBytes(model, parent),
              ...entriesOfParent(model, parent, [counter]),
            ]),
          );
  return {
    requests: operations.filter((operation) => operation !== 'GetItem').length + found,
    items: items + counters.length,
    bytes: bytes + sumOf(counters),
    readUnits,
    writeUnits: writeUnits + sumOf(counters.map(writeUnitsOf)),
  };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

function writeUnitsOf(bytes: number): number {
  return units(bytes, writeUnitBytes);
}

/** The size of a parent's item. */
function parentBytes({ entities }: ResolvedModel, { entity: name }: ParentInfo): number {
  const entity = entities.get(name);
  return entity === undefined ? 0 : itemBytes(entity);
}

/** Whether the service reads each item from the table, because a local index lacks attributes that are requested by name. */
function isFetched(need: Need, plan: QueryPlan): boolean {
  if (need.attributes === undefined || need.count === true) return false;
  return plan.streams.some((stream) => {
    const { place } = stream;
    if (place.kind !== 'local' || place.project === 'ALL') return false;
    const keys = [place, ...plan.parts.map(({ entity }) => entity.table.place)].flatMap(slotsOf);
    const held = new Set([
      ...keys.map(({ attribute }) => attribute),
      ...(place.project === 'KEYS_ONLY' ? [] : place.project),
    ]);
    const names = Object.values(queryProjection(need, plan, stream).ExpressionAttributeNames);
    return names.some((name) => !held.has(name));
  });
}

/** Guards of unique values in the same transaction. */
function guardsOf({ verb, entity, need }: WritePlan): number {
  if (verb === 'checks') return 0;
  if (verb !== 'updates') return entity.unique.length;
  const changed = changedAttributes(need, entity);
  const isRenewed = need.orCreates === true || changed.has(entity.rules.expires ?? '');
  return entity.unique.reduce(
    (sum, each) => sum + (guardedAttributes(each).some((name) => changed.has(name)) ? 2 : isRenewed ? 1 : 0),
    0,
  );
}

/** Parents in the same transaction: those that are checked, and those that count or add up. A child that moves has two that count. */
function parentsOf({ verb, entity, need }: WritePlan): readonly ParentInfo[] {
  if (verb === 'checks') return [];
  if (verb === 'updates' && need.orCreates !== true) {
    const changed = changedAttributes(need, entity);
    return changedParents(need, entity).flatMap((parent) =>
      isCounted(parent) && parent.by.some(([, child]) => changed.has(child)) ? [parent, parent] : [parent],
    );
  }
  return entity.parents.filter((parent) => isCounted(parent) || verb !== 'deletes');
}

/** Sizes of the index entries that show a parent's numbers. */
function entriesOfParent(
  { entities }: ResolvedModel,
  { entity: name }: ParentInfo,
  numbers: readonly string[],
): number[] {
  const entity = entities.get(name);
  return entity === undefined || numbers.length === 0 ? [] : entriesOf(entity, new Set(numbers));
}

/** Sizes of the index entries that are written if some attributes change, or the whole item. An entry that moves counts twice. */
function entriesOf(entity: EntityInfo, changed?: ReadonlySet<string>): number[] {
  return entity.indexes.flatMap((index) => {
    const bytes = entryBytes(entity, index);
    if (changed === undefined) return [bytes];
    const moves = index.forms.some((form) => formAttributes(form).some((name) => changed.has(name)));
    const shows =
      index.place.project === 'ALL' ||
      (Array.isArray(index.place.project) && [...changed].some((name) => index.place.project.includes(name)));
    return moves ? [bytes, bytes] : shows ? [bytes] : [];
  });
}

/** The share of a pattern's load on the hottest partition. */
function hottestOf({ need, plan }: PatternInfo, taken: Taken): PatternCost['hottest'] {
  if (need.rate === undefined || plan === undefined) return undefined;
  const share = largestShare(plan, need.volume?.typical);
  if (share === undefined) return undefined;
  return { reads: need.rate * taken.readUnits * share, writes: need.rate * taken.writeUnits * share };
}

function largestShare(plan: NonNullable<PatternInfo['plan']>, typical = 1): number | undefined {
  const slots =
    plan.kind === 'query'
      ? (plan.streams[0]?.partition ?? [])
      : plan.kind === 'write'
        ? (plan.writes[0]?.entity.key.partition ?? [])
        : plan.kind === 'scan'
          ? []
          : plan.part.entity.key.partition;
  const variables = slots.flatMap(({ template }) => template.variables);
  const shards =
    variables.flatMap(({ encoders }) => encoders.flatMap((encoder) => encoder.shards?.count ?? [])).at(0) ?? 1;
  const others = variables.filter(
    ({ encoders, name }) =>
      name !== 'copy' && !encoders.some((encoder) => encoder.shards !== undefined || encoder.unit !== undefined),
  );
  if (others.length === 0) {
    const copies = plan.kind === 'get' || plan.kind === 'batch-get' ? (plan.part.entity.rules.copies ?? 1) : 1;
    return 1 / ((plan.kind === 'query' && plan.shards !== undefined ? plan.shards.count : shards) * copies);
  }
  const entity =
    plan.kind === 'query'
      ? plan.parts.at(-1)?.entity
      : plan.kind === 'write'
        ? plan.writes[0]?.entity
        : plan.part.entity;
  const count = entity?.rules.expects?.items;
  return count === undefined ? undefined : Math.min(1, skew / Math.max(1, count / Math.max(1, typical)));
}

function monthly(
  { readUnits, writeUnits }: Pick<PatternCost, 'readUnits' | 'writeUnits'>,
  rate: number | undefined,
  prices: Prices,
  peakToAverage: number,
): Pick<PatternCost, 'onDemandPerMonth'> {
  if (rate === undefined) return { onDemandPerMonth: undefined };
  const calls = (rate / peakToAverage) * secondsPerMonth;
  return {
    onDemandPerMonth: (calls / 1e6) * (readUnits * prices.millionReadUnits + writeUnits * prices.millionWriteUnits),
  };
}

function entityBytes(entity: EntityInfo): number {
  const count = entity.rules.expects?.items ?? 0;
  const overhead = 100; // what the service adds to each stored item
  return (
    count *
    entity.indexes.reduce((sum, index) => sum + entryBytes(entity, index) + overhead, itemBytes(entity) + overhead) *
    (entity.rules.copies ?? 1)
  );
}

function units(bytes: number, perUnit: number): number {
  return Math.max(1, Math.ceil(bytes / perUnit));
}
