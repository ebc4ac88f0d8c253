import type { RequestEvent, WireRequest } from './wire.ts';

/** Looks at requests of the API with what is in them. While it is off, it costs a request one comparison. */
export interface RequestObserver {
  /** Whether it wants to see the requests that begin now. */
  readonly isOn: boolean;
  /** Called once a request is answered. The bytes may be used again afterwards: what is kept is copied. Must not throw. */
  observed(request: ObservedRequest): void;
}

export interface ObservedRequest {
  readonly event: RequestEvent;
  readonly request: WireRequest;
  /** The body of the answer as it is sent. */
  readonly answer: Uint8Array;
  /** What the engine answered, with the consumed capacity of actions that have one, asked for or not; undefined for an error. */
  readonly result: object | undefined;
}
