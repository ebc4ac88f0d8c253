import type { PageOptions } from '../patterns/signature.ts';
import type { PatternInfo, Plan } from '../resolve/resolved.ts';
import type { StoredItem } from './attribute-value.ts';
import type { BuiltRequest, Context } from './context.ts';
import { Expression } from './expression.ts';
import { storedText } from './filter.ts';
import { expiresAttribute, takenInputs } from './input-values.ts';
import { projectedNames } from './projection.ts';
import { codecOf, type Values } from './item-codec.ts';
import { limitOf } from './query.ts';
import { isExpired } from './stored-item.ts';
import { residualTests } from './residual-tests.ts';
import type { Runner } from './runner.ts';

type ScanPlan = Extract<Plan, { kind: 'scan' }>;

/** Reads a sparse index, or a small table, page by page. */
export class ScanRead implements Runner {
  readonly #context: Context;
  readonly #pattern: PatternInfo;
  readonly #plan: ScanPlan;

  constructor(context: Context, pattern: PatternInfo, plan: ScanPlan) {
    this.#context = context;
    this.#pattern = pattern;
    this.#plan = plan;
  }

  request(input: Values | undefined, options?: PageOptions): BuiltRequest[] {
    return [this.#request(input ?? {}, options)];
  }

  #request(given: Values, options: PageOptions = {}, start?: StoredItem): BuiltRequest {
    const { place, part, residuals } = this.#plan;
    const { entity } = part;
    const { need } = this.#pattern;
    const limit = limitOf(need, options);
    const input = takenInputs(need, given, entity.name);
    const expression = new Expression();
    const scope = { stored: (name: string) => codecOf(this.#context, entity).stored(name), input };
    const { typeAttribute } = entity.table;
    const tests = [
      ...(typeAttribute === undefined
        ? []
        : [`${expression.name(typeAttribute)} = ${expression.value({ S: entity.type })}`]),
      ...residualTests(need, residuals)(part, input).map((test) => storedText(expression, test, scope, entity)),
    ];
    const request: Record<string, unknown> = { TableName: this.#context.tableName(entity.table) };
    if (place.kind !== 'table') request.IndexName = place.name;
    if (limit !== undefined) request.Limit = limit;
    if (start !== undefined) request.ExclusiveStartKey = start;
    if (options.consistent ?? need.consistent ?? false) request.ConsistentRead = true;
    if (tests.length > 0) request.FilterExpression = tests.join(' AND ');
    if (need.attributes !== undefined) {
      request.ProjectionExpression = projectedNames(need, entity, residuals)
        .map((name) => expression.name(name))
        .join(', ');
    }
    return { operation: 'Scan', input: Object.assign(request, expression.attributes()) };
  }

  async run(
    given: Values | undefined,
    options: PageOptions = {},
  ): Promise<{ readonly items: Values[]; readonly cursor: string | undefined }> {
    const { seal, now } = this.#context;
    const { name } = this.#pattern;
    const input = given ?? {};
    const { cursor } = options;
    const start = cursor === undefined ? undefined : ((await seal.load()).open(name, input, cursor) as StoredItem);
    const { Items, LastEvaluatedKey } = await this.#context.send(this.#request(input, options, start));
    const { entity } = this.#plan.part;
    const expires = this.#pattern.need.expired === true ? undefined : expiresAttribute(entity);
    const live = ((Items ?? []) as StoredItem[]).filter((item) => !isExpired(item, expires, now()));
    return {
      items: live.map((item) => codecOf(this.#context, entity).decode(item, this.#pattern.need.attributes)),
      cursor: LastEvaluatedKey === undefined ? undefined : (await seal.load()).seal(name, input, LastEvaluatedKey),
    };
  }
}
