import type { AttributeValue } from '../../../../singlet/src/values/attribute-value.ts';
import type { Exchange } from '../../wire/client.ts';
import { inspect, NotToldError } from '../../wire/inspect.ts';
import type { Capacity, PatternRun, RequestInput, SentRequest, WritePreview } from '../../wire/model-answers.ts';

export interface RunOptions {
  readonly model: string;
  readonly pattern: string;
  readonly input: unknown;
  readonly cursor?: string | undefined;
  readonly onExchange: (exchange: Exchange) => void;
}

function pathOf({ model, pattern }: RunOptions): string {
  return `models/${encodeURIComponent(model)}/patterns/${encodeURIComponent(pattern)}/run`;
}

/**
 * Runs a pattern in the server. Its requests are added to the log, each as if the page had sent it.
 *
 * @throws {ServiceError} `ModelRefused` for input that the pattern does not accept.
 */
export async function runPattern(options: RunOptions): Promise<PatternRun> {
  const { input, cursor = null, onExchange } = options;
  const run = await inspect<PatternRun>(pathOf(options), { body: { input, cursor } });
  for (const [at, request] of run.requests.entries()) {
    const isLast = at === run.requests.length - 1;
    const { reads, writes } = capacityUnits([request]);
    onExchange({
      operation: request.operation,
      input: request.input,
      durationMs: request.ms,
      readUnits: reads,
      writeUnits: writes,
      streamUnits: 0,
      itemsRead: isLast ? run.read.length + run.filteredAway : 0,
      itemsReturned: isLast ? run.read.length : 0,
      error: undefined,
    });
  }
  return run;
}

/** What a run of a writing pattern would do, request by request. */
export interface RunPreview {
  readonly writes: readonly PreviewedWrite[];
  /** Whether it reads before it writes, so that its writes are not known in advance. */
  readonly isPartial: boolean;
}

interface PreviewedWrite {
  readonly operation: string;
  readonly input: object;
  /** Undefined for an endpoint that does not tell what a write would do. */
  readonly preview: WritePreview | undefined;
}

/** The requests that a run would send first, without sending them. */
export async function plannedRequests(options: RunOptions): Promise<readonly PlannedRequest[]> {
  const { input, onExchange } = options;
  const body = { input, dryRun: true };
  const { requests } = await inspect<{ requests: readonly PlannedRequest[] }>(pathOf(options), { body, onExchange });
  return requests;
}

export interface PlannedRequest {
  readonly operation: string;
  readonly input: object;
}

const previewed: ReadonlySet<string> = new Set([
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'BatchWriteItem',
  'TransactWriteItems',
]);

/** Requests what a run would send, and the effects of each write. Nothing is written. */
export async function previewPattern(options: RunOptions): Promise<RunPreview> {
  const { onExchange } = options;
  const requests = await plannedRequests(options);
  const writes: PreviewedWrite[] = [];
  for (const { operation, input: sent } of requests) {
    if (!previewed.has(operation)) continue;
    const body = { operation, input: sent };
    const preview = await inspect<WritePreview>('preview', { body, onExchange }).catch(toldNothing);
    writes.push({ ...body, preview });
  }
  return { writes, isPartial: requests.some(({ operation }) => !previewed.has(operation)) };
}

function toldNothing(error: unknown): undefined {
  if (!(error instanceof NotToldError)) throw error;
}

const writing = /^(Put|Update|Delete|BatchWrite|TransactWrite)/;

/** What requests consumed, as they report it. */
export function capacityUnits(requests: readonly SentRequest[]): { readonly reads: number; readonly writes: number } {
  let reads = 0;
  let writes = 0;
  for (const { operation, capacity } of requests) {
    const capacities = capacity === null ? [] : ([capacity].flat() as readonly Capacity[]);
    const units = capacities.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
    if (writing.test(operation)) writes += units;
    else reads += units;
  }
  return { reads, writes };
}

/** The partition key of a request that reads one collection; undefined for any other request. */
export function partitionOf(
  { KeyConditionExpression = '', ExpressionAttributeNames, ExpressionAttributeValues, Key }: RequestInput,
  partitionName: string,
): AttributeValue | undefined {
  if (Key !== undefined) return Key[partitionName];
  for (const [, name = '', value = ''] of KeyConditionExpression.matchAll(/([#\w]+) = (:\w+)/g)) {
    if ((ExpressionAttributeNames?.[name] ?? name) === partitionName) return ExpressionAttributeValues?.[value];
  }
  return undefined;
}
