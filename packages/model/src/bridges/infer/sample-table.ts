import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import type { StoredItem } from '../../run/attribute-value.ts';
import type { TableSample } from './infer-model.ts';

/** How a table is sampled. */
export interface SampleTableOptions {
  /** Reads the table: DescribeTable and Scan. */
  readonly client: DynamoDBClient;
  /** Maximum number of items. 2,000 by default. */
  readonly items?: number;
}

const itemsDefault = 2000;
const segments = 8;

/**
 * Reads a table's description and a bounded sample of its items, some from each of eight segments, since the beginning of a table
 * may be one item collection.
 */
export async function sampleTable(
  table: string,
  { client, items: most = itemsDefault }: SampleTableOptions,
): Promise<TableSample> {
  const { Table: description = {} } = await client.send(new DescribeTableCommand({ TableName: table }));
  const { TimeToLiveDescription: expiry } = await client.send(new DescribeTimeToLiveCommand({ TableName: table }));
  const expires = expiry?.TimeToLiveStatus === 'ENABLED' ? expiry.AttributeName : undefined;
  const items: StoredItem[] = [];
  for (let segment = 0; segment < segments; segment += 1) {
    const share = Math.ceil((most - items.length) / (segments - segment));
    items.push(...(await readSegment(client, table, segment, share)));
  }
  return { description, items: items.filter((item) => !isCheckpoint(item)), ...(expires !== undefined && { expires }) };
}

/** A migration's checkpoint, which is not an item of the application. */
function isCheckpoint(item: StoredItem): boolean {
  return (
    item['Checkpoint']?.S !== undefined && Object.values(item).some(({ S }) => S?.startsWith('MIGRATION#') === true)
  );
}

async function readSegment(
  client: DynamoDBClient,
  TableName: string,
  Segment: number,
  most: number,
): Promise<StoredItem[]> {
  const items: StoredItem[] = [];
  let start: StoredItem | undefined;
  while (items.length < most) {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new ScanCommand({
        TableName,
        Segment,
        TotalSegments: segments,
        Limit: most - items.length,
        ...(start !== undefined && { ExclusiveStartKey: start }),
      }),
    );
    items.push(...Items);
    if (LastEvaluatedKey === undefined) break;
    start = LastEvaluatedKey;
  }
  return items;
}
