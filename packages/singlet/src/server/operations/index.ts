import { batchExecuteStatement } from './batch-execute-statement.ts';
import { batchGetItem } from './batch-get-item.ts';
import { batchWriteItem } from './batch-write-item.ts';
import { createTable } from './create-table.ts';
import { deleteItem } from './delete-item.ts';
import { deleteTable } from './delete-table.ts';
import { describeEndpoints } from './describe-endpoints.ts';
import { describeLimits } from './describe-limits.ts';
import { describeTable } from './describe-table.ts';
import { describeTimeToLive } from './describe-time-to-live.ts';
import { executeStatement } from './execute-statement.ts';
import { executeTransaction } from './execute-transaction.ts';
import { getItem } from './get-item.ts';
import { listTables } from './list-tables.ts';
import { listTagsOfResource } from './list-tags-of-resource.ts';
import type { ActionName, Operation } from './operation.ts';
import { putItem } from './put-item.ts';
import { query } from './query.ts';
import { scan } from './scan.ts';
import { tagResource } from './tag-resource.ts';
import { transactGetItems } from './transact-get-items.ts';
import { transactWriteItems } from './transact-write-items.ts';
import { untagResource } from './untag-resource.ts';
import { updateItem } from './update-item.ts';
import { updateTable } from './update-table.ts';
import { updateTimeToLive } from './update-time-to-live.ts';

/** Every action of the engine; the type makes sure that none is missing. */
const operations: { readonly [A in ActionName]: Operation } = {
  BatchExecuteStatement: batchExecuteStatement,
  BatchGetItem: batchGetItem,
  BatchWriteItem: batchWriteItem,
  CreateTable: createTable,
  DeleteItem: deleteItem,
  DeleteTable: deleteTable,
  DescribeEndpoints: describeEndpoints,
  DescribeLimits: describeLimits,
  DescribeTable: describeTable,
  DescribeTimeToLive: describeTimeToLive,
  ExecuteStatement: executeStatement,
  ExecuteTransaction: executeTransaction,
  GetItem: getItem,
  ListTables: listTables,
  ListTagsOfResource: listTagsOfResource,
  PutItem: putItem,
  Query: query,
  Scan: scan,
  TagResource: tagResource,
  TransactGetItems: transactGetItems,
  TransactWriteItems: transactWriteItems,
  UntagResource: untagResource,
  UpdateItem: updateItem,
  UpdateTable: updateTable,
  UpdateTimeToLive: updateTimeToLive,
};

const apiVersion = 'DynamoDB_20120810';

/**
 * Operations by the value of the `X-Amz-Target` header. Another API (streams) is another prefix in this map.
 */
export const operationsByTarget: ReadonlyMap<string, Operation> = new Map(
  Object.entries(operations).map(([action, operation]) => [`${apiVersion}.${action}`, operation]),
);

/** The operation of an action by its name, `GetItem`; undefined for a name that is none. */
export function operationOfAction(action: string): Operation | undefined {
  return operationsByTarget.get(`${apiVersion}.${action}`);
}
