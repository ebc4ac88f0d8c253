import { ValidationException } from './service-error.ts';

/**
 * Work of evaluating conditions, counted in units: about the time to search 64 characters of text, or to compare sixteen
 * nodes of documents. A unit is well under a microsecond.
 *
 * Conditions can multiply: three hundred of them, each over 400 KB of the same item. So the work of one evaluation is
 * limited, and a page of a query is read in turns, according to the work of its filter.
 *
 * Evaluation is synchronous, so one counter serves all: the units counted between the beginning and the end of an evaluation are
 * its work.
 *
 * Decision 0044 says why.
 */

/** How many characters or bytes of text are searched or compared for one unit, as a power of two. */
export const charactersPerUnitLog2 = 6;

/**
 * Most units that one evaluation of a condition may use, for one item: 33.5 million characters searched, some 0.3 s. The service
 * is not known to have such a limit; it has processors to spare for one customer's expression.
 */
export const evaluationUnitsMax: number = 2 ** 19;

/** Most units that the conditions of one write request may use together: twice as many, however many items it writes. */
export const decisionUnitsMax: number = 2 * evaluationUnitsMax;

let units = 0;
let isEvaluating = false;

/**
 * Begins to count.
 *
 * @returns false if it is part of an evaluation that is being counted already.
 */
export function beginEvaluation(): boolean {
  if (isEvaluating) return false;
  isEvaluating = true;
  units = 0;
  return true;
}

/** Ends the evaluation that {@link beginEvaluation} has begun, whether it was finished or not. */
export function endEvaluation(): void {
  isEvaluating = false;
}

/** The work of the last evaluation, in units. Valid until the next begins, or any other code runs. */
export function evaluationUnits(): number {
  return units;
}

/**
 * Counts work. Outside an evaluation it has no effect.
 *
 * @throws {ValidationException} when the evaluation has used more than {@link evaluationUnitsMax}.
 */
export function spend(count: number): void {
  units += count;
  if (units > evaluationUnitsMax) checkSpent();
}

function checkSpent(): void {
  if (!isEvaluating) {
    units = 0;
    return;
  }
  throw new ValidationException(evaluationTooExpensive);
}

/** The text is ours: the service has no error for this. */
export const evaluationTooExpensive =
  'The expression is too expensive to evaluate: it searches or compares more than 32 MB of text';
