import { type AttributeMap, type AttributeValue, getAttribute } from '../../values/attribute-value.ts';
import type { Limits } from '../../values/limits.ts';
import type { KeySchema } from '../catalog/table.ts';
import type { ContributorInsightsMode } from '../catalog/contributor-insights-record.ts';
import { type InsightRule, insightRules } from '../catalog/insight-rules.ts';
import type { HeavyHitter } from './space-saving-sketch.ts';
import { WindowedSketch } from './windowed-sketch.ts';

const minuteMs = 60_000;

/** The service weighs an access by its units, and counts a written unit three times. Developer Guide, "Contributor Insights" */
const writtenUnitWeight = 3;

export interface Contributor {
  /** The key attributes with their values: of the partition key, or of the whole key. */
  readonly key: AttributeMap;
  /** Units consumed, with written units counted three times; or the number of throttled requests. At most this much. */
  readonly weight: number;
  /** The maximum by which `weight` is too high. */
  readonly error: number;
  /** Separately for reads and writes: units, or throttled requests. At least this many; the error belongs to neither. */
  readonly reads: number;
  readonly writes: number;
  /**
   * For accessed keys: the fraction of one partition's throughput that the key used on average since `sinceMs`, for reads or
   * writes, whichever is greater. A key that approaches 1 is too hot for one partition.
   */
  readonly heat?: number;
}

export interface RuleReport {
  readonly rule: InsightRule;
  /** Epoch milliseconds. */
  readonly sinceMs: number;
  /** The sum over all keys. */
  readonly totalWeight: number;
  /** The greatest first. */
  readonly contributors: readonly Contributor[];
}

/** Counts the most accessed and most throttled keys of a table or index, in bounded memory. */
export class KeyInsights {
  readonly mode: ContributorInsightsMode;
  readonly #partitionNames: readonly string[];
  readonly #allNames: readonly string[];
  readonly #sketches: ReadonlyMap<InsightRule, WindowedSketch>;
  readonly #limits: Limits;

  constructor(
    keySchema: KeySchema,
    {
      mode,
      limits,
      nowMs,
    }: { readonly mode: ContributorInsightsMode; readonly limits: Limits; readonly nowMs: number },
  ) {
    this.mode = mode;
    this.#limits = limits;
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

  /** @param key - an item, or the known part of its key: a query names no sort key. */
  accessed(kind: 'Read' | 'Write', key: AttributeMap, units: number, nowMs: number, whole = true): void {
    const part = kind === 'Read' ? 0 : 1;
    const weight = kind === 'Read' ? units : units * writtenUnitWeight;
    this.#count('PKC', key, weight, part, nowMs);
    if (whole) this.#count('SKC', key, weight, part, nowMs);
  }

  throttled(kind: 'Read' | 'Write', key: AttributeMap, nowMs: number, times = 1): void {
    const part = kind === 'Read' ? 0 : 1;
    this.#count('PKT', key, times, part, nowMs);
    this.#count('SKT', key, times, part, nowMs);
  }

  report(countMax: number, nowMs: number): readonly RuleReport[] {
    return Array.from(this.#sketches, ([rule, sketch]) => {
      const { sinceMs, totalWeight, hitters } = sketch.top(countMax, nowMs);
      const seconds = Math.max(1, (nowMs - sinceMs) / 1000);
      const contributors = hitters.map((hitter) => this.#contributor(rule, hitter, seconds));
      return { rule, sinceMs, totalWeight, contributors };
    });
  }

  #contributor(
    rule: InsightRule,
    { key, weight, error, parts: [reads, writes] }: HeavyHitter,
    seconds: number,
  ): Contributor {
    const common = { key: keyOfText(this.#namesOf(rule), key), weight, error, reads };
    if (rule.endsWith('T')) return { ...common, writes };
    const writtenUnits = writes / writtenUnitWeight;
    const heat = Math.max(
      reads / seconds / this.#limits.partitionReadCapacityUnitsMax,
      writtenUnits / seconds / this.#limits.partitionWriteCapacityUnitsMax,
    );
    return { ...common, writes: writtenUnits, heat };
  }

  #namesOf(rule: InsightRule): readonly string[] {
    return rule.startsWith('P') ? this.#partitionNames : this.#allNames;
  }

  #count(rule: InsightRule, key: AttributeMap, weight: number, part: 0 | 1, nowMs: number): void {
    const sketch = this.#sketches.get(rule);
    if (sketch === undefined) return;
    const values = this.#namesOf(rule).map((name) => getAttribute(key, name));
    if (values.every((value) => value !== undefined)) sketch.add(JSON.stringify(values), weight, part, nowMs);
  }
}

function keyOfText(names: readonly string[], text: string): AttributeMap {
  const values = JSON.parse(text) as readonly AttributeValue[]; // written by #count
  return Object.fromEntries(names.map((name, n) => [name, values[n] as AttributeValue]));
}
