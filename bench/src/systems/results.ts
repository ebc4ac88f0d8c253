import type { Machine, Versions } from '../machine.ts';
import type { Problem } from '../measurement.ts';

/** Required: a pattern's median in the large data set divided by that in the small one. */
export const ratioMax = 1.5;
/** Required: how much larger the large data set is. */
export const growthMin = 20;

/** What one call consumed and returned, on average over the measured calls. */
export interface CallFigures {
  readonly calls: number;
  readonly requests: number;
  readonly itemsRead: number;
  readonly itemsWritten: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface PatternResult {
  /** The id of the pattern, followed by a word if it is called in two ways. */
  readonly call: string;
  /** The pattern's name in the model; the first one's if several have the id. */
  readonly pattern: string;
  readonly small: CallFigures;
  readonly large: CallFigures;
}

export interface DataSet {
  readonly scale: number;
  readonly items: number;
  readonly loadSeconds: number;
}

export interface SystemResult {
  readonly system: string;
  readonly small: DataSet;
  readonly large: DataSet;
  readonly patterns: readonly PatternResult[];
  /** Ids without figures, and why. */
  readonly unmeasured: Readonly<Record<string, string>>;
}

export interface SystemsResults {
  readonly format: 1;
  readonly startedAt: string;
  readonly machine: Machine;
  readonly versions: Versions;
  readonly settings: { readonly times: number; readonly quick: boolean };
  readonly otherLoadShare?: number;
  readonly systems: readonly SystemResult[];
  readonly problems: readonly Problem[];
}

/** How much slower the pattern is in the large data set. */
export function ratioOf({ small, large }: Pick<PatternResult, 'small' | 'large'>): number {
  return large.p50Ms / small.p50Ms;
}
