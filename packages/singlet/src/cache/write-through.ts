import { type DynamoDBClient, GetItemCommand, TransactGetItemsCommand } from '@aws-sdk/client-dynamodb';
import type { Send } from './cached-reads.ts';
import type { HttpReply } from './http-exchange.ts';
import { type CachedItem, type ItemCache, wholeItem, type WriteResult } from './item-cache.ts';
import { isObject, itemIdOf, type WireObject } from './item-identity.ts';
import type { KeySchemas } from './key-schemas.ts';
import { attributesOf, isReadAsWritten, wireJsonOf } from './wire-json.ts';

/** An item that a request writes. */
interface Target {
  readonly table: string;
  readonly key: WireObject;
  readonly id: string;
}

/** Writes go to the server first, then to the cached items. Results of queries are left unchanged. */
export class WriteThrough {
  readonly #client: DynamoDBClient;
  readonly #items: ItemCache;
  readonly #schemas: KeySchemas;
  readonly #refreshes = new Set<Promise<void>>();

  constructor(parts: { readonly client: DynamoDBClient; readonly items: ItemCache; readonly schemas: KeySchemas }) {
    this.#client = parts.client;
    this.#items = parts.items;
    this.#schemas = parts.schemas;
  }

  async putItem({ TableName, Item }: WireObject, send: Send): Promise<HttpReply> {
    const target = await this.#targetOfPut(TableName, Item);
    return this.#write(TableName, target, send, (answered) => this.#itemOfPut(answered, Item));
  }

  async deleteItem({ TableName, Key }: WireObject, send: Send): Promise<HttpReply> {
    return this.#write(TableName, targetOf(TableName, Key), send, async () => ({ item: null }));
  }

  /** An update returns the new item if the request asked for it; otherwise the item is read again. */
  async updateItem({ TableName, Key, ReturnValues }: WireObject, send: Send): Promise<HttpReply> {
    return this.#write(TableName, targetOf(TableName, Key), send, async (target, answer) => {
      const { Attributes } = answer;
      return ReturnValues === 'ALL_NEW' && Attributes !== undefined
        ? { item: JSON.stringify(Attributes) }
        : this.#read(target);
    });
  }

  async batchWriteItem({ RequestItems }: WireObject, send: Send): Promise<HttpReply> {
    const writes: { readonly target: Target; readonly put: WireObject | undefined }[] = [];
    const unknownTables = new Set<string>();
    for (const [table, requests] of Object.entries(isObject(RequestItems) ? RequestItems : {})) {
      for (const request of listOf(requests)) {
        const put = memberOf(memberOf(request, 'PutRequest'), 'Item');
        const target =
          put === undefined
            ? targetOf(table, memberOf(memberOf(request, 'DeleteRequest'), 'Key'))
            : await this.#targetOfPut(table, put);
        if (target === undefined) unknownTables.add(table);
        else writes.push({ target, put });
      }
    }
    for (const { target } of writes) this.#items.beginWrite(target.id);
    const results = new Map<string, WriteResult>();
    try {
      const { reply, isOk, isInDoubt, body } = await send();
      if (isOk) {
        const left = await this.#unprocessedIds(body['UnprocessedItems']);
        for (const { target, put } of writes) {
          const { id } = target;
          if (left.has(id)) results.set(id, 'unchanged');
          else results.set(id, put === undefined ? { item: null } : await this.#itemOfPut(target, put));
        }
      } else if (!isInDoubt) {
        for (const { target } of writes) results.set(target.id, 'unchanged');
      }
      return reply;
    } finally {
      for (const { target } of writes) this.#items.endWrite(target.id, results.get(target.id) ?? 'unknown');
      for (const table of unknownTables) this.#items.forgetTable(table);
    }
  }

  /** The items that a transaction has written are dropped at once, and read again after the answer is returned. */
  async transactWriteItems({ TransactItems }: WireObject, send: Send): Promise<HttpReply> {
    const targets: Target[] = [];
    const unknownTables = new Set<string>();
    for (const action of listOf(TransactItems)) {
      const { Put, Update, Delete } = isObject(action) ? action : {};
      const write = [Put, Update, Delete].find(isObject);
      if (write === undefined) continue;
      const { TableName, Item, Key } = write;
      const target = Put === undefined ? targetOf(TableName, Key) : await this.#targetOfPut(TableName, Item);
      if (target !== undefined) targets.push(target);
      else if (typeof TableName === 'string') unknownTables.add(TableName);
    }
    for (const { id } of targets) this.#items.beginWrite(id);
    let isUnchanged = false;
    let isOk = false;
    try {
      const answer = await send();
      isOk = answer.isOk;
      isUnchanged = !answer.isOk && !answer.isInDoubt;
      return answer.reply;
    } finally {
      for (const { id } of targets) this.#items.endWrite(id, isUnchanged ? 'unchanged' : 'unknown');
      if (!isUnchanged) for (const table of unknownTables) this.#items.forgetTable(table);
      if (isOk && targets.length > 0) this.#refreshLater(targets);
    }
  }

  /** Resolves when all items that are read again after answers have been read. */
  async settled(): Promise<void> {
    while (this.#refreshes.size > 0) await Promise.all(this.#refreshes);
  }

  /**
   * Sends a write, and caches the resulting item.
   *
   * @param target - undefined if the written item cannot be determined: all items of the table are then dropped.
   */
  async #write(
    table: unknown,
    target: Target | undefined,
    send: Send,
    itemAfter: (target: Target, answer: WireObject) => Promise<WriteResult>,
  ): Promise<HttpReply> {
    if (target === undefined) {
      const answer = await send();
      if (typeof table === 'string' && (answer.isOk || answer.isInDoubt)) this.#items.forgetTable(table);
      return answer.reply;
    }
    this.#items.beginWrite(target.id);
    let result: WriteResult = 'unknown';
    try {
      const { reply, isOk, isInDoubt, body } = await send();
      if (isOk) result = await itemAfter(target, body);
      else if (!isInDoubt) result = 'unchanged';
      return reply;
    } finally {
      this.#items.endWrite(target.id, result);
    }
  }

  async #targetOfPut(table: unknown, item: unknown): Promise<Target | undefined> {
    if (typeof table !== 'string' || !isObject(item)) return undefined;
    return targetOf(table, await this.#schemas.keyOf(table, item));
  }

  async #itemOfPut(target: Target, item: unknown): Promise<WriteResult> {
    return isReadAsWritten(item) ? { item: JSON.stringify(item) } : this.#read(target);
  }

  /** The current item, by a consistent read; an eventually consistent one could cache an older state. */
  async #read({ table, key }: Target): Promise<WriteResult> {
    try {
      const { Item } = await this.#client.send(
        new GetItemCommand({ TableName: table, Key: attributesOf(key), ConsistentRead: true }),
      );
      return { item: itemJson(Item) };
    } catch {
      // The write has succeeded nevertheless. The item is not cached, and the next reader reads it from the table.
      return 'unknown';
    }
  }

  async #unprocessedIds(unprocessed: unknown): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    for (const [table, requests] of Object.entries(isObject(unprocessed) ? unprocessed : {})) {
      for (const request of listOf(requests)) {
        const put = memberOf(memberOf(request, 'PutRequest'), 'Item');
        const key = memberOf(memberOf(request, 'DeleteRequest'), 'Key');
        const target = put === undefined ? targetOf(table, key) : await this.#targetOfPut(table, put);
        if (target !== undefined) ids.add(target.id);
      }
    }
    return ids;
  }

  #refreshLater(targets: readonly Target[]): void {
    const reading = this.#readTogether(targets);
    const refresh = Promise.all(
      targets.map(({ id }) => this.#items.load(id, wholeItem, async () => (await reading).get(id))),
    ).then(() => void this.#refreshes.delete(refresh));
    this.#refreshes.add(refresh);
  }

  async #readTogether(targets: readonly Target[]): Promise<ReadonlyMap<string, CachedItem>> {
    try {
      const { Responses = [] } = await this.#client.send(
        new TransactGetItemsCommand({
          TransactItems: targets.map(({ table, key }) => ({ Get: { TableName: table, Key: attributesOf(key) } })),
        }),
      );
      return new Map(targets.map(({ id }, at) => [id, itemJson(Responses[at]?.Item)]));
    } catch {
      // Nothing is cached, and the next readers read the items from the table.
      return new Map();
    }
  }
}

function itemJson(item: object | undefined): CachedItem {
  return item === undefined ? null : wireJsonOf(item);
}

function targetOf(table: unknown, key: unknown): Target | undefined {
  const id = itemIdOf(table, key);
  return id === undefined || typeof table !== 'string' || !isObject(key) ? undefined : { table, key, id };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function memberOf(value: unknown, name: string): WireObject | undefined {
  const member = isObject(value) ? value[name] : undefined;
  return isObject(member) ? member : undefined;
}
