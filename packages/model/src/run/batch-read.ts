import { InputError } from '../model-error.ts';
import type { ReadOptions } from '../patterns/signature.ts';
import type { EntityInfo, PatternInfo, Plan, Residual } from '../resolve/resolved.ts';
import type { StoredItem } from './attribute-value.ts';
import { backOff } from './back-off.ts';
import type { BuiltRequest, Context } from './context.ts';
import { itemProjection } from './projection.ts';
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
  readonly #residuals: readonly Residual[];

  constructor(context: Context, pattern: PatternInfo, { part, residuals }: Extract<Plan, { kind: 'batch-get' }>) {
    this.#context = context;
    this.#pattern = pattern;
    this.#entity = part.entity;
    this.#table = context.tableName(part.entity.table);
    this.#residuals = residuals;
    this.#one = new ItemRead(context, pattern, { part, parts: [part], residuals });
  }

  request(given: Values, options: ReadOptions = {}): BuiltRequest[] {
    return this.#requestsFor(
      inputsOf(given).map((input) => this.#one.key(input)),
      options,
    );
  }

  #requestsFor(keys: readonly StoredItem[], options: ReadOptions): BuiltRequest[] {
    return this.#batches([...new Map(keys.map((key) => [keyId(key), key])).values()], options);
  }

  /** Items in the order of the inputs. Unprocessed keys are requested again. */
  async run(given: Values, options: ReadOptions = {}): Promise<(Values | undefined)[]> {
    const inputs = inputsOf(given);
    await Promise.all(inputs.map(async (input) => this.#one.bringForward(input)));
    const found = new Map<string, StoredItem>();
    // Once, because for items with copies each call chooses one.
    const keys = inputs.map((input) => this.#one.key(input));
    let pending = this.#requestsFor(keys, options);
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
    return inputs.map((input, i) => this.#one.decode(found.get(keyId(keys[i] as StoredItem)), input)?.item);
  }

  #batches(keys: readonly StoredItem[], { consistent = this.#pattern.need.consistent }: ReadOptions): BuiltRequest[] {
    const { need } = this.#pattern;
    const fixed = {
      ...(need.attributes === undefined ? {} : itemProjection(need, this.#entity, this.#residuals)),
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

/**
 * A pattern of many keys takes a list of inputs.
 *
 * @throws {InputError} for anything else.
 */
function inputsOf(given: Values): readonly Values[] {
  if (Array.isArray(given)) return given as readonly Values[];
  throw new InputError('not-a-list', 'input', 'must be a list of inputs');
}
