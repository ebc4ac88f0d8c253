import {
  CreateTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';

/** An event whose table has been dropped, or does not exist yet. */
export class NoTableError extends Error {
  override readonly name = 'NoTableError';
  readonly tableName: string;

  constructor(tableName: string, cause: unknown) {
    super(`There is no table ${tableName}`, { cause });
    this.tableName = tableName;
  }
}

export interface TimedEvent {
  readonly device: string;
  /** ISO-8601, UTC. */
  readonly at: string;
}

/**
 * P-20 A table for each month: current data can have much capacity, old data little, and the oldest is dropped as
 * a whole.
 */
export class MonthlyEvents {
  readonly #client: DynamoDBClient;
  readonly #documents: DynamoDBDocumentClient;

  constructor(client: DynamoDBClient) {
    this.#client = client;
    this.#documents = DynamoDBDocumentClient.from(client);
  }

  /** Creates the table of a month, `2020-11`, ahead of time. Idempotent. */
  async prepare(month: string): Promise<void> {
    try {
      await this.#client.send(
        new CreateTableCommand({
          TableName: tableOf(month),
          AttributeDefinitions: ['device', 'at'].map((AttributeName) => ({
            AttributeName,
            AttributeType: 'S' as const,
          })),
          KeySchema: [
            { AttributeName: 'device', KeyType: 'HASH' },
            { AttributeName: 'at', KeyType: 'RANGE' },
          ],
          BillingMode: 'PAY_PER_REQUEST',
        }),
      );
    } catch (error) {
      if (!(error instanceof ResourceInUseException)) throw error;
    }
  }

  /** @throws {NoTableError} for an event whose month has no table. */
  async record(event: TimedEvent): Promise<void> {
    const TableName = tableOf(event.at);
    try {
      await this.#documents.send(new PutCommand({ TableName, Item: { ...event } }));
    } catch (error) {
      if (error instanceof ResourceNotFoundException) throw new NoTableError(TableName, error);
      throw error;
    }
  }

  /** Events in order, from the tables of all months in the range; one request for each. */
  async between(device: string, from: string, to: string): Promise<readonly TimedEvent[]> {
    const pages = await Promise.all(
      monthsBetween(from, to).map(async (month) => {
        const { Items = [] } = await this.#documents.send(
          new QueryCommand({
            TableName: tableOf(month),
            KeyConditionExpression: '#device = :device AND #at BETWEEN :from AND :to',
            ExpressionAttributeNames: { '#device': 'device', '#at': 'at' },
            ExpressionAttributeValues: { ':device': device, ':from': from, ':to': to },
          }),
        );
        return Items as TimedEvent[]; // as `record` has written them
      }),
    );
    return pages.flat();
  }
}

function tableOf(time: string): string {
  return `events_${time.slice(0, 7).replace('-', '_')}`;
}

function monthsBetween(from: string, to: string): readonly string[] {
  const months: string[] = [];
  const at = new Date(`${from.slice(0, 7)}-01T00:00:00Z`);
  for (; at.toISOString().slice(0, 7) <= to.slice(0, 7); at.setUTCMonth(at.getUTCMonth() + 1)) {
    months.push(at.toISOString().slice(0, 7));
  }
  return months;
}
