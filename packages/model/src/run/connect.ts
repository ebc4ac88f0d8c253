import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Entities } from '../entities/entity.ts';
import { InputError, ModelError } from '../model-error.ts';
import type { Model, Needs } from '../model.ts';
import type { PageOptions, ReadOptions, Signature, WriteOperation } from '../patterns/signature.ts';
import { resolve } from '../resolve/resolve.ts';
import type { PatternInfo, Plan } from '../resolve/resolved.ts';
import { codecs, type Context, sender } from './context.ts';
import { CursorSeal } from './cursor.ts';
import type { Values } from './item-codec.ts';
import { QueryRead } from './query.ts';
import { ItemRead } from './read-item.ts';
import { ScanRead } from './scan.ts';
import { type TaskOperation, transactTasks, WriteRun } from './write.ts';

/** Options of a connection. */
export interface ConnectOptions {
  readonly client: DynamoDBClient;
  /** Names of the tables where they differ from the model's. */
  readonly tables?: { readonly [table: string]: string };
  /** Seals cursors. The same for every process that serves them; without one they are not proof against forgery. */
  readonly secret?: string;
  /** Milliseconds since 1970; the machine's clock by default. */
  readonly now?: () => number;
  /** From 0 up to 1; chooses among copies and spreads retries. */
  readonly random?: () => number;
  /** Waits between attempts. */
  readonly pause?: (milliseconds: number) => Promise<void>;
}

/** The patterns of a model as functions. */
export type Connected<D extends Entities, P> = { readonly [K in keyof P]: Signature<D, P[K]> };

const contexts: WeakMap<object, Context> = new WeakMap();

/**
 * Makes a model's patterns callable.
 *
 * @throws {ModelError} if a pattern cannot be run as declared, with every fault found.
 */
export function connect<D extends Entities, P extends Needs>(
  model: Model<D, P>,
  options: ConnectOptions,
): Connected<D, P> {
  // The functions have, for each pattern, the signature that its need describes: that is what `patternFunction` decides on.
  return connectWith(model, options, (context) => context) as Connected<D, P>;
}

/** Makes a model's patterns callable in a context that differs from the usual one. */
export function connectWith(model: Model, options: ConnectOptions, adapt: (context: Context) => Context): object {
  const resolved = resolve(model);
  if (resolved.problems.length > 0) throw new ModelError(resolved.problems);
  const { client, tables = {}, secret = model.name, now = Date.now, random = Math.random, pause = sleep } = options;
  const context = adapt({
    resolved,
    seal: new CursorSeal(secret),
    now,
    random,
    pause,
    codec: codecs(),
    tableName: ({ name }) => tables[name] ?? name,
    send: sender(client),
  });
  const functions: Record<string, unknown> = {};
  for (const pattern of resolved.patterns.values()) {
    if (pattern.plan !== undefined) functions[pattern.name] = patternFunction(context, pattern, pattern.plan);
  }
  contexts.set(functions, context);
  return functions;
}

/**
 * Writes several operations, all or none: `transact(db, [db.a.op({...}), db.b.op({...})])`.
 *
 * @throws {RuleError} naming the entity and the rule of each part that was refused.
 */
export async function transact(db: object, operations: readonly WriteOperation[]): Promise<void> {
  const context = contextOf(db);
  const tasks = operations.flatMap((operation, i) => {
    const { tasks: own } = operation as TaskOperation;
    return own.map((task) => ({
      ...task,
      plan: { ...task.plan, part: task.plan.part ?? `${i}:${operation.pattern}` },
    }));
  });
  await transactTasks(context, operations.map(({ pattern }) => pattern).join(' + '), tasks);
}

/** The context of a connection, for the package's other entries. */
export function contextOf(db: object): Context {
  const context = contexts.get(db);
  if (context === undefined) throw new InputError('not-connected', 'db', 'is not what connect() returned');
  return context;
}

function patternFunction(context: Context, pattern: PatternInfo, plan: Plan): unknown {
  switch (plan.kind) {
    case 'get': {
      const read = new ItemRead(context, pattern, plan);
      const run = async (input: Values, options?: ReadOptions): Promise<unknown> => read.read(input, options);
      return Object.assign(run, { request: (input: Values, options?: ReadOptions) => [read.request(input, options)] });
    }
    case 'batch-get': {
      const read = new ItemRead(context, pattern, plan);
      const run = async (inputs: readonly Values[], options?: ReadOptions): Promise<unknown> =>
        read.readEach(inputs, options);
      return Object.assign(run, { request: (inputs: readonly Values[]) => read.requests(inputs) });
    }
    case 'query':
      return queryFunction(new QueryRead(context, pattern, plan), pattern);
    case 'scan': {
      const scan = new ScanRead(context, pattern, plan);
      const page = async (input: Values, options?: PageOptions): ReturnType<ScanRead['page']> =>
        scan.page(input ?? {}, options);
      const request = (input: Values, options?: PageOptions): unknown => [scan.request(input ?? {}, options)];
      return Object.assign(page, { request, each: eachOf(page) });
    }
    case 'write': {
      const write = new WriteRun(context, pattern, plan);
      const run = async (input: Values): Promise<unknown> => write.run(input);
      const op = (input: Values): TaskOperation => ({ pattern: pattern.name, input, tasks: write.tasks(input) });
      return Object.assign(run, { request: (input: Values) => write.requests(input), op });
    }
  }
}

function queryFunction(query: QueryRead, { need, name }: PatternInfo): unknown {
  const request = (input: Values, options?: PageOptions): unknown => query.requests(input, options);
  const page = async (
    input: Values,
    options?: PageOptions,
  ): Promise<{ items: Values[]; cursor: string | undefined }> => {
    const { items, cursor } = await query.page(input, options);
    return { items, cursor };
  };
  if (Array.isArray(need.reads)) return Object.assign(page, { request, each: eachOf(page) });
  if (typeof need.reads === 'object') {
    const collection = async (input: Values, options?: PageOptions): Promise<unknown> =>
      query.collection(input, options);
    return Object.assign(collection, { request });
  }
  const one = async (input: Values, options?: ReadOptions): Promise<unknown> => {
    const { items } = await query.page(input, { ...options, limit: 2 });
    if (items.length > 1)
      throw new InputError('more-than-one', name, 'found several items where the pattern reads one');
    return items[0];
  };
  return Object.assign(one, { request });
}

function eachOf(
  page: (
    input: Values,
    options?: PageOptions,
  ) => Promise<{ readonly items: Values[]; readonly cursor: string | undefined }>,
): (input: Values, options?: PageOptions) => AsyncGenerator<Values> {
  return async function* each(input, options = {}) {
    let { cursor } = options;
    do {
      const read = await page(input, { ...options, cursor });
      yield* read.items;
      ({ cursor } = read);
    } while (cursor !== undefined);
  };
}

async function sleep(milliseconds: number): Promise<void> {
  await new Promise((resume) => setTimeout(resume, milliseconds));
}
