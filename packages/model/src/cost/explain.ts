import { rangesOf, type ReadRanges } from '../check/key-ranges.ts';
import { operationOf, type OperationText } from '../check/operation.ts';
import type { Model } from '../model.ts';
import { resolve } from '../resolve/resolve.ts';
import { type CostOptions, estimateCost, type PatternCost } from './estimate.ts';

/** Everything that is known about one pattern before it runs. */
export interface Explanation {
  /** The pattern's name. */
  readonly pattern: string;
  /** The operation that serves it; undefined where no plan was found. */
  readonly served: OperationText | undefined;
  /** The exact ranges of keys that a read requests, and what else they contain; undefined for a write, and if no plan was found. */
  readonly ranges: ReadRanges | undefined;
  /** Why it is not served, in sentences. */
  readonly problems: readonly string[];
  /** What one call costs; undefined if no plan was found. */
  readonly cost: PatternCost | undefined;
}

/** Explains one pattern of a model; undefined if the model has no pattern of that name. */
export function explain(model: Model, pattern: string, options: CostOptions = {}): Explanation | undefined {
  const resolved = resolve(model);
  const info = resolved.patterns.get(pattern);
  if (info === undefined) return undefined;
  return {
    pattern,
    served: operationOf(info),
    ranges: rangesOf(resolved, info),
    problems: info.problems.map(({ message }) => message),
    cost: estimateCost(resolved, options).patterns.find((cost) => cost.pattern === pattern),
  };
}
