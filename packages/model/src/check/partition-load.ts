import { readUnitBytes, writeUnitBytes } from '../cost/capacity-units.ts';
import { entryBytes, itemBytes } from '../cost/item-size.ts';
import { shardsOf } from '../keys/template.ts';
import { keyVariables } from '../resolve/entities.ts';
import type { EntityInfo, KeySlot, PatternInfo, PlaceInfo, ResolvedModel } from '../resolve/resolved.ts';
import { sourceOf } from '../resolve/slots.ts';
import { variablesOf, writesOf } from './residents.ts';

/** The throughput of one partition, in capacity units per second. */
export const partitionReadsMax = 3000;
export const partitionWritesMax = 1000;
/** A remedy does not propose more shards: a query reads them all. */
const shardsMax = 256;

/** Capacity units per second. */
export interface Load {
  readonly reads: number;
  readonly writes: number;
}

/** The items of an entity under one partition key, and the queries that read them. */
export interface KeyUse {
  readonly entity: EntityInfo;
  readonly place: PlaceInfo;
  readonly partition: readonly KeySlot[];
  readonly queries: readonly PatternInfo[];
}

/** Over how many partitions shards spread one value of a key; 1 without shards. */
export function shardCount(partition: readonly KeySlot[]): number {
  return variablesOf(partition).reduce((product, variable) => product * (shardsOf(variable)?.count ?? 1), 1);
}

/** Whether one partition serves the load. */
export function isServed({ reads, writes }: Load): boolean {
  return reads <= partitionReadsMax && writes <= partitionWritesMax;
}

/**
 * The load that the declared rates put on one of a number of shards, for all values of the key together. Writes and reads of single items
 * are divided between shards. A query reads each shard, a page of it at most.
 */
export function loadOf(
  model: ResolvedModel,
  use: KeyUse,
  shards: number,
  copies: number = use.entity.rules.copies ?? 1,
): Load {
  const bytes = bytesOf(use);
  let [reads, writes] = [0, 0];
  for (const { pattern, write } of writesOf(model)) {
    if (write.entity !== use.entity) continue;
    const items = write.many ? (pattern.need.volume?.typical ?? 1) : 1;
    writes += ((pattern.need.rate ?? 0) * items * Math.ceil(bytes / writeUnitBytes)) / shards;
  }
  for (const { need } of use.queries) {
    const found = (need.volume?.typical ?? need.limit ?? 1) / shards;
    const items = Math.min(need.limit ?? Number.POSITIVE_INFINITY, found);
    reads += (need.rate ?? 0) * readUnits(items * bytes, need.consistent);
  }
  if (use.place !== use.entity.table.place) return { reads, writes };
  for (const { need, plan } of model.patterns.values()) {
    if ((plan?.kind !== 'get' && plan?.kind !== 'batch-get') || plan.part.entity !== use.entity) continue;
    const items = plan.kind === 'get' ? 1 : (need.volume?.typical ?? 1);
    reads += ((need.rate ?? 0) * items * readUnits(bytes, need.consistent)) / shards / copies;
  }
  return { reads, writes };
}

/**
 * How to spread a key over as many partitions as its load needs.
 *
 * @param values - the number of values of the key, without shards.
 */
export function spreadRemedy(model: ResolvedModel, use: KeyUse, values = 1): string {
  const { entity, partition, queries } = use;
  const perValue = ({ reads, writes }: Load): Load => ({ reads: reads / values, writes: writes / values });
  const least = (loadWith: (count: number) => Load): number | undefined =>
    counts.find((count) => isServed(perValue(loadWith(count))));
  const key = shardedKey(use);
  if (key === undefined) {
    const copies =
      use.place === entity.table.place ? least((count) => loadOf(model, use, shardCount(partition), count)) : undefined;
    return copies === undefined
      ? `It is one item: split ${entity.name} into several, such as one for each shard of a counter, and add them up where they are read.`
      : `Keep ${copies} identical copies, \`entity({ … }, { copies: ${copies} })\`, with \`{copy}\` in the partition key: a read picks one.`;
  }
  const shards = least((count) => loadOf(model, use, count));
  if (shards === undefined)
    return `A query reads every shard, so that more of them do not help: cache what is read, or keep it in an item with \`copies\`.`;
  const read = queries.length === 0 ? '' : `, and \`fanOut: ${shards}\` where it is queried`;
  return `Spread it over ${shards} shards: \`${key(shards)}\`${read}.`;
}

const counts = Array.from({ length: shardsMax - 1 }, (_, i) => i + 2);

function bytesOf({ entity, place }: KeyUse): number {
  const index = entity.indexes.find((each) => each.place === place);
  return index === undefined ? itemBytes(entity) : entryBytes(entity, index);
}

function readUnits(bytes: number, consistent = false): number {
  return Math.ceil(bytes / readUnitBytes) / (consistent ? 1 : 2);
}

/** The partition key with a number of shards; undefined if the entity's key has nothing to choose the shard by. */
function shardedKey({ entity, partition }: KeyUse): ((shards: number) => string) | undefined {
  const sources = partition.map(({ template }) => template.source);
  const known = /:shard\d+\}/;
  if (sources.some((source) => known.test(source)))
    return (shards) => sources.map((source) => source.replace(known, `:shard${shards}}`)).join(' / ');
  // A unit of time has many ids.
  const inKey = new Set(
    variablesOf(partition).flatMap(({ name, encoders }) =>
      encoders.some(({ unit }) => unit !== undefined) ? [] : [name],
    ),
  );
  const by = keyVariables(entity).findLast((name) => name !== 'copy' && !inKey.has(name));
  if (by === undefined) return undefined;
  return (shards) => `${sourceOf(partition)}${entity.table.separator}{${by}:shard${shards}}`;
}
