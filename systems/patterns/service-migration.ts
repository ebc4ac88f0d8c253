import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';

type Item = Readonly<Record<string, unknown>>;

export interface ParallelMigration {
  readonly tableName: string;
  /** Items of this `schemaVersion` are done. */
  readonly schemaVersion: number;
  /** The item in its new form, without its version. */
  readonly rewrite: (item: Item) => Item;
  readonly segments: number;
  readonly pageSize?: number;
  /** The position of each segment; kept by the caller, to resume. */
  readonly progress?: Map<number, Item | 'done'>;
}

/**
 * P-37 Rewrites all items of a table in place, with the given number of workers. An item that the application changes at the same moment is
 * read again: the condition is on its `version`.
 * @returns how many items were rewritten.
 */
export async function migrateInPlace(client: DynamoDBDocumentClient, migration: ParallelMigration): Promise<number> {
  const { tableName, segments, pageSize, progress = new Map<number, Item | 'done'>() } = migration;
  const workers = Array.from({ length: segments }, async (_, segment) => {
    let count = 0;
    for (;;) {
      const reached = progress.get(segment);
      if (reached === 'done') return count;
      const { Items = [], LastEvaluatedKey } = await client.send(
        new ScanCommand({
          TableName: tableName,
          Segment: segment,
          TotalSegments: segments,
          ...(pageSize !== undefined && { Limit: pageSize }),
          ...(reached !== undefined && { ExclusiveStartKey: reached }),
        }),
      );
      for (const item of Items) if (await rewriteItem(client, migration, item)) count += 1;
      progress.set(segment, LastEvaluatedKey ?? 'done');
    }
  });
  return (await Promise.all(workers)).reduce((sum, count) => sum + count, 0);
}

async function rewriteItem(client: DynamoDBDocumentClient, migration: ParallelMigration, item: Item): Promise<boolean> {
  const { tableName: TableName, schemaVersion, rewrite } = migration;
  const { PK, SK, version } = item;
  if (item['schemaVersion'] === schemaVersion) return false;
  try {
    await client.send(
      new PutCommand({
        TableName,
        Item: { ...rewrite(item), PK, SK, version, schemaVersion },
        ConditionExpression: '#version = :read',
        ExpressionAttributeNames: { '#version': 'version' },
        ExpressionAttributeValues: { ':read': version },
      }),
    );
    return true;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const { Item: newer } = await client.send(new GetCommand({ TableName, Key: { PK, SK }, ConsistentRead: true }));
    return newer === undefined ? false : await rewriteItem(client, migration, newer);
  }
}

/**
 * P-38 Touches every item that an index lists, so that the stream contains it. Items deleted meanwhile are not restored.
 * @returns how many items were touched.
 */
export async function touchAll(
  client: DynamoDBDocumentClient,
  options: { readonly tableName: string; readonly indexName: string; readonly run: string },
): Promise<number> {
  let count = 0;
  let from: Item | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new ScanCommand({
        TableName: options.tableName,
        IndexName: options.indexName,
        ...(from !== undefined && { ExclusiveStartKey: from }),
      }),
    );
    for (const { PK, SK } of Items) {
      try {
        await client.send(
          new UpdateCommand({
            TableName: options.tableName,
            Key: { PK, SK },
            UpdateExpression: 'SET migrationRun = :run',
            ConditionExpression: 'attribute_exists(PK)',
            ExpressionAttributeValues: { ':run': options.run },
          }),
        );
        count += 1;
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      }
    }
    from = LastEvaluatedKey;
  } while (from !== undefined);
  return count;
}
