import { rangesOf, type ReadRanges } from '../check/key-ranges.ts';
import { operationOf, type OperationText } from '../check/operation.ts';
import { writtenKeys } from '../check/written-keys.ts';
import type { Model } from '../model.ts';
import type { PatternInfo, ResolvedModel } from '../resolve/resolved.ts';
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
  /** The keys that a write writes, with those of its indexes, and of the guards and parents that it maintains; undefined for a read, and if no plan was found. */
  readonly writes: readonly string[] | undefined;
  /** Why it is not served, in sentences. */
  readonly problems: readonly string[];
  /** What one call costs; undefined if no plan was found. */
  readonly cost: PatternCost | undefined;
}

/** Explains one pattern of a model; undefined if the model has no pattern of that name. */
export function explain(model: Model, pattern: string, options: CostOptions = {}): Explanation | undefined {
  const resolved = resolve(model);
  const info = resolved.patterns.get(pattern);
  return info === undefined ? undefined : explanationOf(resolved, info, estimateCost(resolved, options).patterns);
}

/** Explains all patterns of a model, in its order. */
export function explainAll(model: Model, options: CostOptions = {}): Explanation[] {
  const resolved = resolve(model);
  const costs = estimateCost(resolved, options).patterns;
  return [...resolved.patterns.values()].map((info) => explanationOf(resolved, info, costs));
}

function explanationOf(resolved: ResolvedModel, info: PatternInfo, costs: readonly PatternCost[]): Explanation {
  return {
    pattern: info.name,
    served: operationOf(info),
    ranges: rangesOf(resolved, info),
    writes: writtenKeys(resolved, info),
    problems: info.problems.map(({ message }) => message),
    cost: costs.find(({ pattern }) => pattern === info.name),
  };
}
