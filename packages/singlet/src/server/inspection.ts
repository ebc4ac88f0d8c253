import type { RequestContext } from '../engine/index.ts';
import type { Awaitable } from '../values/awaitable.ts';

/** A request below `/_singlet/`, which the API does not know. */
export interface InspectionRequest {
  readonly method: string;
  /** What follows `/_singlet/`, split at slashes and decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The parsed body; undefined of a GET. */
  readonly json: unknown;
  /** The account and region of the credentials; the region may be another one by `?region=`. */
  readonly context: RequestContext;
  /**
   * Asks for a permission before anything is looked at. Absent where every caller may look.
   *
   * @throws {DynamoError} AccessDeniedException.
   */
  readonly permit?: (permission: InspectionPermission) => Awaitable<void>;
}

/** What a look at a server asks for. */
export interface InspectionPermission {
  /** Without its prefix: `GetHeat` for `singlet:GetHeat`. */
  readonly name: string;
  /** The table, or its index, that is looked at; absent: the server. */
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
 * Begins a stream of texts, which continues until the signal aborts: the client has gone, or the server stops. The next text is asked for
 * when there is room for it.
 */
export type EventSource = (signal: AbortSignal) => AsyncIterable<string>;

/**
 * Answers what is below `/_singlet/` beside the reports; undefined where there is nothing.
 *
 * @throws {DynamoError} what is wrong with the request: its name and message are answered.
 */
export type Inspect = (request: InspectionRequest) => Promise<InspectionAnswer | undefined>;
