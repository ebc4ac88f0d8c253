import { instantOf, type KeyValue, startOf, type TimeUnit } from '../keys/encoders.ts';
import type { TemplateVariable } from '../keys/template.ts';
import { compareValues, isEqual } from '../patterns/evaluate.ts';
import type { Interval } from '../patterns/signature.ts';
import type { KeySlot } from '../resolve/resolved.ts';
import type { StoredItem } from './attribute-value.ts';
import { InputError } from '../model-error.ts';
import { compareDecimals } from './decimal.ts';
import type { BuiltRequest } from './context.ts';
import { inputValues } from './input-values.ts';
import { withinYears } from './interval.ts';
import { keyValue } from './key-id.ts';
import type { Values } from './item-codec.ts';
import type { PageInput, PageReader, StoredPage } from './page-reader.ts';
import type { QueryPlan } from './query.ts';
import { type Position, StreamReader, type StreamSource } from './stream-reader.ts';

/** One partition that is read: its stream, and the request for it. */
export interface Source {
  readonly reader: StreamReader;
  readonly page: PageInput;
}

/** Partitions that are read at one time. */
const sideBySideMax = 16;

/** Where a walk continues: the unit of time, and the position in each of its partitions. */
interface WalkPosition {
  readonly at: number;
  readonly positions: readonly Position[];
}

/** Reads several partitions: concurrently and merged in the order of their sort keys, or one unit of time after the other. */
export class SpreadReader implements PageReader {
  readonly #query: StreamSource;
  readonly #readers: readonly StreamReader[];

  constructor(query: StreamSource) {
    this.#query = query;
    this.#readers = query.plan.streams.map(
      (stream) => new StreamReader(query, stream, (slot) => forced(slot, query.plan)),
    );
  }

  requests(page: PageInput, from: unknown): BuiltRequest[] {
    const { walk } = this.#query.plan;
    const walked = from as WalkPosition | undefined;
    const at = walk === undefined ? undefined : (walked?.at ?? this.#walkEnds(walk, page).first);
    const positions = walk === undefined ? (from as readonly Position[] | undefined) : walked?.positions;
    return this.#sources(page, at).flatMap(({ reader, page: asked }, i) => {
      const start = positions?.[i] ?? null;
      const query = start === 'end' ? undefined : reader.query(asked, start);
      return query === undefined ? [] : [query.request];
    });
  }

  /** A page may be empty although more items follow. A read of one item continues until it is found. */
  async read(page: PageInput, from: unknown): Promise<StoredPage> {
    let read = await this.#page(page, from);
    if (typeof this.#query.pattern.need.reads === 'string')
      while (read.items.length === 0 && read.position !== undefined) read = await this.#page(page, read.position);
    return read;
  }

  async #page(page: PageInput, from: unknown): Promise<StoredPage> {
    const { walk } = this.#query.plan;
    if (walk !== undefined) return this.#walk(walk, page, from as WalkPosition | undefined);
    return this.#readAll(this.#sources(page, undefined), page.wanted, (from as readonly Position[] | undefined) ?? []);
  }

  /** The partitions of a read, other than those of a walk. */
  sources(page: PageInput): readonly Source[] {
    return this.#sources(page, undefined);
  }

  #sources(page: PageInput, at: number | undefined): Source[] {
    const { first = 0, count = 1 } = this.#query.plan.shards ?? {};
    const pages = this.#pagesOf(page);
    const all = this.#readers.flatMap((reader) =>
      pages.flatMap((each) =>
        Array.from({ length: count }, (_, i) => ({
          reader,
          page: { ...each, values: { ...each.values, $walk: at, $shard: first + i } },
        })),
      ),
    );
    return this.#query.plan.among === undefined ? all : held(all);
  }

  /** One for each value of the input that is a list, since each value has its own partition. */
  #pagesOf(page: PageInput): PageInput[] {
    const { plan, pattern } = this.#query;
    if (plan.among === undefined) return [page];
    const { input: name, most } = plan.among;
    const given = page.input[name];
    if (!Array.isArray(given)) throw new InputError('not-a-list', name, 'must be a list of values');
    const values = given.filter((value, i) => given.findIndex((other) => isEqual(value, other)) === i);
    if (given.includes(undefined)) throw new InputError('missing-input', name, 'has a value that is missing');
    if (values.length > most) throw new InputError('too-many', name, `takes at most ${most} values`);
    const valuesOf = inputValues(pattern.need);
    return values.map((value) => {
      const input = { ...page.input, [name]: value as unknown };
      return { ...page, input, values: valuesOf(input) };
    });
  }

  /** Reads sources concurrently and merges them in the order of their sort keys. */
  async #readAll(
    sources: readonly Source[],
    wanted: number | undefined,
    positions: readonly Position[],
  ): Promise<StoredPage> {
    const [only] = sources;
    if (only !== undefined && sources.length === 1) return only.reader.read({ ...only.page, wanted }, positions);
    const read = await sideBySide(sources, async ({ reader, page }, i) =>
      reader.readFrom({ ...page, wanted }, positions[i] ?? null),
    );
    // An item that is also in an earlier index is taken from that one, on whatever page it is.
    const isRepeated = (source: Source, item: StoredItem): boolean =>
      sources.some(
        ({ reader, page }) =>
          this.#readers.indexOf(reader) < this.#readers.indexOf(source.reader) &&
          isInPartition(reader, page.values, item),
      );
    return mergeSources({ sources, read, isRepeated, before: positions }, wanted, this.#query.plan.descending);
  }

  /** Partitions are walked in the order of the pattern. Within one, the order also depends on how the sort key is written. */
  get #newestFirst(): boolean {
    const { order } = this.#query.pattern.need;
    return order?.endsWith(' asc') !== true;
  }

  /** Walks over partitions of one unit of time, in the order of the pattern, until the page is full. */
  async #walk(
    walk: NonNullable<QueryPlan['walk']>,
    page: PageInput,
    from: WalkPosition | undefined,
  ): Promise<StoredPage> {
    const { first, isOver } = this.#walkEnds(walk, page);
    const { wanted } = page;
    const items: StoredItem[] = [];
    let at = from?.at ?? first;
    let positions = from?.positions ?? [];
    // Which sort keys are read does not depend on the unit: where there are none, no partition has an item, and there may be millions.
    if (this.#sources(page, at).every((source) => source.reader.query(source.page, null) === undefined))
      return { items, position: undefined };
    for (let step = 0; step < walk.most && !isOver(at); step++) {
      const left = wanted === undefined ? undefined : wanted - items.length;
      const read = await this.#readAll(this.#sources(page, at), left, positions);
      items.push(...read.items);
      if (read.position !== undefined) return { items, position: { at, positions: read.position as Position[] } };
      at = this.#newestFirst ? startOf(walk.unit, at - 1) : startOf(walk.unit, at + longest[walk.unit]);
      positions = [];
      if (wanted !== undefined && items.length >= wanted) break;
    }
    return { items, position: isOver(at) ? undefined : { at, positions: [] } };
  }

  /**
   * The units of time that a walk visits, by their starts: those of the pattern's window. A range over the attribute that determines the
   * partitions' time narrows them, so that no unit is read that cannot contain a result.
   */
  #walkEnds(
    walk: NonNullable<QueryPlan['walk']>,
    { input, now }: PageInput,
  ): { readonly first: number; readonly isOver: (at: number) => boolean } {
    const { pattern } = this.#query;
    const { range, window } = pattern.need;
    const { from, to, after, before } = (
      range === walk.variable.name ? (input[range] ?? {}) : {}
    ) as Interval<KeyValue>;
    const unitAt = (value: KeyValue | undefined): number[] => {
      const at = value === undefined ? undefined : instantIn(walk.variable, value);
      return at === undefined ? [] : [startOf(walk.unit, at)];
    };
    const newest = Math.min(startOf(walk.unit, windowTime(window?.to, now)), ...unitAt(before), ...unitAt(to));
    const oldest = Math.max(startOf(walk.unit, windowTime(window?.from, now)), ...unitAt(after), ...unitAt(from));
    return this.#newestFirst
      ? { first: newest, isOver: (at) => at < oldest }
      : { first: oldest, isOver: (at) => at > newest };
  }
}

/** The maximum length of a unit, in milliseconds: the next one begins within it. */
const longest: Readonly<Record<TimeUnit, number>> = {
  second: 1000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
  month: 31 * 86_400_000,
  year: 366 * 86_400_000,
};

function windowTime(end = 'now', now: number): number {
  const [relative, days = 0] = /^now(?:([+-]\d+)d)?$/.exec(end) ?? [];
  return relative === undefined ? instantOf(end) : now + Number(days) * longest.day;
}

/**
 * The sources that can be read. No item has a value that no key can hold; the other sources are still read.
 *
 * @throws {InputError} if none can be read.
 */
function held(sources: readonly Source[]): Source[] {
  const refusals: InputError[] = [];
  const kept = sources.filter(({ reader, page }) => {
    try {
      reader.query(page, null);
      return true;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      refusals.push(error);
      return false;
    }
  });
  const [refusal] = refusals;
  if (kept.length === 0 && refusal !== undefined) throw refusal;
  return kept;
}

/** The results of all, in order, with limited concurrency. */
export async function sideBySide<T, R>(all: readonly T[], one: (each: T, at: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < all.length) {
      const at = next++;
      results[at] = await one(all[at] as T, at);
    }
  };
  await Promise.all(Array.from({ length: Math.min(sideBySideMax, all.length) }, lane));
  return results;
}

/**
 * The instant in a value of a walked variable: `{dealId:ksuid:day}` finds it inside the id. One beyond the years of keys is clipped.
 * Undefined for a bound without one, such as a text that is not an id: it has a place among the keys, and narrows no walk.
 */
function instantIn({ encoders }: TemplateVariable, value: KeyValue): number | undefined {
  const steps = encoders.filter(({ unit }) => unit === undefined);
  try {
    const given = typeof value === 'string' ? withinYears(value) : value;
    return instantOf(withinYears(steps.reduce((each, { encode }) => encode(each), given)));
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

/** The slot with its spread or walked variable replaced by the query's value. */
function forced(slot: KeySlot, { shards, walk }: QueryPlan): KeySlot {
  const parts = slot.template.parts.map((part) => {
    if (typeof part === 'string') return part;
    if (part.name === shards?.variable.name && part.encoding === shards.variable.encoding)
      return { ...part, name: '$shard', encoders: [] };
    if (part.name !== walk?.variable.name || part.encoding !== walk.variable.encoding) return part;
    return { ...part, name: '$walk', encoders: part.encoders.filter(({ unit }) => unit !== undefined) };
  });
  const variables = parts.filter((part) => typeof part !== 'string');
  return { ...slot, template: { ...slot.template, parts, variables } };
}

/** Whether an item is in the partition that is read, in this table or index. */
function isInPartition(reader: StreamReader, values: Values, item: StoredItem): boolean {
  const partition = reader.formFor(values)?.partition;
  if (partition === undefined || reader.stream.place.sort.some(({ attribute }) => item[attribute] === undefined))
    return false;
  return partition.every(({ slot, write }) => isEqual(keyValue(write(values)), keyValue(item[slot.attribute])));
}

interface Merged {
  readonly sources: readonly Source[];
  readonly read: readonly { readonly items: StoredItem[]; readonly next: Position }[];
  readonly isRepeated: (source: Source, item: StoredItem) => boolean;
  readonly before: readonly Position[];
}

/** The items that come first over all sources, and where each source continues. */
function mergeSources(
  { sources, read, isRepeated, before }: Merged,
  wanted: number | undefined,
  descending: boolean,
): StoredPage {
  const heads = read.map(() => 0);
  const items: StoredItem[] = [];
  const blocked = (): boolean => read.some(({ items: own, next }, i) => heads[i] === own.length && next !== 'end');
  const most = wanted ?? Number.POSITIVE_INFINITY;
  while (items.length < most && !blocked()) {
    let best = -1;
    for (let i = 0; i < read.length; i++) {
      const item = read[i]?.items[heads[i] ?? 0];
      if (item === undefined) continue;
      const current = read[best]?.items[heads[best] ?? 0];
      if (current === undefined || compareSort(sources[i], item, sources[best], current) < 0 !== descending) best = i;
    }
    const item = read[best]?.items[heads[best] ?? 0];
    const source = sources[best];
    if (item === undefined || source === undefined) break;
    heads[best] = (heads[best] ?? 0) + 1;
    if (!isRepeated(source, item)) items.push(item);
  }
  const positions = read.map(({ items: own, next }, i): Position => {
    const consumed = heads[i] ?? 0;
    if (consumed === own.length) return next;
    const last = own[consumed - 1];
    const reader = sources[i]?.reader;
    return last === undefined || reader === undefined ? (before[i] ?? null) : reader.startKey(last);
  });
  return { items, position: positions.every((position) => position === 'end') ? undefined : positions };
}

/** The order in which the service sorts two items: numbers by value, text and binary by bytes. */
function compareSort(a: Source | undefined, x: StoredItem, b: Source | undefined, y: StoredItem): number {
  const theirs = b?.reader.stream.place.sort ?? [];
  for (const [i, { attribute }] of (a?.reader.stream.place.sort ?? []).entries()) {
    const [left, right] = [x[attribute], y[theirs[i]?.attribute ?? '']];
    const order =
      left?.N !== undefined && right?.N !== undefined
        ? compareDecimals(left.N, right.N)
        : compareValues(left?.S ?? left?.B, right?.S ?? right?.B);
    if (order !== undefined && order !== 0) return order;
  }
  return 0;
}
