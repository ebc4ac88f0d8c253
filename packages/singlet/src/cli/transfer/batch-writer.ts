import type * as Sdk from '@aws-sdk/client-dynamodb';
import { setTimeout as sleep } from 'node:timers/promises';
import { itemMapOf, type ItemRecord } from '../../transfer/formats/index.ts';
import type { UncheckedAttributeMap } from '../../values/attribute-value.ts';
import { ItemText } from '../../values/item-text.ts';
import type { TableEndpoint } from './dynamodb-endpoint.ts';
import { setRequestText } from './request-text.ts';
import { toSdkItem } from './sdk-values.ts';

/** The backoff between attempts to write what an endpoint has left unprocessed, in milliseconds. */
const firstDelayMs = 50;
const lastDelayMs = 5000;

/** An item that the endpoint refuses. */
export interface RefusedItem {
  readonly record: ItemRecord;
  readonly reason: string;
}

/**
 * Writes the records of a batch. Unprocessed records are retried with increasing backoff.
 *
 * @param records - as many as fit into one request, each for a different item.
 * @returns the items that the endpoint refuses. The others are written.
 */
export async function writeRecords(
  endpoint: TableEndpoint,
  records: readonly ItemRecord[],
  sleepMs: (delayMs: number) => Promise<unknown> = sleep,
): Promise<readonly RefusedItem[]> {
  if (await isAccepted(endpoint, records, sleepMs)) return [];
  // One invalid item makes the endpoint refuse the whole batch without writing any of it, so each is then written separately.
  const refused: RefusedItem[] = [];
  for (const record of records) {
    const reason = await problemOf(endpoint, record);
    if (reason !== undefined) refused.push({ record, reason });
  }
  return refused;
}

/** @returns false if the endpoint refuses the batch. */
async function isAccepted(
  endpoint: TableEndpoint,
  batch: readonly ItemRecord[],
  sleepMs: (delayMs: number) => Promise<unknown>,
): Promise<boolean> {
  const { sdk, client, table } = endpoint;
  const tableName = table.TableName ?? '';
  try {
    let answer = await client.send(batchCommand(endpoint, batch));
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 2, lastDelayMs)) {
      const requests = answer.UnprocessedItems?.[tableName] ?? [];
      if (requests.length === 0) return true;
      await sleepMs(delayMs * (0.5 + Math.random() / 2));
      answer = await client.send(new sdk.BatchWriteItemCommand({ RequestItems: { [tableName]: requests } }));
    }
  } catch (error) {
    if (isValidation(error)) return false;
    throw error;
  }
}

/** The items are sent as the text that they already have. */
function batchCommand({ sdk, table }: TableEndpoint, batch: readonly ItemRecord[]): Sdk.BatchWriteItemCommand {
  const tableName = table.TableName ?? '';
  const command = new sdk.BatchWriteItemCommand({ RequestItems: { [tableName]: [] } });
  setRequestText(command, batchText(tableName, batch), readBatchAnswer);
  return command;
}

function batchText(tableName: string, batch: readonly ItemRecord[]): Buffer {
  const parts: Buffer[] = [];
  for (const { item } of batch) {
    parts.push(parts.length === 0 ? firstPut : nextPut);
    parts.push(item instanceof ItemText ? item.json : Buffer.from(JSON.stringify(item), 'utf8'));
  }
  const start = Buffer.from(`{"RequestItems":{${JSON.stringify(tableName)}:[`, 'utf8');
  return Buffer.concat([start, ...parts, lastPut]);
}

const firstPut = Buffer.from('{"PutRequest":{"Item":');
const nextPut = Buffer.from('}},{"PutRequest":{"Item":');
const lastPut = Buffer.from('}}]}}');

function readBatchAnswer(answer: unknown): Pick<Sdk.BatchWriteItemOutput, 'UnprocessedItems'> {
  const { UnprocessedItems = {} } = answer as {
    readonly UnprocessedItems?: Readonly<
      Record<string, readonly { readonly PutRequest: { readonly Item: UncheckedAttributeMap } }[]>
    >;
  };
  const sdkRequests = Object.entries(UnprocessedItems).map(([tableName, requests]) => [
    tableName,
    requests.map(({ PutRequest }) => ({ PutRequest: { Item: toSdkItem(PutRequest.Item) } })),
  ]);
  return { UnprocessedItems: Object.fromEntries(sdkRequests) as Sdk.BatchWriteItemOutput['UnprocessedItems'] };
}

async function problemOf({ sdk, client, table }: TableEndpoint, record: ItemRecord): Promise<string | undefined> {
  try {
    const Item = toSdkItem(itemMapOf(record));
    await client.send(new sdk.PutItemCommand({ TableName: table.TableName, Item }));
    return undefined;
  } catch (error) {
    if (isValidation(error)) return error.message;
    throw error;
  }
}

function isValidation(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ValidationException';
}
