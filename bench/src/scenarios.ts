import type { Random } from './random.ts';
import {
  batchWriteItemsMax,
  batchWriteRequest,
  distinctItemIndexes,
  itemOf,
  itemsPerPartition,
  keyOf,
  partitionKeyOf,
  tableName,
  type WireObject,
} from './workload.ts';

export const scenarioNames = ['get', 'put', 'update', 'query', 'transact', 'batch'] as const;
export type ScenarioName = (typeof scenarioNames)[number];

/** One kind of request, the same for every server. Requests name items that exist; none changes the size of the table. */
export interface Scenario {
  readonly name: ScenarioName;
  readonly title: string;
  readonly action: string;
  readonly writes: boolean;
  request(random: Random, itemCount: number): WireObject;
  /** A reply as a server gives it: the bare server answers this text to everything. */
  readonly reply: WireObject;
  /** What is wrong with a reply, or undefined. */
  fault(reply: WireObject): string | undefined;
}

const anyReply = (): undefined => undefined;
const firstPartition = Array.from({ length: itemsPerPartition }, (_, index) => itemOf(index));

export const scenarios: Readonly<Record<ScenarioName, Scenario>> = {
  get: {
    name: 'get',
    title: 'GetItem',
    action: 'GetItem',
    writes: false,
    request: (random, itemCount) => ({ TableName: tableName, Key: keyOf(random(itemCount)) }),
    reply: { Item: itemOf(0) },
    fault: (reply) => (hasMembers(reply['Item'], 12) ? undefined : 'the reply has no item of 12 attributes'),
  },
  put: {
    name: 'put',
    title: 'PutItem',
    action: 'PutItem',
    writes: true,
    request: (random, itemCount) => ({ TableName: tableName, Item: itemOf(random(itemCount)) }),
    reply: {},
    fault: anyReply,
  },
  update: {
    name: 'update',
    title: 'UpdateItem with a condition',
    action: 'UpdateItem',
    writes: true,
    request: (random, itemCount) => updateOf(random(itemCount)),
    reply: {},
    fault: anyReply,
  },
  query: {
    name: 'query',
    title: 'Query of 20 items',
    action: 'Query',
    writes: false,
    request: (random, itemCount) => ({
      TableName: tableName,
      KeyConditionExpression: 'PK = :pk',
      ExpressionAttributeValues: { ':pk': { S: partitionKeyOf(random(itemCount)) } },
    }),
    reply: { Count: itemsPerPartition, Items: firstPartition, ScannedCount: itemsPerPartition },
    fault: (reply) =>
      reply['Count'] === itemsPerPartition ? undefined : `the reply has ${String(reply['Count'])} items instead of 20`,
  },
  transact: {
    name: 'transact',
    title: 'TransactWriteItems of 2 items',
    action: 'TransactWriteItems',
    writes: true,
    request: (random, itemCount) => {
      const [put = 0, update = 1] = distinctItemIndexes(random, itemCount, 2);
      return {
        TransactItems: [{ Put: { TableName: tableName, Item: itemOf(put) } }, { Update: updateOf(update) }],
      };
    },
    reply: {},
    fault: anyReply,
  },
  batch: {
    name: 'batch',
    title: 'BatchWriteItem of 25 items',
    action: 'BatchWriteItem',
    writes: true,
    request: (random, itemCount) => batchWriteRequest(distinctItemIndexes(random, itemCount, batchWriteItemsMax)),
    reply: { UnprocessedItems: {} },
    fault: (reply) => (hasMembers(reply['UnprocessedItems'], 0) ? undefined : 'the reply leaves items unprocessed'),
  },
};

/** Counts a version up, as optimistic locking does: one read, one condition on it, one write. */
function updateOf(itemIndex: number): WireObject {
  return {
    TableName: tableName,
    Key: keyOf(itemIndex),
    UpdateExpression: 'SET #version = #version + :one',
    ConditionExpression: 'attribute_exists(PK) AND #version >= :one',
    ExpressionAttributeNames: { '#version': 'Version' },
    ExpressionAttributeValues: { ':one': { N: '1' } },
  };
}

function hasMembers(value: unknown, count: number): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === count;
}
