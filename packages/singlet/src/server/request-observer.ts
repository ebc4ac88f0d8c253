import type { RequestEvent, WireRequest } from './wire.ts';

/** Observes requests of the API with their contents. While it is off, it costs a request one comparison. */
export interface RequestObserver {
  /** Whether it wants to see the requests that begin now. */
  readonly isOn: boolean;
  /** Called once a request is answered. The bytes may be reused afterwards: copy what you keep. Must not throw. */
  observed(request: ObservedRequest): void;
}

export interface ObservedRequest {
  readonly event: RequestEvent;
  readonly request: WireRequest;
  /** The body of the answer as sent. */
  readonly answer: Uint8Array;
  /** The engine's answer, with the consumed capacity of actions that have one, even if not requested; undefined for an error. */
  readonly result: object | undefined;
}
