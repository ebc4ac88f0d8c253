import type { PatternInfo, Plan, WritePlan } from '../resolve/resolved.ts';
import type { BuiltRequest, Context } from './context.ts';
import { codecOf, type ItemCodec, type Values } from './item-codec.ts';
import type { Runner } from './runner.ts';

export type PlannedWrite = Extract<Plan, { kind: 'write' }>;

/** A put that affects no other item: its request is made in one step. */
export class PlainPut implements Runner {
  readonly #context: Context;
  readonly #pattern: PatternInfo;
  readonly #plan: PlannedWrite;
  readonly #codec: ItemCodec;
  readonly #fixed: Readonly<Record<string, unknown>>;

  constructor(context: Context, pattern: PatternInfo, plan: PlannedWrite, { entity, verb }: WritePlan) {
    this.#context = context;
    this.#pattern = pattern;
    this.#plan = plan;
    this.#codec = codecOf(context, entity);
    const fixed = { TableName: context.tableName(entity.table), Item: undefined };
    const absent = {
      ConditionExpression: 'attribute_not_exists(#p)',
      ExpressionAttributeNames: { '#p': entity.key.partition[0]?.attribute },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    };
    this.#fixed = verb === 'creates' ? { ...fixed, ...absent } : fixed;
  }

  request(input: Values): [BuiltRequest] {
    return [this.#requestOf(this.#codec.parse(input))];
  }

  async run(input: Values): Promise<unknown> {
    const values = this.#codec.parse(input);
    const request = this.#requestOf(values);
    await this.#context.bringForward?.(this.#codec.entity, input);
    try {
      await this.#context.send(request);
      return values;
    } catch (error) {
      const { WriteRun } = await import('./write.ts');
      return new WriteRun(this.#context, this.#pattern, this.#plan).afterRefusal(input, error);
    }
  }

  #requestOf(values: Values): BuiltRequest {
    return { operation: 'PutItem', input: { ...this.#fixed, Item: this.#codec.encode(values) } };
  }
}

/** The one write of a plan, if it is a put that reads nothing and changes no other item. The input of a transaction has its parts by name. */
export function plainPutOf({ writes }: PlannedWrite): WritePlan | undefined {
  const [only] = writes;
  if (only === undefined || writes.length > 1 || only.many || (only.verb !== 'creates' && only.verb !== 'puts'))
    return undefined;
  const { rules, unique, parents, sequences, accepts } = only.entity;
  const alone = unique.length + parents.length + sequences.length === 0;
  const { given, takes } = only.need;
  return alone &&
    [only.part, given, takes, rules.copies, rules.lock, rules.expires, accepts?.['key-collision']].every(
      (each) => each === undefined,
    )
    ? only
    : undefined;
}
