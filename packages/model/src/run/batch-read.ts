import type { ReadOptions } from '../patterns/signature.ts';
import type { EntityInfo, PatternInfo, Plan } from '../resolve/resolved.ts';
import type { StoredItem } from './attribute-value.ts';
import { backOff } from './back-off.ts';
import type { BuiltRequest, Context } from './context.ts';
import { projection } from './input-values.ts';
import type { Values } from './item-codec.ts';
import { keyId } from './key-id.ts';
import { ItemRead } from './read-item.ts';
import { UnprocessedError } from './rule-error.ts';
import type { Runner } from './runner.ts';

const batchKeysMax = 100;
const batchAttemptsMax = 8;

/** Reads items by many keys. */
export class BatchRead implements Runner {
  readonly #context: Context;
  readonly #pattern: PatternInfo;
  readonly #entity: EntityInfo;
  readonly #one: ItemRead;
  readonly #table: string;

  constructor(context: Context, pattern: PatternInfo, { part }: Extract<Plan, { kind: 'batch-get' }>) {
    this.#context = context;
    this.#pattern = pattern;
    this.#entity = part.entity;
    this.#table = context.tableName(part.entity.table);
    this.#one = new ItemRead(context, pattern, { part, parts: [part] });
  }

  request(given: Values, options: ReadOptions = {}): BuiltRequest[] {
    const keys = inputsOf(given).map((input) => this.#one.key(input));
    return this.#batches([...new Map(keys.map((key) => [keyId(key), key])).values()], options);
  }

  /** Items in the order of the inputs; what was not processed is asked for again. */
  async run(given: Values, options: ReadOptions = {}): Promise<(Values | undefined)[]> {
    const inputs = inputsOf(given);
    await Promise.all(inputs.map(async (input) => this.#one.bringForward(input)));
    const found = new Map<string, StoredItem>();
    let pending = this.request(given, options);
    for (let attempt = 0; pending.length > 0; attempt++) {
      if (attempt > 0) await backOff(this.#context, attempt);
      const left: StoredItem[] = [];
      for (const request of pending) {
        const answer = await this.#context.send(request);
        const { [this.#table]: items = [] } = (answer.Responses ?? {}) as Record<string, StoredItem[]>;
        for (const item of items) found.set(this.#idOf(item), item);
        const { [this.#table]: rest } = (answer.UnprocessedKeys ?? {}) as Record<string, { Keys?: StoredItem[] }>;
        left.push(...(rest?.Keys ?? []));
      }
      if (left.length > 0 && attempt === batchAttemptsMax) throw new UnprocessedError(this.#pattern.name, left.length);
      pending = this.#batches(left, options);
    }
    return inputs.map((input) => this.#one.decode(found.get(keyId(this.#one.key(input))))?.item);
  }

  #batches(keys: readonly StoredItem[], { consistent = this.#pattern.need.consistent }: ReadOptions): BuiltRequest[] {
    const { need } = this.#pattern;
    const fixed = {
      ...(need.attributes === undefined ? {} : projection(need, this.#entity)),
      ...(consistent === true ? { ConsistentRead: true } : {}),
    };
    const batches: BuiltRequest[] = [];
    for (let at = 0; at < keys.length; at += batchKeysMax) {
      const Keys = keys.slice(at, at + batchKeysMax);
      batches.push({
        operation: 'BatchGetItem',
        input: { RequestItems: { [this.#table]: { Keys, ...fixed } } },
      });
    }
    return batches;
  }

  #idOf(item: StoredItem): string {
    const { partition, sort } = this.#entity.key;
    const key = [...partition, ...sort].map(({ attribute }) => [attribute, item[attribute] ?? { NULL: true }]);
    return keyId(Object.fromEntries(key) as StoredItem);
  }
}

/** A pattern of many keys takes a list of inputs. */
function inputsOf(given: Values): readonly Values[] {
  return given as unknown as readonly Values[];
}
