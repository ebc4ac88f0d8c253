import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { DynamoDBClient, TransactionCanceledException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll } from 'vitest';
import type { ObservedRequest } from '../measurement/observe-requests.ts';
import { observeRequests } from '../measurement/observe-requests.ts';
import { createTable } from '../table-lifecycle.ts';
import type { DatabaseUnderTest, OpenDatabase } from './databases.ts';
import { RawTable } from './raw-table.ts';

export interface LoggedClient {
  readonly client: DynamoDBClient;
  /** In the order of their answers. */
  readonly requests: readonly ObservedRequest[];
  /** The operations of `requests`. */
  readonly operations: readonly string[];
}

/** The tools of a suite: one open database, its clients, and its own tables. */
export class Workbench {
  readonly #database: OpenDatabase;
  readonly #clients: { destroy(): void }[] = [];
  #client: DynamoDBClient | undefined;

  constructor(database: OpenDatabase) {
    this.#database = database;
  }

  /** The default client. */
  get client(): DynamoDBClient {
    this.#client ??= this.newClient();
    return this.#client;
  }

  /** A client with its own connections, as in another process. */
  newClient(): DynamoDBClient {
    const client = new DynamoDBClient(this.#database.clientConfig);
    this.#clients.push(client);
    return client;
  }

  /** A client of the streams of the tables. */
  newStreamsClient(): DynamoDBStreamsClient {
    const client = new DynamoDBStreamsClient(this.#database.clientConfig);
    this.#clients.push(client);
    return client;
  }

  /** A client that also records its requests. */
  newLoggedClient(): LoggedClient {
    const client = this.newClient();
    const requests: ObservedRequest[] = [];
    const operations: string[] = [];
    observeRequests(client, (request) => {
      requests.push(request);
      operations.push(request.operation);
    });
    return { client, requests, operations };
  }

  /**
   * A client that loses its connection permanently once it has sent some requests of an operation. Requests sent by
   * then have been carried out.
   */
  newBreakingClient(limit: { readonly operation: string; readonly requestsMax: number }): DynamoDBClient {
    const client = this.newClient();
    let requests = 0;
    client.middlewareStack.add(
      (next, context) => async (args) => {
        if (context.commandName === `${limit.operation}Command`) {
          requests += 1;
        }
        if (requests > limit.requestsMax) {
          throw new ConnectionLostError();
        }
        return await next(args);
      },
      { step: 'initialize', name: 'breakConnection' },
    );
    return client;
  }

  /** A client whose first writes DynamoDB cancels, because other requests are writing to the same items. */
  newConflictingClient({ conflicts }: { readonly conflicts: number }): DynamoDBClient {
    const client = this.newClient();
    let left = conflicts;
    client.middlewareStack.add(
      (next, context) => async (args) => {
        if (left === 0) {
          return await next(args);
        }
        left -= 1;
        const details = { $metadata: {}, message: 'Transaction is ongoing for the item' };
        throw context.commandName === 'TransactWriteItemsCommand'
          ? new TransactionCanceledException({ ...details, CancellationReasons: [{ Code: 'TransactionConflict' }] })
          : new TransactionConflictException(details);
      },
      { step: 'initialize', name: 'conflict' },
    );
    return client;
  }

  /** Creates a table under a name that no other test uses, ready to be used. */
  async createTable(definition: CreateTableCommandInput): Promise<RawTable> {
    const name = `${definition.TableName}-${process.pid}-${Date.now().toString(36)}-${nextTableNumber()}`;
    await createTable(this.client, { ...definition, TableName: name });
    return new RawTable(this.client, name);
  }

  /**
   * Deletes the items whose time to live has passed by the database's clock.
   *
   * @returns the number of items deleted.
   */
  async sweepExpiredItems(): Promise<number> {
    if (!this.#database.sweepExpiredItems) {
      throw new ReferenceError('Only a database of our own deletes expired items when it is told to');
    }
    return await this.#database.sweepExpiredItems();
  }

  async close(): Promise<void> {
    for (const client of this.#clients) {
      client.destroy();
    }
    await this.#database.close();
  }
}

export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError';
}

/** Opens a database for the tests of the surrounding `describe` and closes it after them. */
export function useWorkbench(database: DatabaseUnderTest): () => Workbench {
  let workbench: Workbench | undefined;
  beforeAll(async () => {
    workbench = new Workbench(await database.open());
  });
  afterAll(async () => {
    await workbench?.close();
  });
  return () => {
    if (!workbench) {
      throw new ReferenceError('The workbench is there once the tests run');
    }
    return workbench;
  };
}

let tableCount = 0;

function nextTableNumber(): number {
  tableCount += 1;
  return tableCount;
}
