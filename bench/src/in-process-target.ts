import type { RingSpec } from './requests.ts';
import type { TableSpec } from './workload.ts';

/** How a request is made without a socket between the caller and the measured code. */
export type CallMode =
  /** The engine's own calls: the storage engine alone. */
  | { readonly kind: 'engine' }
  /** `database.request(action, input)`: objects in, objects out. */
  | { readonly kind: 'request' }
  /** `database.handle(...)`: the bytes of the wire protocol, without a socket. */
  | { readonly kind: 'handle' }
  /** The AWS SDK, over HTTP to an endpoint, or (without one) directly against the database in this process. */
  | {
      readonly kind: 'sdk';
      readonly endpoint?: string;
      /** Whether the target answers every request the same way, so that its answers are not checked. */
      readonly isFloor?: boolean;
    };

/** A prepared ring of requests; `perform(i)` makes the i-th. A promise is awaited; a rejection is an error. */
export interface RequestRing {
  readonly count: number;
  /** Runs start and end at a multiple of this many requests. */
  readonly restEvery: number;
  readonly perform: (index: number) => unknown;
  /** What is wrong with the answer to the i-th request, or undefined. */
  readonly fault: (index: number, answer: unknown) => string | undefined;
}

/** A target that is measured inside the process that sends the requests. */
export interface InProcessTarget {
  /** Creates a table and fills it. */
  load(table: TableSpec): Promise<void>;
  ring(spec: RingSpec, mode: CallMode): RequestRing;
  close(): Promise<void>;
}
