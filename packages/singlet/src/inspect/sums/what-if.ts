import { createHash } from 'node:crypto';
import type { HeatReport, RuleReport } from '../../engine/index.ts';
import type { AttributeMap } from '../../values/attribute-value.ts';
import { ValidationException } from '../../values/service-error.ts';
import { type HotKey, hotKeys } from './hot-keys.ts';

/** The recorded load of the hottest partition key, distributed again. Nothing is read or written for it. */
export interface WhatIf {
  readonly shards: number;
  /** Null where nothing has been recorded yet. */
  readonly key: AttributeMap | null;
  /** Units per second of that key as it is. */
  readonly now: Load;
  /** Of the hottest shard, with a shard chosen at random for each item. */
  readonly random: Load;
  /** Of the hottest shard, with the shard chosen by the hash of the sort key; null where there is none. */
  readonly bySortKey: Load | null;
  /** What one partition serves. */
  readonly partition: Load;
  /** Another partition key that would be hotter than its shards then; null where there is none. */
  readonly hottestThen: HotKey | null;
  /** Requests that a query for all of the collection takes then. */
  readonly requestsPerQuery: number;
  /** Read units that such a query takes at least, eventually consistent. */
  readonly unitsPerQueryMin: number;
}

/** Units per second. */
export interface Load {
  readonly reads: number;
  readonly writes: number;
}

const shardsMax = 1000;
const leastReadUnits = 0.5;
/** A written unit counts as three read ones, as in the service's insights. */
const writtenUnitWeight = 3;

/**
 * @param report - what all processes have recorded together.
 * @throws {ValidationException} for a number of shards that cannot be.
 */
export function whatIf({ rules, atMs, partitionReads, partitionWrites }: HeatReport, shards: number): WhatIf {
  if (!Number.isInteger(shards) || shards < 1 || shards > shardsMax) {
    throw new ValidationException(`"shards" must be a whole number from 1 to ${shardsMax}.`);
  }
  const [hottest, second] = hotKeys(rules, atMs);
  const now = { reads: hottest?.reads ?? 0, writes: hottest?.writes ?? 0 };
  const random = scaled(now, 1 / shards);
  const bySortKey = hottest && largestShare(hottest.key, rules, shards);
  return {
    shards,
    key: hottest?.key ?? null,
    now,
    random,
    bySortKey: bySortKey === undefined ? null : scaled(now, bySortKey),
    partition: { reads: partitionReads, writes: partitionWrites },
    hottestThen: second !== undefined && weightOf(second) > weightOf(random) ? second : null,
    requestsPerQuery: shards,
    unitsPerQueryMin: shards * leastReadUnits,
  };
}

/**
 * The part of a partition key's load that its hottest shard has when `shard` of the modelling toolkit chooses by the sort key: the
 * keys that were counted go where their hash says, and the rest is spread evenly. Undefined where there is no sort key.
 */
function largestShare(key: AttributeMap, rules: readonly RuleReport[], shards: number): number | undefined {
  const whole = rules.find(({ rule }) => rule === 'SKC');
  const total = rules.find(({ rule }) => rule === 'PKC')?.contributors[0]?.weight ?? 0;
  if (whole === undefined || total === 0) return undefined;
  const names = Object.keys(key);
  const loads = new Float64Array(shards);
  let counted = 0;
  for (const { key: item, weight } of whole.contributors) {
    if (names.some((name) => JSON.stringify(item[name]) !== JSON.stringify(key[name]))) continue;
    const sort = Object.entries(item).flatMap(([name, value]) => (names.includes(name) ? [] : Object.values(value)));
    const shard = createHash('sha256').update(sort.join()).digest().readUInt32BE(0) % shards;
    loads[shard] = (loads[shard] ?? 0) + weight;
    counted += weight;
  }
  const rest = Math.max(0, total - counted) / shards;
  return Math.min(1, (Math.max(...loads) + rest) / total);
}

function scaled({ reads, writes }: Load, part: number): Load {
  return { reads: rounded(reads * part), writes: rounded(writes * part) };
}

function weightOf({ reads, writes }: Load): number {
  return reads + writes * writtenUnitWeight;
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
