/** The server's entry: what the composition root may use. */
export { directCall } from './direct-call.ts';
export { type HttpListener, type HttpOptions, type HttpTimeouts, listen, ListenError } from './http-server.ts';
export type { ActionName, DecodedCall, RequestOf, ResultOf } from './operations/operation.ts';
export {
  type Authorization,
  type Authorize,
  createWireHandler,
  type InternalErrorEvent,
  type RequestEvent,
  type WireHandler,
  type WireOptions,
  type WireRequest,
  type WireResponse,
} from './wire.ts';
