import { type AttributeMap, getAttribute } from '../../values/attribute-value.ts';
import type { Limits } from '../../values/limits.ts';
import type { KeySchema } from '../catalog/table.ts';
import { type Contributor, KeyInsights } from './key-insights.ts';
import type { ThroughputKind, ThroughputLimit } from './throughput-settings.ts';
import type { RefusedRequests } from './shared-consumption.ts';

/** How often requests exceeded a limit. */
export interface ThrottledCount {
  /** Which of the throughputs: of reads or of writes. */
  readonly kind: ThroughputKind;
  /** Which limit: the last part of a throttling reason of the service. */
  readonly limit: ThroughputLimit;
  /** How often since the first time. A request that exceeded two limits counts for each. */
  readonly count: number;
}

/** Minimum time between two log lines about one table or index, milliseconds. */
const logIntervalMs = 10_000;

const keysMax = 20;

/** The requests that were throttled, or would have been, for a table or index: how many, by which limit, and which keys. In bounded memory. */
export class ThrottlingRecord {
  readonly sinceMs: number;
  readonly #keys: KeyInsights;
  readonly #counts = new Map<string, { kind: ThroughputKind; limit: ThroughputLimit; count: number }>();
  #unlogged = 0;
  #nextLogMs = -Infinity;

  constructor(keySchema: KeySchema, { limits, nowMs }: { readonly limits: Limits; readonly nowMs: number }) {
    this.sinceMs = nowMs;
    this.#keys = new KeyInsights(
      { partition: keySchema.partition, sort: [] },
      { mode: 'THROTTLED_KEYS', limits, nowMs },
    );
  }

  get counts(): readonly ThrottledCount[] {
    return [...this.#counts.values()];
  }

  add({ kind, limits, key, count }: RefusedRequests, nowMs: number): void {
    for (const limit of limits) {
      const name = `${kind} ${limit}`;
      const known = this.#counts.get(name);
      if (known === undefined) this.#counts.set(name, { kind, limit, count });
      else known.count += count;
    }
    if (key !== undefined) this.#keys.throttled(kind, key, nowMs, count);
  }

  /** @returns how many there were since the last log line, if another line is due; undefined otherwise. */
  dueForLog(nowMs: number): number | undefined {
    this.#unlogged += 1;
    if (nowMs < this.#nextLogMs) return undefined;
    const count = this.#unlogged;
    this.#unlogged = 0;
    this.#nextLogMs = nowMs + logIntervalMs;
    return count;
  }

  /** The partition keys that exceeded limits most often in the last half hour or more. */
  keys(nowMs: number): readonly Contributor[] {
    return this.#keys.report(keysMax, nowMs)[0]?.contributors ?? [];
  }
}

/** The partition key of an item, or the known part of it. */
export function partitionKeyOf(item: AttributeMap, { partition }: KeySchema): AttributeMap {
  const values = partition.map(({ attributeName }) => [attributeName, getAttribute(item, attributeName)] as const);
  return Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
