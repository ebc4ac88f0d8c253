import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** One request of an application, observed where the SDK sends it, without the application's knowledge. */
export interface ObservedRequest {
  /** DynamoDB's name for it: `Query`, `TransactWriteItems`. */
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Absent when the request failed. */
  readonly output?: Readonly<Record<string, unknown>>;
  readonly errorName?: string;
  readonly latencyMs: number;
}

const DATA_OPERATIONS: ReadonlySet<string> = new Set([
  'GetItem',
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'Query',
  'Scan',
  'BatchGetItem',
  'BatchWriteItem',
  'TransactGetItems',
  'TransactWriteItems',
]);

/**
 * Reports every request that a client, or a document client made from it, sends. The SDK's retries count as part of one.
 * Requests that read or write items are changed to return their consumed capacity, index by index.
 */
export function observeRequests(client: DynamoDBClient, observe: (request: ObservedRequest) => void): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const operation = (context.commandName ?? '').replace(/Command$/, '');
      // Every input of a DynamoDB command is an object with named fields.
      const input = args.input as Readonly<Record<string, unknown>>;
      const measured = DATA_OPERATIONS.has(operation) ? { ...input, ReturnConsumedCapacity: 'INDEXES' } : input;
      const startedAt = performance.now();
      try {
        const result = await next({ ...args, input: measured });
        const output = result.output as unknown as Readonly<Record<string, unknown>>;
        observe({ operation, input, output, latencyMs: performance.now() - startedAt });
        return result;
      } catch (error) {
        const errorName = error instanceof Error ? error.name : String(error);
        observe({ operation, input, errorName, latencyMs: performance.now() - startedAt });
        throw error;
      }
    },
    { step: 'initialize', name: 'observeRequests' },
  );
}
