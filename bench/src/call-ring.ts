import type { RequestRing } from './in-process-target.ts';
import { faultOf, wireCallOf, type WireCall } from './operations.ts';
import { operationsOf, type RingSpec } from './requests.ts';
import { scenarios } from './scenarios.ts';
import type { WireObject } from './workload.ts';

/** A ring of calls: `prepare` turns each request into its input, and `read` decodes its answer. */
export function callRing<T>(
  spec: RingSpec,
  calls: {
    readonly prepare: (call: WireCall) => T;
    readonly perform: (prepared: T) => Promise<unknown>;
    readonly read?: (answer: unknown) => WireObject;
  },
): RequestRing {
  const operations = operationsOf(spec);
  const prepared = operations.map((operation) => calls.prepare(wireCallOf(operation, spec.table)));
  return {
    count: prepared.length,
    restEvery: scenarios[spec.scenario].restEvery,
    // The index is always within the ring.
    perform: (index) => calls.perform(prepared[index] as T),
    fault: (index, answer) => {
      const operation = operations[index];
      if (operation === undefined) return undefined;
      return faultOf(operation, spec.table, calls.read === undefined ? (answer as WireObject) : calls.read(answer));
    },
  };
}
