export { type Counterexample, counterexampleTest, stepsTest } from './counterexample.ts';
export type { State } from './data.ts';
export type { Difference, Values } from './oracle/index.ts';
export { prove, type ProveOptions, type ProveProgress, type ProvenPattern, type ProveReport } from './prove.ts';
export { proveCall, type ProveCallOptions } from './prove-call.ts';
export {
  proveSteps,
  type ProveStepsOptions,
  type WriteCounterexample,
  type WriteStep,
  type WrongWrite,
} from './prove-writes.ts';
export type { ReadCall } from './read-call.ts';
export type { WrongRead } from './read-run.ts';
export { sourceText } from './source-text.ts';
export type { WriteCall } from './write-call.ts';
