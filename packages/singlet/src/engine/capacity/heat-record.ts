import type { AttributeMap } from '../../values/attribute-value.ts';
import type { Limits } from '../../values/limits.ts';
import type { KeySchema } from '../catalog/table.ts';
import { KeyInsights, type RuleReport } from './key-insights.ts';

/** Ranges of hashes of equal width, identified by the first six bits of a hash. */
export const heatRows = 64;
const rowShift = 2;

/** Steps of time, and how many of them are kept. */
export interface HeatSpan {
  readonly stepMs: number;
  readonly steps: number;
}

/** The last hour in steps of five seconds, and the last day in steps of five minutes. */
export const heatHour: HeatSpan = { stepMs: 5_000, steps: 720 };
export const heatDay: HeatSpan = { stepMs: 300_000, steps: 288 };

/** The offset of the first byte of the hash in a store key, which begins with a space. */
const hashAt = 4;

/** About one in this many accesses is counted by its key, with its units multiplied accordingly. */
const keySampleInterval = 4;

export type HeatKind = 'Read' | 'Write' | 'Throttled';

/** Units by row for each step, oldest first. */
export interface HeatHistory {
  /** When the first step begins, epoch milliseconds. */
  readonly fromMs: number;
  readonly reads: readonly Float32Array[];
  readonly writes: readonly Float32Array[];
  /** How often requests were refused. */
  readonly throttled: readonly Float32Array[];
}

/**
 * What a table or index consumed in the last hour and in the last day, by ranges of hashes and steps of time, and the keys that consumed most.
 *
 * It exists only after it is first requested. From then on it costs every request something: two additions, and for a
 * sample of the accesses a count by key. Its size is fixed.
 */
export class HeatRecord {
  readonly sinceMs: number;
  readonly #hour: HeatRing;
  readonly #day: HeatRing;
  readonly #keys: KeyInsights;
  #untilSample: number = keySampleInterval;
  #sampleState = 1;

  constructor(keySchema: KeySchema, { limits, nowMs }: { readonly limits: Limits; readonly nowMs: number }) {
    this.sinceMs = nowMs;
    this.#hour = new HeatRing(heatHour, nowMs);
    this.#day = new HeatRing(heatDay, nowMs);
    this.#keys = new KeyInsights(keySchema, { mode: 'ACCESSED_AND_THROTTLED_KEYS', limits, nowMs });
  }

  /**
   * @param storeKey - the key of the item or index entry, or where a page begins.
   * @param key - its key attributes, as far as they are known; none for a page of several collections.
   * @param isWhole - whether `key` is the complete key of one item.
   */
  add(
    kind: 'Read' | 'Write',
    storeKey: Uint8Array,
    units: number,
    nowMs: number,
    key: AttributeMap | undefined,
    isWhole: boolean,
  ): void {
    this.#count(kind, rowOf(storeKey), units, nowMs);
    if (key === undefined) return;
    this.#untilSample -= 1;
    if (this.#untilSample > 0) return;
    this.#untilSample = this.#nextInterval();
    this.#keys.accessed(kind, key, units * keySampleInterval, nowMs, isWhole);
  }

  /** A page of several collections is spread over the rows that it touched. */
  addRange(from: Uint8Array, to: Uint8Array, units: number, nowMs: number): void {
    const first = rowOf(from);
    const isSameSpace = from[3] === to[3] && from[2] === to[2];
    const last = Math.max(first, isSameSpace ? rowOf(to) : heatRows - 1);
    const share = units / (last - first + 1);
    for (let row = first; row <= last; row += 1) this.#count('Read', row, share, nowMs);
  }

  refused(kind: 'Read' | 'Write', storeKey: Uint8Array, key: AttributeMap | undefined, nowMs: number): void {
    this.#count('Throttled', rowOf(storeKey), 1, nowMs);
    if (key !== undefined) this.#keys.throttled(kind, key, nowMs);
  }

  /** Steps by their numbers since the epoch. Those that are not remembered, or have not begun, are empty. */
  history(span: HeatSpan, steps: { readonly first: number; readonly count: number }, nowMs: number): HeatHistory {
    return (span === heatDay ? this.#day : this.#hour).history(steps, nowMs);
  }

  /** The keys that consumed most, and those that were refused most. */
  keys(countMax: number, nowMs: number): readonly RuleReport[] {
    return this.#keys.report(countMax, nowMs);
  }

  #count(kind: HeatKind, row: number, units: number, nowMs: number): void {
    this.#hour.add(kind, row, units, nowMs);
    this.#day.add(kind, row, units, nowMs);
  }

  /** A varying interval with a fixed average, so that requests in a regular sequence are all sampled. */
  #nextInterval(): number {
    this.#sampleState = (Math.imul(this.#sampleState, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return 1 + ((this.#sampleState >>> 16) % (2 * keySampleInterval - 1));
  }
}

function rowOf(storeKey: Uint8Array): number {
  return (storeKey[hashAt] ?? 0) >>> rowShift;
}

/** The most recent steps of one length. An older step is overwritten by the one that is as many steps later. */
class HeatRing {
  readonly #span: HeatSpan;
  readonly #cells: Readonly<Record<HeatKind, Float32Array>>;
  /** Number of the present step since the epoch. */
  #step: number;
  #stepEndMs: number;

  constructor(span: HeatSpan, nowMs: number) {
    this.#span = span;
    const cells = (): Float32Array => new Float32Array(heatRows * span.steps);
    this.#cells = { Read: cells(), Write: cells(), Throttled: cells() };
    this.#step = Math.floor(nowMs / span.stepMs);
    this.#stepEndMs = (this.#step + 1) * span.stepMs;
  }

  add(kind: HeatKind, row: number, units: number, nowMs: number): void {
    if (nowMs >= this.#stepEndMs) this.#turnTo(nowMs);
    const cells = this.#cells[kind];
    const at = this.#columnOf(this.#step) + row;
    cells[at] = (cells[at] as number) + units; // a row of an existing column
  }

  history({ first, count }: { readonly first: number; readonly count: number }, nowMs: number): HeatHistory {
    this.#turnTo(nowMs);
    const columns = (cells: Float32Array): Float32Array[] =>
      Array.from({ length: count }, (_, at) => {
        const step = first + at;
        if (step > this.#step || step <= this.#step - this.#span.steps) return new Float32Array(heatRows);
        const offset = this.#columnOf(step);
        return cells.slice(offset, offset + heatRows);
      });
    return {
      fromMs: first * this.#span.stepMs,
      reads: columns(this.#cells.Read),
      writes: columns(this.#cells.Write),
      throttled: columns(this.#cells.Throttled),
    };
  }

  #turnTo(nowMs: number): void {
    const { stepMs, steps } = this.#span;
    const step = Math.floor(nowMs / stepMs);
    if (step <= this.#step) return;
    for (let next = Math.max(this.#step + 1, step - steps + 1); next <= step; next += 1) {
      const offset = this.#columnOf(next);
      for (const cells of Object.values(this.#cells)) cells.fill(0, offset, offset + heatRows);
    }
    this.#step = step;
    this.#stepEndMs = (step + 1) * stepMs;
  }

  #columnOf(step: number): number {
    return (step % this.#span.steps) * heatRows;
  }
}
