import { type DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import type { OpenLoad, StoredItem } from '../http/load.ts';
import { RawTable } from './raw-table.ts';

/** What follows from a stream follows a moment later. */
const LOOKS_MAX = 120;
const BETWEEN_LOOKS_MS = 250;

/** The violations that remain when streams, queues and workers have caught up; empty as soon as there are none. */
export async function faultsOnceSettled(
  client: DynamoDBClient,
  faultsIn: OpenLoad['faultsIn'],
): Promise<readonly string[]> {
  for (let look = 1; ; look += 1) {
    const faults = faultsIn(await storedItems(client));
    if (faults.length === 0 || look === LOOKS_MAX) return faults;
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_LOOKS_MS));
  }
}

/** The items of all tables of a database. */
export async function storedItems(client: DynamoDBClient): Promise<readonly StoredItem[]> {
  const items: StoredItem[] = [];
  for await (const { TableNames = [] } of paginateListTables({ client }, {})) {
    for (const name of TableNames) items.push(...(await new RawTable(client, name).scan()));
  }
  return items;
}
