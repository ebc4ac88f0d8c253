import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { codingOf } from '../entities/codec.ts';
import type { Entities } from '../entities/entity.ts';
import { InputError, ModelError } from '../model-error.ts';
import type { Model, Needs } from '../model.ts';
import type { Page, PageOptions, Signature, WriteOperation } from '../patterns/signature.ts';
import { resolve } from '../resolve/resolve.ts';
import type { PatternInfo, Plan } from '../resolve/resolved.ts';
import { type Context, sender } from './context.ts';
import type { Values } from './item-codec.ts';
import { Loadable } from './loadable.ts';
import type { Runner } from './runner.ts';
import type { RunWarning, SentRequest } from './watch.ts';

/** Options of a connection. */
export interface ConnectOptions {
  /** Sends the requests. Any endpoint of DynamoDB works. */
  readonly client: DynamoDBClient;
  /** Names of the tables that differ from the model's. */
  readonly tables?: { readonly [table: string]: string };
  /** Seals cursors. Use the same secret in every process that accepts them. Without one, cursors are not proof against forgery. */
  readonly secret?: string;
  /** Milliseconds since 1970; the machine's clock by default. */
  readonly now?: () => number;
  /** From 0 (inclusive) to 1 (exclusive); chooses among copies and spreads retries. */
  readonly random?: () => number;
  /** Waits between attempts. */
  readonly pause?: (milliseconds: number) => Promise<void>;
  /**
   * Called with pages that the filter left almost empty, and with items near the maximum size. It examines every item, so it is meant for tests
   * and for a part of the traffic. An error that it throws is thrown by the call.
   */
  readonly onWarning?: (warning: RunWarning) => void;
  /**
   * Called with every request that was answered or rejected, for a trace span, a log line, or a sum for each pattern. Requests then ask for
   * the consumed capacity. An error that it throws becomes an unhandled rejection, and never the outcome of the call.
   */
  readonly onRequest?: (request: SentRequest) => void;
}

/** The patterns of a model as functions. */
export type Connected<D extends Entities, P> = { readonly [K in keyof P]: Signature<D, P[K]> };

interface Connection {
  readonly context: Context;
  /** What only some of the patterns need. */
  readonly loadables: readonly Loadable<unknown>[];
}

const connections: WeakMap<object, Connection> = new WeakMap();

/**
 * Makes a model's patterns callable. The code that runs a pattern is loaded by its first call; decision 0028 says why.
 *
 * @throws {ModelError} if a pattern cannot be run as declared, with every fault.
 */
export function connect<D extends Entities, P extends Needs>(
  model: Model<D, P>,
  options: ConnectOptions,
): Connected<D, P> {
  // For each pattern, the function has the signature that its need describes: `patternFunction` selects it by the need.
  return connectWith(model, options, (context) => context) as Connected<D, P>;
}

/** Makes a model's patterns callable in a context that differs from the usual one. */
export function connectWith(model: Model, options: ConnectOptions, adapt: (context: Context) => Context): object {
  const resolved = resolve(model);
  if (resolved.problems.length > 0) throw new ModelError(resolved.problems);
  const {
    client,
    tables = {},
    secret = model.name,
    now = Date.now,
    random = Math.random,
    pause = sleep,
    onWarning,
    onRequest,
  } = options;
  const seal = new Loadable(async () => new (await import('./cursor.ts')).CursorSeal(secret));
  const evaluator = new Loadable(async () => import('./residual-tests.ts'));
  const context = adapt({
    resolved,
    seal,
    evaluator,
    now,
    random,
    pause,
    codecs: new Map(),
    tableName: ({ name }) => tables[name] ?? name,
    send: onWarning || onRequest ? watcher(sender(client), options) : sender(client),
  });
  const conditional = [...resolved.entities.values()].some(
    ({ indexes, rules }) => rules.computed ?? indexes.some(({ forms }) => forms.some(({ when }) => when)),
  );
  const coded = [...resolved.entities.values()].some(({ attributes }) =>
    [...attributes.values()].some(({ schema }) => codingOf(schema)),
  );
  const functions: Record<string, unknown> = {};
  const loadables: Loadable<unknown>[] = [seal];
  for (const pattern of resolved.patterns.values()) {
    // A model without faults has a plan for each.
    const plan = pattern.plan as Plan;
    const runner = new Loadable(async () => {
      // A get tests the item if its key does not settle all of the input.
      if (conditional || pattern.need.filters || ('residuals' in plan && plan.residuals[0])) await evaluator.load();
      const send: Context['send'] = (request) => context.send(request, pattern.name);
      const plain = await loadRunner(onRequest ? { ...context, send } : context, pattern, plan);
      // The parts of a transaction may take coded values, and it loads the code anyway.
      return coded || pattern.need.transacts || Object.values(pattern.need.takes ?? {}).some(codingOf)
        ? (await import('./coded.ts')).coded(resolved, pattern, plain)
        : plain;
    });
    loadables.push(runner);
    functions[pattern.name] = patternFunction(pattern, runner);
  }
  connections.set(functions, { context, loadables });
  return functions;
}

/**
 * A connection with all of its code loaded. Code that a model does not use is never loaded; the rest is loaded by the first call. After
 * `await ready(db)` no call waits for code, and `request` works for every pattern.
 */
export async function ready<Db extends object>(db: Db): Promise<Db> {
  await Promise.all(connectionOf(db).loadables.map(async (loadable) => loadable.load()));
  return db;
}

/**
 * Writes several operations, all or none: `transact(db, [db.a.op({...}), db.b.op({...})])`.
 *
 * @throws {RuleError} naming the entity and the rule of each part that was rejected.
 */
export async function transact(db: object, operations: readonly WriteOperation[]): Promise<void> {
  const context = contextOf(db);
  await context.evaluator.load();
  await (await import('./write.ts')).transactOperations(context, operations);
}

/** The context of a connection, for the package's other entries. */
export function contextOf(db: object): Context {
  return connectionOf(db).context;
}

function connectionOf(db: object): Connection {
  const connection = connections.get(db);
  if (connection === undefined) throw new InputError('not-connected', 'db', 'was not returned by connect()');
  return connection;
}

/** Loads the runner of a pattern. */
async function loadRunner(context: Context, pattern: PatternInfo, plan: Plan): Promise<Runner> {
  switch (plan.kind) {
    case 'get':
      return new (await import('./read-item.ts')).ItemRead(
        context,
        pattern,
        plan,
        pattern.need.attributes && (await import('./projection.ts')),
      );
    case 'batch-get':
      return new (await import('./batch-read.ts')).BatchRead(context, pattern, plan);
    case 'query':
      return (await import('./query-runner.ts')).queryRunner(context, pattern, plan);
    case 'scan':
      return new (await import('./scan.ts')).ScanRead(context, pattern, plan);
    case 'write':
      return (await import('./write-runner.ts')).writeRunner(context, pattern, plan);
  }
}

type PatternCall = (input: Values, options?: PageOptions) => Promise<unknown>;

function patternFunction({ name, need }: PatternInfo, runner: Loadable<Runner>): unknown {
  const run: PatternCall = async (input, options) => (runner.loaded ?? (await runner.load())).run(input, options);
  const request: Runner['request'] = (input, options) => runner.value(name).request(input, options);
  if (need.reads === undefined)
    return Object.assign(run, { request, op: (input: Values) => ({ pattern: name, input }) });
  return Object.assign(run, Array.isArray(need.reads) ? { request, each: eachOf(run) } : { request });
}

function eachOf(run: PatternCall): (input: Values, options?: PageOptions) => AsyncGenerator<Values> {
  return async function* each(input, options = {}) {
    let { cursor } = options;
    do {
      const page = (await run(input, { ...options, cursor })) as Page<Values>;
      yield* page.items;
      ({ cursor } = page);
    } while (cursor !== undefined);
  };
}

function watcher(plain: Context['send'], options: ConnectOptions): Context['send'] {
  const send = new Loadable(async () => (await import('./watch.ts')).watched(plain, options));
  return async (...sent) => (send.loaded ?? (await send.load()))(...sent);
}

async function sleep(milliseconds: number): Promise<void> {
  await new Promise((resume) => setTimeout(resume, milliseconds));
}
