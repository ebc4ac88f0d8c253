import { InputError } from '../model-error.ts';
import type { Need } from '../patterns/need.ts';
import type { PageOptions } from '../patterns/signature.ts';
import type { EntityInfo, PatternInfo, Plan, ReadPart } from '../resolve/resolved.ts';
import type { BuiltRequest, Context, InputValues } from './context.ts';
import { expiresAttribute, inputValues, takenInputs } from './input-values.ts';
import { codecOf, type Values } from './item-codec.ts';
import type { PageInput, PageReader } from './page-reader.ts';
import { isExpired, partOf } from './stored-item.ts';
import type { Runner } from './runner.ts';

export type QueryPlan = Extract<Plan, { kind: 'query' }>;

/** Reads pages of item collections and decodes them: everything about a query except where its items come from. */
export class QueryRead implements Runner {
  readonly #context: Context;
  readonly #pattern: PatternInfo;
  readonly #plan: QueryPlan;
  /** The first stream that is read, whose table is that of all. */
  readonly #entity: EntityInfo;
  readonly #reader: PageReader;
  readonly #values: InputValues;
  /** What a cursor is of: the pattern, and, since another version of the model may serve it otherwise, what its position depends on. */
  readonly #sealed: string;
  readonly #types: ReadonlyMap<string | undefined, ReadPart>;
  /** Stored name of the time to live, if an entity that is read has one and expired items are left out. */
  readonly #expires: string | undefined;

  constructor(context: Context, pattern: PatternInfo, plan: QueryPlan, reader: PageReader) {
    this.#context = context;
    this.#pattern = pattern;
    this.#plan = plan;
    // A pattern that reads nothing has no plan.
    this.#entity = (plan.parts as readonly [ReadPart])[0].entity;
    this.#reader = reader;
    this.#expires = queryExpires(pattern, plan);
    this.#values = inputValues(pattern.need);
    this.#sealed = pattern.name + JSON.stringify([plan.descending, plan.shards?.count, plan.walk?.unit]);
    this.#types = new Map(plan.parts.map((part) => [part.entity.type, part]));
  }

  request(given: Values, options: PageOptions = {}): readonly BuiltRequest[] {
    const [page, from] = this.#asked(given, options);
    return this.#reader.requests(page, from);
  }

  /** The one item, a page of the many, or the parts of a collection by name. */
  async run(given: Values, options: PageOptions = {}): Promise<unknown> {
    const { reads } = this.#pattern.need;
    const one = typeof reads === 'string';
    const { items, types, cursor } = await this.#page(given, one ? { ...options, limit: 2 } : options);
    if (Array.isArray(reads)) return { items, cursor };
    if (one) {
      if (items.length > 1) throw new InputError('more-than-one', this.#pattern.name, 'found more than one item');
      return items[0];
    }
    const result: Record<string, unknown> = { cursor };
    for (const { name = '', many } of this.#plan.parts) result[name] = many ? [] : undefined;
    items.forEach((item, i) => {
      const { name = '', many } = types[i] as ReadPart;
      if (many) (result[name] as unknown[]).push(item);
      else result[name] = item;
    });
    return result;
  }

  async #page(
    given: Values,
    options: PageOptions,
  ): Promise<{ readonly items: Values[]; readonly types: readonly ReadPart[]; readonly cursor: string | undefined }> {
    const { seal } = this.#context;
    if (options.cursor !== undefined) await seal.load();
    const [page, from] = this.#asked(given, options);
    const { input, now } = page;
    const { items, position } = await this.#reader.read(page, from);
    const kept = items.filter((item) => !isExpired(item, this.#expires, now));
    const types = kept.map((item) => partOf(item, this.#entity, this.#types, this.#pattern));
    return {
      items: kept.map((item, i) =>
        codecOf(this.#context, (types[i] as ReadPart).entity).decode(item, this.#pattern.need.attributes),
      ),
      types,
      cursor:
        position === undefined
          ? undefined
          : (await seal.load()).seal(this.#sealed, input, { now, position } satisfies PageStart),
    };
  }

  /** The page that a call asks for, and where it begins. */
  #asked(given: Values, options: PageOptions): readonly [PageInput, unknown] {
    const { need } = this.#pattern;
    const { seal, now } = this.#context;
    const input = takenInputs(need, given, this.#entity.name);
    const { now: at = now(), position } = (
      options.cursor === undefined ? {} : seal.value('cursor').open(this.#sealed, input, options.cursor)
    ) as Partial<PageStart>;
    return [{ input, values: this.#values(input), options, wanted: limitOf(need, options), now: at }, position];
  }
}

/**
 * The number of items that a page is to have.
 *
 * @throws {InputError} if it is not a whole number of at least 1.
 */
export function limitOf(need: Need, { limit = need.limit }: PageOptions): number | undefined {
  if (limit !== undefined && (!Number.isInteger(limit) || limit < 1))
    throw new InputError('bad-limit', 'limit', 'must be at least 1');
  return limit;
}

/** What a cursor holds. */
interface PageStart {
  readonly now: number;
  readonly position: unknown;
}

/** Stored name of the time to live by which a query leaves out items, if any. */
export function queryExpires({ need }: PatternInfo, { parts }: Pick<QueryPlan, 'parts'>): string | undefined {
  if (need.expired === true) return undefined;
  return parts.map(({ entity }) => expiresAttribute(entity)).find((name) => name !== undefined);
}

/** Whether the service is to filter out some of what the keys find. */
export function isFiltered(pattern: PatternInfo, plan: QueryPlan): boolean {
  return (
    plan.streams.some(({ residuals }) => residuals.length > 0) ||
    pattern.need.range !== undefined ||
    (pattern.need.filters ?? []).length > 0 ||
    queryExpires(pattern, plan) !== undefined
  );
}
