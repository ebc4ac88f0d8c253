/** The server's public interface: what the composition root may use. */
export { BrowserRules, isOrigin } from './browser-rules.ts';
export type { CallerNumbers } from './caller-counts.ts';
export { ConnectionLimit, connectionsPerAddressMax } from './connection-limit.ts';
export { decodeCall } from './decode-call.ts';
export { directCall } from './direct-call.ts';
export { EventStreams } from './event-streams.ts';
export { type Certificate, checkListen, type HttpListener, listen, ListenError } from './http-server.ts';
export type { EventSource, Inspect, InspectionRequest } from './inspection.ts';
export { inspectionPage } from './inspection-page.ts';
export { isLoopbackHost } from './loopback.ts';
export type { ObservedRequest, RequestObserver } from './request-observer.ts';
export { callerBudgetBytes, MemoryBudget, memoryBudgetBytes, memoryBudgetBytesMin } from './memory-budget.ts';
export { loadDeferredShapes, targetOf } from './operations/index.ts';
export { RequestLimit, requestsPerIdentityMax } from './request-limit.ts';
export { rateExceeded, RequestRate, requestsPerSecondMax } from './request-rate.ts';
export {
  createReplicaAction,
  decodeReplicaAnswer,
  encodeReplica,
  replicaSignature,
  replicaSignatureHeader,
  replicaTarget,
} from './replica-action.ts';
export {
  createWireHandler,
  type InternalErrorEvent,
  type RequestEvent,
  type WireHandler,
  type WireOptions,
  type WireRequest,
  type WireResponse,
} from './wire.ts';
