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
import type { StoredItem } from '../run/attribute-value.ts';
import { ItemCodec } from '../run/item-codec.ts';
import { batchItemsMax, guardsOf, writeBatch } from './load.ts';
import { type SampleItem, sampleItems } from './sample-items.ts';

export interface SeedOptions {
  readonly client: DynamoDBClient;
  /** Names of the tables where they differ from the model's. */
  readonly tables?: { readonly [table: string]: string };
  /** Creates tables that are missing. */
  readonly create?: boolean;
  /** Items of each entity. 100 by default. */
  readonly items?: number;
  /** A share of what entities expect (`expects.items`), for those that say so. */
  readonly scale?: number;
  readonly seed?: number;
  /** Sees what has been written. */
  readonly onItems?: (entity: string, count: number) => void;
}

const tableWaitSeconds = 300;

/**
 * Fills the tables of a model with made-up items, with the guards of unique attributes and the counts of parents as the
 * patterns would have left them.
 */
export async function seed(model: Model, options: SeedOptions): Promise<void> {
  const resolved = resolve(model);
  if (options.create === true) await createTables(model, options);
  const counted = countChildren([
    ...sampleItems(resolved, {
      count: (entity) => countOf(entity, options),
      ...(options.seed !== undefined && { seed: options.seed }),
    }),
  ]);
  let waiting: Waiting[] = [];
  const flush = async (): Promise<void> => {
    await writeBatch(
      waiting.map(({ entity, item }) => ({ table: entity.table.name, item })),
      options,
    );
    for (const { entity, guard } of waiting) if (!guard) options.onItems?.(entity.name, 1);
    waiting = [];
  };
  for (const sample of counted) {
    const guards = guardsOf(new ItemCodec(sample.entity), sample.values).map((item) => ({
      entity: sample.entity,
      item,
      guard: true,
    }));
    for (const each of [{ entity: sample.entity, item: sample.stored, guard: false }, ...guards]) {
      waiting.push(each);
      if (waiting.length === batchItemsMax) await flush();
    }
  }
  await flush();
}

/** An item to be written; a guard belongs to the item before it. */
interface Waiting {
  readonly entity: EntityInfo;
  readonly item: StoredItem;
  readonly guard: boolean;
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

/** Parents count their children: the made-up number is replaced by the true one. */
function countChildren(samples: readonly SampleItem[]): readonly SampleItem[] {
  const counts = new Map<string, number>();
  const keyOf = (entity: string, counter: string, values: readonly unknown[]): string =>
    JSON.stringify([entity, counter, values.map(String)]);
  for (const { entity, values } of samples) {
    for (const { entity: parent, rules, by } of entity.parents) {
      if (rules.count === undefined) continue;
      const key = keyOf(
        parent,
        rules.count,
        by.map(([, child]) => values[child]),
      );
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  const counters = new Map<string, Map<string, readonly string[]>>();
  for (const { entity } of samples) {
    for (const { entity: parent, rules, by } of entity.parents) {
      if (rules.count === undefined) continue;
      const known = counters.get(parent) ?? new Map<string, readonly string[]>();
      counters.set(
        parent,
        known.set(
          rules.count,
          by.map(([name]) => name),
        ),
      );
    }
  }
  return samples.map((sample) => {
    const own = counters.get(sample.entity.name);
    if (own === undefined) return sample;
    const stored = { ...sample.stored };
    const values: Record<string, unknown> = { ...sample.values };
    for (const [counter, names] of own) {
      const count =
        counts.get(
          keyOf(
            sample.entity.name,
            counter,
            names.map((name) => sample.values[name]),
          ),
        ) ?? 0;
      stored[sample.entity.attributes.get(counter)?.stored ?? counter] = { N: String(count) };
      values[counter] = count;
    }
    return { ...sample, stored, values };
  });
}
