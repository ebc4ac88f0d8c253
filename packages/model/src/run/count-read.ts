import { InputError } from '../model-error.ts';
import type { PageOptions } from '../patterns/signature.ts';
import type { PatternInfo } from '../resolve/resolved.ts';
import type { StoredItem } from './attribute-value.ts';
import type { BuiltRequest, Context } from './context.ts';
import { inputValues, takenInputs } from './input-values.ts';
import type { Values } from './item-codec.ts';
import type { PageInput } from './page-reader.ts';
import type { QueryPlan } from './query.ts';
import type { Runner } from './runner.ts';
import { sideBySide, SpreadReader } from './spread-reader.ts';
import type { StreamQuery, StreamReader, StreamSource } from './stream-reader.ts';

/** Counts what a query finds, over all pages. The service reads every item, and sends none. */
export class CountRead implements Runner {
  readonly #context: Context;
  readonly #pattern: PatternInfo;
  readonly #plan: QueryPlan;
  readonly #source: StreamSource;
  readonly #reader: SpreadReader;

  constructor(source: StreamSource) {
    this.#context = source.context;
    this.#pattern = source.pattern;
    this.#plan = source.plan;
    this.#source = source;
    this.#reader = new SpreadReader(source);
  }

  request(given: Values, options: PageOptions = {}): readonly BuiltRequest[] {
    const page = this.#pageInput(given, options);
    return this.#reader.sources(page).flatMap(({ reader, page: asked }) => {
      const query = reader.query(asked, null);
      return query === undefined ? [] : [counting(query)];
    });
  }

  async run(given: Values, options: PageOptions = {}): Promise<number> {
    const page = this.#pageInput(given, options);
    const counts = await sideBySide(this.#reader.sources(page), async ({ reader, page: asked }) =>
      this.#count(reader, asked),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async #count(reader: StreamReader, page: PageInput): Promise<number> {
    let count = 0;
    let start: StoredItem | null = null;
    do {
      const query = reader.query(page, start);
      if (query === undefined) return count;
      const answer = await this.#context.send(counting(query));
      count += this.#meant(query, answer);
      start = (answer.LastEvaluatedKey as StoredItem | undefined) ?? null;
    } while (start !== null);
    return count;
  }

  /** Excluded ends are in the range that is read; only their keys identify them. */
  #meant({ without }: StreamQuery, answer: Values): number {
    if (without === undefined) return Number(answer.Count ?? 0);
    const items = (answer.Items ?? []) as StoredItem[];
    return items.filter((item) => this.#source.isLeftOut?.(item, without) !== true).length;
  }

  #pageInput(given: Values, options: PageOptions): PageInput {
    const { need } = this.#pattern;
    const [part] = this.#plan.parts;
    if (options.limit !== undefined) throw new InputError('bad-limit', 'limit', 'does not apply to a count');
    const input = takenInputs(need, given, part?.entity.name ?? '');
    const values = inputValues(need)(input);
    return { input, values, options, wanted: undefined, now: this.#context.now() };
  }
}

function counting({ request, without }: StreamQuery): BuiltRequest {
  const { input } = request;
  if (without === undefined) return { ...request, input: { ...input, Select: 'COUNT' } };
  const names = { ...(input.ExpressionAttributeNames as object), '#k': without.attribute };
  return { ...request, input: { ...input, ProjectionExpression: '#k', ExpressionAttributeNames: names } };
}
