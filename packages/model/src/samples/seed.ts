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
import { ItemCodec, type Values } from '../run/item-codec.ts';
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
  /** The present in milliseconds since 1970: items that expire do so some days after it. */
  readonly now?: () => number;
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
      expiresFrom: (options.now ?? Date.now)(),
      ...(options.seed !== undefined && { seed: options.seed }),
    }),
  ]);
  let waiting: Waiting[] = [];
  const flush = async (): Promise<void> => {
    await writeBatch(
      waiting.map(({ entity, item }) => ({ table: entity.table.name, item })),
      options,
    );
    for (const { entity, further } of waiting) if (!further) options.onItems?.(entity.name, 1);
    waiting = [];
  };
  for (const { entity, values } of counted) {
    const codec = new ItemCodec(entity);
    const copies = Array.from({ length: entity.rules.copies ?? 1 }, (_, i) =>
      codec.encode(entity.rules.copies === undefined ? values : { ...values, copy: i + 1 }),
    );
    for (const [i, item] of [...copies, ...guardsOf(codec, values)].entries()) {
      waiting.push({ entity, item, further: i > 0 });
      if (waiting.length === batchItemsMax) await flush();
    }
  }
  await flush();
}

/** An item to be written; further ones belong to that before them: copies of it, and guards of its unique values. */
interface Waiting {
  readonly entity: EntityInfo;
  readonly item: StoredItem;
  readonly further: boolean;
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

/** What a parent keeps of its children: how many there are, or the last number it gave out. */
interface Tally {
  readonly parent: string;
  readonly counter: string;
  readonly by: readonly (readonly [parent: string, child: string])[];
  readonly add: (before: number, child: Values) => number;
}

function talliesOf({ parents, sequences }: EntityInfo): Tally[] {
  return [
    ...parents.flatMap(({ entity: parent, rules, by }): Tally[] =>
      rules.count === undefined ? [] : [{ parent, counter: rules.count, by, add: (before) => before + 1 }],
    ),
    ...sequences.map(({ attribute, counter, parent: { entity, by } }): Tally => ({
      parent: entity,
      counter,
      by,
      add: (before, child) => Math.max(before, Number(child[attribute] ?? 0)),
    })),
  ];
}

/** Parents count and number their children: the made-up value of a counter is replaced by the true one. */
function countChildren(samples: readonly SampleItem[]): readonly SampleItem[] {
  const counters = new Map<string, Map<string, readonly string[]>>();
  const counts = new Map<string, number>();
  const keyOf = (entity: string, counter: string, values: readonly unknown[]): string =>
    JSON.stringify([entity, counter, values.map(String)]);
  for (const { entity, values } of samples) {
    for (const { parent, counter, by, add } of talliesOf(entity)) {
      const names = by.map(([name]) => name);
      counters.set(parent, (counters.get(parent) ?? new Map<string, readonly string[]>()).set(counter, names));
      const key = keyOf(
        parent,
        counter,
        by.map(([, child]) => values[child]),
      );
      counts.set(key, add(counts.get(key) ?? 0, values));
    }
  }
  return samples.map((sample) => {
    const own = counters.get(sample.entity.name);
    if (own === undefined) return sample;
    const values: Record<string, unknown> = { ...sample.values };
    for (const [counter, names] of own) {
      const key = keyOf(
        sample.entity.name,
        counter,
        names.map((name) => sample.values[name]),
      );
      values[counter] = counts.get(key) ?? 0;
    }
    return { ...sample, values };
  });
}
