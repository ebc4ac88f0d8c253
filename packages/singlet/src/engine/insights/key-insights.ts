import { type AttributeMap, type AttributeValue, getAttribute } from '../../values/attribute-value.ts';
import type { Limits } from '../../values/limits.ts';
import type { KeySchema } from '../tables/table.ts';
import type { ContributorInsightsMode } from './contributor-insights-record.ts';
import { type InsightRule, insightRules } from './insight-rules.ts';
import { WindowedSketch } from './windowed-sketch.ts';

const minuteMs = 60_000;

/** The service weighs an access with its units, and a written unit three times. Developer Guide, "Contributor Insights" */
const writtenUnitWeight = 3;

export interface Contributor {
  /** The key attributes with their values: of the partition key, or of the whole key. */
  readonly key: AttributeMap;
  /** Units consumed, with those written taken three times; or how often it was throttled. At most this much. */
  readonly weight: number;
  /** By how much `weight` may be too high. */
  readonly error: number;
}

export interface RuleReport {
  readonly rule: InsightRule;
  /** Epoch milliseconds. */
  readonly sinceMs: number;
  /** Of all keys together. */
  readonly totalWeight: number;
  /** The greatest first. */
  readonly contributors: readonly Contributor[];
}

/** Counts the keys of a table or index that are most accessed and most throttled, in bounded memory. */
export class KeyInsights {
  readonly mode: ContributorInsightsMode;
  readonly #partitionNames: readonly string[];
  readonly #allNames: readonly string[];
  readonly #sketches: ReadonlyMap<InsightRule, WindowedSketch>;

  constructor(
    keySchema: KeySchema,
    {
      mode,
      limits,
      nowMs,
    }: { readonly mode: ContributorInsightsMode; readonly limits: Limits; readonly nowMs: number },
  ) {
    this.mode = mode;
    this.#partitionNames = keySchema.partition.map(({ attributeName }) => attributeName);
    this.#allNames = [...this.#partitionNames, ...keySchema.sort.map(({ attributeName }) => attributeName)];
    const capacity = limits.contributorKeyCountMax;
    const windowMs = limits.contributorWindowMinutes * minuteMs;
    this.#sketches = new Map(
      insightRules(keySchema.sort.length > 0, mode).map((rule) => [
        rule,
        new WindowedSketch({ capacity, windowMs, nowMs }),
      ]),
    );
  }

  /** @param key - an item, or as much of its key as is known: a query names no sort key. */
  accessed(kind: 'Read' | 'Write', key: AttributeMap, units: number, nowMs: number, whole = true): void {
    const weight = kind === 'Read' ? units : units * writtenUnitWeight;
    this.#count('PKC', this.#partitionNames, key, weight, nowMs);
    if (whole) this.#count('SKC', this.#allNames, key, weight, nowMs);
  }

  throttled(key: AttributeMap, nowMs: number): void {
    this.#count('PKT', this.#partitionNames, key, 1, nowMs);
    this.#count('SKT', this.#allNames, key, 1, nowMs);
  }

  report(countMax: number, nowMs: number): readonly RuleReport[] {
    return Array.from(this.#sketches, ([rule, sketch]) => {
      const names = rule.startsWith('P') ? this.#partitionNames : this.#allNames;
      const { sinceMs, totalWeight, hitters } = sketch.top(countMax, nowMs);
      return {
        rule,
        sinceMs,
        totalWeight,
        contributors: hitters.map(({ key, weight, error }) => ({ key: keyOfText(names, key), weight, error })),
      };
    });
  }

  #count(rule: InsightRule, names: readonly string[], key: AttributeMap, weight: number, nowMs: number): void {
    const sketch = this.#sketches.get(rule);
    if (sketch === undefined) return;
    const values = names.map((name) => getAttribute(key, name));
    if (values.every((value) => value !== undefined)) sketch.add(JSON.stringify(values), weight, nowMs);
  }
}

function keyOfText(names: readonly string[], text: string): AttributeMap {
  const values = JSON.parse(text) as readonly AttributeValue[]; // as #count has written it
  return Object.fromEntries(names.map((name, n) => [name, values[n] as AttributeValue]));
}
