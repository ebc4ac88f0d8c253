import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { instantOf, type KeyValue, startOf } from '../keys/encoders.ts';
import type { TemplateVariable } from '../keys/template.ts';
import { InputError } from '../model-error.ts';
import type { Interval, PageOptions } from '../patterns/signature.ts';
import type { Condition } from '../patterns/value.ts';
import type { EntityInfo, KeySlot, PatternInfo, Plan, QueryStream, ReadPart } from '../resolve/resolved.ts';
import type { StoredItem } from './attribute-value.ts';
import type { BuiltRequest, Context, InputValues } from './context.ts';
import { canonical } from './cursor.ts';
import { conditionText, Expression } from './expression.ts';
import { expiresAttribute, inputValues, storedAttributes, takenInputs } from './input-values.ts';
import { slotWriter, type SlotWriter, type Values } from './item-codec.ts';
import { isExpired, typeOfItem } from './read-item.ts';
import { UnexpectedItemError } from './rule-error.ts';
import { sortConditionOf } from './sort-condition.ts';

type QueryPlan = Extract<Plan, { kind: 'query' }>;

/** Requests for one page at most, where a filter thins out what is read. */
const pageRequestsMax = 100;

/** One partition that is read: which stream, and the values of what its key needs beyond the input. */
interface Source {
  readonly stream: CompiledStream;
  readonly extra: Values;
}

/** Where one source goes on: after this key, from its beginning, or nowhere. */
type Position = StoredItem | null | 'end';

/** One page as the application sees it, and the types of its items. */
interface DecodedPage {
  readonly items: Values[];
  readonly types: string[];
  readonly cursor: string | undefined;
}

interface CompiledStream {
  readonly stream: QueryStream;
  readonly partition: readonly (SlotWriter & { readonly placeholder: string })[];
  readonly condition: ReturnType<typeof sortConditionOf>;
  readonly tableName: string;
  readonly indexName: string | undefined;
  /** The key condition and the placeholders of its names: one that is not used is an error. */
  readonly textFor: (sort: string | undefined) => {
    readonly text: string;
    readonly names: Readonly<Record<string, string>>;
  };
  /** Attributes of a start key. */
  readonly keyAttributes: readonly string[];
}

/** One page, before it is decoded. */
interface StoredPage {
  readonly items: StoredItem[];
  /** Where each source goes on; undefined when all are at their ends. */
  readonly position: readonly Position[] | undefined;
}

/** One page of a walk: the unit of time it goes on with, and where in it. */
interface WalkedPage {
  readonly items: StoredItem[];
  readonly position: WalkPosition | undefined;
}

/** Reads pages of item collections: one, several merged in order, or one per unit of time. */
export class QueryRead {
  readonly #context: Context;
  readonly #pattern: PatternInfo;
  readonly #plan: QueryPlan;
  readonly #streams: readonly CompiledStream[];
  /** The partitions that are read where they do not depend on the time. */
  readonly #fixedSources: readonly Source[];
  readonly #values: InputValues;
  readonly #types: ReadonlyMap<string, ReadPart>;
  readonly #filtered: boolean;
  readonly #lead: boolean;
  readonly #entity: EntityInfo;
  /** Stored name of the time to live, where something that is read has one and expired items are left out. */
  readonly #expires: string | undefined;
  /** Every item that is read has a time to live. */
  readonly #allExpire: boolean;

  constructor(context: Context, pattern: PatternInfo, plan: QueryPlan) {
    const [first] = plan.parts;
    if (first === undefined) throw new InputError('no-parts', pattern.name, 'reads nothing');
    this.#context = context;
    this.#pattern = pattern;
    this.#plan = plan;
    this.#entity = first.entity;
    this.#expires =
      pattern.need.expired === true
        ? undefined
        : plan.parts.map(({ entity }) => expiresAttribute(entity)).find((name) => name !== undefined);
    this.#allExpire = plan.parts.every(({ entity }) => {
      const { expires } = entity.rules;
      return expires !== undefined && entity.attributes.get(expires)?.optional === false;
    });
    this.#values = inputValues(pattern.need);
    this.#types = new Map(plan.parts.map((part) => [part.entity.type, part]));
    this.#streams = plan.streams.map((stream) => compileStream(context, pattern, plan, stream, first.entity));
    this.#fixedSources = this.#sources();
    this.#filtered =
      plan.filter !== undefined || (pattern.need.filters ?? []).length > 0 || this.#expires !== undefined;
    this.#lead = plan.parts.some(({ many, name }) => !many && name !== undefined);
  }

  /** The first requests of a page. */
  requests(given: Values, options: PageOptions = {}): BuiltRequest[] {
    const input = takenInputs(this.#pattern.need, given, this.#entity.name);
    const { wanted, opened } = this.#open(input, options);
    const values = this.#values(input);
    const { walk } = this.#plan;
    const walked = opened as WalkPosition | undefined;
    const at = walk === undefined ? undefined : (walked?.at ?? this.#walkEnds(walk, input).newest);
    const positions = walk === undefined ? (opened as readonly Position[] | undefined) : walked?.positions;
    const requests: BuiltRequest[] = [];
    const sources = at === undefined ? this.#fixedSources : this.#sources({ $walk: at });
    sources.forEach((source, i) => {
      const start = positions?.[i] ?? null;
      if (start !== 'end') requests.push(this.#request(source, values, input, options, this.#take(wanted), start));
    });
    return requests;
  }

  /** One page. */
  async page(given: Values, options: PageOptions = {}): Promise<DecodedPage> {
    const input = takenInputs(this.#pattern.need, given, this.#entity.name);
    const { wanted, opened, bound } = this.#open(input, options);
    const { items, position } =
      this.#plan.walk === undefined
        ? await this.#read(this.#fixedSources, input, options, wanted, (opened as Position[] | undefined) ?? [])
        : await this.#walk(input, options, wanted, opened as WalkPosition | undefined);
    const now = this.#context.now();
    const kept = items.filter((item) => !isExpired(item, this.#expires, now));
    const types = kept.map((item) => this.#typeOf(item));
    const { attributes } = this.#pattern.need;
    return {
      items: kept.map((item, i) => this.#context.codec(this.#part(types[i], item).entity).decode(item, attributes)),
      types,
      cursor: position === undefined ? undefined : this.#context.seal.seal(bound(), position),
    };
  }

  /** Where a page begins and how many items it has: the one that leads a collection comes on top, on the first page. */
  #open(
    input: Values,
    options: PageOptions,
  ): { readonly wanted: number | undefined; readonly opened: unknown; readonly bound: () => string } {
    const bound = (): string => `${this.#pattern.name} ${canonical(input)}`;
    const opened = options.cursor === undefined ? undefined : this.#context.seal.open(bound(), options.cursor);
    const limit = this.#limit(options);
    const wanted = limit === undefined ? undefined : limit + (this.#lead && opened === undefined ? 1 : 0);
    return { wanted, opened, bound };
  }

  /** One page, grouped by entity. */
  async collection(input: Values, options: PageOptions = {}): Promise<Values> {
    const { items, types, cursor } = await this.page(input, options);
    const result: Record<string, unknown> = { cursor };
    for (const { name, many } of this.#plan.parts) if (name !== undefined) result[name] = many ? [] : undefined;
    items.forEach((item, i) => {
      const { name = '', many } = this.#types.get(types[i] ?? '') ?? {};
      if (many === true) (result[name] as unknown[]).push(item);
      else result[name] = item;
    });
    return result;
  }

  #limit({ limit = this.#pattern.need.limit }: PageOptions): number | undefined {
    if (limit !== undefined && (!Number.isInteger(limit) || limit < 1))
      throw new InputError('bad-limit', 'limit', 'is at least 1');
    return limit;
  }

  /** How many items one request reads. */
  #take(wanted: number | undefined): number | undefined {
    if (wanted === undefined) return undefined;
    return this.#filtered ? Math.max(this.#plan.readAhead ?? 0, wanted) : wanted;
  }

  #sources(extra: Values = {}): Source[] {
    const { shards } = this.#plan;
    const count = shards?.count ?? 1;
    return this.#streams.flatMap((stream) =>
      Array.from({ length: count }, (_, i) => ({ stream, extra: { ...extra, $shard: (shards?.first ?? 0) + i } })),
    );
  }

  #request(
    { stream, extra }: Source,
    values: Values,
    input: Values,
    options: PageOptions,
    limit: number | undefined,
    start: StoredItem | null,
  ): BuiltRequest {
    const keyed = this.#plan.shards === undefined && this.#plan.walk === undefined ? values : { ...values, ...extra };
    const { range } = this.#pattern.need;
    const sort = stream.condition(
      values,
      range === undefined ? undefined : (input[range] as Interval<unknown> | undefined),
    );
    const attributes: Record<string, AttributeValue> = sort?.values ?? {};
    for (const { slot, write, placeholder } of stream.partition) {
      const value = write(keyed);
      if (value === undefined)
        throw new InputError('key-incomplete', slot.template.source, 'needs an input that is missing');
      attributes[placeholder] = value;
    }
    const { text, names } = stream.textFor(sort?.text);
    // Fields one by one: a spread costs more than all the rest of a query.
    const request: Record<string, unknown> = {
      TableName: stream.tableName,
      KeyConditionExpression: text,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: attributes,
    };
    if (stream.indexName !== undefined) request.IndexName = stream.indexName;
    if (this.#plan.descending) request.ScanIndexForward = false;
    if (limit !== undefined) request.Limit = limit;
    if (start !== null) request.ExclusiveStartKey = start;
    if (options.consistent ?? this.#pattern.need.consistent ?? false) request.ConsistentRead = true;
    if (this.#filtered || this.#pattern.need.attributes !== undefined) this.#addExpressions(request, input);
    return { operation: 'Query', input: request };
  }

  /** The filter lets the one item through that leads a collection, which lacks the attributes of the many. */
  #addExpressions(request: Record<string, unknown>, input: Values): void {
    const { need } = this.#pattern;
    const expression = new Expression();
    Object.assign(expression.names, request.ExpressionAttributeNames);
    Object.assign(expression.values, request.ExpressionAttributeValues);
    const many = this.#plan.parts.find((part) => part.many)?.entity ?? this.#entity;
    const scope = { stored: (name: string) => this.#context.codec(many).stored(name), input };
    const given = (need.filters ?? [])
      .filter((name) => input[name] !== undefined)
      .map((name) => [name, input[name]] as const);
    const chosen: Condition = { ...this.#plan.filter, ...(Object.fromEntries(given) as Condition) };
    const tests: string[] = [];
    if (Object.keys(chosen).length > 0) {
      const test = conditionText(expression, chosen, scope);
      const { typeAttribute } = many.table;
      // Without a type there is one entity, and nothing leads its collection.
      const leads = this.#lead && typeAttribute !== undefined;
      const isLead = leads && `${expression.name(typeAttribute)} <> ${expression.value({ S: many.type })}`;
      tests.push(isLead === false ? test : `(${isLead} OR ${test})`);
    }
    if (this.#expires !== undefined) {
      const name = expression.name(this.#expires);
      const now = expression.value({ N: String(Math.floor(this.#context.now() / 1000)) });
      const live = `${name} > ${now}`;
      tests.push(this.#allExpire ? live : `(attribute_not_exists(${name}) OR ${live})`);
    }
    if (tests.length > 0) request.FilterExpression = tests.join(' AND ');
    if (need.attributes !== undefined) {
      request.ProjectionExpression = this.#projected()
        .map((name) => expression.name(name))
        .join(', ');
    }
    request.ExpressionAttributeNames = expression.names;
    request.ExpressionAttributeValues = expression.values;
  }

  #projected(): string[] {
    const names = this.#plan.parts.flatMap(({ entity }) => storedAttributes(this.#pattern.need, entity));
    return [...new Set([...names, ...this.#streams.flatMap(({ keyAttributes }) => keyAttributes)])];
  }

  /** Reads sources side by side and merges them in the order of their sort keys. */
  async #read(
    sources: readonly Source[],
    input: Values,
    options: PageOptions,
    wanted: number | undefined,
    positions: readonly Position[],
  ): Promise<StoredPage> {
    const read = await Promise.all(
      sources.map(async (source, i) => this.#readSource(source, input, options, wanted, positions[i] ?? null)),
    );
    const [only] = read;
    if (only !== undefined && read.length === 1) {
      const cut = wanted !== undefined && only.items.length > wanted;
      const items = cut ? only.items.slice(0, wanted) : only.items;
      const last = items.at(-1);
      const [source] = sources;
      const next = cut && last !== undefined && source !== undefined ? startKey(source.stream, last) : only.next;
      return { items, position: next === 'end' ? undefined : [next] };
    }
    return mergeSources(sources, read, wanted, this.#plan.descending, positions);
  }

  /** Reads one source until it has as many items as wanted; more than one request only where a filter thins them out. */
  async #readSource(
    source: Source,
    input: Values,
    options: PageOptions,
    wanted: number | undefined,
    position: Position,
  ): Promise<{ readonly items: StoredItem[]; readonly next: Position }> {
    if (position === 'end') return { items: [], next: 'end' };
    const values = this.#values(input);
    const items: StoredItem[] = [];
    let start = position;
    let limit = this.#take(wanted);
    for (let request = 0; request < pageRequestsMax; request++) {
      const built = this.#request(source, values, input, options, limit, start);
      const answer = await this.#context.send(built);
      items.push(...((answer.Items ?? []) as StoredItem[]));
      start = (answer.LastEvaluatedKey as StoredItem | undefined) ?? null;
      if (start === null) return { items, next: 'end' };
      if (!this.#filtered || wanted === undefined || items.length >= wanted) break;
      // Where few were found, few will be: the next request reads twice as many, so that a page far off takes few requests.
      if (limit !== undefined) limit *= 2;
    }
    return { items, next: start ?? 'end' };
  }

  /** Walks back over partitions of one unit of time until the page is full. */
  async #walk(
    input: Values,
    options: PageOptions,
    wanted: number | undefined,
    from: WalkPosition | undefined,
  ): Promise<WalkedPage> {
    const { walk } = this.#plan;
    if (walk === undefined) return { items: [], position: undefined };
    const { newest, oldest } = this.#walkEnds(walk, input);
    const items: StoredItem[] = [];
    let at = from?.at ?? newest;
    let positions = from?.positions ?? [];
    for (let step = 0; step < walk.most && at >= oldest; step++) {
      const left = wanted === undefined ? undefined : wanted - items.length;
      const page = await this.#read(this.#sources({ $walk: at }), input, options, left, positions);
      items.push(...page.items);
      if (page.position !== undefined) return { items, position: { at, positions: page.position } };
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
    const { range } = this.#pattern.need;
    const { from, to, after, before } = (
      range === walk.variable.name ? (input[range] ?? {}) : {}
    ) as Interval<KeyValue>;
    const unitAt = (value: KeyValue | undefined): number | undefined =>
      value === undefined ? undefined : startOf(walk.unit, instantIn(walk.variable, value));
    return {
      newest: unitAt(before ?? to) ?? startOf(walk.unit, this.#context.now()),
      oldest: Math.max(Date.parse(walk.until), unitAt(after ?? from) ?? -Infinity),
    };
  }

  #typeOf(item: StoredItem): string {
    const type = typeOfItem(item, this.#entity);
    if (type === undefined || !this.#types.has(type)) throw new UnexpectedItemError(this.#pattern.name, type, item);
    return type;
  }

  #part(type: string | undefined, item: StoredItem): ReadPart {
    const part = this.#types.get(type ?? '');
    if (part === undefined) throw new UnexpectedItemError(this.#pattern.name, type, item);
    return part;
  }
}

/** The instant that a value of a walked variable has in it: `{dealId:ksuid:day}` finds it inside the id. */
function instantIn({ encoders }: TemplateVariable, value: KeyValue): number {
  const steps = encoders.filter(({ unit }) => unit === undefined);
  return instantOf(steps.reduce((each, { encode }) => encode(each), value));
}

interface WalkPosition {
  readonly at: number;
  readonly positions: readonly Position[];
}

function compileStream(
  context: Context,
  pattern: PatternInfo,
  plan: QueryPlan,
  stream: QueryStream,
  entity: EntityInfo,
): CompiledStream {
  const { place } = stream;
  const names: Record<string, string> = {};
  place.partition.forEach(({ attribute }, i) => (names[`#p${i}`] = attribute));
  place.sort.forEach(({ attribute }, i) => (names[`#s${i}`] = attribute));
  const { partition, sort } = entity.table.place;
  return {
    stream,
    partition: stream.partition.map((slot, i) => ({
      ...slotWriter(entity, forced(slot, plan)),
      placeholder: `:p${i}`,
    })),
    condition: sortConditionOf(stream, pattern.need.range),
    tableName: context.tableName(entity.table),
    indexName: place.kind === 'table' ? undefined : place.name,
    textFor: keyTexts(names, place.partition.map((_, i) => `#p${i} = :p${i}`).join(' AND ')),
    keyAttributes: [
      ...new Set([...place.partition, ...place.sort, ...partition, ...sort].map(({ attribute }) => attribute)),
    ],
  };
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

/** A condition has one of a few texts, so that each is put together once. */
function keyTexts(names: Readonly<Record<string, string>>, partition: string): CompiledStream['textFor'] {
  const known = new Map<string | undefined, ReturnType<CompiledStream['textFor']>>();
  return (sort) => {
    const found = known.get(sort);
    if (found !== undefined) return found;
    const text = sort === undefined ? partition : `${partition} AND ${sort}`;
    const used = new Set(text.match(/#\w+/g));
    const made = {
      text,
      names: Object.fromEntries(Object.entries(names).filter(([placeholder]) => used.has(placeholder))),
    };
    known.set(sort, made);
    return made;
  };
}

function startKey({ keyAttributes }: CompiledStream, item: StoredItem): StoredItem {
  return Object.fromEntries(keyAttributes.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));
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
    const stream = sources[i]?.stream;
    return last === undefined || stream === undefined ? (before[i] ?? null) : startKey(stream, last);
  });
  return { items, position: positions.every((position) => position === 'end') ? undefined : positions };
}

function compareSort(a: Source | undefined, x: StoredItem, b: Source | undefined, y: StoredItem): number {
  const left = x[a?.stream.stream.place.sort[0]?.attribute ?? ''];
  const right = y[b?.stream.stream.place.sort[0]?.attribute ?? ''];
  if (left?.N !== undefined && right?.N !== undefined) return Number(left.N) - Number(right.N);
  const [l = '', r = ''] = [left?.S, right?.S];
  return l < r ? -1 : l > r ? 1 : 0;
}

function primaryOf(
  source: Source | undefined,
  item: StoredItem,
): { readonly partition: string; readonly sort: string } {
  const entity = source?.stream.stream.bounds[0]?.part.entity;
  const text = (attribute: string | undefined): string => JSON.stringify(item[attribute ?? ''] ?? '');
  return { partition: text(entity?.key.partition[0]?.attribute), sort: text(entity?.key.sort[0]?.attribute) };
}
