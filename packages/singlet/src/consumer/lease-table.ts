import {
  type AttributeValue,
  CreateTableCommand,
  DeleteItemCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  type TableDescription,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { backoffMs, type ConsumerEnvironment } from './consumer-environment.ts';
import { ConsumerError, errorNameOf } from './consumer-error.ts';
import { latest, type Lease, type StreamStart, trimHorizon } from './lease.ts';
import type { StreamShard } from './stream-source.ts';

/*
 * The table of checkpoints and leases. One item per shard, under the ARN of its stream:
 *
 *     streamArn (S, partition key) | shardId (S, sort key) | parentShardId (S) | workerId (S) | leaseCounter (N) | leaseEpoch (N)
 *     | checkpoint (S) | fromMs (N)
 *
 * and one item per stream, in the place of a shard "#start", which says where reading began:
 *
 *     streamArn | shardId = "#start" | fromMs (N) | openShardIds (L of S) | closedShardIds (L of S)
 *
 * None of the names is a reserved word.
 *
 * Every write has a condition: on the counter where a lease is taken, so that any sign of life of its holder makes
 * it fail; on the epoch afterwards, so that a former holder changes nothing.
 *
 * Decision 0012 says why.
 */

const startKey = '#start';

type StoredItem = Readonly<Record<string, AttributeValue>>;

const activeAttemptsMax = 600;
/** The first pause between two looks at a new table, which a local database has at once. The pause doubles, up to the longest. */
const activePollMs = 10;
const activePollMsMax = 500;

/** The number of attempts for a write that conflicts with a transaction on its item: with the pauses between, about ten seconds. */
const conflictAttemptsMax = 8;

export class LeaseTable {
  readonly tableName: string;
  readonly #client: DynamoDBClient;
  readonly #streamArn: string;
  readonly #environment: ConsumerEnvironment;

  constructor(
    client: DynamoDBClient,
    {
      tableName,
      streamArn,
      environment,
    }: { readonly tableName: string; readonly streamArn: string; readonly environment: ConsumerEnvironment },
  ) {
    this.tableName = tableName;
    this.#client = client;
    this.#streamArn = streamArn;
    this.#environment = environment;
  }

  /**
   * Creates the table if it does not exist, and waits until it is active.
   *
   * @throws {ConsumerError} `checkpoint-table` if a table of that name has other keys, or does not become active.
   */
  async ensure(): Promise<void> {
    for (let attempt = 0; attempt < activeAttemptsMax; attempt += 1) {
      const table = (await this.#describe()) ?? (await this.#create());
      if (table?.KeySchema !== undefined) this.#checkKeys(table);
      if (table?.TableStatus === 'ACTIVE' || table?.TableStatus === 'UPDATING') return;
      await this.#environment.pause(Math.min(activePollMs * 2 ** attempt, activePollMsMax));
    }
    throw new ConsumerError('checkpoint-table', `The table ${this.tableName} for checkpoints does not become active.`);
  }

  /** All leases of the stream, and where its reading began, if that has been decided. */
  async read(): Promise<{ readonly leases: ReadonlyMap<string, Lease>; readonly start: StreamStart | undefined }> {
    const leases = new Map<string, Lease>();
    let start: StreamStart | undefined;
    let ExclusiveStartKey: Record<string, AttributeValue> | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await this.#client.send(
        new QueryCommand({
          TableName: this.tableName,
          KeyConditionExpression: 'streamArn = :streamArn',
          ExpressionAttributeValues: { ':streamArn': { S: this.#streamArn } },
          ConsistentRead: true,
          ExclusiveStartKey,
        }),
      );
      for (const item of Items) {
        if (item['shardId']?.S === startKey) start = startOf(item);
        else leases.set(item['shardId']?.S ?? '', leaseOf(item));
      }
      ExclusiveStartKey = LastEvaluatedKey;
    } while (ExclusiveStartKey !== undefined);
    return { leases, start };
  }

  /** Decides where reading begins. @returns false if another worker has decided. */
  async begin({ fromMs, openShardIds, closedShardIds }: StreamStart): Promise<boolean> {
    return this.#putNew({
      ...this.#key(startKey),
      ...(fromMs !== undefined && { fromMs: { N: String(fromMs) } }),
      openShardIds: { L: [...openShardIds].map((S) => ({ S })) },
      closedShardIds: { L: [...closedShardIds].map((S) => ({ S })) },
    });
  }

  /** Creates the lease of a shard. */
  async add({ shardId, parentShardId }: StreamShard, start: StreamStart): Promise<void> {
    const { fromMs, openShardIds } = start;
    await this.#putNew({
      ...this.#key(shardId),
      ...(parentShardId !== undefined && { parentShardId: { S: parentShardId } }),
      leaseCounter: { N: '0' },
      leaseEpoch: { N: '0' },
      checkpoint: { S: openShardIds.has(shardId) ? latest : trimHorizon },
      ...(fromMs !== undefined && { fromMs: { N: String(fromMs) } }),
    });
  }

  /** Takes a lease, unless it has changed since it was read. */
  async take(lease: Lease, worker: string): Promise<Lease | undefined> {
    const taken = await this.#update(
      lease.shardId,
      'SET workerId = :worker, leaseEpoch = leaseEpoch + :one, leaseCounter = leaseCounter + :one',
      'leaseCounter = :counter',
      { ':worker': { S: worker }, ':one': { N: '1' }, ':counter': { N: String(lease.counter) } },
    );
    return taken && leaseOf(taken);
  }

  /**
   * Renews a lease, and saves how far the shard has been read.
   *
   * @returns false if another worker holds the lease by now.
   */
  async touch(
    { shardId, epoch }: Lease,
    changes: {
      readonly checkpoint?: string | undefined;
      readonly fromMs?: number | undefined;
      readonly giveBack?: boolean;
    },
  ): Promise<boolean> {
    const { checkpoint, fromMs, giveBack } = changes;
    const touched = await this.#update(
      shardId,
      'SET leaseCounter = leaseCounter + :one' +
        (checkpoint === undefined ? '' : ', checkpoint = :checkpoint') +
        (fromMs === undefined ? '' : ', fromMs = :from') +
        // A delayed write must not take effect after this one.
        (giveBack === true ? ', leaseEpoch = leaseEpoch + :one REMOVE workerId' : ''),
      'leaseEpoch = :epoch',
      {
        ':one': { N: '1' },
        ':epoch': { N: String(epoch) },
        ...(checkpoint !== undefined && { ':checkpoint': { S: checkpoint } }),
        ...(fromMs !== undefined && { ':from': { N: String(fromMs) } }),
      },
    );
    return touched !== undefined;
  }

  /** Removes a lease that is no longer needed. */
  async remove({ shardId, counter }: Lease): Promise<void> {
    const command = new DeleteItemCommand({
      TableName: this.tableName,
      Key: this.#key(shardId),
      ConditionExpression: 'leaseCounter = :counter',
      ExpressionAttributeValues: { ':counter': { N: String(counter) } },
    });
    await this.#unlessRefused(() => this.#client.send(command));
  }

  async #describe(): Promise<TableDescription | undefined> {
    try {
      return (await this.#client.send(new DescribeTableCommand({ TableName: this.tableName }))).Table;
    } catch (error) {
      if (errorNameOf(error) !== 'ResourceNotFoundException') throw error;
      return undefined;
    }
  }

  async #create(): Promise<TableDescription | undefined> {
    try {
      const { TableDescription } = await this.#client.send(
        new CreateTableCommand({
          TableName: this.tableName,
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: [
            { AttributeName: 'streamArn', AttributeType: 'S' },
            { AttributeName: 'shardId', AttributeType: 'S' },
          ],
          KeySchema: [
            { AttributeName: 'streamArn', KeyType: 'HASH' },
            { AttributeName: 'shardId', KeyType: 'RANGE' },
          ],
        }),
      );
      return TableDescription;
    } catch (error) {
      // Another worker has created it concurrently.
      if (errorNameOf(error) !== 'ResourceInUseException') throw error;
      return undefined;
    }
  }

  #checkKeys({ KeySchema = [] }: TableDescription): void {
    const keys = KeySchema.map(({ AttributeName, KeyType }) => `${AttributeName} ${KeyType}`).join(', ');
    if (keys === 'streamArn HASH, shardId RANGE') return;
    throw new ConsumerError(
      'checkpoint-table',
      `The table ${this.tableName} is not a table of checkpoints: its key is ${keys}, not streamArn HASH, shardId RANGE. ` +
        'Name another table; it is created if it does not exist.',
    );
  }

  async #putNew(Item: Record<string, AttributeValue>): Promise<boolean> {
    const command = new PutItemCommand({
      TableName: this.tableName,
      Item,
      ConditionExpression: 'attribute_not_exists(shardId)',
    });
    return (await this.#unlessRefused(() => this.#client.send(command))) !== undefined;
  }

  async #update(
    shardId: string,
    updateExpression: string,
    conditionExpression: string,
    values: Record<string, AttributeValue>,
  ): Promise<StoredItem | undefined> {
    const command = new UpdateItemCommand({
      TableName: this.tableName,
      Key: this.#key(shardId),
      UpdateExpression: updateExpression,
      ConditionExpression: conditionExpression,
      ExpressionAttributeValues: values,
      ReturnValues: 'ALL_NEW',
    });
    return (await this.#unlessRefused(() => this.#client.send(command)))?.Attributes;
  }

  /**
   * Returns the answer, or undefined if the condition did not hold. A write that conflicted with a transaction on its item was not carried out,
   * and the SDK does not retry it.
   */
  async #unlessRefused<Answer>(send: () => Promise<Answer>): Promise<Answer | undefined> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await send();
      } catch (error) {
        const name = errorNameOf(error);
        if (name === 'ConditionalCheckFailedException') return undefined;
        if (name !== 'TransactionConflictException' || failures >= conflictAttemptsMax) throw error;
        await this.#environment.pause(backoffMs(failures - 1, this.#environment));
      }
    }
  }

  #key(shardId: string): { streamArn: AttributeValue.SMember; shardId: AttributeValue.SMember } {
    return { streamArn: { S: this.#streamArn }, shardId: { S: shardId } };
  }
}

function leaseOf(item: StoredItem): Lease {
  return {
    shardId: item['shardId']?.S ?? '',
    parentShardId: item['parentShardId']?.S,
    worker: item['workerId']?.S,
    counter: Number(item['leaseCounter']?.N),
    epoch: Number(item['leaseEpoch']?.N),
    checkpoint: item['checkpoint']?.S ?? trimHorizon,
    fromMs: numberOf(item['fromMs']),
  };
}

function startOf(item: StoredItem): StreamStart {
  const ids = (name: string): ReadonlySet<string> => new Set(item[name]?.L?.map(({ S }) => S ?? ''));
  return {
    fromMs: numberOf(item['fromMs']),
    openShardIds: ids('openShardIds'),
    closedShardIds: ids('closedShardIds'),
  };
}

function numberOf(value: AttributeValue | undefined): number | undefined {
  return value?.N === undefined ? undefined : Number(value.N);
}
