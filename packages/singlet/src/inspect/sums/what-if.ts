import { createHash } from 'node:crypto';
import type { HeatReport, RuleReport } from '../../engine/index.ts';
import type { AttributeMap } from '../../values/attribute-value.ts';
import { ValidationException } from '../../values/service-error.ts';
import { type HotKey, hotKeys } from './hot-keys.ts';

/** The recorded load of the hottest partition key, redistributed. This reads and writes no items. */
export interface WhatIf {
  readonly shards: number;
  /** Null if nothing has been recorded yet. */
  readonly key: AttributeMap | null;
  /** The present load of that key. */
  readonly now: Load;
  /** The load of the hottest shard if each item gets a random shard. */
  readonly random: Load;
  /** The load of the hottest shard if the hash of the sort key chooses the shard; null if there is no sort key. */
  readonly bySortKey: Load | null;
  /** What one partition can serve. */
  readonly partition: Load;
  /** Another partition key that would then be hotter than any shard; null if there is none. */
  readonly hottestThen: HotKey | null;
  /** The number of requests that a query for the whole collection would then take. */
  readonly requestsPerQuery: number;
  /** The minimum read units of such a query, eventually consistent. */
  readonly unitsPerQueryMin: number;
}

/** Units per second. */
export interface Load {
  readonly reads: number;
  readonly writes: number;
}

const shardsMax = 1000;
const leastReadUnits = 0.5;
/** A write unit counts as three read units, as in the service's insights. */
const writtenUnitWeight = 3;

/**
 * @param report - the combined records of all processes.
 * @throws {ValidationException} for an invalid number of shards.
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
 * The share of a partition key's load on its hottest shard if `shard` of the modelling toolkit chooses by the sort key: the counted keys are
 * assigned by their hash, and the rest is spread evenly. Undefined if there is no sort key.
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
