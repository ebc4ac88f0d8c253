import type { ObservedRequest, RequestObserver } from '../../server/index.ts';
import { BodyStore } from './body-store.ts';
import { SequenceNumbers } from './sequence-numbers.ts';

/** The maximum number of requests kept. */
export const loggedRequestsMax = 10_000;

/** How long requests continue to be logged after the log was last read, milliseconds. */
export const logAfterReadMs: number = 5 * 60_000;

/** A logged request. Its description is computed when it is read. */
export interface LoggedRequest {
  readonly seq: number;
  readonly atEpochMs: number;
  readonly event: ObservedRequest['event'];
  readonly counts: RequestCounts;
  readonly identity: string | null;
  readonly userAgent: string | null;
  /** The IP address of the other end of the connection. */
  readonly address: string | null;
  /** Whether the bodies were sent compressed, and so cannot be shown. */
  readonly isCompressed: boolean;
}

/** What the engine's answer reports about the work done. */
interface RequestCounts {
  /** The number of items read, and of items returned; null for an action that reads none. */
  readonly read: number | null;
  readonly returned: number | null;
  readonly capacity: readonly LoggedCapacity[];
}

/** The capacity units consumed on one table. */
export interface LoggedCapacity {
  readonly table: string;
  /** Of reads and writes together. */
  readonly units: number;
  readonly tableUnits: number;
  readonly indexUnits: Readonly<Record<string, number>>;
}

/** The result of {@link RequestLog.page}. */
export interface LogPage {
  readonly requests: readonly LoggedRequest[];
  /** All requests up to this number that were not dropped have been returned: the value of `after` for the next page. */
  readonly last: number;
  /** The number of requests after the given one that were dropped before they were read. */
  readonly dropped: number;
}

/**
 * The last requests of this process. It is disabled until it is first read, and again when it has not been read for a while, so requests cost
 * nothing unless the log is used.
 */
export class RequestLog implements RequestObserver {
  isOn: boolean;
  readonly #isAlwaysOn: boolean;
  readonly #nowMs: () => number;
  readonly #numbers: SequenceNumbers;
  readonly #bodies = new BodyStore();
  #requests: LoggedRequest[] = [];
  /** Numbers of dropped requests, oldest first. */
  #dropped: number[] = [];
  #readAtMs = 0;

  /** @param options.worker - from 0; distinguishes the numbers of several processes. */
  constructor(options: { readonly nowMs: () => number; readonly worker: number; readonly isAlwaysOn: boolean }) {
    this.#nowMs = options.nowMs;
    this.#numbers = new SequenceNumbers(options.worker);
    this.#isAlwaysOn = options.isAlwaysOn;
    this.isOn = options.isAlwaysOn;
  }

  observed({ event, request, answer, result }: ObservedRequest): void {
    const atEpochMs = this.#nowMs();
    if (!this.#isAlwaysOn && atEpochMs > this.#readAtMs + logAfterReadMs) {
      this.#forgetAll();
      return;
    }
    const { headers } = request;
    const seq = this.#numbers.next(atEpochMs);
    const isCompressed = headers['content-encoding'] !== undefined;
    this.#requests.push({
      seq,
      atEpochMs,
      event,
      counts: countsOf(event.action, result),
      identity: accessKeyOf(headers['authorization']),
      userAgent: headers['user-agent']?.slice(0, userAgentLengthMax) ?? null,
      address: request.peer?.address ?? null,
      isCompressed,
    });
    if (!isCompressed) this.#bodies.keep(seq, request.body, answer);
    if (this.#requests.length >= 2 * loggedRequestsMax) this.#forget();
  }

  /** Requests after a number, the oldest first; without a number the latest. */
  page({ after, limit }: { readonly after: number | undefined; readonly limit: number }): LogPage {
    this.#noteReader();
    this.#forget();
    const all = this.#requests;
    const from = after === undefined ? Math.max(0, all.length - limit) : firstAfter(all, after);
    const requests = all.slice(from, from + limit);
    const isWhole = from + requests.length === all.length;
    return {
      requests,
      last: isWhole ? this.#numbers.settledAt(this.#nowMs()) : (requests.at(-1)?.seq ?? 0),
      dropped: after === undefined ? 0 : this.#dropped.filter((seq) => seq > after).length,
    };
  }

  /** A request by its number, with its bodies if they are still kept. */
  find(seq: number): { readonly request: LoggedRequest; readonly bodies: ReturnType<BodyStore['get']> } | undefined {
    this.#noteReader();
    const request = this.#requests[firstAfter(this.#requests, seq - 1)];
    return request?.seq === seq ? { request, bodies: this.#bodies.get(seq) } : undefined;
  }

  /** The bodies of a request, if they are still kept. */
  bodiesOf(seq: number): ReturnType<BodyStore['get']> {
    return this.#bodies.get(seq);
  }

  #noteReader(): void {
    this.#readAtMs = this.#nowMs();
    this.isOn = true;
  }

  #forget(): void {
    const excess = this.#requests.length - loggedRequestsMax;
    if (excess <= 0) return;
    const forgotten = this.#requests.slice(0, excess).map(({ seq }) => seq);
    this.#requests = this.#requests.slice(excess);
    this.#dropped = [...this.#dropped, ...forgotten].slice(-droppedNumbersMax);
  }

  #forgetAll(): void {
    this.isOn = false;
    this.#requests = [];
    this.#dropped = [];
    this.#bodies.clear();
  }
}

const userAgentLengthMax = 200;

/** How many numbers of dropped requests are kept, so that a slow reader can be told how many it missed. */
const droppedNumbersMax = 20_000;

/** The index of the first request with a higher number. */
function firstAfter(requests: readonly LoggedRequest[], after: number): number {
  let low = 0;
  let high = requests.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((requests[middle]?.seq ?? 0) <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The access key id in a credential scope. It is not secret: it only identifies the secret key. */
function accessKeyOf(authorization: string | undefined): string | null {
  return /Credential=([A-Za-z0-9_-]{1,128})\//.exec(authorization ?? '')?.[1] ?? null;
}

/** The members of the engine's answers that are used here. */
interface AnyResult {
  readonly count?: number;
  readonly scannedCount?: number;
  readonly item?: unknown;
  readonly items?: readonly unknown[];
  readonly responses?: Readonly<Record<string, readonly unknown[]>> | readonly { readonly item?: unknown }[];
  readonly consumedCapacity?: ConsumedUnits | readonly ConsumedUnits[];
}

interface ConsumedUnits {
  readonly tableName?: string;
  readonly capacityUnits: number;
  readonly table?: { readonly capacityUnits: number };
  readonly localSecondaryIndexes?: Readonly<Record<string, { readonly capacityUnits: number }>>;
  readonly globalSecondaryIndexes?: Readonly<Record<string, { readonly capacityUnits: number }>>;
}

function countsOf(action: string | undefined, result: object | undefined): RequestCounts {
  const { count, scannedCount, item, items, responses, consumedCapacity } = (result ?? {}) as AnyResult; // absent members are undefined
  const consumed = consumedCapacity === undefined ? [] : [consumedCapacity].flat();
  const returned =
    action === 'GetItem' && result !== undefined
      ? Number(item !== undefined)
      : (count ?? items?.length ?? itemsIn(responses));
  return { read: scannedCount ?? returned, returned, capacity: consumed.map(capacityOf) };
}

function itemsIn(responses: AnyResult['responses']): number | null {
  if (responses === undefined) return null;
  // For a batch by table, for a transaction in the order of its parts.
  return Array.isArray(responses)
    ? responses.filter((one: { readonly item?: unknown }) => one.item !== undefined).length
    : Object.values(responses).reduce((sum, items) => sum + items.length, 0);
}

function capacityOf({ tableName, capacityUnits, table, ...indexes }: ConsumedUnits): LoggedCapacity {
  const byIndex = { ...indexes.localSecondaryIndexes, ...indexes.globalSecondaryIndexes };
  return {
    table: tableName ?? '',
    units: capacityUnits,
    tableUnits: table?.capacityUnits ?? capacityUnits,
    indexUnits: Object.fromEntries(Object.entries(byIndex).map(([name, units]) => [name, units.capacityUnits])),
  };
}
