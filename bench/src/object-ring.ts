import type { RequestRing } from './in-process-target.ts';
import type { Scenario } from './scenarios.ts';
import type { WireObject } from './workload.ts';

/** A ring over calls that take and give objects. */
export function objectRing(
  call: (input: WireObject) => Promise<unknown>,
  scenario: Scenario,
  inputs: readonly WireObject[],
): RequestRing {
  const input = (index: number): WireObject => inputs[index] ?? {};
  return {
    count: inputs.length,
    perform: (index) => call(input(index)),
    fault: async () => scenario.fault((await call(input(0))) as WireObject),
  };
}
