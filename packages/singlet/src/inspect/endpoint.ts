import type { Engine, RequestContext } from '../engine/index.ts';
import type { ModelSource } from './models.ts';
import type { RequestLog } from './requests/request-log.ts';
import type { InspectionRequest } from '../server/index.ts';
import type { PartRequest, Peers } from './peers.ts';

/** What endpoints are given. */
export interface InspectServices {
  readonly engine: Engine;
  /** Calls an action with its input in wire form, in process. @throws {DynamoError} */
  readonly call: (action: string, input: object, context: RequestContext) => Promise<object>;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Resolves after so many milliseconds, or at once when the signal aborts. Keeps no process alive. */
  readonly pause: (delayMs: number, signal: AbortSignal) => Promise<void>;
  readonly about: AboutServer;
  readonly requests: RequestLog;
  /** The other processes that serve the same data; undefined where there are none. */
  readonly peers: Peers | undefined;
  /** The models that the server was started with, if it was. */
  readonly models: ModelSource | undefined;
}

/** What does not change while the server runs. */
export interface AboutServer {
  /** The store's driver: `memory`, `lmdb`. */
  readonly store: string;
  readonly accountId: string;
  /** How many processes serve the data. */
  readonly workers: number;
}

/** One place below `/_singlet/`. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Parts of the path; those in capitals are names: `['heat', 'TABLE']`. */
  readonly path: readonly string[];
  /**
   * What it asks for where callers are known, without the prefix `singlet:`. It is asked on the table, or the index of `?index=` or of the path, where the path has a
   * `TABLE`, and on the server otherwise. Undefined: it is not answered there.
   */
  readonly permission: string | undefined;
  /**
   * Answers with what becomes JSON, or with an `EventAnswer`.
   *
   * @param names - what was in the places of the parts in capitals, in their order.
   * @throws {DynamoError}
   */
  readonly answer: (request: InspectionRequest, services: InspectServices, names: readonly string[]) => Promise<object>;
  /** What this process alone answers to another one. Absent where what all share is answered. */
  readonly part?: (request: PartRequest, services: InspectServices, names: readonly string[]) => Promise<object>;
}
