import type { ReadOptions } from '../patterns/signature.ts';
import type { EntityInfo, PatternInfo, Plan, ReadPart } from '../resolve/resolved.ts';
import { sharesKey } from '../resolve/slots.ts';
import type { StoredItem } from './attribute-value.ts';
import type { BuiltRequest, Context, InputValues } from './context.ts';
import { expiresAttribute, inputValues } from './input-values.ts';
import { codecOf, type Values } from './item-codec.ts';
import type { Projections } from './projection.ts';
import type { ItemTest } from './residual-tests.ts';
import type { Runner } from './runner.ts';
import { isExpired, partOf, typeOfItem } from './stored-item.ts';

/** Reads one item by its key. */
export class ItemRead implements Runner {
  readonly #context: Context;
  readonly #pattern: PatternInfo;
  readonly #entity: EntityInfo;
  readonly #values: InputValues;
  readonly #tableName: string;
  readonly #fixed: Readonly<Record<string, unknown>> | undefined;
  /** The entities that may be under the key, by type. */
  readonly #parts: ReadonlyMap<string | undefined, ReadPart>;
  /** The tests of a part's item besides its key, applied after the read. */
  readonly #meets: ItemTest | undefined;

  constructor(
    context: Context,
    pattern: PatternInfo,
    { part, parts, residuals }: Pick<Extract<Plan, { kind: 'get' }>, 'part' | 'parts' | 'residuals'>,
    projections?: Projections,
  ) {
    this.#context = context;
    this.#pattern = pattern;
    this.#entity = part.entity;
    this.#values = inputValues(pattern.need);
    this.#tableName = context.tableName(part.entity.table);
    this.#parts = new Map(parts.map((each) => [each.entity.type, each]));
    this.#meets = context.evaluator.loaded?.itemTest(pattern.need, residuals);
    this.#fixed = projections?.itemProjection(pattern.need, part.entity, residuals);
  }

  request(input: Values, { consistent = this.#pattern.need.consistent }: ReadOptions = {}): [BuiltRequest] {
    const request: Record<string, unknown> = { TableName: this.#tableName, Key: this.key(input), ...this.#fixed };
    if (consistent === true) request.ConsistentRead = true;
    return [{ operation: 'GetItem', input: request }];
  }

  async run(input: Values, options?: ReadOptions): Promise<unknown> {
    await this.bringForward(input);
    const { Item } = await this.#context.send(this.request(input, options)[0]);
    const found = this.decode(Item as StoredItem | undefined, input);
    const { reads } = this.#pattern.need;
    if (typeof reads !== 'object') return found?.item;
    const result: Record<string, unknown> = { cursor: undefined };
    for (const name in reads as object) result[name] = name === found?.name ? found.item : undefined;
    return result;
  }

  /** During a migration, an item is converted to its new form before it is read. */
  async bringForward(input: Values): Promise<void> {
    await this.#context.bringForward?.(this.#entity, this.#values(input));
  }

  /** The key that an input identifies, or that of one of the copies if there are several. */
  key(input: Values): StoredItem {
    const { copies } = this.#entity.rules;
    const values = this.#values(input);
    return codecOf(this.#context, this.#entity).key(
      copies === undefined ? values : { ...values, copy: 1 + Math.floor(this.#context.random() * copies) },
    );
  }

  /** The item that was found, and the name of its part. An item that does not match the input is not the requested one. */
  decode(
    item: StoredItem | undefined,
    input: Values,
  ): { readonly item: Values; readonly name: string | undefined } | undefined {
    if (item === undefined) return undefined;
    // An item of another entity that may have this key is not the requested one.
    if (sharesKey(this.#entity) && !this.#parts.has(typeOfItem(item, this.#entity))) return undefined;
    const { need } = this.#pattern;
    const part = partOf(item, this.#entity, this.#parts, this.#pattern);
    const codec = codecOf(this.#context, part.entity);
    if (need.expired !== true && isExpired(item, expiresAttribute(part.entity), this.#context.now())) return undefined;
    if (this.#meets?.(part, () => codec.decode(item), input) === false) return undefined;
    return { item: codec.decode(item, need.attributes), name: part.name };
  }
}
