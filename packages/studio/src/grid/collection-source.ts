import type { AttributeMap, AttributeValue } from '../../../singlet/src/values/attribute-value.ts';
import { itemId } from './rows.ts';
import { picked, typedText } from '../values/value-text.ts';
import {
  type KeyNames,
  keyNamesOf,
  keyTypeOf,
  type TableDescription,
  type TableIndex,
} from '../wire/table-description.ts';

// Items of a table or an index from any position, in both directions, with only the public API. The API has no random access, but a
// segment of a Scan begins at a position in hash space: segment s of n at s / n. Numbers of segments are powers of four, so that segments
// nest. A segment that is too large is read in quarters; several empty ones are read as one.

export type Call = <Output>(operation: string, input: object) => Promise<Output>;

export interface SourceOptions {
  readonly table: TableDescription;
  readonly index: TableIndex | undefined;
  /** One collection only. */
  readonly partition: AttributeValue | undefined;
  readonly sort: SortCondition | undefined;
  readonly call: Call;
}

/** A condition on the sort key, in the operators of the API. */
export interface SortCondition {
  readonly operator: '=' | '<' | '<=' | '>' | '>=' | 'begins_with' | 'between';
  readonly values: readonly AttributeValue[];
}

export interface SourceState {
  /** In the service's order. */
  readonly items: readonly AttributeMap[];
  readonly isStart: boolean;
  readonly isEnd: boolean;
  readonly loading: boolean;
  readonly error: Error | undefined;
  /** The position of the first loaded item in hash space, 0 to 1; an estimate if reading continued from elsewhere. */
  readonly from: number;
  readonly to: number;
  /** The number of jumps. A jump discards what was loaded before. */
  readonly jumps: number;
  /** Collections whose rest was skipped, by typed partition keys. */
  readonly skipped: ReadonlySet<string>;
}

/** A page of a Scan or Query that was read completely. */
interface Page {
  readonly items: readonly AttributeMap[];
  /** The start key to read this page again; undefined for one that no page can precede in that way. */
  readonly after: AttributeMap | undefined;
}

/** A page that has been dropped. */
interface ForgottenPage {
  /** Its first item, if nothing else identifies its start. */
  readonly items: readonly AttributeMap[];
  readonly after: AttributeMap;
}

/** The position before the first loaded item. */
type Frontier =
  | { readonly kind: 'start' }
  /** Everything from this segment boundary on is loaded. */
  | { readonly kind: 'boundary'; readonly segments: number; readonly segment: number }
  /** The first item is in the middle of a collection, that of `partitions[at]`, of a segment whose collections are listed. */
  | {
      readonly kind: 'inside';
      readonly segments: number;
      readonly segment: number;
      readonly partitions: readonly AttributeValue[];
      readonly at: number;
      /** Whether the first item is the first one of its collection. */
      readonly isWhole: boolean;
    }
  /** The first item is somewhere in the one collection that is read. */
  | { readonly kind: 'within' };

/** An item, and where in hash space its partition key is, from 0 to 1. */
export interface PlacedItem {
  readonly item: AttributeMap;
  readonly fraction: number;
}

interface ReadPage {
  readonly Items: readonly AttributeMap[];
  readonly LastEvaluatedKey?: AttributeMap;
}

export const pageItems = 200;
/** Maximum loaded items; the farthest page is dropped first. */
export const itemsHeldMax = 20_000;
const itemsPerSegment = 50;
const segmentsMax = 4 ** 9;
/** A segment with more pages is read in quarters. */
const segmentPagesMax = 5;
/** Maximum empty segments that are read for one step back. */
const emptySegmentsMax = 200;

export class CollectionSource {
  readonly #options: SourceOptions;
  readonly #keyNames: KeyNames;
  readonly #tableKeys: KeyNames;
  readonly #startKeyNames: readonly string[];
  readonly #itemCount: number;
  readonly #listeners = new Set<() => void>();
  #pages: Page[] = [];
  /** The start keys of dropped pages, the nearest last. */
  #forgotten: ForgottenPage[] = [];
  #frontier: Frontier = { kind: 'start' };
  #state: SourceState = {
    items: [],
    isStart: true,
    isEnd: false,
    loading: false,
    error: undefined,
    from: 0,
    to: 0,
    jumps: 0,
    skipped: new Set(),
  };
  /** Steps run one after the other. A jump cancels those before it. */
  #running: Promise<void> = Promise.resolve();
  #generation = 0;

  constructor(options: SourceOptions) {
    this.#options = options;
    this.#keyNames = keyNamesOf(options.index ?? options.table);
    this.#tableKeys = keyNamesOf(options.table);
    const names = [this.#keyNames.partition, this.#keyNames.sort, this.#tableKeys.partition, this.#tableKeys.sort];
    this.#startKeyNames = names.filter((name) => name !== undefined);
    this.#itemCount = (options.index ?? options.table).ItemCount ?? 0;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): SourceState => this.#state;

  /** Shows the items at a position in hash space; 1 is the end. With one collection, its first or last items. */
  jump(fraction: number): Promise<void> {
    this.#generation += 1;
    return this.#step(async () => {
      this.#forgotten = [];
      this.#show({ skipped: new Set() });
      if (this.#options.partition !== undefined)
        return fraction < 1 ? await this.#openCollection() : await this.#endOfCollection();
      if (fraction >= 1) return await this.#openEnd();
      return fraction <= 0 ? await this.#openStart() : await this.#openAt(fraction);
    }, true);
  }

  /**
   * Shows an item of a table or a whole index among its neighbours, without reading what is before its part of hash space.
   *
   * @param find - reads the item and its position in hash space; undefined if there is none, or the position is not known.
   * @param otherwise - the position that is shown then.
   */
  jumpToItem(find: () => Promise<PlacedItem | undefined>, otherwise: number): Promise<void> {
    this.#generation += 1;
    return this.#step(async () => {
      this.#forgotten = [];
      this.#show({ skipped: new Set() });
      const found = await find();
      if (found !== undefined) return await this.#openItem(found);
      return otherwise <= 0 ? await this.#openStart() : await this.#openAt(otherwise);
    }, true);
  }

  /** Continues reading at the end of the loaded items; if requested, after the whole collection of the last item. */
  after({ skipCollection = false } = {}): Promise<void> {
    return this.#step(async () => {
      const last = this.#state.items.at(-1);
      if (this.#state.isEnd || last === undefined) return;
      await this.#readAfter(skipCollection ? this.#pastCollection(last) : last);
      if (skipCollection) this.#show({ skipped: new Set([...this.#state.skipped, this.partitionOf(last)]) });
    });
  }

  /** Reads the rest of a collection that was skipped. What was loaded after it is read again, in its place. */
  resume(partition: string): Promise<void> {
    return this.#step(async () => {
      const { items, skipped, to } = this.#state;
      const at = items.findLastIndex((item) => this.partitionOf(item) === partition);
      const last = items[at];
      if (!skipped.has(partition) || last === undefined) return;
      this.#keepFirst(at + 1);
      const held = new Set(items.slice(0, at).map((item) => this.partitionOf(item)));
      held.delete(partition);
      this.#show({
        isEnd: false,
        to: Math.max(this.#state.from, to - this.#partOf(items.length - at - 1)),
        skipped: new Set([...skipped].filter((each) => held.has(each))),
      });
      await this.#readAfter(last);
    });
  }

  async #readAfter(item: AttributeMap): Promise<void> {
    const after = this.#startKeyOf(item);
    const page = await this.#read({ ExclusiveStartKey: after });
    this.#pages.push({ items: page.Items, after });
    this.#forgetFirst();
    this.#show({ isEnd: page.LastEvaluatedKey === undefined, to: this.#placeAfter(page.Items.length) });
  }

  /** Reads the items before the first loaded one. */
  before(): Promise<void> {
    return this.#step(async () => {
      const forgotten = this.#forgotten.at(-1);
      if (forgotten !== undefined) return await this.#readForgotten(forgotten);
      for (let looked = 0; looked < emptySegmentsMax && this.#frontier.kind !== 'start'; looked += 1) {
        const items = await this.#stepBack(this.#frontier);
        if (items.length === 0) continue;
        this.#pages.unshift({ items, after: undefined });
        this.#forgetLast();
        this.#show({ isStart: this.#isAtStart(), from: this.#placeOfFrontier() });
        return;
      }
      this.#show({ isStart: this.#isAtStart(), from: this.#placeOfFrontier() });
    });
  }

  /** Whether the rest of an item's collection can be skipped without reading it. */
  get canSkipCollections(): boolean {
    return this.#options.partition === undefined && this.#keyNames.sort !== undefined;
  }

  /** The partition key of an item here, as it is in an address. */
  partitionOf(item: AttributeMap): string {
    const value = item[this.#keyNames.partition];
    return value === undefined ? '' : typedText(value);
  }

  /** Shows what was written: the new state of an item that is held, or undefined for its deletion, by its id. */
  replaceItems(changes: ReadonlyMap<string, AttributeMap | undefined>): void {
    this.#pages = this.#pages.map((page) => ({
      ...page,
      items: page.items.flatMap((held) => {
        const id = itemId(held, this.#tableKeys);
        const item = changes.get(id);
        return changes.has(id) ? (item === undefined ? [] : [item]) : [held];
      }),
    }));
    this.#show({});
  }

  async #step(work: () => Promise<void>, isJump = false): Promise<void> {
    const generation = this.#generation;
    const before = this.#running;
    const run = async (): Promise<void> => {
      await before;
      if (generation !== this.#generation) return;
      this.#set({ ...this.#state, loading: true, error: undefined, ...(isJump && { jumps: this.#state.jumps + 1 }) });
      try {
        await work();
      } catch (error) {
        if (generation === this.#generation) this.#set({ ...this.#state, error: error as Error }); // calls throw errors only
      }
      if (generation === this.#generation) this.#set({ ...this.#state, loading: false });
    };
    this.#running = run();
    return await this.#running;
  }

  // Jumps

  async #openStart(): Promise<void> {
    const page = await this.#read({});
    this.#open({ kind: 'start' }, [{ items: page.Items, after: undefined }], page.LastEvaluatedKey === undefined, 0);
  }

  async #openAt(fraction: number): Promise<void> {
    let segments = this.#segments();
    for (; segments > 1; segments /= 4) {
      const segment = Math.floor(fraction * segments);
      const page = await this.#read({ TotalSegments: segments, Segment: segment });
      if (page.Items.length === 0) continue;
      const pages: Page[] = [{ items: page.Items, after: undefined }];
      let isEnd = false;
      if (page.LastEvaluatedKey === undefined) {
        const after = this.#startKeyOf(page.Items.at(-1) ?? {});
        const next = await this.#read({ ExclusiveStartKey: after });
        pages.push({ items: next.Items, after });
        isEnd = next.LastEvaluatedKey === undefined;
      }
      return this.#open({ kind: 'boundary', segments, segment }, pages, isEnd, segment / segments);
    }
    await this.#openStart();
  }

  async #openItem({ item, fraction }: PlacedItem): Promise<void> {
    const segments = this.#segments();
    const segment = Math.min(segments - 1, Math.floor(fraction * segments));
    const pages: Page[] = [];
    let after: AttributeMap | undefined;
    for (let read = 0; read < segmentPagesMax; read += 1) {
      const page: ReadPage = await this.#read({
        TotalSegments: segments,
        Segment: segment,
        ...(after && { ExclusiveStartKey: after }),
      });
      pages.push({ items: page.Items, after });
      const isFound = page.Items.some((each) => this.#isSame(each, item));
      after = page.LastEvaluatedKey;
      if (isFound) {
        const isEnd = after === undefined && segment === segments - 1;
        return this.#open({ kind: 'boundary', segments, segment }, pages, isEnd, segment / segments);
      }
      if (after === undefined) break;
    }
    // It is far within a large collection, so reading begins with the item itself, and what is before it is read backwards.
    const partitions = await this.#partitionsOf(segments, segment);
    const at = partitions.findIndex((partition) => sameKeyValue(partition, item[this.#keyNames.partition]));
    if (at < 0) return await this.#openAt(fraction);
    const start = this.#startKeyOf(item);
    const next = await this.#read({ ExclusiveStartKey: start });
    this.#open(
      { kind: 'inside', segments, segment, partitions, at, isWhole: false },
      [
        { items: [item], after: undefined },
        { items: next.Items, after: start },
      ],
      next.LastEvaluatedKey === undefined,
      segment / segments,
    );
  }

  async #openEnd(): Promise<void> {
    const segments = this.#segments();
    this.#open({ kind: 'boundary', segments, segment: segments }, [], true, 1);
    const items: AttributeMap[] = [];
    for (
      let looked = 0;
      looked < emptySegmentsMax && this.#frontier.kind !== 'start' && items.length < pageItems;
      looked += 1
    ) {
      items.unshift(...(await this.#stepBack(this.#frontier)));
    }
    this.#open(this.#frontier, [{ items, after: undefined }], true, this.#placeOfFrontier());
  }

  async #openCollection(): Promise<void> {
    const page = await this.#read({});
    this.#open({ kind: 'start' }, [{ items: page.Items, after: undefined }], page.LastEvaluatedKey === undefined, 0);
  }

  async #endOfCollection(): Promise<void> {
    const page = await this.#read({ ScanIndexForward: false });
    const kind = page.LastEvaluatedKey === undefined ? 'start' : 'within';
    this.#open({ kind }, [{ items: page.Items.toReversed(), after: undefined }], true, 0);
  }

  #open(frontier: Frontier, pages: Page[], isEnd: boolean, from: number): void {
    this.#frontier = frontier;
    this.#pages = pages;
    const items = pages.reduce((sum, page) => sum + page.items.length, 0);
    this.#show({ isStart: this.#isAtStart(), isEnd, from, to: isEnd ? 1 : Math.min(1, from + this.#partOf(items)) });
  }

  // Steps back

  async #stepBack(frontier: Frontier): Promise<readonly AttributeMap[]> {
    if (frontier.kind === 'boundary') return await this.#segmentBefore(frontier);
    if (frontier.kind === 'inside') return await this.#collectionBefore(frontier);
    const first = this.#state.items[0];
    if (frontier.kind === 'start' || first === undefined) return [];
    const page = await this.#read({ ScanIndexForward: false, ExclusiveStartKey: this.#startKeyOf(first) });
    if (page.LastEvaluatedKey === undefined) this.#frontier = { kind: 'start' };
    return page.Items.toReversed();
  }

  /** The items of the segment before a boundary, if they are few; otherwise those at its end. */
  async #segmentBefore({
    segments,
    segment,
  }: {
    readonly segments: number;
    readonly segment: number;
  }): Promise<readonly AttributeMap[]> {
    if (segment === 0) {
      this.#frontier = { kind: 'start' };
      return [];
    }
    const items: AttributeMap[] = [];
    let page: ReadPage | undefined;
    for (
      let pages = 0;
      pages < segmentPagesMax && (page === undefined || page.LastEvaluatedKey !== undefined);
      pages += 1
    ) {
      const after: AttributeMap | undefined = page?.LastEvaluatedKey;
      page = await this.#read({
        TotalSegments: segments,
        Segment: segment - 1,
        ...(after && { ExclusiveStartKey: after }),
      });
      items.push(...page.Items);
    }
    if (page?.LastEvaluatedKey === undefined) {
      this.#frontier = widened({ segments, segment: segment - 1 }, items.length === 0);
      return items;
    }
    if (segments < segmentsMax) {
      this.#frontier = { kind: 'boundary', segments: segments * 4, segment: segment * 4 };
      return [];
    }
    const partitions = await this.#partitionsOf(segments, segment - 1);
    this.#frontier = {
      kind: 'inside',
      segments,
      segment: segment - 1,
      partitions,
      at: partitions.length,
      isWhole: true,
    };
    return [];
  }

  /** The partition keys of a segment, in order, skipping the rest of each collection. */
  async #partitionsOf(segments: number, segment: number): Promise<readonly AttributeValue[]> {
    const partitions: AttributeValue[] = [];
    let after: AttributeMap | undefined;
    for (;;) {
      const page = await this.#read({
        TotalSegments: segments,
        Segment: segment,
        Limit: 1,
        ...(after && { ExclusiveStartKey: after }),
      });
      const [item] = page.Items;
      if (item === undefined) return partitions;
      const partition = item[this.#keyNames.partition];
      if (partition !== undefined) partitions.push(partition);
      after = this.#startKeyOf(this.#pastCollection(item));
    }
  }

  async #collectionBefore(frontier: Frontier & { readonly kind: 'inside' }): Promise<readonly AttributeMap[]> {
    const { segments, segment, partitions, at, isWhole } = frontier;
    const first = this.#state.items[0];
    const isInside = !isWhole && first !== undefined;
    const partition = partitions[isInside ? at : at - 1];
    if (partition === undefined) {
      this.#frontier = widened({ segments, segment }, false);
      return [];
    }
    const page = await this.#query(partition, {
      ScanIndexForward: false,
      ...(isInside && { ExclusiveStartKey: this.#startKeyOf(first) }),
    });
    const now = isInside ? at : at - 1;
    // A collection that was read to its start is complete, so the next step reads the one before it.
    const isDone = page.LastEvaluatedKey === undefined;
    this.#frontier =
      isDone && now === 0 ? widened({ segments, segment }, false) : { ...frontier, at: now, isWhole: isDone };
    return page.Items.toReversed();
  }

  /** Reads a dropped page again, up to the first loaded item. */
  async #readForgotten({ items: kept, after }: ForgottenPage): Promise<void> {
    const first = this.#state.items[0];
    const items = [...kept];
    let from: AttributeMap | undefined = after;
    if (first === undefined) return;
    while (from !== undefined) {
      const page: ReadPage = await this.#read({ ExclusiveStartKey: from });
      const end = page.Items.findIndex((item) => this.#isSame(item, first));
      items.push(...(end < 0 ? page.Items : page.Items.slice(0, end)));
      from = end < 0 && items.length < itemsHeldMax / 2 ? page.LastEvaluatedKey : undefined;
    }
    this.#forgotten.pop();
    this.#pages.unshift({ items, after: kept.length > 0 ? undefined : after });
    this.#forgetLast();
    this.#show({ isStart: this.#isAtStart(), from: Math.max(0, this.#state.from - this.#partOf(items.length)) });
  }

  // What is held

  #forgetFirst(): void {
    while (this.#count() > itemsHeldMax && this.#pages.length > 1) {
      const [page, ...rest] = this.#pages;
      const [first] = page?.items ?? [];
      if (page === undefined || first === undefined) return;
      this.#forgotten.push(
        page.after === undefined
          ? { items: [first], after: this.#startKeyOf(first) }
          : { items: [], after: page.after },
      );
      this.#pages = rest;
      this.#show({ isStart: false, from: this.#state.from + this.#partOf(page.items.length) });
    }
  }

  /** Drops all but the first items. */
  #keepFirst(count: number): void {
    let left = count;
    this.#pages = this.#pages.flatMap((page) => {
      const items = page.items.slice(0, left);
      left -= items.length;
      return items.length === 0 ? [] : [{ ...page, items }];
    });
  }

  #forgetLast(): void {
    while (this.#count() > itemsHeldMax && this.#pages.length > 1) {
      this.#pages.pop();
      this.#show({ isEnd: false });
    }
  }

  #count(): number {
    return this.#pages.reduce((sum, { items }) => sum + items.length, 0);
  }

  #isAtStart(): boolean {
    return this.#frontier.kind === 'start' && this.#forgotten.length === 0;
  }

  #placeOfFrontier(): number {
    const frontier = this.#frontier;
    return frontier.kind === 'boundary' || frontier.kind === 'inside' ? frontier.segment / frontier.segments : 0;
  }

  #placeAfter(items: number): number {
    return Math.min(1, this.#state.to + this.#partOf(items));
  }

  /** The average share of hash space of this many items. */
  #partOf(items: number): number {
    return items / Math.max(1, items, this.#itemCount);
  }

  #show(changes: Partial<SourceState>): void {
    this.#set({ ...this.#state, ...changes, items: this.#pages.flatMap(({ items }) => items) });
  }

  #set(state: SourceState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }

  // Requests

  async #read(input: object): Promise<ReadPage> {
    const { partition, table, index, call } = this.#options;
    if (partition !== undefined) return await this.#query(partition, input);
    return await call<ReadPage>('Scan', {
      TableName: table.TableName,
      ...(index && { IndexName: index.IndexName }),
      Limit: pageItems,
      ...input,
    });
  }

  async #query(partition: AttributeValue, input: object): Promise<ReadPage> {
    const { table, index, sort, call, partition: only } = this.#options;
    const condition = sort === undefined || only === undefined ? undefined : sortCondition(sort);
    const sortName = this.#keyNames.sort;
    return await call<ReadPage>('Query', {
      TableName: table.TableName,
      ...(index && { IndexName: index.IndexName }),
      KeyConditionExpression: condition === undefined ? '#pk = :pk' : `#pk = :pk AND ${condition.expression}`,
      ExpressionAttributeNames: {
        '#pk': this.#keyNames.partition,
        ...(condition && sortName !== undefined && { '#sk': sortName }),
      },
      ExpressionAttributeValues: { ':pk': partition, ...condition?.values },
      Limit: pageItems,
      ...input,
    });
  }

  /** Segments of about a screen each, from an item count that may be outdated. */
  #segments(): number {
    const wanted = this.#itemCount / itemsPerSegment;
    let segments = 1;
    while (segments * 4 <= Math.min(wanted, segmentsMax)) segments *= 4;
    return segments;
  }

  #startKeyOf(item: AttributeMap): AttributeMap {
    return picked(item, this.#startKeyNames);
  }

  /** A key greater than all others of the item's collection. Start keys need not exist. */
  #pastCollection(item: AttributeMap): AttributeMap {
    const { sort } = this.#keyNames;
    if (sort === undefined) return item;
    return { ...item, [sort]: greatestKeyValues[keyTypeOf(this.#options.table, sort)] };
  }

  #isSame(a: AttributeMap, b: AttributeMap): boolean {
    return [this.#tableKeys.partition, this.#tableKeys.sort].every(
      (name) => name === undefined || sameKeyValue(a[name], b[name]),
    );
  }
}

/** Boundaries of larger segments, if the previous ones were empty, to skip the empty part in larger steps. */
function widened(
  { segments, segment }: { readonly segments: number; readonly segment: number },
  isEmpty: boolean,
): Frontier {
  if (segment === 0) return { kind: 'start' };
  if (isEmpty && segments > 4 && segment % 4 === 0)
    return { kind: 'boundary', segments: segments / 4, segment: segment / 4 };
  return { kind: 'boundary', segments, segment };
}

/** 1,024 bytes of the highest character or byte, and the largest number. */
const greatestKeyValues = {
  S: { S: '\u{10FFFF}'.repeat(256) },
  N: { N: '9.9999999999999999999999999999999999999E+125' },
  B: { B: `${'/'.repeat(1364)}/w==` },
} as const;

function sameKeyValue(a: AttributeValue | undefined, b: AttributeValue | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b); // a key's value has one member
}

function sortCondition({
  operator,
  values: [first, second],
}: SortCondition): { expression: string; values: object } | undefined {
  if (first === undefined) return undefined;
  if (operator === 'begins_with') return { expression: 'begins_with(#sk, :sk)', values: { ':sk': first } };
  if (operator !== 'between') return { expression: `#sk ${operator} :sk`, values: { ':sk': first } };
  return second && { expression: '#sk BETWEEN :sk AND :sk2', values: { ':sk': first, ':sk2': second } };
}
