import type { ScenarioName } from './scenarios.ts';

/** How a request is made without a socket between the caller and the measured code. */
export type CallMode =
  /** The engine's own calls: the storage engine alone. */
  | { readonly kind: 'engine' }
  /** `database.request(action, input)`: objects in, objects out. */
  | { readonly kind: 'request' }
  /** `database.handle(...)`: the bytes of the wire, without the wire. */
  | { readonly kind: 'handle' }
  /** The AWS SDK, over HTTP to an endpoint, or (without one) straight into the database of this process. */
  | { readonly kind: 'sdk'; readonly endpoint?: string };

/** A prepared ring of requests; `perform(i)` makes the i-th. A promise is awaited; a rejection is an error. */
export interface RequestRing {
  readonly count: number;
  readonly perform: (index: number) => unknown;
  /** Makes one request and says what is wrong with its answer. */
  readonly fault: () => Promise<string | undefined>;
}

/** Something that is measured inside the process that asks. */
export interface InProcessTarget {
  /** Fills the table. */
  load(itemCount: number): Promise<void>;
  ring(scenario: ScenarioName, mode: CallMode, itemCount: number): Promise<RequestRing>;
  close(): Promise<void>;
}
