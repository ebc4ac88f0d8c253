import { computedValues, holds } from '../patterns/evaluate.ts';
import type { Need } from '../patterns/need.ts';
import type { Condition } from '../patterns/value.ts';
import type { ReadPart, Residual } from '../resolve/resolved.ts';
import { takenInputs } from './input-values.ts';
import type { Values } from './item-codec.ts';

export { computedValues, holds };

/** All tests of a part's items: what the keys do not settle, and the filters that the caller chose. */
export function residualTests(
  { filters = [] }: Need,
  residuals: readonly Residual[],
): (part: ReadPart, input: Values) => readonly Condition[] {
  const fixed = new Map(residuals.map(({ part, tests }) => [part, tests]));
  return (part, input) => {
    const tests = fixed.get(part) ?? [];
    const chosen = filters.filter((name) => input[name] !== undefined && part.entity.attributes.has(name));
    return chosen.length === 0 ? tests : [...tests, ...chosen.map((name): Condition => ({ [name]: { ref: name } }))];
  };
}

/** The evaluator of conditions on items, if a model needs it. */
export interface ItemEvaluator {
  readonly holds: typeof holds;
  readonly computedValues: typeof computedValues;
  readonly itemTest: typeof itemTest;
}

/** Whether an item that was found by its key is the requested one. */
export type ItemTest = (part: ReadPart, item: () => Values, input: Values) => boolean;

/** Tests the items of gets, which have no filter. */
export function itemTest(need: Need, residuals: readonly Residual[]): ItemTest {
  const testsOf = residualTests(need, residuals);
  return (part, item, given) => {
    const tests = testsOf(part, given);
    if (tests.length === 0) return true;
    const [values, input] = [item(), takenInputs(need, given, part.entity.name)];
    return tests.every((test) => holds(test, values, input));
  };
}
