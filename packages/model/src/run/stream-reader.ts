import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Interval } from '../patterns/signature.ts';
import type { Condition } from '../patterns/value.ts';
import type { KeySlot, PatternInfo, QueryStream, SortBound } from '../resolve/resolved.ts';
import type { StoredItem } from './attribute-value.ts';
import type { BuiltRequest, Context } from './context.ts';
import type { Projections } from './projection.ts';
import { slotWriter, type SlotWriter, type Values } from './item-codec.ts';
import type { PageInput, PageReader, StoredPage } from './page-reader.ts';
import type { QueryPlan } from './query.ts';
import {
  type FormsWriter,
  type IntervalWriter,
  needed,
  type SortConditionOf,
  sortConditionOf,
  type Without,
} from './sort-condition.ts';

/** Maximum requests for one page if a filter removes items. A read of one item continues until it is found. */
const pageRequestsMax = 100;

/** Adds a filter to a query. */
export type AddFilter = (
  request: Record<string, unknown>,
  input: Values,
  now: number,
  tests: readonly Condition[] | undefined,
) => void;

/** The request for some of the forms. */
interface StreamForm {
  readonly partition: readonly SlotWriter[];
  readonly condition: SortConditionOf;
}

/** A query, and the sort keys in its range to exclude. */
export interface StreamQuery {
  readonly request: BuiltRequest;
  readonly without: Without | undefined;
}

/** Where a source continues: after this key, from its start, or nowhere. */
export type Position = StoredItem | null | 'end';

/** Reads one item collection of a query. */
export class StreamReader implements PageReader {
  readonly stream: QueryStream;
  readonly #context: Context;
  readonly #pattern: PatternInfo;
  readonly #plan: QueryPlan;
  readonly #addFilter: AddFilter | undefined;
  readonly #source: StreamSource;
  readonly #force: (slot: KeySlot) => KeySlot;
  /** Whether some forms apply to only some inputs. */
  readonly #picked: boolean;
  #all: StreamForm | undefined;
  /** The request for each choice of forms, created with the first input that chooses them. */
  readonly #forms = new Map<string, StreamForm | undefined>();
  readonly #tableName: string;
  readonly #indexName: string | undefined;
  readonly #names: Record<string, string> = {};
  /** A condition has one of a few texts, so each is built once. */
  readonly #texts = new Map<string, { readonly text: string; readonly names: Record<string, string> }>();
  /** Attributes of a start key. */
  readonly #keyAttributes: readonly string[];

  /** @param force - the query's value for a variable of the partition key. */
  constructor(source: StreamSource, stream: QueryStream, force: (slot: KeySlot) => KeySlot = (slot) => slot) {
    const { context, pattern, plan, addFilter } = source;
    this.stream = stream;
    this.#source = source;
    this.#force = force;
    this.#context = context;
    this.#pattern = pattern;
    this.#plan = plan;
    this.#addFilter = addFilter?.(stream);
    const { place, bounds } = stream;
    // A stream without an entity is never planned.
    const { entity } = (bounds[0] as QueryStream['bounds'][number]).part;
    place.partition.forEach(({ attribute }, i) => (this.#names[`#p${i}`] = attribute));
    place.sort.forEach(({ attribute }, i) => (this.#names[`#s${i}`] = attribute));
    this.#picked = bounds.some(({ picks }) => picks);
    const own = entity.table.place;
    const keys = [place, own].flatMap(({ partition, sort }) => [...partition, ...sort]);
    this.#keyAttributes = [...new Set(keys.map(({ attribute }) => attribute))];
    this.#tableName = context.tableName(entity.table);
    this.#indexName = place.kind === 'table' ? undefined : place.name;
  }

  /** One query; undefined if no item can match. `start` is the key it continues after, `limit` how many items it evaluates. */
  query(
    page: PageInput,
    start: StoredItem | null,
    limit: number | undefined = this.#take(page.wanted),
  ): StreamQuery | undefined {
    const { input, values, options } = page;
    const { need } = this.#pattern;
    const form = this.formFor(values);
    if (form === undefined) return undefined;
    const interval = need.range === undefined ? undefined : (input[need.range] as Interval<unknown> | undefined);
    const sort = form.condition(values, interval);
    if (sort === 'none') return undefined;
    const attributes: Record<string, AttributeValue> = sort?.values ?? {};
    form.partition.forEach(({ slot, write }, i) => {
      attributes[`:p${i}`] = needed(write(values), slot.template.source);
    });
    const { text, names } = this.#textFor(sort?.text ?? '');
    // Field by field: a spread costs more than the rest of a query.
    const request: Record<string, unknown> = {
      TableName: this.#tableName,
      KeyConditionExpression: text,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: attributes,
    };
    if (this.#indexName !== undefined) request.IndexName = this.#indexName;
    if (this.#plan.descending) request.ScanIndexForward = false;
    // An excluded end is read and dropped. One more item fills the page without another request.
    if (limit !== undefined) request.Limit = limit + (sort?.without?.likely ?? 0);
    if (start !== null) request.ExclusiveStartKey = start;
    if (options.consistent ?? need.consistent ?? false) request.ConsistentRead = true;
    this.#project(request, names);
    this.#addFilter?.(request, input, page.now, sort?.tests);
    return { request: { operation: 'Query', input: request }, without: sort?.without };
  }

  /** The request for an input; undefined if no item can match. */
  formFor(values: Values): StreamForm | undefined {
    const { bounds } = this.stream;
    if (!this.#picked) return (this.#all ??= this.#formOf(bounds));
    // If an input selects forms, the model has conditions, and the evaluator is loaded.
    const { holds } = this.#context.evaluator.loaded ?? {};
    const live = bounds.filter(({ picks }) => picks === undefined || holds?.(picks, values));
    const id = live.map((bound) => bounds.indexOf(bound)).join();
    if (!this.#forms.has(id)) this.#forms.set(id, this.#formOf(live));
    return this.#forms.get(id);
  }

  #formOf(bounds: readonly SortBound[]): StreamForm | undefined {
    const [first] = bounds;
    if (first === undefined) return undefined;
    const { place, partition } = this.stream;
    // Forms that are read together share a partition key, as the proof shows; a single form has its own.
    const slots = bounds.length === this.stream.bounds.length ? partition : first.partition;
    return {
      partition: slots.map((slot) => slotWriter(first.part.entity, this.#force(slot))),
      condition: sortConditionOf(place, bounds, this.#source, this.#pattern.need.range),
    };
  }

  /** Reads until there are as many items as requested. Takes more than one request only if a filter removes some. */
  async readFrom(
    page: PageInput,
    position: Position,
  ): Promise<{ readonly items: StoredItem[]; readonly next: Position }> {
    if (position === 'end') return { items: [], next: 'end' };
    const { wanted } = page;
    const items: StoredItem[] = [];
    let start = position;
    let limit = this.#take(wanted);
    const most = typeof this.#pattern.need.reads === 'string' ? Infinity : pageRequestsMax;
    for (let request = 0; request < most; request++) {
      const query = this.query(page, start, limit);
      if (query === undefined) return { items, next: 'end' };
      const answer = await this.#context.send(query.request);
      const { without } = query;
      const found = (answer.Items ?? []) as StoredItem[];
      items.push(
        ...(without === undefined ? found : found.filter((item) => this.#source.isLeftOut?.(item, without) !== true)),
      );
      start = (answer.LastEvaluatedKey as StoredItem | undefined) ?? null;
      if (start === null) return { items, next: 'end' };
      if (wanted === undefined || items.length >= wanted) break;
      if (this.#addFilter === undefined && without === undefined) break;
      // If few items were found, few will follow. The next request reads twice as many, so that even a sparse page takes few requests.
      if (limit !== undefined) limit *= 2;
    }
    return { items, next: start ?? 'end' };
  }

  /** The key to continue after an item. */
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
    const query = start === 'end' ? undefined : this.query(page, start);
    return query === undefined ? [] : [query.request];
  }

  /** The number of items that one request reads. */
  #take(wanted: number | undefined): number | undefined {
    if (wanted === undefined || this.#addFilter === undefined) return wanted;
    return Math.max(this.#plan.readAhead ?? 0, wanted);
  }

  /** @param sort - empty if all sort keys are read. */
  #textFor(sort: string): { readonly text: string; readonly names: Record<string, string> } {
    const found = this.#texts.get(sort);
    if (found !== undefined) return found;
    const equals = this.stream.place.partition.map((_, i) => `#p${i} = :p${i}`);
    if (sort !== '') equals.push(sort);
    const text = equals.join(' AND ');
    // An unused placeholder is an error.
    const used = new Set(text.match(/#\w+/g));
    const names = Object.fromEntries(Object.entries(this.#names).filter(([placeholder]) => used.has(placeholder)));
    this.#texts.set(sort, { text, names });
    return { text, names };
  }

  #project(request: Record<string, unknown>, keys: Readonly<Record<string, string>>): void {
    const found = this.#source.projections?.queryProjection(this.#pattern.need, this.#plan, this.stream);
    if (found === undefined) return;
    request.ProjectionExpression = found.ProjectionExpression;
    request.ExpressionAttributeNames = { ...keys, ...found.ExpressionAttributeNames };
  }
}

/** How intervals are written. */
export interface Intervals {
  readonly intervalOf: IntervalWriter;
}

/** What the streams of one query share. */
export interface StreamSource {
  readonly context: Context;
  readonly pattern: PatternInfo;
  readonly plan: QueryPlan;
  /** The filter of each stream, where any of them has one. */
  /** Loaded for a range. */
  readonly intervals: Intervals | undefined;
  /** Whether an item has a key that the range does not. Loaded with either of the two. */
  readonly isLeftOut: ((item: StoredItem, without: Without) => boolean) | undefined;
  /** Loaded for several forms that are read together. */
  readonly formsRange: FormsWriter | undefined;
  /** Loaded for a read of only some attributes. */
  readonly projections: Projections | undefined;
  readonly addFilter: ((stream: QueryStream) => AddFilter) | undefined;
}

/** A page's position has one entry for each source. */
function firstOf(from: unknown): Position {
  return (from as readonly Position[] | undefined)?.[0] ?? null;
}
