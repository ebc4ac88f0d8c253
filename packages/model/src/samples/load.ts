import { BatchWriteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Entities, Entity, Flat, Omittable } from '../entities/entity.ts';
import { InputError } from '../model-error.ts';
import type { Model, Needs } from '../model.ts';
import { resolve } from '../resolve/resolve.ts';
import type { ResolvedModel } from '../resolve/resolved.ts';
import type { InputOf } from '../schema/standard-schema.ts';
import type { StoredItem } from '../run/attribute-value.ts';
import * as evaluator from '../patterns/evaluate.ts';
import { turnedItem } from '../run/coded.ts';
import { ItemCodec, type Values } from '../run/item-codec.ts';
import { markerBody, markerKey } from '../run/marker.ts';
import { UnprocessedError } from '../run/rule-error.ts';

/** Options for loading samples into tables. */
export interface LoadOptions {
  /** Writes the items. */
  readonly client: DynamoDBClient;
  /** Names of the tables that differ from the model's. */
  readonly tables?: { readonly [table: string]: string };
  /** Batches in flight at a time. 4 by default. */
  readonly batches?: number;
  /** Called with the number of items written since the last call. */
  readonly onItems?: (count: number) => void;
}

/**
 * What is loaded: every attribute as its schema takes it, versions and numbers of sequences included. Computed attributes are computed again.
 */
export type LoadedItemOf<E extends Entity> = Flat<
  {
    [K in Exclude<keyof E['attributes'], MayBeLeftOut<E>>]: InputOf<E['attributes'][K]>;
  } & {
    [K in MayBeLeftOut<E>]?: InputOf<E['attributes'][K]>;
  }
>;

type MayBeLeftOut<E extends Entity> =
  Omittable<E['attributes']> | (E['rules'] extends { computed: infer C } ? keyof C & keyof E['attributes'] : never);

export const batchItemsMax = 25;
const attemptsMax = 10;
const batchesUsual = 4;

/**
 * Writes items unchanged, in batches, replacing existing ones: for fixtures and for data from elsewhere. Keys,
 * types and the guards of unique attributes are written with them. Sequence numbers, versions and the counts of parents are taken from
 * the items. Nothing is counted, so they must already agree.
 *
 * @returns how many items were written; guards are not counted.
 * @throws {InputError} for values that the schemas reject.
 * @throws {UnprocessedError} if the service repeatedly leaves items unprocessed.
 */
export async function load<D extends Entities, P extends Needs, N extends keyof D & string>(
  model: Model<D, P>,
  entity: N,
  items: Iterable<LoadedItemOf<D[N]>>,
  options: LoadOptions,
): Promise<number> {
  const info = resolvedOnce(model).entities.get(entity);
  if (info === undefined) throw new InputError('unknown-entity', entity, 'has no keys in the model');
  const codec = new ItemCodec(info, evaluator);
  const batches = batchesOf(codec, items);
  let written = 0;
  const worker = async (): Promise<void> => {
    for (const { stored, count } of batches) {
      await writeBatch(
        stored.map((item) => ({ table: info.table.name, item })),
        options,
      );
      written += count;
      options.onItems?.(count);
    }
  };
  await Promise.all(Array.from({ length: options.batches ?? batchesUsual }, worker));
  return written;
}

const resolved = new WeakMap<Model, ResolvedModel>();

/** Data often comes in many small loads. */
function resolvedOnce(model: Model): ResolvedModel {
  const known = resolved.get(model) ?? resolve(model);
  resolved.set(model, known);
  return known;
}

/** Batches of stored items with their guards, and how many of each batch are not guards. Workers take the next batch in turn. */
function* batchesOf(
  codec: ItemCodec,
  items: Iterable<Values>,
): Generator<{ readonly stored: StoredItem[]; readonly count: number }> {
  const { copies } = codec.entity.rules;
  let batch = { stored: [] as StoredItem[], count: 0 };
  for (const item of items) {
    const values = codec.parse(turnedItem('encode', codec.entity, item));
    const encoded =
      copies === undefined
        ? [codec.encode(values)]
        : Array.from({ length: copies }, (_, i) => codec.encode({ ...values, copy: i + 1 }));
    for (const stored of [...encoded, ...guardsOf(codec, values)]) {
      if (batch.stored.length === batchItemsMax) {
        yield batch;
        batch = { stored: [], count: 0 };
      }
      batch.stored.push(stored);
    }
    batch.count += 1;
  }
  if (batch.stored.length > 0) yield batch;
}

/** The items that guard an item's unique attributes. */
export function guardsOf(codec: ItemCodec, values: Values): StoredItem[] {
  return codec.entity.unique.flatMap((unique) => {
    const key = values[unique.attribute] === undefined ? undefined : markerKey(codec, unique, values);
    return key === undefined ? [] : [{ ...key, ...markerBody(codec, unique, values) }];
  });
}

/** Writes up to 25 items. Items that the service leaves unprocessed are sent again. */
export async function writeBatch(
  items: readonly { readonly table: string; readonly item: StoredItem }[],
  { client, tables = {} }: Pick<LoadOptions, 'client' | 'tables'>,
): Promise<void> {
  let requests: Record<string, { PutRequest: { Item: StoredItem } }[]> = {};
  for (const { table, item } of items) (requests[tables[table] ?? table] ??= []).push({ PutRequest: { Item: item } });
  for (let attempt = 0; Object.keys(requests).length > 0; attempt += 1) {
    if (attempt === attemptsMax) throw new UnprocessedError('load', Object.values(requests).flat().length);
    if (attempt > 0) await new Promise((done) => setTimeout(done, Math.min(1000, 20 * 2 ** attempt)));
    const { UnprocessedItems = {} } = await client.send(new BatchWriteItemCommand({ RequestItems: requests }));
    requests = UnprocessedItems as typeof requests;
  }
}
