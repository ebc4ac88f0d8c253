import { operationOf, type OperationText } from '../check/operation.ts';
import type { Model } from '../model.ts';
import { resolve } from '../resolve/resolve.ts';
import { type CostOptions, estimateCost, type PatternCost } from './estimate.ts';

/** All there is to know about one pattern before it runs. */
export interface Explanation {
  readonly pattern: string;
  readonly served: OperationText | undefined;
  readonly problems: readonly string[];
  readonly cost: PatternCost | undefined;
}

/** Explains one pattern of a model; undefined if it has none of that name. */
export function explain(model: Model, pattern: string, options: CostOptions = {}): Explanation | undefined {
  const resolved = resolve(model);
  const info = resolved.patterns.get(pattern);
  if (info === undefined) return undefined;
  return {
    pattern,
    served: operationOf(info),
    problems: info.problems.map(({ message }) => message),
    cost: estimateCost(resolved, options).patterns.find((cost) => cost.pattern === pattern),
  };
}
