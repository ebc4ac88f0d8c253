import { assert } from '../../values/assert.ts';
import type { AttributeMap } from '../../values/attribute-value.ts';
import { type Awaitable, chain } from '../../values/awaitable.ts';
import { readCapacityUnits } from '../../values/capacity-units.ts';
import { checkAttributeMap } from '../../values/check-attribute-value.ts';
import { itemSizeBytes } from '../../values/item-size.ts';
import type { Limits } from '../../values/limits.ts';
import {
  type CancellationReason,
  TransactionCanceledException,
  ValidationException,
} from '../../values/service-error.ts';
import { checkExpressionParameters, compileExpressions, type Condition, type Update } from '../../expressions/index.ts';
import { readConsumedCapacity } from '../capacity/read-capacity.ts';
import { itemCollectionMetrics } from '../capacity/item-collection-metrics.ts';
import { writeConsumedCapacity } from '../capacity/write-capacity.ts';
import type { RequestContext } from '../environment.ts';
import type { EncodedItem } from '../layout/item-codec.ts';
import { type ItemKey, itemKeyOfKey } from '../catalog/item-key.ts';
import type { ItemChange, ItemWrite, ItemWriteOutcome } from '../followers/item-write.ts';
import { ItemWritePlan } from '../items/item-write-plan.ts';
import type { StoreWrite } from '../../storage/store.ts';
import type { EngineServices } from '../services.ts';
import type { Table } from '../catalog/table.ts';
import { IdempotencyToken } from '../transactions/idempotency-token.ts';
import {
  admitActions,
  cancellationReason,
  checkDistinct,
  consumeRepeated,
  consumeWrites,
  distinctTableNames,
  settleActions,
} from '../transactions/transaction-actions.ts';
import { type ItemInput, incomingItem, itemInputText } from '../items/incoming-item.ts';
import { planPut } from '../items/plan-put.ts';
import { checkUpdateTargets } from '../items/check-update.ts';
import type { UncheckedAttributeMap } from '../../values/attribute-value.ts';
import type {
  ConsumedCapacity,
  ReturnConsumedCapacity,
  ReturnItemCollectionMetrics,
} from '../capacity/consumed-capacity.ts';
import { cancelForConflict } from './store-conflict.ts';
import type { ItemCollectionMetrics } from '../capacity/item-collection-metrics.ts';

interface ActionParameters {
  readonly tableName: string;
  readonly conditionExpression?: string | undefined;
  readonly expressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly expressionAttributeValues?: UncheckedAttributeMap | undefined;
  readonly returnValuesOnConditionCheckFailure?: 'NONE' | 'ALL_OLD' | undefined;
}

export interface TransactPut extends ActionParameters {
  readonly item: ItemInput;
}

export interface TransactUpdate extends ActionParameters {
  readonly key: UncheckedAttributeMap;
  readonly updateExpression: string;
}

export interface TransactDelete extends ActionParameters {
  readonly key: UncheckedAttributeMap;
}

export interface TransactConditionCheck extends ActionParameters {
  readonly key: UncheckedAttributeMap;
  readonly conditionExpression: string;
}

/** Exactly one member is present in a valid request; the operation checks that. */
export interface TransactWriteItem {
  readonly put?: TransactPut | undefined;
  readonly update?: TransactUpdate | undefined;
  readonly delete?: TransactDelete | undefined;
  readonly conditionCheck?: TransactConditionCheck | undefined;
}

export interface TransactWriteItemsRequest {
  readonly transactItems: readonly TransactWriteItem[];
  readonly clientRequestToken?: string | undefined;
  readonly returnConsumedCapacity?: ReturnConsumedCapacity | undefined;
  readonly returnItemCollectionMetrics?: ReturnItemCollectionMetrics | undefined;
}

export interface TransactWriteItemsResult {
  readonly consumedCapacity?: readonly ConsumedCapacity[];
  /** By table name. */
  readonly itemCollectionMetrics?: Readonly<Record<string, readonly ItemCollectionMetrics[]>>;
}

/** An action after all checks that do not need its table. */
interface CheckedAction {
  readonly tableName: string;
  readonly change:
    | { readonly kind: 'put'; readonly item: EncodedItem }
    | { readonly kind: 'update'; readonly key: AttributeMap; readonly update: Update | undefined }
    | { readonly kind: 'delete' | 'check'; readonly key: AttributeMap };
  /** The size of the item data in the request, bytes: the item or its key, and the values of expressions. */
  readonly payloadBytes: number;
  readonly condition: Condition | undefined;
  readonly returnOldOnFailure: boolean;
}

type TransactionAnswer =
  | { readonly kind: 'done'; readonly outcomes: readonly ItemWriteOutcome[] }
  /** The same request was executed before, on items of these sizes (bytes). */
  | { readonly kind: 'repeated'; readonly sizesBytes: readonly number[] };

/**
 * Executes up to a hundred actions on distinct items of any tables: all, or none.
 *
 * @throws {ValidationException} if the request is invalid.
 * @throws {TransactionCanceledException} if an action cannot be done, with a reason per action in request order.
 * @throws {IdempotentParameterMismatchException} if the client token was used for another request in the last ten minutes.
 * @see DynamoDB API Reference, TransactWriteItems; conformance/transact-write, conformance/idempotency
 */
export function transactWriteItems(
  services: EngineServices,
  request: TransactWriteItemsRequest,
  context: RequestContext,
): Awaitable<TransactWriteItemsResult> {
  const { limits, store, environment } = services;
  const checked = request.transactItems.map(checkAction);
  checkPayload(checked, limits.transactionBytesMax);
  const token =
    request.clientRequestToken === undefined
      ? undefined
      : new IdempotencyToken(context, request.clientRequestToken, actionsText(request.transactItems), {
          nowMs: environment.clock.nowMs(),
          validMs: limits.clientRequestTokenMinutes * 60_000,
        });
  return services.catalog.withTables(context, distinctTableNames(checked), (tables) => {
    const byName = new Map(tables.map((table) => [table.tableName, table]));
    const writes = settleActions(checked, (action) =>
      planAction(byName.get(action.tableName) as Table, action, limits),
    );
    checkDistinct(writes.map(({ key }) => key));
    admitActions(writes, (write) => services.capacity.admitWrite(write));
    const plan = new ItemWritePlan(writes, services, environment.clock.nowMs());
    const answered = chain(plan.needsPreparation ? plan.prepare(store) : undefined, () =>
      carryOut(services, plan, writes, token),
    );
    return chain(answered, (answer) => {
      if (answer.kind === 'done') {
        consumeWrites(services.capacity, writes, answer.outcomes);
        return doneResult(request, tables, writes, answer.outcomes);
      }
      consumeRepeated(services.capacity, writes, answer.sizesBytes);
      return repeatedResult(request, tables, writes, answer.sizesBytes);
    });
  });
}

/** What `JSON.stringify` prints for the actions of a request. Items that are texts are not parsed for it. */
export function actionsText(actions: readonly TransactWriteItem[]): string {
  return `[${actions.map(actionText).join(',')}]`;
}

function actionText(action: TransactWriteItem): string {
  const { put } = action;
  if (put === undefined) return JSON.stringify(action);
  // The item is the first member of a decoded action, and the table's name is among the others.
  const others = JSON.stringify({ ...put, item: undefined });
  return `{"put":{"item":${itemInputText(put.item)},${others.slice(1)}}`;
}

/** @throws {TransactionCanceledException} */
function carryOut(
  { store, capacity }: EngineServices,
  plan: ItemWritePlan,
  writes: readonly ItemWrite[],
  token: IdempotencyToken | undefined,
): Promise<TransactionAnswer> {
  const tokenAt = plan.keys.length;
  const keys = token === undefined ? plan.keys : [...plan.keys, token.key];
  const written = store.write(keys, (values): { answer: TransactionAnswer; writes: StoreWrite[] } => {
    const repeatedSizes = token?.check(values[tokenAt]);
    if (repeatedSizes !== undefined) return { answer: { kind: 'repeated', sizesBytes: repeatedSizes }, writes: [] };
    const reasons: CancellationReason[] = writes.map(() => ({ code: 'None' }));
    const decided = plan.decide(values, (error, at) => {
      reasons[at] = cancellationReason(error);
    });
    if (reasons.some(({ code }) => code !== 'None')) throw new TransactionCanceledException(reasons);
    admitActions(
      writes.map((write, at) => ({ write, outcome: decided.outcomes[at] as ItemWriteOutcome })), // one for each
      ({ write, outcome }) => capacity.admitIndexChanges(write, outcome.indexChanges),
    );
    const sizesBytes = decided.outcomes.map(({ sizeBytes }) => sizeBytes);
    return {
      answer: { kind: 'done', outcomes: decided.outcomes },
      writes: token === undefined ? decided.writes : [...decided.writes, ...token.remember(sizesBytes)],
    };
  });
  return written.catch((error: unknown) => cancelForConflict(error, writes.length));
}

function checkAction(item: TransactWriteItem): CheckedAction {
  const { put, update, delete: remove, conditionCheck } = item;
  const actions = [put, update, remove, conditionCheck].filter((action) => action !== undefined);
  const [action] = actions;
  if (action === undefined || actions.length > 1) {
    throw new ValidationException(
      action === undefined
        ? 'Invalid Request: TransactWriteRequest should contain Delete or Put or Update request'
        : 'TransactItems can only contain one of Check, Put, Update or Delete',
    );
  }
  const operation = put
    ? 'TransactPut'
    : update
      ? 'TransactUpdate'
      : remove
        ? 'TransactDelete'
        : 'TransactConditionCheck';
  checkExpressionParameters(action, operation);
  const compiled = compileExpressions(action, operation);
  const change = checkChange(item);
  // Compilation has checked the values. Their sizes are those of the request's text, which can differ only for numbers.
  const values = (action.expressionAttributeValues ?? {}) as AttributeMap;
  return {
    tableName: action.tableName,
    change: change.kind === 'update' ? { ...change, update: compiled.update } : change,
    payloadBytes: sentBytes(change) + itemSizeBytes(values),
    condition: compiled.condition,
    returnOldOnFailure: action.returnValuesOnConditionCheckFailure === 'ALL_OLD',
  };
}

function sentBytes(change: CheckedAction['change']): number {
  return change.kind === 'put' ? change.item.sizeBytes : itemSizeBytes(change.key);
}

function checkChange({ put, update, delete: remove, conditionCheck }: TransactWriteItem): CheckedAction['change'] {
  if (put !== undefined) return { kind: 'put', item: incomingItem(put.item) };
  if (update !== undefined) return { kind: 'update', key: checkAttributeMap(update.key), update: undefined };
  if (remove !== undefined) return { kind: 'delete', key: checkAttributeMap(remove.key) };
  assert(conditionCheck !== undefined, 'an action is present');
  return { kind: 'check', key: checkAttributeMap(conditionCheck.key) };
}

/**
 * The limit applies to what is sent, not to its effect: any number of large items may be deleted.
 *
 * Assumed: sizes are computed as for items. The text is the service's, including its repetition.
 */
function checkPayload(actions: readonly CheckedAction[], bytesMax: number): void {
  const payloadBytes = actions.reduce((total, action) => total + action.payloadBytes, 0);
  if (payloadBytes <= bytesMax) return;
  const text = 'Transaction payload size cannot exceed 4MB. Payload Size: ';
  throw new ValidationException(`${text}: ${text}${payloadBytes}`);
}

function planAction(table: Table, action: CheckedAction, limits: Limits): ItemWrite {
  const { condition, returnOldOnFailure } = action;
  const { key, change } = planChange(table, action.change, limits);
  return { table, key, change, condition, returnOldOnFailure, keepBefore: false };
}

function planChange(
  table: Table,
  change: CheckedAction['change'],
  limits: Limits,
): { readonly key: ItemKey; readonly change: ItemChange } {
  if (change.kind === 'put') return planPut(table, change.item, limits);
  const key = itemKeyOfKey(table, change.key);
  if (change.kind !== 'update') return { key, change: { kind: change.kind } };
  if (change.update !== undefined) checkUpdateTargets(table, change.update);
  return { key, change: { kind: 'update', update: change.update } };
}

function doneResult(
  request: TransactWriteItemsRequest,
  tables: readonly Table[],
  writes: readonly ItemWrite[],
  outcomes: readonly ItemWriteOutcome[],
): TransactWriteItemsResult {
  const consumedCapacity: ConsumedCapacity[] = [];
  const metrics: [string, readonly ItemCollectionMetrics[]][] = [];
  for (const table of tables) {
    const ofTable = outcomes.filter((_, at) => writes[at]?.table === table); // one outcome per write
    const capacity = writeConsumedCapacity(table, ofTable, request.returnConsumedCapacity, { transactional: true });
    if (capacity !== undefined) consumedCapacity.push(capacity);
    const ofItems: ItemCollectionMetrics[] = [];
    for (const [at, write] of writes.entries()) {
      if (write.table !== table) continue;
      const outcome = outcomes[at] as ItemWriteOutcome;
      const ofItem = itemCollectionMetrics(table, write.key.attributes, outcome, request.returnItemCollectionMetrics);
      if (ofItem !== undefined) ofItems.push(ofItem);
    }
    if (ofItems.length > 0) metrics.push([table.tableName, ofItems]);
  }
  return {
    ...(consumedCapacity.length > 0 && { consumedCapacity }),
    ...(metrics.length > 0 && { itemCollectionMetrics: Object.fromEntries(metrics) }),
  };
}

/** A repeated request changes nothing and counts as a transactional read of the items it wrote. */
function repeatedResult(
  request: TransactWriteItemsRequest,
  tables: readonly Table[],
  writes: readonly ItemWrite[],
  sizesBytes: readonly number[],
): TransactWriteItemsResult {
  const consumedCapacity = tables.flatMap((table) => {
    const tableUnits = writes.reduce(
      (units, write, at) =>
        write.table === table ? units + readCapacityUnits(sizesBytes[at] ?? 0, 'transactional') : units,
      0,
    );
    return readConsumedCapacity(table, { tableUnits }, request.returnConsumedCapacity, { transactional: true }) ?? [];
  });
  return consumedCapacity.length > 0 ? { consumedCapacity } : {};
}
