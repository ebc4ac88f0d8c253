import {
  BatchWriteItemCommand,
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  PutItemCommand,
  ResourceNotFoundException,
  waitUntilTableExists,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { InputError, ModelError } from '../model-error.ts';
import type { Model } from '../model.ts';
import { resolve } from '../resolve/resolve.ts';
import { sharesKey } from '../resolve/slots.ts';
import { tableDefinitions } from '../resolve/table-definitions.ts';
import type { StoredItem } from '../run/attribute-value.ts';
import * as evaluator from '../patterns/evaluate.ts';
import { ItemCodec } from '../run/item-codec.ts';
import { guardsOf } from '../samples/load.ts';
import type { State } from './data.ts';
import { itemText, type Values } from './oracle/index.ts';

const batchItemsMax = 25;
const batchAttemptsMax = 10;

/** A prefix of table names that is most likely unused. */
export function anyTablePrefix(): string {
  return `prove-${Math.random().toString(36).slice(2, 10).padEnd(8, '0')}-`;
}

/** Tables of a model for a test: created under their own names, filled with one state after the other, and removed. */
export class ProvingTables {
  /** Their names, by those in the model. */
  readonly names: Readonly<Record<string, string>>;
  readonly #client: DynamoDBClient;
  readonly #model: Model;
  readonly #codecs: ReadonlyMap<string, ItemCodec>;
  /** The stored items: by table, by the text of the key. */
  readonly #present = new Map<string, Map<string, { readonly key: StoredItem; readonly text: string }>>();

  constructor(model: Model, client: DynamoDBClient, prefix: string) {
    this.#model = model;
    this.#client = client;
    const { entities, tables } = resolve(model);
    this.names = Object.fromEntries([...tables.keys()].map((name) => [name, `${prefix}${name}`]));
    this.#codecs = new Map([...entities].map(([name, entity]) => [name, new ItemCodec(entity, evaluator)]));
  }

  /**
   * Creates all of them, or none.
   *
   * @throws {InputError} if a table of such a name exists, which is left unchanged.
   * @throws {ModelError} if the service refuses a table of the model, such as one whose index has a name that is too short.
   */
  async create(): Promise<void> {
    const definitions = tableDefinitions(this.#model, this.names);
    for (const { TableName } of definitions)
      if (await this.#exists(TableName))
        throw new InputError('table-exists', String(TableName), 'already exists, and is not changed');
    try {
      for (const definition of definitions) await this.#createOne(definition);
    } catch (error) {
      await this.remove();
      throw error;
    }
  }

  async #createOne(definition: CreateTableCommandInput): Promise<void> {
    const { TableName } = definition;
    const { TableDescription } = await this.#client.send(new CreateTableCommand(definition)).catch((error: unknown) => {
      throw this.#asFault(error, TableName);
    });
    if (TableDescription?.TableStatus !== 'ACTIVE')
      await waitUntilTableExists({ client: this.#client, maxWaitTime: 300, minDelay: 1, maxDelay: 5 }, { TableName });
    this.#present.set(String(TableName), new Map());
  }

  /** What the service finds wrong with a definition is a fault of the model; anything else, such as missing permission, is not. */
  #asFault(error: unknown, tableName?: string): unknown {
    if (!(error instanceof Error) || error.name !== 'ValidationException') return error;
    const table = Object.keys(this.names).find((name) => this.names[name] === tableName) ?? '';
    return new ModelError([
      { code: 'refused-table', path: `tables.${table}`, message: `the service refuses the table: ${error.message}` },
    ]);
  }

  /** Removes the tables that `create` made. */
  async remove(): Promise<void> {
    for (const TableName of this.#present.keys()) await this.#client.send(new DeleteTableCommand({ TableName }));
    this.#present.clear();
  }

  /**
   * Stores a state and nothing else.
   *
   * @returns the stored items. Those that keys or the service reject are left out, since an application could not have stored them either.
   */
  async store(state: State): Promise<State> {
    const wanted = new Map([...this.#present.keys()].map((table) => [table, new Map<string, StoredItem>()] as const));
    const owners = new Map<string, { readonly entity: string; readonly item: Values }>();
    const kept = new Map<string, Values[]>();
    for (const [entity, items] of state) {
      const codec = this.#codecs.get(entity);
      if (codec === undefined) continue;
      const table = this.names[codec.entity.table.name] ?? '';
      const own: Values[] = [];
      for (const item of items) {
        const stored = storedForms(codec, item);
        if (stored === undefined) continue;
        const texts = stored.map((form) => [`${table} ${keyText(codec, form)}`, form] as const);
        // Entities may share their keys on purpose: a key that one of them uses is not available to the other.
        const taken = texts.some(([text]) => this.#sharesKeys(entity, owners.get(text)?.entity));
        if (taken) continue;
        for (const [text, form] of texts) {
          owners.set(text, { entity, item });
          wanted.get(table)?.set(text.slice(table.length + 1), form);
        }
        own.push(item);
      }
      kept.set(entity, own);
    }
    const refused = await this.#bringTo(wanted);
    return new Map(
      [...kept].map(([entity, items]) => [
        entity,
        items.filter((item) => !refused.some((text) => owners.get(text)?.item === item)),
      ]),
    );
  }

  #sharesKeys(entity: string, other: string | undefined): boolean {
    if (other === undefined || other === entity) return false;
    return [entity, other].some((name) => {
      const codec = this.#codecs.get(name);
      return codec !== undefined && sharesKey(codec.entity);
    });
  }

  async #exists(TableName: string | undefined): Promise<boolean> {
    try {
      await this.#client.send(new DescribeTableCommand({ TableName }));
      return true;
    } catch (error) {
      if (error instanceof ResourceNotFoundException || (error as Error).name === 'ResourceNotFoundException')
        return false;
      throw error;
    }
  }

  /** Writes the differences. @returns the keys of the items that the service rejects. */
  async #bringTo(wanted: ReadonlyMap<string, ReadonlyMap<string, StoredItem>>): Promise<string[]> {
    const refused: string[] = [];
    for (const [table, items] of wanted) {
      const present = this.#present.get(table) ?? new Map<string, { key: StoredItem; text: string }>();
      const codec = [...this.#codecs.values()].find(({ entity }) => this.names[entity.table.name] === table);
      if (codec === undefined) continue;
      const requests: { readonly text: string; readonly request: WriteRequest }[] = [];
      for (const [text, { key }] of present)
        if (!items.has(text)) requests.push({ text, request: { DeleteRequest: { Key: key } } });
      for (const [text, item] of items)
        if (present.get(text)?.text !== JSON.stringify(item))
          requests.push({ text, request: { PutRequest: { Item: item } } });
      for (let at = 0; at < requests.length; at += batchItemsMax) {
        const batch = requests.slice(at, at + batchItemsMax);
        refused.push(...(await this.#write(table, batch)).map((text) => `${table} ${text}`));
      }
      present.clear();
      for (const [text, item] of items)
        if (!refused.includes(`${table} ${text}`))
          present.set(text, { key: keyOf(codec, item), text: JSON.stringify(item) });
    }
    return refused;
  }

  async #write(
    table: string,
    batch: readonly { readonly text: string; readonly request: WriteRequest }[],
  ): Promise<string[]> {
    try {
      let left: Record<string, WriteRequest[]> = { [table]: batch.map(({ request }) => request) };
      for (let attempt = 0; Object.keys(left).length > 0; attempt += 1) {
        if (attempt === batchAttemptsMax)
          throw new InputError('throttled', table, 'the service repeatedly leaves items unprocessed');
        if (attempt > 0) await new Promise((done) => setTimeout(done, Math.min(1000, 20 * 2 ** attempt)));
        const { UnprocessedItems = {} } = await this.#client.send(new BatchWriteItemCommand({ RequestItems: left }));
        left = UnprocessedItems;
      }
      return [];
    } catch (error) {
      if ((error as Error).name !== 'ValidationException') throw error;
      return this.#writeOneByOne(table, batch);
    }
  }

  /** One item that the service rejects makes it reject the whole batch. */
  async #writeOneByOne(
    table: string,
    batch: readonly { readonly text: string; readonly request: WriteRequest }[],
  ): Promise<string[]> {
    const refused: string[] = [];
    for (const { text, request } of batch) {
      try {
        const { PutRequest } = request;
        if (PutRequest === undefined)
          await this.#client.send(new BatchWriteItemCommand({ RequestItems: { [table]: [request] } }));
        else await this.#client.send(new PutItemCommand({ TableName: table, Item: PutRequest.Item }));
      } catch (error) {
        if ((error as Error).name !== 'ValidationException') throw error;
        refused.push(text);
      }
    }
    return refused;
  }
}

/** An item with its copies and guards in stored form; undefined if a key rejects a value. */
function storedForms(codec: ItemCodec, item: Values): readonly StoredItem[] | undefined {
  try {
    // The values are what the schemas yield. They may refuse their own, such as text that is trimmed after its length is checked.
    const defaults = [...codec.entity.attributes.values()].map(({ name, fallback }) => [name, fallback]);
    const values = { ...(Object.fromEntries(defaults) as Values), ...item };
    const { copies } = codec.entity.rules;
    const own =
      copies === undefined
        ? [codec.encode(values)]
        : Array.from({ length: copies }, (_, i) => codec.encode({ ...values, copy: i + 1 }));
    return [...own, ...guardsOf(codec, values)];
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

function keyOf(codec: ItemCodec, item: StoredItem): StoredItem {
  const { partition, sort } = codec.entity.table.place;
  return Object.fromEntries(
    [...partition, ...sort].flatMap(({ attribute }) => {
      const value = item[attribute];
      return value === undefined ? [] : [[attribute, value]];
    }),
  );
}

function keyText(codec: ItemCodec, item: StoredItem): string {
  return itemText(keyOf(codec, item));
}
