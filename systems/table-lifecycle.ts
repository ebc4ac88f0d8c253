import type {
  CreateTableCommandInput,
  DynamoDBClient,
  StreamSpecification,
  TableStatus,
  UpdateTimeToLiveCommandInput,
} from '@aws-sdk/client-dynamodb';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  ResourceInUseException,
  ResourceNotFoundException,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { pauseWithJitter } from './pause.ts';

const POLL_PAUSE_MS = 20;
const POLLS_MAX = 3000;

export class TableNotReadyError extends Error {
  override readonly name = 'TableNotReadyError';

  constructor(tableName: string | undefined, wanted: TableStatus | undefined) {
    super(`The table ${tableName} did not become ${wanted ?? 'deleted'} in time`);
  }
}

/**
 * Creates a table and waits until it accepts requests. The SDK's own waiter would be suitable if its shortest pause were not a
 * second.
 *
 * @throws {TableNotReadyError} after about a minute.
 */
export async function createTable(client: DynamoDBClient, definition: CreateTableCommandInput): Promise<void> {
  await client.send(new CreateTableCommand(definition));
  await untilStatus(client, definition.TableName, 'ACTIVE');
}

/**
 * Creates a table if it does not exist, and waits until it accepts requests.
 *
 * @returns whether it was created just now, and is empty.
 */
export async function tableIsNew(client: DynamoDBClient, definition: CreateTableCommandInput): Promise<boolean> {
  try {
    await createTable(client, definition);
    return true;
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) {
      throw error;
    }
    await untilStatus(client, definition.TableName, 'ACTIVE');
    return false;
  }
}

/** Creates a table if it does not exist, and waits until it accepts requests. */
export async function ensureTable(client: DynamoDBClient, definition: CreateTableCommandInput): Promise<void> {
  await tableIsNew(client, definition);
}

/**
 * Enables the stream of a table if it has none, and waits until the table accepts requests.
 *
 * @throws {TableNotReadyError} after about a minute.
 */
export async function ensureStream(
  client: DynamoDBClient,
  tableName: string,
  specification: StreamSpecification,
): Promise<void> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
  if (Table?.StreamSpecification?.StreamEnabled === true) return;
  await client.send(new UpdateTableCommand({ TableName: tableName, StreamSpecification: specification }));
  await untilStatus(client, tableName, 'ACTIVE');
}

/** Enables the deletion of a table's items some time after they have expired, including existing ones. */
export async function enableTimeToLive(
  client: DynamoDBClient,
  specification: UpdateTimeToLiveCommandInput,
): Promise<void> {
  await client.send(new UpdateTimeToLiveCommand(specification));
}

/**
 * Deletes a table and waits until it has gone.
 *
 * @throws {TableNotReadyError} after about a minute.
 */
export async function deleteTable(client: DynamoDBClient, tableName: string): Promise<void> {
  await client.send(new DeleteTableCommand({ TableName: tableName }));
  await untilStatus(client, tableName, undefined);
}

async function untilStatus(
  client: DynamoDBClient,
  tableName: string | undefined,
  wanted: TableStatus | undefined,
): Promise<void> {
  for (let polls = 0; polls < POLLS_MAX; polls += 1) {
    if ((await tableStatus(client, tableName)) === wanted) {
      return;
    }
    await pauseWithJitter(POLL_PAUSE_MS);
  }
  throw new TableNotReadyError(tableName, wanted);
}

/** @returns `undefined` for a table that does not exist or, just after CreateTable, is not known everywhere yet. */
async function tableStatus(client: DynamoDBClient, tableName: string | undefined): Promise<TableStatus | undefined> {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
    return Table?.TableStatus;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) {
      return undefined;
    }
    throw error;
  }
}
