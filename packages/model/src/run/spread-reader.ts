import { instantOf, type KeyValue, startOf } from '../keys/encoders.ts';
import type { TemplateVariable } from '../keys/template.ts';
import type { Interval } from '../patterns/signature.ts';
import type { KeySlot } from '../resolve/resolved.ts';
import type { StoredItem } from './attribute-value.ts';
import type { BuiltRequest } from './context.ts';
import type { Values } from './item-codec.ts';
import type { PageInput, PageReader, StoredPage } from './page-reader.ts';
import type { QueryPlan } from './query.ts';
import { type Position, StreamReader, type StreamSource } from './stream-reader.ts';

/** One partition that is read: which stream, and the values of what its key needs beyond the input. */
interface Source {
  readonly reader: StreamReader;
  readonly extra: Values;
}

/** Where a walk goes on: with which unit of time, and where in each of its partitions. */
interface WalkPosition {
  readonly at: number;
  readonly positions: readonly Position[];
}

/** Reads what lies in several partitions: side by side and merged in the order of their sort keys, or one unit of time after the other. */
export class SpreadReader implements PageReader {
  readonly #query: StreamSource;
  readonly #readers: readonly StreamReader[];

  constructor(query: StreamSource) {
    this.#query = query;
    this.#readers = query.plan.streams.map(
      (stream) =>
        new StreamReader(
          query,
          stream,
          stream.partition.map((slot) => forced(slot, query.plan)),
        ),
    );
  }

  requests(page: PageInput, from: unknown): BuiltRequest[] {
    const { walk } = this.#query.plan;
    const walked = from as WalkPosition | undefined;
    const at = walk === undefined ? undefined : (walked?.at ?? this.#walkEnds(walk, page.input).newest);
    const positions = walk === undefined ? (from as readonly Position[] | undefined) : walked?.positions;
    return this.#sources(at).flatMap(({ reader, extra }, i) => {
      const start = positions?.[i] ?? null;
      return start === 'end' ? [] : [reader.query(withExtra(page, extra), start)];
    });
  }

  async read(page: PageInput, from: unknown): Promise<StoredPage> {
    const { walk } = this.#query.plan;
    if (walk !== undefined) return this.#walk(walk, page, from as WalkPosition | undefined);
    return this.#readAll(this.#sources(undefined), page, (from as readonly Position[] | undefined) ?? []);
  }

  #sources(at: number | undefined): Source[] {
    const { first = 0, count = 1 } = this.#query.plan.shards ?? {};
    return this.#readers.flatMap((reader) =>
      Array.from({ length: count }, (_, i) => ({ reader, extra: { $walk: at, $shard: first + i } })),
    );
  }

  /** Reads sources side by side and merges them in the order of their sort keys. */
  async #readAll(sources: readonly Source[], page: PageInput, positions: readonly Position[]): Promise<StoredPage> {
    const [only] = sources;
    if (only !== undefined && sources.length === 1) return only.reader.read(withExtra(page, only.extra), positions);
    const read = await Promise.all(
      sources.map(async ({ reader, extra }, i) => reader.readFrom(withExtra(page, extra), positions[i] ?? null)),
    );
    return mergeSources(sources, read, page.wanted, this.#query.plan.descending, positions);
  }

  /** Walks back over partitions of one unit of time until the page is full. */
  async #walk(
    walk: NonNullable<QueryPlan['walk']>,
    page: PageInput,
    from: WalkPosition | undefined,
  ): Promise<StoredPage> {
    const { newest, oldest } = this.#walkEnds(walk, page.input);
    const { wanted } = page;
    const items: StoredItem[] = [];
    let at = from?.at ?? newest;
    let positions = from?.positions ?? [];
    for (let step = 0; step < walk.most && at >= oldest; step++) {
      const left = wanted === undefined ? undefined : wanted - items.length;
      const read = await this.#readAll(this.#sources(at), { ...page, wanted: left }, positions);
      items.push(...read.items);
      if (read.position !== undefined) return { items, position: { at, positions: read.position as Position[] } };
      at = startOf(walk.unit, at - 1);
      positions = [];
      if (wanted !== undefined && items.length >= wanted) break;
    }
    return { items, position: at < oldest ? undefined : { at, positions: [] } };
  }

  /**
   * The units of time that a walk goes through, by their beginnings: from today back to the oldest there is. A range over the
   * attribute whose time the partitions are made of narrows them, so that none is read that can hold nothing of it.
   */
  #walkEnds(walk: NonNullable<QueryPlan['walk']>, input: Values): { readonly newest: number; readonly oldest: number } {
    const { context, pattern } = this.#query;
    const { range } = pattern.need;
    const { from, to, after, before } = (
      range === walk.variable.name ? (input[range] ?? {}) : {}
    ) as Interval<KeyValue>;
    const unitAt = (value: KeyValue | undefined): number | undefined =>
      value === undefined ? undefined : startOf(walk.unit, instantIn(walk.variable, value));
    return {
      newest: unitAt(before ?? to) ?? startOf(walk.unit, context.now()),
      oldest: Math.max(Date.parse(walk.until), unitAt(after ?? from) ?? -Infinity),
    };
  }
}

function withExtra(page: PageInput, extra: Values): PageInput {
  return { ...page, values: { ...page.values, ...extra } };
}

/** The instant that a value of a walked variable has in it: `{dealId:ksuid:day}` finds it inside the id. */
function instantIn({ encoders }: TemplateVariable, value: KeyValue): number {
  const steps = encoders.filter(({ unit }) => unit === undefined);
  return instantOf(steps.reduce((each, { encode }) => encode(each), value));
}

/** The slot with its spread or walked variable replaced by what the query puts in its place. */
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

/** The items that come first over all sources, and where each source goes on. */
function mergeSources(
  sources: readonly Source[],
  read: readonly { readonly items: StoredItem[]; readonly next: Position }[],
  wanted: number | undefined,
  descending: boolean,
  before: readonly Position[],
): StoredPage {
  const heads = read.map(() => 0);
  const items: StoredItem[] = [];
  const seen = new Set<string>();
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
    if (item === undefined) break;
    heads[best] = (heads[best] ?? 0) + 1;
    const { partition, sort } = primaryOf(sources[best], item);
    const id = `${partition}\n${sort}`;
    if (!seen.has(id)) items.push(item);
    seen.add(id);
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

function compareSort(a: Source | undefined, x: StoredItem, b: Source | undefined, y: StoredItem): number {
  const left = x[a?.reader.stream.place.sort[0]?.attribute ?? ''];
  const right = y[b?.reader.stream.place.sort[0]?.attribute ?? ''];
  if (left?.N !== undefined && right?.N !== undefined) return Number(left.N) - Number(right.N);
  const [l = '', r = ''] = [left?.S, right?.S];
  return l < r ? -1 : l > r ? 1 : 0;
}

function primaryOf(
  source: Source | undefined,
  item: StoredItem,
): { readonly partition: string; readonly sort: string } {
  const entity = source?.reader.stream.bounds[0]?.part.entity;
  const text = (attribute: string | undefined): string => JSON.stringify(item[attribute ?? ''] ?? '');
  return { partition: text(entity?.key.partition[0]?.attribute), sort: text(entity?.key.sort[0]?.attribute) };
}
