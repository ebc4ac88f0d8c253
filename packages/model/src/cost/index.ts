import type { Model } from '../model.ts';
import { resolve } from '../resolve/resolve.ts';
import { type CostOptions, estimateCost, type ModelCost } from './estimate.ts';

export type { CostOptions, ModelCost, PatternCost } from './estimate.ts';
export { explain, explainAll, type Explanation } from './explain.ts';
export { measure, type Measured } from './measure.ts';
export { type Prices, prices } from './prices.ts';

/** Estimates what a model costs: capacity of each call, money per month, load of the hottest partitions. */
export function costOf(model: Model, options: CostOptions = {}): ModelCost {
  return estimateCost(resolve(model), options);
}
