import {
  CreateTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import type { Model } from '../model.ts';
import { resolve } from '../resolve/resolve.ts';
import type { EntityInfo } from '../resolve/resolved.ts';
import { tableDefinitions, timeToLiveAttributes } from '../resolve/table-definitions.ts';
import { batchItemsMax, writeBatch } from './load.ts';
import { type StoredSample, storedSamples } from './stored-samples.ts';

/** How much to seed, and from which seed. */
export interface SeedOptions {
  /** Writes the items. */
  readonly client: DynamoDBClient;
  /** Names of the tables that differ from the model's. */
  readonly tables?: { readonly [table: string]: string };
  /** Creates tables that are missing. */
  readonly create?: boolean;
  /** Items of each entity. 100 by default. */
  readonly items?: number;
  /** A fraction of the items that entities expect (`expects.items`), for entities that declare it. */
  readonly scale?: number;
  /** Gives the same items again. */
  readonly seed?: number;
  /** The current time in milliseconds since 1970. Items that expire do so some days after it. */
  readonly now?: () => number;
  /** Called with the entity and the number of items written. */
  readonly onItems?: (entity: string, count: number) => void;
}

const tableWaitSeconds = 300;

/**
 * Fills the tables of a model with sample items, with the guards of unique attributes and the counts of parents as the
 * patterns would have left them.
 */
export async function seed(model: Model, options: SeedOptions): Promise<void> {
  const resolved = resolve(model);
  if (options.create === true) await createTables(model, options);
  const samples = storedSamples(resolved, {
    count: (entity) => countOf(entity, options),
    expiresFrom: (options.now ?? Date.now)(),
    ...(options.seed !== undefined && { seed: options.seed }),
  });
  let waiting: StoredSample[] = [];
  const flush = async (): Promise<void> => {
    await writeBatch(
      waiting.map(({ entity, item }) => ({ table: entity.table.name, item })),
      options,
    );
    for (const { entity, further } of waiting) if (!further) options.onItems?.(entity.name, 1);
    waiting = [];
  };
  for (const sample of samples) {
    waiting.push(sample);
    if (waiting.length === batchItemsMax) await flush();
  }
  await flush();
}

async function createTables(model: Model, { client, tables = {} }: SeedOptions): Promise<void> {
  const expires = new Map(Object.entries(timeToLiveAttributes(model)));
  for (const definition of tableDefinitions(model)) {
    const { TableName: declared = '' } = definition;
    const TableName = tables[declared] ?? declared;
    try {
      await client.send(new CreateTableCommand({ ...definition, TableName }));
    } catch (error) {
      if (!(error instanceof ResourceInUseException)) throw error;
      continue;
    }
    await waitUntilTableExists({ client, maxWaitTime: tableWaitSeconds }, { TableName });
    const AttributeName = expires.get(declared);
    if (AttributeName === undefined) continue;
    await client.send(
      new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: { AttributeName, Enabled: true } }),
    );
  }
}

function countOf({ rules }: EntityInfo, { items = 100, scale }: SeedOptions): number {
  const expected = rules.expects?.items;
  return scale === undefined || expected === undefined ? items : Math.max(1, Math.round(expected * scale));
}
