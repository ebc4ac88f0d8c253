import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { InputError } from '../model-error.ts';
import type { Interval } from '../patterns/signature.ts';
import type { KeySlot, PatternInfo, QueryStream } from '../resolve/resolved.ts';
import type { StoredItem } from './attribute-value.ts';
import type { BuiltRequest, Context } from './context.ts';
import { projectedNames, projectionOf } from './input-values.ts';
import { slotWriter, type SlotWriter, type Values } from './item-codec.ts';
import type { PageInput, PageReader, StoredPage } from './page-reader.ts';
import type { QueryPlan } from './query.ts';
import { type SortCondition, sortConditionOf } from './sort-condition.ts';

/** Requests for one page at most, where a filter thins out what is read. */
const pageRequestsMax = 100;

/** Adds a filter to a query. */
export type AddFilter = (request: Record<string, unknown>, input: Values) => void;

/** Where a source goes on: after this key, from its beginning, or nowhere. */
export type Position = StoredItem | null | 'end';

/** Reads one item collection of a query. */
export class StreamReader implements PageReader {
  readonly stream: QueryStream;
  readonly #context: Context;
  readonly #pattern: PatternInfo;
  readonly #plan: QueryPlan;
  readonly #addFilter: AddFilter | undefined;
  readonly #partition: readonly SlotWriter[];
  readonly #condition: ReturnType<typeof sortConditionOf>;
  readonly #tableName: string;
  readonly #indexName: string | undefined;
  readonly #names: Record<string, string> = {};
  /** A condition has one of a few texts, so that each is put together once. */
  readonly #texts = new Map<string | undefined, { readonly text: string; readonly names: Record<string, string> }>();
  /** Attributes of a start key. */
  readonly #keyAttributes: readonly string[];

  /** @param slots - of the partition key, as the query fills them in. */
  constructor(
    { context, pattern, plan, addFilter }: StreamSource,
    stream: QueryStream,
    slots: readonly KeySlot[] = stream.partition,
  ) {
    this.stream = stream;
    this.#context = context;
    this.#pattern = pattern;
    this.#plan = plan;
    this.#addFilter = addFilter;
    const { place, bounds } = stream;
    // A stream without an entity is not planned.
    const { entity } = (bounds[0] as QueryStream['bounds'][number]).part;
    place.partition.forEach(({ attribute }, i) => (this.#names[`#p${i}`] = attribute));
    place.sort.forEach(({ attribute }, i) => (this.#names[`#s${i}`] = attribute));
    this.#partition = slots.map((slot) => slotWriter(entity, slot));
    this.#condition = sortConditionOf(stream, pattern.need.range);
    const own = entity.table.place;
    const keys = [place, own].flatMap(({ partition, sort }) => [...partition, ...sort]);
    this.#keyAttributes = [...new Set(keys.map(({ attribute }) => attribute))];
    this.#tableName = context.tableName(entity.table);
    this.#indexName = place.kind === 'table' ? undefined : place.name;
  }

  /** One query. `start` is the key it goes on after, `limit` how many items it looks at. */
  query(page: PageInput, start: StoredItem | null, limit: number | undefined = this.#take(page.wanted)): BuiltRequest {
    const { input, values, options } = page;
    const { need } = this.#pattern;
    const interval = need.range === undefined ? undefined : (input[need.range] as Interval<unknown> | undefined);
    const sort: SortCondition | undefined = this.#condition(values, interval);
    const attributes: Record<string, AttributeValue> = sort?.values ?? {};
    this.#partition.forEach(({ slot, write }, i) => {
      const value = write(values);
      if (value === undefined)
        throw new InputError('key-incomplete', slot.template.source, 'needs an input that is missing');
      attributes[`:p${i}`] = value;
    });
    const { text, names } = this.#textFor(sort?.text);
    // Fields one by one: a spread costs more than all the rest of a query.
    const request: Record<string, unknown> = {
      TableName: this.#tableName,
      KeyConditionExpression: text,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: attributes,
    };
    if (this.#indexName !== undefined) request.IndexName = this.#indexName;
    if (this.#plan.descending) request.ScanIndexForward = false;
    if (limit !== undefined) request.Limit = limit;
    if (start !== null) request.ExclusiveStartKey = start;
    if (options.consistent ?? need.consistent ?? false) request.ConsistentRead = true;
    if (need.attributes !== undefined) this.#project(request, names);
    this.#addFilter?.(request, input);
    return { operation: 'Query', input: request };
  }

  /** Reads until there are as many items as wanted; more than one request only where a filter thins them out. */
  async readFrom(
    page: PageInput,
    position: Position,
  ): Promise<{ readonly items: StoredItem[]; readonly next: Position }> {
    if (position === 'end') return { items: [], next: 'end' };
    const { wanted } = page;
    const items: StoredItem[] = [];
    let start = position;
    let limit = this.#take(wanted);
    for (let request = 0; request < pageRequestsMax; request++) {
      const answer = await this.#context.send(this.query(page, start, limit));
      items.push(...((answer.Items ?? []) as StoredItem[]));
      start = (answer.LastEvaluatedKey as StoredItem | undefined) ?? null;
      if (start === null) return { items, next: 'end' };
      if (this.#addFilter === undefined || wanted === undefined || items.length >= wanted) break;
      // Where few were found, few will be: the next request reads twice as many, so that a page far off takes few requests.
      if (limit !== undefined) limit *= 2;
    }
    return { items, next: start ?? 'end' };
  }

  /** The key to go on after an item. */
  startKey(item: StoredItem): StoredItem {
    const names = this.#keyAttributes.filter((name) => item[name] !== undefined);
    return Object.fromEntries(names.map((name) => [name, item[name]])) as StoredItem;
  }

  async read(page: PageInput, from: unknown): Promise<StoredPage> {
    const { wanted } = page;
    const { items, next } = await this.readFrom(page, firstOf(from));
    const last = wanted !== undefined && items.length > wanted ? items[wanted - 1] : undefined;
    if (last !== undefined) return { items: items.slice(0, wanted), position: [this.startKey(last)] };
    return { items, position: next === 'end' ? undefined : [next] };
  }

  requests(page: PageInput, from: unknown): BuiltRequest[] {
    const start = firstOf(from);
    return start === 'end' ? [] : [this.query(page, start)];
  }

  /** How many items one request reads. */
  #take(wanted: number | undefined): number | undefined {
    if (wanted === undefined || this.#addFilter === undefined) return wanted;
    return Math.max(this.#plan.readAhead ?? 0, wanted);
  }

  #textFor(sort: string | undefined): { readonly text: string; readonly names: Record<string, string> } {
    const found = this.#texts.get(sort);
    if (found !== undefined) return found;
    const equals = this.#partition.map((_, i) => `#p${i} = :p${i}`);
    const text = [...equals, ...(sort === undefined ? [] : [sort])].join(' AND ');
    // A placeholder that is not used is an error.
    const used = new Set(text.match(/#\w+/g));
    const names = Object.fromEntries(Object.entries(this.#names).filter(([placeholder]) => used.has(placeholder)));
    this.#texts.set(sort, { text, names });
    return { text, names };
  }

  #project(request: Record<string, unknown>, keys: Readonly<Record<string, string>>): void {
    const stored = this.#plan.parts.flatMap(({ entity }) => projectedNames(this.#pattern.need, entity));
    const names = [...new Set([...stored, ...this.#keyAttributes])];
    const { ProjectionExpression, ExpressionAttributeNames } = projectionOf(names);
    request.ProjectionExpression = ProjectionExpression;
    request.ExpressionAttributeNames = { ...keys, ...ExpressionAttributeNames };
  }
}

/** What the streams of one query share. */
export interface StreamSource {
  readonly context: Context;
  readonly pattern: PatternInfo;
  readonly plan: QueryPlan;
  readonly addFilter: AddFilter | undefined;
}

/** A page's position holds one for each source. */
function firstOf(from: unknown): Position {
  return (from as readonly Position[] | undefined)?.[0] ?? null;
}
