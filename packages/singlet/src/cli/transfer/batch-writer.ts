import type * as Sdk from '@aws-sdk/client-dynamodb';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ItemRecord } from '../../transfer/formats/index.ts';
import type { TableEndpoint } from './dynamodb-endpoint.ts';
import { toSdkItem } from './sdk-values.ts';

/** Items in one BatchWriteItem. */
export const batchItems = 25;

/** Waits between attempts to write what an endpoint has left unprocessed, in milliseconds. */
const firstDelayMs = 50;
const lastDelayMs = 5000;

/** An item that the endpoint refuses. */
export interface RefusedItem {
  readonly record: ItemRecord;
  readonly reason: string;
}

/**
 * Writes up to {@link batchItems} records, in as many requests as it takes: items with the same key one after the other, and
 * what comes back unprocessed again and again, ever more slowly.
 *
 * @returns the items that the endpoint refuses. The others are written.
 */
export async function writeRecords(
  endpoint: TableEndpoint,
  records: readonly ItemRecord[],
  sleepMs: (delayMs: number) => Promise<unknown> = sleep,
): Promise<readonly RefusedItem[]> {
  const refused: RefusedItem[] = [];
  for (const batch of withDistinctKeys(endpoint, records)) {
    if (await isAccepted(endpoint, batch, sleepMs)) continue;
    // One wrong item makes a whole batch be refused, and nothing of it is written: each on its own, then.
    for (const record of batch) {
      const reason = await problemOf(endpoint, record);
      if (reason !== undefined) refused.push({ record, reason });
    }
  }
  return refused;
}

/** @returns false when the endpoint refuses the batch. */
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

/**
 * A command that carries the items as the text they have in a request. The SDK would walk through each value several times, for a third of
 * the time of an import; what it signs, sends and sends again is the same.
 */
function batchCommand({ sdk, table }: TableEndpoint, batch: readonly ItemRecord[]): Sdk.BatchWriteItemCommand {
  const tableName = table.TableName ?? '';
  const command = new sdk.BatchWriteItemCommand({ RequestItems: { [tableName]: [] } });
  const requests = batch.map(({ item }) => ({ PutRequest: { Item: item } }));
  const body = JSON.stringify({ RequestItems: { [tableName]: requests } });
  // After the SDK has made its own body, and before anything is done with it.
  command.middlewareStack.add(
    (next) => (step) => {
      Object.assign(step.request as object, { body });
      return next(step);
    },
    { step: 'serialize', priority: 'low', name: 'itemsAsText' },
  );
  return command;
}

async function problemOf({ sdk, client, table }: TableEndpoint, { item }: ItemRecord): Promise<string | undefined> {
  try {
    await client.send(new sdk.PutItemCommand({ TableName: table.TableName, Item: toSdkItem(item) }));
    return undefined;
  } catch (error) {
    if (isValidation(error)) return error.message;
    throw error;
  }
}

function isValidation(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ValidationException';
}

/** A batch with a key twice is refused: cut before the second. */
function* withDistinctKeys({ table }: TableEndpoint, records: readonly ItemRecord[]): Generator<readonly ItemRecord[]> {
  const names = (table.KeySchema ?? []).map(({ AttributeName = '' }) => AttributeName);
  let batch: ItemRecord[] = [];
  let keys = new Set<string>();
  for (const record of records) {
    const key = JSON.stringify(names.map((name) => comparable(record.item[name] as Sdk.AttributeValue | undefined)));
    if (keys.has(key)) {
      yield batch;
      batch = [];
      keys = new Set();
    }
    keys.add(key);
    batch.push(record);
  }
  if (batch.length > 0) yield batch;
}

/** Numbers that are equal may be written in many ways: all of them count as the same, at the cost of a request. */
function comparable(value: Sdk.AttributeValue | undefined): unknown {
  return value?.N === undefined ? value : Number(value.N);
}
