import {
  CreateTableCommand,
  DeleteItemCommand,
  DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { type _Record, DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import {
  type Consumer,
  type ConsumerEnvironment,
  type ConsumerEvent,
  type ConsumerOptions,
  createConsumer,
  type ItemImage,
} from '../src/consumer/index.ts';
import { createDatabase, type Database, type DatabaseOptions } from '../src/index.ts';

/** Rejects as the network does: before a request reaches the server, or after. */
export type Weather = () => 'fine' | 'lost request' | 'lost answer';

/**
 * Time that passes only when every worker waits for it: pauses end in order of their end times, as soon as no request is
 * in flight. A test of hours therefore takes milliseconds, and always runs the same way.
 */
export class VirtualTime {
  #nowMs = Date.parse('2026-01-01T00:00:00Z');
  #pauses: { readonly endMs: number; readonly end: () => void }[] = [];
  #requestCount = 0;

  nowMs(): number {
    return this.#nowMs;
  }

  pause(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const end = (): void => {
        this.#pauses = this.#pauses.filter((each) => each !== pause);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const pause = { endMs: this.#nowMs + delayMs, end };
      this.#pauses.push(pause);
      signal?.addEventListener('abort', end);
    });
  }

  async request<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    this.#requestCount += 1;
    try {
      return await work();
    } finally {
      this.#requestCount -= 1;
    }
  }

  /** Lets time pass until a condition holds. */
  async until(condition: () => boolean | Promise<boolean>, limitMs: number = 3_600_000): Promise<void> {
    const endMs = this.#nowMs + limitMs;
    for (;;) {
      await this.#settle();
      if (await condition()) return;
      const next = this.#pauses.toSorted((a, b) => a.endMs - b.endMs)[0];
      if (next === undefined) throw new Error('no worker waits for time to pass, and the condition does not hold');
      if (next.endMs > endMs) throw new Error(`the condition does not hold within ${limitMs} ms`);
      this.#nowMs = Math.max(this.#nowMs, next.endMs);
      next.end();
    }
  }

  /** Lets time pass until a promise resolves. */
  async during<Answer>(promise: Promise<Answer>, limitMs?: number): Promise<Answer> {
    let isOver = false;
    const over = (): void => {
      isOver = true;
    };
    promise.then(over, over);
    await this.until(() => isOver, limitMs);
    return promise;
  }

  /** Lets an amount of time pass. */
  async advance(ms: number): Promise<void> {
    await this.during(this.pause(ms), ms);
  }

  /** A jump: waiting workers have overslept. */
  jump(ms: number): void {
    this.#nowMs += ms;
  }

  async #settle(): Promise<void> {
    for (let quietTurns = 0; quietTurns < 2;) {
      await new Promise((resolve) => setImmediate(resolve));
      quietTurns = this.#requestCount === 0 ? quietTurns + 1 : 0;
    }
  }
}

/** A worker's environment: its clients, its clock, and how it is killed. */
export class WorkerMachine {
  readonly dynamodb: DynamoDBClient;
  readonly streams: DynamoDBStreamsClient;
  readonly environment: ConsumerEnvironment;
  #isDead = false;

  constructor(database: Database, time: VirtualTime, random: () => number, weather: Weather = () => 'fine') {
    const config = database.clientConfig();
    const { requestHandler } = config;
    const handle: typeof requestHandler.handle = async (request, options) => {
      await this.#untilTheEnd();
      return time.request(async () => {
        const today = weather();
        if (today === 'lost request') throw new TypeError('fetch failed');
        const answer = await requestHandler.handle(request, options);
        if (today === 'lost answer') throw new TypeError('fetch failed');
        return answer;
      });
    };
    const worldly = { ...config, maxAttempts: 1, requestHandler: { ...requestHandler, handle } };
    this.dynamodb = new DynamoDBClient(worldly);
    this.streams = new DynamoDBStreamsClient(worldly);
    this.environment = {
      nowMs: () => time.nowMs(),
      pause: async (delayMs, signal) => {
        await time.pause(delayMs, signal);
        await this.#untilTheEnd();
      },
      random,
    };
  }

  /** Like `kill -9`: nothing that this machine has begun continues. */
  kill(): void {
    this.#isDead = true;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  #untilTheEnd(): Promise<void> | undefined {
    return this.#isDead ? new Promise(() => undefined) : undefined;
  }
}

export const TableName = 'Orders';

/** A database with a table, a stream and its own clock. */
export class ConsumerWorld {
  readonly time: VirtualTime;
  readonly events: ConsumerEvent[] = [];
  readonly #consumers: { readonly consumer: Consumer; readonly machine: WorkerMachine }[] = [];
  #seed = 1;

  readonly database: Database;
  readonly client: DynamoDBClient;

  private constructor(database: Database, time: VirtualTime) {
    this.database = database;
    this.time = time;
    this.client = new DynamoDBClient(database.clientConfig());
  }

  static async open(
    limits: DatabaseOptions['limits'] = {},
    weather?: DatabaseOptions['weather'],
  ): Promise<ConsumerWorld> {
    const time = new VirtualTime();
    const world = new ConsumerWorld(await createDatabase({ clock: time, limits, weather }), time);
    await world.client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
          { AttributeName: 'customer', AttributeType: 'S' },
          { AttributeName: 'order', AttributeType: 'N' },
        ],
        KeySchema: [
          { AttributeName: 'customer', KeyType: 'HASH' },
          { AttributeName: 'order', KeyType: 'RANGE' },
        ],
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      }),
    );
    return world;
  }

  /** Deterministic, from one seed for the whole world. */
  readonly random = (): number => {
    this.#seed = (Math.imul(this.#seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return this.#seed / 0x8000_0000;
  };

  machine(weather?: Weather): WorkerMachine {
    return new WorkerMachine(this.database, this.time, this.random, weather);
  }

  consumer<Item = ItemImage>(
    options: Pick<ConsumerOptions<Item>, 'handler'> & Partial<ConsumerOptions<Item>>,
    machine: WorkerMachine = this.machine(),
  ): Consumer {
    const { dynamodb, streams, environment } = machine;
    const onEvent = (event: ConsumerEvent): void => void this.events.push(event);
    const consumer = createConsumer<Item>({
      tableName: TableName,
      dynamodb,
      streams,
      environment,
      onEvent,
      pollIntervalMs: 2000,
      ...options,
    });
    this.#consumers.push({ consumer, machine });
    return consumer;
  }

  /** Starts a consumer, letting time pass. */
  async start(consumer: Consumer): Promise<void> {
    await this.time.during(consumer.start());
  }

  async stop(consumer: Consumer): Promise<void> {
    await this.time.during(consumer.stop());
  }

  async put(customer: string, order: number, attributes: Record<string, { S: string }> = {}): Promise<void> {
    const Item = { customer: { S: customer }, order: { N: String(order) }, ...attributes };
    await this.client.send(new PutItemCommand({ TableName, Item }));
  }

  async remove(customer: string, order: number): Promise<void> {
    const Key = { customer: { S: customer }, order: { N: String(order) } };
    await this.client.send(new DeleteItemCommand({ TableName, Key }));
  }

  async disableStream(): Promise<void> {
    await this.client.send(new UpdateTableCommand({ TableName, StreamSpecification: { StreamEnabled: false } }));
  }

  /** The leases and their checkpoints, by shard. */
  async leases(table: string = `${TableName}-checkpoints`): Promise<ReadonlyMap<string, Record<string, unknown>>> {
    const { Items = [] } = await this.client.send(
      new QueryCommand({
        TableName: table,
        KeyConditionExpression: 'streamArn = :arn',
        ExpressionAttributeValues: { ':arn': { S: await this.streamArn() } },
        ConsistentRead: true,
      }),
    );
    return new Map(
      Items.filter((item) => item['shardId']?.S !== '#start').map((item) => [
        item['shardId']?.S ?? '',
        Object.fromEntries(Object.entries(item).map(([name, value]) => [name, value.S ?? Number(value.N)])),
      ]),
    );
  }

  /** Makes the database replace expired shards, by describing the stream. */
  async turnShards(): Promise<void> {
    await this.database.request('DescribeStream', { StreamArn: await this.streamArn() });
  }

  async streamArn(): Promise<string> {
    const { Table } = (await this.database.request('DescribeTable', { TableName })) as {
      Table: { LatestStreamArn: string };
    };
    return Table.LatestStreamArn;
  }

  async close(): Promise<void> {
    for (const { consumer, machine } of this.#consumers) {
      if (!machine.isDead) await this.stop(consumer);
    }
    this.client.destroy();
    await this.database.close();
  }
}

/** A record as text: `INSERT ada 3`. */
export function sourceText({ source }: { readonly source: _Record }): string {
  const { customer, order } = source.dynamodb?.Keys ?? {};
  return `${source.eventName} ${customer?.S} ${order?.N}`;
}

/** Records the arguments of a handler, in order. */
export class Received {
  readonly batches: (readonly string[])[] = [];

  readonly handler = (records: readonly { readonly source: _Record }[]): void => {
    this.batches.push(records.map(sourceText));
  };

  get texts(): readonly string[] {
    return this.batches.flat();
  }

  ofCustomer(customer: string): readonly string[] {
    return this.texts.filter((text) => text.split(' ')[1] === customer);
  }
}
