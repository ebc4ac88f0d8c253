import { InputError, ModelError } from '../model-error.ts';
import type { WriteOperation } from '../patterns/signature.ts';
import type { EntityInfo, PatternInfo, SequenceInfo, WritePlan } from '../resolve/resolved.ts';
import { writeFaults } from '../resolve/write-faults.ts';
import { type Action, actionId, type ActionPart, type Ask, singleRequest, transactionRequest } from './action.ts';
import { ActionList } from './action-list.ts';
import { isNamed, isOfKind, meets } from './asks.ts';
import type { StoredItem } from './attribute-value.ts';
import { backOff } from './back-off.ts';
import type { Answer, BuiltRequest, Context } from './context.ts';
import { takenInputs } from './input-values.ts';
import { decodedError, turnedInput } from './coded.ts';
import { codecOf, type Values } from './item-codec.ts';
import type { PlannedWrite } from './put.ts';
import { isExpired, typeOfItem } from './stored-item.ts';
import { applyEffects } from './effect.ts';
import { expiresAttribute } from './input-values.ts';
import { RuleError, type RuleFailure, UnprocessedError } from './rule-error.ts';
import type { Runner } from './runner.ts';
import { sequenceAction } from './relations.ts';
import { writeActions, type WriteTask } from './write-actions.ts';

const actionsMax = 100;
const batchItemsMax = 25;
const attemptsMax = 8;

/** The result of deciding a write: its actions, and the items it creates, by part. */
interface Decided {
  readonly list: ActionList;
  readonly created: ReadonlyMap<string | undefined, Values[]>;
  /** With what was read first. */
  readonly tasks: readonly WriteTask[];
}

/** Runs a write: decides its actions, sends them as one request, and decides again if it lost a race. */
export class WriteRun implements Runner {
  readonly #context: Context;
  readonly #pattern: PatternInfo;
  readonly #plan: PlannedWrite;

  constructor(context: Context, pattern: PatternInfo, plan: PlannedWrite) {
    this.#context = context;
    this.#pattern = pattern;
    this.#plan = plan;
  }

  /** The first requests for an input. If the write first reads or takes numbers, those requests are shown. */
  request(input: Values): BuiltRequest[] {
    const tasks = this.#tasks(input);
    const first = [
      ...numberRequests(this.#context, tasks).map(({ action }) => singleRequest(this.#context, action)),
      ...tasks.flatMap((task) => this.#readRequests(task)),
    ];
    if (first.length > 0) return first;
    if (this.#batched()) return this.#batches(tasks).requests;
    return [requestOf(this.#context, decide(this.#context, this.#pattern.name, tasks).list)];
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

  /** The outcome of a write whose first request was rejected: it is decided again, or ends with the error. */
  async afterRefusal(input: Values, error: unknown): Promise<unknown> {
    const tasks = this.#tasks(input);
    const refusal = refusalOf(
      this.#context,
      this.#pattern.name,
      decide(this.#context, this.#pattern.name, tasks).list.actions,
      error,
    );
    if (refusal?.again !== true) throw refusal?.error ?? error;
    const { decided, answer } = await runTasks(this.#context, this.#pattern.name, tasks);
    // It was decided again, so the result is what was written then.
    return this.#result(decided, answer);
  }

  #result({ created, list, tasks }: Decided, answer: Answer | undefined): unknown {
    const [only] = this.#plan.writes;
    if (only === undefined || this.#pattern.need.transacts !== undefined) return undefined;
    const items = asLeft(this.#context, only.entity, created.get(undefined) ?? [], list);
    if (only.verb === 'creates' || only.verb === 'puts') return only.many ? items : items[0];
    const [task] = tasks;
    if (only.need.returns === undefined || task === undefined || list.actions.length === 0) return undefined;
    const [made] = items;
    if (made !== undefined) return only.need.returns === 'new' ? made : undefined;
    const codec = codecOf(this.#context, only.entity);
    const stored = only.whole ? returnedOf(task, list) : (answer?.Attributes as StoredItem | undefined);
    // An item that was there and had expired was absent. One that expires by this write is what the write made of it.
    const isOld = only.need.returns === 'old';
    if (stored === undefined || (isOld && isExpired(stored, expiresAttribute(only.entity), this.#context.now())))
      return undefined;
    return codec.decode(stored);
  }

  #tasks(input: Values): WriteTask[] {
    return tasksOf(this.#plan, input);
  }

  #batched(): boolean {
    return this.#plan.operations.at(-1) === 'BatchWriteItem';
  }

  #readRequests({ plan, input }: WriteTask): BuiltRequest[] {
    return plan.readsFirst ? [readRequest(this.#context, plan.entity, input)] : [];
  }

  /** The requests, and the items that they write. */
  #batches(tasks: readonly WriteTask[]): { readonly requests: BuiltRequest[]; readonly items: Values[] } {
    const { list, created } = decide(this.#context, this.#pattern.name, tasks);
    const table = this.#context.tableName(tasks[0]?.plan.entity.table ?? raise());
    const actions = list.actions.map(({ kind, key, item }) =>
      kind === 'delete' ? { DeleteRequest: { Key: key } } : { PutRequest: { Item: item } },
    );
    const requests = chunks(actions).map((each) => batchRequest(table, each));
    return { requests, items: [...(created.get(tasks[0]?.plan.part) ?? [])] };
  }

  /** Writes in batches. Unprocessed items are sent again. */
  async #putAll(tasks: readonly WriteTask[]): Promise<Values[]> {
    if (tasks.length === 0) return [];
    await bringForward(this.#context, tasks);
    const { requests: first, items } = this.#batches(tasks);
    let pending = first;
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
    return items;
  }
}

/** The item as a transaction leaves it, or as it was: the transaction was on condition that it was unchanged since the read. */
function returnedOf({ plan, stored }: WriteTask, { actions }: ActionList): StoredItem | undefined {
  if (plan.need.returns === 'old' || stored === undefined) return stored;
  const update = actions.find(
    ({ kind, entity, copy = 1 }) => kind === 'update' && entity === plan.entity && copy === 1,
  );
  return update === undefined ? undefined : applyEffects(stored, update.effects);
}

/** Created items as their transaction leaves them: one that is the parent of another is counted up by it. */
function asLeft(
  context: Context,
  entity: EntityInfo,
  created: readonly Values[],
  { actions }: ActionList,
): readonly Values[] {
  if (entity.parents.every((parent) => parent.entity !== entity.name)) return created;
  const codec = codecOf(context, entity);
  const made = new Map(actions.map((action) => [actionId(action), action.item]));
  return created.map((values) => {
    const item = made.get(actionId({ entity, key: codec.key({ ...values, copy: 1 }) }));
    return item === undefined ? values : codec.decode(item);
  });
}

/** Writes that were checked and have no fault. */
const sound = new WeakSet<WritePlan>();

/** @throws {ModelError} for an unsound write. */
function refuseFaulty(write: WritePlan): void {
  const path = `patterns.${write.part ?? write.entity.name}`;
  const problems = writeFaults(write).map((fault) => ({ ...fault, path }));
  if (problems.length > 0) throw new ModelError(problems);
  sound.add(write);
}

/** The writes of a plan, one for each item. */
function tasksOf({ writes }: PlannedWrite, input: Values): WriteTask[] {
  for (const write of writes) if (!sound.has(write)) refuseFaulty(write);
  return writes.flatMap((plan) => {
    const own = plan.part === undefined ? input : (input[plan.part] as Values | undefined);
    if (own === undefined) throw new InputError('missing-input', plan.part ?? '', 'is needed and missing');
    if (plan.many && !Array.isArray(own))
      throw new InputError('not-a-list', plan.part ?? '', 'must be a list of items');
    const items = plan.many ? (own as unknown as readonly Values[]) : [own];
    return items.map((item) => ({ plan, input: takenInputs(plan.need, item, plan.entity.name), old: undefined }));
  });
}

/** The writes that an operation of a pattern represents. */
export function operationTasks({ resolved }: Context, { pattern, input }: WriteOperation): WriteTask[] {
  const { plan, need } = resolved.patterns.get(pattern) ?? {};
  if (plan?.kind !== 'write' || need === undefined)
    throw new InputError('no-write', pattern, 'is not a pattern of the model that writes');
  return tasksOf(plan, turnedInput('encode', resolved, need, input) as Values);
}

/** Runs operations of any patterns as one transaction. */
export async function transactOperations(context: Context, operations: readonly WriteOperation[]): Promise<void> {
  const tasks = operations.flatMap((operation, i) =>
    operationTasks(context, operation).map((task) => ({
      ...task,
      plan: { ...task.plan, part: task.plan.part ?? `${i}:${operation.pattern}` },
    })),
  );
  const name = operations.map(({ pattern }) => pattern).join(' + ');
  try {
    await runTasks(context, name, tasks);
  } catch (error) {
    throw decodedError(context.resolved, name, error);
  }
}

/** Runs several writes as one transaction. */
export async function transactTasks(context: Context, name: string, tasks: readonly WriteTask[]): Promise<void> {
  await runTasks(context, name, tasks);
}

/**
 * Reads what has to be read, decides, sends. If it loses a race to another writer (an item changed since it was read, or a
 * transaction conflict), it is decided again from the start, at most eight times.
 */
async function runTasks(
  context: Context,
  name: string,
  tasks: readonly WriteTask[],
): Promise<{ readonly decided: Decided; readonly answer: Answer | undefined }> {
  await bringForward(context, tasks);
  if (tasks.some(takesNumbers)) rehearse(context, name, tasks);
  const numbered = await takeNumbers(context, name, tasks);
  const found = new Map<string, StoredItem | undefined>();
  const replaces = new Set<string>();
  const gone = new Set<string>();
  for (let attempt = 0; ; attempt++) {
    if (attempt > 0) await backOff(context, attempt);
    const known = await Promise.all(numbered.map(async (task) => readFirst(context, { ...task, replaces, gone })));
    const decided = decide(context, name, known);
    decided.list.leaveOut(found);
    if (decided.list.actions.length === 0) return { decided, answer: undefined };
    try {
      return { decided, answer: await context.send(requestOf(context, decided.list)) };
    } catch (error) {
      const refusal = refusalOf(context, name, decided.list.actions, error);
      if (refusal === undefined) throw error;
      for (const each of refusal.drop) found.set(actionId(each.action), each.found);
      for (const key of refusal.there) replaces.delete(key);
      for (const key of refusal.replace) replaces.add(key);
      for (const key of refusal.gone) gone.add(key);
      if (!refusal.again || attempt === attemptsMax) throw refusal.error;
    }
  }
}

/** During a migration, items must have their new form before a write changes them. */
async function bringForward({ bringForward: bring }: Context, tasks: readonly WriteTask[]): Promise<void> {
  if (bring !== undefined) await Promise.all(tasks.map(async ({ plan, input }) => bring(plan.entity, input)));
}

function decide(context: Context, name: string, tasks: readonly WriteTask[]): Decided {
  const list = new ActionList(context, name);
  const created = new Map<string | undefined, Values[]>();
  for (const task of tasks) {
    const item = writeActions(context, list, task);
    if (item === undefined) continue;
    const known = created.get(task.plan.part) ?? [];
    created.set(task.plan.part, [...known, item]);
  }
  list.keepRelations();
  return { list, created, tasks };
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
 * Decides what can be decided without reading, with a placeholder for the sequence numbers that are taken next, so that rejected input
 * does not cost a number.
 */
function rehearse(context: Context, name: string, tasks: readonly WriteTask[]): void {
  for (const task of tasks) {
    if (task.plan.readsFirst) continue;
    const numbers = takesNumbers(task)
      ? Object.fromEntries(task.plan.entity.sequences.map(({ attribute }) => [attribute, 1]))
      : {};
    writeActions(context, new ActionList(context, name), { ...task, input: { ...task.input, ...numbers } });
  }
}

/** The numbers that one counter assigns to some of the tasks. */
interface NumberRequest {
  readonly action: Action;
  readonly sequence: SequenceInfo;
  readonly tasks: readonly WriteTask[];
}

/** One for each counter. It is incremented by the number of items, which get their numbers in the order of the input. */
function numberRequests(context: Context, tasks: readonly WriteTask[]): NumberRequest[] {
  const byCounter = new Map<string, { readonly sequence: SequenceInfo; readonly tasks: WriteTask[] }>();
  for (const task of tasks.filter(takesNumbers))
    for (const sequence of task.plan.entity.sequences) {
      const id = `${actionId(sequenceAction(context, sequence, task.input, 1))} ${sequence.counter}`;
      const known = byCounter.get(id);
      if (known === undefined) byCounter.set(id, { sequence, tasks: [task] });
      else known.tasks.push(task);
    }
  return [...byCounter.values()].map((each) => ({
    ...each,
    action: sequenceAction(context, each.sequence, each.tasks[0]?.input ?? {}, each.tasks.length),
  }));
}

/**
 * Takes sequence numbers from their parents. A number whose item is then not written is lost and never assigned again. If a parent is
 * missing, the write is rejected after all other requests were answered, so that none is still in flight.
 */
async function takeNumbers(context: Context, name: string, tasks: readonly WriteTask[]): Promise<WriteTask[]> {
  const numbers = new Map(tasks.map((task): [WriteTask, Record<string, number>] => [task, {}]));
  const taken = await Promise.allSettled(
    numberRequests(context, tasks).map(async (request) => {
      const last = await takeNumber(context, name, request);
      for (const [i, task] of request.tasks.entries())
        (numbers.get(task) ?? {})[request.sequence.attribute] = last - request.tasks.length + 1 + i;
    }),
  );
  for (const each of taken) if (each.status === 'rejected') throw each.reason;
  return tasks.map((task) => (takesNumbers(task) ? { ...task, input: { ...task.input, ...numbers.get(task) } } : task));
}

/** The last of the numbers that a counter assigns. Waits for another writer's transaction on the parent, as many times as for any write. */
async function takeNumber(context: Context, name: string, { action, sequence }: NumberRequest): Promise<number> {
  const counter = codecOf(context, action.entity).stored(sequence.counter);
  const request = singleRequest(context, action);
  for (let attempt = 0; ; attempt++) {
    if (attempt > 0) await backOff(context, attempt);
    try {
      const { Attributes } = await context.send({
        ...request,
        input: { ...request.input, ReturnValues: 'UPDATED_NEW' },
      });
      return Number((Attributes as StoredItem | undefined)?.[counter]?.N);
    } catch (error) {
      const refusal = refusalOf(context, name, [action], error);
      if (refusal === undefined) throw error;
      if (!refusal.again || attempt === attemptsMax) throw refusal.error;
    }
  }
}

/** The current item. One that has expired counts as absent, as does one that the input does not identify. */
async function readFirst(context: Context, task: WriteTask): Promise<WriteTask> {
  const { plan, input } = task;
  if (!plan.readsFirst) return task;
  const { Item } = await context.send(readRequest(context, plan.entity, input));
  if (Item === undefined) return task;
  const stored = Item as StoredItem;
  const codec = codecOf(context, plan.entity);
  if (!meets(stored, isOfKind(plan.entity))) return { ...task, taken: true };
  if (isExpired(stored, expiresAttribute(plan.entity), context.now()))
    return { ...task, expired: codec.decode(stored) };
  if (!meets(stored, isNamed(codec, plan.named, input))) return { ...task, taken: true };
  return { ...task, old: codec.decode(stored), stored };
}

function readRequest(context: Context, entity: EntityInfo, input: Values): BuiltRequest {
  const values = entity.rules.copies === undefined ? input : { ...input, copy: 1 };
  const Key = codecOf(context, entity).key(values);
  return { operation: 'GetItem', input: { TableName: context.tableName(entity.table), Key, ConsistentRead: true } };
}

/**
 * A rejected write. `again`: a race was lost. `drop`: what can be left out, with the item that was found. `replace`: items to create in the place
 * of expired or missing ones. `there`: items that another writer has created meanwhile. `gone`: items to delete that do not exist.
 */
interface Refusal {
  /** What the write ends with if it is not decided again. */
  readonly error: unknown;
  readonly again: boolean;
  readonly drop: readonly Failed[];
  readonly replace: readonly string[];
  readonly there: readonly string[];
  readonly gone: readonly string[];
}

/** One rejected part of an action, with the item that was found. */
interface Failed {
  readonly action: Action;
  readonly part: ActionPart;
  readonly failure: RuleFailure;
  readonly found: StoredItem | undefined;
}

/** The meaning of a rejection; undefined for errors that do not concern the rules. */
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
  if (reasons.some(({ Code }) => Code !== undefined && !refusals.has(Code) && !throttles.has(Code))) return undefined;
  // Nothing was written, and the SDK sends no cancelled transaction again.
  if (reasons.some(({ Code = '' }) => throttles.has(Code))) return { ...busy(name, actions, error), error };
  const failed = actions.flatMap((each, i) =>
    reasons[i]?.Code === 'ConditionalCheckFailed' ? failedParts(context, each, reasons[i].Item) : [],
  );
  const drop = failed.filter(({ part }) => part.rule.droppable === true);
  const replace = failed.filter((each) => isReplaceable(context, each));
  const lost = failed.filter(isLost);
  const gone = failed.filter(({ part, failure }) => part.rule.mayBeAbsent === true && failure.code === 'not-found');
  const mended = new Set([...drop, ...replace, ...gone]);
  const unmet = failed.filter((each) => !mended.has(each));
  const [first, ...rest] = (unmet.length > 0 ? unmet : failed).map(({ failure }) => failure);
  if (first === undefined) return busy(name, actions, error);
  // The write was decided on an outdated state, which may have caused the other failures as well.
  const again = lost.length > 0 || unmet.length === 0;
  const ids = (list: readonly Failed[]): string[] => list.map(({ action }) => actionId(action));
  return {
    error: new RuleError(name, [first, ...rest], error),
    again,
    drop,
    replace: ids(replace),
    there: ids(lost.filter(({ action, found }) => action.kind === 'put' && found !== undefined)),
    gone: ids(gone),
  };
}

/** There is no item, or one that has expired, and a part creates one: the other parts see what it creates. */
function isReplaceable(context: Context, { action, found }: Failed): boolean {
  return (
    action.parts.some(({ rule }) => rule.creates === true) &&
    (found === undefined ||
      (typeOfItem(found, action.entity) === action.entity.type &&
        isExpired(found, expiresAttribute(action.entity), context.now())))
  );
}

/** The item is not what the write was decided on, so another condition may hold the next time. */
function isLost({ part: { rule, asks }, failure, found }: Failed): boolean {
  if (rule.optimistic !== true || failure.code === 'stale-version') return false;
  const asRead = asks.filter(({ kind }) => kind === 'as-read');
  return found === undefined || asRead.length === 0 || !meets(found, asRead);
}

const refusals: ReadonlySet<string> = new Set(['None', 'ConditionalCheckFailed', 'TransactionConflict']);
const throttles: ReadonlySet<string> = new Set(['ThrottlingError', 'ProvisionedThroughputExceeded']);

function busy(name: string, actions: readonly Action[], error: unknown): Refusal {
  return {
    error: new RuleError(name, [{ code: 'busy', entity: actions[0]?.entity.name ?? '' }], error),
    again: true,
    drop: [],
    replace: [],
    there: [],
    gone: [],
  };
}

/** The parts whose conditions the item does not meet. */
function failedParts(context: Context, target: Action, found: StoredItem | undefined): Failed[] {
  const unmet = target.parts.filter(({ asks }) => !meets(found, asks));
  return (unmet.length === 0 ? [target.parts[0]] : unmet).map((part) => ({
    action: target,
    part,
    failure: failureOf(context, target, part, found),
    found,
  }));
}

function failureOf(
  context: Context,
  { entity, kind, parts: [own] }: Action,
  failed: ActionPart,
  found: StoredItem | undefined,
): RuleFailure {
  const { rule, asks } = failed;
  const { code, attribute, part, version } = rule;
  // The first part is that of the put itself. Others look for an item.
  const puts = kind === 'put' && failed === own;
  const isMeant = meets(
    found,
    asks.filter((ask) => ask.kind === 'there'),
  );
  const stored = isMeant ? found : undefined;
  const unmet = stored === undefined && code === 'condition-failed' && attribute === undefined;
  const isOther = found !== undefined && typeOfItem(found, entity) !== entity.type;
  const taken = unmet && (puts ? isOther : found !== undefined && rule.creates === true);
  const absent = unmet && !puts && rule.decides !== true;
  const stale = stored !== undefined && version !== undefined && stored[version.stored]?.N !== version.expected;
  const isKnown = stored !== undefined && typeOfItem(stored, entity) === entity.type;
  // Nothing is in the way of an item that is to be created: its condition is not met.
  const free = code === 'already-exists' && puts && meets(found, asks.filter(isAbsence));
  return {
    code: taken ? 'already-exists' : absent ? 'not-found' : stale ? 'stale-version' : free ? 'condition-failed' : code,
    entity: rule.entity,
    ...(attribute === undefined ? {} : { attribute }),
    ...(part === undefined ? {} : { part }),
    ...(isKnown ? { item: codecOf(context, entity).decode(stored) } : {}),
  };
}

function isAbsence({ kind }: Ask): boolean {
  return kind === 'absent';
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
