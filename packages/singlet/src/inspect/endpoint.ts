import type { Engine, RequestContext } from '../engine/index.ts';
import type { ModelSource } from './models.ts';
import type { RequestLog } from './requests/request-log.ts';
import type { InspectionRequest } from '../server/index.ts';
import type { PartRequest, Peers } from './peers.ts';

/** What endpoints can use. */
export interface InspectServices {
  readonly engine: Engine;
  /** Calls an action in this process, with its input in wire form. @throws {DynamoError} */
  readonly call: (action: string, input: object, context: RequestContext) => Promise<object>;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Resolves after this many milliseconds, or at once when the signal aborts. Does not keep the process alive. */
  readonly pause: (delayMs: number, signal: AbortSignal) => Promise<void>;
  readonly about: AboutServer;
  readonly requests: RequestLog;
  /** The other processes that serve the same data; undefined if there are none. */
  readonly peers: Peers | undefined;
  /** The models that the server was started with, if any. */
  readonly models: ModelSource | undefined;
}

/** Information that does not change while the server runs. */
export interface AboutServer {
  /** The store's driver: `memory`, `lmdb`. */
  readonly store: string;
  readonly accountId: string;
  /** How many processes serve the data. */
  readonly workers: number;
}

/** What the endpoints of models and migrations use. A page for another endpoint has these without an engine. */
export type ModelServices = Pick<InspectServices, 'models' | 'peers' | 'nowMs' | 'pause'>;

/** One place below `/_singlet/`. */
export interface Endpoint<Services = InspectServices> {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Parts of the path; those in capitals are names: `['heat', 'TABLE']`. */
  readonly path: readonly string[];
  /**
   * The required permission when callers are authenticated, without the prefix `singlet:`. It is checked on the table, or on the index of
   * `?index=` or of the path, if the path has a `TABLE`, and otherwise on the server. Undefined: the endpoint is not available when callers are
   * authenticated.
   */
  readonly permission: string | undefined;
  /**
   * Returns a value to be sent as JSON, or an `EventAnswer`.
   *
   * @param names - the values of the parts in capitals, in their order.
   * @throws {DynamoError}
   */
  readonly answer: (request: InspectionRequest, services: Services, names: readonly string[]) => Promise<object>;
  /** This process's own part of an answer, for another process. Absent if the answer comes from shared data. */
  readonly part?: (request: PartRequest, services: Services, names: readonly string[]) => Promise<object>;
}
