import { type AttributeValue, BatchGetItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { CacheStatistics } from './cache-statistics.ts';
import { type Answer, type HttpReply, replyWith } from './http-exchange.ts';
import { type CachedItem, type ItemCache, wholeItem } from './item-cache.ts';
import { isObject, itemIdOf, orderedJson, type WireObject } from './item-identity.ts';
import type { QueryCache } from './query-cache.ts';
import { attributesOf, wireJsonOf } from './wire-json.ts';

/** Sends the request to the server. */
export type Send = () => Promise<Answer>;

/** A key of a batch. */
interface BatchKey {
  readonly table: string;
  readonly key: WireObject;
  readonly id: string;
  readonly projection: string;
}

/** Reads that the cache may serve: those that need not be consistent. */
export class CachedReads {
  readonly #client: DynamoDBClient;
  readonly #items: ItemCache;
  readonly #queries: QueryCache;
  readonly #statistics: CacheStatistics;

  constructor(parts: {
    readonly client: DynamoDBClient;
    readonly items: ItemCache;
    readonly queries: QueryCache;
    readonly statistics: CacheStatistics;
  }) {
    this.#client = parts.client;
    this.#items = parts.items;
    this.#queries = parts.queries;
    this.#statistics = parts.statistics;
  }

  async getItem(input: WireObject, send: Send): Promise<HttpReply> {
    const id = itemIdOf(input['TableName'], input['Key']);
    if (input['ConsistentRead'] === true || id === undefined) return (await send()).reply;
    const projection = projectionOf(input);
    let item = this.#items.get(id, projection);
    this.#statistics.countItem(item !== undefined);
    if (item !== undefined) return itemReply(item);
    let answer: Answer | undefined;
    item = await this.#items.load(id, projection, async () => {
      answer = await send();
      if (!answer.isOk) return undefined;
      const { Item } = answer.body;
      return Item === undefined ? null : JSON.stringify(Item);
    });
    // The caller that made the request gets the answer itself; callers that waited get its item.
    return answer?.reply ?? itemReply(item ?? null);
  }

  async batchGetItem(input: WireObject, send: Send): Promise<HttpReply> {
    const keys = batchKeysOf(input);
    if (keys === undefined) return (await send()).reply;
    const known: { readonly key: BatchKey; readonly item: CachedItem }[] = [];
    const missing: BatchKey[] = [];
    for (const key of keys) {
      const item = this.#items.get(key.id, key.projection);
      this.#statistics.countItem(item !== undefined);
      if (item === undefined) missing.push(key);
      else known.push({ key, item });
    }
    if (missing.length === 0) return batchReply(known);
    // Items come in any order and are matched by their keys, which a projection may leave out.
    if (missing.some(({ projection }) => projection !== wholeItem)) return (await send()).reply;
    return known.length === 0 ? this.#readBatch(missing, send) : this.#completeBatch(known, missing, send);
  }

  async query(action: string, input: WireObject, send: Send): Promise<HttpReply> {
    if (input['ConsistentRead'] === true) return (await send()).reply;
    const { ReturnConsumedCapacity: _, ...parameters } = input;
    const request = `${action} ${orderedJson(parameters)}`;
    let body = this.#queries.get(request);
    const loading = body === undefined ? this.#queries.loading(request) : undefined;
    if (loading !== undefined) {
      await loading;
      body = this.#queries.get(request);
    }
    this.#statistics.countQuery(body !== undefined);
    if (body !== undefined) return replyWith(body);
    const { reply } = await this.#queries.load(request, async () => {
      const answer = await send();
      if (answer.isOk) {
        // Items served from the cache have consumed no capacity.
        const { ConsumedCapacity: _, ...result } = answer.body;
        this.#queries.set(request, JSON.stringify(result));
      }
      return answer;
    });
    return reply;
  }

  /** Reads a whole batch, and caches the items. */
  async #readBatch(keys: readonly BatchKey[], send: Send): Promise<HttpReply> {
    const ends = new Map(keys.map(({ id, projection }) => [id, this.#items.beginLoad(id, projection)]));
    let found: ReadonlyMap<string, CachedItem> = new Map();
    try {
      const answer = await send();
      if (answer.isOk) found = foundIn(keys, answer.body['Responses'], answer.body['UnprocessedKeys'], JSON.stringify);
      return answer.reply;
    } finally {
      for (const [id, end] of ends) end(found.get(id));
    }
  }

  /** Reads the missing items of a batch. If that fails, the original batch is sent, so that the server reports what is wrong. */
  async #completeBatch(
    known: readonly { readonly key: BatchKey; readonly item: CachedItem }[],
    missing: readonly BatchKey[],
    send: Send,
  ): Promise<HttpReply> {
    const ends = new Map(missing.map(({ id, projection }) => [id, this.#items.beginLoad(id, projection)]));
    let found: ReadonlyMap<string, CachedItem> = new Map();
    try {
      const RequestItems: Record<string, { Keys: Record<string, AttributeValue>[] }> = {};
      for (const { table, key } of missing) (RequestItems[table] ??= { Keys: [] }).Keys.push(attributesOf(key));
      const { Responses, UnprocessedKeys } = await this.#client.send(new BatchGetItemCommand({ RequestItems }));
      const unprocessed = JSON.parse(wireJsonOf(UnprocessedKeys ?? {})) as WireObject;
      found = foundIn(missing, JSON.parse(wireJsonOf(Responses ?? {})), unprocessed, JSON.stringify);
      const read = missing.flatMap((key) => {
        const item = found.get(key.id);
        return item === undefined ? [] : [{ key, item }];
      });
      return batchReply([...known, ...read], unprocessed);
    } catch {
      return (await send()).reply;
    } finally {
      for (const [id, end] of ends) end(found.get(id));
    }
  }
}

/** Identifies a projection of an item; empty for the whole item. */
function projectionOf(input: WireObject): string {
  const { ProjectionExpression, ExpressionAttributeNames, AttributesToGet } = input;
  if (ProjectionExpression === undefined && AttributesToGet === undefined) return wholeItem;
  return orderedJson({ ProjectionExpression, ExpressionAttributeNames, AttributesToGet });
}

/** The keys of a batch; undefined if any part of it must be consistent, or the server would refuse it. */
function batchKeysOf({ RequestItems, ReturnConsumedCapacity }: WireObject): readonly BatchKey[] | undefined {
  const wantsFigures = ReturnConsumedCapacity !== undefined && ReturnConsumedCapacity !== 'NONE';
  if (!isObject(RequestItems) || wantsFigures) return undefined;
  const keys: BatchKey[] = [];
  for (const [table, part] of Object.entries(RequestItems)) {
    if (!isObject(part) || part['ConsistentRead'] === true || !Array.isArray(part['Keys'])) return undefined;
    for (const key of part['Keys'] as readonly unknown[]) {
      const id = itemIdOf(table, key);
      if (id === undefined || !isObject(key)) return undefined;
      keys.push({ table, key, id, projection: projectionOf(part) });
    }
  }
  return new Set(keys.map(({ id }) => id)).size === keys.length ? keys : undefined;
}

/** The items of an answer by their ids: null for items that do not exist; absent for items that were not requested. */
function foundIn(
  keys: readonly BatchKey[],
  responses: unknown,
  unprocessed: unknown,
  textOf: (item: WireObject) => string,
): ReadonlyMap<string, CachedItem> {
  const found = new Map<string, CachedItem>(keys.map(({ id }) => [id, null]));
  for (const { table, key } of keys) {
    const left = isObject(unprocessed) && isObject(unprocessed[table]) ? unprocessed[table]['Keys'] : undefined;
    for (const each of Array.isArray(left) ? left : []) found.delete(itemIdOf(table, each) ?? '');
    const items = isObject(responses) ? responses[table] : undefined;
    for (const item of Array.isArray(items) ? (items as readonly unknown[]) : []) {
      if (!isObject(item)) continue;
      const itemKey = Object.fromEntries(Object.keys(key).map((name) => [name, item[name]]));
      const id = itemIdOf(table, itemKey);
      if (id !== undefined && found.has(id)) found.set(id, textOf(item));
    }
  }
  return found;
}

function itemReply(item: CachedItem): HttpReply {
  return replyWith(item === null ? '{}' : `{"Item":${item}}`);
}

function batchReply(
  read: readonly { readonly key: BatchKey; readonly item: CachedItem }[],
  unprocessed: WireObject = {},
): HttpReply {
  const tables = new Map<string, string[]>();
  for (const { key, item } of read) {
    const items = tables.get(key.table) ?? [];
    tables.set(key.table, items);
    if (item !== null) items.push(item);
  }
  const parts = [...tables].map(([table, items]) => `${JSON.stringify(table)}:[${items.join()}]`);
  return replyWith(`{"Responses":{${parts.join()}},"UnprocessedKeys":${JSON.stringify(unprocessed)}}`);
}
