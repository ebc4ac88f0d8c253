import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';

type Item = Readonly<Record<string, unknown>>;

/** The progress of each segment of a scan: the last key of a finished page, or that all are finished. */
export type Progress = Map<number, Item | 'done'>;

export interface Backfill {
  readonly tableName: string;
  /** The items: those of this `Type`. */
  readonly type: string;
  /** The attributes to add to an item. */
  readonly add: (item: Item) => Item;
  readonly segments?: number;
  readonly pageSize?: number;
  /** Kept by the caller, so that a run that ended early is resumed. */
  readonly progress?: Progress;
  /** Only counts. */
  readonly dryRun?: boolean;
}

/**
 * S-63 Adds attributes to the stored items of a type, while the application keeps writing: only these attributes are set, and
 * a deleted item is not restored. Deploy the writers of the new version first.
 * @returns how many items were, or would be, written.
 */
export async function backfill(client: DynamoDBDocumentClient, options: Backfill): Promise<number> {
  const { segments = 1 } = options;
  const workers = Array.from(
    { length: segments },
    async (_, segment) => await backfillSegment(client, options, segment),
  );
  return (await Promise.all(workers)).reduce((sum, count) => sum + count, 0);
}

/** S-64 One worker of a parallel scan: its own segment, its own pages. */
async function backfillSegment(client: DynamoDBDocumentClient, options: Backfill, segment: number): Promise<number> {
  const { tableName, type, segments = 1, pageSize, progress = new Map() as Progress, dryRun = false } = options;
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
        FilterExpression: '#type = :type',
        ExpressionAttributeNames: { '#type': 'Type' },
        ExpressionAttributeValues: { ':type': type },
      }),
    );
    for (const item of Items)
      if (dryRun || (await setAttributes(client, tableName, item, options.add(item)))) count += 1;
    progress.set(segment, LastEvaluatedKey ?? 'done');
  }
}

async function setAttributes(
  client: DynamoDBDocumentClient,
  TableName: string,
  item: Item,
  added: Item,
): Promise<boolean> {
  const entries = Object.entries(added);
  try {
    await client.send(
      new UpdateCommand({
        TableName,
        Key: { PK: item['PK'], SK: item['SK'] },
        UpdateExpression: `SET ${entries.map((_, n) => `#a${n} = :a${n}`).join(', ')}`,
        ConditionExpression: 'attribute_exists(PK)',
        ExpressionAttributeNames: Object.fromEntries(entries.map(([name], n) => [`#a${n}`, name])),
        ExpressionAttributeValues: Object.fromEntries(entries.map(([, value], n) => [`:a${n}`, value])),
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
