import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Answer, BuiltRequest, Context, SentOperation } from './context.ts';

/** A condition that still works but will soon fail. */
export interface RunWarning {
  /** `filtered-read`: a page of which the filter removed almost all items. `large-item`: an item near the service's limit of 400 KB. */
  readonly code: 'filtered-read' | 'large-item';
  /** `error` if the next writes of the item will be rejected. */
  readonly severity: 'warning' | 'error';
  /** The action that was sent. */
  readonly operation: SentOperation;
  /** The table it was sent to, by its name there. */
  readonly table: string;
  /** The index, if one was read. */
  readonly index?: string;
  /** What was observed, and the remedy: one sentence each. */
  readonly message: string;
}

/** A page is reported if it read at least this many items, and this many times what it returned. */
const scannedMin = 50;
const scannedTimes = 10;

const itemBytesMax = 400 * 1024;
const largeBytes = 100 * 1024;
const nearlyFullBytes = 360 * 1024;

/** A request that was sent, and its outcome. Decision 0094 explains why a function receives it, and the effect of its errors. */
export interface SentRequest {
  /** The pattern that sent the request; `transact` for operations of several. */
  readonly pattern: string;
  /** The action that was sent. */
  readonly operation: SentOperation;
  /** The tables it was sent to, by their names there. */
  readonly tables: readonly string[];
  /** The index, if one was read. */
  readonly index?: string;
  /** Capacity units consumed, of tables and indexes; undefined if the answer does not report them, as when the request was rejected. */
  readonly capacityUnits: number | undefined;
  /** The time from sending it to the answer, including the SDK's own retries. */
  readonly milliseconds: number;
  /** The error of the service or of the connection, if there was one. */
  readonly error?: unknown;
}

/** The hooks of a connection for its requests. */
interface Watchers {
  readonly now?: () => number;
  readonly onWarning?: (warning: RunWarning) => void;
  readonly onRequest?: (request: SentRequest) => void;
}

/**
 * Observes every request and answer of a connection. Its warnings require reading each item once more, so they are for tests and a part of the
 * traffic.
 */
export function watched(send: Context['send'], { now, onWarning, onRequest }: Watchers): Context['send'] {
  const reported = onRequest === undefined ? send : reporting(send, onRequest, now ?? Date.now);
  return onWarning === undefined ? reported : warning(reported, onWarning);
}

function reporting(
  send: Context['send'],
  onRequest: (request: SentRequest) => void,
  now: () => number,
): Context['send'] {
  // An error of the hook says nothing about the request: it becomes an unhandled rejection, as that of an asynchronous hook does.
  const tell = (sent: SentRequest): void => void (async () => onRequest(sent))();
  return async (request, pattern = 'transact') => {
    const start = now();
    const about = { pattern, operation: request.operation, ...targetOf(request) };
    let answer: Answer;
    try {
      answer = await send({ ...request, input: { ...request.input, ReturnConsumedCapacity: 'TOTAL' } });
    } catch (error) {
      tell({ ...about, capacityUnits: undefined, milliseconds: now() - start, error });
      throw error;
    }
    tell({ ...about, capacityUnits: capacityOf(answer), milliseconds: now() - start });
    return answer;
  };
}

/** The tables of a request, each once, and the index of a read. */
function targetOf({ input }: BuiltRequest): Pick<SentRequest, 'tables' | 'index'> {
  const { TableName, IndexName, RequestItems, TransactItems } = input as {
    readonly TableName?: string;
    readonly IndexName?: string;
    readonly RequestItems?: object;
    readonly TransactItems?: readonly Readonly<Record<string, { readonly TableName?: string }>>[];
  };
  const written = (TransactItems ?? []).flatMap((item) => Object.values(item).map((action) => action.TableName ?? ''));
  const tables = TableName === undefined ? [...Object.keys(RequestItems ?? {}), ...new Set(written)] : [TableName];
  return { tables, ...(IndexName !== undefined && { index: IndexName }) };
}

/** For one table, or for each table of a batch or transaction. */
function capacityOf({ ConsumedCapacity }: Answer): number | undefined {
  if (ConsumedCapacity === undefined) return undefined;
  const units = [ConsumedCapacity].flat() as { readonly CapacityUnits?: number }[];
  return units.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
}

function warning(send: Context['send'], warn: (warning: RunWarning) => void): Context['send'] {
  return async (request, pattern) => {
    for (const { table, item } of writtenItems(request)) noteItem(request, table, item, warn);
    const answer = await send(request, pattern);
    const { TableName, IndexName } = request.input;
    notePage(request, answer, warn);
    for (const { table, item } of readItems(answer, String(TableName))) noteItem(request, table, item, warn, IndexName);
    return answer;
  };
}

function notePage({ operation, input }: BuiltRequest, answer: Answer, warn: (warning: RunWarning) => void): void {
  const { ScannedCount: scanned, Count: returned } = answer as { ScannedCount?: number; Count?: number };
  if (scanned === undefined || returned === undefined) return;
  if (scanned < scannedMin || scanned < scannedTimes * returned) return;
  const table = String(input['TableName']);
  const index = input['IndexName'] as string | undefined;
  warn({
    code: 'filtered-read',
    severity: 'warning',
    operation,
    table,
    ...(index !== undefined && { index }),
    message: `A page of ${index ?? table} read ${scanned} items and returned ${returned}: what is read is paid for, whatever the filter takes away. Put what the filter asks for into a key.`,
  });
}

function noteItem(
  { operation }: BuiltRequest,
  table: string,
  item: Item,
  warn: (warning: RunWarning) => void,
  index?: unknown,
): void {
  const bytes = itemBytes(item);
  if (bytes < largeBytes) return;
  const kilobytes = Math.round(bytes / 1024);
  const largest = Object.entries(item).reduce((a, b) => (valueBytes(a[1]) >= valueBytes(b[1]) ? a : b))[0];
  warn({
    code: 'large-item',
    severity: bytes < nearlyFullBytes ? 'warning' : 'error',
    operation,
    table,
    ...(typeof index === 'string' && { index }),
    message: `An item of ${table} has ${kilobytes} KB of the ${itemBytesMax / 1024} KB that an item may have, most of it in ${largest}. Give each element of what grows an item of its own.`,
  });
}

type Item = Readonly<Record<string, AttributeValue>>;

interface Found {
  readonly table: string;
  readonly item: Item;
}

interface Put {
  readonly TableName: string;
  readonly Item: Item;
}

function* writtenItems({ operation, input }: BuiltRequest): Generator<Found> {
  switch (operation) {
    case 'PutItem':
      yield found(input as unknown as Put);
      break;
    case 'TransactWriteItems':
      for (const { Put: put } of input['TransactItems'] as readonly { readonly Put?: Put }[]) {
        if (put !== undefined) yield found(put);
      }
      break;
    case 'BatchWriteItem':
      for (const [table, writes] of Object.entries(input['RequestItems'] as Readonly<Record<string, BatchWrites>>)) {
        for (const { PutRequest: put } of writes) if (put !== undefined) yield { table, item: put.Item };
      }
      break;
    default:
  }
}

type BatchWrites = readonly { readonly PutRequest?: { readonly Item: Item } }[];

function found({ TableName: table, Item: item }: Put): Found {
  return { table, item };
}

function* readItems(answer: Answer, table: string): Generator<Found> {
  const { Item, Items, Attributes, Responses } = answer as {
    readonly Item?: Item;
    readonly Items?: readonly Item[];
    readonly Attributes?: Item;
    readonly Responses?: Readonly<Record<string, readonly Item[]>>;
  };
  for (const item of [Item, Attributes, ...(Items ?? [])]) if (item !== undefined) yield { table, item };
  for (const [name, items] of Object.entries(Responses ?? {})) for (const item of items) yield { table: name, item };
}

/** Approximately what the service counts: names and values, in UTF-8. */
function itemBytes(item: Item): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + textBytes(name) + valueBytes(value), 0);
}

function valueBytes(value: AttributeValue): number {
  const [content] = Object.values(value) as readonly unknown[];
  if (typeof content === 'string') return textBytes(content);
  if (content instanceof Uint8Array) return content.length;
  if (Array.isArray(content)) {
    return content.reduce((sum: number, element) => sum + 1 + elementBytes(element), 3);
  }
  if (typeof content === 'object' && content !== null) return 3 + itemBytes(content as Item);
  return 1;
}

/** The elements of a set are bare, those of a list are attribute values. */
function elementBytes(element: unknown): number {
  if (typeof element === 'string') return textBytes(element);
  return element instanceof Uint8Array ? element.length : valueBytes(element as AttributeValue);
}

const encoder = new TextEncoder();

function textBytes(text: string): number {
  return encoder.encode(text).length;
}
