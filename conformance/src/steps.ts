/** Notation for the requests and expectations of rows. */
import type { Matcher } from './matchers.ts';
import { anything, oneOf, partial } from './matchers.ts';
import type { CheckContext, CheckStep, Expectation, ExpectedError, JsonObject, RequestStep } from './row.ts';
import type { WireOptions } from './transport.ts';
import type { WireItem } from './values.ts';

/** A request waiting for its expectation. */
export interface Call {
  /** Success with exactly this body. */
  gives(body: unknown): RequestStep;
  /** Success with at least these members. */
  givesPartly(members: JsonObject): RequestStep;
  /** Success, with any body. */
  succeeds(): RequestStep;
  /** ValidationException with this message. */
  invalid(message: string | Matcher): RequestStep;
  fails(name: string, message?: string | Matcher, members?: JsonObject): RequestStep;
  /** ConditionalCheckFailedException, with the item if one is to be returned. */
  conditionFails(item?: WireItem): RequestStep;
  /** One of several answers that have been recorded. */
  answers(...alternatives: readonly Expectation[]): RequestStep;
}

export interface CallOptions {
  readonly wire?: WireOptions;
  readonly eventually?: boolean;
  readonly saves?: Readonly<Record<string, string>>;
}

/** Any request, unchanged. */
export function call(action: string, input: JsonObject | string, options: CallOptions = {}): Call {
  const step = (expect: Expectation): RequestStep => ({
    kind: 'request',
    action,
    input,
    expect,
    wire: options.wire ?? {},
    eventually: options.eventually ?? false,
    saves: options.saves ?? {},
  });
  return {
    gives: (body) => step(response(body)),
    givesPartly: (members) => step(response(partial(members))),
    succeeds: () => step(response(oneOf(undefined, anything))),
    invalid: (message) => step(error('ValidationException', message)),
    fails: (name, message, members) => step(error(name, message, members)),
    conditionFails: (item) =>
      step(
        error(
          'ConditionalCheckFailedException',
          'The conditional request failed',
          item === undefined ? {} : { Item: item },
        ),
      ),
    answers: (...alternatives) => step({ kind: 'any-of', alternatives }),
  };
}

export function response(body: unknown): Expectation {
  return { kind: 'response', body };
}

export function error(
  name: string,
  message: ExpectedError['message'],
  members: JsonObject = {},
  status = 400,
): Expectation {
  return { kind: 'error', error: { name, message, members, status } };
}

/** A check in code. */
export function check(name: string, run: (context: CheckContext) => Promise<void>): CheckStep {
  return { kind: 'check', name, run };
}

// The requests below address table $T unless `more` names another, and read consistently where that is possible.

export const put = (item: WireItem, more: JsonObject = {}): Call =>
  call('PutItem', { TableName: '$T', Item: item, ...more });

export const get = (key: WireItem, more: JsonObject = {}): Call =>
  call('GetItem', { TableName: '$T', Key: key, ConsistentRead: true, ...more });

export const update = (key: WireItem, expression: string | undefined, more: JsonObject = {}): Call =>
  call('UpdateItem', {
    TableName: '$T',
    Key: key,
    ...(expression === undefined ? {} : { UpdateExpression: expression }),
    ...more,
  });

export const remove = (key: WireItem, more: JsonObject = {}): Call =>
  call('DeleteItem', { TableName: '$T', Key: key, ...more });

export const query = (keyCondition: string, values: WireItem, more: JsonObject = {}): Call =>
  reading('Query', {
    TableName: '$T',
    KeyConditionExpression: keyCondition,
    ...(Object.keys(values).length === 0 ? {} : { ExpressionAttributeValues: values }),
    ...more,
  });

export const scan = (more: JsonObject = {}): Call => reading('Scan', { TableName: '$T', ...more });

export const batchGet = (keys: readonly WireItem[], more: JsonObject = {}, outer: JsonObject = {}): Call =>
  call('BatchGetItem', { RequestItems: { $T: { Keys: keys, ConsistentRead: true, ...more } }, ...outer });

export const batchWrite = (requests: readonly JsonObject[], outer: JsonObject = {}): Call =>
  call('BatchWriteItem', { RequestItems: { $T: requests }, ...outer });

export const transactWrite = (actions: readonly JsonObject[], more: JsonObject = {}): Call =>
  call('TransactWriteItems', { TransactItems: actions, ...more });

export const transactGet = (gets: readonly JsonObject[], more: JsonObject = {}): Call =>
  call('TransactGetItems', { TransactItems: gets.map((get) => ({ Get: { TableName: '$T', ...get } })), ...more });

export const createTable = (definition: JsonObject, more: JsonObject = {}): Call =>
  call('CreateTable', { TableName: '$T', ...definition, ...more });

export const describeTable = (options: CallOptions = {}): Call => call('DescribeTable', { TableName: '$T' }, options);

// Actions of a transaction and of a batch.

export const putAction = (item: WireItem, more: JsonObject = {}): JsonObject => ({
  Put: { TableName: '$T', Item: item, ...more },
});
export const updateAction = (key: WireItem, expression: string, more: JsonObject = {}): JsonObject => ({
  Update: { TableName: '$T', Key: key, UpdateExpression: expression, ...more },
});
export const deleteAction = (key: WireItem, more: JsonObject = {}): JsonObject => ({
  Delete: { TableName: '$T', Key: key, ...more },
});
export const checkAction = (key: WireItem, condition: string, more: JsonObject = {}): JsonObject => ({
  ConditionCheck: { TableName: '$T', Key: key, ConditionExpression: condition, ...more },
});
export const putRequest = (item: WireItem): JsonObject => ({ PutRequest: { Item: item } });
export const deleteRequest = (key: WireItem): JsonObject => ({ DeleteRequest: { Key: key } });

/** The answer of Query and Scan: these items, in this order, all in one page. */
export function items(...found: readonly WireItem[]): JsonObject {
  return { Count: found.length, ScannedCount: found.length, Items: found };
}

/** The reasons of a cancelled transaction: undefined for an action that did not fail. */
export function cancelled(...reasons: readonly (JsonObject | undefined)[]): Expectation {
  const all = reasons.map((reason) => reason ?? { Code: 'None' });
  const codes = all.map((reason) => String(reason['Code'])).join(', ');
  return error(
    'TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    { CancellationReasons: all },
  );
}

export const conditionReason = (item?: WireItem): JsonObject => ({
  Code: 'ConditionalCheckFailed',
  Message: 'The conditional request failed',
  ...(item === undefined ? {} : { Item: item }),
});

export const validationReason = (message: string | Matcher): JsonObject => ({
  Code: 'ValidationError',
  Message: message,
});

/** Global indexes are updated a moment after their table and refuse consistent reads. Everything else is read consistently. */
function reading(action: 'Query' | 'Scan', input: JsonObject): Call {
  const index = input['IndexName'];
  if (typeof index === 'string' && index.startsWith('gsi')) return call(action, input, { eventually: true });
  return call(action, 'ConsistentRead' in input ? input : { ...input, ConsistentRead: true });
}
