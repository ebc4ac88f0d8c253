import type { RingSpec } from './requests.ts';
import type { TableSpec } from './workload.ts';

/** How a request is made without a socket between the caller and the measured code. */
export type CallMode =
  /** The engine's own calls: the storage engine alone. */
  | { readonly kind: 'engine' }
  /** `database.request(action, input)`: objects in, objects out. */
  | { readonly kind: 'request' }
  /** `database.handle(...)`: the bytes of the wire, without the wire. */
  | { readonly kind: 'handle' }
  /** The AWS SDK, over HTTP to an endpoint, or (without one) straight into the database of this process. */
  | {
      readonly kind: 'sdk';
      readonly endpoint?: string;
      /** Whether what is there answers the same to everything, so that its answers are not looked at. */
      readonly isFloor?: boolean;
    };

/** A prepared ring of requests; `perform(i)` makes the i-th. A promise is awaited; a rejection is an error. */
export interface RequestRing {
  readonly count: number;
  /** Runs start and end at a multiple of so many requests. */
  readonly restEvery: number;
  readonly perform: (index: number) => unknown;
  /** What is wrong with the answer to the i-th request, or undefined. */
  readonly fault: (index: number, answer: unknown) => string | undefined;
}

/** Something that is measured inside the process that asks. */
export interface InProcessTarget {
  /** Makes a table and fills it. */
  load(table: TableSpec): Promise<void>;
  ring(spec: RingSpec, mode: CallMode): RequestRing;
  close(): Promise<void>;
}
