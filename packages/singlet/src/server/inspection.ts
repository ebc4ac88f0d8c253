import type { RequestContext } from '../engine/index.ts';
import type { Awaitable } from '../values/awaitable.ts';

/** A request below `/_singlet/`, which is not part of the API. */
export interface InspectionRequest {
  readonly method: string;
  /** The path after `/_singlet/`, split at slashes and decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The parsed body; undefined for a GET. */
  readonly json: unknown;
  /** The account and region of the credentials; `?region=` overrides the region. */
  readonly context: RequestContext;
  /**
   * Checks a permission before anything is read. Absent if every caller may inspect.
   *
   * @throws {DynamoError} AccessDeniedException.
   */
  readonly permit?: (permission: InspectionPermission) => Awaitable<void>;
}

/** A permission that an inspection needs. */
export interface InspectionPermission {
  /** Without its prefix: `GetHeat` for `singlet:GetHeat`. */
  readonly name: string;
  /** The table or index that is inspected; absent for the server. */
  readonly on?: { readonly tableName: string; readonly indexName?: string | undefined };
}

export type InspectionAnswer =
  | {
      readonly status: number;
      /** Becomes JSON. */
      readonly json: object;
    }
  /** Server-sent events. */
  | { readonly events: EventSource };

/**
 * Begins a stream of texts, which continues until the signal aborts: the client has disconnected, or the server stops. The next text is requested
 * when there is room for it.
 */
export type EventSource = (signal: AbortSignal) => AsyncIterable<string>;

/**
 * Answers the pages below `/_singlet/` other than the reports; undefined for an unknown path.
 *
 * @throws {DynamoError} an invalid request: the name and message are sent as the answer.
 */
export type Inspect = (request: InspectionRequest) => Promise<InspectionAnswer | undefined>;
