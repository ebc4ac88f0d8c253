import { noteAnswer, noteRefusal } from './connection.ts';
import { signedFetch } from './signed-fetch.ts';
import { isOfStreams } from './stream-operations.ts';

// The protocol of DynamoDB, to the server that the page came from. No request is hidden: each goes into the
// log of the view that made it.

/** What one request asked for, returned and cost. */
export interface Exchange {
  /** `Query`; for information about the server, `GET /_singlet/models`. */
  readonly operation: string;
  readonly input: object;
  /** From sending to the parsed answer. */
  readonly durationMs: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Read units of a stream, which are not those of its table. */
  readonly streamUnits: number;
  /** Items evaluated and returned, if the operation reads items; for a stream, its records. */
  readonly itemsRead: number;
  readonly itemsReturned: number;
  /** The name of the error, if the answer was one. */
  readonly error: string | undefined;
}

/** The error of the service, with its name and message unchanged. */
export class ServiceError extends Error {
  override readonly name: string;
  readonly reasons: readonly CancellationReason[];
  /** The item that failed a condition, if the request asked for it. */
  readonly item: unknown;

  constructor(
    name: string,
    message: string,
    { reasons = [], item }: { reasons?: readonly CancellationReason[]; item?: unknown } = {},
  ) {
    super(message);
    this.name = name;
    this.reasons = reasons;
    this.item = item;
  }
}

export interface CancellationReason {
  readonly Code?: string;
  readonly Message?: string;
}

/** The server could not be reached, or something else answered in its place. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

export interface CallOptions {
  readonly onExchange?: ((exchange: Exchange) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const attemptsMax = 4;
const firstPauseMs = 60;
const retried = new Set([
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'InternalServerError',
  'ServiceUnavailable',
]);

/** Operations that report their consumed capacity on request. */
const reportsCapacity =
  /^(GetItem|PutItem|UpdateItem|DeleteItem|Query|Scan|BatchGetItem|BatchWriteItem|Transact\w+|ExecuteStatement)$/;

/**
 * Calls an operation and returns its answer unchanged, with numbers as text.
 *
 * @throws {ServiceError} if the service rejects the request. Throttling and server failures are retried three times.
 * @throws {ConnectionError} if there is no answer.
 */
export async function call<Output>(operation: string, input: object, options: CallOptions = {}): Promise<Output> {
  const asked = reportsCapacity.test(operation) ? { ...input, ReturnConsumedCapacity: 'INDEXES' } : input;
  for (let attempt = 1; ; attempt += 1) {
    const startedMs = performance.now();
    try {
      const answer = await send(operation, asked, options.signal);
      options.onExchange?.({ ...described(operation, input, answer), durationMs: performance.now() - startedMs });
      return answer as Output; // the documented shape of the operation
    } catch (error) {
      if (options.signal?.aborted === true) throw error;
      const isLast = attempt === attemptsMax || !(error instanceof ServiceError && retried.has(error.name));
      const name = error instanceof Error ? error.name : String(error);
      options.onExchange?.({
        ...described(operation, input, {}),
        durationMs: performance.now() - startedMs,
        error: name,
      });
      if (isLast) throw error;
      await new Promise((resolve) => setTimeout(resolve, firstPauseMs * 2 ** attempt * (0.5 + Math.random() / 2)));
    }
  }
}

async function send(operation: string, input: object, signal: AbortSignal | undefined): Promise<object> {
  let response: Response;
  try {
    response = await signedFetch('/', {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `${isOfStreams(operation) ? 'DynamoDBStreams' : 'DynamoDB'}_20120810.${operation}`,
        'x-singlet-studio': '1',
      },
      body: JSON.stringify(input),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    noteAnswer(false);
    throw new ConnectionError('The server does not answer.', { cause: error });
  }
  noteAnswer(true);
  const body = await jsonOf(response);
  if (response.ok) return body;
  const { message, Message } = body as { message?: string; Message?: string };
  const { CancellationReasons, Item } = body as { CancellationReasons?: readonly CancellationReason[]; Item?: unknown };
  const name = errorName(body) ?? `HTTP ${response.status}`;
  noteRefusal(name);
  throw new ServiceError(name, message ?? Message ?? '', {
    ...(CancellationReasons && { reasons: CancellationReasons }),
    item: Item,
  });
}

/** The name of an error of the protocol; undefined if the answer has none. */
export function errorName({ __type: type = '' }: { readonly __type?: string }): string | undefined {
  return type.slice(type.lastIndexOf('#') + 1) || undefined;
}

export async function jsonOf(response: Response): Promise<object> {
  try {
    return (await response.json()) as object; // every answer of the protocol is an object
  } catch (error) {
    throw new ConnectionError(`This server is not a DynamoDB endpoint (HTTP ${response.status}).`, { cause: error });
  }
}

interface Capacity {
  readonly CapacityUnits?: number;
  readonly ReadCapacityUnits?: number;
  readonly WriteCapacityUnits?: number;
}

function described(operation: string, input: object, answer: object): Omit<Exchange, 'durationMs'> {
  const { ScannedCount, ConsumedCapacity } = answer as {
    ScannedCount?: number;
    ConsumedCapacity?: Capacity | readonly Capacity[];
  };
  const capacities = ConsumedCapacity === undefined ? [] : ([ConsumedCapacity].flat() as readonly Capacity[]);
  const units = capacities.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
  const { Statement = '' } = input as { Statement?: string };
  const isWrite =
    /^(Put|Update|Delete|BatchWrite|TransactWrite)/.test(operation) || /^\s*(insert|update|delete)\b/i.test(Statement);
  const items = itemsIn(answer);
  return {
    operation,
    input,
    readUnits: isWrite ? 0 : units,
    writeUnits: isWrite ? units : 0,
    // The service counts one for each call, of up to 1 MB.
    streamUnits: operation === 'GetRecords' ? 1 : 0,
    itemsRead: ScannedCount ?? items,
    itemsReturned: items,
    error: undefined,
  };
}

/** The number of items in an answer. Those of a batch are by table, those of a transaction one for each read. */
function itemsIn(answer: object): number {
  const { Count, Item, Items, Records, Responses } = answer as {
    Count?: number;
    Item?: unknown;
    Items?: readonly unknown[];
    Records?: readonly unknown[];
    Responses?: readonly { readonly Item?: unknown }[] | Readonly<Record<string, readonly unknown[]>>;
  };
  const listed = Count ?? Items?.length ?? Records?.length;
  if (listed !== undefined) return listed;
  if (Responses === undefined) return Item === undefined ? 0 : 1;
  if (Array.isArray(Responses)) return Responses.filter(({ Item: each }) => each !== undefined).length;
  return Object.values(Responses).reduce((sum, { length }) => sum + length, 0);
}
