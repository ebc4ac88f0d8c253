/** The server's entry: what the composition root may use. */
export { directCall } from './direct-call.ts';
export { type HttpListener, listen, ListenError } from './http-server.ts';
export { targetOf } from './operations/index.ts';
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
  type WireRequest,
  type WireResponse,
} from './wire.ts';
