import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { ReadOptions } from '../patterns/signature.ts';
import type { Need } from '../patterns/need.ts';
import type { EntityInfo, PatternInfo, Plan, ReadPart } from '../resolve/resolved.ts';
import type { StoredItem } from './attribute-value.ts';
import { backOff, type BuiltRequest, type Context, type InputValues } from './context.ts';
import { Expression } from './expression.ts';
import { expiresAttribute, inputValues, storedAttributes } from './input-values.ts';
import type { Values } from './item-codec.ts';
import { UnexpectedItemError } from './rule-error.ts';

const batchKeysMax = 100;
const batchAttemptsMax = 8;

/** Reads one item by its key. */
export class ItemRead {
  readonly #context: Context;
  readonly #pattern: PatternInfo;
  readonly #entity: Extract<Plan, { kind: 'get' | 'batch-get' }>['part']['entity'];
  readonly #values: InputValues;
  readonly #fixed: Readonly<Record<string, unknown>>;
  /** The entities that may stand under the key, by type. */
  readonly #parts: ReadonlyMap<string, ReadPart>;

  constructor(context: Context, pattern: PatternInfo, plan: Extract<Plan, { kind: 'get' | 'batch-get' }>) {
    this.#context = context;
    this.#pattern = pattern;
    this.#entity = plan.part.entity;
    this.#values = inputValues(pattern.need);
    const parts = plan.kind === 'get' ? plan.parts : [plan.part];
    this.#parts = new Map(parts.map((part) => [part.entity.type, part]));
    this.#fixed = projection(pattern.need, plan.part.entity);
  }

  request(input: Values, options: ReadOptions = {}): BuiltRequest {
    const consistent = options.consistent ?? this.#pattern.need.consistent;
    const base = { TableName: this.#context.tableName(this.#entity.table), Key: this.#key(input), ...this.#fixed };
    return { operation: 'GetItem', input: consistent === true ? { ...base, ConsistentRead: true } : base };
  }

  async read(input: Values, options?: ReadOptions): Promise<Values | undefined> {
    await this.#context.bringForward?.(this.#entity, this.#values(input));
    const { Item } = await this.#context.send(this.request(input, options));
    const found = this.#decode(Item as StoredItem | undefined);
    if (typeof this.#pattern.need.reads !== 'object') return found?.item;
    return found?.name === undefined ? {} : { [found.name]: found.item };
  }

  requests(inputs: readonly Values[], options: ReadOptions = {}): BuiltRequest[] {
    const keys = new Map(inputs.map((input) => this.#key(input)).map((key) => [keyId(key), key]));
    return this.#batches([...keys.values()], options);
  }

  /** Items in the order of the inputs; what was not processed is asked for again. */
  async readEach(inputs: readonly Values[], options: ReadOptions = {}): Promise<(Values | undefined)[]> {
    const table = this.#context.tableName(this.#entity.table);
    const { bringForward } = this.#context;
    if (bringForward !== undefined)
      await Promise.all(inputs.map(async (input) => bringForward(this.#entity, this.#values(input))));
    const found = new Map<string, StoredItem>();
    let pending = this.requests(inputs, options);
    for (let attempt = 0; pending.length > 0; attempt++) {
      if (attempt > 0) await backOff(this.#context, attempt);
      const left: StoredItem[] = [];
      for (const request of pending) {
        const answer = await this.#context.send(request);
        const { [table]: items = [] } = (answer.Responses ?? {}) as Record<string, StoredItem[]>;
        for (const item of items) found.set(this.#idOf(item), item);
        const { [table]: rest } = (answer.UnprocessedKeys ?? {}) as Record<string, { Keys?: StoredItem[] }>;
        left.push(...(rest?.Keys ?? []));
      }
      if (left.length > 0 && attempt === batchAttemptsMax) throw new UnprocessedError(this.#pattern.name, left.length);
      pending = this.#batches(left, options);
    }
    return inputs.map((input) => this.#decode(found.get(keyId(this.#key(input))))?.item);
  }

  #key(input: Values): StoredItem {
    const { copies } = this.#entity.rules;
    const values = this.#values(input);
    const codec = this.#context.codec(this.#entity);
    if (copies === undefined) return codec.key(values);
    return codec.key({ ...values, copy: 1 + Math.floor(this.#context.random() * copies) });
  }

  #batches(keys: readonly StoredItem[], { consistent = this.#pattern.need.consistent }: ReadOptions): BuiltRequest[] {
    const table = this.#context.tableName(this.#entity.table);
    const reading = consistent === true ? { ConsistentRead: true } : {};
    const batches: BuiltRequest[] = [];
    for (let at = 0; at < keys.length; at += batchKeysMax) {
      const Keys = keys.slice(at, at + batchKeysMax);
      batches.push({
        operation: 'BatchGetItem',
        input: { RequestItems: { [table]: { Keys, ...this.#fixed, ...reading } } },
      });
    }
    return batches;
  }

  #idOf(item: StoredItem): string {
    const { partition, sort } = this.#entity.key;
    return keyId(
      Object.fromEntries(
        [...partition, ...sort].map(({ attribute }) => [attribute, item[attribute] ?? { NULL: true }]),
      ),
    );
  }

  #decode(item: StoredItem | undefined): { readonly item: Values; readonly name: string | undefined } | undefined {
    if (item === undefined) return undefined;
    const stored = typeOfItem(item, this.#entity);
    const part = this.#parts.get(stored ?? '');
    if (part === undefined) throw new UnexpectedItemError(this.#pattern.name, stored, item);
    const { expired } = this.#pattern.need;
    if (expired !== true && isExpired(item, expiresAttribute(part.entity), this.#context.now())) return undefined;
    return { item: this.#context.codec(part.entity).decode(item, this.#pattern.need.attributes), name: part.name };
  }
}

/** Keys or items that the service left unprocessed after many attempts. */
export class UnprocessedError extends Error {
  override readonly name: string = 'UnprocessedError';
  readonly count: number;

  constructor(pattern: string, count: number) {
    super(`${pattern}: ${count} left unprocessed; the table cannot keep up`);
    this.count = count;
  }
}

/** What an item says it is. In a table without a type attribute all are of one entity. */
export function typeOfItem(item: StoredItem, { table, type }: EntityInfo): string | undefined {
  return table.typeAttribute === undefined ? type : item[table.typeAttribute]?.S;
}

/** Whether an item's time to live has passed, though the service has not deleted it yet. */
export function isExpired(item: StoredItem, attribute: string | undefined, now: number): boolean {
  const expires = attribute === undefined ? undefined : item[attribute]?.N;
  return expires !== undefined && Number(expires) <= now / 1000;
}

/** The text that tells keys apart. */
export function keyId(key: Readonly<Record<string, AttributeValue>>): string {
  return Object.keys(key)
    .sort()
    .map((name) => JSON.stringify([name, key[name]?.S ?? key[name]?.N ?? Array.from(key[name]?.B ?? [])]))
    .join();
}

function projection(
  need: Need,
  entity: Extract<Plan, { kind: 'get' }>['part']['entity'],
): Readonly<Record<string, unknown>> {
  if (need.attributes === undefined) return {};
  const expression = new Expression();
  const names = storedAttributes(need, entity).map((name) => expression.name(name));
  return { ProjectionExpression: names.join(', '), ...expression.attributes() };
}
