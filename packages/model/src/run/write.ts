import { InputError } from '../model-error.ts';
import type { WriteOperation } from '../patterns/signature.ts';
import type { EntityInfo, PatternInfo, SequenceInfo } from '../resolve/resolved.ts';
import { action, type Action, actionId, ActionList, mustExist, singleRequest, transactionRequest } from './action.ts';
import type { StoredItem } from './attribute-value.ts';
import { backOff } from './back-off.ts';
import type { Answer, BuiltRequest, Context } from './context.ts';
import { takenInputs } from './input-values.ts';
import { codecOf, type Values } from './item-codec.ts';
import type { PlannedWrite } from './put.ts';
import { typeOfItem } from './stored-item.ts';
import { RuleError, type RuleFailure, UnprocessedError } from './rule-error.ts';
import type { Runner } from './runner.ts';
import { parentKey, writeActions, type WriteTask } from './write-actions.ts';

const actionsMax = 100;
const batchItemsMax = 25;
const attemptsMax = 8;

/** What a decided write does: its actions, and the items it creates, by part. */
interface Decided {
  readonly list: ActionList;
  readonly created: ReadonlyMap<string | undefined, Record<string, unknown>[]>;
}

/** Runs a write: decides its actions, sends them as one request, and decides again where it lost a race. */
export class WriteRun implements Runner {
  readonly #context: Context;
  readonly #pattern: PatternInfo;
  readonly #plan: PlannedWrite;

  constructor(context: Context, pattern: PatternInfo, plan: PlannedWrite) {
    this.#context = context;
    this.#pattern = pattern;
    this.#plan = plan;
  }

  /** The first requests for an input. Where the write reads or counts first, that is what is shown. */
  request(input: Values): BuiltRequest[] {
    const tasks = this.#tasks(input);
    const first = [
      ...tasks.flatMap((task) => this.#sequenceRequests(task)),
      ...tasks.flatMap((task) => this.#readRequests(task)),
    ];
    if (first.length > 0) return first;
    if (this.#batched()) return this.#batches(tasks);
    return [requestOf(this.#context, decide(this.#context, tasks).list)];
  }

  async run(input: Values): Promise<unknown> {
    if (this.#batched()) {
      const items = await this.#putAll(this.#tasks(input));
      const [only] = this.#plan.writes;
      return only?.many === true && only.verb !== 'deletes' ? items : items[0];
    }
    const { decided, answer } = await runTasks(this.#context, this.#pattern.name, this.#tasks(input));
    return this.#result(decided, answer);
  }

  /** What a write comes to whose first request was refused: it is decided again, or the error that it ends with. */
  async afterRefusal(input: Values, error: unknown): Promise<unknown> {
    const tasks = this.#tasks(input);
    const refusal = refusalOf(this.#context, this.#pattern.name, decide(this.#context, tasks).list.actions, error);
    if (refusal?.again !== true) throw refusal?.error ?? error;
    const { decided, answer } = await runTasks(this.#context, this.#pattern.name, tasks);
    // It was decided anew: what is returned is what was written then.
    return this.#result(decided, answer);
  }

  #result({ created }: Decided, answer: Answer | undefined): unknown {
    const [only] = this.#plan.writes;
    if (only === undefined || this.#pattern.need.transacts !== undefined) return undefined;
    const items = created.get(undefined) ?? [];
    if (only.verb === 'creates' || only.verb === 'puts') return only.many ? items : items[0];
    const stored = answer?.Attributes as StoredItem | undefined;
    return only.need.returns === undefined || stored === undefined
      ? undefined
      : codecOf(this.#context, only.entity).decode(stored);
  }

  #tasks(input: Values): WriteTask[] {
    return tasksOf(this.#plan, input);
  }

  #batched(): boolean {
    return this.#plan.operations.at(-1) === 'BatchWriteItem';
  }

  #sequenceRequests({ plan, input }: WriteTask): BuiltRequest[] {
    if (plan.verb !== 'creates') return [];
    return plan.entity.sequences.map((sequence) =>
      singleRequest(this.#context, sequenceAction(this.#context, sequence, input)),
    );
  }

  #readRequests({ plan, input }: WriteTask): BuiltRequest[] {
    return plan.readsFirst ? [readRequest(this.#context, plan.entity, input)] : [];
  }

  #batches(tasks: readonly WriteTask[]): BuiltRequest[] {
    const { list } = decide(this.#context, tasks);
    const table = this.#context.tableName(tasks[0]?.plan.entity.table ?? raise());
    const actions = list.actions.map(({ kind, key, item }) =>
      kind === 'delete' ? { DeleteRequest: { Key: key } } : { PutRequest: { Item: item } },
    );
    return chunks(actions).map((requests) => batchRequest(table, requests));
  }

  /** Writes in batches; what was not processed is sent again. */
  async #putAll(tasks: readonly WriteTask[]): Promise<Record<string, unknown>[]> {
    if (tasks.length === 0) return [];
    await bringForward(this.#context, tasks);
    let pending = this.#batches(tasks);
    for (let attempt = 0; pending.length > 0; attempt++) {
      if (attempt > 0) await backOff(this.#context, attempt);
      const left: object[] = [];
      for (const request of pending) {
        const { UnprocessedItems = {} } = await this.#context.send(request);
        left.push(...Object.values(UnprocessedItems as Record<string, object[]>).flat());
      }
      if (left.length > 0 && attempt === attemptsMax) throw new UnprocessedError(this.#pattern.name, left.length);
      const [table = ''] = Object.keys(pending[0]?.input.RequestItems ?? {});
      pending = chunks(left).map((requests) => batchRequest(table, requests));
    }
    const written = tasks.filter(({ plan }) => plan.verb !== 'deletes');
    return written.map(({ plan, input }) => codecOf(this.#context, plan.entity).parse(input));
  }
}

/** The writes of a plan, one for each item. */
function tasksOf({ writes }: PlannedWrite, input: Values): WriteTask[] {
  return writes.flatMap((plan) => {
    const own = plan.part === undefined ? input : (input[plan.part] as Values | undefined);
    if (own === undefined) throw new InputError('missing-input', plan.part ?? '', 'is needed and missing');
    const items = plan.many ? (own as unknown as readonly Values[]) : [own];
    return items.map((item) => ({ plan, input: takenInputs(plan.need, item, plan.entity.name), old: undefined }));
  });
}

/** The writes that an operation of a pattern stands for. */
export function operationTasks({ resolved }: Context, { pattern, input }: WriteOperation): WriteTask[] {
  const plan = resolved.patterns.get(pattern)?.plan;
  if (plan?.kind !== 'write') throw new InputError('no-write', pattern, 'is no pattern of the model that writes');
  return tasksOf(plan, input);
}

/** Runs operations of any patterns as one transaction. */
export async function transactOperations(context: Context, operations: readonly WriteOperation[]): Promise<void> {
  const tasks = operations.flatMap((operation, i) =>
    operationTasks(context, operation).map((task) => ({
      ...task,
      plan: { ...task.plan, part: task.plan.part ?? `${i}:${operation.pattern}` },
    })),
  );
  await runTasks(context, operations.map(({ pattern }) => pattern).join(' + '), tasks);
}

/** Runs several writes as one transaction. */
export async function transactTasks(context: Context, name: string, tasks: readonly WriteTask[]): Promise<void> {
  await runTasks(context, name, tasks);
}

/**
 * Reads what has to be read, decides, sends. A race lost to another writer (an item that changed since it was read, a
 * transaction conflict) is decided again from the start, at most eight times.
 */
async function runTasks(
  context: Context,
  name: string,
  tasks: readonly WriteTask[],
): Promise<{ readonly decided: Decided; readonly answer: Answer | undefined }> {
  await bringForward(context, tasks);
  if (tasks.some(takesNumbers)) rehearse(context, tasks);
  const numbered = await Promise.all(tasks.map(async (task) => takeNumbers(context, name, task)));
  const dropped = new Set<string>();
  for (let attempt = 0; ; attempt++) {
    if (attempt > 0) await backOff(context, attempt);
    const known = await Promise.all(numbered.map(async (task) => readFirst(context, task)));
    const decided = decide(context, known);
    decided.list.drop(dropped);
    if (decided.list.actions.length === 0) return { decided, answer: undefined };
    try {
      return { decided, answer: await context.send(requestOf(context, decided.list)) };
    } catch (error) {
      const refusal = refusalOf(context, name, decided.list.actions, error);
      if (refusal === undefined) throw error;
      for (const key of refusal.drop) dropped.add(key);
      if (!refusal.again || attempt === attemptsMax) throw refusal.error;
    }
  }
}

/** While a migration runs, what a write is about to change has to be in its new form. */
async function bringForward({ bringForward: bring }: Context, tasks: readonly WriteTask[]): Promise<void> {
  if (bring !== undefined) await Promise.all(tasks.map(async ({ plan, input }) => bring(plan.entity, input)));
}

function decide(context: Context, tasks: readonly WriteTask[]): Decided {
  const list = new ActionList();
  const created = new Map<string | undefined, Record<string, unknown>[]>();
  for (const task of tasks) {
    const item = writeActions(context, list, task);
    if (item === undefined) continue;
    const known = created.get(task.plan.part) ?? [];
    created.set(task.plan.part, [...known, item]);
  }
  return { list, created };
}

function requestOf(context: Context, { actions }: ActionList): BuiltRequest {
  const [only] = actions;
  if (only !== undefined && actions.length === 1) return singleRequest(context, only);
  if (actions.length > actionsMax) {
    throw new InputError(
      'too-many-actions',
      'transaction',
      `has ${actions.length} actions; the service takes ${actionsMax}`,
    );
  }
  return transactionRequest(context, actions);
}

function takesNumbers({ plan }: WriteTask): boolean {
  return plan.verb === 'creates' && plan.entity.sequences.length > 0;
}

/**
 * Decides what can be decided without reading, with a number that stands for those that are taken next: input that is refused
 * must not cost one.
 */
function rehearse(context: Context, tasks: readonly WriteTask[]): void {
  for (const task of tasks) {
    if (task.plan.readsFirst) continue;
    const numbers = takesNumbers(task)
      ? Object.fromEntries(task.plan.entity.sequences.map(({ attribute }) => [attribute, 1]))
      : {};
    writeActions(context, new ActionList(), { ...task, input: { ...task.input, ...numbers } });
  }
}

/** Takes sequence numbers from their parents. A number whose item is then not written is lost, never given out again. */
async function takeNumbers(context: Context, name: string, task: WriteTask): Promise<WriteTask> {
  const { plan, input } = task;
  if (!takesNumbers(task)) return task;
  const numbers: Record<string, number> = {};
  for (const sequence of plan.entity.sequences) {
    numbers[sequence.attribute] = await takeNumber(context, name, sequence, input);
  }
  return { ...task, input: { ...input, ...numbers } };
}

/** The next number of a sequence. Another writer's transaction on the parent is waited for, as often as for any write. */
async function takeNumber(context: Context, name: string, sequence: SequenceInfo, input: Values): Promise<number> {
  const update = sequenceAction(context, sequence, input);
  const counter = codecOf(context, update.entity).stored(sequence.counter);
  const request = singleRequest(context, update);
  for (let attempt = 0; ; attempt++) {
    if (attempt > 0) await backOff(context, attempt);
    try {
      const { Attributes } = await context.send({
        ...request,
        input: { ...request.input, ReturnValues: 'UPDATED_NEW' },
      });
      return Number((Attributes as StoredItem | undefined)?.[counter]?.N);
    } catch (error) {
      const refusal = refusalOf(context, name, [update], error);
      if (refusal === undefined) throw error;
      if (!refusal.again || attempt === attemptsMax) throw refusal.error;
    }
  }
}

function sequenceAction(context: Context, { parent, counter }: SequenceInfo, input: Values): Action {
  const { entity, key } = parentKey(context, parent, input);
  if (entity === undefined || key === undefined) {
    throw new InputError(
      'missing-input',
      parent.by.map(([, child]) => child).join(', '),
      `names the ${parent.entity} and is missing`,
    );
  }
  const update = action('update', entity, key, { code: 'parent-missing', entity: entity.name });
  update.adds.set(update.expression.name(codecOf(context, entity).stored(counter)), 1);
  mustExist(update);
  return update;
}

async function readFirst(context: Context, task: WriteTask): Promise<WriteTask> {
  const { plan, input } = task;
  if (!plan.readsFirst) return task;
  const { Item } = await context.send(readRequest(context, plan.entity, input));
  if (Item !== undefined) return { ...task, old: codecOf(context, plan.entity).decode(Item as StoredItem) };
  return task;
}

function readRequest(context: Context, entity: EntityInfo, input: Values): BuiltRequest {
  const values = entity.rules.copies === undefined ? input : { ...input, copy: 1 };
  const Key = codecOf(context, entity).key(values);
  return { operation: 'GetItem', input: { TableName: context.tableName(entity.table), Key, ConsistentRead: true } };
}

/** A refused write. `again`: a race was lost. `drop`: ids of actions to leave out then. */
interface Refusal {
  readonly error: RuleError;
  readonly again: boolean;
  readonly drop: readonly string[];
}

/** What a refusal means; undefined for errors that are none of the rules' business. */
function refusalOf(context: Context, name: string, actions: readonly Action[], error: unknown): Refusal | undefined {
  const {
    name: kind,
    Item,
    CancellationReasons,
  } = error as {
    name?: string;
    Item?: StoredItem;
    CancellationReasons?: readonly { Code?: string; Item?: StoredItem }[];
  };
  const reasons =
    kind === 'ConditionalCheckFailedException' ? [{ Code: 'ConditionalCheckFailed', Item }] : CancellationReasons;
  if (reasons === undefined) return kind === 'TransactionConflictException' ? busy(name, actions, error) : undefined;
  if (reasons.some(({ Code }) => Code !== undefined && !refusals.has(Code))) return undefined;
  const failed = actions.flatMap((each, i) => {
    const reason = reasons[i];
    return reason?.Code === 'ConditionalCheckFailed' ? [{ each, failure: failureOf(context, each, reason.Item) }] : [];
  });
  const [first, ...rest] = failed.map(({ failure }) => failure);
  if (first === undefined) return busy(name, actions, error);
  const drop = failed.flatMap(({ each }) => (each.rule.droppable === true ? [actionId(each)] : []));
  const lost = failed.filter(
    ({ each, failure: { code, item } }) =>
      each.rule.optimistic === true &&
      code === 'condition-failed' &&
      (item === undefined || each.isAsRead?.(item) !== true),
  );
  const again = lost.length + drop.length === failed.length;
  return { error: new RuleError(name, [first, ...rest], error), again, drop };
}

const refusals: ReadonlySet<string> = new Set(['None', 'ConditionalCheckFailed', 'TransactionConflict']);

function busy(name: string, actions: readonly Action[], error: unknown): Refusal {
  return {
    error: new RuleError(name, [{ code: 'busy', entity: actions[0]?.entity.name ?? '' }], error),
    again: true,
    drop: [],
  };
}

function failureOf(context: Context, { rule, entity, kind }: Action, stored: StoredItem | undefined): RuleFailure {
  const { code, attribute, part, version } = rule;
  const absent = stored === undefined && kind !== 'put' && code === 'condition-failed' && attribute === undefined;
  const stale = stored !== undefined && version !== undefined && stored[version.stored]?.N !== version.expected;
  const own = stored !== undefined && typeOfItem(stored, entity) === entity.type;
  return {
    code: absent ? 'not-found' : stale ? 'stale-version' : code,
    entity: rule.entity,
    ...(attribute === undefined ? {} : { attribute }),
    ...(part === undefined ? {} : { part }),
    ...(own ? { item: codecOf(context, entity).decode(stored) } : {}),
  };
}

function batchRequest(table: string, requests: readonly object[]): BuiltRequest {
  return { operation: 'BatchWriteItem', input: { RequestItems: { [table]: requests } } };
}

function chunks<T>(items: readonly T[]): T[][] {
  const result: T[][] = [];
  for (let at = 0; at < items.length; at += batchItemsMax) result.push(items.slice(at, at + batchItemsMax));
  return result;
}

function raise(): never {
  throw new InputError('no-items', 'batch', 'has no items');
}
