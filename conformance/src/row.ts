import type { Matcher } from './matchers.ts';
import type { Reply, WireOptions } from './transport.ts';
import type { WireItem } from './values.ts';

export interface JsonObject {
  readonly [member: string]: unknown;
}

/**
 * One fact about DynamoDB: requests against the row's own tables, and their expected answers.
 *
 * Everywhere in a row, in requests and in expectations alike, `$T` represents the name of the row's first table, `$U`
 * and `$V` for further ones. The names are unique per run, so rows can run at the same time and against any endpoint.
 */
export interface Row {
  /** Subject and fact: `put-item/replaces-the-whole-item`. Unique. */
  readonly id: string;
  /** Requirement ids that the row tests. */
  readonly covers: readonly string[];
  /** The source of the fact: a documentation page, a recording, or `assumed: …`. */
  readonly source: string;
  /** Capabilities that the endpoint must have for the row to run. */
  readonly needs: readonly Capability[];
  /** Tables created before the first step, by letter. */
  readonly tables: Readonly<Record<string, JsonObject>>;
  /** Items put before the first step, by letter of the table. */
  readonly items: Readonly<Record<string, readonly WireItem[]>>;
  readonly steps: readonly Step[];
}

/**
 * - `clock`: the run can move the endpoint's clock (in process only).
 * - `ttl`: UpdateTimeToLive and DescribeTimeToLive.
 * - `sweep`: the run can have expired items deleted immediately (in process only; DynamoDB takes days).
 * - `regions`: one endpoint serves all regions, by the region of the credential scope (AWS has one endpoint each).
 * - `encryption`: data is encrypted at rest, or not stored on disk (our server refuses these requests on a directory without a key).
 * - `slow`: more than a few seconds on a fast machine.
 * - `aggregated-validation`: several validation errors of one request are reported together. DynamoDB did so
 *   everywhere until 2026 and stops at the first one in most regions since.
 */
export type Capability = 'clock' | 'ttl' | 'sweep' | 'regions' | 'encryption' | 'slow' | 'aggregated-validation';

export type Step = RequestStep | CheckStep;

/** A request and its expected answer. */
export interface RequestStep {
  readonly kind: 'request';
  readonly action: string;
  /** The body: JSON, or text that is sent as it is. */
  readonly input: JsonObject | string;
  readonly expect: Expectation;
  readonly wire: WireOptions;
  /** Repeat the request until the answer is as expected, for effects that DynamoDB makes visible after a moment. */
  readonly eventually: boolean;
  /** Members of the answer, by path, kept under a name for later steps: `{ arn: 'Table.TableArn' }` is then `$arn`. */
  readonly saves: Readonly<Record<string, string>>;
}

/** A check in code: paging, concurrency, bytes on the wire. It fails by throwing. */
export interface CheckStep {
  readonly kind: 'check';
  readonly name: string;
  readonly run: (context: CheckContext) => Promise<void>;
}

export interface CheckContext {
  /** The real name of a table letter. */
  tableName(letter: string): string;
  /** Sends a request; `$T` and so on are replaced in the input. */
  send(action: string, input: JsonObject | string, wire?: WireOptions): Promise<Reply>;
  /** Sends a request that must succeed, and returns the parsed body. */
  succeed(action: string, input: JsonObject): Promise<JsonObject>;
  /** Fails the row unless `actual` is as expected. */
  expect(what: string, actual: unknown, expected: unknown): void;
  /** Moves the endpoint's clock forward. Needs the capability `clock`. */
  advanceClock(milliseconds: number): void;
  /** Deletes expired items. Needs the capability `sweep`. */
  sweepExpiredItems(): Promise<void>;
}

export type Expectation =
  | { readonly kind: 'response'; readonly body: unknown }
  | { readonly kind: 'error'; readonly error: ExpectedError }
  | { readonly kind: 'any-of'; readonly alternatives: readonly Expectation[] };

export interface ExpectedError {
  /** The name after `#` in `__type`. */
  readonly name: string;
  /** Exact text, or a matcher; undefined when there is no message at all. */
  readonly message: string | Matcher | undefined;
  readonly status: number;
  /** Further members of the body, exactly. */
  readonly members: JsonObject;
}

export interface RowBody {
  /** Shorthand for `tables: { T: … }`. */
  readonly table?: JsonObject;
  readonly tables?: Readonly<Record<string, JsonObject>>;
  /** Shorthand for `itemsOf: { T: … }`. */
  readonly items?: readonly WireItem[];
  readonly itemsOf?: Readonly<Record<string, readonly WireItem[]>>;
  readonly needs?: readonly Capability[];
  readonly steps: readonly Step[];
}

/** A row. `covers` is a list of ids separated by blanks. */
export function row(id: string, covers: string, source: string, body: RowBody): Row {
  return {
    id,
    covers: covers.split(' ').filter((part) => part !== ''),
    source,
    needs: body.needs ?? [],
    tables: { ...(body.table === undefined ? {} : { T: body.table }), ...body.tables },
    items: { ...(body.items === undefined ? {} : { T: body.items }), ...body.itemsOf },
    steps: body.steps,
  };
}
